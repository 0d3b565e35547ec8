//! `GoalSystem`: sums of classes within bounds, under rows, and the linear forms whose extremes are
//! asked for.

use crate::range::{End, Range};
use analyse::Union;
use analyse::program::{Empty, Form, Interval, Row, divided, lies_in, meet, sum};
use std::collections::HashMap;

/// What is asked for.
#[derive(Debug, Clone)]
pub(crate) enum Goals {
    /// Every variable.
    Each,
    /// These forms.
    Forms(Vec<Form>),
}

/// Variables, what binds them, and what is asked.
#[derive(Debug, Clone)]
pub(crate) struct GoalSystem {
    pub bounds: Vec<Interval>,
    pub rows: Vec<Row>,
    pub goals: Goals,
}

/// An independent part of another, with the numbers of the goals there that it has a piece of.
pub(crate) struct Piece {
    pub part: GoalSystem,
    pub goals: Vec<u32>,
}

/// One end of what was found out about a goal.
pub(crate) type WideEnd = End<i128>;

/// What was found out about a goal.
pub(crate) type WideRange = Range<i128>;

impl WideRange {
    /// Ends that are attained; a missing one is endless.
    pub(crate) fn attained((low, high): Interval) -> WideRange {
        let side = |end: Option<i128>| end.map_or(WideEnd::Endless, WideEnd::Exact);
        WideRange { low: side(low), high: side(high) }
    }

    /// What is known without any search.
    pub(crate) fn unknown((low, high): Interval) -> WideRange {
        let side = |outer: Option<i128>| WideEnd::Between { outer, found: None };
        WideRange { low: side(low), high: side(high) }
    }

    /// The range of a goal that is the sum of independent goals.
    pub(crate) fn plus(self, other: WideRange) -> WideRange {
        WideRange { low: self.low.plus(other.low), high: self.high.plus(other.high) }
    }
}

impl WideEnd {
    pub(crate) fn plus(self, other: WideEnd) -> WideEnd {
        let add = |one: Option<i128>, two: Option<i128>| Some(one? + two?);
        match (self, other) {
            (WideEnd::Exact(one), WideEnd::Exact(two)) => WideEnd::Exact(one + two),
            (WideEnd::Endless, _) | (_, WideEnd::Endless) => WideEnd::Endless,
            _ => WideEnd::Between {
                outer: add(self.limit(), other.limit()),
                found: add(self.reached(), other.reached()),
            },
        }
    }
}

impl GoalSystem {
    /// The number of goals.
    pub fn goals(&self) -> usize {
        match &self.goals {
            Goals::Each => self.bounds.len(),
            Goals::Forms(forms) => forms.len(),
        }
    }

    /// A goal as a form.
    pub fn goal(&self, number: usize) -> Form {
        match &self.goals {
            Goals::Each => vec![(number as u32, 1)],
            Goals::Forms(forms) => forms[number].clone(),
        }
    }

    /// The value of a goal in a table.
    pub fn value(&self, number: usize, table: &[i128]) -> i128 {
        match &self.goals {
            Goals::Each => table[number],
            Goals::Forms(forms) => sum(&forms[number], table),
        }
    }

    /// Whether a table keeps all rows and bounds.
    pub fn contains(&self, table: &[i128]) -> bool {
        table.len() == self.bounds.len()
            && table.iter().zip(&self.bounds).all(|(value, bounds)| lies_in(*value, *bounds))
            && self.rows.iter().all(|row| lies_in(sum(&row.entries, table), row.within))
    }

    /// Rows of one variable become bounds, and rows that ask nothing are dropped.
    pub fn tidy(mut self) -> Result<GoalSystem, Empty> {
        let mut rows = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            match (row.entries.as_slice(), row.within) {
                (_, (None, None)) => {}
                ([], within) if lies_in(0, within) => {}
                ([], _) => return Err(Empty),
                ([(variable, times)], within) => {
                    let bounds = &mut self.bounds[*variable as usize];
                    *bounds = meet(*bounds, divided(within, *times))?;
                }
                _ => rows.push(row),
            }
        }
        Ok(GoalSystem { rows, ..self })
    }

    /// The independent parts. Variables in no row are one part together: there may be a million of
    /// them.
    pub fn split(self) -> Vec<Piece> {
        let mut tied = Union::new(self.bounds.len());
        for row in &self.rows {
            for pair in row.entries.windows(2) {
                tied.join(pair[0].0, pair[1].0);
            }
        }
        let mut is_bound = vec![false; self.bounds.len()];
        self.rows.iter().flat_map(|row| &row.entries).for_each(|(variable, _)| is_bound[*variable as usize] = true);
        let mut number: HashMap<Option<u32>, u32> = HashMap::new();
        let mut pieces: Vec<Piece> = Vec::new();
        let is_each = matches!(self.goals, Goals::Each);
        let mut place = Vec::with_capacity(self.bounds.len());
        for (variable, bounds) in self.bounds.iter().enumerate() {
            let tree = is_bound[variable].then(|| tied.top(variable as u32));
            let part = *number.entry(tree).or_insert_with(|| {
                let goals = if is_each { Goals::Each } else { Goals::Forms(Vec::new()) };
                let part = GoalSystem { bounds: Vec::new(), rows: Vec::new(), goals };
                pieces.push(Piece { part, goals: Vec::new() });
                pieces.len() as u32 - 1
            });
            let own = &mut pieces[part as usize];
            place.push((part, own.part.bounds.len() as u32));
            own.part.bounds.push(*bounds);
            if is_each {
                own.goals.push(variable as u32);
            }
        }
        let moved = |form: &[(u32, i64)]| form.iter().map(|(v, times)| (place[*v as usize].1, *times)).collect();
        for row in &self.rows {
            let part = place[row.entries[0].0 as usize].0 as usize;
            pieces[part].part.rows.push(Row { entries: moved(&row.entries), within: row.within });
        }
        let forms = if let Goals::Forms(forms) = &self.goals { forms.as_slice() } else { &[] };
        for (goal, form) in forms.iter().enumerate() {
            let mut form = form.clone();
            form.sort_by_key(|(variable, _)| place[*variable as usize].0);
            for same in form.chunk_by(|one, two| place[one.0 as usize].0 == place[two.0 as usize].0) {
                let piece = &mut pieces[place[same[0].0 as usize].0 as usize];
                if let Goals::Forms(own) = &mut piece.part.goals {
                    own.push(moved(same));
                }
                piece.goals.push(goal as u32);
            }
        }
        pieces
    }
}
