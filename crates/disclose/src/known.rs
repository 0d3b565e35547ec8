//! `Known`: what totals, bounds and rules alone say about every cell, whatever the noise: the least
//! and the largest value in any table.
//!
//! Cells that no row tells apart are one class, whose sum is one variable. Variables that rows tie
//! together are one part, and parts are independent. A part whose rows nest or hang together
//! without a cycle is solved by one row after another, a two-way table by closed forms or flows,
//! any other by linear programs whose results are checked in whole numbers. What is returned is
//! proved, or says that it is not. A function of public values alone. Proof:
//! `proofs/disclosure.md`.

use crate::part::{GoalSystem, Goals, WideEnd, WideRange};
use crate::range::{End, Range};
use crate::ranges::{MarginRanges, Ranges};
use crate::solve;
use analyse::Classes;
use analyse::program::{Empty, Interval, Row};
use declare::{Conditions, Grouping, Kind, Problem};

/// Tables of more classes are not searched: nothing is then proved about their cells.
const MOST_CLASSES: usize = 1 << 21;

/// How much work the search for ranges may take in all, in entries of tables and arcs of networks
/// that are looked at: the same for everybody who searches, so that a verifier finds what was
/// certified. Half as much again is for sums.
pub const SEARCH_WORK: u64 = 40_000_000_000;

/// What is public about a table: which sums are known, and what every table satisfies.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Totals and rules; totals pinned to other values than the table's own say nothing about it
    /// and are left out.
    pub conditions: &'a Conditions,
    /// The values of the totals, by grouping and group.
    pub totals: &'a [Vec<i64>],
    /// What every cell is at least, whatever the conditions say: 0 of counts.
    pub least: Option<i64>,
}

