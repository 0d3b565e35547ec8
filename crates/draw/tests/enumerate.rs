//! The whole ladder for `enumerate`: tapes against enclosed laws, identities with other operators, mutants, golden seeds.

use analyse::{Demand, Fibre, FibreRow, ListLimits, Listed};
use draw::operators::{PlannedList, TableList};
use draw::{BlockDraw, Enumerate, NoiseLaw, Prospect, TableNoise, TableSampler, quantities};
use exact::{Enclosure, Rational, Seeded, Source, Tape};
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::{Random, goodness_of_fit, tape_law};

const LIMITS: ListLimits = ListLimits { cells: 100, tables: 100_000, values: 1_000_000, work: 50_000_000 };

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn sum(places: &[u32], demand: Demand) -> FibreRow {
    FibreRow { entries: places.iter().map(|place| (*place, 1)).collect(), demand }
}

/// Three counts with a total; with queries noise sits on the first two together and on the last.
fn three(total: i64, noise_on_cells: bool) -> Fibre {
    let mut rows = vec![sum(&[0, 1, 2], Demand::Equal(total))];
    if !noise_on_cells {
        rows.push(sum(&[0, 1], Demand::Noisy { query: 0, group: 0, fixed: 0 }));
        rows.push(sum(&[0], Demand::Noisy { query: 1, group: 0, fixed: 0 }));
    }
    Fibre { cells: vec![0, 1, 2], bounds: vec![(Some(0), None); 3], rows, noise_on_cells }
}

/// The energy of a table around a centre as the law itself states it, enclosed.
fn energy(fibre: &Fibre, law: &NoiseLaw, rates: &[Rational], centre: &[i64], table: &[i64]) -> Enclosure {
    const BITS: usize = 160;
    let moved = |row: &FibreRow| -> i64 {
        row.entries.iter().map(|(place, times)| times * (table[*place as usize] - centre[*place as usize])).sum()
    };
    if !law.is_product() {
        let epsilon = law.parameter();
        let squares: i64 = table.iter().zip(centre).map(|(value, centre)| (value - centre).pow(2)).sum();
        let root = Enclosure::from_integer(squares, BITS).sqrt().unwrap();
        return &Enclosure::from_rational(epsilon, BITS) * &root;
    }
    let cells = table.iter().zip(centre).map(|(value, centre)| law.energy(value - centre));
    let sums = fibre.rows.iter().filter_map(|row| match row.demand {
        Demand::Noisy { query, .. } => Some(&rates[query as usize] * &Rational::integer(moved(row).abs())),
        _ => None,
    });
    let parts: Vec<Rational> = if fibre.noise_on_cells { cells.collect() } else { sums.collect() };
    Enclosure::from_rational(&parts.iter().fold(Rational::integer(0), |sum, part| &sum + part), BITS)
}

/// The law of a list around a centre, enclosed.
fn law_of(
    fibre: &Fibre,
    listed: &Listed,
    law: &NoiseLaw,
    rates: &[Rational],
    centre: &[i64],
) -> BTreeMap<Vec<i64>, Enclosure> {
    let weight = |table: &[i64]| (-&energy(fibre, law, rates, centre, table)).exp();
    let whole = listed.tables().map(weight).reduce(|sum, weight| &sum + &weight).unwrap();
    listed.tables().map(|table| (table.to_vec(), weight(table).checked_div(&whole).unwrap())).collect()
}

fn every_law() -> Vec<(NoiseLaw, Vec<Rational>)> {
    vec![
        (NoiseLaw::double_geometric(rational("1/2")), Vec::new()),
        (NoiseLaw::discrete_gaussian(rational("7/5")), Vec::new()),
        (NoiseLaw::lattice_laplace(rational("3/4")), Vec::new()),
        (NoiseLaw::double_geometric(rational("1/3")), vec![rational("1/3"), rational("2/5")]),
    ]
}

fn sums(fibre: &Fibre, centre: &[i64]) -> Vec<Vec<i64>> {
    if fibre.noise_on_cells { Vec::new() } else { vec![vec![centre[0] + centre[1]], vec![centre[0]]] }
}

#[test]
fn every_law_is_drawn_as_it_is() {
    for (law, rates) in every_law() {
        let fibre = three(3, rates.is_empty());
        let listed = fibre.listed(&LIMITS).unwrap();
        assert_eq!(listed.len(), 10);
        for centre in [[3, 0, 0], [1, 1, 1]] {
            let sums = sums(&fibre, &centre);
            let noise = TableNoise { law: &law, rates: &rates, sums: &sums };
            let sampler = Enumerate::new(&fibre, &listed, noise, &centre);
            let claimed = law_of(&fibre, &listed, &law, &rates, &centre);
            let found = tape_law(16, |tape: &mut Tape| sampler.draw(tape).to_vec());
            found.agrees_with(|table| claimed[table].clone()).unwrap();
            assert!(found.unresolved_share() < 0.001 && found.finished.len() == 10);
        }
    }
}

