//! Models that are asked for: which cells share a rate, what exposures are, and which rates and
//! terms are told.

use crate::rows::{asked, name_of, only, pair_of, within};
use crate::{InferOptions, knowledge, reading};
use ::infer::model::{Asking, Below, Design, Fitted, MeanPrior, Model, Sampler, Sought, Wished, fit};
use ::infer::{Asked, Cancel, Release};
use declare::{Grouping, NO_GROUP, Problem};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A model, as it is asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelOptions {
    /// `poisson-gamma`, `multinomial-dirichlet`, `loglinear` or `hierarchical`.
    pub name: String,
    /// A file with the exposure of every cell.
    pub exposures: Option<PathBuf>,
    /// The terms of a log-linear model.
    pub terms: Option<String>,
    /// The shape of the gamma prior of rates, or the parameter of the Dirichlet prior of shares: ½
    /// unless another is given; of rates around a common mean that of the mean.
    pub shape: Option<f64>,
    /// The rate of the gamma prior of rates: 0 unless another is given; of rates around a common
    /// mean that of the mean, above 0.
    pub rate: Option<f64>,
    /// The standard deviation of log-linear terms: 3 unless another is given; of rates around a
    /// common mean that of the logarithm of the mean: 10 where no gamma prior is given.
    pub deviation: Option<f64>,
    /// A rate that others are compared with.
    pub against: Option<f64>,
    /// What draws.
    pub sampler: Sampler,
}

/// Draws of all chains together, unless another number is asked for.
pub(super) const DRAWS: u64 = 8_000;

/// What a model said of releases.
#[derive(Debug, Clone, PartialEq)]
pub struct Modelled {
    /// The model.
    pub model: Model,
    /// What drew.
    pub sampler: Sampler,
    /// What rates are compared with.
    pub against: Option<f64>,
    /// What it says.
    pub fitted: Fitted,
}

/// Learns the model.
pub(super) fn modelled(
    releases: &[Release],
    options: &InferOptions,
    wanted: &ModelOptions,
    asked: Asked,
) -> Result<Modelled, Problem> {
    let first = releases.first().ok_or_else(|| Problem::bad("no release was given"))?;
    check(options, wanted)?;
    let model = model(first, wanted)?;
    let asking = asking(first, options, wanted, model)?;
    let wished = Wished {
        draws: options.draws.unwrap_or(DRAWS),
        seed: asked.seed,
        sampler: wanted.sampler,
        cancel: options.cancel,
        level: asked.level,
        against: wanted.against,
    };
    let fitted = fit(releases, &knowledge(first, options)?, &asking, &wished)?;
    Ok(Modelled { model: asking.model, sampler: wanted.sampler, against: wanted.against, fitted })
}

/// What contradicts itself.
fn check(options: &InferOptions, wanted: &ModelOptions) -> Result<(), Problem> {
    let beside: [(&str, bool); 7] = [
        ("--posterior", options.posterior),
        ("--prior", options.prior.is_some()),
        ("--table", options.table.is_some()),
        ("--impute", options.impute.is_some()),
        ("--likelihood", !options.likelihood.is_empty()),
        ("--output", options.output.is_some()),
        ("--query", options.query.is_some()),
    ];
    if let Some((name, _)) = beside.iter().find(|(_, given)| *given) {
        return Err(Problem::bad(format!("a model is learnt, and {name} asks for something else"))
            .hint(format!("leave out {name}; rates of a model are asked for with --by, --where and --rate")));
    }
    if options.cancel == Cancel::Importance {
        return Err(Problem::bad("in a model 1/Z(x) is computed or cancels: there is no --cancel importance")
            .hint("leave it out, or write --cancel exchange"));
    }
    let (name, terms, deviation) = (wanted.name.as_str(), wanted.terms.is_some(), wanted.deviation.is_some());
    if terms && name != "loglinear" {
        return Err(Problem::bad(format!("--terms is of --model loglinear, not of `{name}`")));
    }
    if deviation && !["loglinear", "hierarchical"].contains(&name) {
        return Err(Problem::bad(format!(
            "--prior-deviation is of loglinear and hierarchical models, not of `{name}`"
        )));
    }
    if name == "loglinear" && (wanted.shape.is_some() || wanted.rate.is_some()) {
        return Err(Problem::bad("the terms of a log-linear model have a normal prior: --prior-deviation"));
    }
    if name == "multinomial-dirichlet" && (wanted.rate.is_some() || wanted.exposures.is_some()) {
        return Err(Problem::bad("shares have neither exposures nor a rate: --model poisson-gamma has them"));
    }
    if wanted.against.is_some_and(|limit| !limit.is_finite()) {
        return Err(Problem::bad("--against is a number that rates are compared with"));
    }
    Ok(())
}

