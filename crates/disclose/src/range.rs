//! `Range`: the least and the largest value that a cell or a sum has in any table, and how much of
//! that is proved.

/// One end of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// A table of the fibre has this value, and none goes beyond it.
    Exact(i64),
    /// There are tables as far out as one likes.
    Endless,
    /// Not decided within the limit of work.
    Between {
        /// No table goes beyond this; `None`: nothing is known.
        outer: Option<i64>,
        /// A table was found that goes this far; `None`: none was found.
        found: Option<i64>,
    },
}

/// What is known about the values of a cell or a sum over all tables that keep totals, bounds and
/// rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The least value.
    pub low: End,
    /// The largest value.
    pub high: End,
}

impl End {
    /// How far out a table is known to be, if one is; of an endless end `None` too.
    fn reached(self) -> Option<i64> {
        match self {
            End::Exact(value) => Some(value),
            End::Endless => None,
            End::Between { found, .. } => found,
        }
    }

    /// What no table goes beyond, if there is such a value.
    pub fn limit(self) -> Option<i64> {
        match self {
            End::Exact(value) => Some(value),
            End::Endless => None,
            End::Between { outer, .. } => outer,
        }
    }
}

impl Range {
    /// A range with these ends, both attained.
    pub fn exact(low: i64, high: i64) -> Range {
        Range { low: End::Exact(low), high: End::Exact(high) }
    }

    /// Whether both ends are decided.
    pub fn is_proved(&self) -> bool {
        !matches!(self.low, End::Between { .. }) && !matches!(self.high, End::Between { .. })
    }

    /// The value that all tables share, if it is proved that they do.
    pub fn value(&self) -> Option<i64> {
        self.low.limit().filter(|low| Some(*low) == self.high.limit())
    }

    /// Whether tables are known whose values differ by more than this. What is not shown to be wide
    /// counts as narrow.
    pub fn is_wider_than(&self, width: u64) -> bool {
        if self.low == End::Endless || self.high == End::Endless {
            return true;
        }
        match (self.low.reached(), self.high.reached()) {
            (Some(low), Some(high)) => high.abs_diff(low) > width && high > low,
            _ => false,
        }
    }
}
