//! `Network`: one block of the fibre as classes of cells, sums over them, and an order in which sums are joined.
//!
//! A *form* is a sum of class sums with whole coefficients; rows of invariants, rules and noisy queries are forms. Classes are
//! joined two parts at a time. While a row has classes both inside and outside a part, the part must remember the row's value
//! inside it; rows that are multiples of each other inside a part share one remembered form. So a hierarchy remembers one
//! number per part, and a table with crossing totals remembers as many as rows cross its border.
//! Proof: `crates/draw/proofs/network.md`.

use crate::join::{Join, join_order};
use crate::listing::implied;
use declare::{Cell, Conditions, Grouping, Kind, NO_GROUP, Problem, Relation};
use exact::Rational;
use std::collections::HashMap;

/// Why a block has no network.
pub const TOO_MANY_MEET: &str = "too many sums meet at once for their values to be kept together";

/// One block, ready for messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Cells that enter all sums alike.
    pub classes: Vec<NetworkClass>,
    /// The sums and what is asked of them.
    pub rows: Vec<NetworkRow>,
    /// Parts in the order in which they are made: first one per class, then joins of earlier parts. Parts that no later join
    /// uses are independent of each other.
    pub joins: Vec<Join>,
}

/// Cells with the same coefficients in every row, the same bounds and the same noise.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkClass {
    /// The cells, by their number in the table.
    pub cells: Vec<u32>,
    /// The least value of a cell.
    pub low: Option<i64>,
    /// The largest value of a cell.
    pub high: Option<i64>,
    /// Which noise sits on every cell itself.
    pub noise: CellNoise,
}

/// The noise on a cell itself: the queries whose groups are single cells, or the noise that every cell gets.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CellNoise {
    /// The noise law of the plan.
    Law,
    /// The queries with these numbers, together; none: no noise.
    Queries(Vec<u32>),
}

/// A sum over classes and what is asked of it.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkRow {
    /// Classes with their coefficients, none zero.
    pub entries: Vec<(u32, i64)>,
    /// What is asked of the sum.
    pub demand: Demand,
}

/// What is asked of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// It has this value.
    Equal(i64),
    /// It is at least this.
    AtLeast(i64),
    /// It is at most this.
    AtMost(i64),
    /// It carries noise around its value in the confidential table.
    Noisy {
        /// The number of the query.
        query: u32,
        /// The group of the query.
        group: u32,
        /// What cells outside the block, whose values are fixed, add to the query's sum.
        fixed: i64,
    },
}

/// A row while it is collected.
pub(crate) struct Collected {
    pub(crate) entries: Vec<(u32, i64)>,
    pub(crate) demand: Demand,
}

impl Network {
    /// The block with these cells.
    ///
    /// # Errors
    /// Infeasible when the totals ask for sums that no integers have; refused when far too many sums meet at once.
    pub fn new(conditions: &Conditions, ground: &Ground, cells: &[u32]) -> Result<Network, Problem> {
        let collected = collect(conditions, ground, cells)?;
        let mut bounds = vec![(conditions.nonnegative.then_some(0i64), None::<i64>); cells.len()];
        let noise_everywhere = conditions.queries.is_empty();
        let mut own: Vec<Vec<u32>> = vec![Vec::new(); cells.len()];
        let mut rows = Vec::new();
        for row in collected {
            match (row.entries.as_slice(), row.demand) {
                ([(cell, 1 | -1)], Demand::Noisy { query, group, .. }) if !ground.moves_centre(query, group) => {
                    own[*cell as usize].push(query);
                }
                ([(cell, times)], Demand::AtLeast(bound)) => bind(&mut bounds[*cell as usize], *times, bound),
                ([(cell, times)], Demand::AtMost(bound)) => bind(&mut bounds[*cell as usize], -times, -bound),
                _ => rows.push(row),
            }
        }
        let (mut low, mut high): (Vec<Option<i64>>, Vec<Option<i64>>) = bounds.into_iter().unzip();
        for row in &rows {
            imply(row, &low, &mut high, |cell| noise_everywhere || !own[cell].is_empty());
        }
        if !noise_everywhere {
            confine_bare(&rows, &own, &mut low, &mut high);
        }
        let mut column: Vec<Vec<(u32, i64)>> = vec![Vec::new(); cells.len()];
        for (number, row) in rows.iter().enumerate() {
            row.entries.iter().for_each(|(cell, times)| column[*cell as usize].push((number as u32, *times)));
        }
        let mut numbers = HashMap::new();
        let mut classes: Vec<NetworkClass> = Vec::new();
        let mut class_of = Vec::with_capacity(cells.len());
        for (position, cell) in cells.iter().enumerate() {
            let noise =
                if noise_everywhere { CellNoise::Law } else { CellNoise::Queries(std::mem::take(&mut own[position])) };
            let alone = if column[position].is_empty() { position } else { usize::MAX };
            let key = (std::mem::take(&mut column[position]), low[position], high[position], noise.clone(), alone);
            let number = *numbers.entry(key).or_insert_with(|| {
                classes.push(NetworkClass { cells: Vec::new(), low: low[position], high: high[position], noise });
                classes.len() - 1
            });
            classes[number].cells.push(*cell);
            class_of.push(number as u32);
        }
        let rows: Vec<NetworkRow> = rows
            .into_iter()
            .map(|row| {
                let mut entries: Vec<(u32, i64)> =
                    row.entries.iter().map(|(cell, times)| (class_of[*cell as usize], *times)).collect();
                entries.sort_unstable();
                entries.dedup();
                NetworkRow { entries, demand: row.demand }
            })
            .collect();
        let joins = join_order(&classes, &rows).ok_or_else(|| Problem::refused(TOO_MANY_MEET))?;
        let impossible =
            |limits: &(Option<i64>, Option<i64>)| limits.0.zip(limits.1).is_some_and(|(low, high)| low > high);
        let bounds = |class: &NetworkClass| (class.low, class.high);
        if joins.iter().any(|join| join.limits.iter().any(impossible))
            || classes.iter().any(|class| impossible(&bounds(class)))
        {
            return Err(Problem::new(Kind::Infeasible, "no table satisfies all totals, bounds and rules together")
                .hint("values pinned with `values` or `from` may contradict the bounds or each other"));
        }
        Ok(Network { classes, rows, joins })
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.classes.iter().map(|class| class.cells.len()).sum()
    }
}

