//! Whole-table moves: a new table proposed group by group, whatever the present one, and accepted
//! by its weight.
//!
//! The groups of one family of totals are drawn one after the other, each exactly given its own
//! total, by messages. What later groups must still add up to in the other families is foreseen by
//! normal laws: cells are tilted so that their means match all totals, and a cell is weighed by how
//! likely the cells after it are to complete its other totals. A total with one cell to come is
//! completed by that cell's own law; one with none gives the cell. So the probability q of a
//! proposed table is a product of known terms, and Metropolis' rule with `weight/q` leaves the law
//! as it is, however good the foresight is. Chains that propose the same table meet when both
//! accept it. Proof: `proofs/walks.md`.

use super::laws::Laws;
use super::line::{Column, Descent, Messages, Own, Present, Tree, precision};
use super::score::{Precise, Score};
use super::space::{Space, State, within};
use super::target::{OnCells, Target};
use analyse::Family;
use exact::lazy::Shared;
use exact::{Enclosure, Entropy, Wide};
use std::collections::HashMap;

/// The last level of precision that is tried: its numbers have hundreds of thousands of bits.
const MOST_LEVELS: usize = 14;

/// Larger tables are not proposed as a whole: hardly any would be accepted.
const MOST_CELLS: usize = 1 << 14;

/// Steps of foreseen numbers: 2⁻²⁰.
const FINE: f64 = 1048576.0;

/// How a whole table is proposed: the plan of one law around one centre.
#[derive(Debug)]
pub(crate) struct Whole {
    groups: Vec<Group>,
    /// The rows that every place is in.
    rows_of: Vec<Vec<u32>>,
    rows: usize,
    /// The slope that tilts every cell.
    tilts: Vec<i64>,
}

#[derive(Debug)]
struct Group {
    row: u32,
    cells: Vec<Foreseen>,
}

/// What the weight of a cell's value depends on besides its own law.
#[derive(Debug)]
struct Foreseen {
    place: u32,
    /// The row that gives the cell, because no cell of it comes later.
    given_by: Option<u32>,
    /// Rows that later cells complete: mean and precision of what these add up to.
    normal: Vec<Ahead>,
    /// Rows that one later cell completes: that cell, and what its other rows say.
    last: Vec<(u32, u32, Vec<Ahead>)>,
}

/// What the later cells of a row add up to, about.
#[derive(Debug, Clone, Copy)]
struct Ahead {
    row: u32,
    mean: i64,
    precision: i64,
}