impl<'a> Known<'a> {
    /// What is public about a table of counts.
    pub fn counts(conditions: &'a Conditions, totals: &'a [Vec<i64>]) -> Known<'a> {
        Known { conditions, totals, least: Some(0) }
    }

    /// The least and the largest value of every cell, and of every sum of the `asked` groupings,
    /// over all tables that satisfy what is known. `progress` is told of cells and sums that are
    /// done.
    ///
    /// # Errors
    /// Infeasible when it is proved that no table satisfies it; bad when totals do not fit the
    /// groupings; refused when a sum leaves 64 bits.
    pub fn ranges(&self, asked: &[Grouping], progress: &(dyn Fn(u64) + Sync)) -> Result<Ranges, Problem> {
        self.check()?;
        let classes = Classes::new(self.conditions.cells, self.groupings());
        let part = self.part(&classes, Goals::Each);
        let found = match classes.len() <= MOST_CLASSES {
            true => extremes(part, SEARCH_WORK, progress)?,
            false => part.bounds.iter().map(|bounds| WideRange::unknown((bounds.0, None))).collect(),
        };
        let of_class = |(found, size): (WideRange, &u32)| Ok((self.cell_of_class(found, *size)?, *size as usize));
        let classes_found: Result<Vec<(Range, usize)>, Problem> =
            found.into_iter().zip(&classes.size).map(of_class).collect();
        let work = SEARCH_WORK / 2 / asked.len().max(1) as u64;
        let margins =
            asked.iter().map(|grouping| self.margin(grouping, work, progress)).collect::<Result<_, Problem>>()?;
        Ok(Ranges { classes: classes_found?, class_of: classes.of_cell, each: 1, margins })
    }

    /// The ranges of the sums of one grouping, within so much work.
    pub(crate) fn margin(
        &self,
        grouping: &Grouping,
        work: u64,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<MarginRanges, Problem> {
        if grouping.group_of.len() != self.conditions.cells {
            return Err(Problem::bad(format!("the sums `{}` do not fit the table", grouping.label)));
        }
        let classes = Classes::new(self.conditions.cells, self.groupings().chain([grouping]));
        let part = self.part(&classes, Goals::Forms(classes.sums(grouping)));
        let found = match classes.len() <= MOST_CLASSES {
            true => extremes(part, work, progress)?,
            false => (0..grouping.groups()).map(|_| WideRange::unknown((None, None))).collect(),
        };
        let ranges = found.into_iter().map(range).collect::<Result<_, Problem>>()?;
        Ok(MarginRanges { label: grouping.label.clone(), names: grouping.names.clone(), ranges })
    }

    /// The groupings of which something is known.
    fn groupings(&self) -> impl Iterator<Item = &'a Grouping> {
        let own = self.conditions.invariants.iter().zip(&self.conditions.pinned).filter(|(_, pinned)| pinned.is_none());
        own.map(|(grouping, _)| grouping).chain(self.conditions.rules.iter().map(|rule| &rule.grouping))
    }

    /// The values of every group of [`Known::groupings`], as intervals.
    fn intervals(&self) -> impl Iterator<Item = Vec<Interval>> {
        let exactly = |value: i64| (Some(i128::from(value)), Some(i128::from(value)));
        let totals = self.totals.iter().zip(&self.conditions.pinned).filter(|(_, pinned)| pinned.is_none());
        let rules = self
            .conditions
            .rules
            .iter()
            .map(move |rule| vec![rule.relation.interval(i128::from(rule.bound)); rule.grouping.groups()]);
        totals.map(move |(values, _)| values.iter().map(|value| exactly(*value)).collect()).chain(rules)
    }

    fn check(&self) -> Result<(), Problem> {
        let Known { conditions, totals, .. } = self;
        let same = |(grouping, totals): (&Grouping, &Vec<i64>)| grouping.groups() == totals.len();
        let fits = conditions.invariants.len() == totals.len()
            && conditions.pinned.len() == totals.len()
            && conditions.invariants.iter().zip(*totals).all(same)
            && self.groupings().all(|grouping| grouping.group_of.len() == conditions.cells);
        if fits { Ok(()) } else { Err(Problem::bad("the totals do not fit the invariants")) }
    }

    /// What every cell is at least.
    fn floor(&self) -> Option<i64> {
        self.least.max(self.conditions.nonnegative.then_some(0))
    }

    /// The sums of classes and what binds them.
    fn part(&self, classes: &Classes, goals: Goals) -> GoalSystem {
        let floor = self.floor().map(i128::from);
        let bounds = classes.size.iter().map(|size| (floor.map(|floor| floor * i128::from(*size)), None)).collect();
        let mut rows = Vec::new();
        for (grouping, intervals) in self.groupings().zip(self.intervals()) {
            let sums = classes.sums(grouping).into_iter().zip(intervals);
            rows.extend(sums.map(|(entries, within)| Row { entries, within }));
        }
        GoalSystem { bounds, rows, goals }
    }

    /// One cell of a class: of several, the others can take whatever is left above the floor.
    fn cell_of_class(&self, found: WideRange, size: u32) -> Result<Range, Problem> {
        if size == 1 {
            return range(found);
        }
        let Some(floor) = self.floor() else { return Ok(Range { low: End::Endless, high: End::Endless }) };
        let others = WideEnd::Exact(-i128::from(floor) * i128::from(size - 1));
        let low = match found.low {
            WideEnd::Exact(_) | WideEnd::Endless => WideEnd::Exact(i128::from(floor)),
            WideEnd::Between { found, .. } => {
                WideEnd::Between { outer: Some(i128::from(floor)), found: found.map(|_| i128::from(floor)) }
            }
        };
        range(WideRange { low, high: found.high.plus(others) })
    }
}

fn extremes(part: GoalSystem, work: u64, progress: &(dyn Fn(u64) + Sync)) -> Result<Vec<WideRange>, Problem> {
    solve::extremes(part, work, &|goals| progress(goals as u64)).map_err(|Empty| {
        Problem::new(Kind::Infeasible, "no table satisfies all totals, bounds and rules together")
            .hint("rules, bounds, or values pinned with `values` or `from` contradict each other")
    })
}

fn range(found: WideRange) -> Result<Range, Problem> {
    let narrow = |value: i128| {
        i64::try_from(value).map_err(|_| Problem::refused("the range of a sum of cells leaves 64-bit integers"))
    };
    let end = |side: WideEnd| {
        Ok::<End, Problem>(match side {
            WideEnd::Exact(value) => End::Exact(narrow(value)?),
            WideEnd::Endless => End::Endless,
            WideEnd::Between { outer, found } => {
                let (outer, found) = (outer.map(narrow).transpose()?, found.map(narrow).transpose()?);
                match outer.is_some() && outer == found {
                    true => found.map_or(End::Endless, End::Exact),
                    false => End::Between { outer, found },
                }
            }
        })
    };
    Ok(Range { low: end(found.low)?, high: end(found.high)? })
}
