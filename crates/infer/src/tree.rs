//! Blocks whose totals cross without a circle between them: Z(x) and draws, in machine numbers.
//!
//! Classes of cells and totals are the points of a graph, with an edge where a total takes a class;
//! totals that follow from the others are left out. Where that graph is a tree (adults by age and
//! two incomes: every age ties two classes, one income ties the ages) sums of classes go up it: the
//! weight f(u) of a class whose cells are off by u together is that of its cells, times for every
//! total below it the weight of the other classes of that total being off by −u. Sums of
//! independent cells are products around a circle. Each total has a tilt, which changes no weight
//! of what adds up to zero and keeps terms from cancelling. A sum with noise is a total with one
//! more cell, what it is off by, which has that noise. Proof: `proofs/posterior.md`.

use crate::circle::{Circle, Complex};
use crate::energy::weight_of;
use crate::field::Field;
use crate::held::{Held, falling, moves, room};
use crate::tied::{Line, Tied};
use analyse::{CellNoise, Demand, Union};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

/// Cells alike in all totals; or what a noisy sum is off by, which is a cell of no table.
#[derive(Debug)]
struct Class {
    cells: Vec<u32>,
    low: Option<i64>,
    high: Option<i64>,
    /// Its totals.
    rows: Vec<usize>,
    /// Which noise its cells have.
    noise: usize,
}

/// What a noisy sum is off by, in place of a cell.
const SLACK: u32 = u32::MAX;

/// A class with the totals below it, each by its other classes.
#[derive(Debug)]
struct Node {
    class: usize,
    below: Vec<Vec<usize>>,
}

/// The transform of a cell by its room and the tilt of its class: the logarithm of its value at
/// zero, and the rest of it.
type Transform = Arc<(f64, Vec<Complex>)>;

/// A block ready for normalisers around any table with its totals.
#[derive(Debug)]
pub(crate) struct Tree {
    classes: Vec<Class>,
    /// From below: every node after those below it.
    nodes: Vec<Node>,
    /// The nodes of the total at the top.
    top: Vec<usize>,
    /// The tilt of every class.
    tilts: Vec<f64>,
    /// For every noise e^{−energy} of 0, 1, … units of it.
    fallings: Vec<Vec<f64>>,
    /// Which noise every cell has.
    noise_of: HashMap<u32, usize>,
    circle: Circle,
    known: RwLock<HashMap<(usize, i64, i64), Transform>>,
}

impl Tree {
    /// What a normaliser takes, about, once the transforms of its cells are known: three of its own
    /// for every class, and the products.
    pub(crate) fn seconds(&self) -> f64 {
        let places = self.circle.places as f64;
        let transforms = 3.0 * self.nodes.len() as f64 * places.log2();
        1e-5 + 4e-9 * places * (transforms + self.noise_of.len() as f64)
    }
}

/// Circles with more places take too long.
const MOST_AROUND: usize = 1 << 16;
/// Blocks of more classes are left to messages.
const MOST_CLASSES: usize = 1000;
/// Standard deviations of sums that the circle goes around, to either side.
const DEVIATIONS: f64 = 12.0;
/// How often tilts are balanced, and in how many steps.
const ROUNDS: usize = 6;
const STEPS: usize = 16;

