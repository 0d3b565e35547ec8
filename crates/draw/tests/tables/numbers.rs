//! Numbers as tests write them.

use exact::{Enclosure, Rational};

pub fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

/// FNV-1a over the bytes of the values.
pub fn digest(values: &[i64]) -> u64 {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// What the tapes of a factor may leave unresolved: 2⁻²⁰.
pub const RESOLVED: f64 = 1.0 / (1 << 20) as f64;

/// A probability that was computed in machine numbers: good to 10⁻¹², far below what tapes leave
/// unresolved.
pub fn close(share: f64) -> Enclosure {
    Enclosure::from_rational(&Rational::new((share * 1e12).round() as u64, 1_000_000_000_000u64), 128)
}
