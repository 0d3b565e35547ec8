//! Totals that follow from others: why, in words, and whether they agree.

use crate::analysis::Redundant;
use crate::eliminate::Eliminated;
use crate::number::{Number, ONE, ZERO};
use crate::peel::Peeled;
use crate::system::System;
use crate::wording::{all_totals, sides};
use declare::{Kind, Problem};
use std::collections::BTreeMap;

/// The most totals whose dependency is spelled out when no simple reason holds.
const MOST_SPELLED_OUT: usize = 16;
/// From this many totals of one invariant with the same simple reason on, they are reported
/// together.
const TOGETHER: usize = 4;

/// Why a total follows from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// No cell belongs to it.
    Empty,
    /// It sums the same cells as a total of this grouping.
    Same(usize),
    /// Its cells are a disjoint union of groups of this grouping.
    Sum(usize),
    /// A combination found by elimination.
    Combination,
}

/// The redundant totals with their reasons, or the contradiction that one of them shows.
pub(crate) fn redundant(system: &System, peeled: &Peeled, eliminated: &Eliminated) -> Result<Vec<Redundant>, Problem> {
    let mut rows: Vec<(usize, Number)> = (0..system.rows())
        .filter(|row| peeled.left[*row] == 0 && !peeled.pivot[*row])
        .map(|row| (row, Number::from(peeled.residual[row])))
        .chain(eliminated.defect.iter().cloned())
        .collect();
    // Small groups first: a total is explained by totals that have been found to agree.
    rows.sort_by_key(|(row, _)| (system.class_count[*row], *row));
    let reasons = simple_reasons(system, &rows, |row| peeled.pivot[row] || eliminated.is_pivot(row));
    if let Some(at) = rows.iter().position(|(_, defect)| !defect.is_zero()) {
        let row = rows[at].0;
        let dependency = dependency(system, peeled, eliminated, row, reasons[at]);
        return Err(contradiction(system, &dependency, reasons[at]));
    }
    let mut by_reason: BTreeMap<(usize, Reason), Vec<usize>> = BTreeMap::new();
    for ((row, _), reason) in rows.iter().zip(&reasons) {
        by_reason.entry((system.place(*row).0, *reason)).or_default().push(*row);
    }
    let mut found: Vec<(usize, Redundant)> = Vec::new();
    let mut spelled_out = 0;
    for ((grouping, reason), rows) in by_reason {
        if rows.len() >= TOGETHER && reason != Reason::Combination {
            found.push((rows[0], together(system, grouping, reason, rows.len())));
            continue;
        }
        for row in rows {
            spelled_out += 1;
            let because = if reason == Reason::Combination && spelled_out > MOST_SPELLED_OUT {
                "it follows from the other totals".to_owned()
            } else {
                because(system, &dependency(system, peeled, eliminated, row, reason), reason)
            };
            let name = system.name(row).to_owned();
            found.push((row, Redundant { name, because, totals: 1 }));
        }
    }
    found.sort_by_key(|(row, _)| *row);
    Ok(found.into_iter().map(|(_, redundant)| redundant).collect())
}

/// The simple reason of every row, if there is one. Linear in classes for every pair of groupings.
fn simple_reasons(system: &System, rows: &[(usize, Number)], is_pivot: impl Fn(usize) -> bool) -> Vec<Reason> {
    const MIXED: usize = usize::MAX;
    let mut best: Vec<Option<(usize, Reason)>> = vec![None; system.rows()];
    let mut wanted = vec![false; system.groupings.len()];
    for (row, _) in rows {
        wanted[system.place(*row).0] = true;
        best[*row] = Some(match system.class_count[*row] {
            0 => (0, Reason::Empty),
            _ => (usize::MAX, Reason::Combination),
        });
    }
    // Sums of groups are sums of cells only where every cell is taken once.
    let plain = |grouping: usize| system.groupings[grouping].times.is_none();
    let pairs = (0..system.groupings.len())
        .flat_map(|coarse| (0..system.groupings.len()).map(move |fine| (coarse, fine)))
        .filter(|(coarse, fine)| wanted[*coarse] && coarse != fine && plain(*coarse) && plain(*fine));
    for (coarse, fine) in pairs {
        let mut parent = vec![None; system.groupings[fine].groups()];
        for class in 0..system.classes.len() as u32 {
            if let Some(inner) = system.row(class, fine) {
                let outer = system.row(class, coarse).unwrap_or(MIXED);
                let known = &mut parent[inner - system.first_row[fine]];
                *known = Some(if known.is_none_or(|known| known == outer) { outer } else { MIXED });
            }
        }
        let mut covered = vec![Covered::default(); system.groupings[coarse].groups()];
        for (group, outer) in parent.iter().enumerate() {
            if let Some(outer) = outer.filter(|outer| *outer != MIXED) {
                let inner = system.first_row[fine] + group;
                let covered = &mut covered[outer - system.first_row[coarse]];
                covered.classes += system.class_count[inner];
                covered.addends += 1;
                covered.last = inner;
            }
        }
        for (group, covered) in covered.iter().enumerate() {
            let outer = system.first_row[coarse] + group;
            let Some(known) = &mut best[outer] else {
                continue;
            };
            // Of two equal totals the earlier one explains the later one, never both each other.
            let reason = match covered.addends {
                1 if is_pivot(covered.last) || covered.last < outer => Reason::Same(fine),
                0 | 1 => continue,
                _ => Reason::Sum(fine),
            };
            if covered.classes == system.class_count[outer] && covered.addends < known.0 {
                *known = (covered.addends, reason);
            }
        }
    }
    let reason = |(row, _): &(usize, Number)| best[*row].map_or(Reason::Combination, |best| best.1);
    rows.iter().map(reason).collect()
}

