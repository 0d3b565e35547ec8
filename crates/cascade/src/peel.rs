//! From exact sums that cross to stages, one two-way family of tables after the other.
//!
//! One family A is set aside. The others cut the leaves into columns; first the sums of the columns
//! are drawn (the same question with fewer families and fewer leaves, and the sums of what A and
//! the columns connect as one more family). Then every component of A against the columns is a
//! two-way table with both margins known. This goes on as long as some family can be set aside:
//! exactly for margins that decompose, and for hierarchies that cross attributes. Where none can,
//! an interval may have gaps, and the cascade is refused. Proof: `proofs/G11.md`.

use crate::bell::{NO_HIGH, NO_LOW};
use crate::forest::{Forest, ReadyShape};
use crate::labels::{carried, completed, connected, dense, refinement, refines};
use crate::laminar::{Family, Kind, Leafing, tree};
use crate::split::{Limits, add_low};
use declare::{NO_GROUP, Problem};
use exact::Rational;

/// Numbers that are drawn together.
#[derive(Debug, Clone)]
pub(crate) enum Stage {
    /// Totals that are split over leaves.
    Forest(Forest),
    /// Two-way tables.
    Grids(Grids),
}

/// A stage and what its numbers are: sums of cells with the same label; `None`: the cells
/// themselves.
#[derive(Debug, Clone)]
pub(crate) struct Floor {
    pub(crate) labels: Option<Vec<u32>>,
    pub(crate) count: usize,
    pub(crate) stage: Stage,
}

/// Two-way tables.
#[derive(Debug, Clone)]
pub(crate) struct Grids {
    pub(crate) tables: Vec<Table>,
    pub(crate) rows: Vec<ReadyShape>,
    pub(crate) columns: Vec<ReadyShape>,
    /// Whether intervals come from flows, because cells have upper bounds.
    pub(crate) flows: bool,
}

/// One of them.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    /// The numbers of its cells, column by column.
    pub(crate) cells: Vec<u32>,
    /// The numbers of the stage before that are the sums of its columns.
    pub(crate) sums: Vec<u32>,
}

/// What must be drawn.
pub(crate) struct Question<'a> {
    /// Families of exact sums.
    pub(crate) exact: Vec<&'a [u32]>,
    /// Noise on groups.
    pub(crate) noise: &'a [(Vec<u32>, Rational)],
    /// Variances of the leaves, in units.
    pub(crate) weights: &'a [u64],
    pub(crate) unit: &'a Rational,
    pub(crate) order: Option<&'a [u32]>,
    /// Whether cells have bounds that only flows keep: then columns are drawn one by one.
    pub(crate) flows: bool,
}

impl Question<'_> {
    /// What the blocks of a tree over the leaves are made of; `drawn` says which numbers of an
    /// earlier stage are their sums.
    pub(crate) fn leafing<'b>(&'b self, drawn: Option<&'b [u32]>) -> Leafing<'b> {
        Leafing { weights: self.weights, unit: self.unit, order: self.order, drawn, one_by_one: false }
    }

    /// All groups: exact sums, then noise.
    pub(crate) fn families(&self) -> Vec<Family<'_>> {
        let exact = self.exact.iter().map(|labels| Family { labels, kind: Kind::Exact });
        exact.chain(self.noise.iter().map(noisy)).collect()
    }

    /// This question, answered with columns one by one.
    pub(crate) fn by_flows(&self) -> Self {
        Question { exact: self.exact.clone(), flows: true, ..*self }
    }
}

/// Why a family could not be set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    Gaps,
    Noise,
    Uneven,
    Holes,
}

impl Fault {
    fn problem(self) -> Problem {
        match self {
            Fault::Gaps => {
                Problem::refused("the exact totals cross so that the values which are left for a number may have gaps")
                    .hint("a cascade draws margins that decompose; drop one of the totals, or use another method")
            }
            Fault::Noise => {
                Problem::refused("noise on sums that cross exact totals in this way cannot be drawn by a cascade")
                    .hint("put the noise on levels of one side of the table, in full detail of the other")
            }
            Fault::Uneven => Problem::refused(
                "the variances of a two-way table are not those of its rows times those of its columns",
            ),
            Fault::Holes => Problem::refused("a two-way table with both totals exact has combinations without a cell")
                .hint("declare structural zeros as cells with the bounds 0 and 0"),
        }
    }
}

