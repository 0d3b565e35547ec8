//! What is paid with: amounts of privacy loss, the unit they are per, and how they add up (theorem G6).

use declare::Problem;
use exact::{Integer, Natural, Rational};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Beyond so many digits a total is rounded up, so that unlike fractions do not grow for ever.
const LONGEST_DENOMINATOR: u32 = 200;

/// Where a long total is rounded up, in digits after the point.
const KEPT_DIGITS: u32 = 60;

/// The longest text of a number that is read back.
const LONGEST_NUMBER: usize = 2000;

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

/// What a loss is per: losses in different units do not add up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Unit {
    /// One replaced record.
    Record,
    /// One unit of ℓ₁ distance between two tables.
    L1,
    /// One unit of ℓ₂ distance between two tables.
    L2,
    /// All rows of one privacy unit, named by the column that identifies it.
    Owner(String),
}

/// An amount in a unit: what a release costs, or what a dataset may cost in all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charge {
    /// How much.
    pub amount: Amount,
    /// Per what.
    pub per: Unit,
}

impl Amount {
    /// Nothing, in the same definition.
    pub(crate) fn nothing_of(&self) -> Amount {
        let zero = || Rational::from(0);
        match self {
            Amount::Pure { .. } => Amount::Pure { epsilon: zero() },
            Amount::ZeroConcentrated { .. } => Amount::ZeroConcentrated { rho: zero() },
            Amount::Approximate { .. } => Amount::Approximate { epsilon: zero(), delta: zero() },
        }
    }

    /// The definition in words.
    pub fn definition(&self) -> &'static str {
        match self {
            Amount::Pure { .. } => "pure differential privacy",
            Amount::ZeroConcentrated { .. } => "zero-concentrated differential privacy",
            Amount::Approximate { .. } => "approximate differential privacy",
        }
    }

    fn parts(&self) -> Vec<&Rational> {
        match self {
            Amount::Pure { epsilon } => vec![epsilon],
            Amount::ZeroConcentrated { rho } => vec![rho],
            Amount::Approximate { epsilon, delta } => vec![epsilon, delta],
        }
    }

    /// Refuses negative amounts, which would give budget back, and δ above one.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        if self.parts().into_iter().any(Rational::is_negative) {
            return Err(Problem::bad(format!("a loss cannot be negative: {self}")));
        }
        match self {
            Amount::Approximate { delta, .. } if *delta > Rational::from(1) => {
                Err(Problem::bad(format!("δ is a probability, at most 1: {self}")))
            }
            _ if self.parts().into_iter().any(|part| part.to_string().len() > LONGEST_DENOMINATOR as usize) => {
                Err(Problem::bad("a loss has more than 200 digits").hint("round it up to fewer digits"))
            }
            _ => Ok(()),
        }
    }

    /// What this loss counts as in a budget: pure ε counts as ε²/2 in ρ and as (ε, 0) in (ε, δ); nothing else is converted.
    pub(crate) fn counted_in(&self, budget: &Amount) -> Result<Amount, Problem> {
        match (self, budget) {
            (Amount::Pure { .. }, Amount::Pure { .. })
            | (Amount::ZeroConcentrated { .. }, Amount::ZeroConcentrated { .. })
            | (Amount::Approximate { .. }, Amount::Approximate { .. }) => Ok(self.clone()),
            (Amount::Pure { epsilon }, Amount::ZeroConcentrated { .. }) => {
                Ok(Amount::ZeroConcentrated { rho: &(epsilon * epsilon) * &Rational::new(1, 2u8) })
            }
            (Amount::Pure { epsilon }, Amount::Approximate { .. }) => {
                Ok(Amount::Approximate { epsilon: epsilon.clone(), delta: Rational::from(0) })
            }
            (Amount::Approximate { epsilon, delta }, Amount::Pure { .. }) if delta.is_zero() => {
                Ok(Amount::Pure { epsilon: epsilon.clone() })
            }
            _ => Err(Problem::refused(format!(
                "a loss in {} ({self}) cannot be paid from a budget in {} ({budget})",
                self.definition(),
                budget.definition()
            ))
            .hint(match budget {
                Amount::Pure { .. } => "release with pure ε, or open a dataset whose budget is in the other definition",
                Amount::ZeroConcentrated { .. } => "a budget in ρ pays ρ and pure ε; release with one of them",
                Amount::Approximate { .. } => {
                    "a budget in (ε, δ) pays pure ε and (ε, δ); state the loss as one of them"
                }
            })),
        }
    }

    /// The sum of two amounts of one definition, or `None` for two of different ones.
    pub(crate) fn plus(&self, other: &Amount) -> Option<Amount> {
        let add = |one: &Rational, other: &Rational| shortened(one + other);
        Some(match (self, other) {
            (Amount::Pure { epsilon }, Amount::Pure { epsilon: more }) => Amount::Pure { epsilon: add(epsilon, more) },
            (Amount::ZeroConcentrated { rho }, Amount::ZeroConcentrated { rho: more }) => {
                Amount::ZeroConcentrated { rho: add(rho, more) }
            }
            (Amount::Approximate { epsilon, delta }, Amount::Approximate { epsilon: more, delta: also }) => {
                Amount::Approximate { epsilon: add(epsilon, more), delta: add(delta, also) }
            }
            _ => return None,
        })
    }

    /// What is left of this budget after an amount of the same definition; `None` when that is more than the budget.
    pub(crate) fn left_after(&self, spent: &Amount) -> Option<Amount> {
        let take = |one: &Rational, other: &Rational| (other <= one).then(|| one - other);
        Some(match (self, spent) {
            (Amount::Pure { epsilon }, Amount::Pure { epsilon: less }) => {
                Amount::Pure { epsilon: take(epsilon, less)? }
            }
            (Amount::ZeroConcentrated { rho }, Amount::ZeroConcentrated { rho: less }) => {
                Amount::ZeroConcentrated { rho: take(rho, less)? }
            }
            (Amount::Approximate { epsilon, delta }, Amount::Approximate { epsilon: less, delta: also }) => {
                Amount::Approximate { epsilon: take(epsilon, less)?, delta: take(delta, also)? }
            }
            _ => return None,
        })
    }

    /// Whether every part is above zero, but for the δ of a budget, which may be zero.
    pub(crate) fn is_a_budget(&self) -> bool {
        self.parts().first().is_some_and(|part| part.is_positive())
    }
}