/// `times·y ≥ bound` as a bound of y.
pub(crate) fn bind((low, high): &mut (Option<i64>, Option<i64>), times: i64, bound: i64) {
    if times > 0 {
        let least = bound.div_euclid(times) + i64::from(bound.rem_euclid(times) != 0);
        *low = Some(low.map_or(least, |low| low.max(least)));
    } else {
        let most = (-bound).div_euclid(-times);
        *high = Some(high.map_or(most, |high| high.min(most)));
    }
}

/// A cell with more room than this below what its total allows is bounded by its noise in practice.
const SMALL_ROOM: i128 = 100_000;

/// A cell without noise of its own needs an end, and one with wide noise is better off with one: a sum of cells at or above
/// zero that equals a value gives it.
fn imply(row: &Collected, low: &[Option<i64>], high: &mut [Option<i64>], noisy: impl Fn(usize) -> bool) {
    let (Demand::Equal(bound) | Demand::AtMost(bound)) = row.demand else { return };
    let mut spare = i128::from(bound);
    for (cell, times) in &row.entries {
        match low[*cell as usize] {
            Some(low) if *times > 0 => spare -= i128::from(low) * i128::from(*times),
            _ => return,
        }
    }
    for (cell, times) in &row.entries {
        let cell = *cell as usize;
        let room = spare.max(-1).div_euclid(i128::from(*times));
        if noisy(cell) && room > SMALL_ROOM {
            continue;
        }
        let most = i64::try_from(i128::from(low[cell].unwrap_or(0)) + room).unwrap_or(i64::MAX);
        high[cell] = Some(high[cell].map_or(most, |high| high.min(most)));
    }
}

/// Larger blocks get no ends from several rows together.
const MOST_CONFINED: usize = 4096;

/// Gives cells without noise the ends that several rows together leave them, where these are found: no law without them.
fn confine_bare(rows: &[Collected], own: &[Vec<u32>], low: &mut [Option<i64>], high: &mut [Option<i64>]) {
    let is_bare = |cell: &usize| own[*cell].is_empty() && (low[*cell].is_none() || high[*cell].is_none());
    let bare: Vec<usize> = (0..low.len()).filter(is_bare).collect();
    if bare.is_empty() || low.len() > MOST_CONFINED {
        return;
    }
    let bounds: Vec<(Option<i64>, Option<i64>)> = low.iter().copied().zip(high.iter().copied()).collect();
    let sums = rows.iter().map(|row| (row.entries.as_slice(), row.demand));
    for (cell, (least, most)) in bare.iter().zip(implied(&bounds, sums, &bare).unwrap_or_default()) {
        (low[*cell], high[*cell]) = (Some(least), Some(most));
    }
}

/// What rows over a block need to know about the rest of the table.
#[derive(Debug, Clone)]
pub struct Ground {
    /// A table of fractions that has all totals: every class's sum on its first cell. Sums over a block of what the
    /// invariants sum there are the same in every table of the fibre, so this one tells them.
    particular: HashMap<u32, Rational>,
    /// For every rule what the fixed cells add to its groups.
    rules: Vec<HashMap<u32, i64>>,
    /// For every query what the fixed cells add to its groups.
    queries: Vec<HashMap<u32, i64>>,
    /// Whether some totals are pinned to values that are not the table's own.
    pinned: bool,
}

