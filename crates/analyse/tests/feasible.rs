//! First tables and contradictions against enumeration, planted contradictions in words, and large
//! tables.

use analyse::{Demand, Feasibility, Fibre, FibreRow, Ground, Lattice, Witness};
use declare::{Conditions, Grouping, NO_GROUP, Relation, RuleRows};
use exact::Rational;
use testkit::Random;

fn fibre(bounds: Vec<(Option<i64>, Option<i64>)>, rows: Vec<(Vec<(u32, i64)>, Demand)>) -> Fibre {
    Fibre {
        cells: (0..bounds.len() as u32).collect(),
        bounds,
        rows: rows.into_iter().map(|(entries, demand)| FibreRow { entries, demand }).collect(),
        noise_on_cells: true,
    }
}

fn first_table(fibre: &Fibre) -> Feasibility {
    fibre.first_table(&Lattice::of_fibre(fibre).expect("a basis"))
}

/// The contradiction in words, with rows called a, b, c, …
fn contradiction(fibre: &Fibre) -> String {
    let names: Vec<String> = (0..fibre.rows.len()).map(|row| char::from(b'a' + row as u8).to_string()).collect();
    match first_table(fibre) {
        Feasibility::Impossible(witness) => {
            assert!(witness.holds(fibre));
            witness.in_words(fibre, &names)
        }
        other => panic!("{other:?}"),
    }
}

const COUNT: (Option<i64>, Option<i64>) = (Some(0), None);

/// Whether some table within ±radius is in the fibre.
fn enumerated(fibre: &Fibre, low: i64, high: i64) -> bool {
    let mut table = vec![low; fibre.cells.len()];
    loop {
        if fibre.contains(&table) {
            return true;
        }
        let Some(place) = table.iter().rposition(|value| *value < high) else { return false };
        table[place] += 1;
        table[place + 1..].iter_mut().for_each(|value| *value = low);
    }
}

#[test]
fn random_small_fibres_are_decided_as_enumeration_does() {
    let mut random = Random(3);
    let (mut tables, mut kinds) = (0, [0; 4]);
    for _ in 0..4000 {
        let cells = 1 + random.below(5) as usize;
        let bounds: Vec<_> = (0..cells)
            .map(|_| {
                let low = random.below(3) as i64 - 1;
                (Some(low), Some(low + random.below(4) as i64))
            })
            .collect();
        let rows = (0..1 + random.below(4))
            .map(|_| {
                let entry = |random: &mut Random| [0, 0, 1, 1, 1, -1, 2, 3][random.below(8) as usize];
                let entries: Vec<(u32, i64)> =
                    (0..cells as u32).map(|cell| (cell, entry(&mut random))).filter(|(_, times)| *times != 0).collect();
                let value = random.below(9) as i64 - 2;
                let demand = match random.below(4) {
                    0 => Demand::AtLeast(value),
                    1 => Demand::AtMost(value),
                    _ => Demand::Equal(value),
                };
                (entries, demand)
            })
            .collect();
        let fibre = fibre(bounds, rows);
        match first_table(&fibre) {
            Feasibility::Table(table) => {
                assert!(fibre.contains(&table));
                tables += 1;
            }
            Feasibility::Impossible(witness) => {
                assert!(witness.holds(&fibre));
                assert!(!enumerated(&fibre, -1, 5), "{fibre:?}\n{witness:?}");
                kinds[match witness {
                    Witness::Cell(_) => 0,
                    Witness::Fraction(_) => 1,
                    Witness::Bounds(_) => 2,
                    Witness::Cases(_) => 3,
                }] += 1;
            }
            Feasibility::NotFound(tried) => panic!("{tried}: {fibre:?}"),
        }
    }
    assert!(tables > 500 && kinds[1] > 20 && kinds[2] > 500 && kinds[3] > 20, "{tables} tables, {kinds:?}");
}

#[test]
fn an_odd_cycle_has_no_table() {
    let pairs = [[0, 1], [1, 2], [0, 2]];
    let rows = |values: [i64; 3]| -> Vec<_> {
        pairs.iter().zip(values).map(|(pair, v)| (pair.map(|cell| (cell, 1)).to_vec(), Demand::Equal(v))).collect()
    };
    let odd = fibre(vec![(None, None); 3], rows([3, 5, 7]));
    assert_eq!(contradiction(&odd), "`b` + `c` − `a` takes every cell an even number of times, but is 9");
    let even = fibre(vec![COUNT; 3], rows([3, 5, 4]));
    assert_eq!(first_table(&even), Feasibility::Table(vec![1, 2, 3]));
    let negative = fibre(vec![COUNT; 3], rows([1, 1, 4]));
    assert_eq!(contradiction(&negative), "`a` + `b` − `c` is -2, but the bounds of the cells allow no less than 0");
}

