//! `Range`: the least and the largest value that a cell or a sum has in any table, and how much of
//! that is proved.

/// One end of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End<T = i64> {
    /// A table of the fibre has this value, and none goes beyond it.
    Exact(T),
    /// There are tables as far out as one likes.
    Endless,
    /// Not decided within the limit of work.
    Between {
        /// No table goes beyond this; `None`: nothing is known.
        outer: Option<T>,
        /// A table was found that goes this far; `None`: none was found.
        found: Option<T>,
    },
}

/// What is known about the values of a cell or a sum over all tables that keep totals, bounds and
/// rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range<T = i64> {
    /// The least value.
    pub low: End<T>,
    /// The largest value.
    pub high: End<T>,
}

impl<T> End<T> {
    /// What no table goes beyond, if there is such a value.
    pub fn limit(self) -> Option<T> {
        match self {
            End::Exact(value) => Some(value),
            End::Endless => None,
            End::Between { outer, .. } => outer,
        }
    }

    /// How far out a table is known to be, if one is; of an endless end `None` too.
    pub(crate) fn reached(self) -> Option<T> {
        if let End::Between { found, .. } = self { found } else { self.limit() }
    }
}

impl<T> Range<T> {
    /// A range with these ends, both attained.
    pub fn exact(low: T, high: T) -> Range<T> {
        Range { low: End::Exact(low), high: End::Exact(high) }
    }
}

impl Range {
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
