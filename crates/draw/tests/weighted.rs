//! Noise times a factor: the exact law of small classes and networks by every bit tape, mutants, limits, and large classes.

use analyse::{Ground, Network};
use declare::{Conditions, Footprint, Grouping, NO_GROUP, Relation, RuleRows};
use draw::{Base, CellNoise, ClassLaw, Factor, Ladder, NetworkSampler, NoiseLaw, TableNoise};
use exact::{Enclosure, Rational, Seeded, Source};
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::{TapeLaw, goodness_of_fit, tape_law};

type Law = BTreeMap<Vec<i64>, Enclosure>;

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn rising(a: &str) -> Factor {
    Factor::Rising(rational(a))
}

fn poisson(mean: &str) -> Factor {
    Factor::Poisson(rational(mean))
}

fn listed(weights: &[(i64, &str)]) -> Factor {
    Factor::Listed(weights.iter().map(|(value, weight)| (*value, rational(weight))).collect())
}

fn geometric(rate: &str) -> CellNoise {
    CellNoise::Geometric { up: rational(rate), down: rational(rate) }
}

/// A table of a few cells with noise and factors, and what must hold.
#[derive(Clone)]
struct Small {
    noise: CellNoise,
    cells: Vec<(i64, Option<Factor>)>,
    conditions: Conditions,
}

fn total(cells: usize, of: impl Fn(usize) -> bool) -> Grouping {
    let group = |cell| if of(cell) { 0 } else { NO_GROUP };
    Grouping {
        label: "total".into(),
        names: vec!["all".into()],
        group_of: (0..cells).map(group).collect(),
        times: None,
    }
}

/// Cell 2i + 1 is at most cell 2i.
fn at_most(cells: usize) -> RuleRows {
    let grouping = Grouping {
        label: "deaths at most cases".into(),
        names: (0..cells / 2).map(|pair| pair.to_string()).collect(),
        group_of: (0..cells).map(|cell| cell as u32 / 2).collect(),
        times: Some((0..cells).map(|cell| if cell % 2 == 1 { 1 } else { -1 }).collect()),
    };
    RuleRows { grouping, relation: Relation::AtMost, bound: 0 }
}

fn conditions(cells: usize, invariants: Vec<Grouping>, rules: Vec<RuleRows>) -> Conditions {
    let pinned = vec![None; invariants.len()];
    let footprint = Footprint::OneCell;
    Conditions { cells, invariants, pinned, rules, queries: Vec::new(), nonnegative: true, footprint }
}

impl Small {
    /// All cells in one total.
    fn one_total(noise: CellNoise, cells: &[(i64, Option<Factor>)]) -> Small {
        let conditions = conditions(cells.len(), vec![total(cells.len(), |_| true)], Vec::new());
        Small { noise, cells: cells.to_vec(), conditions }
    }

    /// Pairs with a rule each; the first of all pairs in a total.
    fn pairs(noise: CellNoise, cells: &[(i64, Option<Factor>)]) -> Small {
        let count = cells.len();
        let conditions = conditions(count, vec![total(count, |cell| cell % 2 == 0)], vec![at_most(count)]);
        Small { noise, cells: cells.to_vec(), conditions }
    }

    fn table(&self) -> Vec<i64> {
        self.cells.iter().map(|(x, _)| *x).collect()
    }

    fn weight(&self, values: &[i64]) -> Enclosure {
        let (mut exponent, mut weight) = (Rational::integer(0), Rational::integer(1));
        for ((x, factor), y) in self.cells.iter().zip(values) {
            let distance = Rational::integer((y - x).abs());
            exponent = &exponent
                + &match &self.noise {
                    CellNoise::Geometric { up, .. } => up * &distance,
                    CellNoise::Gaussian { variance } => &(&distance * &distance) / &(variance + variance),
                    CellNoise::Flat => Rational::integer(0),
                };
            if let Some(factor) = factor {
                weight = &weight * &factor.weight(*y);
            }
        }
        &Enclosure::exp_rational(&-exponent, 200) * &Enclosure::from_rational(&weight, 200)
    }

    /// All tables that keep everything, none of whose counts is above `most`, with their probabilities.
    fn enumerated(&self, most: i64) -> Law {
        let (table, cells) = (self.table(), self.cells.len());
        let totals = self.conditions.totals(&table).unwrap();
        let mut tables: Vec<Vec<i64>> = vec![Vec::new()];
        for _ in 0..cells {
            tables = tables
                .into_iter()
                .flat_map(|start| (0..=most).map(move |y| start.iter().copied().chain([y]).collect()))
                .collect();
        }
        tables.retain(|values| {
            self.conditions.totals(values).unwrap() == totals && self.conditions.check_table(values).is_ok()
        });
        let weights: Vec<Enclosure> = tables.iter().map(|values| self.weight(values)).collect();
        let whole = weights.iter().fold(Enclosure::from_integer(0, 200), |sum, weight| &sum + weight);
        tables.into_iter().zip(weights).map(|(values, weight)| (values, weight.checked_div(&whole).unwrap())).collect()
    }