#[test]
fn named_mutants_are_rejected() {
    let (fibre, centre) = (three(3, true), [2, 1, 0]);
    let listed = fibre.listed(&LIMITS).unwrap();
    let law = NoiseLaw::double_geometric(rational("1/2"));
    let claimed = law_of(&fibre, &listed, &law, &[], &centre);
    let verdict = |fibre: &Fibre, listed: &Listed, law: &NoiseLaw, centre: &[i64]| {
        let sampler = Enumerate::new(fibre, listed, law.into(), centre);
        let found = tape_law(16, |tape: &mut Tape| sampler.draw(tape).to_vec());
        let zero = Enclosure::from_integer(0, 160);
        found.agrees_with(|table| claimed.get(table).cloned().unwrap_or_else(|| zero.clone()))
    };
    verdict(&fibre, &listed, &law, &centre).unwrap();
    for factor in ["0.95", "1.05"] {
        let other = NoiseLaw::double_geometric(&rational("1/2") * &rational(factor));
        assert!(verdict(&fibre, &listed, &other, &centre).is_err(), "scale times {factor}");
    }
    // A bound that is off by one on either side, so that a table is missing or one too many is listed.
    for bounds in [(Some(0), Some(2)), (Some(-1), None)] {
        let mut other = fibre.clone();
        other.bounds[0] = bounds;
        assert!(verdict(&other, &other.listed(&LIMITS).unwrap(), &law, &centre).is_err(), "{bounds:?}");
    }
    // A sublattice of index two: the first cell keeps its parity.
    let mut even = fibre.clone();
    (even.cells, even.bounds) = (vec![0, 1, 2, 3], vec![(Some(0), None); 4]);
    even.rows.push(FibreRow { entries: vec![(0, 1), (3, -2)], demand: Demand::Equal(0) });
    let list = even.listed(&LIMITS).unwrap();
    let sampler = Enumerate::new(&even, &list, (&law).into(), &[2, 1, 0, 1]);
    let found = tape_law(16, |tape: &mut Tape| sampler.draw(tape)[..3].to_vec());
    assert!(found.agrees_with(|table| claimed[table].clone()).is_err());
    // Around another table of the same fibre.
    assert!(verdict(&fibre, &listed, &law, &[1, 2, 0]).is_err());
}

#[test]
fn weights_that_differ_in_their_last_digits_are_told_apart() {
    // Two tables of nearly the same weight, and one that is almost never drawn: coarse enclosures do not decide.
    let fibre = Fibre { cells: vec![0], bounds: vec![(Some(0), Some(400))], rows: Vec::new(), noise_on_cells: true };
    let listed = fibre.listed(&LIMITS).unwrap();
    let law = NoiseLaw::double_geometric(rational("2"));
    let claimed = law_of(&fibre, &listed, &law, &[], &[0]);
    let sampler = Enumerate::new(&fibre, &listed, (&law).into(), &[0]);
    let found = tape_law(24, |tape: &mut Tape| sampler.draw(tape).to_vec());
    found.agrees_with(|table| claimed[table].clone()).unwrap();
    // 401 tables, of which those beyond 2·k = 24·ln 2 are never seen by so many bits.
    assert!((6..14).contains(&found.finished.len()), "{}", found.finished.len());
}

