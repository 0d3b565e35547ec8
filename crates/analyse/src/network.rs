//! `Network`: one block of the fibre as classes of cells, sums over them, and an order in which
//! sums are joined.
//!
//! A *form* is a sum of class sums with whole coefficients; rows of invariants, rules and noisy
//! queries are forms. Classes are joined two parts at a time. While a row has classes both inside
//! and outside a part, the part must remember the row's value inside it; rows that are multiples of
//! each other inside a part share one remembered form. So a hierarchy remembers one number per
//! part, and a table with crossing totals remembers as many as rows cross its border. Proof:
//! `crates/draw/proofs/network.md`.

use crate::ground::{Ground, bind, collect};
use crate::join::{Join, join_order};
use crate::listing::implied;
use crate::sums::{CellNoise, Demand, FibreRow, NetworkClass, NetworkRow, columns};
use declare::{Conditions, Kind, Problem};
use exact::attention::look;
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
    /// Parts in the order in which they are made: first one per class, then joins of earlier parts.
    /// Parts that no later join uses are independent of each other.
    pub joins: Vec<Join>,
}

impl Network {
    /// The block with these cells.
    ///
    /// # Errors
    /// Infeasible when the totals ask for sums that no integers have; refused when far too many
    /// sums meet at once.
    pub fn new(conditions: &Conditions, ground: &Ground, cells: &[u32]) -> Result<Network, Problem> {
        let collected = collect(conditions, ground, cells)?;
        look();
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
            look();
            imply(row, &low, &mut high, |cell| noise_everywhere || !own[cell].is_empty());
        }
        if !noise_everywhere {
            confine_bare(&rows, &own, &mut low, &mut high);
        }
        look();
        let mut column = columns(cells.len(), rows.iter().map(|row: &FibreRow| row.entries.as_slice()));
        let mut numbers = HashMap::new();
        let mut classes: Vec<NetworkClass> = Vec::new();
        let mut class_of = Vec::with_capacity(cells.len());
        for (position, cell) in cells.iter().enumerate() {
            look();
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
        drop((numbers, column));
        look();
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

/// A cell with more room than this below what its total allows is bounded by its noise in practice.
const SMALL_ROOM: i128 = 100_000;

/// A cell without noise of its own needs an end, and one with wide noise is better off with one: a
/// sum of cells at or above zero that equals a value gives it.
fn imply(row: &FibreRow, low: &[Option<i64>], high: &mut [Option<i64>], noisy: impl Fn(usize) -> bool) {
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

/// Gives cells without noise the ends that several rows together leave them, where these are found:
/// no law without them.
fn confine_bare(rows: &[FibreRow], own: &[Vec<u32>], low: &mut [Option<i64>], high: &mut [Option<i64>]) {
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
