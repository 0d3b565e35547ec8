//! `NetworkSampler`: draws a block of classes, rows and noisy sums exactly: weights go up, sums are
//! drawn going down.
//!
//! Going up, every part of the network gets the weights of all values of the forms it remembers
//! ([`part`]). Going down, a join that was told the values of its own forms draws those of its two
//! parts in proportion to the product of their weights ([`descend`]), until every class knows its
//! sum and draws its cells. Undecided draws climb the ladder of precision with the bits they have
//! seen, so the law is exactly the conditional law of the noise. Proof: `proofs/network.md`.
//!
//! ```text
//! rows.rs      what is asked of a form's values, as factors
//! sparse.rs    weights of several forms at once
//! pairing.rs   how the values of two parts meet in a join
//! branches.rs  which parts are made together
//! tilt.rs      factors that change no law but let sums be expected
//! part.rs      the pass up
//! descend.rs   the pass down
//! quantities.rs the pass down without draws: exact laws, for reading
//! estimate.rs  time and memory that all this will need
//! spans.rs     how many forms of a part are free, for the estimate
//! ```

mod branches;
mod descend;
mod estimate;
mod pairing;
mod part;
mod quantities;
mod rows;
mod spans;
mod sparse;
mod tilt;

use crate::law::NoiseLaw;
use crate::network::branches::Branches;
use crate::network::part::{KEPT_BYTES, PartWeights, Parts};
use crate::network::quantities::logarithm;
use crate::network::rows::{RowNoise, Rows};
use crate::remembered::Remembered;
use crate::sums::{CellNoise, ClassLaw, Ladder, Message, Precision};
use analyse::{Demand, MadeOf, Network};
use declare::Problem;
use exact::{Entropy, Positive, Rational, Wide};
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// Laws of classes that are made in one go: most are tiny.
const CLASSES_TOGETHER: usize = 256;

/// The most bytes that all classes together keep between draws of what splits them.
const SPLIT_BYTES: usize = 1 << 30;

pub(crate) use estimate::{estimate, levels_within};
pub(crate) use pairing::MOST_KEY_BITS;
pub use quantities::NetworkQuantities;

/// A block of a table, ready to be drawn from as often as wanted.
#[derive(Debug)]
pub struct NetworkSampler<'a> {
    network: &'a Network,
    classes: Vec<ClassLaw>,
    /// The tilt of every class.
    tilts: Vec<Rational>,
    /// The sum of every class in a table of the fibre, or near it: for reading.
    sums: Vec<i64>,
    rows: Rows,
    ladder: Ladder,
    branches: Branches,
    /// The bytes of weights below the tops of branches that are kept at each level.
    room: usize,
    /// The bytes that classes keep between draws, for every cell.
    room_per_cell: usize,
    /// The parts that no join uses: each is drawn by itself.
    roots: Vec<u32>,
    machine: [OnceLock<Parts<f64>>; 2],
    wide: Remembered<usize, Arc<Parts<Wide>>>,
}

/// The noise of a table: on the cells themselves, or on the sums of queries.
#[derive(Debug, Clone, Copy)]
pub struct TableNoise<'a> {
    /// The noise on every cell, when there are no queries.
    pub law: &'a NoiseLaw,
    /// The rate of every query: its sums have weight `e^{−rate·|difference|}`.
    pub rates: &'a [Rational],
    /// The value of every query's sum in the confidential table: `sums[query][group]`.
    pub sums: &'a [Vec<i64>],
}

impl<'a> From<&'a NoiseLaw> for TableNoise<'a> {
    fn from(law: &'a NoiseLaw) -> Self {
        TableNoise { law, rates: &[], sums: &[] }
    }
}

