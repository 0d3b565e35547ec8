//! Lists of all tables: against every table of a box, on random small fibres; limits, ends and
//! order.

use analyse::{Demand, Fibre, FibreRow, ListLimits, NotListed};
use testkit::Random;

const LIMITS: ListLimits = ListLimits { cells: 100, tables: 100_000, values: 1_000_000, work: 50_000_000 };

fn row(entries: &[(u32, i64)], demand: Demand) -> FibreRow {
    FibreRow { entries: entries.to_vec(), demand }
}

fn fibre(bounds: Vec<(Option<i64>, Option<i64>)>, rows: Vec<FibreRow>) -> Fibre {
    Fibre { cells: (0..bounds.len() as u32).collect(), bounds, rows, noise_on_cells: true }
}

/// All tables with entries between two numbers, in order.
fn boxed(fibre: &Fibre, least: i64, most: i64) -> Vec<Vec<i64>> {
    let (cells, side) = (fibre.cells.len() as u32, most - least + 1);
    let table = |number: i64| (0..cells).rev().map(|cell| least + number / side.pow(cell) % side).collect::<Vec<_>>();
    (0..side.pow(cells)).map(table).filter(|table| fibre.contains(table)).collect()
}

#[test]
fn every_table_is_listed_once_and_in_order() {
    let (mut random, mut lists, mut tables, mut empty) = (Random(15), 0, 0, 0);
    for _ in 0..400 {
        let cells = 2 + random.below(4) as u32;
        let bounds = (0..cells).map(|_| match random.below(4) {
            0 => (Some(-2), Some(3)),
            1 => (Some(0), Some(1)),
            _ => (Some(0), Some(4)),
        });
        let bounds: Vec<_> = bounds.collect();
        let rows = (0..1 + random.below(3)).map(|_| {
            let mut entries: Vec<(u32, i64)> =
                (0..cells).map(|cell| (cell, [0, 1, 1, 1, -1, 2, 3][random.below(7) as usize])).collect();
            entries.retain(|(_, times)| *times != 0);
            let value = random.below(9) as i64 - 1;
            match random.below(4) {
                0 => row(&entries, Demand::AtMost(value)),
                1 => row(&entries, Demand::AtLeast(value)),
                _ => row(&entries, Demand::Equal(value)),
            }
        });
        let fibre = fibre(bounds, rows.filter(|row| !row.entries.is_empty()).collect());
        let listed = fibre.listed(&LIMITS).unwrap();
        let expected = boxed(&fibre, -2, 4);
        assert_eq!(listed.tables().map(<[i64]>::to_vec).collect::<Vec<_>>(), expected);
        assert_eq!(listed.len(), expected.len());
        assert!(listed.tables().all(|table| table.len() == fibre.cells.len()));
        lists += 1;
        tables += listed.len();
        empty += usize::from(listed.is_empty());
    }
    // The random fibres are of both kinds.
    assert!(lists == 400 && tables > 4000 && (20..300).contains(&empty), "{tables} tables, {empty} empty");
}

#[test]
fn ends_that_no_single_row_gives_are_proved_by_programs() {
    // x + y ≤ 5, x − y ≤ 3, −x + y ≤ 3, −x − y ≤ 5: a square on its edge, no cell with a bound of
    // its own.
    let square = |signs: [(i64, i64); 4]| {
        let rows = signs.iter().zip([5, 3, 3, 5]).map(|((x, y), most)| row(&[(0, *x), (1, *y)], Demand::AtMost(most)));
        fibre(vec![(None, None); 2], rows.collect())
    };
    let closed = square([(1, 1), (1, -1), (-1, 1), (-1, -1)]);
    assert_eq!(closed.listed(&LIMITS).unwrap().tables().collect::<Vec<_>>(), boxed(&closed, -9, 9));
    // The last side turned round leaves a direction without end.
    assert_eq!(square([(1, 1), (1, -1), (-1, 1), (1, 1)]).listed(&LIMITS), Err(NotListed::Endless));
    // 2x − y − 2z = 0 with bounds below alone, and with a rule that ends it.
    let sum = row(&[(0, 2), (1, -1), (2, -2)], Demand::Equal(0));
    let open = fibre(vec![(Some(0), None); 3], vec![sum.clone()]);
    assert_eq!(open.listed(&LIMITS), Err(NotListed::Endless));
    let rule = row(&[(0, 1), (1, 1), (2, 1)], Demand::AtMost(12));
    let ended = fibre(vec![(Some(0), None); 3], vec![sum, rule]);
    assert_eq!(ended.listed(&LIMITS).unwrap().tables().collect::<Vec<_>>(), boxed(&ended, 0, 12));
}

#[test]
fn limits_are_kept_and_told() {
    let total = |cells: u32, value: i64| {
        let entries: Vec<(u32, i64)> = (0..cells).map(|cell| (cell, 1)).collect();
        fibre(vec![(Some(0), None); cells as usize], vec![row(&entries, Demand::Equal(value))])
    };
    // 66 tables of three cells with a total of ten.
    assert_eq!(total(3, 10).listed(&LIMITS).unwrap().len(), 66);
    let most = |limits: ListLimits| total(3, 10).listed(&limits).unwrap_err();
    assert_eq!(most(ListLimits { tables: 65, ..LIMITS }), NotListed::TooMany { most: 65 });
    assert_eq!(most(ListLimits { values: 197, ..LIMITS }), NotListed::TooMany { most: 65 });
    assert_eq!(most(ListLimits { work: 50, ..LIMITS }), NotListed::TooMuchWork);
    assert_eq!(most(ListLimits { cells: 2, ..LIMITS }), NotListed::TooWide { most: 2 });
    assert_eq!(total(60, 1_000_000).listed(&LIMITS), Err(NotListed::TooMany { most: 16_666 }));
}

#[test]
fn large_coefficients_leave_the_tables_they_leave() {
    // Few tables far apart, which no walk along short vectors connects.
    let times = [1133i64, 3716, 3005, 4249, 572, 1];
    let start = [3i64, 1, 2, 1, 4, 0];
    let value = times.iter().zip(start).map(|(times, count)| times * count).sum();
    let entries: Vec<(u32, i64)> = (0..).zip(times).collect();
    let mut bounds = vec![(Some(0), None); 6];
    bounds[5] = (Some(0), Some(3));
    let list = fibre(bounds, vec![row(&entries, Demand::Equal(value))]).listed(&LIMITS).unwrap();
    let mut expected = Vec::new();
    let (mut count, ends) = (vec![0i64; 6], times.map(|times| value / times));
    for a in 0..=ends[0] {
        for b in 0..=ends[1] {
            for c in 0..=ends[2] {
                for d in 0..=ends[3] {
                    for e in 0..=ends[4] {
                        count[..5].copy_from_slice(&[a, b, c, d, e]);
                        let sum: i64 = times.iter().zip(&count[..5]).map(|(times, count)| times * count).sum();
                        if (0..=3).contains(&(value - sum)) {
                            count[5] = value - sum;
                            expected.push(count.clone());
                        }
                    }
                }
            }
        }
    }
    assert!(list.tables().any(|table| table == start) && expected.len() > 1);
    assert_eq!(list.tables().map(<[i64]>::to_vec).collect::<Vec<_>>(), expected);
}