impl Tree {
    /// A block of a field; `None` where its graph has circles, its rows are no plain totals, or a
    /// base measure weighs its counts.
    pub(crate) fn of(field: &Field, block: usize) -> Option<Tree> {
        let plain = field.law.base().is_none() && field.law.is_product() && field.law.is_integer();
        if !plain || field.conditions.pinned.iter().any(Option::is_some) {
            return None;
        }
        let network = field.network(block).ok().filter(|network| network.classes.len() <= MOST_CLASSES)?;
        let mut fallings: Vec<(Noise, Vec<f64>)> = Vec::new();
        let mut classes = Vec::with_capacity(network.classes.len());
        for class in &network.classes {
            let noise = noise_of(field, &class.noise, &mut fallings)?;
            let (cells, low, high) = (class.cells.clone(), class.low, class.high);
            classes.push(Class { cells, low, high, rows: Vec::new(), noise });
        }
        let mut rows = Vec::with_capacity(network.rows.len());
        for row in &network.rows {
            if row.entries.iter().any(|(_, times)| *times != 1) {
                return None;
            }
            let mut entries: Vec<usize> = row.entries.iter().map(|(class, _)| *class as usize).collect();
            match row.demand {
                Demand::Equal(_) => {}
                Demand::Noisy { query, .. } => {
                    let noise = noise_of(field, &CellNoise::Queries(vec![query]), &mut fallings)?;
                    entries.push(classes.len());
                    classes.push(Class { cells: vec![SLACK], low: None, high: None, rows: Vec::new(), noise });
                }
                Demand::AtLeast(_) | Demand::AtMost(_) => return None,
            }
            rows.push(entries);
        }
        let rows = without_circles(&rows, classes.len())?;
        for (number, class) in classes.iter_mut().enumerate() {
            class.rows = (0..rows.len()).filter(|row| rows[*row].contains(&number)).collect();
        }
        let (nodes, top) = rooted(&rows, &classes)?;
        let fallings = fallings.into_iter().map(|(_, falling)| falling).collect();
        let mut tree = Tree {
            tilts: vec![0.0; classes.len()],
            noise_of: classes.iter().flat_map(|class| class.cells.iter().map(|cell| (*cell, class.noise))).collect(),
            classes,
            nodes,
            top,
            fallings,
            circle: Circle::new(4),
            known: RwLock::new(HashMap::new()),
        };
        tree.prepare(rows.len(), &field.centre)?;
        Some(tree)
    }

    /// Chooses tilts and the circle at a table that others are near to.
    fn prepare(&mut self, rows: usize, centre: &[i64]) -> Option<()> {
        let lines = self.lines(centre, &|_, _| 0.0);
        self.tilts = self.balanced(rows, &lines);
        let tilted = lines.iter().zip(&self.tilts);
        let variance: f64 = tilted.flat_map(|(lines, tilt)| lines.iter().map(|line| line.moments(*tilt).1)).sum();
        let longest = self.fallings.iter().map(Vec::len).max()?;
        let around = 2.0 * longest as f64 + 2.0 * DEVIATIONS * variance.sqrt();
        if around > MOST_AROUND as f64 {
            return None;
        }
        self.circle = Circle::new(around as usize);
        Some(())
    }

    /// The weights of the moves of all cells, class by class; `beside` is the logarithm of a weight
    /// of a count in a cell beside that of the noise.
    fn lines(&self, centre: &[i64], beside: &dyn Fn(u32, i64) -> f64) -> Vec<Vec<Line>> {
        let line = |class: &Class, cell: u32| {
            let mut line = moves(&self.fallings[class.noise], self.room(class, cell, centre));
            if cell != SLACK {
                for (away, weight) in (line.first..).zip(&mut line.weights) {
                    *weight *= beside(cell, centre[cell as usize] + away).exp();
                }
            }
            line
        };
        self.classes.iter().map(|class| class.cells.iter().map(|cell| line(class, *cell)).collect()).collect()
    }

    /// Tilts of classes under which all totals are zero on average, about: each a sum of one for
    /// every total of the class.
    fn balanced(&self, rows: usize, lines: &[Vec<Line>]) -> Vec<f64> {
        let most = self.classes.iter().map(|class| class.rows.len()).max().unwrap_or(1).max(1);
        // Half of what one unit of the weakest noise costs keeps all sums finite.
        let unit = |falling: &Vec<f64>| -falling.get(1).copied().unwrap_or(1e-9).ln();
        let limit = 0.5 * self.fallings.iter().map(unit).fold(f64::INFINITY, f64::min) / most as f64;
        let mut tilts = vec![0.0; rows];
        let of_class = |tilts: &[f64], class: &Class| class.rows.iter().map(|row| tilts[*row]).sum::<f64>();
        for _ in 0..ROUNDS {
            for row in 0..rows {
                let (mut low, mut high) = (-limit, limit);
                for _ in 0..STEPS {
                    tilts[row] = (low + high) / 2.0;
                    let own = self.classes.iter().zip(lines).filter(|(class, _)| class.rows.contains(&row));
                    let mean: f64 = own
                        .map(|(class, lines)| {
                            let tilt = of_class(&tilts, class);
                            lines.iter().map(|line| line.moments(tilt).0).sum::<f64>()
                        })
                        .sum();
                    if mean < 0.0 { low = tilts[row] } else { high = tilts[row] }
                }
            }
        }
        self.classes.iter().map(|class| of_class(&tilts, class)).collect()
    }