impl<'a> NetworkSampler<'a> {
    /// Makes a block ready: `centre` is the whole confidential table.
    ///
    /// # Errors
    /// Refused when a cell without noise has no bounds, so that there is no law to draw from, and
    /// when the noise of a cell depends on that of others.
    pub fn new(network: &'a Network, noise: TableNoise<'_>, centre: &[i64], ladder: Ladder) -> Result<Self, Problem> {
        if !noise.law.is_product() {
            return Err(not_a_product(noise.law));
        }
        let class = |class: &analyse::NetworkClass| {
            let cell_noise = cell_noise(&class.noise, noise)?;
            if cell_noise == CellNoise::Flat && (class.low.is_none() || class.high.is_none()) {
                return Err(Problem::refused("a cell carries no noise and no bound confines it: it has no law"));
            }
            let factor_of = |cell: &u32| noise.law.base().and_then(|base| base.factor_of(*cell));
            let centre = |cell: &u32| centre[*cell as usize];
            match noise.law.base().filter(|_| class.cells.iter().any(|cell| factor_of(cell).is_some())) {
                None => {
                    let centres = class.cells.iter().map(centre).collect();
                    Ok(ClassLaw::new(cell_noise, class.low, class.high, centres, ladder))
                }
                Some(_) if class.low.is_none_or(|low| low < 0) => {
                    Err(Problem::refused("a base measure weighs counts, and some of its cells may be below zero"))
                }
                Some(base) => {
                    let cells = class.cells.iter().map(|cell| (centre(cell), factor_of(cell))).collect();
                    Ok(ClassLaw::weighted(cell_noise, (class.low, class.high), cells, base.factors().clone(), ladder))
                }
            }
        };
        let classes: Vec<ClassLaw> =
            network.classes.par_iter().with_min_len(CLASSES_TOGETHER).map(class).collect::<Result<_, _>>()?;
        let noisy = network.rows.iter().map(|row| match row.demand {
            Demand::Noisy { query, group, fixed } => {
                let centre = noise.sums[query as usize][group as usize] - fixed;
                Some((centre, noise.rates[query as usize].clone()))
            }
            _ => None,
        });
        let noisy: Vec<Option<(i64, Rational)>> = noisy.collect();
        let mut used = vec![false; network.joins.len()];
        for join in &network.joins {
            if let MadeOf::Parts(first, second) = join.made_of {
                (used[first as usize], used[second as usize]) = (true, true);
            }
        }
        let sum = |class: &analyse::NetworkClass| class.cells.iter().map(|cell| centre[*cell as usize]).sum();
        let sums: Vec<i64> = network.classes.iter().map(sum).collect();
        let tilts = tilt::tilts(network, &classes, &sums, &noisy);
        let rows = network.rows.iter().zip(&noisy).zip(&tilts.rows).map(|((row, noise), tilt)| {
            (row.demand, noise.as_ref().map(|(centre, rate)| RowNoise::new(*centre, rate, tilt)))
        });
        Ok(NetworkSampler {
            rows: Rows(rows.collect()),
            tilts: tilts.classes,
            sums,
            network,
            classes,
            ladder,
            branches: Branches::new(&network.joins),
            room: KEPT_BYTES,
            room_per_cell: SPLIT_BYTES / network.cells().max(1),
            roots: (0..network.joins.len() as u32).filter(|part| !used[*part as usize]).collect(),
            machine: [OnceLock::new(), OnceLock::new()],
            wide: Remembered::up_to(usize::MAX),
        })
    }

    /// The network that it draws.
    pub(crate) fn network(&self) -> &Network {
        self.network
    }

    /// Whether some table has weight: the factors of a base measure may leave none. To be asked
    /// around any table.
    pub fn has_table(&self) -> bool {
        let parts = self.machine(1);
        let given = |(number, join): (usize, &analyse::Join)| {
            let MadeOf::Class(class) = join.made_of else { return true };
            let asked = self.rows.asked::<f64>(&join.forms[0].ending, join.limits[0], parts.precision);
            let weighs = |sum: i64| self.classes[class as usize].log_weight(sum).is_some();
            number >= self.classes.len() || asked.only().is_none_or(weighs)
        };
        let root = |root: &u32| match &parts.part(self, *root).weights {
            PartWeights::Line(message) => !message.weights.is_empty() || !message.missing.is_zero(),
            PartWeights::Spread(sparse) => !sparse.weights.is_empty() || !sparse.missing.is_zero(),
        };
        self.network.joins.iter().enumerate().all(given) && self.roots.iter().all(root)
    }

    /// Draws the block: its cells with their values.
    ///
    /// # Errors
    /// Infeasible when no table was found that satisfies the block's rows, which cannot happen when
    /// the confidential table does.
    pub fn draw_cells<E: Entropy>(&self, entropy: &mut E) -> Result<Vec<(u32, i64)>, Problem> {
        let mut drawn = Vec::with_capacity(self.network.cells());
        for root in &self.roots {
            descend::draw(self, *root, entropy, &mut drawn)?;
        }
        Ok(drawn)
    }

    /// Draws the block's cells into a whole table.
    ///
    /// # Errors
    /// As [`NetworkSampler::draw_cells`].
    pub fn draw<E: Entropy>(&self, entropy: &mut E, values: &mut [i64]) -> Result<(), Problem> {
        self.draw_cells(entropy)?.into_iter().for_each(|(cell, value)| values[cell as usize] = value);
        Ok(())
    }

    /// The logarithm of the normaliser: of the sum of `e^{−energy}` over all tables of the block
    /// that satisfy its rows. For reading and comparing, to about twelve digits.
    pub fn log_normaliser(&self) -> f64 {
        self.log_normaliser_of(self.machine(1))
    }

