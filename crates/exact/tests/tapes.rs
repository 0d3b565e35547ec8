//! The first rung: the exact law of every coin by replaying it over every bit tape.

use exact::composition::{Scratch, add_composition, split_composition};
use exact::integer::{below, bernoulli, fair_heads, fair_wait, ratio};
use exact::lazy::Bounds;
use exact::subset::{attempt_split, order_statistic, split_evenly};
use exact::unimodal::{Unimodal, UnimodalLaw};
use exact::urn::{self, binomial, hypergeometric, multinomial, two_way};
use exact::{DiscreteGaussian, Enclosure, Geometric, Powers, Rational, Shares, Survival, SurvivalTable, bernoulli_exp};
use testkit::{TapeLaw, resolved_law, tape_law};

const BITS: usize = 128;

/// What tapes may leave unresolved, unless a test says otherwise: 2⁻²⁰.
const RESOLVED: f64 = 1.0 / (1 << 20) as f64;

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn exactly(numerator: u64, denominator: u64) -> Enclosure {
    Enclosure::from_rational(&Rational::new(numerator, denominator), BITS)
}

fn choose(n: u64, k: u64) -> u64 {
    (0..k as u128).fold(1, |product, i| product * (n as u128 - i) / (i + 1)) as u64
}

/// The law agrees, what is unresolved is little, and every outcome claimed likely was seen.
fn assert_law<T: Ord + std::fmt::Debug>(law: &TapeLaw<T>, claimed: impl Fn(&T) -> Enclosure) {
    law.agrees_with(claimed).unwrap();
    assert!(law.unresolved_share() <= RESOLVED, "unresolved {}", law.unresolved_share());
}

/// Loops of many coins leave more unresolved: as much as is said.
fn assert_law_within<T: Ord + std::fmt::Debug>(law: &TapeLaw<T>, unresolved: f64, claimed: impl Fn(&T) -> Enclosure) {
    law.agrees_with(claimed).unwrap();
    assert!(law.unresolved_share() <= unresolved, "unresolved {}", law.unresolved_share());
}

#[test]
fn uniform_integers() {
    for n in 1..=17 {
        assert_law(&resolved_law(RESOLVED, |tape| below(tape, n)), |_| exactly(1, n));
    }
}

#[test]
fn rational_coins() {
    for (p, q) in [(0, 1), (1, 1), (1, 2), (1, 3), (2, 7), (99, 100)] {
        let claim = |heads: &bool| exactly(if *heads { p } else { q - p }, q);
        assert_law(&resolved_law(RESOLVED, |tape| ratio(tape, p, q)), claim);
        assert_law(&resolved_law(RESOLVED, |tape| bernoulli(tape, &Rational::new(p, q))), claim);
    }
}

#[test]
fn exponential_coins() {
    for x in ["1/1000", "1/3", "1", "5/2", "9"] {
        let x = rational(x);
        let p = Enclosure::exp_rational(&-x.clone(), BITS);
        let claim = |heads: &bool| if *heads { p.clone() } else { &Enclosure::from_integer(1, BITS) - &p };
        assert_law(&resolved_law(RESOLVED, |tape| bernoulli_exp(tape, &x)), claim);
        let powers = Powers::new(&x / &Rational::integer(300), 2);
        assert_law(&resolved_law(RESOLVED, |tape| powers.coin(tape, 300)), claim);
    }
}

#[test]
fn coins_off_by_five_percent_are_rejected() {
    let tosses = resolved_law(RESOLVED, |tape| ratio(tape, 2, 7));
    let exponential = resolved_law(RESOLVED, |tape| bernoulli_exp(tape, &rational("1/3")));
    let coin = |p: Rational| {
        move |heads: &bool| Enclosure::from_rational(&if *heads { p.clone() } else { &Rational::integer(1) - &p }, BITS)
    };
    for factor in ["1.05", "0.95"] {
        assert!(tosses.agrees_with(coin(&Rational::new(2, 7u8) * &rational(factor))).is_err());
        let p = Enclosure::exp_rational(&-(&rational("1/3") * &rational(factor)), BITS);
        let claim = |heads: &bool| if *heads { p.clone() } else { &Enclosure::from_integer(1, BITS) - &p };
        assert!(exponential.agrees_with(claim).is_err());
    }
}

#[test]
fn fair_coins() {
    for count in 0..=9u64 {
        let law = resolved_law(RESOLVED, |tape| fair_heads(tape, count));
        assert_law(&law, |heads| exactly(choose(count, *heads), 1 << count));
    }
    assert_law(&resolved_law(RESOLVED, fair_wait), |wait| exactly(1, 2 << wait));
}

fn geometric_claim(epsilon: &Rational, g: u64) -> Enclosure {
    let a = Enclosure::exp_rational(&-epsilon.clone(), BITS);
    &a.pow(g) * &(&Enclosure::from_integer(1, BITS) - &a)
}

