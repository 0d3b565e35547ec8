//! Extremes of any part: linear programs that are checked in whole numbers, and cases of single
//! values where these leave a gap.
//!
//! The simplex method proposes a table and factors of rows. The table counts if its integers keep
//! all rows and bounds; the factors give a limit whatever they are. Where table and limit differ,
//! the values of one variable are told apart. Proof: `proofs/disclosure.md`, 5.

use crate::part::{GoalSystem, WideEnd, WideRange};
use crate::steps::Steps;
use analyse::program::{Answer, Case, Empty, Form, Interval, Program, sum};
use exact::attention::look;
use rayon::prelude::*;

/// How many goals share what they find; a fixed number, so that results do not depend on the
/// threads.
const SHARED: usize = 64;
/// The most cases for one end of one goal, and the most variables of all of them together.
const MOST_CASES: (usize, usize) = (300, 30_000);
/// So few variables need no steps between tables: cases are enough.
const FEW: usize = 100;
/// What steps of the lattice count as, in entries of the table that may have changed: the unit of
/// work.
const LEADING: u64 = 20_000_000;

#[derive(Clone)]
struct ExtremeSearch<'a> {
    part: &'a GoalSystem,
    program: Program<'a>,
    /// The least and the largest value of every goal that a table had.
    seen: Vec<(Option<i128>, Option<i128>)>,
    /// Steps between tables, where programs end at fractions.
    steps: Option<&'a Steps>,
    /// The last table that was found.
    current: Option<Vec<i128>>,
    /// What is left of the work that is allowed.
    work: u64,
}

