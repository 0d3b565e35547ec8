//! Least values of forms as one linear program after another proves them, without a search through cases.

use super::part::{Form, Goals, Interval, Part, Row};
use super::search::{Answer, Case, LARGEST, Search};

/// What a program proved about the least value of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Least {
    /// No integers that keep the rows have less: a limit, which need not be attained.
    Limit(i128),
    /// A direction without end lowers it, if any numbers keep the rows at all.
    Endless,
    /// No integers keep the rows.
    Impossible,
    /// Nothing was proved.
    Unknown,
}

/// Variables within bounds, under rows.
pub(crate) struct Program {
    part: Part,
}

/// A program that is solved for one form after another, each from where the last one ended.
pub(crate) struct Solver<'a> {
    search: Option<Search<'a>>,
}

impl Program {
    /// A program. Rows are sums with the interval that each lies in.
    pub(crate) fn new(bounds: Vec<Interval>, rows: Vec<(Form, Interval)>) -> Program {
        let rows = rows.into_iter().map(|(entries, within)| Row { entries, within }).collect();
        Program { part: Part { bounds, rows, goals: Goals::Forms(Vec::new()) } }
    }

    /// Ready to be solved; what is too large is never solved.
    pub(crate) fn solver(&self) -> Solver<'_> {
        let small = self.part.rows.len() * self.part.bounds.len() <= LARGEST;
        Solver { search: small.then(|| Search::new(&self.part, &self.part.bounds, u64::MAX)) }
    }
}

impl Solver<'_> {
    /// The least value of a form. `Endless` is said of a ray whose every rate was checked in whole numbers.
    pub(crate) fn least(&mut self, form: &Form) -> Least {
        let Some(search) = &mut self.search else { return Least::Unknown };
        match search.solve(form, &Case::new()) {
            Answer::Limit(Some(limit)) => Least::Limit(limit),
            Answer::Ray => Least::Endless,
            Answer::Impossible => Least::Impossible,
            Answer::Limit(None) | Answer::Unknown => Least::Unknown,
        }
    }
}
