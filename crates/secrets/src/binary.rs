//! Yes or no records that depend on each other within bounds.

use crate::line::distance_on_a_line;
use crate::transport::{common, times};
use dashu_int::UBig;
use declare::{MOST_DEPENDENT_RECORDS as MOST_RECORDS, Problem};
use exact::Rational;

/// n records that are yes or no. Whatever one of them is, each other one is yes with a probability
/// from z₀ to z₁.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binary {
    records: u32,
    least: Rational,
    most: Rational,
    any_dependence: bool,
}

impl Binary {
    /// With z₀ and z₁; `any_dependence`: given one record, the others need not be independent of
    /// each other.
    ///
    /// # Errors
    /// Bad when there are no records or too many, when a probability is outside 0 to 1, or when z₀
    /// is above z₁.
    pub fn new(records: u32, least: Rational, most: Rational, any_dependence: bool) -> Result<Binary, Problem> {
        let one = Rational::integer(1);
        if records == 0 || records > MOST_RECORDS {
            return Err(Problem::bad(format!("{records} records: between 1 and {MOST_RECORDS} are read")));
        }
        if least.is_negative() || most > one {
            return Err(Problem::bad("z0 and z1 are probabilities: between 0 and 1"));
        }
        if least > most {
            return Err(Problem::bad(format!("z0 = {least} is above z1 = {most}"))
                .hint("z0 is the least probability of a yes beside a no, z1 the largest beside a yes"));
        }
        Ok(Binary { records, least, most, any_dependence })
    }

    /// By how many yes the laws given a yes and given a no are apart:
    /// `W_∞(1 + Bin(n − 1, z₁), Bin(n − 1, z₀))`. Where any dependence is allowed all n as soon as
    /// z₁ is above z₀, and all but one where they are equal, unless everybody else is known.
    pub fn distance(&self) -> u64 {
        let one = Rational::integer(1);
        match self.any_dependence {
            true if self.least < self.most => u64::from(self.records),
            true if self.least.is_zero() || self.least == one => 1,
            true => u64::from(self.records - 1).max(1),
            false => {
                let others = self.records - 1;
                let scale = common([&self.least, &self.most].into_iter());
                distance_on_a_line(binomial(others, &self.most, &scale, 1), binomial(others, &self.least, &scale, 0))
            }
        }
    }
}

/// `C(n, k) pᵏ (1 − p)ⁿ⁻ᵏ` for all k, times `scaleⁿ`, at `k + shift`.
fn binomial(n: u32, p: &Rational, scale: &UBig, shift: i64) -> impl Iterator<Item = (i64, UBig)> {
    let yes = times(p, scale);
    let no = scale - &yes;
    // From k to k + 1 the weight is multiplied by (n − k)·yes and divided by (k + 1)·no, without
    // rest; if no is zero, all is at n.
    let mut weight = if no.is_zero() { UBig::ZERO } else { no.pow(n as usize) };
    let all = yes.pow(n as usize);
    (0..=n).map(move |k| {
        let here = if no.is_zero() && k == n { all.clone() } else { weight.clone() };
        if !no.is_zero() && k < n {
            weight = &weight * &yes * (n - k) / (&no * (k + 1));
        }
        (i64::from(k) + shift, here)
    })
}
