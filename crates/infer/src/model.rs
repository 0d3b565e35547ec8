//! Models of how counts come about, learnt from releases alone: rates, shares, log-linear terms,
//! small areas.
//!
//! ```text
//! bundle.rs        cells that share a rate: the weights of their sums, made once
//! tables.rs        the table given the parameters: one exact draw of all cells; 1/Z(x) by computation or exchange
//! parameters.rs    the parameters given a table: what a model is to a chain
//! rates.rs         gamma rates, Dirichlet shares
//! hierarchical.rs  rates around a common mean
//! loglinear.rs     terms of a log-linear model
//! chains.rs        both in turn, and whether chains agree
//! see.rs           rejection and importance on small tables: oracles
//! chance.rs        normal and gamma numbers
//! ```
//!
//! Data augmentation (Ju et al. 2022) draws one record at a time given the others; here the whole
//! table is one independent draw given the parameters, and where a rate belongs to one block of the
//! table it is integrated out. Proofs: `proofs/augmentation.md`, `proofs/exchange.md`;
//! that every prior leads to a posterior or is refused: `proofs/propriety.md`.

mod bundle;
mod chains;
pub(crate) mod chance;
mod hierarchical;
mod loglinear;
mod parameters;
mod rates;
mod see;
mod tables;

use crate::base::check_end;
use crate::basis::Cancel;
use crate::bounded::Normalisers;
use crate::knowledge::{Knowledge, Prior, check_posterior};
use crate::release::{Release, check_different};
use crate::several::Sources;
use declare::{NO_GROUP, Problem};
use hierarchical::Hierarchical;
use loglinear::LogLinear;
use parameters::Parameters;
use rates::Rates;
use std::collections::BTreeSet;
use tables::Tables;

pub use loglinear::Design;

/// Chains that agree less are refused.
pub const MOST_R_HAT: f64 = 1.01;

/// How counts come about: Poisson with means exposure·rate.
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    /// Every group has a rate of its own, gamma before anything is seen.
    PoissonGamma {
        /// Its shape.
        shape: f64,
        /// Its rate: 0 leaves the scale open.
        rate: f64,
    },
    /// Shares of cells in a known total, Dirichlet with the same parameter for every cell.
    MultinomialDirichlet {
        /// The parameter.
        shape: f64,
    },
    /// The logarithm of a mean is a sum of terms, each normal before anything is seen.
    LogLinear {
        /// Which terms enter which cell.
        design: Design,
        /// Their standard deviation; that of the constant is 10.
        deviation: f64,
    },
    /// Every group has a rate, gamma around a common mean; the shape and the mean are learnt.
    Hierarchical {
        /// What is believed of the mean before anything is seen.
        mean: MeanPrior,
    },
}

/// The law of the common mean of rates before anything is seen: a proper one, because without one
/// no data have a posterior.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MeanPrior {
    /// Its logarithm is normal around zero.
    Normal {
        /// The standard deviation.
        deviation: f64,
    },
    /// It is gamma.
    Gamma {
        /// Its shape.
        shape: f64,
        /// Its rate, above zero.
        rate: f64,
    },
}

impl Default for MeanPrior {
    /// As wide as that of the constant of log-linear terms.
    fn default() -> MeanPrior {
        MeanPrior::Normal { deviation: loglinear::OF_CONSTANT }
    }
}

