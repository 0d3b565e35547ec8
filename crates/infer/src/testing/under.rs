//! `Under`: true tables as the hypothesis has them, given all that the release tells exactly: drawn
//! from random bits.
//!
//! A table has the weight ∏ weightˣ/x! on all tables of whole numbers with the exact totals. With
//! both margins of a two-way table and no more, that is a pairing of row labels with column labels
//! (hypergeometric numbers); with totals of disjoint groups, independent multinomial tables; where
//! few tables are left, all are listed with their weights as whole numbers; elsewhere messages
//! draw, in machine numbers of about twelve digits, or else a walk is run with its diagnosis; both
//! are told. Proof: `proofs/exact-tests.md`.

use super::hypothesis::{Hypothesis, rank_of};
use crate::chain::{self, Target, Visited, Walkable};
use crate::knowledge::log_gamma;
use crate::pick::uniform;
use crate::release::Release;
use crate::weighted::{MessageLimits, Weighted};
use analyse::{Analysis, Fibre, Ground, ListLimits, Network, analyse};
use declare::{Conditions, NO_GROUP, Problem};
use exact::{Natural, Stream, urn};

/// Lists that are short enough to hold.
const SHORT: ListLimits = ListLimits { cells: 64, tables: 20_000, values: 1 << 20, work: 40_000_000 };
/// So many tables in a row may break the rules of the release.
const MOST_TRIES: u32 = 100_000;

/// What draws true tables under a hypothesis.
#[derive(Debug)]
pub(crate) struct Under {
    parts: Vec<BlockUnder>,
    /// Cells that the totals determine.
    base: Vec<i64>,
    /// Rules that the true table satisfies, checked where the draws do not know them.
    rules: Option<Conditions>,
    pub(crate) how: How,
}

/// How true tables are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Labels of rows paired with those of columns.
    Paired,
    /// Totals spread over their cells.
    Spread,
    /// From the list of all tables.
    Listed,
    /// By messages, in machine numbers.
    Messages,
    /// By chains, as good as so many independent draws.
    Walked {
        /// Of the cell that moves most slowly.
        effective: u64,
    },
}

impl How {
    pub(crate) fn in_words(self) -> String {
        let known = match self {
            How::Walked { effective } => {
                return format!(
                    "true tables under the hypothesis are those that a walk visited, as good as {effective} independent draws: evidence, not \
                     proof; no parameter is left"
                );
            }
            How::Paired => {
                "true tables under the hypothesis are hypergeometric given their exact margins: drawn exactly, no parameter is left"
            }
            How::Spread => {
                "true tables under the hypothesis are multinomial given their exact totals: drawn exactly, no parameter is left"
            }
            How::Listed => {
                "all true tables with the exact totals are listed and drawn by their weights under the hypothesis: exactly, no parameter is left"
            }
            How::Messages => {
                "true tables under the hypothesis are drawn by messages, in machine numbers of about twelve digits; no parameter is left"
            }
        };
        known.to_string()
    }
}

#[derive(Debug)]
enum BlockUnder {
    Paired { rows: Vec<u64>, columns: Vec<u64>, cells: Vec<u32> },
    Spread { total: u64, weights: Vec<u64>, cells: Vec<u32> },
    Listed { cells: Vec<u32>, tables: Vec<Vec<i64>>, sums: Vec<Natural> },
    Messages(Box<Weighted>),
    Walked { cells: Vec<u32>, tables: Vec<Vec<i64>> },
}

/// The weight ∏ weightˣ/x! of the tables of a block, step by step; below zero, where chains pass at
/// a price, as if at zero.
struct Factorials<'a> {
    weights: Option<&'a [u64]>,
    cells: &'a [u32],
    scale: f64,
}

impl Factorials<'_> {
    fn log(&self, place: usize, count: i64) -> f64 {
        log_weight(self.weights, self.cells[place], count.max(0))
    }
}

/// ln weightˣ/x! of a count.
fn log_weight(weights: Option<&[u64]>, cell: u32, count: i64) -> f64 {
    let (count, weight) = (count as f64, weights.map_or(1.0, |weights| weights[cell as usize] as f64));
    (if count == 0.0 { 0.0 } else { count * weight.ln() }) - log_gamma(count + 1.0)
}

impl Target for Factorials<'_> {
    type State = ();

    fn start(&self, _: &[i64]) {}

    fn gain(&self, (): &mut (), values: &[i64], step: &[(u32, i64)], times: i64) -> f64 {
        let of = |(cell, moved): &(u32, i64)| {
            let (place, count) = (*cell as usize, values[*cell as usize]);
            self.log(place, count + times * moved) - self.log(place, count)
        };
        step.iter().map(of).sum()
    }

    fn seconds(&self) -> f64 {
        5e-7
    }

    fn scale(&self) -> f64 {
        self.scale
    }
}

/// Tables that chains keep, what they may take, and how many independent draws they must be worth.
const WALKED: u64 = 8_000;
const SECONDS: f64 = 20.0;
const FEWEST_EFFECTIVE: f64 = 400.0;