/// A total with a short denominator: rounded up where it would be long, for a loss is never under-counted.
fn shortened(total: Rational) -> Rational {
    let power = |digits: u32| Natural::from(10u8).pow(digits as usize);
    if *total.denominator() <= power(LONGEST_DENOMINATOR) {
        return total;
    }
    let scaled = &total * &Rational::integer(power(KEPT_DIGITS));
    Rational::new(scaled.ceil(), power(KEPT_DIGITS))
}

impl Charge {
    /// What a loss counts as in this budget, or why it cannot be paid from it.
    pub(crate) fn counted(&self, loss: &Charge) -> Result<Amount, Problem> {
        loss.amount.check()?;
        if self.per != loss.per {
            return Err(Problem::refused(format!(
                "the budget is per {}, the loss is per {}: they do not add up",
                self.per, loss.per
            ))
            .hint("release in the unit of the budget, or open a dataset with a budget in the other unit"));
        }
        loss.amount.counted_in(&self.amount)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Pure { epsilon } => write!(f, "ε = {}", shown(epsilon)),
            Amount::ZeroConcentrated { rho } => write!(f, "ρ = {}", shown(rho)),
            Amount::Approximate { epsilon, delta } => write!(f, "ε = {}, δ = {}", shown(epsilon), shown(delta)),
        }
    }
}

/// A number for people: as it is, or rounded up where it is long.
fn shown(number: &Rational) -> String {
    let text = number.to_string();
    if text.len() <= 24 { text } else { format!("{} (rounded up)", number.to_decimal_up(12)) }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unit::Record => f.write_str("replaced record"),
            Unit::L1 => f.write_str("unit of ℓ₁ distance"),
            Unit::L2 => f.write_str("unit of ℓ₂ distance"),
            Unit::Owner(column) => write!(f, "privacy unit `{column}`"),
        }
    }
}

impl fmt::Display for Charge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} per {}", self.amount, self.per)
    }
}

