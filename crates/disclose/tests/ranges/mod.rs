//! All tables of a fibre, within a box or by their totals, and the extremes of cells and sums among
//! them.
#![allow(dead_code, reason = "each test uses its own part")]

use declare::{Conditions, Grouping, NO_GROUP};

/// A grouping with plain names.
pub fn grouping(label: &str, groups: u32, group_of: Vec<u32>) -> Grouping {
    let names = (0..groups).map(|group| format!("{label} = {group}")).collect();
    Grouping { times: None, label: format!("by {label}"), names, group_of }
}

/// The totals of a table.
pub fn totals(conditions: &Conditions, table: &[i64]) -> Vec<Vec<i64>> {
    let narrow = |totals: Vec<i128>| totals.into_iter().map(|total| total as i64).collect();
    conditions.invariants.iter().map(|grouping| narrow(grouping.totals(table))).collect()
}

/// The least and largest values among the tables of a fibre with cells between two limits.
pub struct Box {
    pub cells: Vec<Option<(i64, i64)>>,
    pub sums: Vec<Vec<Option<(i64, i64)>>>,
}

fn widen(known: &mut Option<(i64, i64)>, value: i64) {
    *known = Some(known.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
}

impl Box {
    pub fn new(conditions: &Conditions, totals: &[Vec<i64>], asked: &[Grouping], (low, high): (i64, i64)) -> Box {
        let mut found = Box {
            cells: vec![None; conditions.cells],
            sums: asked.iter().map(|grouping| vec![None; grouping.groups()]).collect(),
        };
        let mut table = vec![low; conditions.cells];
        'all: loop {
            if is_in_fibre(conditions, totals, &table) {
                table.iter().zip(&mut found.cells).for_each(|(value, known)| widen(known, *value));
                for (grouping, sums) in asked.iter().zip(&mut found.sums) {
                    for (group, (sum, known)) in grouping.totals(&table).into_iter().zip(sums).enumerate() {
                        if grouping.group_of.iter().any(|of| *of != NO_GROUP && *of as usize == group) {
                            widen(known, sum as i64);
                        }
                    }
                }
            }
            for value in table.iter_mut().rev() {
                if *value < high {
                    *value += 1;
                    continue 'all;
                }
                *value = low;
            }
            return found;
        }
    }
}

fn is_in_fibre(conditions: &Conditions, totals: &[Vec<i64>], table: &[i64]) -> bool {
    let rows = conditions.invariants.iter().zip(totals);
    let kept = |(grouping, totals): (&Grouping, &Vec<i64>)| {
        grouping.totals(table).iter().zip(totals).all(|(sum, total)| *sum == i128::from(*total))
    };
    rows.into_iter().all(kept)
        && conditions
            .rules
            .iter()
            .all(|rule| rule.grouping.totals(table).into_iter().all(|sum| rule.relation.holds(sum, rule.bound)))
}

/// Sums over all dimensions but the kept ones of a full table with these sizes, the last dimension
/// running fastest.
pub fn margin(label: &str, sizes: &[usize], kept: &[usize]) -> Grouping {
    let cells: usize = sizes.iter().product();
    let group = |cell: usize| {
        let mut codes = vec![0; sizes.len()];
        let mut rest = cell;
        for (code, size) in codes.iter_mut().zip(sizes).rev() {
            *code = rest % size;
            rest /= size;
        }
        kept.iter().fold(0, |group, dimension| group * sizes[*dimension] + codes[*dimension]) as u32
    };
    let groups = kept.iter().map(|dimension| sizes[*dimension]).product::<usize>() as u32;
    grouping(label, groups, (0..cells).map(group).collect())
}

/// All tables of counts with these totals of plain sums, and rules that bound single cells from
/// above.
pub struct Enumerated {
    pub count: u64,
    pub cells: Vec<(i64, i64)>,
    pub sums: Vec<Vec<(i64, i64)>>,
}

struct Walk<'a> {
    conditions: &'a Conditions,
    asked: &'a [Grouping],
    /// What is left of every total, and how many cells it still has.
    left: Vec<Vec<(i64, usize)>>,
    most: Vec<i64>,
    table: Vec<i64>,
    found: Enumerated,
}

impl Enumerated {
    pub fn new(conditions: &Conditions, totals: &[Vec<i64>]) -> Enumerated {
        Enumerated::with_sums(conditions, totals, &[])
    }

    pub fn with_sums(conditions: &Conditions, totals: &[Vec<i64>], asked: &[Grouping]) -> Enumerated {
        let mut left: Vec<Vec<(i64, usize)>> =
            totals.iter().map(|totals| totals.iter().map(|total| (*total, 0)).collect()).collect();
        let mut most = vec![i64::MAX; conditions.cells];
        for cell in 0..conditions.cells {
            for (grouping, left) in conditions.invariants.iter().zip(&mut left) {
                left[grouping.group_of[cell] as usize].1 += 1;
            }
            for rule in conditions.rules.iter().filter(|rule| rule.grouping.group_of[cell] != NO_GROUP) {
                most[cell] = most[cell].min(rule.bound);
            }
        }
        let none = (i64::MAX, i64::MIN);
        let sums = asked.iter().map(|grouping| vec![none; grouping.groups()]).collect();
        let found = Enumerated { count: 0, cells: vec![none; conditions.cells], sums };
        let mut walk = Walk { conditions, asked, left, most, table: vec![0; conditions.cells], found };
        walk.from(0);
        walk.found
    }
}

impl Walk<'_> {
    fn from(&mut self, cell: usize) {
        let widen = |known: &mut (i64, i64), value: i64| *known = (known.0.min(value), known.1.max(value));
        if cell == self.table.len() {
            self.found.count += 1;
            self.table.iter().zip(&mut self.found.cells).for_each(|(value, known)| widen(known, *value));
            for (grouping, sums) in self.asked.iter().zip(&mut self.found.sums) {
                grouping.totals(&self.table).into_iter().zip(sums).for_each(|(sum, known)| widen(known, sum as i64));
            }
            return;
        }
        let groups: Vec<usize> =
            self.conditions.invariants.iter().map(|grouping| grouping.group_of[cell] as usize).collect();
        let (mut low, mut high) = (0, self.most[cell]);
        for (left, group) in self.left.iter().zip(&groups) {
            let (rest, cells) = left[*group];
            high = high.min(rest);
            if cells == 1 {
                low = low.max(rest);
            }
        }
        for value in low..=high {
            self.table[cell] = value;
            for (left, group) in self.left.iter_mut().zip(&groups) {
                left[*group] = (left[*group].0 - value, left[*group].1 - 1);
            }
            self.from(cell + 1);
            for (left, group) in self.left.iter_mut().zip(&groups) {
                left[*group] = (left[*group].0 + value, left[*group].1 + 1);
            }
        }
    }
}
