//! Distances between laws, against brute force; the inequality of ε-TP on random families;
//! published figures.

use exact::Rational;
use secrets::{Binary, Finite, Measure, Normal, World, bottleneck, distance_on_a_line};

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

/// A small generator of numbers, so that cases can be repeated.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }

    /// Whole weights with this sum, one at least for the first.
    fn weights(&mut self, parts: usize, sum: u64) -> Vec<u64> {
        let mut weights = vec![0; parts];
        (0..sum).for_each(|_| weights[self.below(parts as u64) as usize] += 1);
        weights
    }
}

fn shares(weights: &[u64]) -> Vec<Rational> {
    let sum: u64 = weights.iter().sum();
    weights.iter().map(|weight| Rational::new(*weight, sum)).collect()
}

/// Whether a coupling exists that has no pair beyond `most`: Hall's condition, over all sets of
/// places.
fn reachable(one: &[u64], two: &[u64], most: u64, distance: &dyn Fn(usize, usize) -> u64) -> bool {
    (0..1u32 << one.len()).all(|set| {
        let inside = |from: &usize| set >> from & 1 == 1;
        let sent: u64 = (0..one.len()).filter(inside).map(|from| one[from]).sum();
        let near = |to: &usize| (0..one.len()).filter(inside).any(|from| one[from] > 0 && distance(from, *to) <= most);
        sent <= (0..two.len()).filter(near).map(|to| two[to]).sum()
    })
}

#[test]
fn the_distance_is_that_of_the_best_coupling() {
    let mut numbers = Numbers(7);
    for _ in 0..400 {
        let (rows, columns) = (1 + numbers.below(5) as usize, 1 + numbers.below(5) as usize);
        let far: Vec<u64> = (0..rows * columns).map(|_| numbers.below(6)).collect();
        let distance = |from: usize, to: usize| far[from * columns + to];
        let (one, two) = (numbers.weights(rows, 12), numbers.weights(columns, 12));
        let found = bottleneck(&shares(&one), &shares(&two), distance).unwrap();
        assert!(reachable(&one, &two, found, &distance), "{one:?} {two:?} {far:?}");
        let nearer = far.iter().copied().filter(|far| *far < found).max();
        assert!(
            nearer.is_none_or(|nearer| !reachable(&one, &two, nearer, &distance)),
            "{one:?} {two:?} {far:?} {found}"
        );
    }
    assert_eq!(bottleneck(&[rational("1/2")], &[rational("1")], |_, _| 0), None, "masses differ");
}

/// The least over all couplings of the farthest pair that is used: every way to send whole weights
/// is tried.
fn best_of_all_couplings(one: &[u64], two: &[u64], distance: &dyn Fn(usize, usize) -> u64) -> u64 {
    fn fill(
        place: usize,
        left: &mut Vec<u64>,
        wanted: &mut Vec<u64>,
        farthest: u64,
        best: &mut u64,
        distance: &dyn Fn(usize, usize) -> u64,
    ) {
        if farthest >= *best {
            return;
        }
        let (from, to) = (place / wanted.len(), place % wanted.len());
        if from == left.len() {
            *best = farthest;
            return;
        }
        let last = to + 1 == wanted.len();
        let most = left[from].min(wanted[to]);
        // In the last column of a row all that is left must go.
        let least = if last { left[from] } else { 0 };
        for moved in (least..=most).rev() {
            left[from] -= moved;
            wanted[to] -= moved;
            let farthest = if moved > 0 { farthest.max(distance(from, to)) } else { farthest };
            fill(place + 1, left, wanted, farthest, best, distance);
            left[from] += moved;
            wanted[to] += moved;
        }
    }
    let mut best = u64::MAX;
    fill(0, &mut one.to_vec(), &mut two.to_vec(), 0, &mut best, distance);
    best
}

#[test]
fn the_distance_is_that_of_brute_force_over_couplings() {
    let mut numbers = Numbers(13);
    for _ in 0..400 {
        let (rows, columns) = (1 + numbers.below(5) as usize, 1 + numbers.below(5) as usize);
        let far: Vec<u64> = (0..rows * columns).map(|_| numbers.below(9)).collect();
        let distance = |from: usize, to: usize| far[from * columns + to];
        let (one, two) = (numbers.weights(rows, 6), numbers.weights(columns, 6));
        let found = bottleneck(&shares(&one), &shares(&two), distance).unwrap();
        assert_eq!(found, best_of_all_couplings(&one, &two, &distance), "{one:?} {two:?} {far:?}");
    }
}

