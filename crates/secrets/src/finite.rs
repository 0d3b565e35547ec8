//! Families of laws that are listed: worlds, each with its table, its secret and its probability.

use crate::transport::bottleneck;
use declare::{MOST_WORLDS, Problem};
use exact::Rational;
use std::collections::BTreeMap;

/// One world of one law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct World {
    /// Which law of the family.
    pub law: String,
    /// The answer to what is secret.
    pub secret: String,
    /// Its table, cell by cell.
    pub counts: Vec<i64>,
    /// Its probability, up to a factor of its law.
    pub probability: Rational,
}

/// How far two tables are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The sum of the differences of their cells.
    L1,
    /// The sum of the squared differences.
    SquaredL2,
}

impl Measure {
    fn between(self, one: &[i64], two: &[i64]) -> u64 {
        let differences = one.iter().zip(two).map(|(here, there)| here.abs_diff(*there));
        let parts = differences.map(|apart| match self {
            Measure::L1 => apart,
            Measure::SquaredL2 => apart.saturating_mul(apart),
        });
        parts.fold(0, u64::saturating_add)
    }
}

/// Where a family is widest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apart {
    /// The distance, as it was measured.
    pub distance: u64,
    /// The law, and the two answers.
    pub law: String,
    /// One answer and the other.
    pub secrets: (String, String),
}

/// A family of finite laws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finite {
    /// By law and secret: tables and probabilities that add up to one.
    laws: BTreeMap<String, BTreeMap<String, Given>>,
}

/// The law of the table given a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Given {
    tables: Vec<Vec<i64>>,
    shares: Vec<Rational>,
}

impl Finite {
    /// A family from its worlds; equal tables of one law and secret add up.
    ///
    /// # Errors
    /// Bad when there are no worlds or too many, a probability is negative, tables differ in size,
    /// or a secret has no probability.
    pub fn new(worlds: Vec<World>) -> Result<Finite, Problem> {
        let Some(cells) = worlds.first().map(|world| world.counts.len()) else {
            return Err(Problem::bad("a family without worlds says nothing"));
        };
        let mut sums: BTreeMap<String, BTreeMap<String, BTreeMap<Vec<i64>, Rational>>> = BTreeMap::new();
        for (number, world) in worlds.into_iter().enumerate() {
            if world.probability.is_negative() {
                return Err(Problem::bad(format!("world {} has a negative probability", number + 1)));
            }
            if world.counts.len() != cells {
                return Err(Problem::bad(format!(
                    "world {} has {} cells where the first has {cells}",
                    number + 1,
                    world.counts.len()
                )));
            }
            let secrets = sums.entry(world.law).or_default().entry(world.secret).or_default();
            let sum = secrets.entry(world.counts).or_insert_with(|| Rational::integer(0));
            *sum = &*sum + &world.probability;
        }
        let given = |law: &str, secret: &str, tables: BTreeMap<Vec<i64>, Rational>| -> Result<Given, Problem> {
            if tables.len() > MOST_WORLDS {
                return Err(Problem::refused(format!("more than {MOST_WORLDS} tables have the secret `{secret}`")));
            }
            let sum = tables.values().fold(Rational::integer(0), |sum, share| &sum + share);
            let Some(scale) = sum.reciprocal() else {
                return Err(Problem::bad(format!("the secret `{secret}` of law `{law}` has no probability"))
                    .hint("leave it out: nothing can be said of what never happens"));
            };
            let kept = tables.into_iter().filter(|(_, share)| !share.is_zero());
            let (tables, shares) = kept.map(|(table, share)| (table, &share * &scale)).unzip();
            Ok(Given { tables, shares })
        };
        let laws = sums.into_iter().map(|(law, secrets)| {
            let of_law =
                secrets.into_iter().map(|(secret, tables)| Ok((secret.clone(), given(&law, &secret, tables)?)));
            Ok((law.clone(), of_law.collect::<Result<_, Problem>>()?))
        });
        Ok(Finite { laws: laws.collect::<Result<_, Problem>>()? })
    }

    /// Every table that some world has.
    pub fn tables(&self) -> impl Iterator<Item = &[i64]> {
        self.laws.values().flat_map(BTreeMap::values).flat_map(|given| given.tables.iter().map(Vec::as_slice))
    }

    /// The widest pair of answers of any law; `None` where no law has two answers.
    pub fn widest(&self, measure: Measure) -> Option<Apart> {
        let mut widest: Option<Apart> = None;
        for (law, secrets) in &self.laws {
            let secrets: Vec<(&String, &Given)> = secrets.iter().collect();
            for (place, (name, one)) in secrets.iter().enumerate() {
                for (other, two) in &secrets[..place] {
                    let between = |from: usize, to: usize| measure.between(&one.tables[from], &two.tables[to]);
                    let Some(distance) = bottleneck(&one.shares, &two.shares, between) else { continue };
                    if widest.as_ref().is_none_or(|widest| distance > widest.distance) {
                        let secrets = ((*other).clone(), (*name).clone());
                        widest = Some(Apart { distance, law: law.clone(), secrets });
                    }
                }
            }
        }
        widest
    }
}
