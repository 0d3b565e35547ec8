//! `Pairing`: how the values of two parts meet in a join.
//!
//! The values that an entry adds to the forms of the join are packed into one number, a field per
//! form, so that a pair of entries is one addition ([`key`]). Forms whose value is known (it ends
//! in an equality, or it is told) select the partners of an entry by look-up; the others are
//! checked pair by pair.

mod key;
mod outward;
mod partners;

use super::rows::{FormDemand, Rows};
use super::sparse::Sparse;
use crate::sums::{Precision, rounded_up};
use analyse::Join;
use exact::attention::look;
use exact::lazy::Uniform;
use exact::{Decision, Positive, Weighted};
use key::{Key, Words};
use partners::{Keyed, Partners};
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// The values of all forms of a join may need so many bits: a field lies within one of 16 words,
/// and two words that follow each other hold more than 64 bits together.
pub const MOST_KEY_BITS: u32 = 480;

/// Up to so many bits one machine number holds all fields.
pub const NARROW_KEY_BITS: u32 = u128::BITS - 1;

/// Where the value of a form lies in a key.
#[derive(Debug, Clone, Copy)]
struct Field {
    shift: u32,
    bits: u32,
    /// The value that a field of zero stands for.
    base: i64,
}

impl Field {
    fn mask<K: Key>(self) -> K {
        K::put(K::put(u64::MAX, 0).get(0, self.bits), self.shift)
    }

    #[inline]
    fn value<K: Key>(self, key: K) -> i64 {
        key.get(self.shift, self.bits) as i64 + self.base
    }

    /// The field of a value, if it fits.
    fn packed<K: Key>(self, value: i64) -> Option<K> {
        let field = u64::try_from(value.checked_sub(self.base)?).ok()?;
        (K::put(field, 0).get(0, self.bits) == field).then(|| K::put(field, self.shift))
    }
}

/// The entries of two parts, ready to be paired: with keys as wide as their values need.
#[derive(Debug)]
pub(crate) enum Pairing<T> {
    /// One machine number.
    Narrow(Packed<T, u128>),
    /// Four words.
    Broad(Packed<T, Words<4>>),
    /// Sixteen words.
    Broadest(Packed<T, Words<16>>),
}

/// Calls the same on whatever keys there are.
macro_rules! on_keys {
    ($pairing:expr, $packed:ident => $call:expr) => {
        match $pairing {
            Pairing::Narrow($packed) => $call,
            Pairing::Broad($packed) => $call,
            Pairing::Broadest($packed) => $call,
        }
    };
}

impl<T: Positive> Pairing<T> {
    /// `None` when the values spread too far to be packed.
    pub(crate) fn new(
        join: &Join,
        first: Arc<Sparse<T>>,
        second: Arc<Sparse<T>>,
        rows: &Rows,
        precision: Precision,
    ) -> Option<Self> {
        let narrow = Packed::new(join, first.clone(), second.clone(), rows, precision).map(Pairing::Narrow);
        let broad = || Packed::new(join, first.clone(), second.clone(), rows, precision).map(Pairing::Broad);
        let broadest = || Packed::new(join, first.clone(), second.clone(), rows, precision).map(Pairing::Broadest);
        narrow.or_else(broad).or_else(broadest)
    }

    /// Both parts, first and second.
    pub(crate) fn sides(&self) -> (&Sparse<T>, &Sparse<T>) {
        on_keys!(self, packed => packed.sides())
    }

    /// The weights of the remembered forms of the join.
    pub(crate) fn joined(&self, precision: Precision) -> Sparse<T> {
        on_keys!(self, packed => packed.joined(precision))
    }

    /// Where a uniform number falls among the pairs that give the remembered forms these values, if
    /// this level can tell.
    pub(crate) fn decide(&self, told: &[i64], bits: u32, uniform: &Uniform) -> Result<(u32, u32), Decision> {
        on_keys!(self, packed => packed.pairs(told).decide(bits, uniform))
    }