/// The groups of a finer grouping that lie inside one group.
#[derive(Clone, Default)]
struct Covered {
    classes: u32,
    addends: usize,
    last: usize,
}

/// A combination of rows that vanishes on every class, with 1 at `row`.
fn dependency(
    system: &System,
    peeled: &Peeled,
    eliminated: &Eliminated,
    row: usize,
    reason: Reason,
) -> Vec<(usize, Number)> {
    match reason {
        Reason::Empty => vec![(row, ONE)],
        Reason::Same(fine) | Reason::Sum(fine) => {
            let coarse = system.place(row).0;
            let mut addends: Vec<usize> = (0..system.classes.len() as u32)
                .filter(|class| system.row(*class, coarse) == Some(row))
                .filter_map(|class| system.row(class, fine))
                .collect();
            addends.sort_unstable();
            addends.dedup();
            let addends = addends.into_iter().map(|addend| (addend, ONE.negated()));
            std::iter::once((row, ONE)).chain(addends).collect()
        }
        Reason::Combination => {
            let crossing = match peeled.left[row] {
                0 => vec![(row, ONE)],
                _ => eliminated.dependency(row),
            };
            cancel_peeled(system, peeled, crossing)
        }
    }
}

/// Adds the rows that determined peeled classes, latest first, until the combination vanishes on
/// those too.
fn cancel_peeled(system: &System, peeled: &Peeled, rows: Vec<(usize, Number)>) -> Vec<(usize, Number)> {
    let mut position = vec![usize::MAX; system.classes.len()];
    for (at, class) in peeled.order.iter().enumerate() {
        position[*class as usize] = at;
    }
    let mut sums: BTreeMap<usize, Number> = BTreeMap::new();
    let mut weights: BTreeMap<usize, Number> = BTreeMap::new();
    let mut pending = rows;
    loop {
        for (row, weight) in pending.drain(..) {
            let grouping = system.place(row).0;
            for class in system.classes_of(row) {
                let at = position[*class as usize];
                if at != usize::MAX {
                    let sum = sums.entry(at).or_insert(ZERO);
                    *sum = sum.plus(&weight.times(&Number::Small(system.taken(*class, grouping))));
                }
            }
            let known = weights.entry(row).or_insert(ZERO);
            *known = known.plus(&weight);
        }
        match sums.pop_last() {
            None => break,
            Some((_, sum)) if sum.is_zero() => {}
            // The row's own class is cancelled by this very step; popping it keeps it from coming
            // back as zero.
            Some((at, sum)) => {
                let class = peeled.order[at];
                let row = peeled.by[class as usize] as usize;
                let times = Number::Small(system.taken(class, system.place(row).0));
                pending.push((row, sum.negated().over(&times)));
                sums.insert(at, sum);
            }
        }
    }
    weights.into_iter().filter(|(_, weight)| !weight.is_zero()).collect()
}

fn because(system: &System, dependency: &[(usize, Number)], reason: Reason) -> String {
    let (left, right) = sides(system, dependency);
    match reason {
        Reason::Empty => "no cell belongs to it".to_owned(),
        Reason::Same(_) => format!("it sums the same cells as {}", right.text),
        Reason::Sum(_) => format!("it is the sum of {}", right.text),
        Reason::Combination if right.text.is_empty() => "it follows from the other totals".to_owned(),
        Reason::Combination => format!("the sum of {} equals the sum of {}", left.text, right.text),
    }
}

fn together(system: &System, grouping: usize, reason: Reason, rows: usize) -> Redundant {
    let all = all_totals(system, grouping);
    let name = if rows == system.groupings[grouping].groups() { all } else { format!("{rows} of {all}") };
    let label = |other: usize| &system.groupings[other].label;
    let because = match reason {
        Reason::Empty => "no cell belongs to them".to_owned(),
        Reason::Same(other) => format!("each sums the same cells as a total {}", label(other)),
        Reason::Sum(other) => format!("each is the sum of the totals {} in it", label(other)),
        Reason::Combination => "they follow from the other totals".to_owned(),
    };
    Redundant { name, because, totals: rows }
}