/// The ranges of all goals, with at most so much work; `outer` are limits of them, `bounds` those
/// of the variables.
pub(crate) fn extremes(
    part: &GoalSystem,
    bounds: &[Interval],
    outer: &[Interval],
    work: u64,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<WideRange>, Empty> {
    let work = work / part.goals().div_ceil(SHARED).max(1) as u64;
    let mut search = ExtremeSearch::new(part, bounds, work);
    let steps = if part.bounds.len() <= FEW || search.is_whole() { None } else { Steps::new(part) };
    search.steps = steps.as_ref();
    // A first table, so that what has no end is known to have a beginning, and steps have somewhere
    // to start.
    if let Some(first) = steps.as_ref().and_then(Steps::first) {
        search.remember(&first);
    } else if !matches!(search.minimum(&Form::new(), None, None)?, WideEnd::Exact(_)) {
        progress(part.goals());
        return Ok(outer.iter().map(|outer| WideRange::unknown(*outer)).collect());
    }
    let goals: Vec<usize> = (0..part.goals()).collect();
    let chunks: Result<Vec<Vec<WideRange>>, Empty> = goals
        .par_chunks(SHARED)
        .map(|chunk| {
            let mut search = ExtremeSearch { work, ..search.clone() };
            let found = chunk.iter().map(|goal| search.range(*goal, outer[*goal])).collect();
            progress(chunk.len());
            found
        })
        .collect();
    Ok(chunks?.concat())
}

impl<'a> ExtremeSearch<'a> {
    fn new(part: &'a GoalSystem, bounds: &'a [Interval], work: u64) -> ExtremeSearch<'a> {
        let program = Program::new(&part.bounds, &part.rows, bounds);
        let seen = vec![(None, None); part.goals()];
        ExtremeSearch { part, program, seen, steps: None, current: None, work }
    }

    /// Whether the first program ends at a table.
    fn is_whole(&mut self) -> bool {
        matches!(self.solve(&Form::new(), &Case::new()), Answer::Limit(_)) && self.table().is_some()
    }

    fn range(&mut self, goal: usize, outer: Interval) -> Result<WideRange, Empty> {
        let form = self.part.goal(goal);
        let low = match (self.seen[goal].0, outer.0) {
            (Some(seen), Some(limit)) if seen == limit => WideEnd::Exact(seen),
            (seen, limit) => self.minimum(&form, limit, seen)?,
        };
        let opposite: Form = form.iter().map(|(variable, times)| (*variable, -times)).collect();
        let minus = |value: Option<i128>| value.map(|value| -value);
        let high = match (self.seen[goal].1, outer.1) {
            (Some(seen), Some(limit)) if seen == limit => WideEnd::Exact(seen),
            (seen, limit) => match self.minimum(&opposite, minus(limit), minus(seen))? {
                WideEnd::Exact(value) => WideEnd::Exact(-value),
                WideEnd::Endless => WideEnd::Endless,
                WideEnd::Between { outer, found } => WideEnd::Between { outer: minus(outer), found: minus(found) },
            },
        };
        Ok(WideRange { low, high })
    }

    /// The least value of a form, given a limit of it and a value that some table has.
    fn minimum(&mut self, form: &Form, limit: Option<i128>, seen: Option<i128>) -> Result<WideEnd, Empty> {
        let mut limit = limit;
        let mut best = self.led(form, limit, seen);
        let mut open: Vec<Case> = vec![Vec::new()];
        let mut is_first = true;
        let mut cases = 0;
        while let Some(case) = open.pop() {
            look();
            if best.is_some() && best == limit {
                break;
            }
            cases += 1;
            let variables = self.part.bounds.len();
            let too_many = cases > MOST_CASES.0 || cases * variables > MOST_CASES.1.max(2 * variables);
            if self.work == 0 || too_many {
                return Ok(WideEnd::Between { outer: limit, found: best });
            }
            let answer = self.solve(form, &case);
            let table = if matches!(answer, Answer::Limit(_)) { self.table() } else { None };
            if let Some(table) = &table {
                let value = sum(form, table);
                best = Some(best.map_or(value, |best| best.min(value)));
            }
            match answer {
                Answer::Impossible => {}
                Answer::Ray => {
                    return Ok(match (self.seen.first(), best) {
                        (Some((Some(_), _)), _) | (_, Some(_)) => WideEnd::Endless,
                        _ => WideEnd::Between { outer: None, found: None },
                    });
                }
                Answer::Unknown => return Ok(WideEnd::Between { outer: limit, found: best }),
                Answer::Limit(found) => {
                    if is_first {
                        if found > limit {
                            best = self.led(form, found, best);
                        }
                        limit = limit.max(found);
                    }
                    let found = if case.is_empty() { limit } else { found };
                    let is_closed = found.zip(best).is_some_and(|(found, best)| found >= best);
                    if !is_closed {
                        let Some(split) = self.split(&case) else {
                            return Ok(WideEnd::Between { outer: limit, found: best });
                        };
                        open.extend(split);
                    }
                }
            }
            is_first = false;
        }
        best.map(WideEnd::Exact).ok_or(Empty)
    }

    /// The least value that a table is known to have, after steps towards a limit.
    fn led(&mut self, form: &Form, limit: Option<i128>, best: Option<i128>) -> Option<i128> {
        let (Some(limit), Some(steps), Some(start)) = (limit, self.steps, &self.current) else { return best };
        if self.work == 0 || best.is_some_and(|best| limit >= best) {
            return best;
        }
        self.work = self.work.saturating_sub(LEADING);
        let Some(table) = steps.lead(form, limit, start) else { return best };
        self.remember(&table);
        Some(sum(form, &table))
    }

    /// One program: the form over the tables of a case.
    fn solve(&mut self, form: &Form, case: &Case) -> Answer {
        let (answer, work) = self.program.solve(form, case);
        self.work = self.work.saturating_sub(work);
        answer
    }

    /// The point where the last program ended, if that is a table; remembered for all goals.
    fn table(&mut self) -> Option<Vec<i128>> {
        let values = self.program.point();
        if values.iter().any(|value| value.abs() > 1e15 || (value - value.round()).abs() > 1e-5) {
            return None;
        }
        let table: Vec<i128> = values.iter().map(|value| value.round() as i128).collect();
        if !self.part.contains(&table) {
            return None;
        }
        self.remember(&table);
        Some(table)
    }

    /// Notes what a table says about all goals.
    fn remember(&mut self, table: &[i128]) {
        for goal in 0..self.seen.len() {
            let value = self.part.value(goal, table);
            let (low, high) = &mut self.seen[goal];
            *low = Some(low.map_or(value, |low| low.min(value)));
            *high = Some(high.map_or(value, |high| high.max(value)));
        }
        self.current = Some(table.to_vec());
    }

    /// Two cases of the variable that is furthest from being whole; `None` when all are whole.
    fn split(&self, case: &Case) -> Option<[Case; 2]> {
        let values = self.program.point();
        let off = |value: &f64| (value - value.round()).abs();
        let (variable, value) = values.iter().enumerate().max_by(|one, two| off(one.1).total_cmp(&off(two.1)))?;
        if off(value) < 1e-6 || value.abs() > 1e15 {
            return None;
        }
        let below = value.floor() as i128;
        let known = case.iter().rev().find(|(told, _)| *told == variable as u32).map(|(_, within)| *within);
        let (low, high) = known.unwrap_or(self.part.bounds[variable]);
        let with = |within: Interval| {
            let mut case: Case = case.iter().filter(|(told, _)| *told != variable as u32).copied().collect();
            case.push((variable as u32, within));
            case
        };
        Some([with((Some(below + 1), high)), with((low, Some(below)))])
    }
}
