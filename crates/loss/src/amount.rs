//! `Amount`: ε, ρ or (ε, δ), exact, with everything that is known to follow from it.

use crate::concentrated::epsilon_at;
use crate::integer_order::epsilon_at_integer_orders;
use crate::number::{self, shown};
use declare::Problem;
use exact::{Enclosure, Natural, Rational};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Beyond so many digits a total is rounded up, so that unlike fractions do not grow for ever.
const LONGEST_DENOMINATOR: u32 = 200;

/// Where a long total is rounded up, in digits after the point.
const KEPT_DIGITS: u32 = 60;

/// Beyond this ε a δ that grows with e^ε is of no use: it counts as one.
const MOST_EPSILON: u32 = 1000;

/// Fraction bits of enclosures.
const BITS: usize = 192;

/// Which privacy definition a loss is stated in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definition {
    /// Pure differential privacy.
    Pure,
    /// Zero-concentrated differential privacy.
    ZeroConcentrated,
    /// Concentrated differential privacy at integer orders: Rényi divergences of whole orders α ≥ 2
    /// are at most αρ.
    IntegerOrder,
    /// (ε, δ), where δ pays for a walk that is only estimated to be close to its law.
    Approximate,
}

impl Definition {
    /// The definition in words, as certificates and scripts write it.
    pub fn name(self) -> &'static str {
        match self {
            Definition::Pure => "pure differential privacy",
            Definition::ZeroConcentrated => "zero-concentrated differential privacy",
            Definition::IntegerOrder => "concentrated differential privacy at integer orders",
            Definition::Approximate => "approximate differential privacy",
        }
    }
}

/// An amount of privacy loss, exact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Amount {
    /// Pure differential privacy.
    Pure {
        /// ε.
        #[serde(with = "number")]
        epsilon: Rational,
    },
    /// Zero-concentrated differential privacy.
    ZeroConcentrated {
        /// ρ.
        #[serde(with = "number")]
        rho: Rational,
    },
    /// Concentrated differential privacy at integer orders.
    IntegerOrder {
        /// ρ.
        #[serde(with = "number")]
        rho: Rational,
    },
    /// (ε, δ).
    Approximate {
        /// ε.
        #[serde(with = "number")]
        epsilon: Rational,
        /// δ.
        #[serde(with = "number")]
        delta: Rational,
    },
}

impl Amount {
    /// Nothing, in the same definition.
    pub fn nothing_of(&self) -> Amount {
        self.like(Rational::integer(0), Rational::integer(0))
    }

    /// An amount of this definition with this ε or ρ and, of (ε, δ), this δ.
    fn like(&self, size: Rational, delta: Rational) -> Amount {
        match self {
            Amount::Pure { .. } => Amount::Pure { epsilon: size },
            Amount::ZeroConcentrated { .. } => Amount::ZeroConcentrated { rho: size },
            Amount::IntegerOrder { .. } => Amount::IntegerOrder { rho: size },
            Amount::Approximate { .. } => Amount::Approximate { epsilon: size, delta },
        }
    }

    /// The definition that it is stated in.
    pub fn definition(&self) -> Definition {
        match self {
            Amount::Pure { .. } => Definition::Pure,
            Amount::ZeroConcentrated { .. } => Definition::ZeroConcentrated,
            Amount::IntegerOrder { .. } => Definition::IntegerOrder,
            Amount::Approximate { .. } => Definition::Approximate,
        }
    }

    /// ε; none of a loss ρ.
    pub fn epsilon(&self) -> Option<&Rational> {
        self.rho().is_none().then(|| self.size())
    }

    /// ρ, at all orders or at whole ones.
    pub fn rho(&self) -> Option<&Rational> {
        match self {
            Amount::ZeroConcentrated { rho } | Amount::IntegerOrder { rho } => Some(rho),
            Amount::Pure { .. } | Amount::Approximate { .. } => None,
        }
    }

    /// ε or ρ.
    pub fn size(&self) -> &Rational {
        match self {
            Amount::Pure { epsilon } | Amount::Approximate { epsilon, .. } => epsilon,
            Amount::ZeroConcentrated { rho } | Amount::IntegerOrder { rho } => rho,
        }
    }

    /// An amount of this definition with another ε or ρ.
    pub fn with_size(&self, size: Rational) -> Amount {
        self.like(size, self.delta())
    }

    /// δ, which is zero but of (ε, δ).
    fn delta(&self) -> Rational {
        if let Amount::Approximate { delta, .. } = self { delta.clone() } else { Rational::integer(0) }
    }

