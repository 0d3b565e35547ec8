//! Messages with any weights of cells: priors, and several releases of one table.
//!
//! The weight of a table is a product of one weight per cell and one per noisy sum, on all tables
//! with the rows of a network. Weights go up the joins of the network, laws and draws come down,
//! all in machine numbers: to be read and drawn to about twelve digits, never certified. Cells are
//! listed as far as their weight is above e^{−reach} of their largest; where a listed end turns out
//! to matter, the reach is doubled.

use crate::pick::pick_pair;
use crate::tied::{Line, convolved};
use analyse::{Demand, Join, MadeOf, Network};
use declare::Problem;
use draw::Law;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// The sums of the two parts of a join.
type Pair<'a> = (&'a Vec<i64>, &'a Vec<i64>);

/// Weights of the values of the forms that a part remembers.
type Weights = HashMap<Vec<i64>, f64, Repeated>;
/// The same order in every run: sums are the same to the last digit.
type Repeated = BuildHasherDefault<DefaultHasher>;

/// The logarithm of the weight of a count in a cell.
pub(crate) type CellWeight<'a> = dyn Fn(u32, i64) -> f64 + Sync + 'a;
/// The logarithm of the weight of a noisy sum: query, group and value.
pub(crate) type SumWeight<'a> = dyn Fn(u32, u32, i64) -> f64 + Sync + 'a;

/// A block with weights, ready to be read and drawn from.
#[derive(Debug)]
pub(crate) struct Weighted {
    network: Network,
    /// For every class the weights of its cells.
    cells: Vec<Vec<Line>>,
    /// For every class the weights of the sums of its first cells, one more each.
    prefixes: Vec<Vec<Line>>,
    /// The weights of every noisy row by its values are asked for again and again: the function's
    /// results.
    noisy: Vec<Option<HashMap<i64, f64>>>,
    up: Vec<Weights>,
    /// The logarithm of the sum of the weights of all tables.
    pub(crate) log: f64,
    /// What making it and one draw take, about: counted, not measured.
    pub(crate) seconds: f64,
}

/// How much may be done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessageLimits {
    /// The most pairs of values that are joined.
    pairs: f64,
    /// The most values of all cells together.
    values: f64,
    /// The most products in sums of cells of one class after the other.
    products: f64,
}

impl MessageLimits {
    pub(crate) const ALONE: MessageLimits =
        MessageLimits { pairs: 4e8, values: f64::INFINITY, products: f64::INFINITY };
    /// Of a hundred or so that are made.
    pub(crate) const ONE_OF_MANY: MessageLimits = MessageLimits { pairs: 1e6, values: 2e6, products: 4e7 };
}

/// How far weights are listed at first, at most, and how small the mass at an end must be.
const REACH: f64 = 60.0;
const FARTHEST: f64 = 500.0;
const NEGLIGIBLE: f64 = 1e-13;
/// What a pair of values that is joined takes, up, down and drawn; a product; a value of a cell.
const SECONDS_PER_PAIR: f64 = 1.5e-7;
const SECONDS_PER_PRODUCT: f64 = 4e-9;
const SECONDS_PER_VALUE: f64 = 2e-7;
/// The most values that one cell may have.
const MOST_VALUES: usize = 1 << 16;

impl Weighted {
    /// Makes a block ready. `centre` is where the weights of a cell are looked for.
    ///
    /// # Errors
    /// Refused when it would take too long, or when no table has weight.
    pub(crate) fn new(
        network: Network,
        centre: &dyn Fn(u32) -> i64,
        cell: &CellWeight<'_>,
        sum: &SumWeight<'_>,
        limits: MessageLimits,
    ) -> Result<Weighted, Problem> {
        let (mut reach, mut times) = (REACH, 1.0);
        loop {
            let ready = Weighted::listed(&network, centre, cell, sum, (reach, limits))?;
            match ready {
                Some(ready) if reach >= FARTHEST || ready.ends_are_far() => {
                    return Ok(Weighted { seconds: ready.seconds * times, ..ready });
                }
                None if reach >= FARTHEST => {
                    return Err(Problem::new(
                        declare::Kind::Infeasible,
                        "no table with these totals, bounds and rules has any weight under the prior",
                    )
                    .hint(
                        "a prior that gives every true table the weight zero says that the releases are impossible",
                    ));
                }
                _ => (reach, times) = (reach * 2.0, times + 1.0),
            }
        }
    }

