//! `Remembered`: what was computed once and is asked for again.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::RwLock;

/// Values by key. They depend on that alone, so what is remembered changes no draw.
#[derive(Debug)]
pub(crate) struct Remembered<K, V> {
    known: RwLock<HashMap<K, V>>,
    /// So many are remembered, no more.
    most: usize,
}

impl<K: Eq + Hash, V: Clone> Remembered<K, V> {
    /// Remembers at most so many values.
    pub(crate) fn up_to(most: usize) -> Self {
        Remembered { known: RwLock::default(), most }
    }

    /// The value at `key`, computed unless it is known.
    pub(crate) fn get(&self, key: K, compute: impl FnOnce() -> V) -> V {
        if let Some(value) = self.known.read().ok().and_then(|known| known.get(&key).cloned()) {
            return value;
        }
        let value = compute();
        if let Ok(mut known) = self.known.write()
            && known.len() < self.most
        {
            known.insert(key, value.clone());
        }
        value
    }
}
