//! Liu's Table 1, column by column, for finite laws in fractions: what holds, and a counterexample
//! where it need not.

use crate::projected::agrees;
use audit::conditional;
use audit::measure::Summary;
use audit::privacy::{Loss, delta, worst_ratio};
use audit::views::FiniteLaw;
use audit::views::gaussian::{conditional_covariance, projected_covariance, scaled_identity};
use audit::zhu::exact_variance;
use exact::{Enclosure, Rational, Seeded, Source};
use std::collections::BTreeMap;
use testkit::Random;

const BITS: usize = 128;

fn fraction(above: i64, below: u64) -> Rational {
    Rational::new(above, below)
}

/// The largest ratio of probabilities, `None` when it is infinite.
fn largest<T: Ord + Clone>(first: &FiniteLaw<T>, second: &FiniteLaw<T>) -> Option<Rational> {
    let ratio = |(outcome, p): (&T, &Rational)| Some(p * &second.probability(outcome).reciprocal()?);
    let there: Option<Vec<Rational>> = first.iter().map(ratio).collect();
    let back = |(outcome, q): (&T, &Rational)| Some(q * &first.probability(outcome).reciprocal()?);
    let back: Option<Vec<Rational>> = second.iter().map(back).collect();
    there?.into_iter().chain(back?).max()
}

fn random_law(random: &mut Random, outcomes: i64) -> FiniteLaw<i64> {
    FiniteLaw::from_weights((0..outcomes).map(|outcome| (outcome, fraction(1 + random.below(30) as i64, 1)))).unwrap()
}

fn clamped(a: &Rational, centre: i64) -> FiniteLaw<i64> {
    FiniteLaw::clamped_double_geometric(a, centre, -6, 9).unwrap()
}

/// Additive noise `∝ a^{distance}` on the integers modulo m, in two cells, around this table.
fn cyclic(a: &Rational, m: i64, table: [i64; 2]) -> FiniteLaw<[i64; 2]> {
    let weight = |u: i64| a.pow(u.rem_euclid(m).min((-u).rem_euclid(m)) as u32);
    let cells = (0..m).flat_map(|one| (0..m).map(move |two| [one, two]));
    FiniteLaw::from_weights(cells.map(|y| (y, &weight(y[0] - table[0]) * &weight(y[1] - table[1])))).unwrap()
}

#[test]
fn laws_are_laws() {
    let a = fraction(1, 3);
    let law = clamped(&a, 2);
    assert_eq!(law.mass(|_| true), Rational::integer(1));
    // (1 − a)/(1 + a) inside, a^d/(1 + a) at the ends.
    assert_eq!(law.probability(&2), fraction(1, 2));
    assert_eq!(law.probability(&-6), &a.pow(8) / &fraction(4, 3));
    assert_eq!(largest(&law, &clamped(&a, 3)), Some(Rational::integer(3)));
    assert!(FiniteLaw::from_weights([(0, fraction(-1, 2))]).is_none());
    assert!(FiniteLaw::<i64>::from_weights([]).is_none());
    assert!(law.conditioned(|outcome| *outcome > 100).is_none());
    assert!(law.mixed(&Rational::integer(2), &law).is_none() && law.projected(&[], |_, _| fraction(0, 1)).is_none());
}

#[test]
fn privacy_is_not_preserved_by_conditioning() {
    // One count and the rule that it is not negative: the normaliser moves.
    let a = fraction(1, 3);
    let nonnegative = |law: FiniteLaw<i64>| law.conditioned(|outcome| *outcome >= 0).unwrap();
    let (first, second) = (nonnegative(clamped(&a, 0)), nonnegative(clamped(&a, 1)));
    let base = largest(&clamped(&a, 0), &clamped(&a, 1)).unwrap();
    assert_eq!(base, Rational::integer(3));
    let found = largest(&first, &second).unwrap();
    assert!(found > base);
    // (1 + a − a²)/a, as the noise has it without its clamp.
    let claimed = &(&(&Rational::integer(1) + &a) - &(&a * &a)) / &a;
    assert_eq!(found, claimed);
}

#[test]
fn privacy_is_preserved_by_projection() {
    let a = fraction(1, 3);
    let nearest =
        |law: &FiniteLaw<i64>| law.projected(&(0..=9).collect::<Vec<i64>>(), |y, c| fraction((y - c).abs(), 1));
    for centre in 0..6 {
        let (first, second) = (clamped(&a, centre), clamped(&a, centre + 1));
        let found = largest(&nearest(&first).unwrap(), &nearest(&second).unwrap()).unwrap();
        assert!(found <= largest(&first, &second).unwrap());
        for epsilon in ["0.5", "1"] {
            let epsilon = epsilon.parse().unwrap();
            let before = delta(&first, &second, &epsilon, BITS);
            let after = delta(&nearest(&first).unwrap(), &nearest(&second).unwrap(), &epsilon, BITS);
            assert!(after.lower_rational() <= before.upper_rational());
        }
    }
}