fn contradiction(system: &System, dependency: &[(usize, Number)], reason: Reason) -> Problem {
    let (left, right) = sides(system, dependency);
    let but = match reason {
        Reason::Empty => "no cell belongs to it".to_owned(),
        Reason::Same(_) => format!("{}, which sums the same cells, is {}", right.text, right.value),
        _ if right.text.is_empty() => "they must be 0".to_owned(),
        _ => right.says(),
    };
    Problem::new(Kind::Infeasible, format!("the totals contradict each other: {}, but {but}", left.says()))
        .hint("no table has these totals; totals of one table always agree")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::Classes;
    use crate::eliminate::{MOST_STEPS, eliminate};
    use crate::peel::peel;
    use declare::{Grouping, NO_GROUP};

    fn below(state: &mut u64, bound: u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % bound
    }

    fn random(state: &mut u64, cells: usize) -> Vec<Grouping> {
        let mut groupings = Vec::new();
        for number in 0..1 + below(state, 4) {
            let groups = 1 + below(state, 4);
            let mut group = || match below(state, 12) {
                0 => NO_GROUP,
                _ => below(state, groups) as u32,
            };
            let group_of = (0..cells).map(|_| group()).collect();
            let mut times = || [-2, -1, 1, 2][below(state, 4) as usize];
            let times = (number % 2 == 1).then(|| (0..cells).map(|_| times()).collect());
            groupings.push(Grouping {
                times,
                group_of,
                label: format!("by g{number}"),
                names: (0..groups).map(|group| format!("g{number} = {group}")).collect(),
            });
        }
        groupings
    }

    /// Every dependency vanishes on every column and misses the totals by exactly the defect found.
    #[test]
    fn dependencies_prove_what_they_are_used_for() {
        let mut state = 3;
        let mut crossing = 0;
        for _ in 0..3000 {
            let cells = 4 + below(&mut state, 12) as usize;
            let groupings = random(&mut state, cells);
            let mut total = || below(&mut state, 50) as i64;
            let totals: Vec<Vec<i64>> = groupings.iter().map(|g| (0..g.groups()).map(|_| total()).collect()).collect();
            let classes = Classes::new(cells, &groupings);
            let system = System::new(&groupings, &totals, &classes);
            // Random totals may leave a fraction to a class: that contradiction is found by peeling
            // itself.
            let Ok(peeled) = peel(&system) else {
                continue;
            };
            let eliminated = eliminate(&system, &peeled, MOST_STEPS).unwrap();
            let peeled_away = (0..system.rows())
                .filter(|row| peeled.left[*row] == 0 && !peeled.pivot[*row])
                .map(|row| (row, Number::from(peeled.residual[row])));
            for (row, defect) in peeled_away.chain(eliminated.defect.iter().cloned()) {
                crossing += usize::from(peeled.left[row] > 0);
                let found = dependency(&system, &peeled, &eliminated, row, Reason::Combination);
                let weight =
                    |wanted: usize| found.iter().find(|(row, _)| *row == wanted).map_or(ZERO, |(_, w)| w.clone());
                assert_eq!(weight(row), ONE);
                for class in 0..classes.len() as u32 {
                    let sum = system
                        .column(class)
                        .fold(ZERO, |sum, (row, times)| sum.plus(&weight(row).times(&Number::Small(times))));
                    assert!(sum.is_zero());
                }
                let value = found
                    .iter()
                    .fold(ZERO, |sum, (row, weight)| sum.plus(&weight.times(&Number::Small(system.total(*row)))));
                assert_eq!(value, defect);
                let (left, right) = sides(&system, &found);
                assert_eq!(left.value == right.value, defect.is_zero());
            }
        }
        assert!(crossing > 300, "{crossing}");
    }

    #[test]
    fn elimination_gives_up_in_words() {
        let by = |label: &str, group: fn(u32) -> u32| Grouping {
            times: None,
            label: format!("by {label}"),
            names: (0..4).map(|group| format!("{label} = {group}")).collect(),
            group_of: (0..16).map(group).collect(),
        };
        let groupings = [by("row", |cell| cell / 4), by("column", |cell| cell % 4)];
        let totals = [vec![4; 4], vec![4; 4]];
        let classes = Classes::new(16, &groupings);
        let system = System::new(&groupings, &totals, &classes);
        let problem = eliminate(&system, &peel(&system).unwrap(), 5).err().unwrap();
        assert_eq!(problem.kind, Kind::Refused);
    }
}
