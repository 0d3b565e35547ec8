//! Exact totals of filtered rows: what they tell of the cells of a table, alone and together.

use crate::scene::{Scene, by_ann, overriding, releasing, sqlite};
use congenial::{Kind, Problem, Released};
use std::fs;
use testkit::Random;

/// A 2 × 2 × 2 table of rows, with its counts in order; `d` is another column.
fn cube(random: &mut Random) -> (Scene, Vec<i64>) {
    let scene = sqlite();
    drop(scene.open("1", false));
    let counts: Vec<i64> = (0..8).map(|_| random.below(3) as i64 + 1).collect();
    let row = |cell: usize| {
        format!("{},{},{},{},{}\n", cell >> 2 & 1, cell >> 1 & 1, cell & 1, cell.count_ones() % 2, counts[cell])
    };
    fs::write(scene.path("data.csv"), format!("a,b,c,d,n\n{}", (0..8).map(row).collect::<String>())).unwrap();
    (scene, counts)
}

/// The exact total of the rows that a filter keeps, of a table by some dimensions.
fn total(
    scene: &Scene,
    name: &str,
    filter: Option<&str>,
    dimensions: &[&str],
    sensitive: Option<&str>,
    overridden: bool,
) -> Result<Released, Problem> {
    let filter = filter.map_or(String::new(), |filter| format!("where = \"{filter}\"\n"));
    let domains: String = dimensions.iter().map(|name| format!("{name} = [\"0\", \"1\"]\n")).collect();
    let sensitive = sensitive.map_or(String::new(), |cells| format!("[disclosure]\nsensitive = [\"{cells}\"]\n"));
    let text = format!(
        "title = \"{name}\"\n[data]\npath = \"data.csv\"\ncount = \"n\"\nduplicates = \"sum\"\n{filter}[dimensions]\n{domains}\
         [[invariant]]\nby = []\n[mechanism]\nmethod = \"suppress\"\nepsilon = 0\n{sensitive}[budget]\ndataset = \"children\"\nledger = \
         \"{}\"\n",
        scene.address
    );
    let path = scene.path(&format!("{name}.toml"));
    fs::write(&path, text).unwrap();
    let options = if overridden { overriding("disclosure", "a test") } else { by_ann() };
    releasing(&path, &scene.path(name), options)
}

#[test]
fn a_filter_that_leaves_one_cell_is_no_way_to_publish_it() {
    let (scene, _) = cube(&mut Random(1));
    let every = ["a", "b", "c"];
    for cell in 0..8 {
        let filter = format!("a = '{}' and b = '{}' and c = '{}'", cell >> 2 & 1, cell >> 1 & 1, cell & 1);
        let problem = total(&scene, &format!("cell{cell}"), Some(&filter), &every, None, false).unwrap_err();
        assert_eq!(problem.kind, Kind::Refused, "{problem}");
        assert!(problem.message.contains("alone give every cell"), "{problem}");
    }
    let two = total(&scene, "two", Some("a = '0' and b = '1'"), &every, None, false).unwrap();
    assert_eq!(two.certificate.disclosed_cells, 6, "those in which no row is");
}

#[test]
fn parts_that_are_disjoint_are_told_with_what_holds_them_together() {
    let (scene, _) = cube(&mut Random(2));
    // The four cells of a table by a and b, one by one, of tables by c: nothing ties them.
    total(&scene, "whole", None, &["a", "b"], None, false).unwrap();
    for cell in 0..3 {
        let filter = format!("a = '{}' and b = '{}'", cell >> 1, cell & 1);
        let part = total(&scene, &format!("part{cell}"), Some(&filter), &["c"], None, false);
        // With the total of all the third tells the fourth as well.
        match cell {
            2 => {
                let problem = part.unwrap_err();
                assert!(problem.message.contains("leave one table only of entry "), "{problem}");
                let all = total(&scene, "part2", Some(&filter), &["c"], None, true).unwrap();
                let together = all.certificate.ledger.unwrap().together.unwrap();
                assert_eq!((together.releases, together.left_out.len()), (3, 0), "{together:?}");
            }
            _ => drop(part.unwrap()),
        }
    }
}

/// The values that a sum of cells has over all tables of counts that satisfy these sums.
fn values(sums: &[(u8, i64)], asked: u8) -> Vec<i64> {
    fn extend(table: &mut Vec<i64>, sums: &[(u8, i64)], asked: u8, found: &mut Vec<i64>) {
        let sum = |mask: u8, table: &[i64]| -> i64 {
            table.iter().enumerate().filter(|(cell, _)| mask >> cell & 1 == 1).map(|(_, count)| count).sum()
        };
        let open = |mask: u8| u32::from(mask) >> table.len() != 0;
        if sums.iter().any(|(mask, total)| sum(*mask, table) > *total || !open(*mask) && sum(*mask, table) != *total) {
            return;
        }
        if table.len() == 8 {
            let value = sum(asked, table);
            if !found.contains(&value) {
                found.push(value);
            }
            return;
        }
        for count in 0..=4 {
            table.push(count);
            extend(table, sums, asked, found);
            table.pop();
        }
    }
    let mut found = Vec::new();
    extend(&mut Vec::new(), sums, asked, &mut found);
    found
}

#[test]
fn filters_that_together_determine_a_sensitive_cell_are_refused() {
    let mut random = Random(34);
    let (mut refused, mut by_parts) = (0, 0);
    for trial in 0..3 {
        let (scene, counts) = cube(&mut random);
        // Two cells of the table by a and b, of which the first is sensitive: cells 0 and 1.
        total(&scene, "guard", None, &["a", "b"], Some("a = '0' and b = '0'"), false).unwrap();
        // That `c` has two values is public.
        total(&scene, "frame", None, &["a", "b", "c"], None, false).unwrap();
        let guarded = 0b0000_0011;
        let of = |mask: u8| (0..8).filter(|cell| mask >> cell & 1 == 1).map(|cell| counts[cell]).sum::<i64>();
        let mut known = vec![(0xff, of(0xff))];
        for number in 0..7 {
            let mut mask = 0xffu8;
            let mut names: Vec<&str> = Vec::new();
            let mut filters = Vec::new();
            for (name, bit) in [("a", 2), ("b", 1), ("c", 0)] {
                match random.below(4) {
                    0 => names.push(name),
                    value => {
                        // Mostly near the sensitive cell.
                        let value = value / 3;
                        filters.push(format!("{name} = '{value}'"));
                        mask &= (0..8).filter(|cell| cell >> bit & 1 == value).fold(0, |mask, cell| mask | 1 << cell);
                    }
                }
            }
            if filters.is_empty() {
                continue;
            }
            if names.is_empty() {
                names.push("d");
            }
            let with: Vec<(u8, i64)> = known.iter().copied().chain([(mask, of(mask))]).collect();
            let determined = values(&with, guarded).len() == 1;
            let filter = filters.join(" and ");
            let made = total(&scene, &format!("t{number}"), Some(&filter), &names, None, false);
            match made {
                Ok(_) => {
                    assert!(!determined, "{trial}.{number}: {filter} was released after {known:?}");
                    known = with;
                }
                Err(problem) => {
                    assert_eq!(problem.kind, Kind::Refused, "{problem}");
                    refused += usize::from(determined);
                    // Without those of disjoint rows it would not be determined.
                    let near: Vec<_> = with.iter().copied().filter(|(other, _)| other & mask != 0).collect();
                    by_parts += usize::from(determined && values(&near, guarded).len() > 1);
                }
            }
        }
    }
    assert!(refused > 0 && by_parts > 0, "{refused} refused, {by_parts} by disjoint parts");
}