    fn log_normaliser_of<T: Positive>(&self, parts: &Parts<T>) -> f64 {
        let mut sum = 0.0;
        for join in &self.network.joins {
            let MadeOf::Class(class) = join.made_of else { continue };
            let asked = self.rows.asked::<T>(&join.forms[0].ending, join.limits[0], parts.precision);
            if let Some(total) = asked.only() {
                let weight = self.classes[class as usize].log_weight(total).unwrap_or(f64::NEG_INFINITY);
                sum += weight + logarithm(&[asked.factor(total)], 0).unwrap_or(f64::NEG_INFINITY);
            }
        }
        sum += self.log_tilt();
        for root in &self.roots {
            let weight = match &parts.part(self, *root).weights {
                PartWeights::Line(message) => logarithm(&message.weights, message.scale),
                PartWeights::Spread(sparse) => logarithm(&sparse.weights, sparse.scale),
            };
            sum += weight.unwrap_or(f64::NEG_INFINITY);
        }
        sum
    }

    /// The weights of a class's sum, tilted, up to a constant.
    fn class_message<T: Positive>(&self, class: usize, precision: Precision) -> Message<T> {
        let tilted = self.classes[class].tilted_message(&self.tilts[class], precision);
        tilted.unwrap_or_else(Message::nothing)
    }

    /// The logarithm of what tilts and the constants of messages leave out of the normaliser: zero
    /// without tilts and factors.
    fn log_tilt(&self) -> f64 {
        if self.tilts.iter().all(Rational::is_zero) && !self.classes.iter().any(ClassLaw::is_weighted) {
            return 0.0;
        }
        let mut sum = 0.0;
        // The classes of any table of the fibre give the constant of the tilts; of each message the
        // constant is read where it is largest.
        for join in &self.network.joins {
            let MadeOf::Class(class) = join.made_of else { continue };
            let class = class as usize;
            let asked = self.rows.asked::<f64>(&join.forms[0].ending, join.limits[0], self.ladder.level(1));
            let theta = self.tilts[class].to_f64();
            sum -= theta * self.sums[class] as f64;
            if let Some(total) = asked.only() {
                sum += theta * total as f64;
                continue;
            }
            let message: Message<f64> = self.class_message(class, Ladder::Standard.level(1));
            let largest = message.weights.iter().enumerate().max_by(|one, two| one.1.total_cmp(two.1));
            let Some((index, weight)) = largest else { return f64::NEG_INFINITY };
            let at = message.first + index as i64;
            let truth = self.classes[class].log_weight(at).unwrap_or(f64::NEG_INFINITY);
            sum += truth + theta * at as f64 - weight.ln() - message.scale as f64 * std::f64::consts::LN_2;
        }
        sum
    }

    /// The parts at a level of machine numbers. They are made outside the lock: making them runs in
    /// parallel, and a thread that waits for its share may be given another draw that asks for the
    /// same parts.
    fn machine(&self, level: usize) -> &Parts<f64> {
        let cell = &self.machine[level.min(1)];
        cell.get().unwrap_or_else(|| {
            let made = Parts::new(self, self.ladder.level(level));
            cell.get_or_init(|| made)
        })
    }

    /// The parts at a level of wide numbers.
    fn wide(&self, level: usize) -> Arc<Parts<Wide>> {
        self.wide.get(level, || Arc::new(Parts::new(self, self.ladder.level(level))))
    }
}

/// Messages are products over cells.
pub(crate) fn not_a_product(law: &NoiseLaw) -> Problem {
    Problem::refused(format!("{} noise is not a product over cells: messages cannot carry it", law.name()))
}