    fn law(&self) -> NoiseLaw {
        let law = match &self.noise {
            CellNoise::Gaussian { variance } => NoiseLaw::discrete_gaussian(variance.clone()),
            CellNoise::Geometric { up, .. } => NoiseLaw::double_geometric(up.clone()),
            CellNoise::Flat => unreachable!("networks have noise"),
        };
        let mut factors = Vec::new();
        let mut numbered = |factor: &Option<Factor>| {
            factor.clone().map(|factor| {
                factors.push(factor);
                factors.len() as u32 - 1
            })
        };
        let of_cell = self.cells.iter().map(|(_, factor)| numbered(factor)).collect();
        law.weighted_by(Base::new(factors, of_cell, "a test".into()))
    }

    fn network(&self) -> Network {
        let table = self.table();
        let particular: Vec<(usize, Rational)> = table.iter().map(|x| Rational::integer(*x)).enumerate().collect();
        let ground = Ground::new(&self.conditions, &particular, &[]);
        let cells: Vec<u32> = (0..self.cells.len() as u32).collect();
        Network::new(&self.conditions, &ground, &cells).unwrap()
    }

    fn tapes(&self, ladder: Ladder, depth: u32) -> TapeLaw<Vec<i64>> {
        let (network, law) = (self.network(), self.law());
        let sampler = NetworkSampler::new(&network, TableNoise::from(&law), &self.table(), ladder).unwrap();
        tape_law(depth, |tape| {
            let mut values = vec![0; self.cells.len()];
            sampler.draw(tape, &mut values).unwrap();
            values
        })
    }
}

fn agrees(law: &TapeLaw<Vec<i64>>, claim: &Law) -> Result<(), String> {
    law.agrees_with(|values| claim.get(values).cloned().unwrap_or_else(|| Enclosure::from_integer(0, 200)))
}

/// Every base on two to four cells.
fn tables() -> Vec<(Small, i64)> {
    let two_peaks = || Some(rising("1/200"));
    let gaussian = || CellNoise::Gaussian { variance: rational("2") };
    vec![
        (Small::one_total(geometric("1/2"), &[(4, two_peaks()), (2, two_peaks())]), 6),
        (Small::one_total(geometric("1/8"), &[(5, two_peaks()), (1, two_peaks()), (0, two_peaks())]), 6),
        (Small::one_total(geometric("1/2"), &[(2, Some(rising("5/2"))), (1, None), (1, two_peaks())]), 4),
        (Small::one_total(geometric("1"), &[(1, Some(poisson("3"))), (2, Some(poisson("1/2"))), (1, None)]), 4),
        (Small::one_total(geometric("1/3"), &[(2, Some(listed(&[(0, "0"), (1, "7/2"), (3, "0")]))), (2, None)]), 4),
        (Small::one_total(geometric("1"), &[(1, Some(rising("0"))), (1, Some(rising("1"))), (1, None)]), 3),
        (Small::one_total(gaussian(), &[(3, two_peaks()), (0, Some(rising("3"))), (1, None)]), 4),
        (Small::one_total(geometric("2"), &[(1, two_peaks()), (1, None), (1, two_peaks()), (0, two_peaks())]), 3),
        // Drawn far above what the total leaves.
        (Small::one_total(geometric("1/8"), &[(3, Some(rising("400"))), (2, Some(rising("90")))]), 5),
        // Deaths at most cases, cases weighted, the total of the cases exact.
        (Small::pairs(geometric("1/2"), &[(3, two_peaks()), (1, None), (1, two_peaks()), (0, None)]), 4),
        (Small::pairs(geometric("1"), &[(2, Some(rising("7/2"))), (2, None), (2, two_peaks()), (1, None)]), 4),
        (Small::pairs(geometric("1"), &[(2, None), (1, Some(listed(&[(0, "1/9"), (2, "4")])))]), 2),
    ]
}