    /// An ε, rounded up, that a loss ρ implies at a δ between 0 and 1; none of an ε, or of no loss.
    pub fn implied_at(&self, delta: &Rational) -> Option<Rational> {
        match self {
            Amount::ZeroConcentrated { rho } if rho.is_positive() => Some(epsilon_at(rho, delta)),
            Amount::IntegerOrder { rho } if rho.is_positive() => Some(epsilon_at_integer_orders(rho, delta)),
            _ => None,
        }
    }

    /// Refuses negative amounts, which would give budget back, δ above one, and numbers of endless
    /// length.
    ///
    /// # Errors
    /// Bad when the amount is none of those.
    pub fn check(&self) -> Result<(), Problem> {
        let parts = [self.size(), &self.delta()];
        match parts {
            _ if parts.into_iter().any(Rational::is_negative) => {
                Err(Problem::bad(format!("a loss cannot be negative: {self}")))
            }
            [_, delta] if *delta > Rational::integer(1) => {
                Err(Problem::bad(format!("δ is a probability, at most 1: {self}")))
            }
            _ if parts.into_iter().any(|part| part.to_string().len() > LONGEST_DENOMINATOR as usize) => {
                Err(Problem::bad("a loss has more than 200 digits").hint("round it up to fewer digits"))
            }
            _ => Ok(()),
        }
    }

    /// What this loss counts as in a budget: pure ε counts as ε²/2 in ρ and as (ε, 0) in (ε, δ); ρ
    /// counts in a budget of ρ at integer orders; a budget of ρ pays ρ at integer orders, and what
    /// is spent is then of that kind. Nothing else is converted.
    ///
    /// # Errors
    /// Refused when the definition of the budget does not bound this loss.
    pub fn counted_in(&self, budget: &Amount) -> Result<Amount, Problem> {
        let counted = match (self, budget) {
            _ if self.definition() == budget.definition() => Some(self.clone()),
            (Amount::IntegerOrder { .. }, Amount::ZeroConcentrated { .. }) => Some(self.clone()),
            (Amount::Pure { .. }, Amount::ZeroConcentrated { .. }) => self.concentrated(),
            (Amount::Pure { .. } | Amount::ZeroConcentrated { .. }, Amount::IntegerOrder { .. }) => {
                self.concentrated().map(Amount::at_integer_orders)
            }
            (Amount::Pure { epsilon }, Amount::Approximate { .. }) => {
                Some(Amount::Approximate { epsilon: epsilon.clone(), delta: Rational::integer(0) })
            }
            (Amount::Approximate { epsilon, delta }, Amount::Pure { .. }) if delta.is_zero() => {
                Some(Amount::Pure { epsilon: epsilon.clone() })
            }
            _ => None,
        };
        counted.ok_or_else(|| {
            Problem::refused(format!(
                "a loss in {} ({self}) cannot be paid from a budget in {} ({budget})",
                self.definition().name(),
                budget.definition().name()
            ))
            .hint(match budget {
                Amount::Pure { .. } => "release with pure ε, or open a dataset whose budget is in the other definition",
                Amount::ZeroConcentrated { .. } | Amount::IntegerOrder { .. } => {
                    "a budget in ρ pays ρ and pure ε; release with one of them"
                }
                Amount::Approximate { .. } => {
                    "a budget in (ε, δ) pays pure ε and (ε, δ); state the loss as one of them"
                }
            })
        })
    }

    /// The weaker statement that holds of whole orders alone.
    pub fn at_integer_orders(self) -> Amount {
        match self {
            Amount::ZeroConcentrated { rho } => Amount::IntegerOrder { rho },
            other => other,
        }
    }

    /// The zero-concentrated loss that follows: ρ itself, or ε²/2 of a pure ε. From (ε, δ) and from
    /// ρ at integer orders none follows.
    pub fn concentrated(&self) -> Option<Amount> {
        match self {
            Amount::Pure { epsilon } => {
                Some(Amount::ZeroConcentrated { rho: shortened(&(epsilon * epsilon) * &Rational::new(1, 2u8)) })
            }
            Amount::ZeroConcentrated { .. } => Some(self.clone()),
            Amount::IntegerOrder { .. } | Amount::Approximate { .. } => None,
        }
    }

    /// The loss of pairs so many units apart, when this is that of one unit: εD, ρD², and
    /// (εD, δ(e^{εD} − 1)/(e^ε − 1)), rounded up and δ at most 1.
    ///
    /// Of (ε, δ) the distance must be at least 1, and the loss one that has these units in between:
    /// a walk that is within a total variation distance of a pure law
    /// (`crates/certify/proofs/G5.md`), or pairs joined by single units of the class.
    pub fn at_distance(&self, distance: &Rational) -> Option<Amount> {
        let one = Rational::integer(1);
        match self {
            _ if distance.is_negative() => None,
            Amount::Pure { epsilon } => Some(Amount::Pure { epsilon: shortened(epsilon * distance) }),
            Amount::ZeroConcentrated { rho } | Amount::IntegerOrder { rho } => {
                Some(self.with_size(shortened(rho * &(distance * distance))))
            }
            Amount::Approximate { .. } if *distance < one => None,
            Amount::Approximate { epsilon, delta } => {
                let grown = match growth(epsilon, distance) {
                    _ if delta.is_zero() => Rational::integer(0),
                    Some(growth) => shortened(delta * &growth),
                    None => one.clone(),
                };
                let delta = if grown > one { one } else { grown };
                Some(Amount::Approximate { epsilon: shortened(epsilon * distance), delta })
            }
        }
    }