/// The noise on a cell itself.
fn cell_noise(noise: &analyse::CellNoise, of: TableNoise<'_>) -> Result<CellNoise, Problem> {
    Ok(match noise {
        analyse::CellNoise::Law => return of.law.cell_noise().ok_or_else(|| not_a_product(of.law)),
        analyse::CellNoise::Queries(queries) if queries.is_empty() => CellNoise::Flat,
        analyse::CellNoise::Queries(queries) => {
            let zero = Rational::integer(0);
            let rate = queries.iter().fold(zero, |sum, query| &sum + &of.rates[*query as usize]);
            CellNoise::Geometric { up: rate.clone(), down: rate }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::part::PartWeights;
    use super::{NetworkSampler, TableNoise, estimate};
    use crate::{Ladder, NoiseLaw};
    use analyse::{Ground, MadeOf, Network};
    use declare::{Conditions, Grouping, QueryRows};
    use exact::{Rational, Seeded, Source};

    /// Noise on every node of a tree of 2 × 10 × 10 cells.
    fn tree() -> Conditions {
        let level = |size: usize| Grouping {
            label: format!("by {size}"),
            names: (0..200 / size).map(|group| group.to_string()).collect(),
            group_of: (0..200).map(|cell| (cell / size) as u32).collect(),
            times: None,
        };
        let query = |size| QueryRows { grouping: level(size), strength: Rational::new(1, 2u8) };
        let queries = [200, 100, 10, 1].map(query).to_vec();
        Conditions { queries, nonnegative: true, ..Conditions::of_totals(200, Vec::new()) }
    }

    /// Two rows and two columns, all four totals exact.
    fn two_by_two() -> Conditions {
        let margin = |by: &str, group_of: Vec<u32>| Grouping {
            label: by.to_owned(),
            names: vec![format!("{by} 0"), format!("{by} 1")],
            group_of,
            times: None,
        };
        Conditions::of_totals(4, vec![margin("row", vec![0, 0, 1, 1]), margin("column", vec![0, 1, 0, 1])])
    }

    /// What a part holds of an entry: its weight, its values, and in a join a key, a place in the
    /// list of partners and two in the table of keys.
    const ENTRY_BYTES: usize = 8 + 16 + 16 + 4 + 48;

    #[test]
    fn what_listing_takes_is_predicted_as_it_is_counted() {
        let conditions = two_by_two();
        let network = Network::new(&conditions, &Ground::new(&conditions, &[], &[]), &[0, 1, 2, 3]).unwrap();
        let law = |denominator: u32| NoiseLaw::double_geometric(Rational::new(1, denominator));
        let predicted = |denominator: u32| estimate(&network, &law(denominator), &[]);
        let counted = |denominator: u32| {
            let law = law(denominator);
            let sampler = NetworkSampler::new(&network, TableNoise::from(&law), &[0; 4], Ladder::Standard).unwrap();
            let parts = sampler.machine(0);
            let states = |part: u32| match &parts.part(&sampler, part).weights {
                PartWeights::Line(message) => message.weights.len(),
                PartWeights::Spread(sparse) => sparse.weights.len(),
            };
            let met = network.joins.iter().enumerate().filter(|(_, join)| join.forms.len() > 1);
            let entries = met.map(|(number, join)| match join.made_of {
                MadeOf::Parts(first, second) => states(first) + states(second) + states(number as u32),
                MadeOf::Class(_) => 0,
            });
            let entries: Vec<usize> = entries.collect();
            (entries.iter().sum::<usize>() as f64, entries.iter().max().map_or(0, |most| most * ENTRY_BYTES) as f64)
        };
        // An entry is looked up on the way up and on the way down: 0.7 µs, measured.
        let seconds = 0.7e-6;
        for denominator in [500, 2_000] {
            let (found, (entries, bytes)) = (predicted(denominator), counted(denominator));
            for (told, truth) in [
                (found.listing.seconds, seconds * entries),
                (found.draw_seconds, seconds * entries),
                (found.listing.peak_bytes(), bytes),
                (found.draw_bytes, bytes),
            ] {
                assert!((0.2..5.0).contains(&(told / truth)), "1/{denominator}: {told} where {truth} is counted");
            }
        }
        // Both grow with the noise: ten thousand units wide are five times two thousand.
        let ((entries, bytes), wide) = (counted(2_000), predicted(10_000));
        let ratios = [wide.listing.seconds / (5.0 * seconds * entries), wide.listing.peak_bytes() / (5.0 * bytes)];
        assert!(ratios.iter().all(|ratio| (0.2..5.0).contains(ratio)), "{ratios:?}");
    }

    #[test]
    fn weights_that_are_made_again_draw_the_same_tables() {
        let conditions = tree();
        let table: Vec<i64> = (0..200).map(|cell| cell % 7).collect();
        let cells: Vec<u32> = (0..200).collect();
        let network = Network::new(&conditions, &Ground::new(&conditions, &[], &[]), &cells).unwrap();
        let sums = |query: &QueryRows| query.grouping.totals(&table).iter().map(|sum| *sum as i64).collect();
        let sums: Vec<Vec<i64>> = conditions.queries.iter().map(sums).collect();
        let rates = vec![Rational::new(1, 2u8); 4];
        let law = NoiseLaw::double_geometric(rates[0].clone());
        for ladder in [Ladder::Standard, Ladder::Coarse] {
            let noise = TableNoise { law: &law, rates: &rates, sums: &sums };
            let kept = NetworkSampler::new(&network, noise, &table, ladder).unwrap();
            let mut made_again = NetworkSampler::new(&network, noise, &table, ladder).unwrap();
            (made_again.room, made_again.room_per_cell) = (0, 0);
            let mut bits = [0, 0].map(|stream| Seeded::new(5).stream(stream).unwrap());
            for _ in 0..3 {
                assert_eq!(kept.draw_cells(&mut bits[0]), made_again.draw_cells(&mut bits[1]));
            }
        }
    }
}
