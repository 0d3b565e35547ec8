//! The cells of a table that no row can be in which the filter of its data keeps: they are zero,
//! and everybody knows it.

use super::classes::{Value, column_of, compared_column, comparisons, fields, judged, valued};
use declare::{Declaration, Domain, Expression, Problem, Values};
use std::collections::{BTreeMap, BTreeSet};

/// More combinations of what comparisons say are not looked at.
const MOST_LOOKED_AT: usize = 1 << 18;

/// What the comparisons with one column say of a field; `None` where that is nothing.
type Said = Vec<Option<bool>>;

/// A column that the filter looks at.
struct Seen {
    /// Its comparisons, by their place in the filter.
    comparisons: Vec<usize>,
    /// What they say of any field, where no dimension is read from the column.
    free: BTreeSet<Said>,
    /// The dimensions that decide its field, with what is said under each of their codes.
    decided: Vec<(usize, Vec<BTreeSet<Said>>)>,
}

/// Which cells no row that the filter keeps can be in; `None`: all of them may have rows.
///
/// With `levels` a column that is named like a level of a hierarchy is taken to hold its labels, as
/// where releases are joined.
///
/// # Errors
/// Refused where that cannot be told.
pub fn emptied(declaration: &Declaration, domain: &Domain, levels: bool) -> Result<Option<Vec<bool>>, Problem> {
    let Some(filter) = &declaration.data.filter else { return Ok(None) };
    let unknown = |reason: String| {
        Problem::refused(format!("which cells `where = \"{filter}\"` leaves empty cannot be told: {reason}"))
            .hint("filter by fewer values, or by columns that are no dimensions")
    };
    let columns = seen(declaration, filter, levels).map_err(unknown)?;
    if columns.iter().all(|column| column.decided.is_empty()) {
        return Ok(None);
    }
    // Codes under which every column says the same are one group.
    let dimensions: BTreeSet<usize> =
        columns.iter().flat_map(|column| column.decided.iter().map(|(dimension, _)| *dimension)).collect();
    let dimensions: Vec<usize> = dimensions.into_iter().collect();
    let grouped: Vec<(Vec<usize>, Vec<usize>)> =
        dimensions.iter().map(|dimension| groups(*dimension, &columns, declaration)).collect();
    let sizes: Vec<usize> = grouped.iter().map(|(_, first)| first.len()).collect();
    let combinations = sizes.iter().try_fold(1usize, |product, size| product.checked_mul(*size));
    let too_many = || unknown("too many combinations of values".to_owned());
    let combinations = combinations.filter(|combinations| *combinations <= MOST_LOOKED_AT).ok_or_else(too_many)?;
    let mut kept = Vec::with_capacity(combinations);
    for combination in 0..combinations {
        let mut rest = combination;
        let codes: BTreeMap<usize, usize> = dimensions
            .iter()
            .zip(&grouped)
            .map(|(dimension, (_, first))| {
                let group = rest % first.len();
                rest /= first.len();
                (*dimension, first[group])
            })
            .collect();
        kept.push(may_hold(filter, &columns, &codes).ok_or_else(too_many)?);
    }
    let mut emptied = Vec::with_capacity(domain.len());
    let mut walk = domain.walk();
    while let Some((_, codes)) = walk.advance() {
        let group = |(dimension, (of_code, first)): (&usize, &(Vec<usize>, Vec<usize>))| {
            (of_code[codes[*dimension]], first.len())
        };
        let place = dimensions.iter().zip(&grouped).map(group).rev();
        emptied.push(!kept[place.fold(0, |place, (group, size)| place * size + group)]);
    }
    Ok(emptied.contains(&true).then_some(emptied))
}

