//! Whatever evidence is accepted bounds the true distance, by enumeration of random fibres.

use super::parts::{norm, wanted, weighted};
use crate::tables::fibres::{Small, margins, two_way};
use crate::tables::matrices::{Matrix, kernel};
use analyse::{Fibre, Lattice};
use draw::{Growth, NoiseLaw};
use exact::{Rational, Seeded, Source, integer};
use walk::{Evidence, Kernel};

/// So many random fibres are tried; this variable says more.
const FIBRES: u64 = 40;

const VARIABLE: &str = "CONGENIAL_SPLIT_FIBRES";

/// A random fibre, of a kind that may fall into parts.
fn random(number: u64) -> Small {
    let mut bits = Seeded::draw(71, number).stream(0).unwrap();
    let mut below = |n: u64| integer::below(&mut bits, n);
    let mut law = match below(3) {
        0 => NoiseLaw::discrete_gaussian(Rational::new(1 + below(12), 2u8)),
        1 => norm(1 + below(8), 4),
        _ => NoiseLaw::double_geometric(Rational::new(1 + below(8), 4u8)),
    };
    let (name, fibre, table) = match number % 5 {
        // Sparse three-way tables with all two-way margins.
        0 => {
            let sizes: &[usize] = [&[2, 3, 3][..], &[2, 4, 4], &[3, 3, 3]][below(3) as usize];
            let table: Vec<i64> = (0..sizes.iter().product()).map(|_| i64::from(below(5) < 2)).collect();
            ("three-way", margins(sizes, &table), table)
        }
        // Coefficients and bounds.
        1 => {
            let table: Vec<i64> = (0..4 + below(3)).map(|_| below(6) as i64).collect();
            let times: Vec<i64> = table.iter().map(|_| 20 + below(5981) as i64).collect();
            let cells = table.len();
            let bounds = vec![(Some(0), None); cells];
            let rows = vec![weighted(&table, &times)];
            ("coefficients", Fibre { cells: (0..cells as u32).collect(), bounds, rows, noise_on_cells: true }, table)
        }
        // Coefficients alone: noise on all integers.
        2 => {
            let times: Vec<i64> = (0..3).map(|_| 20 + below(5981) as i64).collect();
            let rows = vec![weighted(&[0; 3], &times)];
            let bounds = vec![(None, None); 3];
            // Noise that reaches a few vectors far, which are up to a hundred long.
            law = match law.growth() {
                Growth::Square => NoiseLaw::discrete_gaussian(Rational::integer(200 + below(2000))),
                Growth::Norm => norm(1, 10 + below(20)),
                _ => NoiseLaw::double_geometric(Rational::new(1, 10 + below(30))),
            };
            ("coefficients alone", Fibre { cells: (0..3).collect(), bounds, rows, noise_on_cells: true }, vec![0; 3])
        }
        // Two-way tables with structural zeros and upper bounds.
        _ => {
            let sizes: &[usize] = [&[2, 3][..], &[3, 3], &[3, 4], &[4, 4]][below(4) as usize];
            let mut table: Vec<i64> = (0..sizes.iter().product()).map(|_| below(2) as i64).collect();
            let mut bounds = vec![(Some(0), None); table.len()];
            for (value, bound) in table.iter_mut().zip(&mut bounds) {
                match below(4) {
                    0 => (*value, *bound) = (0, (Some(0), Some(0))),
                    1 => *bound = (Some(0), Some(1)),
                    _ => {}
                }
            }
            ("structural zeros", Fibre { bounds, ..margins(sizes, &table) }, table)
        }
    };
    Small { name, fibre, table, law, rates: Vec::new() }
}

