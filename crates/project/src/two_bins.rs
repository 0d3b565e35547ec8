//! Two bins with a fixed total: all tables that are nearest in ℓ₁ (Gong and Meng 2020, section 4).

/// The member `β·u₁ + (1 − β)·u₂` of the family of ℓ₁-nearest tables for two bins with this total,
/// for β in [0, 1]: `u₁` keeps the first noisy count and lets the second one make up the total,
/// `u₂` the other way round.
///
/// β = ½ is the least-squares projection. On noise of scale 1/ε per cell the attained loss is
/// `ε/(2·max(β, 1 − β))`.
pub fn two_bins(total: f64, noisy: [f64; 2], beta: f64) -> [f64; 2] {
    let first = beta * noisy[0] + (1.0 - beta) * (total - noisy[1]);
    [first, total - first]
}
