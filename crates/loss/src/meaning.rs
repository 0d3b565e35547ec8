//! Theorem G9: what the loss of a pair of tables means, for somebody who tests which one it is and
//! for somebody who bets.
//!
//! Everything here is about two tables x ≡ x' that agree on what is exact: exact totals may make
//! other records move with one person's. Bounds are rounded so that they stay bounds.
//! Proof: `crates/certify/proofs/G9.md`.

use crate::amount::{Amount, Definition};
use crate::concentrated::{about, epsilon_at};
use crate::integer_order::{about_at_integer_orders, epsilon_at_integer_orders, odds_at_integer_orders};
use crate::loss::{Loss, NearestLoss, Walked};
use crate::rounding::{decimals_up, digits_up};
use crate::tradeoff::GaussianNoise;
use crate::unit::Unit;
use exact::{Enclosure, Rational};

/// Digits of probabilities.
const DECIMALS: usize = 9;

/// Beyond this ε nothing is left to say.
const MOST_EPSILON: u32 = 200;

/// Digits of the chance of an exception.
const EXCEPTION_DIGITS: usize = 6;

const BITS: usize = 160;

/// An outcome that is more telling than a bound says has at most this chance, where the loss is ρ.
const REMOTE: u32 = 1_000_000;

/// How far a release can lead somebody who bets on one of two tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posterior {
    /// The largest probability they can come to, rounded up.
    pub at_most: Rational,
    /// The chance of a release that leads further; zero for pure loss. Rounded up.
    pub except: Rational,
}

impl Amount {
    /// The type II error of any test at this level between two tables that lose so much, at least:
    /// how often a test that takes the one table for the other with probability `level` fails to
    /// notice the other. Rounded down.
    pub fn type_two_error(&self, level: &Rational) -> Rational {
        match self {
            Amount::Pure { epsilon } => type_two_error(epsilon, &Rational::integer(0), level),
            Amount::Approximate { epsilon, delta } => type_two_error(epsilon, delta, level),
            Amount::ZeroConcentrated { rho } | Amount::IntegerOrder { rho } if rho.is_zero() => {
                at_least_zero(&Rational::integer(1) - level)
            }
            Amount::ZeroConcentrated { rho } => {
                let delta = telling_delta(level, |delta| about(rho.to_f64(), delta));
                type_two_error(&epsilon_at(rho, &delta), &delta, level)
            }
            Amount::IntegerOrder { rho } => {
                let delta = telling_delta(level, |delta| about_at_integer_orders(rho.to_f64(), delta));
                type_two_error(&epsilon_at_integer_orders(rho, &delta), &delta, level)
            }
        }
    }

    /// Where somebody who gave one of two tables that lose so much the probability `prior`, between
    /// 0 and 1, and the other the rest, can be led by the release.
    ///
    /// Of (ε, δ) the odds may change by e^ε·10/9 either way, but for releases of chance (10 +
    /// 9e^−ε)δ; of ρ by e^t with t = ρ + 2√(ρ ln 10⁶), at integer orders αρ + ln 10⁶/(α − 1) at the
    /// best of them, but for releases of chance (1 + e^−t)·10⁻⁶.
    pub fn posterior(&self, prior: &Rational) -> Posterior {
        let told = match self {
            Amount::Pure { epsilon } | Amount::Approximate { epsilon, .. }
                if *epsilon > Rational::integer(MOST_EPSILON) =>
            {
                None
            }
            Amount::Pure { epsilon } => Some((power_up(epsilon), Rational::integer(0))),
            Amount::Approximate { epsilon, delta } if delta.is_zero() => {
                Some((power_up(epsilon), Rational::integer(0)))
            }
            Amount::Approximate { epsilon, delta } => {
                let either = &Rational::integer(10) + &(&Rational::integer(9) * &power_up(&-epsilon.clone()));
                Some((&power_up(epsilon) * &Rational::new(10, 9u8), &either * delta))
            }
            Amount::ZeroConcentrated { rho } | Amount::IntegerOrder { rho } if rho.is_zero() => {
                Some((Rational::integer(1), Rational::integer(0)))
            }
            Amount::ZeroConcentrated { rho } => beyond(concentrated_odds(rho)),
            Amount::IntegerOrder { rho } => beyond(odds_at_integer_orders(rho, REMOTE)),
        };
        led(prior, told)
    }
}

