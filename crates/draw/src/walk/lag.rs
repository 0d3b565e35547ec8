//! L-lag couplings: two chains of the same walk, one L steps ahead, until they meet.

use super::kernel::Kernel;
use exact::Entropy;

/// Runs a pair from one start; returns the steps τ − L of the later chain until both are equal, at least one. `None` when they
/// did not meet in `most` steps.
pub fn meeting<K: Kernel, E: Entropy>(kernel: &K, start: &[i64], lag: u64, most: u64, entropy: &mut E) -> Option<u64> {
    let mut ahead = kernel.start(start.to_vec());
    let mut behind = kernel.start(start.to_vec());
    for _ in 0..lag {
        kernel.step(&mut ahead, entropy);
    }
    // A cell in which they differ, where that is so: most comparisons look no further.
    let mut differs = 0;
    for steps in 1..=most {
        kernel.couple(&mut ahead, &mut behind, entropy);
        let (one, two) = (kernel.values(&ahead), kernel.values(&behind));
        if one.get(differs) == two.get(differs) {
            match one.iter().zip(two).position(|(one, two)| one != two) {
                Some(place) => differs = place,
                None => return Some(steps),
            }
        }
    }
    None
}
