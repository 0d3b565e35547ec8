//! How large errors and biases will be, of cells and of sums that readers form, measured on a table
//! that stands in for the data.
//!
//! Where the law of the errors depends on the table, nothing of it may be told of confidential
//! counts. A public table of the same shape shows it all the same, or one that is made of the exact
//! totals, which are public: as even as they allow.

mod made;
mod text;

use audit::measure::Summary;
use declare::{Declaration, Domain, Problem, Relation};
use exact::Seeded;
use pay::public_counts;
use prepare::{Given, Mechanism, Prepared, Quiet, Sample, StandIn};

/// Sums of more groups than this are left out: nobody reads them one by one.
const MOST_GROUPS: usize = 5_000;
/// So many standard errors are more than chance.
const BEYOND_CHANCE: f64 = 4.0;
/// The seed of the draws: the same spec and stand-in give the same figures.
const SEED: u64 = 20;

/// Errors that were measured on a stand-in.
#[derive(Debug, Clone)]
pub struct StandInErrors {
    /// What stood in, in words.
    pub stand_in: String,
    /// The draws.
    pub draws: u64,
    /// As the spec declares it.
    pub declared: Measured,
    /// With equalities alone, where the spec has bounds or inequalities and such a release can be
    /// drawn.
    pub equalities: Option<Measured>,
}

/// Errors of cells and of sums.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The mean over cells of |error|.
    pub cell_error: f64,
    /// Counts below zero in a draw, on average.
    pub below_zero: f64,
    /// The cells and every one- and two-way margin; those that are exact have no error.
    pub margins: Vec<MarginErrors>,
}

/// Errors of the sums of a margin; the first of a list is that of the cells themselves.
#[derive(Debug, Clone)]
pub struct MarginErrors {
    /// The dimensions, joined by `·`.
    pub name: String,
    /// Every sum: its label, its value in the stand-in, and its errors.
    pub sums: Vec<(String, i64, Summary)>,
}

impl MarginErrors {
    /// The mean over sums of the root of the mean squared error.
    pub fn typical(&self) -> f64 {
        let size = |(_, _, error): &(String, i64, Summary)| (error.variance() + error.mean().powi(2)).sqrt();
        self.sums.iter().map(size).sum::<f64>() / self.sums.len().max(1) as f64
    }

    /// The sum with the largest bias that is more than chance.
    pub fn most_biased(&self) -> Option<&(String, i64, Summary)> {
        let beyond = self.sums.iter().filter(|(_, _, error)| is_beyond_chance(error));
        beyond.max_by(|(_, _, one), (_, _, other)| one.mean().abs().total_cmp(&other.mean().abs()))
    }

    /// The sums whose bias is larger than their noise.
    pub fn biased(&self) -> Vec<&(String, i64, Summary)> {
        let biased = |(_, _, error): &&(String, i64, Summary)| {
            is_beyond_chance(error) && error.mean().abs() > error.variance().sqrt()
        };
        self.sums.iter().filter(biased).collect()
    }

    /// How many dimensions it is along.
    pub(crate) fn order(&self) -> usize {
        self.name.split(" · ").count()
    }

    /// Whether no draw had an error.
    pub fn is_exact(&self) -> bool {
        self.sums.iter().all(|(_, _, error)| error.mean() == 0.0 && error.variance() == 0.0)
    }
}

fn is_beyond_chance(error: &Summary) -> bool {
    error.mean().abs() > BEYOND_CHANCE * error.mean_error() && error.mean() != 0.0
}

/// Measures errors and biases of a spec on a public file, or on a table made of its exact totals.
///
/// # Errors
/// Refused for a stand-in that is the confidential table; where no stand-in can be made, or the
/// spec cannot be drawn.
pub fn errors_on(
    prepared: &Prepared,
    spec: impl Into<Given>,
    on: Option<&StandIn>,
    draws: u64,
) -> Result<StandInErrors, Problem> {
    if draws < 2 {
        return Err(Problem::bad("fewer than two draws tell nothing about a spread").hint("give --draws at least 2"));
    }
    let opened = prepared.opened();
    let (stand_in, declaration, counts) = match on {
        Some(file) => {
            let words = match file {
                StandIn::File(file) => format!("the public file {}", file.display()),
                StandIn::Frame(_) => file.shown(),
            };
            let (declaration, counts) = public_counts(spec, Some(file))?;
            (words, declaration, counts)
        }
        None => {
            let mut declaration = opened.declaration.clone();
            declaration.data.public = true;
            (made::WORDS.to_owned(), declaration, made::of_totals(prepared)?)
        }
    };
    let domain = declaration.domain()?;
    let margins = margins(&domain);
    let declared = measured(declaration.clone(), &domain, &counts, &margins, draws)?;
    let equalities = without_bounds(&declaration);
    let equalities = equalities.and_then(|variant| measured(variant, &domain, &counts, &margins, draws).ok());
    Ok(StandInErrors { stand_in, draws, declared, equalities })
}