#[test]
fn on_a_line_quantiles_give_the_same() {
    let mut numbers = Numbers(11);
    for _ in 0..300 {
        let (one, two) = (numbers.weights(6, 20), numbers.weights(6, 20));
        let listed =
            |weights: &[u64]| weights.iter().enumerate().map(|(at, weight)| (at as i64, (*weight).into())).collect();
        let (here, there): (Vec<_>, Vec<_>) = (listed(&one), listed(&two));
        let far = |from: usize, to: usize| from.abs_diff(to) as u64;
        assert_eq!(Some(distance_on_a_line(here, there)), bottleneck(&shares(&one), &shares(&two), far));
    }
}

#[test]
fn yes_or_no_records_as_published() {
    let distance = |n, z0, z1, any| Binary::new(n, rational(z0), rational(z1), any).unwrap().distance();
    for (z0, z1, expected) in
        [("0.5", "0.5", 1), ("0.49", "0.51", 3), ("0.45", "0.55", 11), ("0.4", "0.6", 21), ("0.2", "0.8", 61)]
    {
        assert_eq!(distance(100, z0, z1, false), expected, "{z0} {z1}");
    }
    assert_eq!(distance(100, "0.49", "0.51", true), 100, "any dependence moves everything");
    assert_eq!(distance(100, "0.5", "0.5", true), 99, "equal shares do not make records independent");
    assert_eq!(distance(100, "1", "1", true), 1, "everybody else is known");
    assert_eq!(distance(2, "0.5", "0.5", true), 1);
    assert_eq!(distance(1, "0", "1", false), 1);
    assert_eq!(distance(50, "0", "1", false), 50);
    for (n, z0, z1) in [(0, "0", "1"), (20_001, "0", "1"), (5, "0.6", "0.5"), (5, "-0.1", "0.5"), (5, "0", "1.1")] {
        assert!(Binary::new(n, rational(z0), rational(z1), false).is_err(), "{n} {z0} {z1}");
    }
}

#[test]
fn no_member_of_the_binary_family_is_wider() {
    // Given a yes the others are yes with probabilities p, given a no with q, all within z₀ to z₁:
    // the law of the sum is listed.
    let mut numbers = Numbers(3);
    let (z0, z1) = (3, 7);
    let widest = Binary::new(6, rational("0.3"), rational("0.7"), false).unwrap().distance();
    for _ in 0..200 {
        let mut law = |shift: usize| {
            let mut law = vec![0u64; 7];
            law[shift] = 1;
            for _ in 0..5 {
                let yes = z0 + numbers.below(z1 - z0 + 1);
                for at in (0..7).rev() {
                    law[at] = law[at] * (10 - yes) + if at > 0 { law[at - 1] * yes } else { 0 };
                }
            }
            law
        };
        let (yes, no) = (law(1), law(0));
        let listed =
            |law: &[u64]| law.iter().enumerate().map(|(at, weight)| (at as i64, (*weight).into())).collect::<Vec<_>>();
        assert!(distance_on_a_line(listed(&yes), listed(&no)) <= widest);
    }
}

#[test]
fn normal_means_as_published() {
    let share = |tau: &str, noise: Option<&str>| {
        Normal::new(100, Rational::integer(1), rational(tau), noise.map(rational)).unwrap().share().to_f64()
    };
    for (tau, alone, beside) in [("0", 0.01, 0.00503), ("0.01", 0.0199, 0.00674), ("0.1", 0.109, 0.01018)] {
        assert!((share(tau, None) - alone).abs() < 5e-6, "{tau}");
        assert!((share(tau, Some("0.01")) - beside).abs() < 5e-6, "{tau} {}", share(tau, Some("0.01")));
    }
    // The conditional mean of X̄ given X₁ = v and Z = z is affine in both: its difference between
    // two v does not hold z.
    let (variance, s, noise) = (1.0, 0.0199, 0.01);
    let mean = |v: f64, z: f64| {
        let determinant = variance * (s + noise) - s * s;
        (s * noise * v + (variance * s - s * s) * z) / determinant
    };
    for z in [-3.0, 0.0, 5.0] {
        assert!((mean(1.0, z) - mean(0.0, z) - share("0.01", Some("0.01"))).abs() < 1e-12);
    }
    assert!(Normal::new(100, Rational::integer(1), rational("-0.02"), None).is_err());
    assert!(Normal::new(100, Rational::integer(0), rational("0"), None).is_err());
}

