//! Completions climb the ladder of tests with groups of every size: tapes attempt by attempt, then
//! goodness of fit.

use super::complete::Splitter;
use super::shape::Cell;
use super::shared::Shared;
use super::*;
use exact::{Enclosure, Seeded, Source};
use testkit::{TapeLaw, goodness_of_fit, level, tape_law};

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn geometric(up: &str, down: &str) -> CellNoise {
    CellNoise::Geometric { up: rational(up), down: rational(down) }
}

fn gaussian(variance: &str) -> CellNoise {
    CellNoise::Gaussian { variance: rational(variance) }
}

fn class(noise: CellNoise, low: Option<i64>, high: Option<i64>, centres: &[i64]) -> ClassLaw {
    ClassLaw::new(noise, low, high, centres.to_vec(), Ladder::Standard)
}

/// Cells with their counts and the shapes a of their Dirichlet-multinomial factors.
fn weighted(noise: CellNoise, low: i64, high: Option<i64>, cells: &[(i64, &str)]) -> ClassLaw {
    let factors: Vec<Factor> = cells.iter().map(|(_, a)| Factor::Rising(rational(a))).collect();
    let cells = cells.iter().zip(0..).map(|((x, _), factor)| (*x, Some(factor))).collect();
    ClassLaw::weighted(noise, (Some(low), high), cells, factors.into(), Ladder::Standard)
}

fn splitter(law: &ClassLaw, sum: i64, ladder: Ladder, most: usize) -> Splitter {
    Splitter::with_group(law.tilted(&law.tilt(sum).theta()), &law.centres, ladder, most)
}

/// The weight of the cells, as an enclosure.
fn weight(law: &ClassLaw, cells: &[i64]) -> Enclosure {
    let (mut exponent, mut factor) = (Rational::integer(0), Rational::integer(1));
    for (Centre { x, factor: own }, y) in law.centres.iter().zip(cells) {
        if let Some(own) = own.filter(|_| *y >= 0) {
            factor = &factor * &law.factors[own as usize].weight(*y);
        }
        let distance = Rational::integer(y - x);
        let own = match &law.noise {
            CellNoise::Geometric { up, .. } if y >= x => up * &distance,
            CellNoise::Geometric { down, .. } => -(down * &distance),
            CellNoise::Gaussian { variance } => &(&distance * &distance) / &(variance * &Rational::integer(2)),
            CellNoise::Flat => Rational::integer(0),
        };
        exponent = &exponent + &own;
    }
    let inside = |y: &i64| law.low.is_none_or(|low| low <= *y) && law.high.is_none_or(|high| *y <= high);
    match cells.iter().all(inside) {
        true => &Enclosure::exp_rational(&-exponent, 128) * &Enclosure::from_rational(&factor, 128),
        false => Enclosure::from_integer(0, 128),
    }
}

fn attempts(law: &ClassLaw, sum: i64, ladder: Ladder, most: usize, depth: u32) -> TapeLaw<Option<Vec<i64>>> {
    let splitter = splitter(law, sum, ladder, most);
    tape_law(depth, |tape| {
        let mut cells = vec![0; law.cells()];
        splitter.attempt(tape, sum, &mut cells).then_some(cells)
    })
}

/// Cells at least `margin` scales from their bounds share one sum, however few they are.
fn shared(law: &ClassLaw, sum: i64, margin: &str) -> Option<Splitter> {
    let tilted = law.tilted(&law.tilt(sum).theta());
    let cells: Vec<Cell> = law.centres.iter().map(|centre| tilted.cell(*centre)).collect();
    let shared = Shared::with_margin(&tilted, &cells, &law.centres, 0, &rational(margin))?;
    Some(Splitter::shared(&cells, shared))
}

fn shared_attempts(law: &ClassLaw, sum: i64, margin: &str, depth: u32) -> TapeLaw<Option<Vec<i64>>> {
    let splitter = shared(law, sum, margin).expect("some cells are far from their bounds");
    tape_law(depth, |tape| {
        let mut cells = vec![0; law.cells()];
        splitter.attempt(tape, sum, &mut cells).then_some(cells)
    })
}

