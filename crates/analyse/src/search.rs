//! A table that satisfies everything, or why there is none: from public values alone, part by part.

use crate::feasible::Feasibility;
use crate::fibre::Fibre;
use crate::lattice::Lattice;
use crate::sums::FibreRow;
use crate::union::Union;
use declare::Conditions;
use std::collections::BTreeMap;

/// What a search for a table that satisfies everything found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Searched {
    /// One.
    Found(Vec<i64>),
    /// There is none; why, in words.
    Impossible(String),
    /// None was found in the limits of the search, and nothing shows that there is none; what was
    /// tried.
    NotFound(String),
}

/// A table that satisfies everything, if one is found; the same for the same public values.
pub fn some_table(conditions: &Conditions, totals: &[Vec<i64>]) -> Option<Vec<i64>> {
    match search_table(conditions, totals) {
        Searched::Found(table) => Some(table),
        Searched::Impossible(_) | Searched::NotFound(_) => None,
    }
}

/// Searches a table that satisfies all totals, bounds and rules.
///
/// Cells that no sum ties together are searched apart, so the limits of the search are those of the
/// largest part.
pub fn search_table(conditions: &Conditions, totals: &[Vec<i64>]) -> Searched {
    let fibre = Fibre::of_table(conditions, totals);
    let names = fibre.row_names(conditions);
    let mut table = vec![0i64; fibre.cells.len()];
    let mut not_found = None;
    for part in parts(&fibre) {
        let names: Vec<String> = part.rows.iter().map(|row| names[*row].clone()).collect();
        let found = match Lattice::of_fibre(&part.fibre) {
            Ok(lattice) => part.fibre.first_table(&lattice),
            Err(problem) => Feasibility::NotFound(problem.message),
        };
        match found {
            Feasibility::Table(values) => {
                part.places.iter().zip(values).for_each(|(place, value)| table[*place as usize] = value);
            }
            // What is impossible is said, whatever else was not found.
            Feasibility::Impossible(witness) => return Searched::Impossible(witness.in_words(&part.fibre, &names)),
            Feasibility::NotFound(tried) => not_found = not_found.or(Some(tried)),
        }
    }
    match not_found {
        Some(tried) => Searched::NotFound(tried),
        None if fibre.contains(&table) => Searched::Found(table),
        None => Searched::NotFound("the tables of parts do not make one".to_string()),
    }
}

/// Cells that sums tie together.
struct TiedCells {
    /// Their places in the whole.
    places: Vec<u32>,
    /// The rows over them, by their numbers in the whole.
    rows: Vec<usize>,
    fibre: Fibre,
}

fn parts(fibre: &Fibre) -> Vec<TiedCells> {
    let mut tied = Union::new(fibre.cells.len());
    for pair in fibre.rows.iter().flat_map(|row| row.entries.windows(2)) {
        tied.join(pair[0].0, pair[1].0);
    }
    let mut members: BTreeMap<u32, (Vec<u32>, Vec<usize>)> = BTreeMap::new();
    let mut place_in = vec![0u32; fibre.cells.len()];
    for place in 0..fibre.cells.len() as u32 {
        let (places, _) = members.entry(tied.top(place)).or_default();
        place_in[place as usize] = places.len() as u32;
        places.push(place);
    }
    // A sum of nothing is asked of the first part, which may not satisfy it.
    for (number, row) in fibre.rows.iter().enumerate() {
        let place = row.entries.first().map_or(0, |(place, _)| *place);
        members.entry(tied.top(place)).or_default().1.push(number);
    }
    let part = |(places, rows): (Vec<u32>, Vec<usize>)| {
        let row = |number: &usize| FibreRow {
            entries: fibre.rows[*number].entries.iter().map(|(at, times)| (place_in[*at as usize], *times)).collect(),
            demand: fibre.rows[*number].demand,
        };
        let own = Fibre {
            cells: places.iter().map(|place| fibre.cells[*place as usize]).collect(),
            bounds: places.iter().map(|place| fibre.bounds[*place as usize]).collect(),
            rows: rows.iter().map(row).collect(),
            noise_on_cells: fibre.noise_on_cells,
        };
        TiedCells { places, rows, fibre: own }
    };
    members.into_values().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::{Searched, search_table};
    use declare::{Conditions, Grouping, Relation, RuleRows};

    fn sums(label: &str, group_of: Vec<u32>, groups: usize, times: Option<Vec<i64>>) -> Grouping {
        let names = (0..groups).map(|group| format!("{label} {group}")).collect();
        Grouping { label: label.into(), names, group_of, times }
    }

    /// Counties of three cells with their totals, and in each twice the first is at most or exactly
    /// something.
    fn conditions(counties: usize, relation: Relation, bound: i64) -> Conditions {
        let cells = 3 * counties;
        let county = sums("county", (0..cells).map(|cell| (cell / 3) as u32).collect(), counties, None);
        let times = (0..cells).map(|cell| [2, 0, 0][cell % 3]).collect();
        let group_of = (0..cells).map(|cell| if cell % 3 == 0 { (cell / 3) as u32 } else { declare::NO_GROUP });
        let rule = sums("twice", group_of.collect(), counties, Some(times));
        let rules = vec![RuleRows { grouping: rule, relation, bound }];
        Conditions { rules, nonnegative: true, ..Conditions::of_totals(cells, vec![county]) }
    }

    #[test]
    fn many_small_parts_are_searched_one_by_one() {
        let counties = 3000;
        let totals = vec![(0..counties as i64).map(|county| 5 + county % 7).collect::<Vec<_>>()];
        let Searched::Found(table) = search_table(&conditions(counties, Relation::AtMost, 7), &totals) else {
            panic!("each county has many")
        };
        assert!(conditions(counties, Relation::AtMost, 7).check_table(&table).is_ok());
        // Twice a whole number is not seven.
        let odd = search_table(&conditions(counties, Relation::Equal, 7), &totals);
        assert!(matches!(odd, Searched::Impossible(_)), "{odd:?}");
        let far = search_table(&conditions(counties, Relation::AtLeast, 1000), &totals);
        assert!(matches!(far, Searched::Impossible(_)), "{far:?}");
    }
}