    fn listed(
        network: &Network,
        centre: &dyn Fn(u32) -> i64,
        cell: &CellWeight<'_>,
        sum: &SumWeight<'_>,
        (reach, limits): (f64, MessageLimits),
    ) -> Result<Option<Weighted>, Problem> {
        let mut cells = Vec::with_capacity(network.classes.len());
        let (mut log, mut values, mut products) = (0.0, 0.0, 0.0);
        for class in &network.classes {
            let (mut lists, mut length) = (Vec::with_capacity(class.cells.len()), 0.0);
            for number in &class.cells {
                let listed = list(centre(*number), (class.low, class.high), reach, &|count| cell(*number, count))?;
                // The largest weight of a list is one.
                let top = listed.weights.iter().position(|weight| *weight == 1.0).unwrap_or(0);
                log += cell(*number, listed.first + top as i64);
                let own = listed.weights.len() as f64;
                (values, products, length) = (values + own, products + length * own, length + own);
                if values > limits.values || products > limits.products {
                    return Err(too_long());
                }
                lists.push(listed);
            }
            cells.push(lists);
        }
        let prefixes: Vec<Vec<Line>> = cells.iter().map(|cells| prefixes(cells, &mut log)).collect();
        let mut ready = Weighted {
            network: network.clone(),
            cells,
            prefixes,
            noisy: vec![None; network.rows.len()],
            up: Vec::new(),
            log,
            seconds: values * SECONDS_PER_VALUE + products * SECONDS_PER_PRODUCT,
        };
        // Noisy rows are asked for values that sums of cells can have.
        for (row, listed) in network.rows.iter().zip(&mut ready.noisy) {
            if let Demand::Noisy { query, group, fixed } = row.demand {
                let (mut low, mut high) = (0i64, 0i64);
                for (class, times) in &row.entries {
                    let Some(whole) = ready.prefixes[*class as usize].last() else { continue };
                    let (least, most) = whole.ends(*times);
                    (low, high) = (low + least, high + most);
                }
                let logarithms: Vec<(i64, f64)> =
                    (low..=high).map(|value| (value, sum(query, group, value + fixed))).collect();
                let largest = logarithms.iter().map(|(_, log)| *log).fold(f64::NEG_INFINITY, f64::max);
                ready.log += largest;
                *listed = Some(logarithms.into_iter().map(|(value, log)| (value, (log - largest).exp())).collect());
            }
        }
        ready.pass_up(limits)?;
        let roots: f64 = ready.roots().map(|root| ready.up[root].values().sum::<f64>()).product();
        ready.log += roots.ln();
        Ok((roots > 0.0 && roots.is_finite()).then_some(ready))
    }

    fn pass_up(&mut self, limits: MessageLimits) -> Result<(), Problem> {
        let joins = std::mem::take(&mut self.network.joins);
        let mut pairs = 0.0;
        for join in &joins {
            let mut weights = Weights::default();
            match join.made_of {
                MadeOf::Class(class) => {
                    let Some(whole) = self.prefixes[class as usize].last() else { continue };
                    for (value, weight) in (whole.first..).zip(&whole.weights) {
                        let factor = self.factor(join, &[value]);
                        if factor * weight > 0.0 {
                            let key = if join.remembered > 0 { vec![value] } else { Vec::new() };
                            *weights.entry(key).or_default() += weight * factor;
                        }
                    }
                }
                MadeOf::Parts(first, second) => {
                    let (one, two) = (&self.up[first as usize], &self.up[second as usize]);
                    pairs += one.len() as f64 * two.len() as f64;
                    if pairs > limits.pairs {
                        return Err(too_long());
                    }
                    let mut values = Vec::new();
                    for (a, weight) in one {
                        for (b, other) in two {
                            form_values(join, a, b, &mut values);
                            let factor = self.factor(join, &values);
                            if factor > 0.0 {
                                add(&mut weights, &values[..join.remembered], weight * other * factor);
                            }
                        }
                    }
                }
            }
            // Far below what a sum of products could bring back.
            let (weights, largest) = normalised(weights, 1e-250);
            self.log += largest.ln();
            self.up.push(weights);
        }
        self.network.joins = joins;
        self.seconds += pairs * SECONDS_PER_PAIR;
        Ok(())
    }

