//! Formulas of models: `hours ~ age + sex`, and what their terms are in a release.
//!
//! Left of `~` stands a dimension with numbers, whose midpoints are explained by least squares, or
//! `count`, for a Poisson model of the counts. Right of it terms joined by `+`: dimensions with
//! numbers enter as their midpoints, others as one column for every value but the first;
//! `factor(age)` takes the bins of a number as values.

use crate::InferOptions;
use crate::rows::{asked, only};
use ::infer::{Family, Model, Query, Release};
use declare::{OutputRows, Problem, Values};

/// The response that is the count itself.
const COUNT: &str = "count";

struct Term {
    name: String,
    factor: bool,
}

struct Formula {
    response: String,
    terms: Vec<Term>,
}

impl Formula {
    fn parse(text: &str) -> Result<Formula, Problem> {
        let bad = |what: String| {
            Problem::bad(format!("the formula `{text}` {what}"))
                .hint("write `hours ~ age + sex`, or `count ~ age + factor(year)` for a Poisson model of the counts")
        };
        let (response, right) = text.split_once('~').ok_or_else(|| bad("has no `~`".into()))?;
        let response = response.trim().to_string();
        if response.is_empty() || response.contains(['(', '+']) {
            return Err(bad("must have one name before `~`".into()));
        }
        let mut terms: Vec<Term> = Vec::new();
        for part in right.split('+').map(str::trim) {
            let inner = part.strip_prefix("factor(").and_then(|rest| rest.strip_suffix(')'));
            let name = inner.unwrap_or(part).trim().to_string();
            if name.is_empty() || name.contains(['(', ')', '*', ':', '^', '~', '-', '|']) {
                return Err(bad(format!("has the term `{part}`, which is no name")));
            }
            if name == response || terms.iter().any(|term| term.name == name) {
                return Err(bad(format!("names `{name}` twice")));
            }
            terms.push(Term { name, factor: inner.is_some() });
        }
        Ok(Formula { response, terms })
    }
}

/// The model that a formula is for a release.
pub(super) fn model(release: &Release, formula: &str, options: &InferOptions) -> Result<Model, Problem> {
    let parsed = Formula::parse(formula)?;
    let counted = parsed.response == COUNT;
    let schema = &release.domain.schema;
    let mut names: Vec<String> = parsed.terms.iter().map(|term| term.name.clone()).collect();
    if !counted {
        names.push(parsed.response.clone());
    }
    for name in &names {
        if schema.resolve(name).is_none() {
            let known = schema.names().join(", ");
            return Err(Problem::bad(format!("the release has no dimension or level `{name}`"))
                .hint(format!("it has {known}; `count` on the left is the count itself")));
        }
    }
    if let Some((name, _)) = options.open.iter().find(|(name, _)| !names.contains(name)) {
        return Err(Problem::bad(format!("--open names `{name}`, which is not in the formula `{formula}`")));
    }
    let rows = asked(release, &names, &only(options.filter.as_deref()))?;
    let queries = Query::sums(&rows.sum)?;
    let kept: Vec<usize> = (0..queries.len()).filter(|row| !queries[*row].entries.is_empty()).collect();
    let reader = Reader { release, rows: &rows, kept: &kept, options };
    let response = match counted {
        true => Vec::new(),
        false => reader.numbers(&parsed.response)?.ok_or_else(|| {
            Problem::bad(format!("`{}` has values that are no numbers: it is no response", parsed.response))
                .hint("explain a dimension of bins or integers, or `count`")
        })?,
    };
    let mut columns = vec![("(constant)".to_string(), vec![1.0; kept.len()])];
    for term in &parsed.terms {
        let numbers = if term.factor { None } else { reader.numbers(&term.name)? };
        match numbers {
            Some(numbers) => columns.push((term.name.clone(), numbers)),
            None => columns.extend(reader.categories(&term.name)?),
        }
    }
    let family = if counted { Family::Poisson } else { Family::LeastSquares };
    let queries = kept.iter().map(|row| queries[*row].clone()).collect();
    let model = Model { family, rows: queries, response, columns };
    model.check()?;
    Ok(model)
}