#[test]
fn geometric_by_table_and_by_parts() {
    for epsilon in ["5", "1", "3/10"] {
        let epsilon = rational(epsilon);
        let geometric = Geometric::new(epsilon.clone());
        let law = resolved_law(RESOLVED, |tape| geometric.draw(tape));
        assert_law(&law, |g| geometric_claim(&epsilon, *g));
    }
    // These are below the rate of the table: low bits are drawn apart, and hundreds of values are
    // likely.
    for epsilon in ["1/100", "1/300"] {
        let epsilon = rational(epsilon);
        let geometric = Geometric::new(epsilon.clone());
        let law = tape_law(18, |tape| geometric.draw(tape));
        assert_law_within(&law, 0.05, |g| geometric_claim(&epsilon, *g));
    }
}

#[test]
fn a_scale_off_by_five_percent_is_rejected() {
    let epsilon = rational("1");
    let geometric = Geometric::new(epsilon.clone());
    let law = resolved_law(RESOLVED, |tape| geometric.draw(tape));
    for factor in ["1.05", "0.95"] {
        let wrong = &epsilon * &rational(factor);
        assert!(law.agrees_with(|g| geometric_claim(&wrong, *g)).is_err());
    }
}

#[test]
fn double_geometric() {
    for epsilon in ["2", "1/2"] {
        let epsilon = rational(epsilon);
        let geometric = Geometric::new(epsilon.clone());
        let law = resolved_law(RESOLVED, |tape| geometric.draw_double(tape));
        let a = Enclosure::exp_rational(&-epsilon.clone(), BITS);
        let one = Enclosure::from_integer(1, BITS);
        let peak = (&one - &a).checked_div(&(&one + &a)).unwrap();
        assert_law(&law, |u| &peak * &a.pow(u.unsigned_abs()));
    }
}

/// P(z) for the discrete Gaussian by summing e^{−z²/2σ²} far beyond any mass the tapes can see.
fn gaussian_claim(variance: &Rational, z: i64) -> Enclosure {
    let weight = |z: i64| {
        let exponent = &Rational::integer(-z * z) / &(variance + variance);
        Enclosure::exp_rational(&exponent, BITS)
    };
    let total = (-60..=60).fold(Enclosure::from_integer(0, BITS), |sum, z| &sum + &weight(z));
    weight(z).checked_div(&total).unwrap()
}

#[test]
fn discrete_gaussian_by_table() {
    for variance in ["1/10", "1/3", "1", "7/2"] {
        let variance = rational(variance);
        let gaussian = DiscreteGaussian::new(&variance);
        let law = resolved_law(RESOLVED, |tape| gaussian.draw(tape));
        assert_law(&law, |z| gaussian_claim(&variance, *z));
        let wrong = &variance * &rational("1.05");
        assert!(law.agrees_with(|z| gaussian_claim(&wrong, *z)).is_err());
    }
}

/// The discrete Gaussian as a unimodal law, with and without quick bounds.
struct Bell {
    powers: Powers,
    quick: bool,
}

impl UnimodalLaw for Bell {
    fn mode(&self) -> i64 {
        3
    }
    fn bounds(&self, offset: i64) -> Bounds {
        if self.quick { self.powers.bounds((offset * offset) as u64) } else { Bounds::UNKNOWN }
    }
    fn ratio(&self, offset: i64, bits: usize) -> Enclosure {
        self.powers.refine((offset * offset) as u64, bits)
    }
}

#[test]
fn unimodal_by_blocks() {
    for quick in [true, false] {
        for variance in ["1/3", "2", "30"] {
            let variance = rational(variance);
            let powers = Powers::new(&rational("1/2") / &variance, 2);
            let unimodal = Unimodal::new(Bell { powers, quick });
            let law = resolved_law(RESOLVED, |tape| unimodal.attempt(tape));
            law.proportional_to(|z| gaussian_claim(&variance, *z - 3)).unwrap();
            assert!(law.unresolved_share() <= RESOLVED);
            for factor in ["1.05", "0.95"] {
                let wrong = &variance * &rational(factor);
                assert!(law.proportional_to(|z| gaussian_claim(&wrong, *z - 3)).is_err());
            }
        }
    }
}

/// A law whose table knows nothing: every draw is settled by enclosures, as if the window had to be
/// extended.
struct Tail(Rational);

impl Survival for Tail {
    fn survival(&self, index: u64, bits: usize) -> Enclosure {
        Enclosure::exp_rational(&-(&self.0 * &Rational::integer(index)), bits)
    }
}