    /// The parts that no join uses.
    fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        let mut used = vec![false; self.network.joins.len()];
        for join in &self.network.joins {
            if let MadeOf::Parts(first, second) = join.made_of {
                (used[first as usize], used[second as usize]) = (true, true);
            }
        }
        (0..used.len()).filter(move |part| !used[*part])
    }

    /// What the rows that end in a join make of the values of its forms.
    fn factor(&self, join: &Join, values: &[i64]) -> f64 {
        let mut factor = 1.0;
        for ((value, form), (low, high)) in values.iter().zip(&join.forms).zip(&join.limits) {
            if low.is_some_and(|low| *value < low) || high.is_some_and(|high| *value > high) {
                return 0.0;
            }
            for (row, times) in &form.ending {
                let sum = value * times;
                let holds = match self.network.rows[*row as usize].demand {
                    Demand::Equal(bound) => sum == bound,
                    Demand::AtLeast(bound) => sum >= bound,
                    Demand::AtMost(bound) => sum <= bound,
                    Demand::Noisy { .. } => {
                        let listed = self.noisy[*row as usize].as_ref();
                        factor *= listed.and_then(|listed| listed.get(&sum)).copied().unwrap_or(0.0);
                        true
                    }
                };
                if !holds {
                    return 0.0;
                }
            }
        }
        factor
    }

    /// The weights outside every part, and the laws of rows that are asked for.
    fn pass_down(&self, asked: Option<u32>) -> (Vec<Weights>, HashMap<i64, f64>) {
        let joins = &self.network.joins;
        let mut outside: Vec<Weights> = vec![Weights::default(); joins.len()];
        let mut row: HashMap<i64, f64> = HashMap::new();
        for root in self.roots() {
            outside[root] = self.up[root].keys().map(|key| (key.clone(), 1.0)).collect();
        }
        let mut values = Vec::new();
        for (number, join) in joins.iter().enumerate().rev() {
            let ends =
                |form: usize| asked.and_then(|asked| join.forms[form].ending.iter().find(|(row, _)| *row == asked));
            let told = (0..join.forms.len()).find_map(|form| ends(form).map(|(_, times)| (form, *times)));
            let own = std::mem::take(&mut outside[number]);
            if let MadeOf::Parts(first, second) = join.made_of {
                let (one, two) = (&self.up[first as usize], &self.up[second as usize]);
                let (mut of_one, mut of_two) = (Weights::default(), Weights::default());
                for (a, weight) in one {
                    for (b, other) in two {
                        form_values(join, a, b, &mut values);
                        let Some(above) = own.get(&values[..join.remembered]) else { continue };
                        let factor = self.factor(join, &values) * above;
                        if factor > 0.0 {
                            add(&mut of_one, a, factor * other);
                            add(&mut of_two, b, factor * weight);
                            if let Some((form, times)) = told {
                                *row.entry(values[form] * times).or_default() += factor * weight * other;
                            }
                        }
                    }
                }
                outside[first as usize] = normalised(of_one, 0.0).0;
                outside[second as usize] = normalised(of_two, 0.0).0;
            }
            outside[number] = own;
        }
        (outside, row)
    }

    /// The law of a row of the network.
    pub(crate) fn row(&self, row: u32) -> Option<Law> {
        law_of(&self.pass_down(Some(row)).1.into_iter().collect::<Vec<_>>())
    }

    /// The laws of all cells.
    pub(crate) fn laws(&self) -> Option<Vec<(u32, Law)>> {
        let (outside, _) = self.pass_down(None);
        let mut laws = Vec::new();
        for (number, join) in self.network.joins.iter().enumerate() {
            let MadeOf::Class(class) = join.made_of else { continue };
            let class = class as usize;
            // The weight of every sum of the class, outside and at its rows.
            let told = |sum: i64| {
                let key = if join.remembered > 0 { vec![sum] } else { Vec::new() };
                outside[number].get(&key).copied().unwrap_or(0.0) * self.factor(join, &[sum])
            };
            let whole = self.prefixes[class].last()?;
            let mut above = Line { first: whole.first, weights: (whole.first..=whole.last()).map(told).collect() };
            let numbers = &self.network.classes[class].cells;
            for place in (0..numbers.len()).rev() {
                let cell = &self.cells[class][place];
                let before = place.checked_sub(1).map(|before| &self.prefixes[class][before]);
                let (mut law, mut next) = (vec![0.0; cell.weights.len()], Vec::new());
                match before {
                    None => law.iter_mut().enumerate().for_each(|(at, mass)| {
                        *mass = cell.weights[at] * above.at(cell.first + at as i64);
                    }),
                    Some(before) => {
                        next = vec![0.0; before.weights.len()];
                        for (s, weight) in before.weights.iter().enumerate() {
                            for (x, own) in cell.weights.iter().enumerate() {
                                let told = above.at(before.first + s as i64 + cell.first + x as i64);
                                law[x] += weight * own * told;
                                next[s] += own * told;
                            }
                        }
                    }
                }
                laws.push((numbers[place], Law::from_weights(cell.first, &law)?));
                if let Some(before) = before {
                    above = Line { first: before.first, weights: scaled_to_one(next).0 };
                }
            }
        }
        Some(laws)
    }

    /// Whether the ends of all lists have almost no weight, or are bounds.
    fn ends_are_far(&self) -> bool {
        let Some(laws) = self.laws() else { return false };
        let laws: HashMap<u32, Law> = laws.into_iter().collect();
        self.network.classes.iter().zip(&self.cells).all(|(class, lists)| {
            class.cells.iter().zip(lists).all(|(cell, list)| {
                let law = &laws[cell];
                let far = |value: i64, bound: Option<i64>| bound == Some(value) || law.probability(value) < NEGLIGIBLE;
                let at_zero = list.first == 0 && class.low.is_none_or(|low| low <= 0);
                (at_zero || far(list.first, class.low)) && far(list.last(), class.high)
            })
        })
    }

    /// Draws the cells into a table, with uniform numbers between 0 and 1.
    pub(crate) fn draw(&self, uniform: &mut dyn FnMut() -> f64, table: &mut [i64]) {
        let mut values = Vec::new();
        let mut told: Vec<Option<Vec<i64>>> = vec![None; self.network.joins.len()];
        for root in self.roots() {
            let keys: Vec<(&Vec<i64>, f64)> = sorted(&self.up[root]);
            told[root] = Some((*pick_pair(&keys, uniform())).clone());
        }
        for (number, join) in self.network.joins.iter().enumerate().rev() {
            let Some(key) = told[number].take() else { continue };
            match join.made_of {
                MadeOf::Parts(first, second) => {
                    let mut pairs: Vec<(Pair<'_>, f64)> = Vec::new();
                    let two = sorted(&self.up[second as usize]);
                    for (a, weight) in sorted(&self.up[first as usize]) {
                        for (b, other) in &two {
                            form_values(join, a, b, &mut values);
                            if values[..join.remembered] == key[..] {
                                let factor = self.factor(join, &values);
                                if factor > 0.0 {
                                    pairs.push(((a, b), weight * other * factor));
                                }
                            }
                        }
                    }
                    let (a, b) = *pick_pair(&pairs, uniform());
                    (told[first as usize], told[second as usize]) = (Some(a.clone()), Some(b.clone()));
                }
                MadeOf::Class(class) => self.draw_class(class as usize, join, &key, uniform, table),
            }
        }
    }

    fn draw_class(&self, class: usize, join: &Join, key: &[i64], uniform: &mut dyn FnMut() -> f64, table: &mut [i64]) {
        let (cells, prefixes) = (&self.cells[class], &self.prefixes[class]);
        let Some(whole) = prefixes.last() else { return };
        let mut rest = match key.first() {
            Some(sum) => *sum,
            None => {
                let weight = |(sum, weight): (i64, &f64)| weight * self.factor(join, &[sum]);
                let weights = (whole.first..).zip(&whole.weights).map(weight).collect();
                Line { first: whole.first, weights }.pick(uniform())
            }
        };
        let numbers = &self.network.classes[class].cells;
        for place in (0..cells.len()).rev() {
            let value = match place {
                0 => rest,
                _ => {
                    let cell = &cells[place];
                    let weight = |x: i64| cell.at(x) * prefixes[place - 1].at(rest - x);
                    let weights = (cell.first..=cell.last()).map(weight).collect();
                    Line { first: cell.first, weights }.pick(uniform())
                }
            };
            table[numbers[place] as usize] = value;
            rest -= value;
        }
    }
}

