//! When many pairs of a small walk met.

use crate::tables::fibres::Small;
use exact::Rational;
use walk::{Lagged, Wanted};

/// When many pairs with this lag met.
pub fn evidence(small: &Small, lag: u64, pairs: u64) -> Lagged {
    let wanted = Wanted { pairs, distance: Rational::new(1, 100u8), lag: Some(lag) };
    small.walk().lagged(Some(std::slice::from_ref(&small.table)), &wanted, &|_| {}).unwrap()
}
