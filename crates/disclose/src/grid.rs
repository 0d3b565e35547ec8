//! Closed forms for two-way tables in which every row meets every column: Fréchet's bounds
//! (`proofs/disclosure.md`, 3).

use crate::part::{GoalSystem, Goals, WideRange};
use crate::sides::{NONE, Set, Sides};
use analyse::program::Empty;
use std::collections::{HashMap, HashSet};

/// A two-way table without holes; counts are above their lower bounds.
struct Table {
    /// What the rows, and the columns, have above the lower bounds of their cells.
    above: [Vec<i128>; 2],
    /// The sum of all of them.
    whole: i128,
    /// The row and column of every variable.
    place: Vec<[u32; 2]>,
    /// How many variables lie at every place.
    variables: HashMap<[u32; 2], u32>,
    low: Vec<i128>,
}

/// The ranges of all goals, where closed forms give them.
pub(crate) fn closed(part: &GoalSystem, sides: &Sides) -> Result<Option<Vec<WideRange>>, Empty> {
    let Some(table) = Table::new(part, sides)? else { return Ok(None) };
    match &part.goals {
        Goals::Each => {
            let range = |variable: usize| {
                let [row, column] = table.place[variable];
                let (one, other) = (table.above[0][row as usize], table.above[1][column as usize]);
                let alone = table.variables[&table.place[variable]] == 1;
                let low = if alone { (one + other - table.whole).max(0) } else { 0 };
                WideRange::exact(table.low[variable] + low, table.low[variable] + one.min(other))
            };
            Ok(Some((0..part.bounds.len()).map(range).collect()))
        }
        Goals::Forms(forms) => Ok(forms.iter().map(|form| table.form(form)).collect()),
    }
}

impl Table {
    fn new(part: &GoalSystem, sides: &Sides) -> Result<Option<Table>, Empty> {
        let Some(low) = part.bounds.iter().map(|(low, _)| *low).collect::<Option<Vec<i128>>>() else { return Ok(None) };
        let Some(value) = sides.sets.iter().map(|set| set.within.0.filter(|low| set.within.1 == Some(*low))).collect()
        else {
            return Ok(None);
        };
        let value: Vec<i128> = value;
        let tops = |side: usize| -> i128 {
            let on_top = |(set, _): &(&Set, &i128)| set.side == side && set.parent == NONE;
            sides.sets.iter().zip(&value).filter(on_top).map(|(_, value)| value).sum()
        };
        let covers = [0, 1].map(|side: usize| !sides.leaf[side].contains(&NONE));
        let whole = match covers {
            [true, _] => tops(0),
            [_, true] => tops(1),
            _ => return Ok(None),
        };
        if covers == [true, true] && tops(0) != tops(1) {
            return Err(Empty);
        }
        // What a set has beyond the sets inside it; last, what is in no set.
        let mut above: [Vec<i128>; 2] = [0, 1].map(|side| [value.clone(), vec![whole - tops(side)]].concat());
        for (set, own) in sides.sets.iter().zip(&value) {
            if set.parent != NONE {
                above[set.side][set.parent as usize] -= own;
            }
        }
        let rest = sides.sets.len() as u32;
        let place: Vec<[u32; 2]> =
            (0..low.len()).map(|variable| [0, 1].map(|side: usize| sides.leaf[side][variable].min(rest))).collect();
        let mut used = [HashSet::new(), HashSet::new()];
        let mut variables: HashMap<[u32; 2], u32> = HashMap::new();
        for (place, low) in place.iter().zip(&low) {
            *variables.entry(*place).or_default() += 1;
            for side in 0..2 {
                used[side].insert(place[side]);
                above[side][place[side] as usize] -= low;
            }
        }
        let whole = whole - low.iter().sum::<i128>();
        for side in 0..2 {
            let parts = (0..above[side].len()).filter(|part| sides.sets.get(*part).is_none_or(|set| set.side == side));
            for part in parts {
                let is_used = used[side].contains(&(part as u32));
                if above[side][part] < 0 || !is_used && above[side][part] != 0 {
                    return Err(Empty);
                }
            }
        }
        if variables.len() != used[0].len() * used[1].len() {
            return Ok(None);
        }
        let binding = |variable: usize| {
            let [row, column] = place[variable];
            let most = low[variable] + above[0][row as usize].min(above[1][column as usize]);
            part.bounds[variable].1.is_some_and(|high| high < most)
        };
        if (0..low.len()).any(binding) {
            return Ok(None);
        }
        Ok(Some(Table { above, whole, place, variables, low }))
    }

    /// The range of a sum of variables, if these lie in a rectangle.
    fn form(&self, form: &[(u32, i64)]) -> Option<WideRange> {
        if form.iter().any(|(_, times)| *times != 1) {
            return None;
        }
        let base: i128 = form.iter().map(|(variable, _)| self.low[*variable as usize]).sum();
        let mut taken: HashMap<[u32; 2], u32> = HashMap::new();
        form.iter().for_each(|(variable, _)| *taken.entry(self.place[*variable as usize]).or_default() += 1);
        let (rows, columns) = self.rectangle(taken.keys())?;
        let high = rows.min(columns);
        let whole: Vec<&[u32; 2]> =
            taken.iter().filter(|(place, count)| self.variables[*place] == **count).map(|(place, _)| place).collect();
        let low = match whole.is_empty() {
            true => 0,
            false => {
                let (rows, columns) = self.rectangle(whole.into_iter())?;
                (rows + columns - self.whole).max(0)
            }
        };
        Some(WideRange::exact(base + low, base + high))
    }

    /// The sums of the rows and of the columns of these places, if they are all places of those.
    fn rectangle<'a>(&self, places: impl Iterator<Item = &'a [u32; 2]>) -> Option<(i128, i128)> {
        let mut used = [HashSet::new(), HashSet::new()];
        let mut count = 0;
        for place in places {
            count += 1;
            (0..2).for_each(|side| {
                used[side].insert(place[side]);
            });
        }
        let sums = [0, 1].map(|side: usize| used[side].iter().map(|part| self.above[side][*part as usize]).sum());
        (count == used[0].len() * used[1].len()).then_some((sums[0], sums[1]))
    }
}