/// The weights of one cell, as far as they are above e^{−reach} of the largest.
pub(crate) fn list(
    centre: i64,
    (low, high): (Option<i64>, Option<i64>),
    reach: f64,
    log: &dyn Fn(i64) -> f64,
) -> Result<Line, Problem> {
    let clamp = |value: i64| high.map_or(value, |high| value.min(high)).max(low.unwrap_or(i64::MIN));
    // Log-concave weights rise to their largest and fall from it; others are looked at as far as
    // they stay near it.
    let mut top = clamp(centre);
    if log(top) == f64::NEG_INFINITY {
        top = clamp(centre.max(0));
    }
    for step in [1i64 << 16, 1 << 12, 1 << 8, 1 << 4, 1] {
        for direction in [step, -step] {
            let mut tries = 0;
            while clamp(top + direction) != top && log(clamp(top + direction)) > log(top) && tries < 1 << 12 {
                (top, tries) = (clamp(top + direction), tries + 1);
            }
        }
    }
    let largest = log(top);
    let too_wide = || {
        Problem::refused(
            "a cell has too many values under this prior to be listed: its weight hardly falls as the count grows",
        )
        .hint("a prior, or a total that is known (--total), ends them")
    };
    let mut ends = [top, top];
    for (end, direction) in ends.iter_mut().zip([-1i64, 1]) {
        let mut steps = 0usize;
        loop {
            let next = *end + direction;
            if clamp(next) != next || log(next).partial_cmp(&(largest - reach)).is_none_or(std::cmp::Ordering::is_le) {
                break;
            }
            *end = next;
            steps += 1;
            if steps > MOST_VALUES {
                return Err(too_wide());
            }
        }
    }
    let weights = (ends[0]..=ends[1]).map(|value| (log(value) - largest).exp()).collect();
    Ok(Line { first: ends[0], weights })
}

