//! Whether the moves of a walk are proved to join all tables, and where pairs of chains begin: at
//! tables far apart.

use super::gather::SEED;
use super::kernel::Kernel;
use super::lag::stream;
use super::space::Space;
use super::{STARTS, Steps, Walk};
use declare::Problem;
use exact::{Entropy, Seeded, integer};

/// A table that chains walk around, and tables far from it that others begin at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begin {
    /// The table, in the order of the block's cells.
    pub start: Vec<i64>,
    /// Tables of the same fibre.
    pub far: Vec<Vec<i64>>,
}

/// How the reason begins where nothing proves that the steps of a walk join all tables.
pub const UNPROVED: &str = "nothing proves that its steps join all tables within the bounds";

/// What works where a walk is refused because of that.
pub const PROVED_WALKS: &str = "walks are certified where nothing but exact totals confines the tables (nonnegative = false and no \
                               rules), and with bounds on cells where totals are sums of whole cells that nest or cross in two \
                               ways; or declare totals that an exact operator can draw, or method = \"project\"";

/// Tables that are far from the start where the noise does not depend on it: half of them in a
/// direction of all vectors, half along one.
const FAR: u64 = 4;
/// The draw of the seed that chooses them.
const DRAW: u64 = 4;
/// At most so many steps lead to a far table.
const MOST_STEPS: usize = 1 << 20;
/// Units that go round a cycle at once on the way to an end of the fibre.
const WHOLE_WAY: i64 = 1 << 20;
/// Costs of cells are up to this.
const COSTS: u64 = 1 << 20;

impl Walk {
    /// Whether the moves are proved to lead from every table to every other, by steps that are
    /// proposed often.
    ///
    /// # Errors
    /// In words: why that is not known.
    pub fn connected(&self) -> Result<(), String> {
        if !Space::new(&self.fibre).is_bounded() {
            return Ok(());
        }
        let why = match (self.steps, &self.circulation) {
            (Steps::Lattice, Ok(_)) if self.lines => return Ok(()),
            (Steps::Lattice, Err(why)) => *why,
            _ => "it proposes all cells at once, and hardly ever those that lead from one part to another",
        };
        Err(format!("{UNPROVED}, and chains cannot notice tables that they never reach: {why}"))
    }

    /// The tables that evidence begins at: functions of public values.
    ///
    /// # Errors
    /// Refused when no table with these totals is found.
    pub fn begins(&self) -> Result<Vec<Begin>, Problem> {
        let first = self.first_start()?;
        let source = Seeded::draw(SEED, DRAW);
        let bits = |number: u64| stream(&source, number);
        let ready = self.ready();
        let energy = |start: &[i64]| {
            let kernel = self.kernel(&ready, start.to_vec(), &self.sums_of(start));
            move |values: &[i64]| kernel.energy(&kernel.start(values.to_vec()))
        };
        // The energy of the law is about its dimension, or half of it: twice that is farther out
        // than the law goes.
        let far_out = 2.0 * self.lattice.basis().len() as f64 + 4.0;
        if !Space::new(&self.fibre).is_bounded() {
            let energy = energy(&first);
            let along_one = 2.0 * (self.lattice.basis().len() as f64).ln() + 6.0;
            let far = (0..FAR).map(|number| {
                let far_out = if number % 2 == 0 { far_out } else { along_one };
                Ok(self.pushed(number % 2 == 0, &|noise: &[i64]| energy(noise) >= far_out, &mut bits(number)?))
            });
            let far = far.collect::<Result<_, Problem>>()?;
            return Ok(vec![Begin { start: first, far }]);
        }
        let Ok(graph) = &self.circulation else { return Ok(vec![Begin { start: first, far: Vec::new() }]) };
        let costs = |number: u64| -> Result<Vec<i64>, Problem> {
            let mut bits = bits(number)?;
            let mut cost = || integer::below(&mut bits, 2 * COSTS) as i64 - COSTS as i64;
            Ok(self.fibre.cells.iter().map(|_| cost()).collect())
        };
        // Ends of the fibre in random directions: sparse tables, on as many bounds as can be.
        let mut starts = vec![first.clone()];
        for number in 1..STARTS {
            let end = graph.far_table(&self.fibre, &first, &costs(FAR + number)?, WHOLE_WAY, &mut |_| false);
            if !starts.contains(&end) {
                starts.push(end);
            }
        }
        let slowest = self.proposals().map_or(1.0, |(least, _)| least.to_f64());
        let units = (4.0 / slowest).ceil() as i64;
        let mut begins = Vec::new();
        for (number, start) in starts.iter().enumerate() {
            let costs = costs(FAR + STARTS + number as u64)?;
            let energy = energy(start);
            let is_far = &mut |values: &[i64]| energy(values) >= far_out;
            let mut far = graph.far_table(&self.fibre, start, &costs, units, is_far);
            if far == *start {
                // The start is the end in this direction: the other way, then.
                let back: Vec<i64> = costs.iter().map(|cost| -cost).collect();
                far = graph.far_table(&self.fibre, start, &back, units, is_far);
            }
            let far = if far == *start { Vec::new() } else { vec![far] };
            begins.push(Begin { start: start.clone(), far });
        }
        Ok(begins)
    }

    /// Noise that is far out: units of random vectors, each always in the same direction, or of one
    /// vector alone.
    fn pushed<E: Entropy>(&self, all: bool, is_far: &dyn Fn(&[i64]) -> bool, bits: &mut E) -> Vec<i64> {
        let basis = self.lattice.basis();
        let one = integer::below(bits, basis.len() as u64) as usize;
        let forward: Vec<bool> = basis.iter().map(|_| bits.bits(1) == 1).collect();
        let mut noise = vec![0i64; self.fibre.cells.len()];
        // Energies are asked for seldom where many steps are needed.
        let mut pause = 1;
        let mut steps = 0;
        while steps < MOST_STEPS && !is_far(&noise) {
            for _ in 0..pause {
                let vector = if all { integer::below(bits, basis.len() as u64) as usize } else { one };
                let units = if forward[vector] { 1 } else { -1 };
                basis[vector].iter().for_each(|(place, times)| noise[*place as usize] += units * times);
            }
            steps += pause;
            pause = (steps / 64).max(1);
        }
        noise
    }
}
