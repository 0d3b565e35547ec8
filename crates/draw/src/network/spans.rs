//! Which of a part's forms are free: those that the equalities inside the part do not tie to the
//! others.

use analyse::{Demand, Form, Join, MadeOf, Network};
use std::collections::BTreeMap;

/// A sum of classes with coefficients.
type Vector = BTreeMap<u32, f64>;

/// The parts of a network, one after the other.
pub(crate) struct Spans {
    /// For every part its remembered forms, and the equalities that lie wholly inside; taken by the
    /// join that it is part of.
    parts: Vec<(Vec<Vector>, Vec<Vector>)>,
    entries: usize,
    /// All forms are counted as free.
    given_up: bool,
}

/// The most entries of all vectors together; larger networks have their forms counted as free.
const MOST_ENTRIES: usize = 1 << 22;

impl Spans {
    pub(crate) fn new(network: &Network) -> Spans {
        let given_up = network.joins.iter().all(|join| join.remembered < 2);
        Spans { parts: Vec::with_capacity(network.joins.len()), entries: 0, given_up }
    }

    /// The widths of the free forms of the next join: of those that say the same together the
    /// narrowest.
    pub(crate) fn free(&mut self, network: &Network, join: &Join, widths: &[f64]) -> Vec<f64> {
        let mut order: Vec<usize> = (0..widths.len()).collect();
        order.sort_by(|one, two| widths[*one].total_cmp(&widths[*two]));
        if self.given_up {
            return order.into_iter().map(|form| widths[form]).collect();
        }
        let (forms, mut equalities) = self.forms(join);
        let equal = |row: &(u32, i64)| matches!(network.rows[row.0 as usize].demand, Demand::Equal(_));
        let ended = forms.iter().zip(&join.forms).filter(|(_, form)| form.ending.iter().any(equal));
        equalities.extend(ended.map(|(vector, _)| vector.clone()));
        let remembered: Vec<Vector> = forms.into_iter().take(join.remembered).collect();
        self.entries += remembered.iter().chain(&equalities).map(Vector::len).sum::<usize>();
        self.given_up = self.entries > MOST_ENTRIES;
        let mut basis = BTreeMap::new();
        if remembered.len() > 1 {
            equalities.iter().for_each(|vector| {
                extends(&mut basis, vector.clone());
            });
        }
        let is_free = |form: &usize| extends(&mut basis, remembered[*form].clone());
        let free = order.into_iter().filter(is_free).map(|form| widths[form]).collect();
        self.parts.push((remembered, equalities));
        free
    }

    /// The forms of a join as sums of classes, and the equalities inside its parts.
    fn forms(&mut self, join: &Join) -> (Vec<Vector>, Vec<Vector>) {
        let (first, second) = match join.made_of {
            MadeOf::Class(class) => return (vec![Vector::from([(class, 1.0)])], Vec::new()),
            MadeOf::Parts(first, second) => (first, second),
        };
        let (one, inside) = std::mem::take(&mut self.parts[first as usize]);
        let (two, also) = std::mem::take(&mut self.parts[second as usize]);
        let form = |form: &Form| {
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
        (join.forms.iter().map(form).collect(), inside.into_iter().chain(also).collect())
    }
}

/// Whether a vector with small whole coefficients is independent of those before, for an estimate;
/// it then joins them.
fn extends(basis: &mut BTreeMap<u32, Vector>, mut vector: Vector) -> bool {
    vector.retain(|_, value| value.abs() > 1e-9);
    while let Some((class, value)) = vector.first_key_value().map(|(class, value)| (*class, *value)) {
        let Some(known) = basis.get(&class) else {
            basis.insert(class, vector);
            return true;
        };
        let factor = value / known[&class];
        for (class, value) in known {
            *vector.entry(*class).or_default() -= factor * value;
        }
        vector.remove(&class);
        vector.retain(|_, value| value.abs() > 1e-9);
    }
    false
}