/// The stages, the coarsest first.
pub(crate) fn stages(question: &Question<'_>) -> Result<Vec<Floor>, Problem> {
    if let Some(forest) = blocks(&question.families(), &question.leafing(None))? {
        let count = question.weights.len();
        return Ok(vec![Floor { labels: None, count, stage: Stage::Forest(forest) }]);
    }
    let leaves = question.weights.len();
    let mut families: Vec<Vec<u32>> = Vec::new();
    for (at, family) in question.exact.iter().enumerate() {
        let others: Vec<&[u32]> =
            question.exact.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, family)| *family).collect();
        let Some(family) = completed(family, &others) else {
            return Err(Problem::refused("exact totals that cross leave out some cells")
                .hint("make the total of everything exact too, or give every cell a place in the family of totals"));
        };
        families.push(family);
    }
    let families = independent(&families);
    let mut fault = Fault::Gaps;
    for aside in (0..families.len()).rev() {
        match set_aside(question, &families, aside, leaves)? {
            Ok(floors) => return Ok(floors),
            Err(found) => fault = fault.max(found),
        }
    }
    Err(fault.problem())
}

/// The blocks, if no two groups cross.
fn blocks(families: &[Family<'_>], leafing: &Leafing<'_>) -> Result<Option<Forest>, Problem> {
    let Some(tree) = tree(leafing.weights.len(), families) else { return Ok(None) };
    Ok(Some(tree.forest(leafing, &|_| false)?.0))
}

/// Groups with noise of this variance.
fn noisy((labels, variance): &(Vec<u32>, Rational)) -> Family<'_> {
    Family { labels, kind: Kind::Noisy(variance) }
}

/// Leaves out families whose sums others have in more detail.
fn independent(families: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let implied = |at: usize, family: &[u32]| {
        let mut others = families.iter().enumerate().filter(|(other, _)| *other != at);
        others.any(|(other, fine)| refines(fine, family) && (other < at || !refines(family, fine)))
    };
    let kept = families.iter().enumerate().filter(|(at, family)| !implied(*at, family));
    kept.map(|(_, family)| family.clone()).collect()
}

/// Tries to draw one family last.
fn set_aside(
    question: &Question<'_>,
    families: &[Vec<u32>],
    aside: usize,
    leaves: usize,
) -> Result<Result<Vec<Floor>, Fault>, Problem> {
    let others: Vec<&[u32]> =
        families.iter().enumerate().filter(|(at, _)| *at != aside).map(|(_, family)| &family[..]).collect();
    let (row_of, rows) = dense(families[aside].iter().map(|label| u64::from(*label)));
    let (column_of, columns) = refinement(&others, leaves);
    let (cell_of, cells) = refinement(&[&row_of, &column_of], leaves);
    if cells == columns || cells == rows {
        return Ok(Err(Fault::Gaps));
    }
    let (part_of, parts) = connected(&row_of, &column_of);
    let row_at = carried(&cell_of, cells, &row_of);
    let column_at = carried(&cell_of, cells, &column_of);
    let part_at = carried(&cell_of, cells, &part_of);
    // Noise inside the cells of the tables shapes what comes after; the rest must be noise on rows.
    let inside = |labels: &[u32]| {
        let known = labels.iter().zip(&cell_of).filter(|(label, _)| **label != NO_GROUP);
        let (fine, coarse): (Vec<u32>, Vec<u32>) = known.unzip();
        refines(&fine, &coarse)
    };
    let (within, across): (Vec<_>, Vec<_>) = question.noise.iter().partition(|(labels, _)| inside(labels));
    // What splits the cells of the tables, if they have more than one leaf.
    let in_cells = [Family { labels: &cell_of, kind: Kind::Exact }];
    let families: Vec<Family<'_>> = in_cells.into_iter().chain(within.into_iter().map(noisy)).collect();
    let below = blocks(&families, &question.leafing(Some(&cell_of)))?;
    let Some(below) = below else { return Ok(Err(Fault::Noise)) };
    let weight_of = weights_of(&below, &cell_of, cells, question.unit);
    let Some(sides) = sides(&weight_of, &row_at, &column_at, rows, columns) else { return Ok(Err(Fault::Uneven)) };
    let row_part = carried(&row_of, rows, &part_of);
    let column_part = carried(&column_of, columns, &part_of);
    if !complete(&row_part, &column_part, &part_at, parts) {
        return Ok(Err(Fault::Holes));
    }
    let mut row_noise = Vec::new();
    for (labels, variance) in across {
        let Some(groups) = noise_on_rows(labels, &cell_of, &row_at, &column_at, (rows, columns, cells)) else {
            return Ok(Err(Fault::Noise));
        };
        row_noise.push((groups, variance.clone()));
    }
    let ranked = |labels: &[u32], count: usize| ranked(question.order, labels, count);
    let row_order = ranked(&row_of, rows);
    let Some(row_forest) = side(&sides.rows, question.unit, &row_part, &row_noise, &row_order, false)? else {
        return Ok(Err(Fault::Noise));
    };
    let column_order = ranked(&column_of, columns);
    let one = Rational::integer(1);
    let Some(column_forest) = side(&sides.columns, &one, &column_part, &[], &column_order, question.flows)? else {
        return Ok(Err(Fault::Noise));
    };
    // The sums of the columns come first.
    let part_weight = weights_of(&row_forest, &row_part, parts, question.unit);
    let column_weights: Vec<u64> = sides
        .columns
        .iter()
        .zip(&column_part)
        .map(|(weight, part)| weight.saturating_mul(part_weight[*part as usize]))
        .collect();
    let mut above: Vec<Vec<u32>> = others.iter().map(|family| carried(&column_of, columns, family)).collect();
    above.push(column_part.clone());
    let first = Question {
        exact: above.iter().map(|family| &family[..]).collect(),
        noise: &[],
        weights: &column_weights,
        unit: question.unit,
        order: Some(&column_order),
        flows: question.flows,
    };
    let mut floors = stages(&first)?;
    for floor in &mut floors {
        floor.labels = Some(match &floor.labels {
            None => column_of.clone(),
            Some(labels) => column_of.iter().map(|column| labels[*column as usize]).collect(),
        });
    }
    let grids = grids(row_forest, column_forest, &row_at, &column_at, columns);
    floors.push(Floor { labels: Some(cell_of), count: cells, stage: Stage::Grids(grids) });
    if cells < leaves {
        floors.push(Floor { labels: None, count: leaves, stage: Stage::Forest(below) });
    } else if let Some(last) = floors.last_mut()
        && let Some(labels) = &last.labels
        && labels.iter().enumerate().all(|(leaf, label)| leaf == *label as usize)
    {
        last.labels = None;
    }
    Ok(Ok(floors))
}