#[test]
fn privacy_is_preserved_under_equalities_by_both() {
    let (a, m) = (fraction(1, 2), 8);
    let base = |table| cyclic(&a, m, table);
    let kept = |law: &FiniteLaw<[i64; 2]>| law.conditioned(|y| (y[0] + y[1]) % m == 0).unwrap();
    // One record moves: distance 2, ratio a^{−2}.
    let (first, second) = (base([1, 7]), base([2, 6]));
    let claimed = a.pow(2).reciprocal();
    assert_eq!(largest(&first, &second), claimed);
    assert_eq!(largest(&kept(&first), &kept(&second)), claimed);
    let total = |y: &[i64; 2]| (y[0] + y[1]) % m == 0;
    assert_eq!(first.mass(total), second.mass(total));
    // Projection: half of what is missing goes to each cell, the odd unit to the first.
    let moved = |y: &[i64; 2]| {
        let missing = -(y[0] + y[1]);
        let half = missing.div_euclid(2);
        [(y[0] + missing - half).rem_euclid(m), (y[1] + half).rem_euclid(m)]
    };
    assert!(largest(&first.imaged(moved), &second.imaged(moved)) <= claimed);
}

#[test]
fn post_processing() {
    let mut random = Random(1);
    for _ in 0..50 {
        let (first, second) = (random_law(&mut random, 6), random_law(&mut random, 6));
        let kept = |law: &FiniteLaw<i64>| law.conditioned(|outcome| *outcome != 2).unwrap();
        let function: Vec<u64> = (0..6).map(|_| random.below(3)).collect();
        let h = |outcome: &i64| function[*outcome as usize];
        assert!(largest(&kept(&first).imaged(h), &kept(&second).imaged(h)) <= largest(&kept(&first), &kept(&second)));
        let nearest = |outcome: &i64| outcome / 2 * 2;
        let (first, second) = (first.imaged(nearest), second.imaged(nearest));
        assert!(largest(&first.imaged(h), &second.imaged(h)) <= largest(&first, &second));
    }
    // Not `(h ∘ M)|C`: with h exchanging 0 and 1 and C = {0}, it is M given that it is 1.
    let law = FiniteLaw::from_weights([(0i64, fraction(1, 3)), (1, fraction(1, 3)), (2, fraction(1, 3))]).unwrap();
    let h = |outcome: &i64| [1, 0, 2][*outcome as usize];
    let inside = |outcome: &i64| *outcome == 0;
    assert_ne!(law.conditioned(inside).unwrap().imaged(h), law.imaged(h).conditioned(inside).unwrap());
}

#[test]
fn basic_composition() {
    let mut random = Random(2);
    for _ in 0..20 {
        let laws: Vec<FiniteLaw<i64>> = (0..4).map(|_| random_law(&mut random, 4)).collect();
        let kept = |law: &FiniteLaw<i64>| law.conditioned(|outcome| *outcome < 3).unwrap();
        let nearest = |law: &FiniteLaw<i64>| law.imaged(|outcome| *outcome.min(&2));
        for constrained in [&kept as &dyn Fn(&FiniteLaw<i64>) -> FiniteLaw<i64>, &nearest] {
            let laws: Vec<FiniteLaw<i64>> = laws.iter().map(constrained).collect();
            let both = largest(&laws[0].product(&laws[2]), &laws[1].product(&laws[3])).unwrap();
            let apart = &largest(&laws[0], &laws[1]).unwrap() * &largest(&laws[2], &laws[3]).unwrap();
            assert!(both <= apart);
        }
        // Conditioning two independent mechanisms on both constraints is conditioning each on its
        // own.
        let joint = laws[0].product(&laws[2]).conditioned(|(one, two)| *one < 3 && *two < 3).unwrap();
        assert_eq!(joint, kept(&laws[0]).product(&kept(&laws[2])));
    }
    // Losses add exactly when the worst outcomes are in the same direction.
    let a = fraction(1, 3);
    let pair = |centre| clamped(&a, centre).product(&clamped(&a, centre));
    assert_eq!(largest(&pair(0), &pair(1)), Some(Rational::integer(9)));
}