impl Under {
    /// Prepares the draws. All margins of the hypothesis are exact in the release, or `weights`
    /// replaces its own: then they describe it fully.
    ///
    /// # Errors
    /// Refused when nothing here draws such tables.
    pub(crate) fn new(release: &Release, hypothesis: &Hypothesis, weights: Option<&[u64]>) -> Result<Under, Problem> {
        let conditions = &release.conditions;
        let rank = rank_of(release)?;
        let rules = (!conditions.rules.is_empty()).then(|| Conditions { nonnegative: true, ..conditions.clone() });
        let spread = weights.or(hypothesis.weights.as_deref());
        let base = vec![0; conditions.cells];
        if let (Some(layout), None) = (&hypothesis.layout, spread)
            && layout.is_full()
            && rank == hypothesis.rank()?
        {
            let (r, c) = (layout.rows.len(), layout.columns.len());
            let of = |margin: usize, size: usize| -> Result<Vec<Vec<u64>>, Problem> {
                let totals = hypothesis.margins[margin].totals(&release.values);
                counted(totals.iter().sum())?;
                let totals: Vec<u64> = totals.into_iter().map(counted).collect::<Result<_, _>>()?;
                Ok(totals.chunks(size).map(<[u64]>::to_vec).collect())
            };
            let mut cells = vec![vec![0u32; r * c]; layout.strata.len()];
            for (cell, [stratum, row, column]) in layout.places.iter().enumerate() {
                cells[*stratum as usize][*row as usize * c + *column as usize] = cell as u32;
            }
            let parts = of(0, r)?.into_iter().zip(of(1, c)?).zip(cells);
            let parts = parts.map(|((rows, columns), cells)| BlockUnder::Paired { rows, columns, cells }).collect();
            return Ok(Under { parts, base, rules, how: How::Paired });
        }
        let whole = |grouping: &&declare::Grouping| {
            grouping.times.is_none() && grouping.groups() == rank && !grouping.group_of.contains(&NO_GROUP)
        };
        if let Some(grouping) = release.own_totals().find(whole) {
            let mut parts: Vec<(Vec<u32>, Vec<u64>)> = vec![Default::default(); grouping.groups()];
            for (cell, group) in grouping.group_of.iter().enumerate() {
                let (cells, own) = &mut parts[*group as usize];
                cells.push(cell as u32);
                own.push(spread.map_or(1, |weights| weights[cell]));
            }
            let spread = |((cells, weights), total): ((Vec<u32>, Vec<u64>), i128)| {
                let total = counted(total)?;
                if total > 0 && weights.iter().all(|weight| *weight == 0) {
                    return Err(Problem::bad(
                        "the distribution gives no weight to a group of cells whose exact total is not zero",
                    )
                    .hint("such a hypothesis is certainly false: no test is needed"));
                }
                Ok(BlockUnder::Spread { total, weights, cells })
            };
            let parts = parts.into_iter().zip(grouping.totals(&release.values)).map(spread);
            return Ok(Under { parts: parts.collect::<Result<_, Problem>>()?, base, rules, how: How::Spread });
        }
        Under::in_general(release, spread)
    }

    /// Block by block: from lists, or by messages.
    fn in_general(release: &Release, weights: Option<&[u64]>) -> Result<Under, Problem> {
        let conditions = Conditions { nonnegative: true, queries: Vec::new(), ..release.conditions.clone() };
        if conditions.pinned.iter().any(Option::is_some) {
            return Err(Problem::refused(
                "totals of the release are pinned to values that are not the table's own: what the true table has is not known",
            ));
        }
        let totals = conditions.totals(&release.values)?;
        let Analysis { blocks, fixed, particular, .. } = analyse(&conditions, &totals)?;
        let ground = Ground::new(&conditions, &particular, &fixed);
        let mut base = vec![0; conditions.cells];
        fixed.iter().for_each(|(cell, value)| base[*cell] = *value);
        let (mut how, mut walked) = (How::Listed, None);
        let mut parts = Vec::new();
        for block in &blocks {
            let fibre = Fibre::new(&conditions, &ground, &block.cells)?;
            if let Ok(listed) = fibre.listed(&SHORT)
                && let tables = listed.tables().map(<[i64]>::to_vec).collect::<Vec<Vec<i64>>>()
                && !tables.is_empty()
                && largest(&tables) <= MOST_LISTED
            {
                let sums = summed(&tables, &block.cells, weights);
                parts.push(BlockUnder::Listed { cells: block.cells.clone(), tables, sums });
                continue;
            }
            how = How::Messages;
            let network = Network::new(&conditions, &ground, &block.cells)?;
            let weigh = |cell: u32, count: i64| match count < 0 {
                true => f64::NEG_INFINITY,
                false => log_weight(weights, cell, count),
            };
            let centre = |cell: u32| release.values[cell as usize].max(0);
            if let Ok(ready) = Weighted::new(network, &centre, &weigh, &|_, _, _| 0.0, MessageLimits::ALONE) {
                parts.push(BlockUnder::Messages(Box::new(ready)));
                continue;
            }
            let mean = block.cells.iter().map(|cell| release.values[*cell as usize].max(1) as f64).sum::<f64>()
                / block.cells.len() as f64;
            let target = Factorials { weights, cells: &block.cells, scale: mean.sqrt() };
            let from: Vec<i64> = block.cells.iter().map(|cell| release.values[*cell as usize]).collect();
            let plan = chain::Plan { draws: WALKED, seed: 0x10ca1, seconds: SECONDS };
            let Visited { tables, effective, .. } = Walkable::new(&fibre, plan.seed)?.run_long(&target, &from, plan)?;
            if effective < FEWEST_EFFECTIVE {
                return Err(Problem::refused(format!(
                    "a walk among the true tables under this hypothesis is as good as {effective:.0} independent draws: too few to tell"
                ))
                .hint("a hypothesis whose margins are just the exact totals of the release can be drawn: rows, columns and strata"));
            }
            walked = Some(walked.map_or(effective, |least: f64| least.min(effective)));
            parts.push(BlockUnder::Walked { cells: block.cells.clone(), tables });
        }
        let how = walked.map_or(how, |effective| How::Walked { effective: effective as u64 });
        Ok(Under { parts, base, rules: None, how })
    }

