//! Tables of some hundred cells: sparse two-way tables, three-way margins, rules between pairs,
//! hierarchies of noisy sums.

use analyse::{Demand, Fibre, FibreRow};
use project::{Norm, Projector, TopDown};
use testkit::Random;

fn totals(counts: &[i64], group: impl Fn(usize) -> usize) -> Vec<FibreRow> {
    let groups = (0..counts.len()).map(&group).max().map_or(0, |last| last + 1);
    let mut rows = vec![(Vec::new(), 0); groups];
    for (place, count) in counts.iter().enumerate() {
        rows[group(place)].0.push((place as u32, 1));
        rows[group(place)].1 += count;
    }
    rows.into_iter().map(|(entries, total)| FibreRow { entries, demand: Demand::Equal(total) }).collect()
}

fn noise(random: &mut Random) -> i64 {
    (0..3).map(|_| random.below(9) as i64 - 4).sum()
}

fn fibre(cells: usize, rows: Vec<FibreRow>) -> Fibre {
    Fibre { cells: (0..cells as u32).collect(), bounds: vec![(Some(0), None); cells], rows, noise_on_cells: true }
}

/// Counts that are zero more often than not.
fn sparse(random: &mut Random, cells: usize) -> Vec<i64> {
    (0..cells).map(|_| if random.below(3) == 0 { random.below(20) as i64 } else { 0 }).collect()
}

/// All projections onto the fibre of counts, each a table of it, and no real table farther than
/// another.
fn project_all(fibre: &Fibre, counts: &[i64], random: &mut Random) {
    let noisy: Vec<i64> = counts.iter().map(|count| count + noise(random)).collect();
    let real: Vec<f64> = noisy.iter().map(|value| *value as f64).collect();
    let apart = |table: &[f64]| -> f64 { table.iter().zip(&real).map(|(one, other)| (one - other).powi(2)).sum() };
    let nearest = |norm| Projector::new(fibre, &[], norm).unwrap().real(&real).unwrap();
    let (free, nonnegative) = (nearest(Norm::L2), nearest(Norm::Nonnegative));
    let truth: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
    assert!(apart(&free) <= apart(&nonnegative) + 1e-6 && apart(&nonnegative) <= apart(&truth));
    let l1 = Projector::new(fibre, &[], Norm::L1).unwrap().integer(&noisy).unwrap();
    let rounded = Projector::new(fibre, &[], Norm::Nonnegative).unwrap().integer(&noisy).unwrap();
    assert!(fibre.contains(&l1) && fibre.contains(&rounded));
    let distance = |table: &[i64]| -> i64 { table.iter().zip(&noisy).map(|(one, other)| (one - other).abs()).sum() };
    assert!(distance(&l1) <= distance(&rounded) && distance(&l1) <= distance(counts));
    let down = TopDown::new(fibre, &[], &[vec![0; counts.len()]]).unwrap().integer(&noisy).unwrap();
    assert!(fibre.contains(&down));
    for (value, (real, rounded)) in counts.iter().zip(nonnegative.iter().zip(&rounded)) {
        assert!(*value >= 0 && (real - *rounded as f64).abs() < 1.0 + 1e-9);
    }
}

#[test]
fn sparse_two_way_tables() {
    let mut random = Random(11);
    for (rows, columns) in [(5, 4), (12, 30), (25, 25)] {
        let counts = sparse(&mut random, rows * columns);
        let mut kept = totals(&counts, |place| place / columns);
        kept.extend(totals(&counts, |place| place % columns));
        kept.extend(totals(&counts, |_| 0));
        project_all(&fibre(counts.len(), kept), &counts, &mut random);
    }
}

#[test]
fn three_margins_are_no_network_and_still_exact() {
    let mut random = Random(12);
    for _ in 0..5 {
        let counts: Vec<i64> = (0..27).map(|_| random.below(9) as i64).collect();
        let mut kept = totals(&counts, |place| place / 3);
        kept.extend(totals(&counts, |place| place % 9));
        kept.extend(totals(&counts, |place| place / 9 * 3 + place % 3));
        project_all(&fibre(counts.len(), kept), &counts, &mut random);
    }
}

#[test]
fn deaths_at_most_cases() {
    let mut random = Random(13);
    let counties = 60;
    let cases: Vec<i64> = (0..counties).map(|_| random.below(15) as i64).collect();
    let deaths: Vec<i64> = cases.iter().map(|cases| random.below(*cases as u64 + 1) as i64).collect();
    let counts: Vec<i64> = cases.into_iter().chain(deaths).collect();
    let mut rows = totals(&counts, |place| place / 20);
    for county in 0..counties as u32 {
        let entries = vec![(county, 1), (county + counties as u32, -1)];
        rows.push(FibreRow { entries, demand: Demand::AtLeast(0) });
    }
    project_all(&fibre(counts.len(), rows), &counts, &mut random);
}

#[test]
fn a_hierarchy_of_noisy_sums() {
    let mut random = Random(14);
    let counts = sparse(&mut random, 120);
    // Noise on states and counties; cells within a county are measured by nothing, kinds across all
    // counties are exact.
    let mut rows = totals(&counts, |_| 0);
    rows.extend(totals(&counts, |place| place % 3));
    let mut measured = Vec::new();
    for (query, size) in [(0u32, 30usize), (1, 6)] {
        for (group, mut row) in totals(&counts, |place| place / size).into_iter().enumerate() {
            if let Demand::Equal(value) = row.demand {
                measured.push(value + noise(&mut random));
            }
            row.demand = Demand::Noisy { query, group: group as u32, fixed: 0 };
            rows.push(row);
        }
    }
    let mut fibre = fibre(counts.len(), rows);
    fibre.noise_on_cells = false;
    for norm in [Norm::Nonnegative, Norm::L1] {
        let table = Projector::new(&fibre, &[1.0, 4.0], norm).unwrap().integer(&measured).unwrap();
        assert!(fibre.contains(&table));
    }
    let levels = [(0..120).map(|place| place / 30).collect(), (0..120).map(|place| place / 6).collect::<Vec<u32>>()];
    let table = TopDown::new(&fibre, &[1.0, 4.0], &levels).unwrap().integer(&measured).unwrap();
    assert!(fibre.contains(&table));
}
