//! How near the truth is known to come to a certified loss: proved lower bounds of the largest loss
//! of two tables.

use exact::{Integer, Rational};

/// Digits after the point of a part.
const DECIMALS: usize = 4;

/// From this part on a loss is called close to the truth.
fn close() -> Rational {
    Rational::new(98, 100u32)
}

/// What is known of the largest loss of two tables with the structure of a release, beside the
/// certified one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attained {
    /// Two tables lose exactly that.
    Reached,
    /// Two tables lose as nearly that much as one likes, if counts are large.
    Approached,
    /// Two tables lose this part of it, rounded down; no better bound is known.
    AtLeast(Rational),
    /// Nothing is known.
    Unknown,
}

impl Attained {
    /// That two tables lose so much of a certified loss, as a part of it, rounded down.
    pub fn at_least(lost: &Rational, certified: &Rational) -> Attained {
        if !certified.is_positive() {
            return Attained::Unknown;
        }
        let scale = Rational::integer(Integer::from(10).pow(DECIMALS));
        Attained::AtLeast(&Rational::integer((&(lost / certified) * &scale).floor()) / &scale)
    }

    /// The part of the certified loss that two tables are known to lose, or to come as near to as
    /// one likes.
    pub fn part(&self) -> Option<Rational> {
        match self {
            Attained::Reached | Attained::Approached => Some(Rational::integer(1)),
            Attained::AtLeast(part) => Some(part.clone()),
            Attained::Unknown => None,
        }
    }

    /// In words.
    pub fn in_words(&self) -> String {
        match self {
            Attained::Reached => "attained: there are two tables that lose exactly that".to_owned(),
            Attained::Approached => {
                "attained: where counts are large, two tables lose as nearly that as one likes".to_owned()
            }
            Attained::AtLeast(part) if *part >= close() => {
                format!("within 2 %: two tables lose at least {} of it", digits(part))
            }
            Attained::AtLeast(part) => {
                format!("no better bound is known: true ≥ {} of it", digits(part))
            }
            Attained::Unknown => "not known, and no better bound is proved".to_owned(),
        }
    }

    /// For the loss of several rows of one owner, each of them one record: what the normaliser adds
    /// to one step need not be added by each of several.
    pub fn of_several(self, rows: u64, gamma: &Rational) -> Attained {
        match self {
            Attained::Reached | Attained::Approached if rows > 1 && gamma.is_positive() => {
                let one = Rational::integer(1);
                Attained::at_least(&one, &(&one + gamma))
            }
            known => known,
        }
    }
}

fn digits(part: &Rational) -> String {
    part.to_decimal_exact().unwrap_or_else(|| part.to_string())
}