#[test]
fn disjoint_union_by_conditioning_is_a_mixture() {
    let mut random = Random(3);
    for _ in 0..30 {
        let law = random_law(&mut random, 7);
        let (one, two) = (|outcome: &i64| *outcome < 2, |outcome: &i64| *outcome > 3);
        let (mass, more) = (law.mass(one), law.mass(two));
        let weight = &mass / &(&mass + &more);
        let union = law.conditioned(|outcome| one(outcome) || two(outcome)).unwrap();
        assert_eq!(union, law.conditioned(one).unwrap().mixed(&weight, &law.conditioned(two).unwrap()).unwrap());
    }
}

#[test]
fn disjoint_union_does_not_inherit_the_loss() {
    // Theorem 3.5 part 2 is false: C = {0}, C' = {1}. Either part is certain, the union has the
    // loss of the noise.
    let bounds = Enclosure::exp_rational(&Rational::integer(-1), BITS);
    for a in [bounds.lower_rational(), bounds.upper_rational()] {
        let law = |centre| clamped(&a, centre);
        let part = |centre, value| law(centre).conditioned(|outcome| *outcome == value).unwrap();
        for value in [0, 1] {
            assert_eq!(part(0, value), part(1, value));
            assert_eq!(largest(&part(0, value), &part(1, value)), Some(Rational::integer(1)));
        }
        let union = |centre| law(centre).conditioned(|outcome| [0, 1].contains(outcome)).unwrap();
        assert_eq!(largest(&union(0), &union(1)), a.reciprocal());
        // a = e^{−1} within 2^{−128}: a loss of one.
        let Loss::Finite(loss) = worst_ratio(&union(0), &union(1), BITS).unwrap().loss else { panic!("it is finite") };
        assert!((&loss.upper_rational() - &Rational::integer(1)).abs().to_f64() < 1e-30);
    }
}

#[test]
fn disjoint_union_by_projection_is_no_mixture() {
    let law = FiniteLaw::from_weights((0..4).map(|outcome| (outcome, fraction(1, 4)))).unwrap();
    let nearest = |set: &[i64]| law.projected(set, |y, c| fraction((y - c).abs(), 1)).unwrap();
    let (one, two, union) = (nearest(&[0]), nearest(&[2, 3]), nearest(&[0, 2, 3]));
    assert_eq!(one, FiniteLaw::point(0));
    // In a mixture, 2 and 3 would stay in the proportion 3 : 1 that they have under C' alone.
    assert_eq!(&two.probability(&2) / &two.probability(&3), Rational::integer(3));
    assert_eq!(&union.probability(&2) / &union.probability(&3), Rational::integer(1));
}

#[test]
fn mixtures_commute_with_projection() {
    let mut random = Random(4);
    for _ in 0..30 {
        let (one, two) = (random_law(&mut random, 8), random_law(&mut random, 8));
        let weight = fraction(random.below(11) as i64, 10);
        let nearest = |law: &FiniteLaw<i64>| law.projected(&[1, 5, 6], |y, c| fraction((y - c).abs(), 1)).unwrap();
        let mixture = one.mixed(&weight, &two).unwrap();
        assert_eq!(nearest(&mixture), nearest(&one).mixed(&weight, &nearest(&two)).unwrap());
    }
}

#[test]
fn mixtures_do_not_commute_with_conditioning() {
    // Two mechanisms that, given C = {0, 1}, say nothing about the table; their mixture, given C,
    // does.
    let law =
        |weights: [i64; 3]| FiniteLaw::from_weights((0..3).zip(weights.map(|weight| fraction(weight, 1)))).unwrap();
    let inside = |outcome: &i64| *outcome < 2;
    let (one, one_prime) = (law([1, 0, 3]), law([3, 0, 1]));
    let two = law([0, 1, 1]);
    let kept = |law: &FiniteLaw<i64>| law.conditioned(inside).unwrap();
    assert_eq!(kept(&one), kept(&one_prime));
    let half = fraction(1, 2);
    let mixture = |law: &FiniteLaw<i64>| kept(&law.mixed(&half, &two).unwrap());
    assert_ne!(mixture(&one), kept(&one).mixed(&half, &kept(&two)).unwrap());
    assert_eq!(largest(&mixture(&one), &mixture(&one_prime)), Some(fraction(9, 5)));
}