    /// What the join tells its two parts: see [`outward`].
    pub(crate) fn outward<'v>(
        &self,
        outside: impl Iterator<Item = (Cow<'v, [i64]>, T)>,
        wanted: &[usize],
    ) -> outward::Outward<T> {
        on_keys!(self, packed => packed.outward(outside, wanted))
    }
}

/// The pairs of two parts, with keys of one kind.
#[derive(Debug)]
pub(crate) struct Packed<T, K> {
    first: Arc<Sparse<T>>,
    second: Arc<Sparse<T>>,
    first_keys: Vec<K>,
    second_keys: Vec<K>,
    fields: Vec<Field>,
    asked: Vec<FormDemand<T>>,
    /// The factors of all values of noisy forms that end here, from the base of their field on;
    /// empty where they are too many.
    factors: Vec<Vec<T>>,
    remembered: usize,
    /// The entries of the second part by the fields of remembered and of known forms.
    partners: OnceLock<Partners<K>>,
    /// What is missing from the weights of pairs.
    missing: T,
    /// The pairs of a join that remembers nothing: all draws choose from the same ones.
    all: OnceLock<Summed<T>>,
}

/// Pairs added up by their first entries.
#[derive(Debug, Clone)]
struct Summed<T> {
    /// The first entries that have partners.
    entries: Vec<u32>,
    /// The weight of all pairs of each.
    weights: Vec<T>,
    /// The most partners that one has.
    longest: u64,
    missing: T,
}

/// The pairs that agree with what a join was told, by their first entries: there may be far more
/// pairs than memory.
#[derive(Debug)]
struct Pairs<'p, T: Positive, K: Key> {
    pairing: &'p Packed<T, K>,
    wanted: K,
    known: Vec<usize>,
    summed: Cow<'p, Summed<T>>,
}

impl<T: Positive, K: Key> Packed<T, K> {
    /// `None` when the values spread too far to be packed.
    fn new(
        join: &Join,
        first: Arc<Sparse<T>>,
        second: Arc<Sparse<T>>,
        rows: &Rows,
        precision: Precision,
    ) -> Option<Self> {
        let forms = join.forms.iter().zip(&join.limits);
        let asked = forms.map(|(form, limits)| rows.asked(&form.ending, *limits, precision)).collect();
        let one = missing_weight(&first, &second);
        let mut pairing = Packed {
            first_keys: vec![K::ZERO; first.weights.len()],
            second_keys: vec![K::ZERO; second.weights.len()],
            first,
            second,
            fields: Vec::new(),
            asked,
            factors: Vec::new(),
            remembered: join.remembered,
            partners: OnceLock::new(),
            missing: one,
            all: OnceLock::new(),
        };
        let mut shift = 0;
        for form in &join.forms {
            let (least, reach) = pairing.spread(form.first, form.second)?;
            let bits = u64::BITS - reach.leading_zeros();
            shift = K::place(shift, bits)?;
            let field = Field { shift, bits, base: least.0.checked_add(least.1)? };
            add_field(&mut pairing.first_keys, &pairing.first, form.first, field.shift, least.0);
            add_field(&mut pairing.second_keys, &pairing.second, form.second, field.shift, least.1);
            pairing.fields.push(field);
            shift += bits;
        }
        let few = |entries: &Sparse<T>| entries.weights.len() < LISTED_ABOVE;
        if !(few(&pairing.first) && few(&pairing.second)) {
            let listed = |(form, field): (usize, &Field)| match pairing.asked[form].noisy() && field.bits <= LISTED_BITS
            {
                true if form >= pairing.remembered => {
                    (0..1i64 << field.bits).map(|value| pairing.asked[form].factor(field.base + value)).collect()
                }
                _ => Vec::new(),
            };
            pairing.factors = pairing.fields.iter().enumerate().map(listed).collect();
        }
        Some(pairing)
    }

