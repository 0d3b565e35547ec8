//! `Sides`: rows as sets of variables on two sides, on each of which sets are disjoint or nested: a
//! two-way table.

use crate::part::{GoalSystem, Goals};
use analyse::program::{Empty, Interval, divided, meet};
use analyse::two_colours;
use std::collections::HashMap;

/// No set.
pub(crate) const NONE: u32 = u32::MAX;

/// The sums of one set of variables.
#[derive(Debug)]
pub(crate) struct Set {
    pub members: Vec<u32>,
    pub within: Interval,
    /// 0 or 1.
    pub side: usize,
    /// The smallest set around it on its side.
    pub parent: u32,
}

/// All rows of a part.
#[derive(Debug)]
pub(crate) struct Sides {
    pub sets: Vec<Set>,
    /// For each side the smallest set around every variable.
    pub leaf: [Vec<u32>; 2],
    /// The sets that are the goals, where these are sets of their own.
    pub goals: Vec<u32>,
}

impl Sides {
    /// The sides, if two are enough; with every goal as a set if `with_goals`.
    pub fn new(part: &GoalSystem, with_goals: bool) -> Result<Option<Sides>, Empty> {
        let mut number: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut sets: Vec<Set> = Vec::new();
        let mut goals = Vec::new();
        let forms = match &part.goals {
            Goals::Forms(forms) if with_goals => forms.as_slice(),
            _ => &[],
        };
        let rows = part.rows.iter().map(|row| (&row.entries, row.within, false));
        for (entries, within, is_goal) in rows.chain(forms.iter().map(|form| (form, (None, None), true))) {
            let Some((_, times)) = entries.first() else { return Ok(None) };
            if entries.iter().any(|(_, other)| other != times) || is_goal && *times != 1 {
                return Ok(None);
            }
            let mut members: Vec<u32> = entries.iter().map(|(variable, _)| *variable).collect();
            members.sort_unstable();
            let set = *number.entry(members.clone()).or_insert_with(|| {
                sets.push(Set { members, within: (None, None), side: 0, parent: NONE });
                sets.len() as u32 - 1
            });
            let known = &mut sets[set as usize].within;
            *known = meet(*known, divided(within, *times))?;
            if is_goal {
                goals.push(set);
            }
        }
        if !colour(&mut sets, part.bounds.len()) {
            return Ok(None);
        }
        let mut sides = Sides { leaf: [0, 1].map(|_| vec![NONE; part.bounds.len()]), sets, goals };
        sides.nest();
        Ok(Some(sides))
    }

    /// Finds parents and leaves.
    fn nest(&mut self) {
        let mut order: Vec<u32> = (0..self.sets.len() as u32).collect();
        order.sort_by_key(|set| self.sets[*set as usize].members.len());
        let mut around = [self.leaf[0].clone(), self.leaf[1].clone()];
        for set in order {
            let side = self.sets[set as usize].side;
            for place in 0..self.sets[set as usize].members.len() {
                let variable = self.sets[set as usize].members[place] as usize;
                match std::mem::replace(&mut around[side][variable], set) {
                    NONE => self.leaf[side][variable] = set,
                    inner => self.sets[inner as usize].parent = set,
                }
            }
        }
    }
}

/// Puts sets that overlap without nesting on different sides, if that is possible.
fn colour(sets: &mut [Set], variables: usize) -> bool {
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); variables];
    for (number, set) in sets.iter().enumerate() {
        set.members.iter().for_each(|variable| around[*variable as usize].push(number as u32));
    }
    let crossed = |number: usize| -> Vec<usize> {
        let mut shared: HashMap<u32, usize> = HashMap::new();
        for other in sets[number].members.iter().flat_map(|variable| &around[*variable as usize]) {
            *shared.entry(*other).or_default() += 1;
        }
        let crosses = |(other, shared): &(u32, usize)| {
            *shared < sets[number].members.len() && *shared < sets[*other as usize].members.len()
        };
        shared.into_iter().filter(crosses).map(|(other, _)| other as usize).collect()
    };
    let Some(sides) = two_colours(sets.len(), crossed) else { return false };
    sets.iter_mut().zip(sides).for_each(|(set, side)| set.side = usize::from(side));
    true
}