#[test]
fn every_table_has_its_probability() {
    for (number, (small, most)) in tables().into_iter().enumerate() {
        let claim = small.enumerated(most);
        for ladder in [Ladder::Standard, Ladder::Coarse] {
            let law = small.tapes(ladder, 17);
            agrees(&law, &claim).unwrap_or_else(|error| panic!("{number} {ladder:?}: {error}"));
            assert!(law.unresolved_share() < 0.03, "{number} {ladder:?}: {}", law.unresolved_share());
        }
    }
}

#[test]
fn free_cells_with_a_factor_have_their_law() {
    // No total: values are far from likely above 60, so that the claim is off by less than e^{−50}.
    let cells = [(3, Some(rising("1/200"))), (0, Some(poisson("2")))];
    let small = Small { noise: geometric("1"), cells: cells.to_vec(), conditions: conditions(2, vec![], vec![]) };
    let claim = small.enumerated(60);
    let law = small.tapes(Ladder::Standard, 16);
    agrees(&law, &claim).unwrap();
    let bounded = Small { cells: vec![cells[0].clone()], conditions: conditions(1, vec![], vec![]), ..small };
    agrees(&bounded.tapes(Ladder::Coarse, 14), &bounded.enumerated(60)).unwrap();
}

#[test]
fn mutants_are_rejected() {
    let (x, public) = ([4i64, 2], ["0", "3"]);
    let shape = |public: &str, add: &str| &(&rational(public) + &rational(add)) * &rational("1/10");
    let of = |add: &str| {
        let cells: Vec<(i64, Option<Factor>)> =
            x.iter().zip(public).map(|(x, public)| (*x, Some(Factor::Rising(shape(public, add))))).collect();
        Small::one_total(geometric("1/2"), &cells)
    };
    let small = of("1/2");
    let law = small.tapes(Ladder::Standard, 18);
    let truth = small.enumerated(6);
    agrees(&law, &truth).unwrap();
    // α·X without `add`, and another `add`.
    assert!(agrees(&law, &of("0").enumerated(6)).is_err());
    assert!(agrees(&law, &of("3/5").enumerated(6)).is_err());
    // Γ(y) for Γ(y + 1): the printed (41), which gives every zero no weight.
    let printed = |values: &Vec<i64>| {
        let gamma = values.iter().fold(Rational::integer(1), |product, y| &product * &Rational::integer(*y));
        &small.weight(values) * &Enclosure::from_rational(&gamma, 200)
    };
    let whole = truth.keys().fold(Enclosure::from_integer(0, 200), |sum, values| &sum + &printed(values));
    let claim = truth.keys().map(|values| (values.clone(), printed(values).checked_div(&whole).unwrap())).collect();
    assert!(agrees(&law, &claim).is_err());
    // A window around one peak: from the valley down, nothing.
    let kept = truth.iter().filter(|(values, _)| values[0] >= 1);
    let whole = kept.clone().fold(Enclosure::from_integer(0, 200), |sum, (_, share)| &sum + share);
    let claim = kept.map(|(values, share)| (values.clone(), share.checked_div(&whole).unwrap())).collect();
    assert!(agrees(&law, &claim).is_err());
    // Another scale.
    let scaled = Small { noise: geometric("21/40"), ..small.clone() };
    assert!(agrees(&law, &scaled.enumerated(6)).is_err());
}

#[test]
fn almost_without_noise_it_is_the_dirichlet_multinomial_itself() {
    let public = [0i64, 7, 2, 30];
    let shapes: Vec<Rational> =
        public.iter().map(|x| &(&Rational::integer(*x) + &rational("1/2")) * &rational("1/10")).collect();
    let factors: Vec<Factor> = shapes.iter().cloned().map(Factor::Rising).collect();
    let sum = 12;
    let cells = [9i64, 1, 0, 2].into_iter().zip((0..4).map(Some)).collect();
    let noise = geometric("1/1000000");
    let law = ClassLaw::weighted(noise, (Some(0), None), cells, Arc::from(factors.clone()), Ladder::Standard);
    // A single cell is Pólya–Eggenberger: C(n, y)·a^(y)·(A − a)^(n − y)/A^(n), rising factorials.
    let whole = shapes.iter().fold(Rational::integer(0), |sum, shape| &sum + shape);
    for (cell, factor) in factors.iter().enumerate() {
        let others = Factor::Rising(&whole - &shapes[cell]);
        let normaliser = Factor::Rising(whole.clone()).weight(sum);
        let marginal = law.marginal(sum, cell);
        assert_eq!(marginal.len(), sum as usize + 1);
        for (y, found) in marginal {
            let truth = &(&factor.weight(y) * &others.weight(sum - y)) / &normaliser;
            let error = (found - truth.to_f64()).abs() / truth.to_f64();
            assert!(error < 1e-4, "{cell} {y}: {found} {truth}");
        }
    }
    // With noise it is another law.
    let cells = [9i64, 1, 0, 2].into_iter().zip((0..4).map(Some)).collect();
    let noisy = ClassLaw::weighted(geometric("1"), (Some(0), None), cells, factors.into(), Ladder::Standard);
    assert!(noisy.marginal(sum, 0)[9].1 > 2.0 * law.marginal(sum, 0)[9].1);
}