    /// The least share of each side in a form, and how far the sum may be above the sum of these.
    fn spread(&self, first: Option<(u32, i64)>, second: Option<(u32, i64)>) -> Option<((i64, i64), u64)> {
        let side = |sparse: &Sparse<T>, term: Option<(u32, i64)>| -> Option<(i64, i64)> {
            let Some((form, times)) = term else { return Some((0, 0)) };
            let mut range: Option<(i64, i64)> = None;
            for entry in 0..sparse.weights.len() {
                let value = sparse.values(entry)[form as usize].checked_mul(times)?;
                range = Some(range.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
            }
            Some(range.unwrap_or((0, 0)))
        };
        let (one, two) = (side(&self.first, first)?, side(&self.second, second)?);
        let reach = u64::try_from(one.1.checked_sub(one.0)?.checked_add(two.1.checked_sub(two.0)?)?).ok()?;
        Some(((one.0, two.0), reach))
    }

    /// Both parts, first and second.
    fn sides(&self) -> (&Sparse<T>, &Sparse<T>) {
        (&self.first, &self.second)
    }

    /// The values that are known before any pair is looked at; `None` when one is impossible.
    fn known(&self, told: &[i64]) -> Option<(K, Vec<usize>)> {
        let mut key = K::ZERO;
        let mut forms = Vec::new();
        for (form, (asked, field)) in self.asked.iter().zip(&self.fields).enumerate() {
            let value = match told.get(form) {
                Some(value) if asked.allows(*value) => Some(*value),
                Some(_) => return None,
                None => asked.only(),
            };
            if let Some(value) = value {
                key = key.or(field.packed(value)?);
                forms.push(form);
            }
            if asked.low.zip(asked.high).is_some_and(|(low, high)| low > high) {
                return None;
            }
        }
        Some((key, forms))
    }

    fn mask(&self, forms: &[usize]) -> K {
        forms.iter().fold(K::ZERO, |mask, form| mask.or(self.fields[*form].mask()))
    }

    fn partners(&self, mask: K) -> Partners<K> {
        Partners::new(&self.second_keys, mask)
    }

    /// The fields of a partner of `key`, if there may be one.
    fn partner_of(&self, key: K, wanted: K, forms: &[usize]) -> Option<K> {
        let fits = forms.iter().all(|form| {
            let field = self.fields[*form];
            key.get(field.shift, field.bits) <= wanted.get(field.shift, field.bits)
        });
        fits.then(|| wanted.minus(key.and(self.mask(forms))))
    }

    /// Visits the partners of an entry that no form forbids, with the key of both together and the
    /// factor of the forms that are not remembered.
    #[inline]
    fn each_partner(
        &self,
        entry: usize,
        (wanted, known): (K, &[usize]),
        partners: &Partners<K>,
        (checked, noisy): &(Vec<usize>, Vec<usize>),
        mut visit: impl FnMut(usize, K, Option<T>),
    ) {
        let key = self.first_keys[entry];
        let Some(partner) = self.partner_of(key, wanted, known) else { return };
        for other in partners.of(&partner).iter().map(|other| *other as usize) {
            let key = key.plus(self.second_keys[other]);
            if let Some(factor) = self.factor(key, checked, noisy) {
                visit(other, key, factor);
            }
        }
    }

    /// The factor of a pair's forms that are not remembered, unless one is impossible.
    fn factor(&self, key: K, checked: &[usize], noisy: &[usize]) -> Option<Option<T>> {
        for form in checked {
            if !self.asked[*form].allows(self.fields[*form].value(key)) {
                return None;
            }
        }
        let mut product: Option<T> = None;
        for form in noisy {
            let value = self.fields[*form].value(key);
            let listed =
                self.factors.get(*form).and_then(|factors| factors.get((value - self.fields[*form].base) as usize));
            product = Some(match (product, listed) {
                (None, Some(factor)) => factor.clone(),
                (None, None) => self.asked[*form].factor(value),
                (Some(product), Some(factor)) => product.times(factor),
                (Some(product), None) => product.times(&self.asked[*form].factor(value)),
            });
        }
        Some(product)
    }

    /// The forms whose values must be looked at pair by pair: those with limits, and those with
    /// noise.
    fn looked_at(&self, known: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let open = |form: &usize| !known.contains(form);
        let limited = |form: &usize| self.asked[*form].low.is_some() || self.asked[*form].high.is_some();
        let checked = (0..self.asked.len()).filter(open).filter(limited).collect();
        let noisy = (self.remembered..self.asked.len()).filter(|form| self.asked[*form].noisy()).collect();
        (checked, noisy)
    }

    /// The weights of the remembered forms of the join.
    fn joined(&self, precision: Precision) -> Sparse<T> {
        if self.remembered == 0 {
            return self.pairs(&[]).whole(precision);
        }
        let mut sums = Sums::new(self.fields[..self.remembered].iter().map(|field| field.bits).sum());
        let mut lost = T::zero();
        if let Some((wanted, known)) = self.known(&[]) {
            let looked_at = self.looked_at(&known);
            let partners = self.partners(self.mask(&known));
            let remembered = self.mask(&(0..self.remembered).collect::<Vec<_>>());
            for (entry, weight) in self.first.weights.iter().enumerate() {
                look();
                self.each_partner(entry, (wanted, &known), &partners, &looked_at, |other, key, factor| {
                    let product = weight.times(&self.second.weights[other]);
                    sums.add(key.and(remembered), multiply(product, factor, &mut lost));
                });
            }
        }
        let (keys, weights, longest) = sums.finish();
        let mut order: Vec<usize> = (0..keys.len()).collect();
        let values: Vec<Vec<i64>> = keys
            .iter()
            .map(|key| self.fields[..self.remembered].iter().map(|field| field.value(*key)).collect())
            .collect();
        order.sort_unstable_by(|one, two| values[*one].cmp(&values[*two]));
        let mut roundings = self.roundings() + longest;
        let mut sorted: Vec<T> = order.iter().map(|entry| weights[*entry].clone()).collect();
        for (form, asked) in self.asked[..self.remembered].iter().enumerate().filter(|(_, asked)| asked.noisy()) {
            roundings += asked.roundings() + 1;
            for (weight, entry) in sorted.iter_mut().zip(&order) {
                *weight = multiply(weight.clone(), Some(asked.factor(values[*entry][form])), &mut lost);
            }
        }
        Sparse {
            forms: self.remembered,
            values: order.iter().flat_map(|entry| values[*entry].iter().copied()).collect(),
            weights: sorted,
            roundings,
            missing: rounded_up(&self.missing.plus(&lost.shifted(1))),
            scale: self.first.scale + self.second.scale,
        }
        .trimmed(precision)
    }

    /// The pairs that give the remembered forms these values.
    fn pairs(&self, told: &[i64]) -> Pairs<'_, T, K> {
        let nothing = Summed { entries: Vec::new(), weights: Vec::new(), longest: 0, missing: self.missing.clone() };
        let mut pairs = Pairs { pairing: self, wanted: K::ZERO, known: Vec::new(), summed: Cow::Owned(nothing) };
        let Some((wanted, known)) = self.known(told) else { return pairs };
        (pairs.wanted, pairs.known) = (wanted, known);
        pairs.summed = match (self.remembered, self.all.get()) {
            (0, Some(all)) => Cow::Borrowed(all),
            // Added up outside the lock: that runs in parallel.
            (0, None) => {
                let summed = pairs.sum();
                Cow::Borrowed(self.all.get_or_init(|| summed))
            }
            _ => Cow::Owned(pairs.sum()),
        };
        pairs
    }