fn too_long() -> Problem {
    Problem::refused("under this prior, or for several releases together, weights of sums would take too long")
        .hint("ask for fewer totals that cross, or for the flat prior and one release")
}

/// The weights of sums of the first cells, one more each, the largest about one; adds the logarithm
/// of what they were divided by.
fn prefixes(cells: &[Line], log: &mut f64) -> Vec<Line> {
    let mut sums: Vec<Line> = Vec::with_capacity(cells.len());
    for cell in cells {
        let next = match sums.last() {
            None => cell.clone(),
            Some(before) => {
                let (weights, largest) = scaled_to_one(convolved(&before.weights, &cell.weights));
                *log += largest.ln();
                Line { first: before.first + cell.first, weights }
            }
        };
        sums.push(next);
    }
    sums
}

/// The largest one, and what it was.
fn scaled_to_one(mut weights: Vec<f64>) -> (Vec<f64>, f64) {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= largest);
    }
    (weights, largest)
}

fn form_values(join: &Join, one: &[i64], two: &[i64], values: &mut Vec<i64>) {
    values.clear();
    let term = |part: &[i64], term: Option<(u32, i64)>| term.map_or(0, |(form, times)| part[form as usize] * times);
    values.extend(join.forms.iter().map(|form| term(one, form.first) + term(two, form.second)));
}

fn add(weights: &mut Weights, key: &[i64], mass: f64) {
    match weights.get_mut(key) {
        Some(sum) => *sum += mass,
        None => drop(weights.insert(key.to_vec(), mass)),
    }
}

/// The largest one, and what it was; those that are no more than this part of it are left out.
fn normalised(mut weights: Weights, least: f64) -> (Weights, f64) {
    let largest = weights.values().copied().fold(0.0, f64::max);
    if largest > 0.0 {
        weights.retain(|_, weight| *weight > largest * least);
        weights.values_mut().for_each(|weight| *weight /= largest);
    }
    (weights, largest)
}

/// The law of values with these masses, in any order.
pub(crate) fn law_of(masses: &[(i64, f64)]) -> Option<Law> {
    let values = || masses.iter().map(|(value, _)| *value);
    let (first, last) = (values().min()?, values().max()?);
    let length = usize::try_from(last - first).ok().filter(|length| *length < 1 << 24)? + 1;
    let mut weights = vec![0.0; length];
    masses.iter().for_each(|(value, mass)| weights[(value - first) as usize] += mass);
    Law::from_weights(first, &weights)
}

/// In an order that does not depend on the machine, so that a seed gives the same draws.
fn sorted(weights: &Weights) -> Vec<(&Vec<i64>, f64)> {
    let mut listed: Vec<(&Vec<i64>, f64)> = weights.iter().map(|(key, weight)| (key, *weight)).collect();
    listed.sort_unstable_by(|one, two| one.0.cmp(two.0));
    listed
}