/// Counts and public counts of many cells.
fn many(cells: usize) -> (Vec<i64>, Vec<Factor>) {
    let x: Vec<i64> = (0..cells as i64).map(|cell| (cell * 7919) % 41).collect();
    let shape = |x: &i64| Factor::Rising(Rational::new(2 * ((x * 3) % 37) + 1, 20u8));
    let factors = x.iter().map(shape).collect();
    (x, factors)
}

#[test]
fn large_classes_have_the_marginals_of_their_cells() {
    let (x, factors) = many(1_500);
    let cells: Vec<(i64, Option<u32>)> = x.iter().copied().zip((0..).map(Some)).collect();
    let sum: i64 = x.iter().sum();
    let law = ClassLaw::weighted(geometric("1/4"), (Some(0), None), cells, factors.into(), Ladder::Standard);
    let asked = [0usize, 1, 77, 1_400];
    let marginals: Vec<Vec<(i64, f64)>> = asked.iter().map(|cell| law.marginal(sum, *cell)).collect();
    let mut counts: Vec<Vec<u64>> = marginals.iter().map(|marginal| vec![0; marginal.len()]).collect();
    let mut entropy = Seeded::new(21).stream(0).unwrap();
    let mut values = vec![0; x.len()];
    let draws = 3_000;
    for _ in 0..draws {
        law.split(&mut entropy, sum, &mut values);
        assert!(values.iter().sum::<i64>() == sum && values.iter().all(|value| *value >= 0));
        for ((cell, marginal), counts) in asked.iter().zip(&marginals).zip(&mut counts) {
            let place = marginal.iter().position(|(value, _)| *value == values[*cell]).unwrap();
            counts[place] += 1;
        }
    }
    // Four cells: family-wise level 0.0004.
    for ((cell, marginal), counts) in asked.iter().zip(&marginals).zip(&counts) {
        let shares: Vec<f64> = marginal.iter().map(|(_, share)| *share).collect();
        let fit = goodness_of_fit(counts, &shares, draws).p_value;
        assert!(fit > 1e-4, "{cell}: {fit}");
        let shifted: Vec<f64> = shares.iter().skip(1).copied().chain([0.0]).collect();
        assert!(goodness_of_fit(counts, &shifted, draws).p_value < 1e-6);
    }
}

#[test]
fn readings_agree_with_enumeration() {
    for (number, (small, most)) in tables().into_iter().enumerate() {
        let claim = small.enumerated(most);
        let (network, law) = (small.network(), small.law());
        let sampler = NetworkSampler::new(&network, TableNoise::from(&law), &small.table(), Ladder::Standard).unwrap();
        let quantities = sampler.quantities().unwrap();
        let whole: f64 = claim.keys().map(|values| small.weight(values).to_f64()).sum();
        let found = quantities.log_normaliser;
        assert!((found - whole.ln()).abs() < 1e-9, "{number}: {found} {}", whole.ln());
        for (cell, found) in &quantities.cells {
            for value in 0..=most {
                let of_value = claim.iter().filter(|(values, _)| values[*cell as usize] == value);
                let truth: f64 = of_value.map(|(_, share)| share.to_f64()).sum();
                assert!((found.probability(value) - truth).abs() < 1e-11, "{cell} {value}");
            }
        }
        assert!(sampler.has_table());
    }
}

#[test]
fn weights_that_leave_no_table_are_found() {
    let odd = || Some(listed(&[(1, "0"), (3, "0"), (5, "0")]));
    let none = Small::one_total(geometric("1"), &[(3, odd()), (2, odd())]);
    let (network, law) = (none.network(), none.law());
    let around = |table: &[i64]| {
        NetworkSampler::new(&network, TableNoise::from(&law), table, Ladder::Standard).unwrap().has_table()
    };
    assert!(!around(&[3, 2]) && !around(&[0, 0]));
    let some = Small::one_total(geometric("1"), &[(3, odd()), (1, odd())]);
    let (network, law) = (some.network(), some.law());
    assert!(NetworkSampler::new(&network, TableNoise::from(&law), &[0, 0], Ladder::Standard).unwrap().has_table());
}