/// The variance of every block, in units, by the label of its leaves.
fn weights_of(forest: &Forest, labels: &[u32], count: usize, unit: &Rational) -> Vec<u64> {
    let mut weights = vec![0u64; count];
    for block in &forest.blocks {
        let variance = forest.shapes[block.shape as usize].shape.variance() / unit;
        weights[labels[forest.leaf(block.places.start)] as usize] = u64::try_from(variance.floor()).unwrap_or(u64::MAX);
    }
    weights
}

/// Rows or columns of all components, each component a block.
fn side(
    weights: &[u64],
    unit: &Rational,
    part: &[u32],
    noise: &[(Vec<u32>, Rational)],
    order: &[u32],
    one_by_one: bool,
) -> Result<Option<Forest>, Problem> {
    let mut families = vec![Family { labels: part, kind: Kind::SplitTree }];
    families.extend(noise.iter().map(noisy));
    blocks(&families, &Leafing { weights, unit, order: Some(order), drawn: None, one_by_one })
}

/// Groups in the order of their first leaves.
fn ranked(order: Option<&[u32]>, labels: &[u32], count: usize) -> Vec<u32> {
    let mut seen = vec![false; count];
    let is_new = |label: &u32| !std::mem::replace(&mut seen[*label as usize], true);
    match order {
        Some(order) => order.iter().map(|leaf| labels[*leaf as usize]).filter(is_new).collect(),
        None => labels.iter().copied().filter(is_new).collect(),
    }
}

/// Weights of rows and of columns whose products are the weights of the cells.
struct Sides {
    rows: Vec<u64>,
    columns: Vec<u64>,
}

fn sides(weights: &[u64], row_at: &[u32], column_at: &[u32], rows: usize, columns: usize) -> Option<Sides> {
    fn gcd(mut a: u64, mut b: u64) -> u64 {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    }
    // The divisor of a row's weights is its own weight times what all columns of the component
    // share.
    let mut shared = vec![0u64; rows];
    for (cell, weight) in weights.iter().enumerate() {
        let shared = &mut shared[row_at[cell] as usize];
        *shared = gcd(*weight, *shared);
    }
    let mut wide = vec![0u64; columns];
    for (cell, weight) in weights.iter().enumerate() {
        let factor = weight / shared[row_at[cell] as usize];
        let column = &mut wide[column_at[cell] as usize];
        if *column != 0 && *column != factor {
            return None;
        }
        *column = factor;
    }
    Some(Sides { rows: shared, columns: wide })
}

/// Whether every row of a component meets every one of its columns.
fn complete(row_part: &[u32], column_part: &[u32], part_at: &[u32], parts: usize) -> bool {
    let mut count = vec![(0u64, 0u64, 0u64); parts];
    row_part.iter().for_each(|part| count[*part as usize].0 += 1);
    column_part.iter().for_each(|part| count[*part as usize].1 += 1);
    part_at.iter().for_each(|part| count[*part as usize].2 += 1);
    count.iter().all(|(rows, columns, cells)| rows * columns == *cells)
}

