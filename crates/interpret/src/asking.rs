//! What is asked of a release, as queries over its cells.

use crate::rows::{asked, name_of, only, pair_of};
use crate::{InferOptions, formula, reading};
use ::infer::{Combined, Model, Pair, Query, Release};
use declare::{OutputRows, Problem};

/// What is asked.
pub(super) enum Question {
    /// Sums of cells.
    Sums(Vec<Query>),
    /// Rates: name, numerator, denominator.
    Rates(Vec<(String, Query, Query)>),
    /// Pairs of sums.
    Compared(Vec<Pair>),
    /// A model.
    Regressed(Model),
}

impl Question {
    /// The sums that it needs: of rates numerators and denominators in turn.
    pub(super) fn queries(&self) -> Vec<Query> {
        match self {
            Question::Sums(queries) => queries.clone(),
            Question::Rates(rates) => {
                rates.iter().flat_map(|(_, above, below)| [above.clone(), below.clone()]).collect()
            }
            Question::Compared(_) | Question::Regressed(_) => Vec::new(),
        }
    }

    /// What imputations tell, by the values of these sums in each of them.
    pub(super) fn combined(&self, figures: &[Vec<f64>]) -> Result<Vec<Combined>, Problem> {
        match self {
            Question::Sums(queries) => {
                let one = |(query, figures): (&Query, &Vec<f64>)| Combined::new(&query.name, figures);
                Ok(queries.iter().zip(figures).filter_map(one).collect())
            }
            Question::Rates(rates) => {
                let one = |((name, ..), pair): (&(String, Query, Query), &[Vec<f64>])| {
                    let quotients: Vec<f64> =
                        pair[0].iter().zip(&pair[1]).map(|(above, below)| above / below).collect();
                    if quotients.iter().any(|quotient| !quotient.is_finite()) {
                        return Err(Problem::refused(format!("an imputation has a denominator of `{name}` of zero"))
                            .hint("ask for the posterior of the rate, without --impute"));
                    }
                    Ok(Combined::new(name, &quotients))
                };
                let found = rates.iter().zip(figures.chunks(2)).map(one).collect::<Result<Vec<_>, Problem>>()?;
                Ok(found.into_iter().flatten().collect())
            }
            Question::Compared(_) | Question::Regressed(_) => Ok(Vec::new()),
        }
    }
}

/// The queries of the options: every cell where nothing is asked.
pub(super) fn questions(release: &Release, options: &InferOptions) -> Result<Question, Problem> {
    let ways = [
        options.output.is_some(),
        options.query.is_some(),
        options.rate.is_some(),
        options.compare.is_some(),
        options.regress.is_some(),
    ];
    let by_option = ways.iter().filter(|asked| **asked).count();
    let summed = !options.by.is_empty() || options.filter.is_some();
    if by_option > 1 || (summed && (options.output.is_some() || options.query.is_some())) {
        return Err(Problem::bad(
            "one question at a time: --by and --where, or --output, or --query, or --rate, or --compare, or --regress",
        ));
    }
    if let Some(name) = &options.output {
        let rows = release.declaration.output_rows(&release.domain)?;
        let found = rows.iter().find(|rows| rows.name == *name).ok_or_else(|| {
            let names: Vec<&str> = rows.iter().map(|rows| rows.name.as_str()).collect();
            let known = if names.is_empty() { "none".to_string() } else { names.join(", ") };
            Problem::bad(format!("the release has no derived table `{name}`")).hint(format!("it declares {known}"))
        })?;
        return question(found);
    }
    if let Some(file) = &options.query {
        return Ok(Question::Sums(reading::queries(file, &release.domain)?));
    }
    if let Some(two) = &options.rate {
        if two.1.is_empty() {
            return Err(Problem::bad("a rate has a numerator and a denominator, and one of them is given")
                .hint("write --rate NUMERATOR DENOMINATOR, or --exposures FILE for a rate per exposure"));
        }
        return question(&asked(release, &options.by, &pair_of(two, options.filter.as_deref()))?);
    }
    if let Some(two) = &options.compare {
        return compared(release, two, options);
    }
    if let Some(formula) = &options.regress {
        if !options.by.is_empty() {
            return Err(Problem::bad("--regress has its rows from its formula, and --by asks for others")
                .hint("name the dimensions in the formula; --where keeps only some cells"));
        }
        return formula::model(release, formula, options).map(Question::Regressed);
    }
    if summed {
        return question(&asked(release, &options.by, &only(options.filter.as_deref()))?);
    }
    Ok(Question::Sums(Query::cells(&release.domain)))
}

fn compared(release: &Release, two: &(String, String), options: &InferOptions) -> Result<Question, Problem> {
    let Question::Rates(rates) = question(&asked(release, &options.by, &pair_of(two, options.filter.as_deref()))?)?
    else {
        return Err(Problem::bad("nothing is compared"));
    };
    let alone = options.by.is_empty();
    let pair = |(name, first, second): (String, Query, Query)| {
        let empty = [(&first, &two.0), (&second, &two.1)].into_iter().find(|(sum, _)| sum.entries.is_empty());
        if let Some((_, predicate)) = empty {
            return Err(Problem::bad(format!(
                "no cell of `{name}` satisfies `{predicate}`: there is nothing to compare"
            )));
        }
        Pair::new(if alone { format!("{} against {}", two.0, two.1) } else { name }, first, second)
    };
    rates.into_iter().map(pair).collect::<Result<_, _>>().map(Question::Compared)
}

fn question(rows: &OutputRows) -> Result<Question, Problem> {
    let above = Query::sums(&rows.sum)?;
    let Some(below) = &rows.below else { return Ok(Question::Sums(above)) };
    let below = Query::sums(below)?;
    let rates = above.into_iter().zip(below).enumerate();
    Ok(Question::Rates(rates.map(|(row, (above, below))| (name_of(rows, row), above, below)).collect()))
}