    /// How far bounds are from a count.
    fn room(&self, class: &Class, cell: u32, centre: &[i64]) -> (i64, i64) {
        let count = centre.get(cell as usize).copied().unwrap_or(0);
        room(&self.fallings[class.noise], count, (class.low, class.high))
    }

    fn transform(&self, class: usize, room: (i64, i64)) -> Transform {
        let key = (class, room.0, room.1);
        if let Some(known) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let line = moves(&self.fallings[self.classes[class].noise], room);
        let places = self.circle.places;
        let mut values = vec![0.0; places];
        for (off, weight) in (line.first..).zip(&line.weights) {
            values[off.rem_euclid(places as i64) as usize] += weight * (self.tilts[class] * off as f64).exp();
        }
        let whole: f64 = values.iter().sum();
        values.iter_mut().for_each(|value| *value /= whole);
        let made: Transform = Arc::new((whole.ln(), self.circle.spectrum(&values)));
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
        made
    }

    fn product(&self, nodes: &[usize], spectra: &[Vec<Complex>]) -> Vec<Complex> {
        let mut product = vec![Complex::ONE; self.circle.places / 2 + 1];
        for node in nodes {
            product.iter_mut().zip(&spectra[*node]).for_each(|(product, own)| *product = product.times(*own));
        }
        product
    }
}

impl Held for Tree {
    fn log_normaliser(&self, centre: &[i64]) -> Option<f64> {
        let mut spectra: Vec<Vec<Complex>> = Vec::with_capacity(self.nodes.len());
        let mut log = 0.0;
        for node in &self.nodes {
            let class = &self.classes[node.class];
            let mut rooms: HashMap<(i64, i64), usize> = HashMap::new();
            class.cells.iter().for_each(|cell| *rooms.entry(self.room(class, *cell, centre)).or_default() += 1);
            let mut rooms: Vec<((i64, i64), usize)> = rooms.into_iter().collect();
            rooms.sort_unstable();
            let mut spectrum = vec![Complex::ONE; self.circle.places / 2 + 1];
            for (room, count) in rooms {
                let transform = self.transform(node.class, room);
                log += count as f64 * transform.0;
                for (product, own) in spectrum.iter_mut().zip(&transform.1) {
                    *product = product.times(if count == 1 { *own } else { own.power(count) });
                }
            }
            if !node.below.is_empty() {
                let mut weights = self.circle.values(&spectrum);
                for row in &node.below {
                    let others = self.circle.values(&self.product(row, &spectra));
                    let places = others.len();
                    weights.iter_mut().enumerate().for_each(|(off, weight)| *weight *= others[(places - off) % places]);
                }
                let whole: f64 = weights.iter().sum();
                if whole <= 0.0 || !whole.is_finite() {
                    return None;
                }
                weights.iter_mut().for_each(|weight| *weight /= whole);
                log += whole.ln();
                spectrum = self.circle.spectrum(&weights);
            }
            spectra.push(spectrum);
        }
        let product = self.product(&self.top, &spectra);
        let last = product.len() - 1;
        let (mut sum, mut sizes) = (0.0, 0.0);
        for (node, value) in product.iter().enumerate() {
            let times = if node == 0 || node == last { 1.0 } else { 2.0 };
            (sum, sizes) = (sum + times * value.re, sizes + times * value.size());
        }
        // What cancelled must be far below the sum.
        (sum > 1e-4 * sizes).then(|| log + (sum / self.circle.places as f64).ln())
    }

    fn falling(&self, cell: u32) -> &[f64] {
        &self.fallings[self.noise_of.get(&cell).copied().unwrap_or(0)]
    }

    fn lows(&self) -> BTreeMap<u32, Option<i64>> {
        let classes = self.classes.iter().filter(|class| class.cells != [SLACK]);
        classes.flat_map(|class| class.cells.iter().map(|cell| (*cell, class.low))).collect()
    }
}

/// A noise by its law: that of the plan, or the sum of the rates of queries.
#[derive(Debug, PartialEq)]
enum Noise {
    Law,
    Rate(f64),
}

