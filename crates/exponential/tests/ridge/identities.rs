//! Columns are scaled, rounded and clamped.

use crate::tables::targets::number;
use exponential::Scaling;

#[test]
fn columns_are_scaled_rounded_and_clamped() {
    let scaling = Scaling::new(&number("-4"), &number("63"), 10_000).unwrap();
    assert_eq!(scaling.scaled(&number("-4")), -10_000);
    assert_eq!(scaling.scaled(&number("63")), 10_000);
    assert_eq!(scaling.scaled(&number("29.5")), 0);
    assert_eq!(scaling.scaled(&number("30")), 149, "0.5/33.5 = 0.014925…");
    assert_eq!(scaling.scaled(&number("1e9")), 10_000);
    assert_eq!(scaling.scaled(&number("-1e9")), -10_000);
    assert!(scaling.is_outside(&number("63.01")) && !scaling.is_outside(&number("63")));
    assert!(Scaling::new(&number("1"), &number("1"), 10).is_none());
}