#[test]
fn conditioning_has_the_least_divergence() {
    let mut random = Random(5);
    let law = random_law(&mut random, 9);
    let inside = |outcome: &i64| [1, 2, 5, 7].contains(outcome);
    let conditioned = law.conditioned(inside).unwrap();
    let least = law.least_divergence(inside, BITS).unwrap();
    let close = |one: &Enclosure, other: &Enclosure| (one.to_f64() - other.to_f64()).abs() < 1e-30;
    assert!(close(&conditioned.divergence_from(&law, BITS).unwrap(), &least));
    for _ in 0..200 {
        let weights = [1i64, 2, 5, 7].map(|outcome| (outcome, fraction(random.below(20) as i64, 1)));
        let Some(other) = FiniteLaw::from_weights(weights) else { continue };
        let divergence = other.divergence_from(&law, BITS).unwrap();
        // The identity that proves it: KL(P'‖P) = KL(P'‖P|C) − ln P(C).
        let rest = other.divergence_from(&conditioned, BITS).unwrap();
        assert!(close(&divergence, &(&rest + &least)));
        if other != conditioned {
            assert_eq!(least.certainly_less(&divergence), Some(true));
        }
    }
    // Outside of C the divergence is still finite, but outside of the support it is not.
    assert!(FiniteLaw::point(100).divergence_from(&law, BITS).is_none());
}

#[test]
fn projection_moves_least() {
    // Among all ways to move every outcome into C, the nearest point has the least expected squared
    // distance.
    let mut random = Random(6);
    let law = random_law(&mut random, 9);
    let set = [0i64, 4, 7];
    let distance = |y: &i64, c: &i64| fraction((y - c).pow(2), 1);
    let cost = |choice: &BTreeMap<i64, i64>| {
        law.iter().fold(Rational::integer(0), |sum, (y, share)| &sum + &(share * &distance(y, &choice[y])))
    };
    let nearest: BTreeMap<i64, i64> =
        (0..9).map(|y| (y, *set.iter().min_by_key(|c| (distance(&y, c), **c)).unwrap())).collect();
    assert_eq!(law.projected(&set, distance).unwrap(), law.imaged(|y| nearest[y]));
    for _ in 0..200 {
        let other: BTreeMap<i64, i64> = (0..9).map(|y| (y, set[random.below(3) as usize])).collect();
        assert!(cost(&nearest) <= cost(&other));
    }
}

#[test]
fn both_views_agree_for_spherical_gaussian_noise() {
    let rows =
        |rows: &[&[i64]]| rows.iter().map(|row| row.iter().map(|entry| Rational::from(*entry)).collect()).collect();
    let matrices: [Vec<Vec<Rational>>; 3] = [
        rows(&[&[1, 1, 1, 1]]),
        rows(&[&[1, 1, 0, 0], &[0, 1, 1, 1]]),
        // The third row follows from the others.
        rows(&[&[1, 1, 0, 0], &[0, 0, 1, 1], &[1, 1, 1, 1]]),
    ];
    let spherical = scaled_identity(&fraction(9, 4), 4);
    for matrix in &matrices {
        let conditioning = conditional_covariance(&spherical, matrix).unwrap();
        assert_eq!(conditioning, projected_covariance(&spherical, matrix).unwrap());
    }
    let one_total = conditional_covariance(&spherical, &matrices[0]).unwrap();
    assert_eq!(one_total[0][0], conditional::gaussian(&fraction(9, 4), 4));
    assert_eq!(one_total[0][1], fraction(-9, 16));
    // Unequal variances: they differ.
    let mut unequal = spherical.clone();
    unequal[0][0] = Rational::integer(100);
    assert_ne!(conditional_covariance(&unequal, &matrices[0]), projected_covariance(&unequal, &matrices[0]));
    assert_eq!(conditional_covariance(&spherical, &Vec::new()).unwrap(), spherical);
    // And simulated, by the draw that subtracts the mean.
    let mut entropy = Seeded::new(31).stream(0).unwrap();
    let (mut cell, mut both) = (Summary::default(), Summary::default());
    for _ in 0..40_000 {
        let noise = draw::gaussian(&mut entropy, 1.5, 4, true);
        cell.push(noise[0]);
        both.push(noise[0] * noise[1]);
    }
    assert!(agrees(cell.variance(), cell.variance_error(), one_total[0][0].to_f64()));
    assert!(agrees(both.mean(), both.mean_error(), one_total[0][1].to_f64()));
}

#[test]
fn they_differ_for_laplace_noise() {
    let one = Rational::integer(1);
    for cells in 2..50 {
        assert!(conditional::laplace(&one, cells) < exact_variance(&Rational::integer(2), cells));
    }
}