/// Whichever cells are called far: all within their bounds (0), some, and with bounds that then
/// often break.
#[test]
fn attempts_of_shared_sums_have_the_law_of_the_class() {
    let classes = [
        (class(geometric("1", "1"), Some(0), None, &[1, 0, 2]), 3),
        (class(geometric("2", "1"), Some(0), None, &[1, 2]), 2),
        (class(geometric("1", "2"), Some(0), Some(2), &[1, 2, 0]), 3),
        (class(geometric("3/2", "1"), Some(0), Some(3), &[2, 1, 5]), 4),
        (class(geometric("2", "2"), None, None, &[0, 1, 0]), 2),
        (class(geometric("1", "1"), None, Some(1), &[0, 0, 1]), 0),
    ];
    let mut drawn = 0;
    for (law, sum) in &classes {
        for margin in ["0", "1", "2"] {
            if shared(law, *sum, margin).is_none() {
                continue;
            }
            let tapes = shared_attempts(law, *sum, margin, 18);
            let what = format!("{:?} {:?} margin {margin}", law.noise, law.centres);
            tapes.proportional_to(|cells| weight(law, cells)).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(tapes.unresolved_share() < 0.35, "{what}: {}", tapes.unresolved_share());
            drawn += 1;
        }
    }
    assert!(drawn >= 12, "{drawn}");
}

#[test]
fn mutants_of_shared_sums_are_rejected() {
    let law = |up: &str, down: &str, low: i64, high: i64| class(geometric(up, down), Some(low), Some(high), &[1, 2]);
    let drawn = shared_attempts(&law("1/2", "1/2", 0, 3), 3, "0", 22);
    drawn.proportional_to(|cells| weight(&law("1/2", "1/2", 0, 3), cells)).unwrap();
    for mutant in
        [law("21/40", "1/2", 0, 3), law("1/2", "21/40", 0, 3), law("1/2", "1/2", 1, 3), law("1/2", "1/2", 0, 2)]
    {
        let found = drawn.proportional_to(|cells| weight(&mutant, cells));
        assert!(found.is_err(), "{:?} {:?}, {} unresolved", mutant.noise, mutant.low, drawn.unresolved_share());
    }
}

/// Against exact marginals, at sums that need a tilt and at the table's own, near cells and far
/// ones.
#[test]
fn shared_sums_agree_with_the_marginals() {
    let centres = [400, 0, 300, 7, 0, 100, 500, 900, 12, 1, 250, 200];
    let own: i64 = centres.iter().sum();
    let law = class(geometric("1/5", "1/5"), Some(0), None, &centres);
    for sum in [own, own + 60, own - 60] {
        let splitter = shared(&law, sum, "25").expect("some cells are far from their bounds");
        for cell in [0, 1, 8] {
            let found = fit_of(&splitter, &law, sum, cell, 31);
            assert!(found > level(9), "{sum} {cell}: {found}");
        }
    }
    let wrong = class(geometric("3/10", "3/10"), Some(0), None, &centres);
    let splitter = shared(&law, own, "25").expect("some cells are far from their bounds");
    assert!(fit_of(&splitter, &wrong, own, 0, 31) < 1e-4);
}

fn small_classes() -> Vec<(ClassLaw, i64)> {
    vec![
        (class(geometric("1", "2"), Some(0), None, &[1, 0, 2]), 3),
        (class(geometric("1", "1"), Some(0), None, &[3, 2, 3]), 2),
        (class(geometric("3/2", "1"), Some(1), Some(3), &[-3, 9, 2]), 6),
        (class(geometric("1", "1"), Some(-1), Some(1), &[0, 0, 1]), 2),
        (class(geometric("2", "2"), None, None, &[0, 1, 0]), 2),
        (class(gaussian("1"), Some(0), None, &[1, 0, 2]), 4),
        (class(gaussian("1/2"), Some(0), Some(3), &[-2, 7, 1]), 4),
        (class(CellNoise::Flat, Some(0), Some(3), &[0, 0, 0]), 4),
        // Two peaks: at zero, and at the count.
        (weighted(geometric("1/2", "1/2"), 0, Some(7), &[(3, "1/200"), (2, "1/200"), (0, "1/200")]), 5),
        (weighted(geometric("1", "1"), 0, Some(5), &[(3, "1/100"), (0, "5/2"), (2, "1")]), 4),
        (weighted(gaussian("1"), 0, Some(5), &[(3, "1/100"), (1, "9/2"), (2, "1/3")]), 6),
        (weighted(CellNoise::Flat, 0, Some(4), &[(0, "1/10"), (0, "3"), (0, "1/100")]), 4),
    ]
}

#[test]
fn attempts_have_the_law_of_the_class() {
    for (law, sum) in small_classes() {
        for (ladder, most) in [(Ladder::Standard, 1), (Ladder::Standard, 2), (Ladder::Coarse, 2)] {
            let tapes = attempts(&law, sum, ladder, most, 18);
            tapes
                .proportional_to(|cells| weight(&law, cells))
                .unwrap_or_else(|error| panic!("{:?} {:?} {ladder:?} {most}: {error}", law.noise, law.centres));
            assert!(tapes.unresolved_share() < 0.2, "{:?} {most}: {}", law.centres, tapes.unresolved_share());
        }
    }
}

