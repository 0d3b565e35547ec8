//! `Part`: sums of classes within bounds, under rows, and the linear forms whose extremes are asked for.

use std::collections::HashMap;

/// An interval of integers; either end may be missing.
pub(super) type Interval = (Option<i128>, Option<i128>);

/// A linear form: variables with whole coefficients, none zero.
pub(super) type Form = Vec<(u32, i64)>;

/// A sum over variables and the interval that it lies in.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub entries: Form,
    pub within: Interval,
}

/// What is asked for.
#[derive(Debug, Clone)]
pub(super) enum Goals {
    /// Every variable.
    Each,
    /// These forms.
    Forms(Vec<Form>),
}

/// Variables, what binds them, and what is asked.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub bounds: Vec<Interval>,
    pub rows: Vec<Row>,
    pub goals: Goals,
}

/// No integers keep all rows and bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Empty;

/// One end of what was found out about a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Exact(i128),
    Endless,
    Between { outer: Option<i128>, found: Option<i128> },
}

/// What was found out about a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub low: Side,
    pub high: Side,
}

impl Found {
    /// Ends that are attained; a missing one is endless.
    pub fn exact((low, high): Interval) -> Found {
        let side = |end: Option<i128>| end.map_or(Side::Endless, Side::Exact);
        Found { low: side(low), high: side(high) }
    }

    /// The range of a goal that is the sum of independent goals.
    pub fn plus(self, other: Found) -> Found {
        Found { low: self.low.plus(other.low), high: self.high.plus(other.high) }
    }
}

impl Side {
    fn plus(self, other: Side) -> Side {
        let add = |one: Option<i128>, two: Option<i128>| Some(one? + two?);
        let ends = |side: Side| match side {
            Side::Exact(value) => (Some(value), Some(value)),
            Side::Endless => (None, None),
            Side::Between { outer, found } => (outer, found),
        };
        match (self, other) {
            (Side::Exact(one), Side::Exact(two)) => Side::Exact(one + two),
            (Side::Endless, _) | (_, Side::Endless) => Side::Endless,
            _ => {
                let ((outer, found), (other_outer, other_found)) = (ends(self), ends(other));
                Side::Between { outer: add(outer, other_outer), found: add(found, other_found) }
            }
        }
    }
}

impl Part {
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
    pub fn tidy(mut self) -> Result<Part, Empty> {
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
        Ok(Part { rows, ..self })
    }

    /// The independent parts, each with the numbers of its variables and of the goals that it has a piece of.
    pub fn split(self) -> Vec<(Part, Vec<u32>, Vec<u32>)> {
        let mut above: Vec<u32> = (0..self.bounds.len() as u32).collect();
        for row in &self.rows {
            for pair in row.entries.windows(2) {
                let (one, other) = (top(&mut above, pair[0].0), top(&mut above, pair[1].0));
                above[one.max(other) as usize] = one.min(other);
            }
        }
        let mut number: HashMap<u32, u32> = HashMap::new();
        let mut parts: Vec<(Part, Vec<u32>, Vec<u32>)> = Vec::new();
        let mut place = Vec::with_capacity(self.bounds.len());
        for (variable, bounds) in self.bounds.iter().enumerate() {
            let part = *number.entry(top(&mut above, variable as u32)).or_insert_with(|| {
                let goals = if matches!(self.goals, Goals::Each) { Goals::Each } else { Goals::Forms(Vec::new()) };
                parts.push((Part { bounds: Vec::new(), rows: Vec::new(), goals }, Vec::new(), Vec::new()));
                parts.len() as u32 - 1
            });
            let (own, variables, _) = &mut parts[part as usize];
            place.push((part, variables.len() as u32));
            own.bounds.push(*bounds);
            variables.push(variable as u32);
        }
        let moved = |form: &[(u32, i64)]| form.iter().map(|(v, times)| (place[*v as usize].1, *times)).collect();
        for row in &self.rows {
            let part = place[row.entries[0].0 as usize].0 as usize;
            parts[part].0.rows.push(Row { entries: moved(&row.entries), within: row.within });
        }
        match &self.goals {
            Goals::Each => parts.iter_mut().for_each(|(_, variables, goals)| goals.clone_from(variables)),
            Goals::Forms(forms) => {
                for (goal, form) in forms.iter().enumerate() {
                    let mut form = form.clone();
                    form.sort_by_key(|(variable, _)| place[*variable as usize].0);
                    for piece in form.chunk_by(|one, two| place[one.0 as usize].0 == place[two.0 as usize].0) {
                        let part = place[piece[0].0 as usize].0 as usize;
                        if let Goals::Forms(own) = &mut parts[part].0.goals {
                            own.push(moved(piece));
                        }
                        parts[part].2.push(goal as u32);
                    }
                }
            }
        }
        parts
    }
}

fn top(above: &mut [u32], mut variable: u32) -> u32 {
    while above[variable as usize] != variable {
        above[variable as usize] = above[above[variable as usize] as usize];
        variable = above[variable as usize];
    }
    variable
}

/// The value of a form.
pub(super) fn sum(form: &[(u32, i64)], table: &[i128]) -> i128 {
    form.iter().map(|(variable, times)| i128::from(*times) * table[*variable as usize]).sum()
}

/// Whether a value is in an interval.
pub(super) fn lies_in(value: i128, (low, high): Interval) -> bool {
    low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high)
}

/// The values that two intervals share.
pub(super) fn meet(one: Interval, other: Interval) -> Result<Interval, Empty> {
    let low = one.0.max(other.0);
    let high = match (one.1, other.1) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    if low.zip(high).is_some_and(|(low, high)| low > high) { Err(Empty) } else { Ok((low, high)) }
}

/// The integers of which so many times lie in an interval.
pub(super) fn divided((low, high): Interval, times: i64) -> Interval {
    let times = i128::from(times);
    let (low, high) = if times > 0 { (low, high) } else { (high.map(|end| -end), low.map(|end| -end)) };
    let size = times.abs();
    let up = |end: i128| end.div_euclid(size) + i128::from(end.rem_euclid(size) != 0);
    (low.map(up), high.map(|end| end.div_euclid(size)))
}

/// A form that vanishes nowhere else: so many times an interval.
pub(super) fn multiplied((low, high): Interval, times: i64) -> Interval {
    let by = |end: Option<i128>| end.map(|end| end * i128::from(times));
    if times > 0 { (by(low), by(high)) } else { (by(high), by(low)) }
}
