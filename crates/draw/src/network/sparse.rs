//! `Sparse`: the weights of several forms at once, for the values that occur.

use crate::sums::{Message, Precision, rounded_up, shifted_bound, total};
use exact::Positive;

/// Weights of vectors of values, in lexicographic order; roundings, missing weight and scale are as
/// in a [`Message`].
#[derive(Debug, Clone)]
pub(crate) struct Sparse<T> {
    /// The number of forms.
    pub forms: usize,
    /// The values, `forms` numbers for every weight.
    pub values: Vec<i64>,
    /// The weights.
    pub weights: Vec<T>,
    pub roundings: u64,
    pub missing: T,
    pub scale: i64,
}

impl<T: Positive> Sparse<T> {
    /// The values of an entry.
    #[inline]
    pub(crate) fn values(&self, entry: usize) -> &[i64] {
        &self.values[entry * self.forms..(entry + 1) * self.forms]
    }

    /// The weights of one form.
    pub(crate) fn of(message: &Message<T>) -> Self {
        let kept: Vec<usize> = (0..message.weights.len()).filter(|index| !message.weights[*index].is_zero()).collect();
        Sparse {
            forms: 1,
            values: kept.iter().map(|index| message.first + *index as i64).collect(),
            weights: kept.iter().map(|index| message.weights[*index].clone()).collect(),
            roundings: message.roundings,
            missing: message.missing.clone(),
            scale: message.scale,
        }
    }

    /// An upper bound of the whole weight.
    pub(crate) fn mass(&self) -> T {
        rounded_up(&total(&self.weights).increased(self.roundings + 64).plus(&self.missing))
    }

    /// Scales the largest weight to between 1/2 and 1 and gives up small ones.
    pub(crate) fn trimmed(mut self, precision: Precision) -> Self {
        let Some(largest) = self.weights.iter().filter_map(Positive::magnitude).max() else {
            self.weights.clear();
            self.values.clear();
            return self;
        };
        let shift = -1 - largest;
        if shift != 0 {
            self.weights.iter_mut().for_each(|weight| *weight = weight.shifted(shift));
            self.missing = shifted_bound(&self.missing, shift);
            self.scale -= shift;
        }
        let least = -1 - i64::from(precision.trim);
        let keep: Vec<bool> =
            self.weights.iter().map(|weight| weight.magnitude().is_some_and(|size| size >= least)).collect();
        let given_up = self.weights.iter().zip(&keep).filter(|(_, keep)| !**keep);
        let given_up: Vec<T> = given_up.map(|(weight, _)| weight.clone()).collect();
        if !given_up.is_empty() {
            let given_up = total(&given_up).increased(self.roundings + 64);
            self.missing = rounded_up(&self.missing.plus(&given_up));
        }
        let mut kept_values = keep.iter().flat_map(|keep| std::iter::repeat_n(*keep, self.forms));
        self.values.retain(|_| kept_values.next() == Some(true));
        let mut kept_weights = keep.iter();
        self.weights.retain(|_| kept_weights.next() == Some(&true));
        self
    }
}