#[test]
fn draws_fit_the_law_and_its_quantities_tell_it() {
    // A 2 × 3 table with both margins.
    let fibre = Fibre {
        cells: (0..6).collect(),
        bounds: vec![(Some(0), None); 6],
        rows: vec![
            sum(&[0, 1, 2], Demand::Equal(9)),
            sum(&[3, 4, 5], Demand::Equal(7)),
            sum(&[0, 3], Demand::Equal(5)),
            sum(&[1, 4], Demand::Equal(8)),
        ],
        noise_on_cells: true,
    };
    let listed = fibre.listed(&LIMITS).unwrap();
    let centre = [3, 4, 2, 2, 4, 1];
    let law = NoiseLaw::double_geometric(rational("1/2"));
    let cells: Vec<u32> = (0..6).collect();
    let list = Arc::new(TableList { fibre: fibre.clone(), listed: listed.clone() });
    let work = PlannedList { prospect: Prospect::exact("enumerate"), list };
    let block = BlockDraw { cells: &cells, work: &work };
    let told = quantities((&law).into(), &[block], &centre).unwrap();
    assert_eq!((told.cells.len(), told.not_available.len()), (6, 0));
    let claimed = law_of(&fibre, &listed, &law, &[], &centre);
    for (cell, law) in &told.cells {
        for (value, mass) in law.listed() {
            let exact: f64 =
                claimed.iter().filter(|(table, _)| table[*cell as usize] == value).map(|(_, p)| p.to_f64()).sum();
            assert!((mass - exact).abs() < 1e-12);
        }
    }
    let sampler = TableSampler::new((&law).into(), &[block], &centre).unwrap();
    let mut seen: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
    for seed in 0..4000 {
        let drawn = sampler.draw(&Seeded::new(seed), &|_| {}).unwrap();
        *seen.entry(drawn.values().to_vec()).or_default() += 1;
    }
    let observed: Vec<u64> = claimed.keys().map(|table| seen.get(table).copied().unwrap_or(0)).collect();
    let expected: Vec<f64> = claimed.values().map(Enclosure::to_f64).collect();
    assert_eq!(observed.iter().sum::<u64>(), 4000);
    assert!(goodness_of_fit(&observed, &expected, 4000).p_value > 1e-4);
    // A scale that is off is seen in the same draws.
    let other = NoiseLaw::double_geometric(rational("0.7"));
    let wrong: Vec<f64> = law_of(&fibre, &listed, &other, &[], &centre).values().map(Enclosure::to_f64).collect();
    assert!(goodness_of_fit(&observed, &wrong, 4000).p_value < 1e-4);
}

#[test]
fn every_draw_is_a_table_of_its_fibre() {
    let mut random = Random(4);
    for round in 0..60u64 {
        let cells = 2 + random.below(5) as u32;
        let entries: Vec<(u32, i64)> = (0..cells).map(|cell| (cell, 1 + random.below(2) as i64)).collect();
        let centre: Vec<i64> = (0..cells).map(|_| random.below(5) as i64).collect();
        let value = entries.iter().zip(&centre).map(|((_, times), count)| times * count).sum();
        let rows = vec![FibreRow { entries, demand: Demand::Equal(value) }];
        let fibre = Fibre {
            cells: (0..cells).collect(),
            bounds: vec![(Some(0), None); cells as usize],
            rows,
            noise_on_cells: true,
        };
        let listed = fibre.listed(&LIMITS).unwrap();
        let (law, _) = every_law().swap_remove(random.below(3) as usize);
        let sampler = Enumerate::new(&fibre, &listed, (&law).into(), &centre);
        let mut entropy = Seeded::new(round).stream(0).unwrap();
        for _ in 0..20 {
            assert!(fibre.contains(sampler.draw(&mut entropy)));
        }
    }
}

#[test]
fn seeds_give_the_tables_they_gave() {
    let golden: Vec<String> = every_law()
        .into_iter()
        .map(|(law, rates)| {
            let fibre = three(30, rates.is_empty());
            let (listed, centre) = (fibre.listed(&LIMITS).unwrap(), [12, 10, 8]);
            let sums = sums(&fibre, &centre);
            let noise = TableNoise { law: &law, rates: &rates, sums: &sums };
            let sampler = Enumerate::new(&fibre, &listed, noise, &centre);
            let mut entropy = Seeded::new(7).stream(0).unwrap();
            let draws: Vec<String> = (0..6).map(|_| format!("{:?}", sampler.draw(&mut entropy))).collect();
            format!("{}: {}", law.name(), draws.join(" "))
        })
        .collect();
    insta::assert_snapshot!(golden.join("\n"));
}

#[test]
fn pinned_sums_move_the_centre_of_the_noise() {
    // The noisy sum of the confidential table is not that of the cells in the block: its own centre counts.
    let fibre = three(3, false);
    let listed = fibre.listed(&LIMITS).unwrap();
    let (law, rates) = every_law().pop().unwrap();
    let sums = vec![vec![9], vec![9]];
    let sampler = Enumerate::new(&fibre, &listed, TableNoise { law: &law, rates: &rates, sums: &sums }, &[0, 0, 3]);
    let found = tape_law(16, |tape: &mut Tape| sampler.draw(tape).to_vec());
    let claimed = law_of(&fibre, &listed, &law, &rates, &[9, 0, 0]);
    found.agrees_with(|table| claimed[table].clone()).unwrap();
}