    fn roundings(&self) -> u64 {
        let noise: u64 = self.asked[self.remembered..].iter().map(|asked| asked.roundings() + 1).sum();
        self.first.roundings + self.second.roundings + noise + 1
    }
}

impl<T: Positive, K: Key> Pairs<'_, T, K> {
    /// Adds up the pairs of every first entry.
    fn sum(&self) -> Summed<T> {
        let Pairs { pairing, known, .. } = self;
        pairing.partners.get_or_init(|| pairing.partners(pairing.mask(known)));
        let looked_at = pairing.looked_at(known);
        let summed = |entry: usize| {
            look();
            let (mut sum, mut count, mut lost) = (T::zero(), 0u64, T::zero());
            self.each(entry, &looked_at, &mut lost, |_, weight| {
                sum = sum.plus(&weight);
                count += 1;
            });
            (count > 0).then_some((entry as u32, sum, count, lost))
        };
        // In the order of the entries, whatever threads do.
        let entries = 0..pairing.first_keys.len();
        let found: Vec<(u32, T, u64, T)> = match pairing.second_keys.len() > LISTED_ABOVE {
            true => entries.into_par_iter().filter_map(summed).collect(),
            false => entries.filter_map(summed).collect(),
        };
        let mut all = Summed { entries: Vec::new(), weights: Vec::new(), longest: 0, missing: T::zero() };
        let mut lost = T::zero();
        for (entry, sum, count, own) in found {
            all.entries.push(entry);
            all.weights.push(sum);
            all.longest = all.longest.max(count);
            lost = lost.plus(&own);
        }
        all.missing = rounded_up(&pairing.missing.plus(&lost.shifted(1)));
        all
    }

    /// All pairs together, as the weights of a join that remembers nothing.
    fn whole(&self, precision: Precision) -> Sparse<T> {
        let Summed { weights, longest, missing, .. } = &*self.summed;
        let sum = weights.iter().fold(T::zero(), |sum, weight| sum.plus(weight));
        let (first, second) = self.pairing.sides();
        Sparse {
            forms: 0,
            values: Vec::new(),
            roundings: self.pairing.roundings() + longest + weights.len() as u64,
            weights: if sum.is_zero() { Vec::new() } else { vec![sum] },
            missing: missing.clone(),
            scale: first.scale + second.scale,
        }
        .trimmed(precision)
    }

    /// Visits the partners of an entry with the weights of the pairs.
    fn each(&self, entry: usize, looked_at: &(Vec<usize>, Vec<usize>), lost: &mut T, mut visit: impl FnMut(u32, T)) {
        let Pairs { pairing, wanted, known, .. } = self;
        let partners = pairing.partners.get_or_init(|| pairing.partners(pairing.mask(known)));
        let weight = &pairing.first.weights[entry];
        pairing.each_partner(entry, (*wanted, known), partners, looked_at, |other, _, factor| {
            let product = weight.times(&pairing.second.weights[other]);
            visit(other as u32, multiply(product, factor, lost));
        });
    }

    /// Where a uniform number falls among all pairs, in the order of their entries, if this level
    /// can tell.
    ///
    /// First among the first entries; then those before and after the one that was found count as
    /// one each, and its pairs by themselves. Both are the same weights in the same order, so what
    /// both decide is what a list of all pairs would.
    fn decide(&self, bits: u32, uniform: &Uniform) -> Result<(u32, u32), Decision> {
        let index = |weighted: Weighted<T>| match weighted.decide(uniform) {
            Decision::Index(index) => Ok(index),
            undecided => Err(undecided),
        };
        let Summed { entries, weights: sums, longest, missing } = &*self.summed;
        let roundings = self.pairing.roundings() + longest;
        let weighted = |weights| Weighted { weights, roundings, missing: missing.clone(), bits };
        let place = index(weighted(sums.clone()))?;
        let entry = entries[place];
        let (mut others, mut weights) = (Vec::new(), sums[..place].to_vec());
        self.each(entry as usize, &self.pairing.looked_at(&self.known), &mut T::zero(), |other, weight| {
            others.push(other);
            weights.push(weight);
        });
        weights.extend_from_slice(&sums[place + 1..]);
        let found = index(weighted(weights))?;
        let other = found.checked_sub(place).and_then(|found| others.get(found));
        other.map(|other| (entry, *other)).ok_or(Decision::MorePrecision)
    }
}