/// The number of a noise, listed as far as its weights matter; `None` where there is none or it
/// reaches too far.
fn noise_of(field: &Field, noise: &CellNoise, known: &mut Vec<(Noise, Vec<f64>)>) -> Option<usize> {
    let wanted = match noise {
        CellNoise::Law => Noise::Law,
        CellNoise::Queries(queries) if queries.is_empty() => return None,
        CellNoise::Queries(queries) => {
            Noise::Rate(queries.iter().map(|query| field.rates[*query as usize].to_f64()).sum())
        }
    };
    if let Some(place) = known.iter().position(|(noise, _)| *noise == wanted) {
        return Some(place);
    }
    let weight = |away: i64| match wanted {
        Noise::Law => weight_of(&field.law, away),
        Noise::Rate(rate) => (-rate * away as f64).exp(),
    };
    let falling = falling(weight)?;
    (falling.len() > 1).then(|| {
        known.push((wanted, falling));
        known.len() - 1
    })
}

/// A tree ready to be drawn from around a table.
#[derive(Debug)]
pub(crate) struct Draws<'t> {
    tree: &'t Tree,
    centre: Vec<i64>,
    /// The cells of every node, given their sum.
    cells: Vec<Tied>,
    /// For every node the classes of the totals below it.
    below: Vec<Vec<Tied>>,
    top: Tied,
}

