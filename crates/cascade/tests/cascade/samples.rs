//! Random small tables of every structure, and their fibres.

use cascade::{Cascade, CellBounds, NO_HIGH, NO_LOW, Noise, Outline};
use declare::{NO_GROUP, Problem};
use exact::Rational;
use testkit::Random;

/// How many random tables: more where `CONGENIAL_CASCADE` asks for a multiple of the usual number.
pub fn trials(usual: u32) -> u32 {
    let factor = std::env::var("CONGENIAL_CASCADE").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    usual * factor
}

/// A small table and all that is declared about it.
#[derive(Debug, Clone)]
pub struct Sample {
    pub exact: Vec<Vec<u32>>,
    pub noise: Vec<(Option<Vec<u32>>, Rational)>,
    pub low: Vec<i64>,
    pub high: Vec<i64>,
    pub order: Option<Vec<u32>>,
    pub rules: Vec<(u32, u32)>,
    pub counts: Vec<i64>,
    /// The sets of cells whose sums are drawn, in their order.
    pub sums: Vec<Vec<usize>>,
}

impl Sample {
    pub fn cells(&self) -> usize {
        self.counts.len()
    }

    pub fn cascade(&self) -> Result<Cascade, Problem> {
        Cascade::new(&Outline {
            cells: self.cells(),
            exact: self.exact.iter().map(|labels| &labels[..]).collect(),
            noise: self
                .noise
                .iter()
                .map(|(labels, variance)| Noise { group_of: labels.as_deref(), variance: variance.clone() })
                .collect(),
            bounds: CellBounds::Each(&self.low, &self.high),
            order: self.order.as_deref(),
            rules: self.rules.clone(),
            live: None,
        })
    }

    /// Whether a table satisfies everything but the totals.
    pub fn within(&self, table: &[i64]) -> bool {
        let bounds = table.iter().zip(self.low.iter().zip(&self.high));
        bounds.into_iter().all(|(value, (low, high))| low <= value && value <= high)
            && self.rules.iter().all(|(one, other)| table[*one as usize] <= table[*other as usize])
    }

    pub fn totals(&self, table: &[i64]) -> Vec<Vec<i64>> {
        let total = |labels: &Vec<u32>| {
            let mut sums =
                vec![0; 1 + labels.iter().filter(|label| **label != NO_GROUP).max().map_or(0, |most| *most as usize)];
            labels
                .iter()
                .zip(table)
                .filter(|(label, _)| **label != NO_GROUP)
                .for_each(|(label, value)| sums[*label as usize] += value);
            sums
        };
        self.exact.iter().map(total).collect()
    }

    /// Whether a table has the exact totals of the counts.
    pub fn keeps(&self, table: &[i64]) -> bool {
        self.totals(table) == self.totals(&self.counts)
    }

    /// Every table of the fibre, or nothing when there are more than `most`.
    pub fn fibre(&self, most: usize) -> Option<Vec<Vec<i64>>> {
        let totals = self.totals(&self.counts);
        // No cell can be larger: all others together are at least the sum of their bounds.
        let least: i64 = self.low.iter().map(|low| low.unsigned_abs().min(100) as i64).sum();
        let largest: i64 = self.counts.iter().map(|count| count.abs()).sum::<i64>() + least + 3;
        let mut tables = Vec::new();
        let mut table = vec![0; self.cells()];
        let mut left = totals;
        // What is still below a total: the least that the cells behind can add.
        self.extend(0, &mut table, &mut left, largest, most, &mut tables).then_some(tables)
    }

    pub fn extend(
        &self,
        cell: usize,
        table: &mut Vec<i64>,
        left: &mut Vec<Vec<i64>>,
        largest: i64,
        most: usize,
        tables: &mut Vec<Vec<i64>>,
    ) -> bool {
        if cell == self.cells() {
            if left.iter().flatten().all(|rest| *rest == 0) && self.within(table) {
                tables.push(table.clone());
            }
            return tables.len() <= most;
        }
        let low = self.low[cell].max(-largest);
        let mut high = self.high[cell].min(largest);
        for (labels, left) in self.exact.iter().zip(left.iter()) {
            if labels[cell] != NO_GROUP {
                let behind: i64 = (cell + 1..self.cells())
                    .filter(|other| labels[*other] == labels[cell])
                    .map(|other| self.low[other].max(-largest))
                    .sum();
                high = high.min(left[labels[cell] as usize] - behind);
            }
        }
        for value in low..=high {
            table[cell] = value;
            for (labels, left) in self.exact.iter().zip(left.iter_mut()) {
                if labels[cell] != NO_GROUP {
                    left[labels[cell] as usize] -= value;
                }
            }
            let on = self.extend(cell + 1, table, left, largest, most, tables);
            for (labels, left) in self.exact.iter().zip(left.iter_mut()) {
                if labels[cell] != NO_GROUP {
                    left[labels[cell] as usize] += value;
                }
            }
            if !on {
                return false;
            }
        }
        true
    }
}