impl Model {
    /// The word for scripts and texts.
    pub fn name(&self) -> &'static str {
        match self {
            Model::PoissonGamma { .. } => "poisson-gamma",
            Model::MultinomialDirichlet { .. } => "multinomial-dirichlet",
            Model::LogLinear { .. } => "loglinear",
            Model::Hierarchical { .. } => "hierarchical",
        }
    }

    /// What it says, in a sentence.
    pub fn in_words(&self) -> String {
        match self {
            Model::PoissonGamma { shape, rate } => format!(
                "counts are Poisson with means exposure times rate; rates are gamma with shape {shape} and rate {rate} before anything is seen"
            ),
            Model::MultinomialDirichlet { shape } => {
                format!(
                    "counts are multinomial given their total; shares are Dirichlet with the parameter {shape} for every cell"
                )
            }
            Model::LogLinear { deviation, .. } => format!(
                "counts are Poisson; the logarithm of a mean is that of the exposure plus terms, normal with standard deviation {deviation} before \
                 anything is seen (the constant: {})",
                loglinear::OF_CONSTANT
            ),
            Model::Hierarchical { mean } => format!(
                "counts are Poisson with means exposure times rate; rates are gamma around a common mean, {}; the shape of rates has median \
                 {} before anything is seen",
                match mean {
                    MeanPrior::Normal { deviation } =>
                        format!("whose logarithm is normal around 0 with standard deviation {deviation}"),
                    MeanPrior::Gamma { shape, rate } => format!("which is gamma with shape {shape} and rate {rate}"),
                },
                hierarchical::MIDDLE_SHAPE
            ),
        }
    }

    fn check(&self) -> Result<(), Problem> {
        let positive = |value: f64, what: &str| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(Problem::bad(format!("{what} is a positive number, not {value}"))),
        };
        match self {
            Model::Hierarchical { mean: MeanPrior::Normal { deviation } } => {
                positive(*deviation, "the standard deviation of the logarithm of the mean (--prior-deviation)")
            }
            Model::Hierarchical { mean: MeanPrior::Gamma { shape, rate: 0.0 } } => Err(Problem::refused(format!(
                "a gamma prior of the mean of rates with shape {shape} and rate 0 is improper, and no release has a posterior under it: where \
                 rates hardly pool, any large mean is as likely as any other"
            ))
            .hint("give --prior-rate above 0, or leave out both --prior-shape and --prior-rate: the logarithm of the mean is normal then")),
            Model::PoissonGamma { shape, rate } | Model::Hierarchical { mean: MeanPrior::Gamma { shape, rate } } => {
                positive(*shape, "the shape of a gamma prior (--prior-shape)")?;
                match *rate >= 0.0 && rate.is_finite() {
                    true => Ok(()),
                    false => Err(Problem::bad(format!(
                        "the rate of a gamma prior (--prior-rate) is 0 or a positive number, not {rate}"
                    ))),
                }
            }
            Model::MultinomialDirichlet { shape } => {
                positive(*shape, "the parameter of a Dirichlet prior (--prior-shape)")
            }
            Model::LogLinear { deviation, .. } => {
                positive(*deviation, "the standard deviation of terms (--prior-deviation)")
            }
        }
    }
}

/// What draws from the posterior.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sampler {
    /// Parameters and tables in turn; tables alone where rates are integrated out.
    #[default]
    Gibbs,
    /// Seeman's Algorithm 4, on small tables: draws from before the release, accepted by π(Y|x)/sup
    /// π(Y|x) over tables.
    Rejection,
    /// Seeman's Algorithm 5, on small tables: draws from another law, weighted.
    Importance,
    /// Seeman's Algorithm 6, on small tables: constraints of the data on the noise, those of the
    /// model on its parameters.
    Constrained,
}

impl Sampler {
    /// The word for scripts and texts.
    pub fn name(self) -> &'static str {
        match self {
            Sampler::Gibbs => "gibbs",
            Sampler::Rejection => "rejection",
            Sampler::Importance => "importance",
            Sampler::Constrained => "constrained",
        }
    }
}

/// A rate or share that is asked for: a sum of expected counts over another, or over exposures.
#[derive(Debug, Clone, PartialEq)]
pub struct Sought {
    /// Its name.
    pub name: String,
    /// The cells above the line.
    pub above: Vec<u32>,
    /// What is below it.
    pub below: Below,
}

/// What a rate is divided by.
#[derive(Debug, Clone, PartialEq)]
pub enum Below {
    /// The exposures of the cells above.
    Exposures,
    /// The expected counts of these cells.
    Means(Vec<u32>),
    /// Those of all cells.
    All,
    /// Nothing: an expected count.
    Nothing,
}

/// A model with what is asked of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Asking {
    /// The model.
    pub model: Model,
    /// The group of every cell: cells of a group share a rate. Of shares and log-linear models
    /// every cell is its own.
    pub group_of: Vec<u32>,
    /// The exposure of every cell, positive; one where none is known.
    pub exposures: Vec<f64>,
    /// The family of every group: rates of a family lie around a common mean of their own, where a
    /// model has such.
    pub family_of: Vec<u32>,
    /// How results call families; the only one may have no name.
    pub families: Vec<String>,
    /// The rates that are asked for.
    pub sought: Vec<Sought>,
}