/// A weight times a factor; what becomes too small is lost, and counted.
fn multiply<T: Positive>(weight: T, factor: Option<T>, lost: &mut T) -> T {
    let Some(factor) = factor else { return weight };
    let product = weight.times(&factor);
    match T::least() {
        Some(least) if !weight.is_zero() && product.magnitude() <= least.magnitude() => {
            // The factor may have been rounded to zero: in truth it is below twice the least
            // number.
            *lost = lost.plus(&least.shifted(2).times(&weight.plus(&T::one())));
            T::zero()
        }
        _ => product,
    }
}

/// What is missing from the weights of pairs when something is missing from either side.
pub(crate) fn missing_weight<T: Positive>(first: &Sparse<T>, second: &Sparse<T>) -> T {
    if first.missing.is_zero() && second.missing.is_zero() {
        return T::zero();
    }
    let one = first.missing.times(&second.mass());
    rounded_up(&one.plus(&second.missing.times(&first.mass())))
}

/// Adds what every entry gives to a form to the entry's key.
fn add_field<T: Positive, K: Key>(
    keys: &mut [K],
    sparse: &Sparse<T>,
    term: Option<(u32, i64)>,
    shift: u32,
    least: i64,
) {
    let Some((form, times)) = term else { return };
    for (entry, key) in keys.iter_mut().enumerate() {
        *key = key.plus(K::put((sparse.values(entry)[form as usize] * times - least).unsigned_abs(), shift));
    }
}