/// A tree whose leaves are cells: what halving it in order draws.
pub enum Node {
    Leaf(usize),
    Group(Vec<Node>),
}

impl Node {
    fn cells(&self) -> Vec<usize> {
        match self {
            Node::Leaf(cell) => vec![*cell],
            Node::Group(parts) => parts.iter().flat_map(Node::cells).collect(),
        }
    }
}

/// The sums that are drawn when parts are halved, from above.
pub fn halved(parts: &[Node], sums: &mut Vec<Vec<usize>>) {
    match parts {
        [] | [Node::Leaf(_)] => {}
        [Node::Group(parts)] => halved(parts, sums),
        _ => {
            let (left, right) = parts.split_at(parts.len().div_ceil(2));
            sums.push(left.iter().flat_map(Node::cells).collect());
            halved(left, sums);
            halved(right, sums);
        }
    }
}

fn leaves(cells: &[usize]) -> Vec<Node> {
    cells.iter().map(|cell| Node::Leaf(*cell)).collect()
}

fn shuffled(random: &mut Random, length: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    for place in (1..length).rev() {
        order.swap(place, random.below(place as u64 + 1) as usize);
    }
    order
}

fn variance(random: &mut Random) -> Rational {
    // From about 2 to 9, in sevenths: κ is above zero and below its limit even in 2 × 2 tables.
    Rational::new(14 + random.below(50), 7u8)
}

fn as_order(order: &[usize]) -> Option<Vec<u32>> {
    Some(order.iter().map(|cell| *cell as u32).collect())
}

