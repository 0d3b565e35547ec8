//! From conditions to the outline of a cascade: exact sums, noise, bounds of cells and rules
//! between two of them.

use cascade::{CellBounds, NO_HIGH, NO_LOW, Noise, Outline};
use declare::{Conditions, Grouping, NO_GROUP, Problem, Relation, RuleRows};
use exact::Rational;

/// What a cascade needs that the conditions do not hold as it takes it.
#[derive(Debug, Default)]
pub(crate) struct CascadeRules {
    /// Lower and upper bounds of the cells, where rules bound single ones.
    bounds: Option<(Vec<i64>, Vec<i64>)>,
    /// Pairs of cells of which the first never exceeds the second.
    pairs: Vec<(u32, u32)>,
    /// The cells in the order in which they are paired.
    order: Option<Vec<u32>>,
    /// The combinations of values that are cells, where the conditions are about all of them.
    live: Option<Vec<u32>>,
}

impl CascadeRules {
    /// Reads the rules; `values` are what a public table says of the cells.
    ///
    /// # Errors
    /// Refused where a cascade has no interval for what is declared.
    pub(crate) fn new(conditions: &Conditions, values: Option<&[f64]>) -> Result<CascadeRules, Problem> {
        for grouping in &conditions.invariants {
            check_sum(grouping)?;
        }
        let mut prepared = CascadeRules { order: values.map(by_size), ..CascadeRules::default() };
        for rule in &conditions.rules {
            prepared.add(rule, conditions)?;
        }
        Ok(prepared)
    }

    /// Reads rules where the conditions are about all combinations of values, of which these are
    /// cells; `values` are those of the cells.
    ///
    /// # Errors
    /// As those of [`CascadeRules::new`].
    pub(crate) fn among(
        conditions: &Conditions,
        values: Option<&[f64]>,
        live: Vec<u32>,
    ) -> Result<CascadeRules, Problem> {
        let values = values.map(|values| {
            let mut all = vec![f64::NEG_INFINITY; conditions.cells];
            live.iter().zip(values).for_each(|(cell, value)| all[*cell as usize] = *value);
            all
        });
        Ok(CascadeRules { live: Some(live), ..CascadeRules::new(conditions, values.as_deref())? })
    }

    fn add(&mut self, rule: &RuleRows, conditions: &Conditions) -> Result<(), Problem> {
        let grouping = &rule.grouping;
        let mut of_group: Vec<Vec<u32>> = vec![Vec::new(); grouping.groups()];
        for (cell, group) in grouping.group_of.iter().enumerate().filter(|(_, group)| **group != NO_GROUP) {
            of_group[*group as usize].push(cell as u32);
        }
        for cells in &of_group {
            match cells.as_slice() {
                [] => {}
                [cell] => self.bound(rule, *cell, conditions)?,
                [one, other] if rule.bound == 0 && rule.relation != Relation::Equal => {
                    let taken = (grouping.taken(*one as usize), grouping.taken(*other as usize));
                    let (positive, negative) = match taken {
                        (1, -1) => (*one, *other),
                        (-1, 1) => (*other, *one),
                        _ => return Err(refused(grouping)),
                    };
                    self.pairs.push(match rule.relation {
                        Relation::AtMost => (positive, negative),
                        _ => (negative, positive),
                    });
                }
                _ => return Err(refused(grouping)),
            }
        }
        Ok(())
    }

    /// A rule on one cell is a bound of it.
    fn bound(&mut self, rule: &RuleRows, cell: u32, conditions: &Conditions) -> Result<(), Problem> {
        let taken = rule.grouping.taken(cell as usize);
        let lowest = if conditions.nonnegative { 0 } else { NO_LOW };
        let (low, high) =
            self.bounds.get_or_insert_with(|| (vec![lowest; conditions.cells], vec![NO_HIGH; conditions.cells]));
        let (low, high) = (&mut low[cell as usize], &mut high[cell as usize]);
        // taken·y ≤ bound, in integers.
        let at_most = |times: i64, bound: i64| match times > 0 {
            true => (None, Some(bound.div_euclid(times))),
            false => (Some(ceiling(-bound, -times)), None),
        };
        let negated = || rule.bound.checked_neg().ok_or_else(|| refused(&rule.grouping));
        let ends = match rule.relation {
            Relation::AtMost => vec![at_most(taken, rule.bound)],
            Relation::AtLeast => vec![at_most(-taken, negated()?)],
            Relation::Equal => vec![at_most(taken, rule.bound), at_most(-taken, negated()?)],
        };
        for (least, most) in ends {
            least.into_iter().for_each(|least| *low = (*low).max(least));
            most.into_iter().for_each(|most| *high = (*high).min(most));
        }
        match low <= high {
            true => Ok(()),
            false => Err(Problem::new(
                declare::Kind::Infeasible,
                format!("the rule `{}` leaves a cell no value", rule.grouping.label),
            )),
        }
    }

    /// The outline of the conditions with noise of these variances: one for every query, or one for
    /// the cells.
    pub(crate) fn outline<'a>(&'a self, conditions: &'a Conditions, variances: &[Rational]) -> Outline<'a> {
        let noise = |(place, variance): (usize, &Rational)| Noise {
            group_of: conditions.queries.get(place).map(|query| query.grouping.group_of.as_slice()),
            variance: variance.clone(),
        };
        let bounds = match &self.bounds {
            Some((low, high)) => CellBounds::Each(low, high),
            None if conditions.nonnegative => CellBounds::AtLeastZero,
            None => CellBounds::None,
        };
        Outline {
            cells: conditions.cells,
            exact: conditions.invariants.iter().map(|grouping| grouping.group_of.as_slice()).collect(),
            noise: variances.iter().enumerate().map(noise).collect(),
            bounds,
            order: self.order.as_deref(),
            rules: self.pairs.clone(),
            live: self.live.as_deref(),
        }
    }
}

/// The least integer q with `q·divisor ≥ number`.
fn ceiling(number: i64, divisor: i64) -> i64 {
    number.div_euclid(divisor) + i64::from(number.rem_euclid(divisor) > 0)
}

/// The cells from the largest value to the smallest, equal ones in declared order.
fn by_size(values: &[f64]) -> Vec<u32> {
    let mut cells: Vec<u32> = (0..values.len() as u32).collect();
    cells.sort_by(|one, other| values[*other as usize].total_cmp(&values[*one as usize]));
    cells
}

/// Sums must take every cell once: with other coefficients the values that are left for a number
/// may have gaps.
fn check_sum(grouping: &Grouping) -> Result<(), Problem> {
    match (0..grouping.group_of.len()).find(|cell| grouping.group_of[*cell] != NO_GROUP && grouping.taken(*cell) != 1) {
        None => Ok(()),
        Some(_) => Err(Problem::refused(format!(
            "`{}` takes cells with coefficients: the values that are left for a number of a cascade may have gaps",
            grouping.label
        ))
        .hint("a cascade keeps totals that take every cell once; use method = \"condition\" or \"project\"")),
    }
}

fn refused(grouping: &Grouping) -> Problem {
    Problem::refused(format!("a cascade has no interval for the rule `{}`", grouping.label)).hint(
        "it keeps bounds of single cells, and rules that compare two cells such as deaths <= cases; use method = \"condition\" or \
         \"project\"",
    )
}