/// Of parts with so many entries the factors of noise are listed once, and pairs are added up in
/// parallel.
const LISTED_ABOVE: usize = 1 << 10;
/// The most bits of a form whose factors are listed.
const LISTED_BITS: u32 = 14;

/// Up to this many bits of key, sums are kept in a plain list.
const PLAIN_BITS: u32 = 20;

/// Sums of weights by key, and the longest chain of additions.
enum Sums<T, K> {
    Plain(Vec<(T, u32)>),
    Keyed(Keyed<K, (T, u32)>),
}

impl<T: Positive, K: Key> Sums<T, K> {
    fn new(bits: u32) -> Self {
        if bits <= PLAIN_BITS { Sums::Plain(vec![(T::zero(), 0); 1 << bits]) } else { Sums::Keyed(Keyed::default()) }
    }

    #[inline]
    fn add(&mut self, key: K, weight: T) {
        let sum = match self {
            Sums::Plain(sums) => &mut sums[key.index()],
            Sums::Keyed(sums) => sums.entry(key).or_insert_with(|| (T::zero(), 0)),
        };
        sum.0 = sum.0.plus(&weight);
        sum.1 = sum.1.saturating_add(1);
    }

    fn finish(self) -> (Vec<K>, Vec<T>, u64) {
        let (mut keys, mut weights, mut longest) = (Vec::new(), Vec::new(), 0);
        let mut push = |key: K, (weight, count): (T, u32)| {
            if count > 0 && !weight.is_zero() {
                keys.push(key);
                weights.push(weight);
                longest = longest.max(u64::from(count));
            }
        };
        match self {
            Sums::Plain(sums) => sums.into_iter().enumerate().for_each(|(key, sum)| push(K::of_index(key), sum)),
            Sums::Keyed(sums) => sums.into_iter().for_each(|(key, sum)| push(key, sum)),
        }
        (keys, weights, longest)
    }
}