/// Random counts and bounds around them: zeros below, at times other bounds, upper bounds and
/// structural zeros.
fn bounded(random: &mut Random, cells: usize, most: u64, upper: bool) -> (Vec<i64>, Vec<i64>, Vec<i64>) {
    let shift = random.below(3) == 0;
    let (mut counts, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..cells {
        let least = if shift { random.below(4) as i64 - 2 } else { 0 };
        let count = least + random.below(most + 1) as i64;
        low.push(least);
        high.push(match random.below(6) {
            0 if upper => count,
            1 if upper => count + 1 + random.below(3) as i64,
            _ => NO_HIGH,
        });
        counts.push(count);
    }
    (counts, low, high)
}

/// One total.
pub fn one_total(random: &mut Random) -> Sample {
    let cells = 2 + random.below(4) as usize;
    let order = shuffled(random, cells);
    let (counts, low, high) = bounded(random, cells, 3, true);
    let mut sums = Vec::new();
    halved(&leaves(&order), &mut sums);
    Sample {
        exact: vec![vec![0; cells]],
        noise: vec![(None, variance(random))],
        low,
        high,
        order: as_order(&order),
        rules: Vec::new(),
        counts,
        sums,
    }
}

/// Groups of cells in groups of groups: exact at some levels, noise at some levels.
pub fn levels(random: &mut Random) -> Sample {
    let tops = 1 + random.below(2) as usize;
    let (mut groups, mut cells) = (Vec::new(), 0usize);
    let (mut top_of, mut group_of) = (Vec::new(), Vec::new());
    for top in 0..tops {
        let mut inner = Vec::new();
        for _ in 0..1 + random.below(3) {
            let size = 1 + random.below(2) as usize;
            let number: u32 = group_of.last().map_or(0, |last: &u32| *last + 1);
            inner.push((cells..cells + size).collect::<Vec<usize>>());
            top_of.extend(vec![top as u32; size]);
            group_of.extend(vec![number; size]);
            cells += size;
        }
        groups.push(inner);
    }
    let (counts, low, high) = bounded(random, cells, 2, true);
    // What is exact: everything, every top, every group, or a mixture; the total at least, so that
    // fibres are finite.
    let mut exact = vec![vec![0; cells]];
    let (tops_exact, groups_exact) = (random.below(2) == 0, random.below(3) == 0);
    if tops_exact {
        exact.push(top_of.clone());
    }
    if groups_exact {
        exact.push(group_of.clone());
    }
    let mut noise = vec![(None, variance(random))];
    let (noisy_tops, noisy_groups) = (random.below(2) == 0, random.below(2) == 0);
    if noisy_tops {
        noise.push((Some(top_of), variance(random)));
    }
    if noisy_groups {
        noise.push((Some(group_of), variance(random)));
    }
    // Only levels that are declared shape the tree.
    let group_nodes = |inner: &Vec<Vec<usize>>| -> Vec<Node> {
        inner
            .iter()
            .flat_map(|group| if noisy_groups { vec![Node::Group(leaves(group))] } else { leaves(group) })
            .collect()
    };
    let mut sums = Vec::new();
    if groups_exact {
        groups.iter().flatten().for_each(|group| halved(&leaves(group), &mut sums));
    } else if tops_exact {
        groups.iter().for_each(|inner| halved(&group_nodes(inner), &mut sums));
    } else {
        let tops: Vec<Node> = groups
            .iter()
            .flat_map(|inner| if noisy_tops { vec![Node::Group(group_nodes(inner))] } else { group_nodes(inner) })
            .collect();
        halved(&tops, &mut sums);
    }
    Sample { exact, noise, low, high, order: None, rules: Vec::new(), counts, sums }
}

/// The sums of a two-way table: columns outermost.
fn crossed(rows: &[Node], columns: &[Node], cell: impl Fn(usize, usize) -> Vec<usize>, sums: &mut Vec<Vec<usize>>) {
    let (mut down, mut across) = (Vec::new(), Vec::new());
    halved(rows, &mut down);
    halved(columns, &mut across);
    for columns in &across {
        for rows in &down {
            sums.push(
                rows.iter()
                    .flat_map(|row| columns.iter().map(move |column| (*row, *column)))
                    .flat_map(|(row, column)| cell(row, column))
                    .collect(),
            );
        }
    }
}

/// A two-way table with both margins exact.
pub fn two_way(random: &mut Random) -> Sample {
    let (rows, columns) = (2 + random.below(2) as usize, 2 + random.below(3) as usize);
    let cells = rows * columns;
    let (counts, low, high) = bounded(random, cells, if cells > 6 { 1 } else { 2 }, false);
    let row_of: Vec<u32> = (0..cells).map(|cell| (cell / columns) as u32).collect();
    let column_of: Vec<u32> = (0..cells).map(|cell| (cell % columns) as u32).collect();
    let order = shuffled(random, cells);
    let first = |of: &dyn Fn(usize) -> usize| {
        let mut seen = Vec::new();
        order.iter().for_each(|cell| {
            if !seen.contains(&of(*cell)) {
                seen.push(of(*cell))
            }
        });
        seen
    };
    let mut sums = Vec::new();
    // The family that is declared last is set aside: its groups are rows of the two-way table.
    let down = first(&|cell| cell / columns);
    let across = first(&|cell| cell % columns);
    crossed(&leaves(&down), &leaves(&across), |row, column| vec![row * columns + column], &mut sums);
    Sample {
        exact: vec![column_of, row_of],
        noise: vec![(None, &variance(random) + &Rational::integer(1))],
        low,
        high,
        order: as_order(&order),
        rules: Vec::new(),
        counts,
        sums,
    }
}

/// A two-way table whose cells have upper bounds, structural zeros among them, or bounds on some
/// sides only.
pub fn with_holes(random: &mut Random) -> Sample {
    let mut sample = two_way(random);
    let columns = sample.exact[0].iter().max().map_or(1, |most| *most as usize + 1);
    let rows = sample.cells() / columns;
    for cell in 0..sample.cells() {
        match random.below(4) {
            0 => sample.high[cell] = sample.counts[cell],
            1 => sample.high[cell] = sample.counts[cell] + 1,
            2 if random.below(3) == 0 => {
                (sample.counts[cell], sample.low[cell], sample.high[cell]) = (0, 0, 0);
            }
            _ => {}
        }
    }
    // Some cell has an upper bound, so that flows are needed; columns are then drawn one by one,
    // not in halves.
    sample.high[0] = sample.counts[0] + 1;
    let order = sample.order.clone().unwrap_or_default();
    let first = |of: &dyn Fn(usize) -> usize| {
        let mut seen = Vec::new();
        order.iter().for_each(|cell| {
            if !seen.contains(&of(*cell as usize)) {
                seen.push(of(*cell as usize))
            }
        });
        seen
    };
    let (down, across) = (first(&|cell| cell / columns), first(&|cell| cell % columns));
    assert_eq!((down.len(), across.len()), (rows, columns));
    let mut halves = Vec::new();
    halved(&leaves(&down), &mut halves);
    sample.sums = across[..columns - 1]
        .iter()
        .flat_map(|column| halves.iter().map(move |rows| rows.iter().map(|row| row * columns + column).collect()))
        .collect();
    sample
}

/// Places in regions, by attributes: totals of places exact, attributes exact by region; at times
/// noise on districts, and two cells of every place and attribute.
pub fn geography(random: &mut Random) -> Sample {
    let regions = 1 + random.below(2) as usize;
    let (places, attributes) = (2 + random.below(2) as usize, 2usize);
    let depth = if regions == 1 { 1 + random.below(2) as usize } else { 1 };
    let cells = regions * places * attributes * depth;
    let (counts, low, high) = bounded(random, cells, 1, false);
    let cell = |region: usize, place: usize, attribute: usize, inner: usize| {
        ((region * places + place) * attributes + attribute) * depth + inner
    };
    let (mut by_place, mut by_attribute, mut district) = (vec![0; cells], vec![0; cells], vec![0; cells]);
    for region in 0..regions {
        for place in 0..places {
            for attribute in 0..attributes {
                for inner in 0..depth {
                    let cell = cell(region, place, attribute, inner);
                    by_place[cell] = (region * places + place) as u32;
                    by_attribute[cell] = (region * attributes + attribute) as u32;
                    // The first two places are a district, the others have one each.
                    let number = if place < 2 { 0 } else { place - 1 };
                    district[cell] = ((region * places + number) * attributes + attribute) as u32;
                }
            }
        }
    }
    let noisy = random.below(2) == 0;
    let mut noise = vec![(None, &variance(random) + &Rational::integer(1))];
    if noisy {
        noise.push((Some(district), &variance(random) + &Rational::integer(3)));
    }
    let down: Vec<Node> = if noisy && places > 2 {
        vec![Node::Group(leaves(&[0, 1])), Node::Leaf(2)]
    } else {
        leaves(&(0..places).collect::<Vec<usize>>())
    };
    let mut sums = Vec::new();
    for region in 0..regions {
        let inside =
            |place: usize, attribute: usize| (0..depth).map(|inner| cell(region, place, attribute, inner)).collect();
        crossed(&down, &leaves(&(0..attributes).collect::<Vec<usize>>()), inside, &mut sums);
    }
    for start in (0..cells).step_by(depth) {
        halved(&leaves(&(start..start + depth).collect::<Vec<usize>>()), &mut sums);
    }
    Sample { exact: vec![by_attribute, by_place], noise, low, high, order: None, rules: Vec::new(), counts, sums }
}

/// Three or four dimensions with margins that decompose: AB, BC and, with four, CD.
pub fn chain(random: &mut Random) -> Sample {
    let four = random.below(3) == 0;
    let sizes = if four {
        [2, 1 + random.below(2) as usize, 2, 2]
    } else {
        [2, 1 + random.below(2) as usize, 2 + random.below(2) as usize, 1]
    };
    let cells: usize = sizes.iter().product();
    let at = |a: usize, b: usize, c: usize, d: usize| ((a * sizes[1] + b) * sizes[2] + c) * sizes[3] + d;
    let (counts, low, high) = bounded(random, cells, if cells > 8 { 1 } else { 2 }, false);
    let coordinates = |cell: usize| {
        let (d, rest) = (cell % sizes[3], cell / sizes[3]);
        let (c, rest) = (rest % sizes[2], rest / sizes[2]);
        (rest / sizes[1], rest % sizes[1], c, d)
    };
    let labels = |of: &dyn Fn((usize, usize, usize, usize)) -> usize| -> Vec<u32> {
        (0..cells).map(|cell| of(coordinates(cell)) as u32).collect()
    };
    let ab = labels(&|(a, b, _, _)| a * sizes[1] + b);
    let bc = labels(&|(_, b, c, _)| b * sizes[2] + c);
    let cd = labels(&|(_, _, c, d)| c * sizes[3] + d);
    let range = |size: usize| leaves(&(0..size).collect::<Vec<usize>>());
    let mut sums = Vec::new();
    // ABC first: for every b a table, the family declared last as its rows.
    for b in 0..sizes[1] {
        let inside = |c: usize, a: usize| (0..sizes[3]).map(|d| at(a, b, c, d)).collect();
        crossed(&range(sizes[2]), &range(sizes[0]), inside, &mut sums);
    }
    let mut exact = vec![ab, bc];
    if four {
        exact.push(cd);
        for c in 0..sizes[2] {
            let pairs: Vec<usize> = (0..sizes[0] * sizes[1]).collect();
            let inside = |d: usize, ab: usize| vec![at(ab / sizes[1], ab % sizes[1], c, d)];
            crossed(&range(sizes[3]), &leaves(&pairs), inside, &mut sums);
        }
    }
    let noise = vec![(None, &variance(random) + &Rational::integer(1))];
    Sample { exact, noise, low, high, order: None, rules: Vec::new(), counts, sums }
}

/// Cases and deaths: deaths ≤ cases in every place, totals of both, or of one with bounds on the
/// other.
pub fn cases_and_deaths(random: &mut Random) -> Sample {
    let places = 2 + random.below(2) as usize;
    // Cells 2i are cases, 2i + 1 deaths.
    let (mut counts, low, mut high) = (Vec::new(), vec![0; 2 * places], vec![NO_HIGH; 2 * places]);
    for _ in 0..places {
        let cases = random.below(4) as i64;
        counts.extend([cases, random.below(cases as u64 + 1) as i64]);
    }
    let (cases, deaths): (Vec<usize>, Vec<usize>) =
        ((0..places).map(|place| 2 * place).collect(), (0..places).map(|place| 2 * place + 1).collect());
    let label = |cells: &[usize]| -> Vec<u32> {
        (0..2 * places).map(|cell| if cells.contains(&cell) { 0 } else { NO_GROUP }).collect()
    };
    let mut exact = Vec::new();
    let kind = random.below(4);
    let mut sums = Vec::new();
    let split = |cells: &[usize], sums: &mut Vec<Vec<usize>>| halved(&leaves(cells), sums);
    if kind <= 1 {
        exact.push(label(&cases));
    }
    if kind == 0 || kind >= 2 {
        exact.push(label(&deaths));
    }
    if kind <= 1 {
        split(&cases, &mut sums);
    } else {
        for cell in &cases {
            high[*cell] = counts[*cell] + random.below(2) as i64;
        }
        // Cases have no exact total: with one of deaths their sum must leave room, so it is drawn
        // as a whole first.
        sums.push(cases.clone());
        split(&cases, &mut sums);
    }
    if kind == 1 {
        deaths.iter().for_each(|cell| sums.push(vec![*cell]));
    } else {
        split(&deaths, &mut sums);
    }
    let rules = (0..places as u32).map(|place| (2 * place + 1, 2 * place)).collect();
    let noise = if random.below(2) == 0 {
        vec![(None, variance(random))]
    } else {
        // Cases and deaths with noise of their own sizes.
        let own = |cells: &[usize]| -> Vec<u32> {
            (0..2 * places).map(|cell| if cells.contains(&cell) { cell as u32 } else { NO_GROUP }).collect()
        };
        vec![(Some(own(&cases)), variance(random)), (Some(own(&deaths)), variance(random))]
    };
    Sample { exact, noise, low, high, order: None, rules, counts, sums }
}

/// Cases and deaths of a two-way table, both margins of both exact: deaths first, then cases.
pub fn crossing_rules(random: &mut Random) -> Sample {
    let (rows, columns) = (2, 2 + random.below(2) as usize);
    let places = rows * columns;
    let mut counts = Vec::new();
    for _ in 0..places {
        let cases = random.below(5) as i64;
        counts.extend([cases, random.below(cases as u64 + 1) as i64]);
    }
    let cells = 2 * places;
    let label = |of: &dyn Fn(usize) -> usize| -> Vec<u32> {
        (0..cells).map(|cell| (2 * of(cell / 2) + cell % 2) as u32).collect()
    };
    let exact = vec![label(&|place| place % columns), label(&|place| place / columns)];
    let mut sums = Vec::new();
    for kind in [1, 0] {
        let (down, across) = ((0..rows).collect::<Vec<_>>(), (0..columns).collect::<Vec<_>>());
        crossed(&leaves(&down), &leaves(&across), |row, column| vec![2 * (row * columns + column) + kind], &mut sums);
    }
    Sample {
        exact,
        noise: vec![(None, &variance(random) + &Rational::integer(1))],
        low: vec![0; cells],
        high: vec![NO_HIGH; cells],
        order: None,
        rules: (0..places as u32).map(|place| (2 * place + 1, 2 * place)).collect(),
        counts,
        sums,
    }
}

/// A two-way table or one total without any bounds.
pub fn without_bounds(random: &mut Random) -> Sample {
    let mut sample = if random.below(2) == 0 { two_way(random) } else { levels(random) };
    sample.low.fill(NO_LOW);
    sample.high.fill(NO_HIGH);
    sample
}

/// Every structure, with a name.
pub type Maker = fn(&mut Random) -> Sample;

pub const STRUCTURES: [(&str, Maker); 8] = [
    ("one total", one_total),
    ("levels", levels),
    ("two-way", two_way),
    ("two-way with holes", with_holes),
    ("geography", geography),
    ("chain", chain),
    ("cases and deaths", cases_and_deaths),
    ("cases and deaths that cross", crossing_rules),
];
