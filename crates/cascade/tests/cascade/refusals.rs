//! What a cascade does not draw, and why.

use cascade::{Cascade, CellBounds, NO_HIGH, Noise, Outline};
use declare::{NO_GROUP, Problem};
use exact::Rational;

fn plain(cells: usize, exact: &[&[u32]], variance: &str) -> Result<Cascade, Problem> {
    let noise = vec![Noise { group_of: None, variance: variance.parse().unwrap() }];
    Cascade::new(&Outline {
        cells,
        exact: exact.to_vec(),
        noise,
        bounds: CellBounds::AtLeastZero,
        ..Outline::default()
    })
}

fn message(result: Result<Cascade, Problem>) -> String {
    result.err().map(|problem| problem.message).unwrap_or_default()
}

#[test]
fn all_two_way_margins_of_three_dimensions_have_gaps() {
    let cells = 0..8u32;
    let ab: Vec<u32> = cells.clone().map(|cell| cell / 2).collect();
    let bc: Vec<u32> = cells.clone().map(|cell| cell % 4).collect();
    let ac: Vec<u32> = cells.map(|cell| cell / 4 * 2 + cell % 2).collect();
    assert!(message(plain(8, &[&ab, &bc, &ac], "9")).contains("gaps"));
    assert!(plain(8, &[&ab, &bc], "9").is_ok());
}

#[test]
fn too_little_noise() {
    let total = [0, 0];
    assert!(message(plain(2, &[&total], "1/2")).contains("too small"));
    let cascade = plain(2, &[&total], "2").unwrap();
    assert_eq!(*cascade.least_variance().unwrap(), Rational::integer(1));
    assert!(cascade.kappa().to_f64() < 3e-7 && cascade.kappa().is_positive());
}

#[test]
fn cells_without_noise_of_their_own() {
    let groups = [0, 0, 1, 1];
    let noise = vec![Noise { group_of: Some(&groups), variance: Rational::integer(4) }];
    let outline = Outline { cells: 4, exact: vec![&[0; 4]], noise, ..Outline::default() };
    assert!(message(Cascade::new(&outline)).contains("no noise of their own"));
}

#[test]
fn bad_orders_and_lengths() {
    let noise = vec![Noise { group_of: None, variance: Rational::integer(4) }];
    let with = |order: &[u32]| {
        message(Cascade::new(&Outline {
            cells: 3,
            exact: vec![&[0; 3]],
            noise: noise.clone(),
            order: Some(order),
            ..Outline::default()
        }))
    };
    assert!(with(&[0, 1]).contains("lacks cells"));
    assert!(with(&[0, 1, 1]).contains("twice"));
    assert!(with(&[0, 1, 5]).contains("not there"));
    assert_eq!(with(&[2, 0, 1]), "");
    let short = Outline { cells: 3, exact: vec![&[0; 2]], noise: noise.clone(), ..Outline::default() };
    assert!(message(Cascade::new(&short)).contains("one label per cell"));
    let wild = Outline { cells: 3, exact: vec![&[0, 1, 4_000_000_000]], noise: noise.clone(), ..Outline::default() };
    assert!(message(Cascade::new(&wild)).contains("beyond the number of cells"));
    assert!(plain(3, &[&[0; 3]], "4").unwrap().draw(&[1, 2], &exact::Seeded::new(1)).is_err());
    assert!(plain(3, &[&[0; 3]], "4").unwrap().draw(&[i64::MAX, 2, 5], &exact::Seeded::new(1)).is_err());
}

#[test]
fn rules_that_are_not_pairs() {
    let noise = vec![Noise { group_of: None, variance: Rational::integer(4) }];
    let exact = [0, NO_GROUP, 0, NO_GROUP];
    let with = |rules: &[(u32, u32)]| {
        let outline = Outline {
            cells: 4,
            exact: vec![&exact],
            noise: noise.clone(),
            bounds: CellBounds::AtLeastZero,
            rules: rules.to_vec(),
            ..Outline::default()
        };
        message(Cascade::new(&outline))
    };
    assert_eq!(with(&[(0, 1), (2, 3)]), "");
    assert!(with(&[(0, 1), (1, 3)]).contains("chain"));
    assert!(with(&[(0, 1)]).contains("only some have a rule"));
    assert!(with(&[(0, 1), (2, 1)]).contains("do not come in pairs"));
    assert!(with(&[(0, 7)]).contains("not there"));
}

#[test]
fn totals_that_leave_nothing_are_known_before_anything_is_drawn() {
    let noise = vec![Noise { group_of: None, variance: Rational::integer(4) }];
    let (low, high) = ([0, 0, 0], [1, 1, NO_HIGH]);
    let total = [0, 0, NO_GROUP];
    let bounds = CellBounds::Each(&low, &high);
    let outline = Outline { cells: 3, exact: vec![&total], noise, bounds, ..Outline::default() };
    let cascade = Cascade::new(&outline).unwrap();
    assert!(cascade.is_feasible(&[1, 0, 4]));
    assert!(!cascade.is_feasible(&[3, 0, 4]));
}

#[test]
fn structural_zeros_stand_in_the_outline_and_not_in_tables() {
    // 3 × 3 with both margins, and no cells on the diagonal.
    let row_of: Vec<u32> = (0..9).map(|cell| cell / 3).collect();
    let column_of: Vec<u32> = (0..9).map(|cell| cell % 3).collect();
    let live: Vec<u32> = (0..9).filter(|cell| cell / 3 != cell % 3).collect();
    let noise = vec![Noise { group_of: None, variance: Rational::integer(9) }];
    let outline = Outline {
        cells: 9,
        exact: vec![&row_of, &column_of],
        noise: noise.clone(),
        bounds: CellBounds::AtLeastZero,
        live: Some(&live),
        ..Outline::default()
    };
    let cascade = Cascade::new(&outline).unwrap();
    assert_eq!(cascade.cells(), 6);
    let counts = [4, 1, 3, 5, 2, 6];
    let (mut seen, mut total) = (std::collections::BTreeSet::new(), 0.0);
    for seed in 0..2000 {
        let table = cascade.draw(&counts, &exact::Seeded::new(seed)).unwrap();
        assert!(cascade.keeps(&counts, &table) && table.len() == 6 && table.iter().all(|count| *count >= 0));
        if seen.insert(table.clone()) {
            total += cascade.log_likelihood(&counts, &table).unwrap().exp();
        }
    }
    // One free number is left, around the cycle of the six cells, and between its bounds it takes
    // every value.
    assert_eq!(seen.len(), 4, "{seen:?}");
    assert!((total - 1.0).abs() < 1e-9, "{total}");
    let loss = cascade.loss(&[(0, 1), (1, -1)]).to_f64();
    assert!(
        (loss / (1.0 + cascade.kappa().to_f64()) - 1.0 / 9.0).abs() < 1e-12,
        "changes are told by listed cells: {loss}"
    );
    let wild = [3, 1];
    assert!(message(Cascade::new(&Outline { live: Some(&wild), ..outline })).contains("not in their order"));
}
