//! Intervals of queries of a release without bounds: the query of the released table, minus
//! quantiles of the query of the noise.
//!
//! Released minus true table is noise with one known law, so the interval covers the true value
//! with at least its level whatever the table (`proofs/location.md`); it is at once the credible
//! interval under the flat prior.

use crate::field::Field;
use crate::query::Query;
use crate::rank;
use crate::release::{Known, Release, distance};
use crate::sums::Sums;
use declare::Problem;
use draw::Law;
use rayon::prelude::*;

/// How an interval was found: never a number without its kind.
#[derive(Debug, Clone, PartialEq)]
pub enum How {
    /// From the law of the noise itself, to about twelve digits.
    Exact,
    /// By rank among so many fresh draws of the noise: coverage is exact for that number.
    Rank {
        /// The draws.
        draws: u64,
    },
    /// By rank, where the release and the fresh draws come from a walk within this distance of its
    /// law.
    Walked {
        /// The draws.
        draws: u64,
        /// The distance.
        distance: f64,
    },
}

impl How {
    /// By rank among so many draws, which a walk may have made.
    pub(crate) fn by_rank(draws: u64, walked: Option<f64>) -> How {
        walked.map_or(How::Rank { draws }, |distance| How::Walked { draws, distance })
    }

    /// In a few words.
    pub fn in_words(&self) -> String {
        match self {
            How::Exact => "exact law of the noise".to_string(),
            How::Rank { draws } => {
                format!("rank among {draws} fresh exact draws of the noise: coverage holds for every number of draws")
            }
            How::Walked { draws, distance } => format!(
                "rank among {draws} fresh draws by the walk of the release, which is within {distance} of its law (evidence, not proof)"
            ),
        }
    }

    /// The word for scripts.
    pub fn name(&self) -> &'static str {
        match self {
            How::Exact => "exact",
            How::Rank { .. } => "rank",
            How::Walked { .. } => "walked",
        }
    }
}

/// What a release tells of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// The query's name.
    pub name: String,
    /// Its value in the released table.
    pub released: i128,
    /// How far the noise reaches with at least the level's probability: the interval is released ±
    /// reach.
    pub reach: u64,
    /// The standard deviation of the noise, where its law is listed.
    pub deviation: Option<f64>,
    /// How it was found.
    pub how: How,
}

impl Interval {
    /// The lower end.
    pub fn lower(&self) -> i128 {
        self.released - i128::from(self.reach)
    }

    /// The upper end.
    pub fn upper(&self) -> i128 {
        self.released + i128::from(self.reach)
    }
}

/// How intervals are asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    /// The probability with which an interval covers.
    pub level: f64,
    /// The fresh draws where a law is not listed.
    pub draws: u64,
    /// The seed of these draws.
    pub seed: u64,
}

impl Asked {
    /// Checks the level.
    ///
    /// # Errors
    /// Bad when it is no probability between 0 and 1.
    pub fn new(level: f64, draws: u64, seed: u64) -> Result<Asked, Problem> {
        match level > 0.0 && level < 1.0 {
            true => Ok(Asked { level, draws, seed }),
            false => Err(Problem::bad(format!("a level lies between 0 and 1, and {level} does not"))
                .hint("--level 0.9 asks for intervals that cover with a probability of at least 90 %")),
        }
    }
}

/// The least reach that a centred law stays within with at least this probability.
pub fn reach_of(law: &Law, centre: i64, level: f64) -> u64 {
    let mut mass = law.probability(centre);
    let end = law.first + law.probabilities.len() as i64;
    let farthest = (centre - law.first).unsigned_abs().max((end - centre).unsigned_abs());
    for reach in 0..=farthest {
        // A level that is met exactly must not be missed by a rounding.
        if mass >= level - 1e-12 {
            return reach;
        }
        let next = reach as i64 + 1;
        mass += law.probability(centre + next) + law.probability(centre - next);
    }
    farthest
}

/// Intervals of all queries.
///
/// # Errors
/// Refused when the law of the noise depends on the table or is not known.
pub fn intervals(release: &Release, queries: &[Query], asked: Asked) -> Result<Vec<Interval>, Problem> {
    check_free(release)?;
    let field = Field::of_release(release)?;
    intervals_of(release, &field, queries, asked)
}

/// Asks a field that is ready.
pub(crate) fn intervals_of(
    release: &Release,
    field: &Field,
    queries: &[Query],
    asked: Asked,
) -> Result<Vec<Interval>, Problem> {
    let walked = distance(std::slice::from_ref(release));
    let sums = Sums::new(field);
    let list = |query: &Query| {
        let law = sums.law(query)?;
        let own = i64::try_from(query.value(&field.centre)).ok()?;
        Some((reach_of(&law, own, asked.level), law.variance().sqrt()))
    };
    let listed: Vec<Option<(u64, f64)>> = queries.par_iter().map(list).collect();
    let missing = queries.iter().zip(&listed).filter(|(_, law)| law.is_none());
    let missing: Vec<&Query> = missing.map(|(query, _)| query).collect();
    let draws = affordable(field, asked, walked.is_some());
    let (reaches, draws) = rank::reaches(field, &missing, asked.level, draws, asked.seed)?;
    let mut reaches = reaches.into_iter();
    let interval = |(query, listed): (&Query, Option<(u64, f64)>)| {
        let (reach, deviation, how) = match listed {
            Some((reach, deviation)) => (reach, Some(deviation), How::Exact),
            None => (reaches.next().unwrap_or(u64::MAX), None, How::by_rank(draws, walked)),
        };
        Interval { name: query.name.clone(), released: query.value(&release.values), reach, deviation, how }
    };
    Ok(queries.iter().zip(listed).map(interval).collect())
}

/// All draws together may be predicted to take so long; a walk gets as many as tell a reach well
/// enough.
const MOST_SECONDS: f64 = 60.0;
const WALKED: u64 = 999;

/// How many fresh draws are made: fewer than asked for where they take long. Coverage is exact for
/// every number.
fn affordable(field: &Field, asked: Asked, walked: bool) -> u64 {
    let most = (MOST_SECONDS / field.seconds().max(1e-9)) as u64;
    let draws = asked.draws.min(if walked { most.min(WALKED) } else { most }).max(asked.draws.min(99));
    // One less than a multiple of ten loses nothing at the usual levels.
    if draws >= 19 { (draws + 1) / 10 * 10 - 1 } else { draws }
}

/// Refuses intervals where quantiles of the noise alone would not cover.
///
/// # Errors
/// Refused when bounds, rules or pins bind the release, or when its law is not known.
pub fn check_free(release: &Release) -> Result<(), Problem> {
    release.check_law()?;
    match &release.known {
        Known::Bounded { because } | Known::Estimated { because: Some(because), .. } => Err(Problem::refused(format!(
            "how far noise moves a figure depends on the true table here, because {because}: an interval from the noise alone would \
             not cover as it says"
        ))
        .hint("ask for a posterior, which knows of the bounds: --posterior")),
        _ => Ok(()),
    }
}
