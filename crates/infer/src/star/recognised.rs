//! Which blocks one total holds together: their cells and pairs of cells with a rule.

use super::{Cell, TiedCells};
use crate::base::BaseWeights;
use analyse::{Demand, Network};
use std::collections::{BTreeMap, HashMap};

/// The classes of a block that rows tie together, with these rows.
pub(super) fn components(network: &Network) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut of: Vec<usize> = (0..network.classes.len()).collect();
    for row in &network.rows {
        let Some((first, _)) = row.entries.first() else { continue };
        let target = of[*first as usize];
        let joined: Vec<usize> = row.entries.iter().map(|(class, _)| of[*class as usize]).collect();
        of.iter_mut().filter(|class| joined.contains(class)).for_each(|class| *class = target);
    }
    let mut found: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    of.iter().enumerate().for_each(|(class, component)| found.entry(*component).or_default().0.push(class));
    for (number, row) in network.rows.iter().enumerate() {
        if let Some((first, _)) = row.entries.first() {
            found.entry(of[*first as usize]).or_default().1.push(number);
        }
    }
    found.into_values().collect()
}

/// The cells of classes as parts that one equality, with its value, holds together; `None` when it
/// is something else.
pub(super) fn parts(
    network: &Network,
    base: Option<&BaseWeights>,
    classes: &[usize],
    rows: &[usize],
) -> Option<(Vec<TiedCells>, i64)> {
    let rows: Vec<&analyse::NetworkRow> = rows.iter().map(|row| &network.rows[*row]).collect();
    let (mut taken, mut value, mut totals) = (HashMap::new(), 0, 0);
    for row in &rows {
        match row.demand {
            Demand::Equal(total) => {
                taken = row.entries.iter().copied().collect::<HashMap<u32, i64>>();
                (value, totals) = (total, totals + 1);
            }
            Demand::Noisy { .. } => return None,
            Demand::AtLeast(_) | Demand::AtMost(_) => {}
        }
    }
    if totals > 1 || classes.iter().any(|class| network.classes[*class].noise != analyse::CellNoise::Law) {
        return None;
    }
    let cell = |class: usize, place: usize| {
        let found = &network.classes[class];
        let times = taken.get(&(class as u32)).copied().unwrap_or(0);
        // Tilts that a base measure asks for reach farther than the noise, in every cell that the
        // total takes.
        let own = base.filter(|base| times != 0 || base.factor_of(found.cells[place]).is_some());
        let factor = own.map(|base| base.factor(found.cells[place]));
        Cell { number: found.cells[place], low: found.low, high: found.high, taken: times, factor }
    };
    let mut used: BTreeMap<usize, bool> = classes.iter().map(|class| (*class, false)).collect();
    let mut parts = Vec::new();
    for row in rows {
        let (bound, sign) = match row.demand {
            Demand::AtMost(bound) => (bound, 1),
            Demand::AtLeast(bound) => (-bound, -1),
            Demand::Equal(_) | Demand::Noisy { .. } => continue,
        };
        let [(one, a), (two, b)] = row.entries.as_slice() else { return None };
        let (one, two) = (*one as usize, *two as usize);
        let mut single =
            |class: usize| network.classes[class].cells.len() == 1 && used.insert(class, true) != Some(true);
        if !(single(one) && single(two)) {
            return None;
        }
        // A cell in no total comes second: running sums are of it.
        let (first, second) = (cell(one, 0), cell(two, 0));
        parts.push(match second.taken == 0 || first.taken != 0 {
            true => TiedCells { first, second: Some((second, (sign * a, sign * b), bound)) },
            false => TiedCells { first: second, second: Some((first, (sign * b, sign * a), bound)) },
        });
    }
    for (class, _) in used.into_iter().filter(|(_, used)| !used) {
        let places = 0..network.classes[class].cells.len();
        parts.extend(places.map(|place| TiedCells { first: cell(class, place), second: None }));
    }
    Some((parts, value))
}
