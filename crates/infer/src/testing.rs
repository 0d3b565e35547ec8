//! Tests that know the noise: p-values from a release alone, exact where its exact totals are what
//! the hypothesis needs.
//!
//! ```text
//! hypothesis.rs   what is said of the true table, and whether the release tells exactly what it leaves open
//! under.rs        true tables under it: x, drawn from random bits
//! statistic.rs    one number of a released table
//! approximate.rs  where parameters are left: bootstrap and posterior predictive tables
//! equality.rs     whether two releases are of one true table
//! chi_square.rs   the usual law, which takes noise for data, for comparison
//! ```
//!
//! Draw a true table x under the hypothesis, release it by the plan, compute the statistic T; do
//! that N times. If the hypothesis is true the release is one more such draw, so p = (1 + #{T ≥
//! t})/(N + 1) is at most α with probability at most α, for every N and every α, whatever the
//! noise, the bounds and the statistic are. Proof: `proofs/exact-tests.md`.

mod approximate;
pub mod chi_square;
mod equality;
mod hypothesis;
mod statistic;
mod under;

use crate::field::Field;
use crate::pick::stream;
use crate::release::{Known, Release};
use approximate::Replicas;
use declare::Problem;
use exact::Seeded;
use exact::attention::look;
use rayon::prelude::*;
use statistic::Ready;
use under::Under;

pub use approximate::Approximation;
pub use equality::test_equality;
pub use hypothesis::{Association, Hypothesis};
pub use statistic::Statistic;

/// How a test is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// How many fresh releases are made.
    pub draws: u64,
    /// The seed of all of them.
    pub seed: u64,
    /// The p-value at or below which the hypothesis is rejected.
    pub significance: f64,
    /// What is done where margins are not exact; nothing: such a test is refused.
    pub approximation: Option<Approximation>,
}

/// The draws of a test unless another number is asked for.
pub const TEST_DRAWS: u64 = 9_999;
/// Draws that may be predicted to take longer are refused.
const LONGEST_SECONDS: f64 = 3.0 * 3600.0;

impl Trial {
    /// Checked.
    ///
    /// # Errors
    /// Bad when no p-value of so many draws could reach the significance.
    pub fn new(
        draws: u64,
        seed: u64,
        significance: f64,
        approximation: Option<Approximation>,
    ) -> Result<Trial, Problem> {
        if !(significance > 0.0 && significance < 1.0) {
            return Err(Problem::bad(format!("a significance is between 0 and 1, not {significance}"))
                .hint("--significance 0.05"));
        }
        let fewest = (1.0 / significance - 1e-9).ceil() as u64 - 1;
        if draws < fewest.max(1) {
            return Err(Problem::bad(format!(
                "with {draws} draws a p-value is at least 1/{}, which is above {significance}: nothing could be rejected",
                draws.saturating_add(1)
            ))
            .hint(format!("--draws {} or more", fewest.max(1))));
        }
        Ok(Trial { draws, seed, significance, approximation })
    }
}

/// What a test found.
#[derive(Debug, Clone, PartialEq)]
pub struct Tested {
    /// The word for the test.
    pub test: &'static str,
    /// What is tested, in words.
    pub hypothesis: String,
    /// The word for the statistic.
    pub statistic: &'static str,
    /// Its value in the release.
    pub value: f64,
    /// How many fresh releases have at least this value.
    pub at_least: u64,
    /// How many there are.
    pub draws: u64,
    /// (1 + at_least)/(1 + draws).
    pub p_value: f64,
    /// The value of the statistic above which the hypothesis is rejected, by these draws.
    pub critical: Option<f64>,
    /// The significance.
    pub significance: f64,
    /// Whether the p-value is valid whatever the true table is.
    pub exact: bool,
    /// The usual chi-square test on the release: degrees of freedom and p-value. It takes the noise
    /// for data.
    pub naive: Option<(f64, f64)>,
    /// What the p-value stands on, in sentences.
    pub basis: Vec<String>,
}

impl Tested {
    /// Whether the hypothesis is rejected.
    pub fn rejected(&self) -> bool {
        self.p_value <= self.significance + 1e-12
    }
}