fn model(release: &Release, wanted: &ModelOptions) -> Result<Model, Problem> {
    let (shape, rate) = (wanted.shape.unwrap_or(0.5), wanted.rate.unwrap_or(0.0));
    match wanted.name.as_str() {
        "poisson-gamma" => Ok(Model::PoissonGamma { shape, rate }),
        "hierarchical" => Ok(Model::Hierarchical { mean: mean_prior(wanted)? }),
        "multinomial-dirichlet" => Ok(Model::MultinomialDirichlet { shape }),
        "loglinear" => {
            let terms = wanted.terms.as_deref().ok_or_else(|| {
                Problem::bad("a log-linear model has terms, and none are given")
                    .hint("write them like this: --terms \"hair + eye + hair:eye\"")
            })?;
            Ok(Model::LogLinear {
                design: Design::new(terms, &release.domain)?,
                deviation: wanted.deviation.unwrap_or(3.0),
            })
        }
        other => Err(Problem::bad(format!("there is no model `{other}`"))
            .hint("poisson-gamma, multinomial-dirichlet, loglinear or hierarchical")),
    }
}

/// What is believed of the mean of rates before anything is seen.
fn mean_prior(wanted: &ModelOptions) -> Result<MeanPrior, Problem> {
    match (wanted.shape, wanted.rate, wanted.deviation) {
        (None, None, None) => Ok(MeanPrior::default()),
        (None, None, Some(deviation)) => Ok(MeanPrior::Normal { deviation }),
        (Some(shape), Some(rate), None) => Ok(MeanPrior::Gamma { shape, rate }),
        _ => Err(Problem::bad("the mean of rates has one prior: gamma, by --prior-shape and --prior-rate together, or normal in its logarithm")
            .hint("give both --prior-shape and --prior-rate, or --prior-deviation, or none of them")),
    }
}

/// The rows that are asked for: their names, and the cells above and below the line.
struct Rows {
    names: Vec<String>,
    /// The combination of `--by` of every cell.
    by: Grouping,
    above: Grouping,
    below: Option<Grouping>,
}

/// The rows of `--by`, `--where` and `--rate`.
fn rows(release: &Release, options: &InferOptions, exposed: bool) -> Result<Rows, Problem> {
    let filter = options.filter.as_deref();
    let section = match &options.rate {
        Some((above, below)) if below.is_empty() => {
            if !exposed {
                return Err(Problem::bad("a rate has a denominator, or exposures")
                    .hint("write --rate NUMERATOR DENOMINATOR, or give --exposures FILE"));
            }
            only(Some(&within(above, filter)))
        }
        Some(_) if exposed => {
            return Err(Problem::bad("a rate has a denominator or exposures, not both")
                .hint("leave out --exposures, or the denominator"));
        }
        Some(two) => pair_of(two, filter),
        None => only(filter),
    };
    let found = asked(release, &options.by, &section)?;
    let names = (0..found.labels.len()).map(|row| name_of(&found, row)).collect();
    let by = asked(release, &options.by, "")?.sum;
    Ok(Rows { names, by, above: found.sum, below: found.below })
}

