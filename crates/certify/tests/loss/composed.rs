//! Composition: what releases lose together, against enumerated laws; which part of the data a
//! release uses.

use certify::{are_disjoint, part_of};
use declare::{Declaration, Encoding};
use loss::{Amount, Charge, Unit, composes_by_maximum, parallel, sequential};

fn pure(epsilon: &str, per: Unit) -> Charge {
    Charge { amount: Amount::Pure { epsilon: epsilon.parse().unwrap() }, per }
}

fn rho(rho: &str, per: Unit) -> Charge {
    Charge { amount: Amount::ZeroConcentrated { rho: rho.parse().unwrap() }, per }
}

fn approximate(epsilon: &str, delta: &str) -> Charge {
    let amount = Amount::Approximate { epsilon: epsilon.parse().unwrap(), delta: delta.parse().unwrap() };
    Charge { amount, per: Unit::Record }
}

#[test]
fn losses_of_the_same_data_add_up() {
    use Unit::Record;
    for (losses, expected) in [
        (vec![pure("1/3", Record), pure("1/6", Record)], pure("1/2", Record)),
        (vec![pure("1/2", Record), rho("1/8", Record)], rho("1/4", Record)),
        (vec![pure("1/2", Record), approximate("1/2", "1e-6")], approximate("1", "1e-6")),
        (vec![approximate("1/2", "1e-6"), approximate("1/2", "1e-6")], approximate("1", "2e-6")),
    ] {
        let composed = sequential(&losses).unwrap();
        assert_eq!(composed.charge, expected);
        assert!(composed.pairs.contains("every exact total of 2 releases"), "{}", composed.pairs);
    }
    let refused = [
        sequential(&[rho("1", Record), approximate("1", "1e-6")]),
        sequential(&[pure("1", Record), pure("1", Unit::L1)]),
        sequential(&[]),
    ];
    insta::assert_snapshot!(refused.map(|problem| problem.unwrap_err().to_string()).join("\n"));
}

#[test]
fn losses_of_disjoint_parts_are_the_largest_where_that_is_proved() {
    let owner = || Unit::Owner("person".to_string());
    let half = |losses: [Charge; 2]| parallel(&losses).unwrap().charge.amount;
    assert_eq!(half([pure("1/3", Unit::L1), pure("1/2", Unit::L1)]), pure("1/2", Unit::L1).amount);
    assert_eq!(half([pure("1/2", Unit::Record), pure("1/3", Unit::Record)]), pure("1/2", Unit::Record).amount);
    assert_eq!(half([rho("1/2", Unit::L2), rho("1/3", Unit::L2)]), rho("1/2", Unit::L2).amount);
    assert_eq!(half([pure("1", Unit::Record), rho("1/3", Unit::Record)]), rho("1/2", Unit::Record).amount);
    assert_eq!(half([pure("1/2", Unit::L2), pure("1/2", Unit::L2)]), pure("1", Unit::L2).amount);
    assert_eq!(half([pure("1/2", owner()), pure("1/2", owner())]), pure("1", owner()).amount);
    assert_eq!(half([approximate("1", "1e-6"), approximate("1", "1e-6")]), approximate("2", "2e-6").amount);
    let composed = parallel(&[pure("1/3", Unit::Record), pure("1/2", Unit::Record)]).unwrap();
    insta::assert_snapshot!(format!("{}\npairs: {}\nbecause {}", composed.charge, composed.pairs, composed.because));
}

/// What a noise table costs in log-weight.
type Energy = &'static dyn Fn(&[i64]) -> f64;

/// The law of `x + noise` on a window, for a log-weight of the noise.
fn law(x: &[i64], window: i64, energy: &dyn Fn(&[i64]) -> f64) -> Vec<f64> {
    let mut weights = Vec::new();
    for first in -window..=window {
        for second in -window..=window {
            weights.push((-energy(&[first - x[0], second - x[1]])).exp());
        }
    }
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

fn pure_loss(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(p, q)| (p / q).ln().abs()).fold(0.0, f64::max)
}

fn renyi(one: &[f64], other: &[f64], order: f64) -> f64 {
    let term = |(p, q): (&f64, &f64)| (order * p.ln() + (1.0 - order) * q.ln()).exp();
    one.iter().zip(other).map(term).sum::<f64>().ln() / (order - 1.0)
}

fn tables() -> Vec<[i64; 2]> {
    (0..9).map(|number| [number % 3, number / 3]).collect()
}