/// Tests a hypothesis about the true table of a release.
///
/// # Errors
/// Refused when the law of the release is not known, or when margins are not exact and no
/// approximation is asked for; bad when the statistic does not fit.
pub fn test(
    release: &Release,
    hypothesis: &Hypothesis,
    statistic: &Statistic,
    trial: Trial,
) -> Result<Tested, Problem> {
    let field = Field::of_release(release)?;
    check_time(&field, trial)?;
    let missing = hypothesis.inexact(release)?;
    let (exact, replicas) = match (missing.is_empty(), trial.approximation) {
        (true, _) => (true, Replicas::Exact(Under::new(release, hypothesis, None)?)),
        (false, Some(approximation)) => (false, Replicas::new(release, hypothesis, approximation, trial)?),
        (false, None) => return Err(not_exact(&missing, hypothesis)),
    };
    let ready = Ready::new(release, &field, hypothesis, statistic, replicas.under(), exact, trial.seed)?;
    let fresh = Fresh::new(release, &field)?;
    let mut basis = vec![format!("hypothesis: {}", hypothesis.words), replicas.in_words()];
    basis.extend(hypothesis.empty_strata(release).filter(|_| exact));
    let own = ready.value(&release.values);
    let values = values(trial, &|draw| {
        let truth = replicas.draw(&mut stream(trial.seed ^ TRUTHS, draw)?, draw)?;
        Ok(ready.value(&fresh.release(truth, &Seeded::draw(trial.seed, draw))?))
    })?;
    if let Statistic::LikelihoodRatio = statistic {
        basis.push(
            "the marginal likelihood of a release is its mean over fixed tables under the hypothesis, the same for all releases; against a \
             flat alternative, under which every release is as likely"
                .into(),
        );
    }
    let naive = ready.freedom().map(|freedom| (freedom, chi_square::above(own, freedom)));
    let mut tested = conclude(hypothesis.name, hypothesis.words.clone(), statistic.name(), own, values, trial, naive);
    tested.exact = exact && replicas.is_exact();
    tested.basis = basis;
    tested.tell_validity(exact, replicas.is_exact(), &release.known);
    Ok(tested)
}

/// The statistics of fresh releases: of true tables under an exact hypothesis, or of one true table
/// that is given, with the same exact totals. For studies of size and power; the draws are those of
/// [`test()`].
///
/// # Errors
/// As [`test()`], and bad when the table that is given has other exact totals.
pub fn statistics(
    release: &Release,
    hypothesis: &Hypothesis,
    statistic: &Statistic,
    truth: Option<&[i64]>,
    trial: Trial,
) -> Result<Vec<f64>, Problem> {
    let field = Field::of_release(release)?;
    let missing = hypothesis.inexact(release)?;
    if !missing.is_empty() {
        return Err(not_exact(&missing, hypothesis));
    }
    let conditions = &release.conditions;
    if truth.is_some_and(|truth| conditions.totals(truth).ok() != conditions.totals(&release.values).ok()) {
        return Err(Problem::bad("the table has other exact totals than the release"));
    }
    let under = Under::new(release, hypothesis, None)?;
    let ready = Ready::new(release, &field, hypothesis, statistic, &under, true, trial.seed)?;
    let fresh = Fresh::new(release, &field)?;
    values(trial, &|draw| {
        let table = match truth {
            Some(truth) => truth.to_vec(),
            None => under.draw(&mut stream(trial.seed ^ TRUTHS, draw)?)?,
        };
        Ok(ready.value(&fresh.release(table, &Seeded::draw(trial.seed, draw))?))
    })
}

/// What separates the bits of true tables from those of noise.
const TRUTHS: u64 = 0x7a11_7ab1e;

/// The statistics of all fresh releases.
fn values(trial: Trial, one: &(dyn Fn(u64) -> Result<f64, Problem> + Sync)) -> Result<Vec<f64>, Problem> {
    (0..trial.draws).into_par_iter().inspect(|_| look()).map(one).collect()
}