    /// One true table.
    ///
    /// # Errors
    /// Refused when the rules of the release are almost never satisfied under the hypothesis.
    pub(crate) fn draw(&self, entropy: &mut Stream) -> Result<Vec<i64>, Problem> {
        for _ in 0..MOST_TRIES {
            let mut table = self.base.clone();
            self.parts.iter().for_each(|part| part.draw(entropy, &mut table));
            if self.rules.as_ref().is_none_or(|rules| rules.check_table(&table).is_ok()) {
                return Ok(table);
            }
        }
        Err(Problem::refused("tables under the hypothesis almost never satisfy the rules of the release")
            .hint("such a hypothesis contradicts the rules: it needs no test"))
    }
}

impl BlockUnder {
    fn draw(&self, entropy: &mut Stream, table: &mut [i64]) {
        let mut put = |cells: &[u32], values: &[i64]| {
            cells.iter().zip(values).for_each(|(cell, value)| table[*cell as usize] = *value);
        };
        let signed = |counts: Vec<u64>| counts.into_iter().map(|count| count as i64).collect::<Vec<i64>>();
        match self {
            BlockUnder::Paired { rows, columns, cells } => put(cells, &signed(urn::two_way(entropy, rows, columns))),
            BlockUnder::Spread { total, weights, cells } => {
                put(cells, &signed(urn::multinomial(entropy, *total, weights)))
            }
            BlockUnder::Listed { cells, tables, sums } => {
                let Some(all) = sums.last() else { return };
                let number = urn::below(entropy, all);
                put(cells, &tables[sums.partition_point(|sum| *sum <= number)]);
            }
            BlockUnder::Walked { cells, tables } => {
                put(cells, &tables[exact::integer::below(entropy, tables.len() as u64) as usize]);
            }
            BlockUnder::Messages(ready) => ready.draw(&mut || uniform(entropy), table),
        }
    }
}

/// The weights of listed tables as whole numbers, added up: ∏ weightˣ·n!/x!, n the largest sum of a
/// table.
fn summed(tables: &[Vec<i64>], cells: &[u32], weights: Option<&[u64]>) -> Vec<Natural> {
    let most = largest(tables);
    let mut factorials = vec![Natural::ONE];
    for number in 1..=most {
        factorials.push(&factorials[number - 1] * Natural::from(number));
    }
    let mut sum = Natural::ZERO;
    let mut weigh = |table: &Vec<i64>| {
        let below: Natural = table.iter().map(|count| factorials[*count as usize].clone()).product();
        let above = match weights {
            None => Natural::ONE,
            Some(weights) => {
                let power = |(count, cell): (&i64, &u32)| Natural::from(weights[*cell as usize]).pow(*count as usize);
                table.iter().zip(cells).map(power).product()
            }
        };
        // The product of the factorials divides the factorial of the sum, and that divides n!.
        sum += above * (&factorials[most] / below);
        sum.clone()
    };
    tables.iter().map(&mut weigh).collect()
}

/// The largest sum of a table of the list.
fn largest(tables: &[Vec<i64>]) -> usize {
    tables.iter().map(|table| table.iter().sum::<i64>().max(0) as usize).max().unwrap_or(0)
}

/// Sums of tables that are weighed in whole numbers.
const MOST_LISTED: usize = 5_000;

/// Tables of more records are not drawn: urns are counted in machine integers.
const MOST_RECORDS: u64 = 1 << 50;

fn counted(total: i128) -> Result<u64, Problem> {
    u64::try_from(total).ok().filter(|total| *total < MOST_RECORDS).ok_or_else(|| {
        Problem::refused(format!("an exact total is {total}: not one of counts, or of more than a thousand million million records, so no hypothesis about counts fits it"))
    })
}
