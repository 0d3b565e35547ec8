//! How many of a part's forms are free: those that the equalities inside the part do not tie to the others.

use analyse::{Demand, MadeOf, Network};
use std::collections::BTreeMap;

/// A sum of classes with coefficients.
type Vector = BTreeMap<u32, f64>;

/// For every part of a network the number of its forms that are free.
pub(crate) struct Spans {
    free: Vec<usize>,
}

/// The most entries of all vectors together; larger networks have their forms counted as free.
const MOST_ENTRIES: usize = 1 << 22;

impl Spans {
    pub(crate) fn new(network: &Network) -> Spans {
        let all = || network.joins.iter().map(|join| join.remembered).collect();
        if network.joins.iter().all(|join| join.remembered < 2) {
            return Spans { free: all() };
        }
        let mut free = Vec::with_capacity(network.joins.len());
        // For every part its remembered forms, and the equalities that lie wholly inside.
        let mut parts: Vec<(Vec<Vector>, Vec<Vector>)> = Vec::with_capacity(network.joins.len());
        let mut entries = 0;
        for join in &network.joins {
            let (forms, mut equalities) = match join.made_of {
                MadeOf::Class(class) => (vec![Vector::from([(class, 1.0)])], Vec::new()),
                MadeOf::Parts(first, second) => {
                    let (one, inside) = std::mem::take(&mut parts[first as usize]);
                    let (two, also) = std::mem::take(&mut parts[second as usize]);
                    let form = |form: &analyse::Form| {
                        let mut sum = Vector::new();
                        for (vectors, term) in [(&one, form.first), (&two, form.second)] {
                            if let Some((index, times)) = term {
                                for (class, value) in &vectors[index as usize] {
                                    *sum.entry(*class).or_default() += value * times as f64;
                                }
                            }
                        }
                        sum
                    };
                    (join.forms.iter().map(form).collect(), inside.into_iter().chain(also).collect::<Vec<_>>())
                }
            };
            for (vector, form) in forms.iter().zip(&join.forms) {
                let equal = |row: &(u32, i64)| matches!(network.rows[row.0 as usize].demand, Demand::Equal(_));
                if form.ending.iter().any(equal) {
                    equalities.push(vector.clone());
                }
            }
            let remembered: Vec<Vector> = forms.into_iter().take(join.remembered).collect();
            entries += remembered.iter().chain(&equalities).map(Vector::len).sum::<usize>();
            if entries > MOST_ENTRIES {
                return Spans { free: all() };
            }
            let together: Vec<Vector> = equalities.iter().chain(&remembered).cloned().collect();
            free.push(if remembered.len() < 2 { remembered.len() } else { rank(together) - rank(equalities.clone()) });
            parts.push((remembered, equalities));
        }
        Spans { free }
    }

    /// The number of free forms of a part.
    pub(crate) fn free(&self, part: usize) -> usize {
        self.free[part]
    }
}

/// The rank of some vectors with small whole coefficients, for an estimate.
fn rank(vectors: Vec<Vector>) -> usize {
    let mut basis: BTreeMap<u32, Vector> = BTreeMap::new();
    for mut vector in vectors {
        vector.retain(|_, value| value.abs() > 1e-9);
        while let Some((class, value)) = vector.first_key_value().map(|(class, value)| (*class, *value)) {
            let Some(known) = basis.get(&class) else {
                basis.insert(class, vector);
                break;
            };
            let factor = value / known[&class];
            for (class, value) in known {
                *vector.entry(*class).or_default() -= factor * value;
            }
            vector.remove(&class);
            vector.retain(|_, value| value.abs() > 1e-9);
        }
    }
    basis.len()
}