/// The conditional mean of X̄ given X₁ and Z by Gaussian elimination on the covariances of all n
/// values, not by the closed form.
fn conditional_mean(n: usize, tau: f64, noise: f64, value: f64, public: f64) -> f64 {
    let covariance = |i: usize, j: usize| if i == j { 1.0 } else { tau };
    let mean_with = |i: usize| (0..n).map(|j| covariance(i, j)).sum::<f64>() / n as f64;
    let variance = (0..n).map(mean_with).sum::<f64>() / n as f64;
    let (a, b, c) = (covariance(0, 0), mean_with(0), variance + noise);
    let determinant = a * c - b * b;
    let (first, second) =
        ((mean_with(0) * c - b * variance) / determinant, (a * variance - b * mean_with(0)) / determinant);
    first * value + second * public
}

#[test]
fn the_normal_distance_is_the_supremum_and_the_printed_formula_is_not() {
    let width = 1.0;
    for (tau, noise) in [("0", "0.01"), ("0.01", "0.01"), ("0.1", "0.01"), ("0.5", "1/3"), ("-0.005", "0.2")] {
        let family = Normal::new(100, Rational::integer(1), rational(tau), Some(rational(noise))).unwrap();
        let (share, tau, noise) = (family.share().to_f64(), rational(tau).to_f64(), rational(noise).to_f64());
        // Two normal laws of one variance are as far apart as their means: the supremum over
        // answers and public values.
        let (mut supremum, mut printed) = (0.0f64, 0.0f64);
        for public in (-20..=20).map(|step| f64::from(step) / 4.0) {
            for (one, two) in [(0.0, 1.0), (-0.5, 0.5), (3.0, 4.0), (0.2, 0.7)] {
                let mean = |value: f64| conditional_mean(100, tau, noise, value, public);
                supremum = supremum.max((mean(two) - mean(one)).abs());
            }
            // The mutant: z is multiplied too, as printed.
            printed = printed.max(conditional_mean(100, tau, noise, width, public).abs());
        }
        assert!((supremum - share * width).abs() < 1e-10, "{tau} {noise}: {supremum} {share}");
        assert!(printed > 2.0 * share, "z kept in the formula would pass: {tau} {noise} {printed} {share}");
    }
}