/// How it is drawn and told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wished {
    /// Draws of all chains together.
    pub draws: u64,
    /// Their seed.
    pub seed: u64,
    /// What draws.
    pub sampler: Sampler,
    /// Where releases have bounds: how Z is cancelled.
    pub cancel: Cancel,
    /// The level of intervals.
    pub level: f64,
    /// A rate that others are compared with.
    pub against: Option<f64>,
}

/// What is believed of a rate or a term.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Its name.
    pub name: String,
    /// The mean: of rates that share a prior the shrunken estimate. Not a number where there is
    /// none.
    pub mean: f64,
    /// The standard deviation, where there is one.
    pub deviation: f64,
    /// The median.
    pub median: f64,
    /// The quantiles (1 − level)/2 and 1 − (1 − level)/2.
    pub interval: [f64; 2],
    /// The probability that it is above what it is compared with.
    pub above: Option<f64>,
    /// Split R̂ of its chains.
    pub r_hat: f64,
    /// As many independent draws tell as much of its mean.
    pub effective: f64,
}

/// What chains, or draws, say of themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct Chains {
    /// How many.
    pub chains: u64,
    /// Draws kept of each.
    pub draws: u64,
    /// Steps from one to the next.
    pub between: u64,
    /// Whether every draw is independent of the one before.
    pub independent: bool,
    /// The largest R̂, and of which figure.
    pub r_hat: f64,
    /// Its name.
    pub r_hat_of: String,
    /// The least effective size.
    pub effective: f64,
    /// Its name.
    pub effective_of: String,
    /// The share of proposals that was accepted, where there were such.
    pub accepted: Option<f64>,
}

/// What a model says.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The rates that were asked for.
    pub rates: Vec<Estimate>,
    /// The parameters of the model beside them.
    pub parameters: Vec<Estimate>,
    /// What draws say of themselves.
    pub chains: Chains,
    /// The distance of walks from their law, where one drew a release.
    pub distance: Option<f64>,
}

/// A number of every draw: a rate, or a parameter by its place.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub(crate) name: String,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    /// Weights of the rates of groups above and below the line, and a constant below it.
    Rate {
        above: Vec<(u32, f64)>,
        below: Vec<(u32, f64)>,
        exposure: f64,
    },
    Parameter(usize),
}

/// Machine numbers hold rates whose logarithms are nearer to zero, and their sums.
const HELD: f64 = 600.0;

impl Figure {
    fn value(&self, rates: &[f64], parameters: &[f64]) -> f64 {
        let sum = |of: &[(u32, f64)]| of.iter().map(|(group, times)| times * rates[*group as usize]).sum::<f64>();
        match &self.what {
            What::Rate { above, below, exposure } => sum(above) / (sum(below) + exposure),
            What::Parameter(place) => parameters[*place],
        }
    }

    /// From the logarithms of rates too, for quotients of rates that leave machine numbers.
    pub(crate) fn value_of(&self, logs: &[f64], rates: &[f64], parameters: &[f64]) -> f64 {
        match &self.what {
            What::Rate { above, below, .. } if !below.is_empty() => {
                let places = || above.iter().chain(below).map(|(group, _)| *group as usize);
                let largest = places().map(|group| logs[group]).fold(f64::NEG_INFINITY, f64::max);
                if largest.abs() < HELD {
                    return self.value(rates, parameters);
                }
                let mut scaled = rates.to_vec();
                places().for_each(|group| scaled[group] = (logs[group] - largest).exp());
                self.value(&scaled, parameters)
            }
            _ => self.value(rates, parameters),
        }
    }
}

impl Asking {
    fn figures(&self, parameters: &[String]) -> Vec<Figure> {
        let weights = |cells: &mut dyn Iterator<Item = u32>| {
            let mut of_group = std::collections::BTreeMap::new();
            cells.for_each(|cell| {
                *of_group.entry(self.group_of[cell as usize]).or_insert(0.0) += self.exposures[cell as usize];
            });
            of_group.into_iter().collect::<Vec<(u32, f64)>>()
        };
        let rate = |sought: &Sought| {
            let above = weights(&mut sought.above.iter().copied());
            let (below, exposure) = match &sought.below {
                Below::Exposures => (Vec::new(), above.iter().map(|(_, exposure)| exposure).sum()),
                Below::Means(cells) => (weights(&mut cells.iter().copied()), 0.0),
                Below::All => (weights(&mut (0..self.group_of.len() as u32)), 0.0),
                Below::Nothing => (Vec::new(), 1.0),
            };
            Figure { name: sought.name.clone(), what: What::Rate { above, below, exposure } }
        };
        let own = parameters.iter().enumerate();
        let own = own.map(|(place, name)| Figure { name: name.clone(), what: What::Parameter(place) });
        self.sought.iter().map(rate).chain(own).collect()
    }