/// The columns of a filter, with what its comparisons say of their fields.
fn seen(declaration: &Declaration, filter: &Expression, levels: bool) -> Result<Vec<Seen>, String> {
    let all = comparisons(filter);
    let names: BTreeSet<&str> = all.iter().filter_map(|comparison| compared_column(comparison)).collect();
    let formats = &declaration.data.date_formats;
    let mut columns = Vec::new();
    for name in names {
        let of_column = |(_, comparison): &(usize, &&Expression)| compared_column(comparison) == Some(name);
        let comparisons: Vec<usize> = all.iter().enumerate().filter(of_column).map(|(place, _)| place).collect();
        let said =
            |field: &str| -> Said { comparisons.iter().map(|place| judged(all[*place], field, formats)).collect() };
        let fields = fields(&[(declaration, BTreeSet::new())], name)?;
        let mut decided = Vec::new();
        for (position, dimension) in declaration.schema.dimensions.iter().enumerate() {
            let mut of_code = vec![BTreeSet::new(); dimension.values.len()];
            if column_of(dimension) == name {
                let valued = valued(dimension);
                for field in &fields {
                    if let Value::Code(code) = valued(field) {
                        of_code[code].insert(said(field));
                    }
                }
            } else if let Values::Hierarchy(hierarchy) = &dimension.values
                && let Some(level) = hierarchy.names.iter().position(|known| known == name && levels)
            {
                // The level that a value lies in decides what the column of that name holds.
                for (code, node) in hierarchy.codes[level].iter().enumerate() {
                    of_code[code].insert(said(&hierarchy.labels[level][*node as usize]));
                }
            } else {
                continue;
            }
            decided.push((position, of_code));
        }
        let free = if decided.is_empty() { fields.iter().map(|field| said(field)).collect() } else { BTreeSet::new() };
        columns.push(Seen { comparisons, free, decided });
    }
    Ok(columns)
}

/// The group of every code of a dimension, and the first code of every group: codes under which the
/// same is said of all columns.
fn groups(dimension: usize, columns: &[Seen], declaration: &Declaration) -> (Vec<usize>, Vec<usize>) {
    let mut known: BTreeMap<Vec<&BTreeSet<Said>>, usize> = BTreeMap::new();
    let (mut of_code, mut first) = (Vec::new(), Vec::new());
    for code in 0..declaration.schema.dimensions[dimension].values.len() {
        let decided = columns.iter().flat_map(|column| &column.decided).filter(|(own, _)| *own == dimension);
        let group = *known.entry(decided.map(|(_, of_code)| &of_code[code]).collect()).or_insert_with(|| {
            first.push(code);
            first.len() - 1
        });
        of_code.push(group);
    }
    (of_code, first)
}

/// Whether the filter holds for some row with these codes; `None` where there is too much to look
/// at.
fn may_hold(filter: &Expression, columns: &[Seen], codes: &BTreeMap<usize, usize>) -> Option<bool> {
    let mut choices: Vec<Vec<Said>> = Vec::new();
    for column in columns {
        let mut sets = column.decided.iter().map(|(dimension, of_code)| &of_code[codes[dimension]]);
        let mut of_column = sets.next().unwrap_or(&column.free).clone();
        sets.for_each(|set| of_column.retain(|said| set.contains(said)));
        choices.push(of_column.into_iter().collect());
    }
    let product = choices.iter().try_fold(1usize, |product, said| product.checked_mul(said.len()));
    let product = product.filter(|product| *product <= MOST_LOOKED_AT)?;
    let mut of_comparison = vec![None; columns.iter().map(|column| column.comparisons.len()).sum()];
    Some((0..product).any(|choice| {
        let mut rest = choice;
        for (column, choices) in columns.iter().zip(&choices) {
            let said = &choices[rest % choices.len()];
            rest /= choices.len();
            column.comparisons.iter().zip(said).for_each(|(place, said)| of_comparison[*place] = *said);
        }
        holds(filter, &mut of_comparison.iter().copied()) == Some(true)
    }))
}

/// What a filter says of a row, from what its comparisons say, in their order.
fn holds(filter: &Expression, said: &mut dyn Iterator<Item = Option<bool>>) -> Option<bool> {
    match filter {
        Expression::Compare { .. } | Expression::In { .. } => said.next().flatten(),
        Expression::Not(inner) => holds(inner, said).map(|held| !held),
        Expression::And(left, right) | Expression::Or(left, right) => {
            let decides = matches!(filter, Expression::Or(..));
            match (holds(left, said), holds(right, said)) {
                (Some(one), _) if one == decides => Some(decides),
                (_, Some(other)) if other == decides => Some(decides),
                (Some(_), Some(_)) => Some(!decides),
                _ => None,
            }
        }
    }
}