/// Random families on few tables with one total, and a mechanism whose loss per unit is known: the
/// law of the release given either secret differs by at most e^{εΔ}.
#[test]
fn the_inequality_holds_on_random_families() {
    let tables: Vec<Vec<i64>> = (0..=4).flat_map(|a| (0..=4 - a).map(move |b| vec![a, b, 4 - a - b])).collect();
    let apart = |one: &[i64], two: &[i64]| one.iter().zip(two).map(|(one, two)| one.abs_diff(*two)).sum::<u64>();
    let epsilon = 0.35f64;
    // The conditional law e^{−ε'|y − x|}/Z(x) with γ = 1: loss ε = 2ε' per unit, whatever Z does.
    let release = |x: &[i64]| {
        let weights: Vec<f64> = tables.iter().map(|y| (-epsilon / 2.0 * apart(x, y) as f64).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(move |weight| weight / sum).collect::<Vec<f64>>()
    };
    let laws: Vec<Vec<f64>> = tables.iter().map(|table| release(table)).collect();
    let mut numbers = Numbers(29);
    let (mut nearly, mut cases, mut beyond) = (0.0f64, 0, 0);
    for _ in 0..1_200 {
        let of_secret = |weights: Vec<u64>, secret: &str| {
            let worlds = tables.iter().zip(weights).map(|(counts, weight)| World {
                law: "one".into(),
                secret: secret.into(),
                counts: counts.clone(),
                probability: Rational::integer(weight),
            });
            worlds.collect::<Vec<_>>()
        };
        let pieces = 1 + numbers.below(9);
        let one = numbers.weights(tables.len(), pieces);
        // Now and then both answers have the same law: then all that is told comes from the
        // mistake.
        let two = if cases % 10 == 0 { one.clone() } else { numbers.weights(tables.len(), pieces) };
        let told = |weights: &[u64]| -> Vec<f64> {
            let sum: u64 = weights.iter().sum();
            let at = |y: usize| weights.iter().enumerate().map(|(x, w)| *w as f64 / sum as f64 * laws[x][y]).sum();
            (0..tables.len()).map(at).collect()
        };
        let (given_one, given_two) = (told(&one), told(&two));
        // The truth: other laws of the table, of which the declared ones are wrong by a factor of
        // e^{±m} at most.
        let bent = |numbers: &mut Numbers, weights: &[u64]| -> (Vec<u64>, f64) {
            let bent: Vec<u64> = weights.iter().map(|weight| weight * (2 + numbers.below(3))).collect();
            let (sum, sum_bent) = (weights.iter().sum::<u64>() as f64, bent.iter().sum::<u64>() as f64);
            let ratios = weights.iter().zip(&bent).filter(|(weight, _)| **weight > 0);
            let ratios = ratios.map(|(weight, bent)| ((*bent as f64 / sum_bent) / (*weight as f64 / sum)).ln().abs());
            let most = ratios.fold(0.0, f64::max);
            (bent, most)
        };
        let ((true_one, m_one), (true_two, m_two)) = (bent(&mut numbers, &one), bent(&mut numbers, &two));
        let (true_one, true_two) = (told(&true_one), told(&true_two));
        let worlds = [of_secret(one, "yes"), of_secret(two, "no")].concat();
        let distance = Finite::new(worlds).unwrap().widest(Measure::L1).unwrap().distance;
        let worst = given_one.iter().zip(&given_two).map(|(one, two)| (one / two).ln().abs()).fold(0.0, f64::max);
        assert!(worst <= epsilon * distance as f64 + 1e-12, "{worst} {distance}");
        if distance > 0 {
            nearly = nearly.max(worst / (epsilon * distance as f64));
        }
        let truly = true_one.iter().zip(&true_two).map(|(one, two)| (one / two).ln().abs()).fold(0.0, f64::max);
        assert!(
            truly <= epsilon * distance as f64 + 2.0 * m_one.max(m_two) + 1e-12,
            "{truly} {distance} {m_one} {m_two}"
        );
        beyond += u32::from(truly > epsilon * distance as f64);
        // A family that is wrong by e^{±m} everywhere: twice that is added, never more.
        let mistaken = 0.2f64;
        let other = |law: &[f64], sign: f64| -> Vec<f64> {
            let bent: Vec<f64> =
                law.iter().enumerate().map(|(y, p)| p * (sign * mistaken * ((y % 3) as f64 - 1.0)).exp()).collect();
            bent
        };
        let bent = other(&given_one, 1.0)
            .iter()
            .zip(&other(&given_two, -1.0))
            .map(|(one, two)| (one / two).ln().abs())
            .fold(0.0, f64::max);
        assert!(bent <= epsilon * distance as f64 + 2.0 * mistaken + 1e-12);
        cases += 1;
    }
    assert!(beyond > 10, "without the 2m the inequality would hold just as well: {beyond}");
    assert!(cases >= 1_000 && nearly > 0.5, "the test could hardly fail: {nearly}");
}

#[test]
fn families_that_say_nothing_are_refused() {
    let world = |secret: &str, counts: &[i64], probability: &str| World {
        law: "one".into(),
        secret: secret.into(),
        counts: counts.to_vec(),
        probability: rational(probability),
    };
    assert!(Finite::new(Vec::new()).is_err());
    assert!(Finite::new(vec![world("yes", &[1, 2], "-1/2")]).is_err());
    assert!(Finite::new(vec![world("yes", &[1, 2], "1/2"), world("no", &[1], "1/2")]).is_err());
    assert!(Finite::new(vec![world("yes", &[1, 2], "0")]).is_err());
    assert_eq!(Finite::new(vec![world("yes", &[1, 2], "1")]).unwrap().widest(Measure::L1), None);
}