impl Whole {
    /// The proposal for these families, if every group of the first and every other row share at
    /// most one cell.
    pub(crate) fn new(space: &Space, target: &Target, families: &[Family]) -> Option<Whole> {
        let (first, others) = families.split_first()?;
        let cells = first.len();
        if others.is_empty() || cells > MOST_CELLS || !matches!(target.cells, OnCells::Absolute | OnCells::Squares) {
            return None;
        }
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); cells];
        for family in std::iter::once(first).chain(others) {
            for (place, group) in family.iter().enumerate() {
                if *group == declare::NO_GROUP {
                    return None;
                }
                let next = numbers.len() as u32;
                rows_of[place].push(*numbers.entry(*group).or_insert(next));
            }
        }
        let rows = numbers.len();
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); rows];
        for (place, rows) in rows_of.iter().enumerate() {
            rows.iter().for_each(|row| members[*row as usize].push(place as u32));
        }
        let laws = Laws::tilted(space, target, &members)?;
        let mut order: Vec<u32> = Vec::new();
        for rows in &rows_of {
            if !order.contains(&rows[0]) {
                order.push(rows[0]);
            }
        }
        let mut ahead: Vec<usize> = members.iter().map(Vec::len).collect();
        let mut mean: Vec<f64> =
            members.iter().map(|row| row.iter().map(|place| laws.means[*place as usize]).sum()).collect();
        let mut variance: Vec<f64> =
            members.iter().map(|row| row.iter().map(|place| laws.variances[*place as usize]).sum()).collect();
        let mut taken = vec![false; cells];
        let mut groups = Vec::new();
        for group in order {
            let cells = &members[group as usize];
            for place in cells {
                taken[*place as usize] = true;
                for row in &rows_of[*place as usize] {
                    let row = *row as usize;
                    ahead[row] -= 1;
                    mean[row] -= laws.means[*place as usize];
                    variance[row] -= laws.variances[*place as usize];
                }
            }
            let look = |row: u32, without: Option<u32>| {
                let row_number = row as usize;
                let less = |numbers: &[f64]| without.map_or(0.0, |place| numbers[place as usize]);
                let variance = (variance[row_number] - less(&laws.variances)).max(1e-3);
                let mean = mean[row_number] - less(&laws.means);
                Ahead { row, mean: (mean * FINE).round() as i64, precision: (FINE / (2.0 * variance)).round() as i64 }
            };
            let mut seen = vec![false; rows];
            let foreseen = |place: &u32| {
                let mut foreseen = Foreseen { place: *place, given_by: None, normal: Vec::new(), last: Vec::new() };
                for row in rows_of[*place as usize].iter().filter(|row| **row != group) {
                    if std::mem::replace(&mut seen[*row as usize], true) {
                        return None;
                    }
                    match ahead[*row as usize] {
                        0 => foreseen.given_by = Some(*row),
                        1 => {
                            let last = *members[*row as usize].iter().find(|place| !taken[**place as usize])?;
                            let beyond = rows_of[last as usize].iter().filter(|other| *other != row);
                            let beyond = beyond.filter(|other| ahead[**other as usize] > 1);
                            foreseen.last.push((*row, last, beyond.map(|other| look(*other, Some(last))).collect()));
                        }
                        _ => foreseen.normal.push(look(*row, None)),
                    }
                }
                Some(foreseen)
            };
            let cells = cells.iter().map(foreseen).collect::<Option<Vec<Foreseen>>>()?;
            groups.push(Group { row: group, cells });
        }
        let tilts = laws.tilts.iter().map(|tilt| (tilt * FINE).round() as i64).collect();
        Some(Whole { groups, rows_of, rows, tilts })
    }

    /// What every row's offsets from the centre add up to: the same in all tables of the fibre.
    fn totals(&self, target: &Target, values: &[i64]) -> Vec<i64> {
        let mut totals = vec![0; self.rows];
        for (place, rows) in self.rows_of.iter().enumerate() {
            let offset = values[place] - target.centre[place];
            rows.iter().for_each(|row| totals[*row as usize] += offset);
        }
        totals
    }

    /// A new table and its score; nothing when the last cells cannot complete their totals.
    pub(crate) fn propose<E: Entropy>(
        &self,
        space: &Space,
        target: &Target,
        present: &State,
        entropy: &mut E,
    ) -> Option<(Vec<i64>, Score)> {
        let mut rest = self.totals(target, &present.values);
        let mut values = target.centre.clone();
        let mut score = Score::new(target);
        for group in &self.groups {
            let Situation { mut offsets, free, present } = self.situation(space, target, group, &rest)?;
            let drawn = match free.len() {
                0 => Vec::new(),
                1 => present.now.clone(),
                leaves => {
                    let tree = Tree::plain(leaves);
                    let mut descent = Descent::new(&present, &tree, None, None);
                    // What is proposed ends where its weights are small: a total beyond all of that
                    // cannot be met.
                    let leaves_of = || descent.first.nodes[..leaves].iter();
                    let least: i64 = leaves_of().map(|leaf| leaf.first).sum();
                    let most: i64 = leaves_of().map(|leaf| leaf.end() - 1).sum();
                    if !(least..=most).contains(&present.now[0]) {
                        return None;
                    }
                    score.meets(&descent.first, &tree, present.now[0]);
                    for node in (0..tree.nodes.len()).rev() {
                        descent.divide(node, &mut Shared::new(), entropy);
                    }
                    descent.sums[..leaves].to_vec()
                }
            };
            if drawn.len() > 1 {
                score.adds(&present, &drawn);
            }
            offsets.extend(free.iter().copied().zip(drawn));
            offsets.iter().for_each(|(place, offset)| values[*place as usize] += offset);
            self.leave(target, group, &values, &mut rest);
            self.settle(target, group, &values, &mut score);
        }
        rest.iter().all(|rest| *rest == 0).then_some((values, score))
    }

    /// The score of a table: as if it had been proposed; nothing when it never is.
    pub(crate) fn score(&self, space: &Space, target: &Target, values: &[i64]) -> Option<Score> {
        let mut rest = self.totals(target, values);
        let mut score = Score::new(target);
        for group in &self.groups {
            let Situation { free, present, .. } = self.situation(space, target, group, &rest)?;
            if free.len() > 1 {
                let tree = Tree::plain(free.len());
                let messages = Messages::<f64>::all(&present, &tree, precision(0));
                let offsets = offsets_of(target, values, &free);
                if messages.nodes.iter().zip(&offsets).any(|(leaf, offset)| leaf.weight(*offset).is_none()) {
                    return None;
                }
                score.meets(&messages, &tree, present.now[0]);
                score.adds(&present, &offsets);
            }
            self.leave(target, group, values, &mut rest);
            self.settle(target, group, values, &mut score);
        }
        Some(score)
    }

    /// The energy of the law itself for the cells of a group.
    fn settle(&self, target: &Target, group: &Group, values: &[i64], score: &mut Score) {
        for cell in &group.cells {
            let place = cell.place as usize;
            let offset = values[place] - target.centre[place];
            score.units[0] -= match target.cells {
                OnCells::Squares => i128::from(offset).pow(2),
                _ => i128::from(offset.abs()),
            };
        }
    }

    /// Which cells of a group are given and which are free, with the laws of these and what they
    /// add up to.
    fn situation<'a>(&self, space: &Space, target: &'a Target, group: &Group, rest: &[i64]) -> Option<Situation<'a>> {
        let mut offsets = Vec::new();
        let mut free = Vec::new();
        let mut columns = Vec::new();
        let mut sum = rest[group.row as usize];
        for cell in &group.cells {
            let place = cell.place as usize;
            let bounds = |place: usize| {
                let (low, high) = space.bounds[place];
                (low.map(|low| low - target.centre[place]), high.map(|high| high - target.centre[place]))
            };
            let (mut low, mut high) = bounds(place);
            if let Some(row) = cell.given_by {
                let offset = Some(rest[row as usize]).filter(|offset| within(*offset, (low, high)))?;
                sum -= offset;
                offsets.push((cell.place, offset));
                continue;
            }
            let mut terms = vec![(0, 1, 0)];
            let mut own = Own { parabolas: Vec::new(), slope: -self.tilts[place], used: true };
            for ahead in &cell.normal {
                own.parabolas.push((ahead.precision, (rest[ahead.row as usize] << 20) - ahead.mean));
            }
            for (row, last, beyond) in &cell.last {
                let left = rest[*row as usize];
                terms.push((left, -1, 0));
                own.slope += self.tilts[*last as usize];
                let (last_low, last_high) = bounds(*last as usize);
                low = low.max(last_high.map(|last_high| left - last_high));
                high = [high, last_low.map(|last_low| left - last_low)].into_iter().flatten().min();
                for ahead in beyond {
                    let middle = ((left - rest[ahead.row as usize]) << 20) + ahead.mean;
                    own.parabolas.push((ahead.precision, middle));
                }
            }
            if low.zip(high).is_some_and(|(low, high)| low > high) {
                return None;
            }
            free.push(cell.place);
            columns.push(Column { terms, own, low, high });
        }
        let least: Option<i64> = columns.iter().map(|column| column.low).sum();
        let most: Option<i64> = columns.iter().map(|column| column.high).sum();
        if !within(sum, (least, most)) || free.is_empty() && sum != 0 {
            return None;
        }
        let mut now = vec![0; columns.len()];
        if let Some(first) = now.first_mut() {
            *first = sum;
        }
        Some(Situation { offsets, free, present: Present { target, columns, now } })
    }

    /// Whether a proposal with the first score is accepted from a table with the second: exactly.
    pub(crate) fn accepts<E: Entropy>(
        &self,
        space: &Space,
        target: &Target,
        proposed: (&[i64], &Score),
        present: (&[i64], &Score),
        uniform: &mut Shared,
        entropy: &mut E,
    ) -> bool {
        let Some(bounds) = proposed.1.over(present.1, target) else { return true };
        let refine = |bits: usize| self.precise_ratio(space, target, proposed.0, present.0, bits);
        uniform.below(entropy, bounds, refine)
    }

    /// An enclosure of one table's score over another's, by numbers with more bits than asked for.
    pub(super) fn precise_ratio(
        &self,
        space: &Space,
        target: &Target,
        one: &[i64],
        two: &[i64],
        bits: usize,
    ) -> Enclosure {
        let enough = |level: &usize| !precision(*level).machine && precision(*level).bits as usize >= bits + 64;
        let level = (0..MOST_LEVELS).find(enough).unwrap_or(MOST_LEVELS);
        let score = |values: &[i64]| self.precise(space, target, values, level);
        score(one).over(&score(two), bits + 32)
    }

    /// The score of a table by wide numbers.
    fn precise(&self, space: &Space, target: &Target, values: &[i64], level: usize) -> Precise {
        let mut rest = self.totals(target, values);
        let mut precise = Precise::new();
        let mut score = Score::new(target);
        for group in &self.groups {
            if let Some(Situation { free, present, .. }) = self.situation(space, target, group, &rest)
                && free.len() > 1
            {
                let tree = Tree::plain(free.len());
                let messages = Messages::<Wide>::all(&present, &tree, precision(level));
                precise.meets(&messages, &tree, present.now[0], precision(level).bits);
                score.units.iter_mut().zip(&messages.base).for_each(|(units, base)| *units -= base);
                score.adds(&present, &offsets_of(target, values, &free));
            }
            self.leave(target, group, values, &mut rest);
            self.settle(target, group, values, &mut score);
        }
        precise.adds(target, &score.units);
        precise
    }

    /// Takes the cells of a group out of what is left of their rows.
    fn leave(&self, target: &Target, group: &Group, values: &[i64], rest: &mut [i64]) {
        for cell in &group.cells {
            let place = cell.place as usize;
            let offset = values[place] - target.centre[place];
            self.rows_of[place].iter().for_each(|row| rest[*row as usize] -= offset);
        }
    }
}

fn offsets_of(target: &Target, values: &[i64], places: &[u32]) -> Vec<i64> {
    places.iter().map(|place| values[*place as usize] - target.centre[*place as usize]).collect()
}

/// A group in the middle of a proposal.
struct Situation<'a> {
    /// Places that are given, with their offsets.
    offsets: Vec<(u32, i64)>,
    free: Vec<u32>,
    present: Present<'a>,
}