struct Reader<'a> {
    release: &'a Release,
    rows: &'a OutputRows,
    kept: &'a [usize],
    options: &'a InferOptions,
}

impl Reader<'_> {
    /// The label of every row under a name.
    fn labels(&self, name: &str) -> Result<Vec<&str>, Problem> {
        let schema = &self.release.domain.schema;
        let shown = match schema.resolve(name) {
            Some((dimension, None)) => match &schema.dimensions[dimension].values {
                Values::Hierarchy(levels) => levels.names.last().map_or(name, String::as_str),
                _ => name,
            },
            _ => name,
        };
        let place = self.rows.columns.iter().position(|column| column == shown);
        let place =
            place.ok_or_else(|| Problem::bad(format!("`{name}` is no column of the table that is asked for")))?;
        Ok(self.kept.iter().map(|row| self.rows.labels[*row][place].as_str()).collect())
    }

    /// The numbers of every row under a name: integers themselves, bins by their midpoints; `None`
    /// where its values are no numbers.
    fn numbers(&self, name: &str) -> Result<Option<Vec<f64>>, Problem> {
        let schema = &self.release.domain.schema;
        let Some((dimension, None)) = schema.resolve(name) else { return Ok(None) };
        let values = &schema.dimensions[dimension].values;
        let stands = self.options.open.iter().find(|(open, _)| open == name).map(|(_, value)| *value);
        let mut unknown = None;
        let number = |label: &&str| -> Option<f64> {
            match values {
                Values::Integers { .. } | Values::List(_) => {
                    label.parse().ok().filter(|number: &f64| number.is_finite())
                }
                Values::Bins { edges, .. } => {
                    let code = (0..values.len()).find(|code| values.label(*code) == *label)?;
                    match edges.get(code + 1) {
                        Some(end) => Some((edges[code] as f64 + *end as f64) / 2.0),
                        None => stands.or_else(|| {
                            unknown = Some(label.to_string());
                            None
                        }),
                    }
                }
                Values::Hierarchy(_) | Values::Measures { .. } => None,
            }
        };
        let found: Option<Vec<f64>> = self.labels(name)?.iter().map(number).collect();
        if let Some(label) = unknown {
            return Err(Problem::bad(format!("the bin `{label}` of `{name}` has no end, and so no midpoint"))
                .hint(format!("say what stands for it, for example --open {name}=75, or write factor({name})")));
        }
        if stands.is_some() && !matches!(values, Values::Bins { open: true, .. }) {
            return Err(Problem::bad(format!("--open names `{name}`, which has no bin without an end")));
        }
        Ok(found)
    }

    /// A column for every value under a name but the first.
    fn categories(&self, name: &str) -> Result<Vec<(String, Vec<f64>)>, Problem> {
        let labels = self.labels(name)?;
        let mut known: Vec<&str> = Vec::new();
        labels.iter().for_each(|label| known.extend((!known.contains(label)).then_some(label)));
        let column = |value: &&str| {
            let indicator = labels.iter().map(|label| f64::from(u8::from(label == value))).collect();
            (format!("{name} = {value}"), indicator)
        };
        Ok(known.iter().skip(1).map(column).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_read() {
        let formula = Formula::parse(" hours ~ age + factor( year ) + sex").unwrap();
        assert_eq!(formula.response, "hours");
        let terms: Vec<(&str, bool)> = formula.terms.iter().map(|term| (term.name.as_str(), term.factor)).collect();
        assert_eq!(terms, [("age", false), ("year", true), ("sex", false)]);
        for wrong in
            ["hours", "~ age", "a + b ~ c", "hours ~", "hours ~ age * sex", "hours ~ hours", "h ~ a + a", "h ~ log(a)"]
        {
            assert!(Formula::parse(wrong).is_err(), "{wrong}");
        }
    }
}