impl Ground {
    /// From the sums of classes (on their first cells) and the cells that the invariants determine.
    pub fn new(conditions: &Conditions, particular: &[(Cell, Rational)], fixed: &[(Cell, i64)]) -> Ground {
        let sums = |grouping: &Grouping| {
            let mut sums: HashMap<u32, i64> = HashMap::new();
            for (cell, value) in fixed.iter().filter(|(cell, _)| grouping.group_of[*cell] != NO_GROUP) {
                *sums.entry(grouping.group_of[*cell]).or_default() += value * grouping.taken(*cell);
            }
            sums
        };
        Ground {
            particular: particular.iter().map(|(cell, value)| (*cell as u32, value.clone())).collect(),
            rules: conditions.rules.iter().map(|rule| sums(&rule.grouping)).collect(),
            queries: conditions.queries.iter().map(|query| sums(&query.grouping)).collect(),
            pinned: conditions.pinned.iter().any(Option::is_some),
        }
    }

    /// Whether fixed cells in a noisy sum may have other values than in the confidential table, so that the noise of the one
    /// free cell beside them is not centred on its own count.
    fn moves_centre(&self, query: u32, group: u32) -> bool {
        self.pinned && self.queries[query as usize].contains_key(&group)
    }

    /// The sum of these cells of a block, if the totals determine it: such a sum is the same in every table of the fibre.
    ///
    /// # Errors
    /// Infeasible when the totals ask for a sum that no integers have.
    pub fn sum(&self, cells: &[u32]) -> Result<i64, Problem> {
        let entries: Vec<(u32, i64)> = (0..cells.len() as u32).map(|place| (place, 1)).collect();
        self.inside(&entries, cells)
    }

    /// The value that a sum of the invariants has on the block's cells.
    fn inside(&self, entries: &[(u32, i64)], cells: &[u32]) -> Result<i64, Problem> {
        let zero = Rational::integer(0);
        let sum =
            entries.iter().fold(zero, |sum, (position, times)| match self.particular.get(&cells[*position as usize]) {
                Some(value) => &sum + &(value * &Rational::integer(*times)),
                None => sum,
            });
        let whole = if sum.is_integer() { i64::try_from(sum.numerator()).ok() } else { None };
        whole.ok_or_else(|| {
            Problem::new(
                Kind::Infeasible,
                format!("the totals imply that some cells add up to {sum}: no table of counts has these totals"),
            )
        })
    }
}

/// The rows that touch the block, over the block's own cell positions.
pub(crate) fn collect(conditions: &Conditions, ground: &Ground, cells: &[u32]) -> Result<Vec<Collected>, Problem> {
    let mut rows = Vec::new();
    for grouping in &conditions.invariants {
        for (_, entries) in members(grouping, cells) {
            let demand = Demand::Equal(ground.inside(&entries, cells)?);
            rows.push(Collected { entries, demand });
        }
    }
    for (rule, fixed) in conditions.rules.iter().zip(&ground.rules) {
        for (group, entries) in members(&rule.grouping, cells) {
            let bound = rule.bound - fixed.get(&group).copied().unwrap_or(0);
            let demand = match rule.relation {
                Relation::AtMost => Demand::AtMost(bound),
                Relation::AtLeast => Demand::AtLeast(bound),
                // The analysed system has these rows too: their part inside the block has one value.
                Relation::Equal => Demand::Equal(ground.inside(&entries, cells)?),
            };
            rows.push(Collected { entries, demand });
        }
    }
    for (query, (rows_of, fixed)) in conditions.queries.iter().zip(&ground.queries).enumerate() {
        for (group, entries) in members(&rows_of.grouping, cells) {
            let fixed = fixed.get(&group).copied().unwrap_or(0);
            rows.push(Collected { entries, demand: Demand::Noisy { query: query as u32, group, fixed } });
        }
    }
    Ok(rows)
}

/// The groups of a grouping that have cells in the block, in order of first cell, with those cells and their coefficients.
pub(crate) fn members(grouping: &Grouping, cells: &[u32]) -> Vec<(u32, Vec<(u32, i64)>)> {
    let mut place = HashMap::new();
    let mut groups: Vec<(u32, Vec<(u32, i64)>)> = Vec::new();
    for (position, cell) in cells.iter().enumerate() {
        let group = grouping.group_of[*cell as usize];
        if group != NO_GROUP {
            let place = *place.entry(group).or_insert_with(|| {
                groups.push((group, Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push((position as u32, grouping.taken(*cell as usize)));
        }
    }
    groups
}