impl GaussianNoise {
    /// The type II error of any test at this level between its two tables, as
    /// [`Amount::type_two_error`] of its ρ, or more where the law of the noise says so.
    pub fn type_two_error(&self, level: &Rational) -> Rational {
        let through_rho = Amount::ZeroConcentrated { rho: self.rho() }.type_two_error(level);
        let by_law = self.trade_off().map(|law| law.best_for(level));
        let by_law = by_law.map(|(epsilon, delta)| type_two_error(&epsilon, &delta, level));
        by_law.into_iter().fold(through_rho, Rational::max)
    }

    /// Where the release can lead somebody, as [`Amount::posterior`] of its ρ, or less far where
    /// the law of the noise says so.
    pub fn posterior(&self, prior: &Rational) -> Posterior {
        let by_law = self.trade_off().and_then(|law| law.log_odds(&Rational::new(1, REMOTE)));
        led(prior, beyond([concentrated_odds(&self.rho()), by_law].into_iter().flatten().min()))
    }
}

/// Where a prior is led by this factor of the odds, but for this chance; anywhere if nothing is
/// told.
fn led(prior: &Rational, told: Option<(Rational, Rational)>) -> Posterior {
    let one = Rational::integer(1);
    let Some((factor, except)) = told else {
        return Posterior { at_most: one, except: Rational::integer(0) };
    };
    let led = prior * &factor;
    let at_most = decimals_up(&(&led / &(&(&one - prior) + &led)), DECIMALS);
    let at_most = if at_most > one { one.clone() } else { at_most };
    let except = if except.is_zero() { except } else { digits_up(&except, EXCEPTION_DIGITS) };
    Posterior { at_most, except: if except > one { one } else { except } }
}

/// Of a loss ρ every δ gives a bound; machine numbers choose which one is computed.
fn telling_delta(level: &Rational, epsilon: impl Fn(f64) -> f64) -> Rational {
    let level = level.to_f64();
    let bound = |delta: f64| {
        let power = epsilon(delta).exp();
        (1.0 - delta - level * power).max((1.0 - delta - level) / power)
    };
    let delta = |halvings: i32| 0.5f64.powi(halvings);
    let best = (1..40).max_by(|one, other| bound(delta(*one)).total_cmp(&bound(delta(*other))));
    &Rational::integer(1) / &Rational::integer(2).pow(best.unwrap_or(20) as u32)
}

fn type_two_error(epsilon: &Rational, delta: &Rational, level: &Rational) -> Rational {
    let one = Rational::integer(1);
    let sure = &one - delta;
    let backward = {
        let left = &sure - level;
        let power = Enclosure::exp_rational(&-epsilon.clone(), BITS).lower_rational();
        if left.is_positive() && power.is_positive() { &left * &power } else { Rational::integer(0) }
    };
    let forward = match *epsilon > Rational::integer(MOST_EPSILON) {
        true => Rational::integer(0),
        false => &sure - &(level * &power_up(epsilon)),
    };
    at_least_zero(if forward > backward { forward } else { backward })
}

/// Rounded down, and not below zero.
fn at_least_zero(value: Rational) -> Rational {
    if value.is_negative() {
        return Rational::integer(0);
    }
    let scale = Rational::integer(10).pow(DECIMALS as u32);
    &Rational::integer((&value * &scale).floor()) / &scale
}

fn power_up(epsilon: &Rational) -> Rational {
    Enclosure::exp_rational(epsilon, BITS).upper_rational()
}

/// The factor of the odds and the chance of more, either way, when the log-odds move by more than
/// this with probability 10⁻⁶ at most.
fn beyond(odds: Option<Rational>) -> Option<(Rational, Rational)> {
    let odds = odds.filter(|odds| *odds <= Rational::integer(MOST_EPSILON))?;
    let either = &Rational::integer(1) + &power_up(&-odds.clone());
    Some((power_up(&odds), &either * &Rational::new(1, REMOTE)))
}

/// `ρ + 2√(ρ ln 10⁶)`, rounded up: the log-odds move no further, but for releases of chance 10⁻⁶.
fn concentrated_odds(rho: &Rational) -> Option<Rational> {
    let logarithm = Enclosure::ln_rational(&Rational::integer(REMOTE), BITS)?;
    let root = (&Enclosure::from_rational(rho, BITS) * &logarithm).sqrt()?;
    Some(rho + &(&root.upper_rational() * &Rational::integer(2)))
}