/// The errors without bounds and inequalities, where there are some.
fn without_bounds(declaration: &Declaration) -> Option<Declaration> {
    let mut variant = declaration.clone();
    variant.constraints.nonnegative = false;
    variant.mechanism.base = None;
    variant.constraints.rules.retain(|rule| rule.relation == Relation::Equal);
    variant.mechanism.max_delta = None;
    (variant.constraints != declaration.constraints).then_some(variant)
}

/// Sums along dimensions.
struct Margin {
    name: String,
    group_of: Vec<u32>,
    labels: Vec<String>,
}

/// The cells themselves, and every one- and two-way margin.
fn margins(domain: &Domain) -> Vec<Margin> {
    let dimensions = &domain.schema.dimensions;
    let all: Vec<usize> = (0..dimensions.len()).collect();
    let single = all.iter().map(|place| vec![*place]);
    let pairs = all.iter().flat_map(|one| all[one + 1..].iter().map(|other| vec![*one, *other]));
    let margins = single.chain(pairs).filter(|places| *places != all);
    let short = |places: Vec<usize>| {
        let sizes: Vec<usize> = places.iter().map(|place| dimensions[*place].values.len()).collect();
        let groups = sizes.iter().try_fold(1usize, |all, size| all.checked_mul(*size));
        groups.is_some_and(|groups| groups <= MOST_GROUPS).then(|| margin(domain, &places, &sizes))
    };
    [all.clone()].into_iter().chain(margins).filter_map(short).collect()
}

fn margin(domain: &Domain, places: &[usize], sizes: &[usize]) -> Margin {
    let dimensions = &domain.schema.dimensions;
    let mut group_of = Vec::with_capacity(domain.len());
    let mut walk = domain.walk();
    while let Some((_, codes)) = walk.advance() {
        group_of.push(places.iter().zip(sizes).fold(0, |group, (place, size)| group * size + codes[*place]) as u32);
    }
    let label = |group: usize| {
        let mut rest = group;
        let mut parts: Vec<String> = Vec::new();
        for (place, size) in places.iter().zip(sizes).rev() {
            parts.push(format!("{} = {}", dimensions[*place].name, dimensions[*place].values.label(rest % size)));
            rest /= size;
        }
        parts.reverse();
        parts.join(", ")
    };
    let labels = (0..sizes.iter().product()).map(label).collect();
    let names: Vec<&str> = places.iter().map(|place| dimensions[*place].name.as_str()).collect();
    Margin { name: names.join(" · "), group_of, labels }
}

/// Draws again and again around a table, and adds up the errors of all margins.
fn measured(
    declaration: Declaration,
    domain: &Domain,
    counts: &[i64],
    margins: &[Margin],
    draws: u64,
) -> Result<Measured, Problem> {
    let mechanism = Mechanism::new(declaration, counts.to_vec())?.supported(&Quiet)?;
    let noisy = mechanism.noisy_sums()?;
    let sampling = mechanism.sampling(&noisy)?;
    let sums = |margin: &Margin, values: &[f64]| {
        let mut sums = vec![0.0; margin.labels.len()];
        values.iter().zip(&margin.group_of).for_each(|(value, group)| sums[*group as usize] += value);
        sums
    };
    let truth: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
    let mut errors: Vec<Vec<Summary>> =
        margins.iter().map(|margin| vec![Summary::default(); margin.labels.len()]).collect();
    let (mut cell_error, mut below_zero) = (0.0, 0.0);
    for draw in 0..draws {
        let values: Vec<f64> = match sampling.sample(&Seeded::draw(SEED, draw), &|_| {})? {
            Sample::Counts(drawn) => drawn.values().iter().map(|value| *value as f64).collect(),
            Sample::Reals(values) => values,
        };
        let wrong: Vec<f64> = values.iter().zip(&truth).map(|(value, truth)| value - truth).collect();
        cell_error += wrong.iter().map(|error| error.abs()).sum::<f64>();
        below_zero += values.iter().filter(|value| **value < 0.0).count() as f64;
        for (margin, errors) in margins.iter().zip(&mut errors) {
            sums(margin, &wrong).into_iter().zip(errors).for_each(|(error, summary)| summary.push(error));
        }
    }
    let all = draws as f64;
    let described = margins.iter().zip(errors).map(|(margin, errors)| {
        let values = sums(margin, &truth);
        // Combinations that are impossible by declaration have no cell, and no error.
        let mut live = vec![false; margin.labels.len()];
        margin.group_of.iter().for_each(|group| live[*group as usize] = true);
        let sums = margin.labels.iter().zip(values).zip(errors).zip(live).filter(|(_, live)| *live);
        let sums = sums.map(|(((label, value), error), _)| (label.clone(), value as i64, error));
        MarginErrors { name: margin.name.clone(), sums: sums.collect() }
    });
    let margins = described.collect();
    Ok(Measured { cell_error: cell_error / all / domain.len().max(1) as f64, below_zero: below_zero / all, margins })
}