/// Two parts of two cells, each released with noise of its own: for all pairs of tables, records
/// that change their part included, the loss of both releases is at most the composed one; the norm
/// ℓ₂ shows why its losses add up.
#[test]
fn enumerated_parts_lose_no_more_than_is_composed() {
    let energies: [Energy; 3] =
        [&|z| 0.5 * (z[0].abs() + z[1].abs()) as f64, &|z| (z[0] * z[0] + z[1] * z[1]) as f64 / 4.0, &|z| {
            0.5 * ((z[0] * z[0] + z[1] * z[1]) as f64).sqrt()
        }];
    // The tails beyond the window are negligible, and those within are numbers that a machine
    // holds.
    let windows = [46, 24, 46];
    let laws: Vec<Vec<Vec<f64>>> = energies
        .iter()
        .zip(windows)
        .map(|(energy, window)| tables().iter().map(|x| law(x, window, energy)).collect())
        .collect();
    let [geometric, gaussian, norm] = &laws[..] else { panic!("three laws") };
    let composed = |charge: Charge| parallel(&[charge.clone(), charge]).unwrap().charge.amount;
    assert_eq!(composed(pure("1/2", Unit::L1)), pure("1/2", Unit::L1).amount);
    assert_eq!(composed(rho("1/4", Unit::L2)), rho("1/4", Unit::L2).amount);
    let between = |laws: &[Vec<f64>], loss: &dyn Fn(&[f64], &[f64]) -> f64| -> Vec<f64> {
        (0..81).map(|pair| loss(&laws[pair / 9], &laws[pair % 9])).collect()
    };
    let orders = [1.5, 4.0];
    let (lost, by_norm) = (between(geometric, &pure_loss), between(norm, &pure_loss));
    let diverged = orders.map(|order| between(gaussian, &|p, q| renyi(p, q, order)));
    let all = tables();
    let apart = |pair: usize| {
        let cells = all[pair / 9].iter().zip(&all[pair % 9]).map(|(a, b)| (a - b).abs());
        cells.fold((0, 0), |(sum, squares), apart| (sum + apart, squares + apart * apart))
    };
    let (mut worst, mut worst_norm) = (0.0f64, 0.0f64);
    // What happens in the first part, and in the second.
    for (first, second) in (0..81 * 81).map(|both| (both / 81, both % 81)) {
        let (one, two) = (apart(first), apart(second));
        let (distance, squared) = ((one.0 + two.0) as f64, (one.1 + two.1) as f64);
        let both = lost[first] + lost[second];
        assert!(both <= 0.5 * distance + 1e-9, "{both} at ℓ₁ distance {distance}");
        for (order, diverged) in orders.iter().zip(&diverged) {
            let both = diverged[first] + diverged[second];
            assert!(both <= order * 0.25 * squared + 1e-9, "{both} at squared ℓ₂ distance {squared}");
        }
        if squared > 0.0 {
            worst = worst.max(both / distance);
            worst_norm = worst_norm.max((by_norm[first] + by_norm[second]) / squared.sqrt());
        }
    }
    assert!(worst > 0.5 - 1e-9, "the bound is reached");
    assert!(worst_norm > 0.7, "by the norm two parts lose more than one: {worst_norm}");
    assert!(!composes_by_maximum(&pure("1/2", Unit::L2)));
}

/// One person with three rows in each of two parts: each release checks its own rows alone, so both
/// losses are whole.
#[test]
fn the_rows_of_one_owner_may_lie_in_every_part() {
    let rows = 3.0;
    let each = 0.5 * 2.0 * rows;
    let together = 2.0 * each;
    let owner = |epsilon: &str| pure(epsilon, Unit::Owner("person".to_string()));
    let composed = parallel(&[owner("3"), owner("3")]).unwrap().charge;
    assert_eq!(composed.amount, pure("6", Unit::Record).amount);
    assert_eq!(together, 6.0);
}

fn spec(filter: &str, noise: &str) -> Declaration {
    let text = format!(
        "[data]\npath = \"x.csv\"\npublic = true\nwhere = \"{filter}\"\n[dimensions]\nrow = [\"a\", \"b\"]\n[constraints]\n\
         nonnegative = false\n[mechanism]\nnoise = \"{noise}\"\nepsilon = \"1\"\n"
    );
    Declaration::parse_alone(&text, "part.toml").unwrap()
}

#[test]
fn a_part_is_one_value_of_the_column() {
    for (filter, part) in [
        ("state = 'Illinois'", Some("Illinois")),
        ("year = 2020 and state = 'Illinois'", Some("Illinois")),
        ("(age >= 18 and state = 'Illinois') and sex = 'f'", Some("Illinois")),
        ("state in ('Illinois')", Some("Illinois")),
        ("state = 17", Some("17")),
        ("state = '17'", Some("17")),
        ("state = '017'", Some("17")),
        ("state = '17.5'", Some("17.5")),
        ("state in ('Illinois', 'Texas')", None),
        ("state = 'Illinois' or state = 'Texas'", None),
        ("not state = 'Illinois'", None),
        ("state != 'Illinois'", None),
        ("year = 2020", None),
        ("state = ' Illinois'", None),
    ] {
        assert_eq!(part_of(&spec(filter, "double-geometric"), "state").as_deref(), part, "{filter}");
    }
    assert_eq!(part_of(&spec("state = 'Illinois'", "lattice-laplace"), "state"), None, "its losses on parts add up");
    // The same bytes are other letters in another encoding: rows could be two parts.
    let latin = |filter: &str| {
        let mut declaration = spec(filter, "double-geometric");
        declaration.data.encoding = Encoding::Windows1252;
        declaration
    };
    assert_eq!(part_of(&latin("state = 'Illinois'"), "state").as_deref(), Some("Illinois"));
    assert_eq!(part_of(&latin("state = 'MÃ©'"), "state"), None);
    assert_eq!(part_of(&spec("state = 'Mé'", "double-geometric"), "state").as_deref(), Some("Mé"));
    assert!(!are_disjoint(&spec("state = 'Mé'", "double-geometric"), &latin("state = 'MÃ©'")));
    assert!(are_disjoint(&spec("state = 'Mé'", "double-geometric"), &latin("state = 'Maine'")));
    assert!(are_disjoint(&latin("state = 'é'"), &latin("state = 'è'")));
}
