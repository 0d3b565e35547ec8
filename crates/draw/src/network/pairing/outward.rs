//! What a join tells its two parts: the weight of everything outside each of them.

use super::key::Key;
use super::{Keyed, Packed};
use exact::Positive;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The weights outside the two parts of a join, for their entries; and what ends in the join.
#[derive(Debug)]
pub(crate) struct Outward<T> {
    pub first: Vec<T>,
    pub second: Vec<T>,
    /// For every form that was asked for: the weights of its values.
    pub forms: Vec<(usize, BTreeMap<i64, T>)>,
}

impl<T: Positive, K: Key> Packed<T, K> {
    /// From the weights outside the join, by the values of its remembered forms. `wanted` are forms
    /// that end in the join and whose weights are to be told.
    pub(super) fn outward<'v>(
        &self,
        outside: impl Iterator<Item = (Cow<'v, [i64]>, T)>,
        wanted: &[usize],
    ) -> Outward<T> {
        let mut outward = Outward {
            first: vec![T::zero(); self.first_keys.len()],
            second: vec![T::zero(); self.second_keys.len()],
            forms: wanted.iter().map(|form| (*form, BTreeMap::new())).collect(),
        };
        let Some((told, known)) = self.known(&[]) else { return outward };
        let mut by_key: Keyed<K, T> = Keyed::default();
        for (values, weight) in outside {
            let packed = |key: Option<K>, form: usize| Some(key?.or(self.fields[form].packed(values[form])?));
            let Some(key) = (0..self.remembered).fold(Some(K::ZERO), packed) else { continue };
            let asked = self.asked[..self.remembered].iter().zip(values.iter()).filter(|(asked, _)| asked.noisy());
            by_key.insert(key, asked.fold(weight, |weight, (asked, value)| weight.times(&asked.factor(*value))));
        }
        let looked_at = self.looked_at(&known);
        let partners = self.partners(self.mask(&known));
        let remembered = self.mask(&(0..self.remembered).collect::<Vec<_>>());
        for (entry, one) in self.first.weights.iter().enumerate() {
            let mut sum = T::zero();
            self.each_partner(entry, (told, &known), &partners, &looked_at, |other, key, factor| {
                let Some(outside) = by_key.get(&key.and(remembered)) else { return };
                let outside = factor.map_or_else(|| outside.clone(), |factor| outside.times(&factor));
                let both = self.second.weights[other].times(&outside);
                outward.second[other] = outward.second[other].plus(&one.times(&outside));
                for (form, weights) in &mut outward.forms {
                    let weight = weights.entry(self.fields[*form].value(key)).or_insert_with(T::zero);
                    *weight = weight.plus(&one.times(&both));
                }
                sum = sum.plus(&both);
            });
            outward.first[entry] = sum;
        }
        outward
    }
}