impl<'t> Draws<'t> {
    /// Around a table with the totals; `beside` is the logarithm of a weight of a count in a cell
    /// beside that of the noise.
    pub(crate) fn new(tree: &'t Tree, centre: &[i64], beside: &dyn Fn(u32, i64) -> f64) -> Option<Draws<'t>> {
        let lines = tree.lines(centre, beside);
        let rows = tree.classes.iter().flat_map(|class| &class.rows).max().map_or(0, |row| row + 1);
        let tilts = tree.balanced(rows, &lines);
        let (mut cells, mut below, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        for node in &tree.nodes {
            let own: Vec<Arc<Line>> =
                lines[node.class].iter().map(|line| Arc::new(line.tilted(tilts[node.class]))).collect();
            let own = Tied::new(&own)?;
            let rows: Vec<Tied> = node.below.iter().map(|row| tied(row, &sums)).collect::<Option<_>>()?;
            let weights = rows.iter().fold(own.sums().clone(), |weights, row| weights.times_turned(row.sums()));
            sums.push(Arc::new(weights));
            cells.push(own);
            below.push(rows);
        }
        let top = tied(&tree.top, &sums)?;
        (top.sums().at(0) > 0.0).then(|| Draws { tree, centre: centre.to_vec(), cells, below, top })
    }

    /// Draws the cells into a table; `false` where machine numbers fail.
    pub(crate) fn draw(&self, uniform: &mut dyn FnMut() -> f64, table: &mut [i64]) -> bool {
        let mut sums = vec![0; self.tree.nodes.len()];
        let mut drawn = self.top.draw(0, uniform, &mut |place, off| sums[self.tree.top[place]] = off);
        // From above: nodes come after those below them.
        for number in (0..self.tree.nodes.len()).rev() {
            let (node, sum) = (&self.tree.nodes[number], sums[number]);
            let cells = &self.tree.classes[node.class].cells;
            let put = &mut |place: usize, off: i64| {
                if let Some(count) = table.get_mut(cells[place] as usize) {
                    *count = self.centre[cells[place] as usize] + off;
                }
            };
            drawn = drawn && self.cells[number].draw(sum, uniform, put);
            for (row, tied) in node.below.iter().zip(&self.below[number]) {
                drawn = drawn && tied.draw(-sum, uniform, &mut |place, off| sums[row[place]] = off);
            }
        }
        drawn
    }
}

fn tied(nodes: &[usize], sums: &[Arc<Line>]) -> Option<Tied> {
    Tied::new(&nodes.iter().map(|node| sums[*node].clone()).collect::<Vec<_>>())
}

/// The rows, perhaps without one that follows from the others, if classes and rows then form a
/// tree.
fn without_circles(rows: &[Vec<usize>], classes: usize) -> Option<Vec<Vec<usize>>> {
    if is_tree(rows, classes) {
        return Some(rows.to_vec());
    }
    (0..rows.len()).find_map(|left_out| {
        let others: Vec<Vec<usize>> =
            rows.iter().enumerate().filter(|(row, _)| *row != left_out).map(|(_, row)| row.clone()).collect();
        (is_tree(&others, classes) && follows(&rows[left_out], &others, classes)).then_some(others)
    })
}

/// Whether classes and rows are a connected graph without circles.
fn is_tree(rows: &[Vec<usize>], classes: usize) -> bool {
    let mut ties = Union::new(classes + rows.len());
    let edges: Vec<(usize, usize)> =
        rows.iter().enumerate().flat_map(|(row, own)| own.iter().map(move |class| (classes + row, *class))).collect();
    edges.len() + 1 == rows.len() + classes && edges.into_iter().all(|(row, class)| ties.join(row as u32, class as u32))
}

/// Whether a row is a sum of multiples of rows that form a tree: found from classes that one of
/// them alone takes, and checked.
fn follows(row: &[usize], others: &[Vec<usize>], classes: usize) -> bool {
    let mut left = vec![0i64; classes];
    row.iter().for_each(|class| left[*class] += 1);
    let mut open: Vec<bool> = vec![true; others.len()];
    loop {
        let alone = (0..classes).find_map(|class| {
            let mut taking = (0..others.len()).filter(|other| open[*other] && others[*other].contains(&class));
            match (taking.next(), taking.next()) {
                (Some(other), None) => Some((other, left[class])),
                _ => None,
            }
        });
        let Some((other, times)) = alone else { return left.iter().all(|left| *left == 0) };
        open[other] = false;
        others[other].iter().for_each(|class| left[*class] -= times);
    }
}

/// The tree from its largest row down: nodes from below, and those of the top.
fn rooted(rows: &[Vec<usize>], classes: &[Class]) -> Option<(Vec<Node>, Vec<usize>)> {
    let top = (0..rows.len()).max_by_key(|row| rows[*row].len())?;
    // Classes from above, each with the row that it was reached by; then numbered from below.
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut waiting: Vec<(usize, usize)> = rows[top].iter().map(|class| (*class, top)).collect();
    while let Some((class, row)) = waiting.pop() {
        found.push((class, row));
        for other in classes[class].rows.iter().filter(|other| **other != row) {
            waiting.extend(rows[*other].iter().filter(|next| **next != class).map(|next| (*next, *other)));
        }
    }
    found.reverse();
    let mut number = vec![usize::MAX; classes.len()];
    found.iter().enumerate().for_each(|(place, (class, _))| number[*class] = place);
    let below = |class: usize, row: usize| -> Vec<Vec<usize>> {
        let others = classes[class].rows.iter().filter(|other| **other != row);
        let nodes =
            |other: &usize| rows[*other].iter().filter(|next| **next != class).map(|next| number[*next]).collect();
        others.map(nodes).collect()
    };
    let nodes: Vec<Node> =
        found.iter().map(|(class, row)| Node { class: *class, below: below(*class, *row) }).collect();
    // A total of one class alone ties nothing below it.
    let nodes_are_whole = nodes.iter().all(|node| node.below.iter().all(|row| !row.is_empty()));
    nodes_are_whole.then(|| (nodes, rows[top].iter().map(|class| number[*class]).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_total_that_follows_is_left_out() {
        // Three ages by two incomes: classes 2·age + income.
        let ages = (0..3).map(|age| vec![2 * age, 2 * age + 1]);
        let rows: Vec<Vec<usize>> = ages.chain([vec![0, 2, 4], vec![1, 3, 5]]).collect();
        let kept = without_circles(&rows, 6).unwrap();
        assert_eq!(kept.len(), 4);
        assert!(!is_tree(&rows, 6) && is_tree(&kept, 6));
        // By three incomes circles stay, whichever total is left out.
        let ages = (0..3).map(|age| vec![3 * age, 3 * age + 1, 3 * age + 2]);
        let rows: Vec<Vec<usize>> = ages.chain((0..3).map(|income| vec![income, 3 + income, 6 + income])).collect();
        assert_eq!(without_circles(&rows, 9), None);
        // A row that does not follow is never left out.
        assert!(!follows(&[0, 3], &[vec![0, 1], vec![2, 3]], 4));
        assert!(follows(&[0, 1, 2, 3], &[vec![0, 1], vec![2, 3]], 4));
    }
}