#[test]
fn contradictions_are_worded() {
    let sum = |cells: &[u32]| cells.iter().map(|cell| (*cell, 1)).collect::<Vec<_>>();
    let total = fibre(vec![COUNT; 2], vec![(sum(&[0, 1]), Demand::Equal(-1))]);
    assert_eq!(contradiction(&total), "`a` is -1, but the bounds of the cells allow no less than 0");
    let crossed = fibre(vec![(Some(3), Some(2))], vec![]);
    assert_eq!(contradiction(&crossed), "a cell must be at least 3 and at most 2");
    let twice = fibre(vec![COUNT; 2], vec![(sum(&[0, 1]), Demand::Equal(4)), (vec![(0, 2), (1, 2)], Demand::Equal(9))]);
    assert_eq!(contradiction(&twice), "all cells cancel in `b` − 2 × `a`, but it is 1");
    let parts = fibre(
        vec![COUNT; 3],
        vec![(sum(&[0, 1, 2]), Demand::Equal(4)), (sum(&[0, 1]), Demand::AtLeast(3)), (sum(&[2]), Demand::Equal(2))],
    );
    assert_eq!(contradiction(&parts), "all cells cancel in `b` + `c` − `a`, but it must be at least 1");
    let coins = fibre(vec![COUNT; 2], vec![(vec![(0, 2), (1, 3)], Demand::Equal(1))]);
    assert_eq!(
        contradiction(&coins),
        "fractions could have these totals, but no integers can: the bounds exclude each of 3 cases"
    );
}

#[test]
fn witnesses_that_show_nothing_are_rejected() {
    let rows = vec![(vec![(0, 1), (1, 1)], Demand::Equal(3)), (vec![(0, 1)], Demand::AtMost(2))];
    let fibre = fibre(vec![COUNT; 2], rows);
    let of = |row: usize, factor: i64| vec![(row, Rational::integer(factor))];
    assert!(!Witness::Cell(0).holds(&fibre) && !Witness::Cell(9).holds(&fibre));
    assert!(!Witness::Bounds(of(0, 1)).holds(&fibre), "nothing bounds the cells above");
    assert!(!Witness::Bounds(of(0, -1)).holds(&fibre));
    assert!(!Witness::Bounds(of(1, 1)).holds(&fibre), "an inequality turned around");
    assert!(!Witness::Fraction(vec![(0, Rational::new(1, 2u8))]).holds(&fibre), "halves of cells");
    assert!(!Witness::Fraction(of(0, 1)).holds(&fibre));
    assert!(!Witness::Cases(2).holds(&fibre));
}

/// All margins of a random table of counts that are on average about five.
fn margins(shape: &[u32], families: &[&[usize]], seed: u64) -> Fibre {
    let mut random = Random(seed);
    let all: u32 = shape.iter().product();
    let table: Vec<i64> = (0..all).map(|_| (random.below(4) + random.below(4) + random.below(5)) as i64).collect();
    let code = |cell: u32, axis: usize| cell / shape[axis + 1..].iter().product::<u32>() % shape[axis];
    let mut rows = Vec::new();
    for axes in families {
        let groups: u32 = axes.iter().map(|axis| shape[*axis]).product();
        let mut margin = vec![(Vec::new(), 0); groups as usize];
        for cell in 0..all {
            let group = axes.iter().fold(0, |group, axis| group * shape[*axis] + code(cell, *axis));
            margin[group as usize].0.push((cell, 1));
            margin[group as usize].1 += table[cell as usize];
        }
        rows.extend(margin.into_iter().map(|(entries, sum)| (entries, Demand::Equal(sum))));
    }
    fibre(vec![COUNT; all as usize], rows)
}

#[test]
fn large_tables_are_found() {
    for seed in 0..5 {
        for fibre in
            [margins(&[30, 30], &[&[0], &[1]], seed), margins(&[12, 12, 6], &[&[0, 1], &[0, 2], &[1, 2]], seed)]
        {
            assert!(matches!(first_table(&fibre), Feasibility::Table(_)), "seed {seed}");
        }
    }
}

/// Tables of 4 × 4 × 4 whose two-way margins are all 1 are Latin squares: for every row and column
/// one of four symbols.
fn latin(forbidden: &[bool]) -> Fibre {
    let mut fibre = margins(&[4, 4, 4], &[&[0, 1], &[0, 2], &[1, 2]], 0);
    fibre.rows.iter_mut().for_each(|row| row.demand = Demand::Equal(1));
    fibre.bounds = forbidden.iter().map(|forbidden| (Some(0), forbidden.then_some(0))).collect();
    fibre
}