/// Numbers as the database holds them: exact fractions as text.
mod number {
    use super::{Integer, LONGEST_NUMBER, Natural, Rational};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(number: &Rational, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Rational, D::Error> {
        let text = String::deserialize(deserializer)?;
        read(&text).ok_or_else(|| D::Error::custom("a number that is not a fraction"))
    }

    /// Reads what [`Rational`] prints, however long its terms are within reason.
    pub(super) fn read(text: &str) -> Option<Rational> {
        if text.len() > LONGEST_NUMBER {
            return None;
        }
        let (above, below) = text.split_once('/').unwrap_or((text, "1"));
        let above = Integer::from_str_radix(above, 10).ok()?;
        let below = Natural::from_str_radix(below, 10).ok()?;
        (!below.is_zero()).then(|| Rational::new(above, below))
    }
}

#[cfg(test)]
mod tests {
    use super::{Amount, Charge, Unit, number};
    use exact::Rational;

    fn pure(text: &str) -> Amount {
        Amount::Pure { epsilon: text.parse().expect("a number") }
    }

    fn concentrated(text: &str) -> Amount {
        Amount::ZeroConcentrated { rho: text.parse().expect("a number") }
    }

    fn approximate(epsilon: &str, delta: &str) -> Amount {
        Amount::Approximate { epsilon: epsilon.parse().expect("a number"), delta: delta.parse().expect("a number") }
    }

    #[test]
    fn losses_count_as_theorem_g6_says() {
        assert_eq!(pure("1/3").counted_in(&pure("1")), Ok(pure("1/3")));
        assert_eq!(pure("1/3").counted_in(&concentrated("1")), Ok(concentrated("1/18")));
        assert_eq!(pure("1/3").counted_in(&approximate("1", "0")), Ok(approximate("1/3", "0")));
        assert_eq!(approximate("1/3", "0").counted_in(&pure("1")), Ok(pure("1/3")));
        for (loss, budget) in [
            (concentrated("1"), pure("1")),
            (approximate("1", "0.1"), pure("1")),
            (approximate("1", "0.1"), concentrated("1")),
            (concentrated("1"), approximate("1", "0.1")),
        ] {
            let problem = loss.counted_in(&budget).expect_err("another definition");
            assert!(problem.hint.is_some() && problem.message.contains(budget.definition()), "{problem}");
        }
    }

    #[test]
    fn three_thirds_are_one_and_no_more() {
        let third = pure("1/3");
        let sum = third.plus(&third).and_then(|sum| sum.plus(&third)).expect("one definition");
        assert_eq!(pure("1").left_after(&sum), Some(pure("0")));
        assert_eq!(pure("1").left_after(&sum.plus(&pure("1e-50")).expect("one definition")), None);
        assert_eq!(approximate("1", "0.1").left_after(&approximate("0.5", "0.2")), None, "δ is counted too");
        assert_eq!(pure("1").plus(&concentrated("1")), None);
    }

    #[test]
    fn long_totals_are_rounded_up_and_read_back() {
        let (mut total, mut exact) = (pure("0"), Rational::from(0));
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

    #[test]
    fn another_unit_is_refused_and_so_is_less_than_nothing() {
        let budget = Charge { amount: pure("1"), per: Unit::Record };
        for per in [Unit::L1, Unit::L2, Unit::Owner("person".to_string())] {
            let problem = budget.counted(&Charge { amount: pure("1"), per: per.clone() }).expect_err("another unit");
            assert!(problem.message.contains(&per.to_string()), "{problem}");
        }
        assert!(budget.counted(&Charge { amount: pure("-1"), per: Unit::Record }).is_err());
        assert!(approximate("1", "2").check().is_err());
        assert!(budget.counted(&Charge { amount: pure("0"), per: Unit::Record }).is_ok(), "suppression costs nothing");
        assert!(!pure("0").is_a_budget() && approximate("1", "0").is_a_budget());
    }

    #[test]
    fn amounts_are_kept_as_exact_text() {
        let charge = Charge { amount: approximate("1/3", "1e-9"), per: Unit::Owner("person_id".to_string()) };
        let text = serde_json::to_string(&charge).expect("JSON");
        assert_eq!(
            text,
            r#"{"amount":{"approximate":{"epsilon":"1/3","delta":"1/1000000000"}},"per":{"owner":"person_id"}}"#
        );
        assert_eq!(serde_json::from_str::<Charge>(&text).expect("the same"), charge);
        assert!(serde_json::from_str::<Amount>(r#"{"pure":{"epsilon":0.5}}"#).is_err(), "no machine numbers");
    }
}