#[test]
fn windows_are_extended_with_the_same_bits() {
    let epsilon = rational("2/3");
    let table = SurvivalTable::new(vec![Bounds::UNKNOWN]);
    let empty = resolved_law(RESOLVED, |tape| table.draw(tape, &Tail(epsilon.clone())));
    assert_law(&empty, |g| geometric_claim(&epsilon, *g));
    // The extension is invisible: tape by tape the same draw as with a full table.
    let full = Geometric::new(epsilon.clone());
    for bits in 0..1 << 12 {
        let (mut one, mut two) = (exact::Tape::new(bits, 12), exact::Tape::new(bits, 12));
        let (slow, fast) = (table.draw(&mut one, &Tail(epsilon.clone())), full.draw(&mut two));
        if !one.exhausted() && !two.exhausted() {
            assert_eq!(slow, fast);
        }
    }
}

#[test]
fn hypergeometric_splits() {
    for (first, second) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 3), (3, 4), (5, 4), (5, 5)] {
        for chosen in 0..=first + second {
            let law = tape_law(18, |tape| split_evenly(tape, first, second, chosen));
            let ways = choose(first + second, chosen);
            assert_law_within(&law, 0.08, |j| exactly(choose(first, *j) * choose(second, chosen - j), ways));
        }
    }
}

/// All that compositions, order statistics and urns are made of, attempt by attempt.
#[test]
fn attempts_at_a_split() {
    for (first, second) in [(1, 1), (2, 1), (2, 2), (3, 4), (5, 5)] {
        for chosen in 0..=(first + second) / 2 {
            let law = resolved_law(RESOLVED, |tape| attempt_split(tape, first, second, chosen));
            let agrees = |first: u64, second: u64, weight: &dyn Fn(u64) -> f64| {
                law.proportional_to(|j| {
                    let ways = choose(first, *j) * choose(second, chosen - j);
                    &Enclosure::from_integer(ways, BITS) * &Enclosure::from_rational(&near(weight(*j)), BITS)
                })
            };
            agrees(first, second, &|_| 1.0).unwrap();
            assert!(law.unresolved_share() <= RESOLVED);
            if law.finished.keys().flatten().count() > 1 {
                // One wrong quotient, five per cent to either side; one position too many.
                assert!(agrees(first, second, &|j| 1.05f64.powi(j as i32)).is_err(), "{first} {second} {chosen}");
                assert!(agrees(first, second, &|j| 0.95f64.powi(j as i32)).is_err(), "{first} {second} {chosen}");
                assert!(agrees(first + 1, second, &|_| 1.0).is_err(), "{first} {second} {chosen}");
            }
        }
    }
}

/// A machine number as a fraction of 10⁹.
fn near(number: f64) -> Rational {
    Rational::new((number * 1e9) as u64, 1_000_000_000u64)
}

#[test]
fn order_statistics() {
    for (length, chosen) in [(1, 1), (4, 2), (5, 3), (6, 3), (7, 2), (7, 6)] {
        for rank in 1..=chosen {
            let law = tape_law(20, |tape| order_statistic(tape, length, chosen, rank));
            let ways = choose(length, chosen);
            assert_law_within(&law, 0.1, |position| {
                exactly(choose(*position, rank - 1) * choose(length - 1 - position, chosen - rank), ways)
            });
        }
    }
}

#[test]
fn composition_splits() {
    for (first, second) in [(1, 1), (2, 1), (1, 3), (2, 2), (3, 2)] {
        for k in 0..=4 {
            let law = tape_law(20, |tape| split_composition(tape, first, second, k));
            let ways = choose(first + second + k - 1, k);
            assert_law_within(&law, 0.1, |j| {
                exactly(choose(first + j - 1, *j) * choose(second + k - j - 1, k - j), ways)
            });
        }
    }
}

#[test]
fn compositions_are_uniform() {
    for cells in 1..=4usize {
        for k in 0..=4u64 {
            let law = tape_law(22, |tape| {
                let mut parts = vec![0i64; cells];
                add_composition(tape, k, 1, &mut parts, &mut Scratch::default());
                parts
            });
            let ways = choose(cells as u64 + k - 1, k);
            assert_eq!(law.finished.len() as u64, ways, "{cells} cells, {k} units");
            assert_law_within(&law, 0.15, |_| exactly(1, ways));
            assert!(law.finished.keys().all(|parts| parts.iter().sum::<i64>() == k as i64));
        }
    }
}

/// P(k) from the weights C(n+k+t−1, k+t)·C(n+k−1, k)·a^{2k}, summed far beyond any mass the tapes
/// can see.
fn shares_claim(n: u64, epsilon: &Rational, total: u64, k: u64) -> Enclosure {
    let a = Enclosure::exp_rational(&-epsilon.clone(), BITS);
    let weight = |k: u64| {
        let ways = Rational::integer(choose(n + k + total - 1, k + total)) * Rational::integer(choose(n + k - 1, k));
        &Enclosure::from_rational(&ways, BITS) * &a.pow(2 * k)
    };
    let sum = (0..100).fold(Enclosure::from_integer(0, BITS), |sum, k| &sum + &weight(k));
    weight(k).checked_div(&sum).unwrap()
}

