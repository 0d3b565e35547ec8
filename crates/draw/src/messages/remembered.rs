//! Quick bounds that were computed once and are asked for again: a block of a few hundred cells
//! meets the same sums.

use exact::lazy::Bounds;
use std::collections::HashMap;
use std::sync::RwLock;

/// So many bounds are remembered, no more: beyond this the cells cost more than the bounds.
const MOST: usize = 1 << 14;

/// Bounds by sum or offset. They depend on that alone, so what is remembered changes no draw.
#[derive(Debug, Default)]
pub(super) struct Remembered(RwLock<HashMap<i64, Bounds>>);

impl Remembered {
    /// The bounds at `key`, computed unless they are known.
    pub(super) fn get(&self, key: i64, compute: impl FnOnce() -> Bounds) -> Bounds {
        if let Some(bounds) = self.0.read().ok().and_then(|known| known.get(&key).copied()) {
            return bounds;
        }
        let bounds = compute();
        if let Ok(mut known) = self.0.write()
            && known.len() < MOST
        {
            known.insert(key, bounds);
        }
        bounds
    }
}