    fn check(&self, cells: usize) -> Result<(), Problem> {
        self.model.check()?;
        if self.group_of.len() != cells || self.exposures.len() != cells {
            return Err(Problem::bad(format!("the table has {cells} cells; every cell needs a group and an exposure")));
        }
        let groups = self.of_groups().len();
        let known = self.family_of.iter().all(|family| (*family as usize) < self.families.len());
        if self.family_of.len() != groups || !known {
            return Err(Problem::bad(format!("there are {groups} rates; every rate needs a family that has a name")));
        }
        match self.exposures.iter().find(|exposure| !(**exposure > 0.0 && exposure.is_finite())) {
            Some(wrong) => Err(Problem::bad(format!("an exposure is a positive number, not {wrong}"))),
            None => Ok(()),
        }
    }

    /// The exposures of groups.
    fn of_groups(&self) -> Vec<f64> {
        let groups = self.group_of.iter().map(|group| *group as usize + 1).max().unwrap_or(0);
        let mut sums = vec![0.0; groups];
        self.group_of.iter().zip(&self.exposures).for_each(|(group, exposure)| sums[*group as usize] += exposure);
        sums
    }

    /// Whether a figure has a mean and a variance: a quotient has none where too much of the law of
    /// its denominator is near zero (`proofs/propriety.md`).
    fn has_moments(&self, sought: &Sought, sources: &Sources<'_>) -> bool {
        let Below::Means(below) = &sought.below else { return true };
        if sought.above.iter().all(|cell| below.contains(cell)) {
            return true;
        }
        let groups: BTreeSet<u32> = below.iter().map(|cell| self.group_of[*cell as usize]).collect();
        let shape = match self.model {
            Model::PoissonGamma { shape, .. } | Model::MultinomialDirichlet { shape } => shape * groups.len() as f64,
            Model::Hierarchical { .. } => 0.0,
            Model::LogLinear { .. } => return true,
        };
        // The least that exact totals leave for the counts of these rates.
        let least = sources.conditions.invariants.iter().zip(&sources.totals).map(|(grouping, totals)| {
            let mut inside = vec![grouping.times.is_none(); totals.len()];
            for (cell, group) in grouping.group_of.iter().enumerate().filter(|(_, group)| **group != NO_GROUP) {
                inside[*group as usize] &= groups.contains(&self.group_of[cell]);
            }
            totals.iter().zip(inside).filter(|(_, inside)| *inside).map(|(total, _)| *total).sum::<i64>()
        });
        shape + least.max().unwrap_or(0) as f64 > 2.0
    }

    /// Takes the mean and the standard deviation from figures that have none.
    fn leave_out_moments(&self, sources: &Sources<'_>, rates: &mut [Estimate]) {
        for (sought, own) in self.sought.iter().zip(rates) {
            if !self.has_moments(sought, sources) {
                (own.mean, own.deviation) = (f64::NAN, f64::NAN);
            }
        }
    }

    fn parameters(&self, collapsed: bool) -> Box<dyn Parameters> {
        let exposures = self.of_groups();
        match &self.model {
            Model::PoissonGamma { shape, rate } => Box::new(Rates { shape: *shape, rate: *rate, exposures, collapsed }),
            // Gamma numbers of one scale over their sum are Dirichlet, whatever the scale.
            Model::MultinomialDirichlet { shape } => Box::new(Rates { shape: *shape, rate: 0.0, exposures, collapsed }),
            Model::LogLinear { design, deviation } => {
                Box::new(LogLinear { design: design.clone(), deviation: *deviation, exposures })
            }
            Model::Hierarchical { mean } => {
                let (family_of, families) = (self.family_of.clone(), self.families.clone());
                Box::new(Hierarchical { mean: *mean, exposures, family_of, families, collapsed })
            }
        }
    }
}