/// From statistics to a p-value.
fn conclude(
    test: &'static str,
    words: String,
    statistic: &'static str,
    value: f64,
    mut values: Vec<f64>,
    trial: Trial,
    naive: Option<(f64, f64)>,
) -> Tested {
    let draws = values.len() as u64;
    let at_least = values.iter().filter(|other| **other >= value).count() as u64;
    values.sort_unstable_by(f64::total_cmp);
    // The largest k with (1 + k)/(N + 1) at most the significance: more draws at or above than that
    // are no rejection.
    let most = ((draws + 1) as f64 * trial.significance + 1e-9).floor() as u64;
    let critical =
        most.checked_sub(1).and_then(|most| values.len().checked_sub(most as usize + 1)).map(|at| values[at]);
    Tested {
        test,
        hypothesis: words,
        statistic,
        value,
        at_least,
        draws,
        p_value: (1 + at_least) as f64 / (1 + draws) as f64,
        critical,
        significance: trial.significance,
        exact: true,
        naive,
        basis: Vec::new(),
    }
}

impl Tested {
    /// What the p-value is worth, in words.
    fn tell_validity(&mut self, margins: bool, drawn: bool, known: &Known) {
        if let Known::Estimated { distance, .. } = known {
            self.exact = false;
            self.basis.push(format!(
                "a walk drew the release: within {distance} of its law as coupled chains say, by which the level may be off; evidence, not proof"
            ));
        }
        self.basis.push(match (self.exact, margins) {
            (true, _) => format!(
                "exact: fresh releases are made of tables under the hypothesis by the plan of the release; p = (1 + {})/(1 + {}) is valid for \
                 every number of draws",
                self.at_least, self.draws
            ),
            (false, true) if !drawn => "not exact: valid up to how well the true tables are drawn".into(),
            (false, true) => "not exact: valid up to the distance of the walk".into(),
            (false, false) => "approximate: parameters of the hypothesis are estimated; docs/infer.md has the measured size".into(),
        });
        if let Some((freedom, p)) = self.naive {
            self.basis.push(format!(
                "not valid: the usual chi-square test takes the noise for data and would say p = {} ({freedom} {} of freedom)",
                shown(p),
                if freedom == 1.0 { "degree" } else { "degrees" }
            ));
        }
        let (percent, verdict) =
            (shown(100.0 * self.significance), if self.rejected() { "rejected" } else { "not rejected" });
        self.basis.push(format!("verdict: {verdict} at {percent} %, p = {}", shown(self.p_value)));
    }
}

/// A number with four digits that count.
fn shown(number: f64) -> String {
    match number {
        0.0 => "0".into(),
        number if number < 5e-5 => format!("{number:.1e}"),
        number => {
            let text = format!("{number:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    }
}

fn not_exact(missing: &[String], hypothesis: &Hypothesis) -> Problem {
    Problem::refused(format!(
        "the release does not tell exactly the sums {} that the hypothesis of {} leaves open, so no exact test follows from it",
        missing.iter().map(|label| format!("`{label}`")).collect::<Vec<_>>().join(" and "),
        hypothesis.name
    ))
    .hint(
        "declare them as [[invariant]] when releasing; or ask for an approximate test: --approximate bootstrap, or --approximate predictive",
    )
}

fn check_time(field: &Field, trial: Trial) -> Result<(), Problem> {
    let seconds = field.seconds() * trial.draws as f64;
    match seconds > LONGEST_SECONDS {
        true => Err(Problem::refused(format!(
            "{} fresh releases of such a plan are predicted to take {:.0} hours",
            trial.draws,
            seconds / 3600.0
        ))
        .hint("fewer draws are as valid, with less power: --draws 99")),
        false => Ok(()),
    }
}

/// Fresh releases of true tables, by the plan of a release.
struct Fresh<'a> {
    field: &'a Field,
    /// What draws noise, where it is the same around every table.
    noise: Option<draw::TableSampler<'a>>,
}

impl<'a> Fresh<'a> {
    fn new(release: &Release, field: &'a Field) -> Result<Fresh<'a>, Problem> {
        Ok(Fresh { field, noise: release.is_free().then(|| field.sampler()).transpose()? })
    }

    /// A release of a table that has all exact totals.
    fn release(&self, truth: Vec<i64>, source: &Seeded) -> Result<Vec<i64>, Problem> {
        let Some(noise) = &self.noise else {
            return self.field.drawn_around(&self.field.blocks, &self.field.fixed, &truth, source);
        };
        let drawn = noise.draw(source, &|_| {})?;
        let cells = drawn.values().iter().zip(&self.field.centre).zip(truth);
        Ok(cells.map(|((drawn, centre), truth)| truth + (drawn - centre)).collect())
    }
}