    /// The sum of two amounts of one definition, or `None` for two of different ones. A sum with ρ
    /// at integer orders is one at integer orders, whatever else is in it.
    pub fn plus(&self, other: &Amount) -> Option<Amount> {
        let sum = if let Amount::IntegerOrder { .. } = other { other } else { self };
        let add = |one: &Rational, other: &Rational| shortened(one + other);
        self.adds_to(other).then(|| sum.like(add(self.size(), other.size()), add(&self.delta(), &other.delta())))
    }

    /// Whether both are of one definition, up to the orders of ρ.
    fn adds_to(&self, other: &Amount) -> bool {
        self.definition() == other.definition() || self.rho().is_some() && other.rho().is_some()
    }

    /// What is left of this budget after an amount of the same definition; `None` when that is more
    /// than the budget. What is spent of a budget of ρ may be ρ at integer orders.
    pub fn left_after(&self, spent: &Amount) -> Option<Amount> {
        let take = |one: &Rational, other: &Rational| (other <= one).then(|| one - other);
        let (size, delta) = (take(self.size(), spent.size())?, take(&self.delta(), &spent.delta())?);
        self.adds_to(spent).then(|| self.like(size, delta))
    }

    /// Whether every part is above zero, but for the δ of a budget, which may be zero.
    pub fn is_a_budget(&self) -> bool {
        self.size().is_positive()
    }
}

/// `(e^{εD} − 1)/(e^ε − 1)`, rounded up; `None` when it is beyond all use.
fn growth(epsilon: &Rational, distance: &Rational) -> Option<Rational> {
    if epsilon.is_zero() {
        return Some(distance.clone());
    }
    let whole = epsilon * distance;
    if whole > Rational::integer(MOST_EPSILON) {
        return None;
    }
    // Small ε need as many more bits as e^ε − 1 has zeros, or its lower end would not be positive.
    let zeros = (-epsilon.to_f64().log2()).clamp(0.0, 4096.0) as usize;
    let one = Rational::integer(1);
    let above = &Enclosure::exp_rational(&whole, BITS + 2 * zeros).upper_rational() - &one;
    let below = &Enclosure::exp_rational(epsilon, BITS + 2 * zeros).lower_rational() - &one;
    below.is_positive().then(|| &above / &below)
}

/// A total with a short denominator: rounded up where it would be long, for a loss is never
/// under-counted.
fn shortened(total: Rational) -> Rational {
    let power = |digits: u32| Natural::from(10u8).pow(digits as usize);
    if *total.denominator() <= power(LONGEST_DENOMINATOR) {
        return total;
    }
    let scaled = &total * &Rational::integer(power(KEPT_DIGITS));
    Rational::new(scaled.ceil(), power(KEPT_DIGITS))
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Pure { epsilon } => write!(f, "ε = {}", shown(epsilon)),
            Amount::ZeroConcentrated { rho } => write!(f, "ρ = {}", shown(rho)),
            Amount::IntegerOrder { rho } => write!(f, "ρ = {} at integer orders", shown(rho)),
            Amount::Approximate { epsilon, delta } => write!(f, "ε = {}, δ = {}", shown(epsilon), shown(delta)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_totals_are_rounded_up_and_read_back() {
        let (mut total, mut exact) = (Amount::Pure { epsilon: Rational::integer(0) }, Rational::integer(0));
        for below in 1u32..400 {
            let part = Rational::new(1, below);
            exact = &exact + &part;
            total = total.plus(&Amount::Pure { epsilon: part }).expect("one definition");
            let Amount::Pure { epsilon } = &total else { panic!("pure") };
            assert!(*epsilon >= exact, "under-counted at {below}");
            assert!(epsilon.to_string().len() < 1000);
            assert_eq!(number::read(&epsilon.to_string()).as_ref(), Some(epsilon));
        }
        let Amount::Pure { epsilon } = &total else { panic!("pure") };
        assert!((epsilon - &exact) < Rational::new(1, 1_000_000_000_000_000_000u64));
        for wrong in ["", "1/0", "x", "1/-2", "1/2/3", &"9".repeat(3000)] {
            assert_eq!(number::read(wrong), None, "{wrong}");
        }
    }
}