/// Whether some Latin square of order 4 uses no forbidden cell, symbol by symbol.
fn has_latin_square(forbidden: &[bool]) -> bool {
    fn place(square: &mut [usize; 16], next: usize, forbidden: &[bool]) -> bool {
        if next == 16 {
            return true;
        }
        (0..4).any(|symbol| {
            let taken =
                (0..next).any(|other| (other / 4 == next / 4 || other % 4 == next % 4) && square[other] == symbol);
            square[next] = symbol;
            !taken && !forbidden[next * 4 + symbol] && place(square, next + 1, forbidden)
        })
    }
    place(&mut [0; 16], 0, forbidden)
}

#[test]
fn three_way_tables_are_decided_as_a_search_for_latin_squares_does() {
    let mut random = Random(9);
    let (mut tables, mut contradictions) = (0, 0);
    for _ in 0..150 {
        let forbidden: Vec<bool> = (0..64).map(|_| random.below(100) < 36).collect();
        match first_table(&latin(&forbidden)) {
            Feasibility::Table(_) => {
                tables += 1;
                assert!(has_latin_square(&forbidden));
            }
            Feasibility::Impossible(_) => {
                contradictions += 1;
                assert!(!has_latin_square(&forbidden));
            }
            Feasibility::NotFound(tried) => panic!("{tried}"),
        }
    }
    assert!(tables > 10 && contradictions > 10, "{tables} tables, {contradictions} contradictions");
}

#[test]
fn three_way_tables_that_only_fractions_fill() {
    // Found among thousands of random ones: most squares that do not exist do not exist in
    // fractions either.
    let forbidden: [&[usize]; 3] = [
        &[3, 4, 8, 9, 12, 16, 22, 24, 26, 31, 36, 37, 41, 45, 47, 49, 50, 53, 59, 60, 63],
        &[2, 8, 15, 17, 18, 19, 27, 29, 33, 35, 39, 41, 48, 49, 52, 55, 58, 59, 62],
        &[0, 1, 5, 7, 8, 14, 17, 18, 19, 26, 37, 38, 40, 41, 47, 49, 51, 61],
    ];
    for cells in forbidden {
        let forbidden: Vec<bool> = (0..64).map(|cell| cells.contains(&cell)).collect();
        assert!(!has_latin_square(&forbidden));
        let fibre = latin(&forbidden);
        assert_eq!(first_table(&fibre), Feasibility::Impossible(Witness::Cases(2)));
    }
}

#[test]
fn sparse_tables_are_found() {
    let both: &[&[usize]] = &[&[0], &[1]];
    let all: &[&[usize]] = &[&[0, 1], &[0, 2], &[1, 2]];
    for (shape, families) in [(&[30, 30][..], both), (&[12, 12, 6], all), (&[5, 5, 5], all)] {
        let mut random = Random(2);
        let mut fibre = margins(shape, families, 0);
        // Half of the counts are zero.
        let table: Vec<i64> =
            fibre.cells.iter().map(|_| random.below(2) as i64 * (1 + random.below(2) as i64)).collect();
        for row in &mut fibre.rows {
            row.demand = Demand::Equal(row.entries.iter().map(|(cell, _)| table[*cell as usize]).sum());
        }
        assert!(matches!(first_table(&fibre), Feasibility::Table(_)), "{shape:?}");
    }
}

#[test]
fn rows_are_called_as_the_declaration_calls_them() {
    let grouping = |label: &str, group_of: &[u32]| {
        let groups = group_of.iter().filter(|group| **group != NO_GROUP).max().map_or(0, |group| group + 1);
        let names = (0..groups).map(|group| format!("{label} = {group}")).collect();
        Grouping { times: None, label: label.into(), names, group_of: group_of.to_vec() }
    };
    let none = NO_GROUP;
    let mut conditions = Conditions::of_totals(
        3,
        vec![grouping("first", &[0, 0, none]), grouping("second", &[none, 0, 0]), grouping("third", &[0, none, 0])],
    );
    // One cell alone becomes a bound, so its row has no name.
    conditions.rules.push(RuleRows { grouping: grouping("rule", &[0, 1, 1]), relation: Relation::AtLeast, bound: -9 });
    let half = |value: i64| Rational::new(value, 2u8);
    let ground = Ground::new(&conditions, &[(0, half(1)), (1, half(5)), (2, half(9))], &[]);
    let fibre = Fibre::new(&conditions, &ground, &[0, 1, 2]).unwrap();
    let names = fibre.row_names(&conditions);
    assert_eq!(names, ["first = 0", "second = 0", "third = 0", "rule = 1"]);
    let Feasibility::Impossible(witness) = first_table(&fibre) else {
        panic!("halves have these totals, integers do not")
    };
    assert_eq!(
        witness.in_words(&fibre, &names),
        "`second = 0` + `third = 0` − `first = 0` takes every cell an even number of times, but is 9"
    );
}
