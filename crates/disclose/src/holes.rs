//! Closed forms for two-way tables with few holes: Hall's condition shows that the obvious bounds
//! are attained (`proofs/disclosure.md`, 3).

use crate::part::{GoalSystem, WideRange};
use crate::sides::{NONE, Sides};
use std::collections::HashMap;

/// The ranges of variables that have a closed form in a table that is known to exist; `None` for
/// all others.
pub(crate) fn closed(part: &GoalSystem, sides: &Sides) -> Vec<Option<WideRange>> {
    closed_where(part, sides).unwrap_or_else(|| vec![None; part.bounds.len()])
}

fn closed_where(part: &GoalSystem, sides: &Sides) -> Option<Vec<Option<WideRange>>> {
    let flat =
        sides.sets.iter().all(|set| set.parent == NONE && set.within.0.is_some() && set.within.0 == set.within.1);
    if !flat || sides.leaf.iter().any(|leaf| leaf.contains(&NONE)) {
        return None;
    }
    let low: Vec<i128> = part.bounds.iter().map(|(low, high)| low.filter(|_| high.is_none())).collect::<Option<_>>()?;
    // What every set has above the lower bounds.
    let mut above: Vec<i128> = sides.sets.iter().map(|set| set.within.0.unwrap_or(0)).collect();
    let mut variables: HashMap<(u32, u32), u32> = HashMap::new();
    for (variable, low) in low.iter().enumerate() {
        let place = (sides.leaf[0][variable], sides.leaf[1][variable]);
        *variables.entry(place).or_default() += 1;
        above[place.0 as usize] -= low;
        above[place.1 as usize] -= low;
    }
    // What is on the other side of each set where the two meet, and where they do not.
    let whole: i128 = (0..above.len()).filter(|set| sides.sets[*set].side == 0).map(|set| above[set]).sum();
    let mut met = vec![0i128; above.len()];
    for (row, column) in variables.keys() {
        met[*row as usize] += above[*column as usize];
        met[*column as usize] += above[*row as usize];
    }
    let missed = |set: u32| whole - met[set as usize];
    let of_side = |side: usize| (0..above.len() as u32).filter(move |set| sides.sets[*set as usize].side == side);
    let mut spare: Option<i128> = None;
    for row in of_side(0) {
        for column in of_side(1).filter(|column| !variables.contains_key(&(row, *column))) {
            let slack = met[row as usize] - missed(column);
            spare = Some(spare.map_or(slack, |spare| spare.min(slack)));
        }
    }
    let is_spared = |value: i128| spare.is_none_or(|spare| value <= spare);
    let range = |variable: usize| {
        let (row, column) = (sides.leaf[0][variable], sides.leaf[1][variable]);
        let (one, other) = (above[row as usize], above[column as usize]);
        let high = one.min(other);
        let alone = variables[&(row, column)] == 1;
        let least = if alone { (one + other - met[row as usize]).max(0) } else { 0 };
        let is_least = !alone || least >= one + other + missed(column) - met[row as usize] && is_spared(least);
        (is_spared(high) && is_least).then(|| WideRange::exact(low[variable] + least, low[variable] + high))
    };
    Some((0..low.len()).map(range).collect())
}
