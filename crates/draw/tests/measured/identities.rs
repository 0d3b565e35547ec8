//! Measurements: independent noise around the table, each sum once, and nothing made of them that
//! leaves the fibre.

use analyse::{Demand, Fibre, FibreRow};
use draw::operators::Independent;
use draw::{BlockDraw, NoiseLaw, Prospect, TableNoise, draw_table, measure, measure_reals};
use exact::{Rational, Seeded};

fn fibre(cells: &[u32], rows: Vec<FibreRow>, noise_on_cells: bool) -> Fibre {
    Fibre { cells: cells.to_vec(), bounds: vec![(None, None); cells.len()], rows, noise_on_cells }
}

fn total(places: u32, demand: Demand) -> FibreRow {
    FibreRow { entries: (0..places).map(|place| (place, 1)).collect(), demand }
}

fn noisy(group: u32, fixed: i64) -> Demand {
    Demand::Noisy { query: 0, group, fixed }
}

const TABLE: [i64; 6] = [40, -3, 0, 7, 1_000_000, 9];

fn law() -> NoiseLaw {
    NoiseLaw::double_geometric(Rational::new(1, 3u32))
}

#[test]
fn cells_are_measured_with_the_noise_of_free_cells() {
    let (first, second) = (fibre(&[0, 2, 4], vec![], true), fibre(&[1, 5], vec![], true));
    let source = Seeded::new(7);
    let measured = measure((&law()).into(), &[&first, &second], &TABLE, &source, &|_| {}).unwrap();
    let blocks: Vec<&[i64]> = measured.blocks().collect();
    let cells = [0, 2, 4, 1, 5];
    let work = Independent::noise(Prospect::exact("independent"));
    let block = [BlockDraw { cells: &cells, work: &work }];
    let free = draw_table(&law(), &block, &TABLE, &source, &|_| {}).unwrap();
    let expected: Vec<i64> = cells.iter().map(|cell| free.values()[*cell as usize]).collect();
    assert_eq!(blocks, [&expected[..3], &expected[3..]]);
}

#[test]
fn sums_are_measured_whole_and_once() {
    let rates = [Rational::integer(30)];
    let sums = [vec![77, -5]];
    let noise = TableNoise { law: &law(), rates: &rates, sums: &sums };
    let first = fibre(&[0, 2], vec![total(2, Demand::Equal(40)), total(2, noisy(0, 37))], false);
    let second = fibre(&[3, 4], vec![total(2, noisy(1, 0))], false);
    let source = Seeded::new(7);
    let measured = measure(noise, &[&first, &second], &TABLE, &source, &|_| {}).unwrap();
    // At this rate noise is all but impossible: what is measured is the sum over the whole group,
    // fixed cells included.
    assert_eq!(measured.blocks().collect::<Vec<_>>(), [[77], [-5]]);
    let twice = fibre(&[5], vec![total(1, noisy(1, 0))], false);
    let shared = measure(noise, &[&first, &second, &twice], &TABLE, &source, &|_| {}).unwrap_err();
    assert_eq!(shared.message, "two blocks share a noisy sum");
}

#[test]
fn what_leaves_the_fibre_or_a_cell_out_is_refused() {
    let block = fibre(&[0, 2], vec![total(2, Demand::Equal(10))], true);
    let blocks = [&block];
    let measured = || measure((&law()).into(), &blocks, &TABLE[..3], &Seeded::new(1), &|_| {}).unwrap();
    let drawn = measured().project(3, &[(1, -3)], |_, _| Ok(vec![4, 6])).unwrap();
    assert_eq!(drawn.values(), [4, -3, 6]);
    for outside in [vec![4, 7], vec![10]] {
        let problem = measured().project(3, &[(1, -3)], |_, _| Ok(outside.clone())).unwrap_err();
        assert!(problem.message.contains("left the tables"), "{}", problem.message);
    }
    let problem = measured().project(3, &[], |_, _| Ok(vec![4, 6])).unwrap_err();
    assert!(problem.message.contains("in no block"), "{}", problem.message);
}

#[test]
fn noise_of_another_kind_is_refused() {
    let block = fibre(&[0], vec![], true);
    let norm = NoiseLaw::lattice_laplace(Rational::integer(1));
    let laplace = NoiseLaw::laplace(Rational::integer(1));
    for law in [&norm, &laplace] {
        assert!(measure(law.into(), &[&block], &TABLE, &Seeded::new(1), &|_| {}).is_err());
    }
    assert!(measure_reals(&law(), &[&block], &TABLE, &Seeded::new(1)).is_err());
    let on_sums = fibre(&[0], vec![total(1, noisy(0, 0))], false);
    assert!(measure_reals(&laplace, &[&on_sums], &TABLE, &Seeded::new(1)).is_err());
    let found = measure_reals(&laplace, &[&block], &TABLE, &Seeded::new(1)).unwrap();
    assert!((found[0][0] - 40.0).abs() < 60.0);
}