/// All tables of a fibre without bounds that have more than a negligible weight.
fn window(small: &Small) -> Vec<Vec<i64>> {
    let basis = Lattice::of_fibre(&small.fibre).unwrap().basis().to_vec();
    let reach = 40i64;
    let mut tables = vec![vec![0i64; small.table.len()]];
    for vector in &basis {
        let moved = |table: &Vec<i64>, units: i64| {
            let mut next = table.clone();
            vector.iter().for_each(|(place, times)| next[*place as usize] += units * times);
            next
        };
        tables = tables.iter().flat_map(|table| (-reach..=reach).map(move |units| moved(table, units))).collect();
    }
    let energies = small.energies(&tables);
    let light = |(table, energy): (Vec<i64>, f64)| (energy < 24.0).then_some(table);
    tables.into_iter().zip(energies).filter_map(light).collect()
}

/// Around how many tables of a fibre the truth is computed, and how large it may be.
const CENTRES: usize = 5;

const LARGEST: usize = 400;

/// The largest distance after the steps of a release over some tables; `None` where there are too
/// many tables to say.
pub fn truth(small: &Small, evidence: &Evidence) -> Option<f64> {
    let bounded = small.fibre.bounds.iter().any(|(low, _)| low.is_some());
    let tables = if bounded { small.tables() } else { window(small) };
    if tables.len() > LARGEST {
        return None;
    }
    let step = (tables.len() / CENTRES).max(1);
    let centres: Vec<Vec<i64>> = match bounded {
        true => tables.iter().step_by(step).cloned().collect(),
        false => vec![small.table.clone()],
    };
    let distance = |centre: &Vec<i64>| {
        let small = Small { table: centre.clone(), fibre: small.fibre.clone(), law: small.law.clone(), ..two_way() };
        let walk = small.walk();
        let ready = walk.ready();
        let kernel = kernel(&small, &walk, &ready);
        let rows = tables.iter().map(|table| kernel.row(table, &tables)).collect();
        let matrix = Matrix { rows, law: small.law_on(&tables), tables: tables.clone() };
        matrix.after(centre, evidence.steps)
    };
    Some(centres.iter().map(distance).fold(0.0, f64::max))
}

#[test]
#[allow(clippy::print_stdout, reason = "the share of fibres that are refused is a finding")]
fn whatever_is_accepted_holds_against_enumeration() {
    let fibres = std::env::var(VARIABLE).ok().and_then(|text| text.parse().ok()).unwrap_or(FIBRES);
    let mut shares: std::collections::BTreeMap<&str, [u64; 3]> = Default::default();
    for number in 0..fibres {
        let small = random(number);
        let lattice = Lattice::of_fibre(&small.fibre).unwrap();
        // Where one table alone has these totals nothing is drawn; the other kinds are refused
        // before tables matter.
        if lattice.basis().is_empty() || small.name == "structural zeros" && small.tables().len() < 2 {
            continue;
        }
        let [accepted, checked, refused] = shares.entry(small.name).or_default();
        match small.walk().gather(&wanted(100_000), &|_| {}) {
            Err(problem) => {
                assert_eq!(problem.kind, declare::Kind::Refused, "{number}: {}", problem.message);
                *refused += 1;
            }
            Ok(evidence) => {
                *accepted += 1;
                assert!(matches!(small.name, "structural zeros" | "coefficients alone"), "{number}: {}", small.name);
                if let Some(truth) = truth(&small, &evidence) {
                    *checked += 1;
                    let claimed = evidence.distance().to_f64();
                    assert!(
                        truth <= claimed + 1e-9,
                        "{number}, {}: {truth} and not {claimed}: {evidence:?}",
                        small.name
                    );
                }
            }
        }
    }
    let mut all = [0; 3];
    for (name, [accepted, checked, refused]) in &shares {
        println!("{name}: {accepted} accepted, {checked} of them enumerated, {refused} refused");
        all.iter_mut().zip([accepted, checked, refused]).for_each(|(all, part)| *all += part);
    }
    let [accepted, checked, refused] = all;
    println!(
        "of {} fibres {refused} are refused ({:.0} %)",
        accepted + refused,
        100.0 * refused as f64 / (accepted + refused) as f64
    );
    assert!(checked >= 8 && refused >= 8, "{shares:?}");
}