#[test]
fn shares_of_up_and_down() {
    for n in 1..=4u64 {
        for epsilon in ["2", "1/2"] {
            for total in [-3i64, 0, 1, 4] {
                let epsilon = rational(epsilon);
                let shares = Shares::new(n, &epsilon, total);
                let law = resolved_law(RESOLVED, |tape| shares.attempt(tape));
                for (up, down) in law.finished.keys().flatten() {
                    assert_eq!(*up as i64 - *down as i64, total);
                }
                let claim = |(up, down): &(u64, u64)| shares_claim(n, &epsilon, total.unsigned_abs(), *up.min(down));
                law.proportional_to(claim).unwrap();
                assert!(law.unresolved_share() <= RESOLVED);
            }
        }
    }
}

#[test]
fn an_off_by_one_in_the_shares_is_rejected() {
    let epsilon = rational("1");
    let shares = Shares::new(3, &epsilon, 0);
    let law = resolved_law(RESOLVED, |tape| shares.attempt(tape));
    let agrees =
        |n, epsilon: &Rational, total| law.proportional_to(|(k, _)| shares_claim(n, epsilon, total, *k)).is_ok();
    assert!(agrees(3, &epsilon, 0));
    assert!(!agrees(4, &epsilon, 0) && !agrees(2, &epsilon, 0) && !agrees(3, &epsilon, 1));
    assert!(!agrees(3, &rational("1.05"), 0) && !agrees(3, &rational("0.95"), 0));
}

#[test]
fn balls_from_urns() {
    for (first, second, chosen) in
        [(1, 1, 1), (3, 2, 2), (2, 5, 3), (1, 6, 4), (4, 3, 6), (0, 3, 2), (3, 0, 2), (2, 9, 2)]
    {
        let law = tape_law(24, |tape| hypergeometric(tape, first, second, chosen));
        let claim = |j: &u64| exactly(choose(first, *j) * choose(second, chosen - j), choose(first + second, chosen));
        assert_law_within(&law, 2e-2, claim);
        assert!(law.finished.keys().all(|j| *j <= first && chosen - j <= second));
    }
    for (trials, p, q) in [(0, 1, 3), (1, 1, 3), (4, 2, 7), (3, 1, 1), (3, 0, 5), (3, 1, 2)] {
        let law = tape_law(20, |tape| binomial(tape, trials, p, q));
        let claim = |j: &u64| {
            exactly(choose(trials, *j) * p.pow(*j as u32) * (q - p).pow((trials - j) as u32), q.pow(trials as u32))
        };
        assert_law_within(&law, 2e-2, claim);
    }
}

/// A table with fixed margins has the weight ∏ r!·∏ c!/(n!·∏ x!); one with a fixed total n!·∏
/// (w/Σw)ˣ/∏ x!.
#[test]
fn tables_from_urns() {
    let factorial = |n: &u64| (1..=*n).product::<u64>();
    let all = |values: &[u64]| values.iter().map(factorial).product::<u64>();
    let settings: [(&[u64], &[u64]); 4] =
        [(&[2, 1], &[1, 2]), (&[1, 2], &[1, 1, 1]), (&[2, 2], &[3, 1]), (&[1, 1, 1], &[2, 1])];
    for (rows, columns) in settings {
        let law = tape_law(22, |tape| two_way(tape, rows, columns));
        let n: u64 = rows.iter().sum();
        assert_law_within(&law, 2e-2, |table| exactly(all(rows) * all(columns), factorial(&n) * all(table)));
        // A mutant that splits every row as if the columns were never used up is told apart.
        let mutant =
            tape_law(22, |tape| rows.iter().flat_map(|row| multinomial(tape, *row, columns)).collect::<Vec<u64>>());
        assert!(mutant.agrees_with(|table| exactly(all(rows) * all(columns), factorial(&n) * all(table))).is_err());
    }
    let (weights, n) = ([1u64, 3, 2], 3u64);
    let law = tape_law(22, |tape| multinomial(tape, n, &weights));
    let power = |table: &[u64]| table.iter().zip(&weights).map(|(x, w)| w.pow(*x as u32)).product::<u64>();
    assert_law_within(&law, 2e-2, |table| exactly(factorial(&n) * power(table), all(table) * 6u64.pow(n as u32)));
    for n in [1u64, 3, 8, 11] {
        let law = tape_law(16, |tape| urn::below(tape, &exact::Natural::from(n)));
        assert_law_within(&law, 1e-2, |_| exactly(1, n));
    }
}