/// What the loss of a pair of tables that can exist means, in numbers: of two that differ by one
/// replaced record or privacy unit, as the loss is per, or of the nearest two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// Which two tables it is about, in words.
    pub between: String,
    /// Whether the two differ by more than one record or privacy unit.
    pub others_move: bool,
    /// What somebody held likely before: one half.
    pub prior: Rational,
    /// What the release can lead them to, at most.
    pub posterior: Posterior,
    /// How often a test takes the one table for the other: one in twenty.
    pub false_alarms: Rational,
    /// How often it can then notice the other, at most; rounded up.
    pub detection: Rational,
}

/// Two tables, and what they lose.
struct TablePair {
    between: String,
    others_move: bool,
    size: Rational,
    noise: Option<GaussianNoise>,
}

impl Loss {
    /// What the loss of one unit means, or that of the nearest pair where no two tables differ by
    /// one unit alone or the loss is per unit of distance; nothing before there is evidence of how
    /// close a walk is to its law.
    pub fn meaning(&self) -> Option<Meaning> {
        let (prior, false_alarms) = (Rational::new(1, 2u8), Rational::new(1, 20u8));
        let pair = self.pair_of_unit().unwrap_or_else(|| self.nearest_pair());
        let amount = self.nearest.amount.with_size(pair.size);
        let amount = match &self.walked {
            None => amount,
            Some(Walked::Unknown) => return None,
            Some(Walked::Estimated(estimated)) => {
                let epsilon = match amount.epsilon() {
                    Some(epsilon) => epsilon.clone(),
                    None => amount.implied_at(&estimated.converted)?,
                };
                Amount::Approximate { epsilon, delta: estimated.delta.clone() }
            }
        };
        let by_law = pair.noise.filter(|_| self.definition() == Definition::ZeroConcentrated);
        let (posterior, missed) = match by_law {
            Some(noise) => (noise.posterior(&prior), noise.type_two_error(&false_alarms)),
            None => (amount.posterior(&prior), amount.type_two_error(&false_alarms)),
        };
        let detection = &Rational::integer(1) - &missed;
        Some(Meaning {
            between: pair.between,
            others_move: pair.others_move,
            posterior,
            prior,
            false_alarms,
            detection,
        })
    }

    /// Two tables that differ by what the loss is per: one privacy unit, or one record. None where
    /// no two tables are as near, or where the loss is per unit of distance and nobody owns rows.
    fn pair_of_unit(&self) -> Option<TablePair> {
        let nearest = &self.nearest;
        let (who, rows, size) = match (&self.owner, &self.unit) {
            (Some(owner), _) => (owner.in_words(), owner.rows, &owner.whole),
            (None, Unit::Record) => ("record".to_owned(), 1, self.amount.size()),
            (None, _) => return None,
        };
        let reach = self.footprint.saturating_mul(rows);
        let exists = nearest.known && nearest.distance <= reach;
        if nearest.at_least > reach || !exists && size < nearest.amount.size() {
            return None;
        }
        let perhaps = if exists { "" } else { ", if there are such" };
        let squares = 1..=reach.saturating_mul(rows);
        let noise = nearest.noise.as_ref().map(|noise| GaussianNoise { variance: noise.variance.clone(), squares });
        Some(TablePair {
            between: format!("two tables that agree on what is exact and differ by one replaced {who}{perhaps}"),
            others_move: false,
            // The two may be the nearest, whose loss was rounded by itself.
            size: size.max(nearest.amount.size()).clone(),
            noise,
        })
    }

    /// The nearest two tables, as far as they are known.
    fn nearest_pair(&self) -> TablePair {
        let NearestLoss { distance, known, others, amount, noise, .. } = &self.nearest;
        let between = match *known {
            true if self.nearest.is_attained() && *others => {
                "two tables that agree on what is exact, nearest ones that were found".to_owned()
            }
            true if self.nearest.is_attained() => "the nearest two tables that agree on what is exact".to_owned(),
            true => {
                format!("two tables at l1 distance {distance} that agree on what is exact, the nearest that are known")
            }
            false => format!("two tables at l1 distance {distance} that agree on what is exact, if there are such"),
        };
        let others_move = *distance > self.footprint;
        TablePair { between, others_move, size: amount.size().clone(), noise: noise.clone() }
    }
}