#[test]
fn mutant_attempts_are_rejected() {
    let law = |up: &str, down: &str, low: i64, high: i64| class(geometric(up, down), Some(low), Some(high), &[1, 3, 0]);
    let drawn = attempts(&law("1/2", "1", 0, 3), 4, Ladder::Standard, 2, 20);
    drawn.proportional_to(|cells| weight(&law("1/2", "1", 0, 3), cells)).unwrap();
    let mutants = [law("21/40", "1", 0, 3), law("1/2", "21/20", 0, 3), law("1/2", "1", 1, 3), law("1/2", "1", 0, 2)];
    for mutant in mutants {
        assert!(drawn.proportional_to(|cells| weight(&mutant, cells)).is_err(), "{:?} {:?}", mutant.noise, mutant.low);
    }
    // A wider bound leaves out what was never drawn: one value less is one outcome less.
    let all = |low: i64, high: i64| (low..=high).flat_map(move |a| (low..=high).map(move |b| (a, b)));
    let possible = all(0, 3).filter(|(a, b)| (0..=3).contains(&(4 - a - b))).count();
    assert_eq!(drawn.finished.keys().flatten().count(), possible);
}

/// Chi-square of the drawn values of a cell against its exact law given the sum.
fn fit(law: &ClassLaw, claimed: &ClassLaw, sum: i64, most: usize, cell: usize) -> f64 {
    fit_of(&splitter(law, sum, Ladder::Standard, most), claimed, sum, cell, most as u64)
}

fn fit_of(splitter: &Splitter, claimed: &ClassLaw, sum: i64, cell: usize, stream: u64) -> f64 {
    let marginal = claimed.marginal(sum, cell);
    let mut counts = vec![0u64; marginal.len()];
    let mut entropy = Seeded::new(11).stream(stream).expect("seeded bits");
    let mut cells = vec![0; claimed.cells()];
    let draws = 5_000;
    for _ in 0..draws {
        splitter.draw(&mut entropy, sum, &mut cells);
        assert_eq!(cells.iter().sum::<i64>(), sum);
        if let Some(index) = marginal.iter().position(|(value, _)| *value == cells[cell]) {
            counts[index] += 1;
        }
    }
    let shares: Vec<f64> = marginal.iter().map(|(_, share)| *share).collect();
    goodness_of_fit(&counts, &shares, draws).p_value
}

/// Cells that may be near their count, at zero, or where the factor draws them.
const PEAKED: [(i64, &str); 12] = [
    (40, "1/200"),
    (0, "1/200"),
    (3, "1/10"),
    (7, "30"),
    (9, "1/1000"),
    (60, "20"),
    (5, "1"),
    (0, "4"),
    (12, "1/200"),
    (1, "1/200"),
    (0, "1/100"),
    (2, "1/2"),
];

#[test]
fn chains_and_completions_agree_with_the_marginals() {
    let classes = [
        (class(geometric("1/5", "1/5"), Some(0), None, &[40, 0, 3, 7, 0, 100, 5, 0, 12, 1, 0, 2]), 170),
        (class(geometric("1/5", "1/5"), Some(0), None, &[5, 4, 3, 5, 0, 1, 2, 5, 4, 5, 3, 2]), 20),
        (class(geometric("1/20", "1/9"), Some(-3), Some(30), &[40, 0, -30, 7, 0, 12, 5, 0, 12, 1]), 100),
        (class(gaussian("20"), Some(0), None, &[40, 0, 3, 7, 0, 100, 5, 0, 12, 1, 0, 2]), 170),
        (class(CellNoise::Flat, Some(0), Some(20), &[0; 9]), 40),
        (weighted(geometric("1/5", "1/5"), 0, Some(400), &PEAKED), 170),
        (weighted(gaussian("20"), 0, Some(400), &PEAKED), 170),
    ];
    for (law, sum) in &classes {
        for most in [1, 3, 6, 12] {
            for cell in [0, 4] {
                let found = fit(law, law, *sum, most, cell);
                assert!(found > level(56), "{:?} {most} {cell}: {found}", law.noise);
            }
        }
    }
}

#[test]
fn a_wrong_scale_does_not_fit() {
    let centres = [40, 20, 30, 70, 25, 100, 50, 40, 12, 31, 40, 28];
    let law = |rate: &str| class(geometric(rate, rate), Some(0), None, &centres);
    let sum = centres.iter().sum();
    for most in [3, 12] {
        assert!(fit(&law("1/5"), &law("1/5"), sum, most, 0) > level(2));
        assert!(fit(&law("1/5"), &law("3/10"), sum, most, 0) < 1e-3);
    }
}