fn asking(release: &Release, options: &InferOptions, wanted: &ModelOptions, model: Model) -> Result<Asking, Problem> {
    let cells = release.domain.len();
    let exposures = match &wanted.exposures {
        Some(file) => reading::exposures(file, &release.domain)?,
        None => vec![1.0; cells],
    };
    let exposed = wanted.exposures.is_some();
    let summed = !options.by.is_empty() || options.filter.is_some() || options.rate.is_some();
    let each: Vec<u32> = (0..cells as u32).collect();
    let alone = |sought: Vec<Sought>, model: Model| Asking {
        model,
        family_of: vec![0; cells],
        families: vec![String::new()],
        group_of: each.clone(),
        exposures: exposures.clone(),
        sought,
    };
    let below = match (&model, exposed) {
        (Model::MultinomialDirichlet { .. }, _) => Below::All,
        (_, true) => Below::Exposures,
        (_, false) => Below::Nothing,
    };
    if !summed {
        let one = |cell: &u32| Sought {
            name: release.domain.describe(*cell as usize),
            above: vec![*cell],
            below: below.clone(),
        };
        let terms = matches!(model, Model::LogLinear { .. });
        if terms && wanted.against.is_some() {
            return Err(Problem::bad("rates are compared with --against, and none is asked for")
                .hint("ask for rates with --by, --where or --rate"));
        }
        let sought = if terms { Vec::new() } else { each.iter().map(one).collect() };
        return Ok(alone(sought, model));
    }
    let rows = rows(release, options, exposed)?;
    let of = |grouping: &Grouping, row: usize| -> Vec<u32> {
        let here = |cell: &u32| grouping.group_of[*cell as usize] == row as u32;
        each.iter().copied().filter(here).collect()
    };
    let one = |(row, name): (usize, &String)| Sought {
        name: name.clone(),
        above: of(&rows.above, row),
        below: rows.below.as_ref().map_or(below.clone(), |below| Below::Means(of(below, row))),
    };
    let told = |sought: &Sought| !sought.above.is_empty() && sought.below != Below::Means(Vec::new());
    let sought = rows.names.iter().enumerate().map(one).filter(told).collect();
    Ok(match exposed && matches!(model, Model::PoissonGamma { .. } | Model::Hierarchical { .. }) {
        false => alone(sought, model),
        true => shared_rates(&rows, model, exposures, sought),
    })
}

/// Cells of one row share a rate. Cells that no row takes have rates of their own; around a common
/// mean they share those of their combination of `--by`, so that there are not too many.
fn shared_rates(rows: &Rows, model: Model, exposures: Vec<f64>, sought: Vec<Sought>) -> Asking {
    let mut known: BTreeMap<(bool, u32), u32> = BTreeMap::new();
    let mut family_of = Vec::new();
    let mut elsewhere = false;
    let mut group = |cell: usize| {
        let outside = rows.above.group_of[cell] == NO_GROUP;
        elsewhere |= outside;
        let next = known.len() as u32;
        let own = outside && matches!(model, Model::PoissonGamma { .. });
        let row = if own { cell as u32 } else { rows.by.group_of[cell] };
        *known.entry((outside, row)).or_insert_with(|| {
            family_of.push(u32::from(outside));
            next
        })
    };
    let group_of = (0..exposures.len()).map(&mut group).collect();
    let families = match elsewhere {
        true => vec!["asked for".into(), "elsewhere".into()],
        false => vec![String::new()],
    };
    Asking { model, group_of, exposures, family_of, families, sought }
}

/// A rate written as `deaths/cases`: both sides are values of one and the same dimension, or
/// predicates.
///
/// # Errors
/// Bad when a side is neither.
pub(super) fn quotient(text: &str, release: &Release) -> Result<Option<(String, String)>, Problem> {
    let Some((above, below)) = text.split_once('/') else { return Ok(None) };
    let side = |side: &str| {
        let side = side.trim();
        if side.contains(['=', '<', '>', '\'']) || side.contains(" in ") {
            return Ok(side.to_string());
        }
        let holds = |column: &declare::Column<'_>| {
            let mut walk = release.domain.walk();
            while let Some((_, codes)) = walk.advance() {
                if column.text(codes[column.dimension]) == side {
                    return true;
                }
            }
            false
        };
        let columns = release.domain.columns();
        let found: Vec<&str> = columns.iter().filter(|column| holds(column)).map(|column| column.name).collect();
        match found.as_slice() {
            [name] => Ok(format!("{name} = '{}'", side.replace('\'', "''"))),
            [] => Err(Problem::bad(format!("`{side}` is no value of the table and no predicate"))
                .hint("write --rate deaths/cases with values of one dimension, or --rate NUMERATOR DENOMINATOR with predicates")),
            several => Err(Problem::bad(format!("`{side}` is a value of {}", several.join(" and of ")))
                .hint("write --rate NUMERATOR DENOMINATOR with predicates")),
        }
    };
    Ok(Some((side(above)?, side(below)?)))
}
