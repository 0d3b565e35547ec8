//! `Program`: linear programs over integers within intervals and rows, whose answers are proved in
//! whole numbers.
//!
//! The simplex method on machine numbers proposes a point, factors of rows or a direction, and
//! decides nothing: factors give a limit whatever they are, and directions are checked. Proof:
//! `crates/disclose/proofs/disclosure.md`, 5.

mod form;
mod limit;
mod tableau;

pub use form::{Empty, Form, Interval, Row, divided, lies_in, meet, multiplied, narrow, sum};
use limit::{is_ray, least, whole};
use tableau::{End, Tableau};

/// The largest table of numbers: rows times variables.
pub const LARGEST: usize = 1 << 21;

/// The most steps of the simplex method in one program, for every row.
const STEPS_PER_ROW: usize = 60;

/// Variables that have been told apart, and where each lies.
pub type Case = Vec<(u32, Interval)>;

/// What a program came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// No integers that keep the rows have less than this, which need not be attained; `None`: no
    /// limit was proved.
    Limit(Option<i128>),
    /// A direction without end lowers the form, if any numbers keep the rows at all.
    Ray,
    /// No integers keep the rows.
    Impossible,
    /// Nothing was proved.
    Unknown,
}

/// Variables within bounds, under rows: solved for one form after another, each from where the last
/// one ended.
#[derive(Clone)]
pub struct Program<'a> {
    bounds: &'a [Interval],
    rows: &'a [Row],
    /// Intervals of all variables that follow from bounds and rows.
    known: &'a [Interval],
    tableau: Tableau,
    /// The variables whose bounds in the tableau are those of a case.
    told: Vec<u32>,
}

fn real((low, high): Interval) -> (f64, f64) {
    (low.map_or(f64::NEG_INFINITY, |low| low as f64), high.map_or(f64::INFINITY, |high| high as f64))
}

impl<'a> Program<'a> {
    /// A program; `known` are intervals of the variables that follow from bounds and rows, or the
    /// bounds themselves.
    pub fn new(bounds: &'a [Interval], rows: &'a [Row], known: &'a [Interval]) -> Program<'a> {
        let entries: Vec<&[(u32, i64)]> = rows.iter().map(|row| row.entries.as_slice()).collect();
        let within = rows.iter().map(|row| row.within);
        let intervals: Vec<(f64, f64)> = bounds.iter().copied().chain(within).map(real).collect();
        let tableau = Tableau::new(bounds.len(), &entries, &intervals);
        Program { bounds, rows, known, tableau, told: Vec::new() }
    }

    /// The values of the variables where the last program ended, in machine numbers.
    pub fn point(&self) -> &[f64] {
        &self.tableau.value[..self.bounds.len()]
    }

    /// The least value of a form over the tables of a case, and the entries that were looked at.
    pub fn solve(&mut self, form: &Form, case: &Case) -> (Answer, u64) {
        for variable in std::mem::take(&mut self.told) {
            self.tableau.bind(variable, real(self.bounds[variable as usize]));
        }
        let mut told: Option<Vec<Interval>> = None;
        for (variable, within) in case {
            self.tableau.bind(*variable, real(*within));
            self.told.push(*variable);
            let known = &mut told.get_or_insert_with(|| self.known.to_vec())[*variable as usize];
            match meet(*known, *within) {
                Ok(met) => *known = met,
                Err(Empty) => return (Answer::Impossible, 0),
            }
        }
        let known = told.as_deref().unwrap_or(self.known);
        let (rows, variables) = (self.rows, self.bounds.len());
        self.tableau.refresh();
        let costs: Vec<(u32, f64)> = form.iter().map(|(variable, times)| (*variable, *times as f64)).collect();
        let of_rows = |weights: Vec<(u32, f64)>| -> Vec<(u32, f64)> {
            let row =
                |(variable, weight): (u32, f64)| Some(((variable as usize).checked_sub(variables)? as u32, weight));
            weights.into_iter().filter_map(row).collect()
        };
        let allowed = STEPS_PER_ROW * (rows.len() + 10);
        let mut steps = allowed;
        let end = self.tableau.minimise(&costs, &mut steps);
        let work = ((allowed - steps) * rows.len() * variables) as u64;
        let answer = match end {
            End::Optimal(costs) => match whole(&of_rows(costs)) {
                Some((scale, factors)) => Answer::Limit(least(form, rows, known, scale, &factors)),
                None => Answer::Limit(None),
            },
            End::Infeasible(weights) => {
                let proof =
                    whole(&of_rows(weights)).and_then(|(scale, factors)| least(&[], rows, known, scale, &factors));
                if proof.is_some_and(|least| least > 0) { Answer::Impossible } else { Answer::Unknown }
            }
            End::Ray(ray) => match whole(&ray) {
                Some((_, ray)) if case.is_empty() && is_ray(form, rows, self.bounds, &ray) => Answer::Ray,
                _ => Answer::Unknown,
            },
            End::Unfinished => Answer::Unknown,
        };
        (answer, work)
    }
}