/// Noise on sums of some rows in one column, the same in every column, as groups of rows.
fn noise_on_rows(
    labels: &[u32],
    cell_of: &[u32],
    row_at: &[u32],
    column_at: &[u32],
    (rows, columns, cells): (usize, usize, usize),
) -> Option<Vec<u32>> {
    // Every cell lies in one group or in none.
    let mut group_at: Vec<Option<u32>> = vec![None; cells];
    for (cell, label) in cell_of.iter().zip(labels) {
        let group = group_at[*cell as usize].get_or_insert(*label);
        if *group != *label {
            return None;
        }
    }
    let groups = labels.iter().filter(|label| **label != NO_GROUP).max().map_or(0, |most| *most as usize + 1);
    let mut column_of_group: Vec<Option<u32>> = vec![None; groups];
    // A group of rows is named by its first row, seen from every column.
    let mut first: Vec<Option<u32>> = vec![None; groups];
    let mut by_column: Vec<Vec<usize>> = vec![Vec::new(); columns];
    (0..cells).for_each(|cell| by_column[column_at[cell] as usize].push(cell));
    let mut named: Vec<Option<u32>> = vec![None; rows];
    for list in &mut by_column {
        list.sort_by_key(|cell| row_at[*cell]);
        for cell in list.iter() {
            let group = group_at[*cell].filter(|label| *label != NO_GROUP);
            let (row, column) = (row_at[*cell], column_at[*cell]);
            let name = match group {
                None => NO_GROUP,
                Some(group) => {
                    if *column_of_group[group as usize].get_or_insert(column) != column {
                        return None;
                    }
                    *first[group as usize].get_or_insert(row)
                }
            };
            if *named[row as usize].get_or_insert(name) != name {
                return None;
            }
        }
    }
    Some(named.into_iter().map(|name| name.unwrap_or(NO_GROUP)).collect())
}

/// Puts rows and columns of every component together.
fn grids(rows: Forest, columns: Forest, row_at: &[u32], column_at: &[u32], width: usize) -> Grids {
    // Cells of every column, by row.
    let mut by_column: Vec<Vec<(u32, u32)>> = vec![Vec::new(); width];
    for (cell, (row, column)) in row_at.iter().zip(column_at).enumerate() {
        by_column[*column as usize].push((*row, cell as u32));
    }
    by_column.iter_mut().for_each(|list| list.sort_unstable());
    // The component of a column block is that of its rows: both are told by a cell.
    let mut row_block = vec![0u32; row_at.iter().max().map_or(0, |most| *most as usize + 1)];
    for (at, block) in rows.blocks.iter().enumerate() {
        block.places.clone().for_each(|place| row_block[rows.leaf(place)] = at as u32);
    }
    let mut tables = Vec::with_capacity(columns.blocks.len());
    for block in &columns.blocks {
        let own: Vec<u32> = block.places.clone().map(|place| columns.leaf(place) as u32).collect();
        let across = &rows.blocks[row_block[by_column[own[0] as usize][0].0 as usize] as usize];
        let mut cells = Vec::with_capacity(own.len() * across.places.len());
        for column in &own {
            let list = &by_column[*column as usize];
            for place in across.places.clone() {
                let row = rows.leaf(place) as u32;
                let at = list.partition_point(|(other, _)| *other < row);
                cells.push(list[at].1);
            }
        }
        tables.push(Table { rows: across.shape, columns: block.shape, cells, sums: own });
    }
    Grids { tables, rows: rows.shapes, columns: columns.shapes, flows: false }
}

/// Sums of lower bounds by label; whether every label has all of them, or none.
pub(crate) fn lower_bounds(limits: Limits<'_>, labels: Option<&[u32]>, leaves: usize, count: usize) -> Vec<i64> {
    let mut sums = vec![0i64; count];
    for leaf in 0..leaves {
        let label = labels.map_or(leaf, |labels| labels[leaf] as usize);
        sums[label] = add_low(sums[label], limits.of(leaf).0);
    }
    sums
}

/// Whether every bound is one that two-way tables keep: below, for all cells of a table or for
/// none, and none above.
pub(crate) fn fits_tables(floors: &[Floor], limits: Limits<'_>, cells: usize) -> bool {
    if matches!(limits, Limits::Free | Limits::Same(_, NO_HIGH)) {
        return true;
    }
    let free = (0..cells).all(|cell| limits.of(cell).1 == NO_HIGH);
    free && floors.iter().all(|floor| match &floor.stage {
        Stage::Grids(grids) => {
            let sums = lower_bounds(limits, floor.labels.as_deref(), cells, floor.count);
            grids.tables.iter().all(|table| {
                let missing = table.cells.iter().filter(|cell| sums[**cell as usize] == NO_LOW).count();
                missing == 0 || missing == table.cells.len()
            })
        }
        Stage::Forest(_) => true,
    })
}