impl Meaning {
    /// The numbers in one sentence, and whether it is about more than one record.
    pub fn sentence(&self) -> String {
        let except = match self.posterior.except.is_zero() {
            true => String::new(),
            false => format!(
                ", but for releases that come with probability {} at most",
                self.posterior.except.to_decimal_exact().unwrap_or_else(|| self.posterior.except.to_string())
            ),
        };
        let hardly = if self.is_hardly_protective() { "; that is hardly any protection" } else { "" };
        let others = match self.others_move {
            true => {
                " This is about whole tables, not about one person's record: what is exact makes other records move with it."
            }
            false => "",
        };
        format!(
            "Between {}, somebody who thought the two equally likely can be led to give one of them a probability of {} at most{except}; a \
             test between them with {} false alarms detects the other with probability {} at most{hardly}.{others}",
            self.between,
            percent(&self.posterior.at_most),
            percent(&self.false_alarms),
            percent(&self.detection)
        )
    }

    /// Whether next to nothing is kept from somebody who bets or tests.
    pub fn is_hardly_protective(&self) -> bool {
        let most = Rational::new(99, 100u8);
        self.posterior.at_most > most || self.detection > most
    }
}

/// A probability in percent, rounded up to one decimal.
pub fn percent(value: &Rational) -> String {
    let hundred = decimals_up(&(value * &Rational::integer(100)), 1);
    format!("{} %", hundred.to_decimal_exact().unwrap_or_else(|| hundred.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Rational {
        text.parse().unwrap()
    }

    fn pure(epsilon: &str) -> Amount {
        Amount::Approximate { epsilon: number(epsilon), delta: number("0") }
    }

    #[test]
    fn golden_numbers() {
        let half = number("1/2");
        assert_eq!(pure("1").posterior(&half).at_most, number("0.731058579"));
        assert_eq!(pure("1").type_two_error(&number("1/20")), number("0.864085908"));
        assert_eq!(pure("3").type_two_error(&number("1/20")), number("0.047297714"));
        assert_eq!(pure("0").posterior(&number("1/3")).at_most, number("0.333333334"));
        assert_eq!(pure("0").type_two_error(&number("1/20")), number("0.95"));
        assert_eq!(pure("1e9").type_two_error(&number("1/20")), number("0"));
        assert_eq!(pure("1e9").posterior(&half).at_most, number("1"));
        let walked = Amount::Approximate { epsilon: number("1"), delta: number("1e-6") };
        // Either table: (10 + 9/e)·10⁻⁶.
        assert_eq!(walked.posterior(&half).except, number("1.331092e-5"));
        assert!(walked.posterior(&half).at_most > number("0.7511"));
    }

    /// Of a Gaussian pair, whose true trade-off is known, the bound is below it and not far.
    #[test]
    fn the_bound_of_rho_is_below_the_gaussian_trade_off() {
        // Φ(Φ⁻¹(0.95) − √(2ρ)) for the levels of ρ.
        for (rho, truth) in [("1/200", 0.9388), ("1/8", 0.8740), ("1/2", 0.7405), ("2", 0.3612)] {
            let bound = Amount::ZeroConcentrated { rho: number(rho) }.type_two_error(&number("1/20")).to_f64();
            assert!(bound <= truth && bound > truth - 0.35, "ρ = {rho}: {bound} against {truth}");
        }
    }

    /// The law itself is close to the Gaussian's true trade-off, where ρ is far from it: 96 % at
    /// ρ = 2.
    #[test]
    fn the_law_of_the_noise_says_more_than_rho() {
        for (rho, squared, truth) in [("1/200", 2, 0.9388), ("1/8", 2, 0.8740), ("1/2", 2, 0.7405), ("2", 2, 0.3612)] {
            let rho = number(rho);
            let noise = GaussianNoise {
                variance: &Rational::integer(squared) / &(&number("2") * &rho),
                squares: squared..=squared,
            };
            let level = number("1/20");
            let found = noise.type_two_error(&level);
            assert!(found > Amount::ZeroConcentrated { rho: rho.clone() }.type_two_error(&level), "ρ = {rho}");
            assert!((found.to_f64() - truth).abs() < 0.12, "ρ = {rho}: {found} beside {truth}");
            let half = number("1/2");
            let (by_law, by_rho) = (noise.posterior(&half), Amount::ZeroConcentrated { rho }.posterior(&half));
            assert!(by_law.at_most <= by_rho.at_most && by_law.except <= number("2e-6"));
        }
    }

    #[test]
    fn percentages_round_up() {
        assert_eq!(percent(&number("0.73105")), "73.2 %");
        assert_eq!(percent(&number("1")), "100 %");
    }
}
