//! `Bounds`: the bounds of all cells, kept by what draws them.

use crate::bell::NO_HIGH;
use crate::outline::CellBounds;
use crate::split::Limits;

/// The bounds of the cells.
#[derive(Debug, Clone)]
pub(crate) enum Bounds {
    None,
    AtLeastZero,
    Each(Vec<i64>, Vec<i64>),
}

impl Bounds {
    pub(crate) fn new(bounds: CellBounds<'_>) -> Self {
        match bounds {
            CellBounds::None => Bounds::None,
            CellBounds::AtLeastZero => Bounds::AtLeastZero,
            CellBounds::Each(low, high) => Bounds::Each(low.to_vec(), high.to_vec()),
        }
    }

    pub(crate) fn limits(&self) -> Limits<'_> {
        match self {
            Bounds::None => Limits::Free,
            Bounds::AtLeastZero => Limits::Same(0, NO_HIGH),
            Bounds::Each(low, high) => Limits::Each(low, high),
        }
    }
}
