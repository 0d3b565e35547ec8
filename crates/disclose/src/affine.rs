//! Parts without any bound: a sum is the same in all tables or has no end (`proofs/disclosure.md`,
//! 1).

use crate::part::{GoalSystem, Goals, WideRange};
use analyse::program::{Empty, Interval, sum};
use analyse::{Demand, Fibre, FibreRow, Lattice};

/// Whether equalities are all that binds a part.
pub(crate) fn is_affine(part: &GoalSystem) -> bool {
    part.bounds.iter().all(|bounds| *bounds == (None, None))
        && part.rows.iter().all(|row| row.within.0.is_some() && row.within.0 == row.within.1)
}

/// The ranges of all goals: a form that every step between tables leaves as it is has one value,
/// any other none that is last.
pub(crate) fn extremes(part: &GoalSystem) -> Result<Vec<WideRange>, Empty> {
    let given_up = || (0..part.goals()).map(|_| WideRange::unknown((None, None))).collect();
    let cells: Vec<u32> = (0..part.bounds.len() as u32).collect();
    let row = |entries: &[(u32, i64)], within: Interval| {
        let value = within.0.and_then(|value| i64::try_from(value).ok())?;
        Some(FibreRow { entries: entries.to_vec(), demand: Demand::Equal(value) })
    };
    let rows: Option<Vec<FibreRow>> = part.rows.iter().map(|own| row(&own.entries, own.within)).collect();
    let Some(rows) = rows else { return Ok(given_up()) };
    let fibre = Fibre { bounds: vec![(None, None); cells.len()], cells, rows, noise_on_cells: true };
    let table = match fibre.integer_solution() {
        Ok(Some(table)) => table.into_iter().map(i128::from).collect::<Vec<i128>>(),
        Ok(None) => return Ok(given_up()),
        Err(_) => return Err(Empty),
    };
    let Ok(lattice) = Lattice::of_fibre(&fibre) else { return Ok(given_up()) };
    let mut moves = vec![false; part.bounds.len()];
    let mut times = vec![0i128; part.bounds.len()];
    let is_fixed = |goal: usize, times: &mut [i128]| {
        let form = part.goal(goal);
        form.iter().for_each(|(variable, taken)| times[*variable as usize] = i128::from(*taken));
        let zero = |vector: &Vec<(u32, i64)>| sum(vector, times) == 0;
        let fixed = lattice.basis().iter().all(zero);
        form.iter().for_each(|(variable, _)| times[*variable as usize] = 0);
        fixed
    };
    if matches!(part.goals, Goals::Each) {
        lattice.basis().iter().flatten().for_each(|(variable, _)| moves[*variable as usize] = true);
        let range = |variable: usize| match moves[variable] {
            true => WideRange::attained((None, None)),
            false => WideRange::exact(table[variable], table[variable]),
        };
        return Ok((0..part.bounds.len()).map(range).collect());
    }
    let mut found = Vec::with_capacity(part.goals());
    for goal in 0..part.goals() {
        let value = part.value(goal, &table);
        found.push(match is_fixed(goal, &mut times) {
            true => WideRange::exact(value, value),
            false => WideRange::attained((None, None)),
        });
    }
    Ok(found)
}