/// Learns a model from releases.
///
/// # Errors
/// Bad when exposures or the prior are none; refused when the law of a release is not known or no
/// product of cells, when a model of shares lacks a total, and when chains do not agree; infeasible
/// when the model forbids every table.
pub fn fit(releases: &[Release], knowledge: &Knowledge, asking: &Asking, wished: &Wished) -> Result<Fitted, Problem> {
    check_different(releases)?;
    releases.iter().try_for_each(|release| check_posterior(release, true))?;
    if let Some(release) = releases.iter().find(|release| release.plan.cascade.is_some()) {
        return Err(Problem::refused(format!(
            "the release in `{}` was drawn by a cascade, and no model is learnt from such a release",
            release.name
        ))
        .hint("--posterior --impute draws tables of it, which a model can be learnt from one by one"));
    }
    if let Some(release) = releases.iter().find(|release| !release.plan.law.is_product()) {
        return Err(Problem::refused(format!(
            "the noise of `{}` is one norm over all cells: it cannot be put together with a model",
            release.name
        )));
    }
    if knowledge.prior != Prior::Flat {
        return Err(Problem::bad("a model is a prior: --prior and --model are two of them")
            .hint("leave out --prior; --prior-shape and --prior-rate belong to a model"));
    }
    let first = releases.first().ok_or_else(|| Problem::bad("no release was given"))?;
    asking.check(first.values.len())?;
    let knowledge = Knowledge { nonnegative: true, ..knowledge.clone() };
    let sources = Sources::new(releases, &knowledge)?;
    if matches!(asking.model, Model::PoissonGamma { rate: 0.0, .. }) {
        (0..sources.blocks.len()).try_for_each(|block| check_end(&sources, block))?;
    }
    let normalisers = Normalisers::new(releases)?;
    let of = (asking.group_of.clone(), asking.exposures.clone());
    let tables = Tables::new(&sources, &normalisers, of, wished.cancel)?;
    if matches!(asking.model, Model::MultinomialDirichlet { .. }) && !tables.have_totals() {
        return Err(Problem::refused("shares are of a known total, and some cells are in no exact total")
            .hint("add what is known with --total, or use --model poisson-gamma"));
    }
    let distance = crate::release::distance(releases);
    if wished.sampler != Sampler::Gibbs {
        let mut fitted = see::fit(&sources, &normalisers, asking, wished)?;
        asking.leave_out_moments(&sources, &mut fitted.rates);
        return Ok(Fitted { distance, ..fitted });
    }
    let parameters = asking.parameters(tables.are_collapsible());
    let figures = asking.figures(&parameters.names());
    let (traces, chains) = chains::run(&tables, &*parameters, &first.values, &figures, wished)?;
    let told = asking.sought.len();
    let one = |(number, (figure, trace)): (usize, (Figure, Vec<Vec<f64>>))| {
        let agreement = chains::agreement(&trace);
        let values = trace.into_iter().flatten().map(|value| (value, 1.0)).collect();
        estimate(figure.name, values, wished.level, wished.against.filter(|_| number < told), agreement)
    };
    let mut rates: Vec<Estimate> = figures.into_iter().zip(traces).enumerate().map(one).collect();
    let parameters = rates.split_off(told);
    asking.leave_out_moments(&sources, &mut rates);
    Ok(Fitted { rates, parameters, chains, distance })
}

/// What weighted draws say of a figure.
pub(crate) fn estimate(
    name: String,
    mut values: Vec<(f64, f64)>,
    level: f64,
    against: Option<f64>,
    (r_hat, effective): (f64, f64),
) -> Estimate {
    values.sort_unstable_by(|one, two| one.0.total_cmp(&two.0));
    let whole: f64 = values.iter().map(|(_, weight)| weight).sum();
    let mean = values.iter().map(|(value, weight)| value * weight).sum::<f64>() / whole;
    let variance = values.iter().map(|(value, weight)| weight * (value - mean).powi(2)).sum::<f64>() / whole;
    let at = |probability: f64| {
        let mut upto = 0.0;
        let reached = |(_, weight): &&(f64, f64)| {
            upto += weight;
            upto >= probability * whole * (1.0 - 1e-12)
        };
        values.iter().find(reached).or(values.last()).map_or(f64::NAN, |(value, _)| *value)
    };
    let tail = (1.0 - level) / 2.0;
    let above = against.map(|limit| {
        values.iter().filter(|(value, _)| *value > limit).fold(0.0, |sum, (_, weight)| sum + weight) / whole
    });
    Estimate {
        name,
        mean,
        deviation: variance.sqrt(),
        median: at(0.5),
        interval: [at(tail), at(1.0 - tail)],
        above,
        r_hat,
        effective,
    }
}
