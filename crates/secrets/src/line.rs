//! The distance between two laws of one number: the largest difference of their quantiles.

use dashu_int::UBig;

/// The ∞-Wasserstein distance between two laws on the integers, given as weights with the same sum
/// in the order of their values.
///
/// On a line the coupling by quantiles is the best one, so both laws are read once, side by side.
pub fn distance_on_a_line(
    one: impl IntoIterator<Item = (i64, UBig)>,
    two: impl IntoIterator<Item = (i64, UBig)>,
) -> u64 {
    let (mut one, mut two) = (one.into_iter(), two.into_iter());
    let (mut here, mut there) = (one.next(), two.next());
    let mut farthest = 0;
    while let (Some((value, weight)), Some((other, other_weight))) = (&mut here, &mut there) {
        let moved = (*weight).clone().min(other_weight.clone());
        if !moved.is_zero() {
            farthest = farthest.max(value.abs_diff(*other));
        }
        *weight -= &moved;
        *other_weight -= &moved;
        let (ended, other_ended) = (weight.is_zero(), other_weight.is_zero());
        if ended {
            here = one.next();
        }
        if other_ended {
            there = two.next();
        }
    }
    farthest
}
