//! `Moves`: the smallest steps between two tables of the fibre, by kind, with what each of them moves.
//!
//! The difference of two tables with the same totals is a sum of elements of the Graver basis of A that agree in sign, so
//! their lengths add up and no step leaves the bounds of a cell. An [`Element`] stands for many elements of that basis: what
//! it says is the worst of them. Proof: `crates/certify/proofs/G3.md`.

mod circuits;
mod kernel;
mod layers;
mod margins;

use crate::analysis::{Block, Structure};
use crate::nearest::Nearest;
use crate::system::System;
use circuits::Circuits;
use declare::{Conditions, Footprint};
use exact::Rational;
use layers::Layers;
use margins::{Inequalities, Margin};
use std::collections::HashSet;

/// What a release may be told apart by: the steps between tables of the fibre.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moves {
    /// The strength of every noisy margin; none: every cell has noise of its own, of the mechanism's strength.
    pub strengths: Vec<Rational>,
    /// The kinds of steps. Every step between two tables is a sum of steps that are no worse than one of these.
    pub elements: Vec<Element>,
    /// The shortest kinds of steps that no total of zero rules out, all of one length; none when that length is not known. Bounds
    /// and rules may keep all of them out of the fibre.
    pub nearest: Vec<Element>,
    /// How near two tables of the fibre are, as far as that is known.
    pub pair: Nearest,
    /// Whether some totals are pinned to values that are not the table's own (theorem G10).
    pub pinned: bool,
    /// Whether inequalities hold, so that the normaliser depends on the table.
    pub inequalities: bool,
    /// Whether noise, totals and bounds are known to hold every cell: otherwise there may be no law to draw from.
    pub proper: bool,
    /// In how many cells one record may be counted.
    pub measures: u64,
}

/// Steps of one kind; every number is the worst over them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Element {
    /// The kind.
    pub shape: Shape,
    /// The ℓ₁ length, at most; of [`Shape::Any`] one unit of it.
    pub length: u64,
    /// The square of the ℓ₂ length, at most.
    pub squared: u64,
    /// For every noisy margin how far its sums move in all, at most; without margins: how far the cells do.
    pub moved: Vec<u64>,
    /// For every noisy margin how often it takes a bounded cell that moves, alone in its group, at least.
    pub own: Vec<u64>,
    /// Which inequalities the step may run into.
    pub bounds: Bounds,
}

/// The kinds of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// One unit more or less in a cell that is in no total.
    Alone,
    /// One unit from a cell to another with the same totals.
    Pair,
    /// A cycle through totals of two families that cross: one unit up and down in turn.
    Circuit,
    /// Units exchanged under one total that takes cells several times, or less than zero times.
    Equation,
    /// The one direction that the totals leave free.
    Kernel,
    /// Whatever the totals allow: the smallest steps are not known.
    Any,
}

/// Which inequalities a step may run into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bounds {
    /// None.
    Free,
    /// Bounds of single cells only.
    Cells,
    /// Rules that tie it to other cells.
    Tied,
}

/// Finds the kinds of steps, and the shortest.
pub(crate) fn moves(conditions: &Conditions, system: &System, blocks: &[Block]) -> Moves {
    let margins = margins::margins(conditions, system);
    let inequalities = margins::inequalities(conditions, system);
    let search =
        Search { system, margins: &margins, inequalities: &inequalities, zero: zero_classes(conditions, system) };
    let mut elements = HashSet::new();
    let mut candidates = Candidates::default();
    for block in blocks {
        search.block(block, &mut elements, &mut candidates);
    }
    let mut elements: Vec<Element> = elements.into_iter().collect();
    elements.sort_unstable();
    Moves {
        strengths: conditions.queries.iter().map(|query| query.strength.clone()).collect(),
        elements,
        nearest: candidates.shortest(),
        pair: Nearest { at_least: 1, found: None },
        pinned: false,
        proper: true,
        inequalities: conditions.has_inequalities(),
        measures: match &conditions.footprint {
            Footprint::OneCell => 1,
            Footprint::EveryMeasure { measures, .. } => *measures as u64,
        },
    }
}

/// The steps when some totals are pinned to values that are not the table's own: tables agree on the other totals alone,
/// of which `nearest` are the steps, and any difference is charged unit by unit.
pub(crate) fn pinned(conditions: &Conditions, system: &System, nearest: Moves) -> Moves {
    let margins = margins::margins(conditions, system);
    let most = |margin: &Margin| margin.unit.iter().copied().max().unwrap_or(0);
    let any = Element {
        shape: Shape::Any,
        length: 1,
        squared: 1,
        moved: margins.iter().map(most).collect(),
        own: vec![0; margins.len()],
        bounds: Bounds::Tied,
    };
    let tied = |element: Element| Element { bounds: Bounds::Tied, ..element };
    Moves { elements: vec![any], nearest: nearest.nearest.into_iter().map(tied).collect(), pinned: true, ..nearest }
}

/// The shortest steps found so far: those that a total of zero rules out count only when there is no other.
#[derive(Default)]
struct Candidates {
    possible: Vec<Element>,
    ruled_out: Vec<Element>,
    /// Whether some part may hold a step of length 2 or more that was not found.
    unknown: bool,
}

impl Candidates {
    fn add(&mut self, element: Element, is_possible: bool) {
        let found = if is_possible { &mut self.possible } else { &mut self.ruled_out };
        let known = found.first().map_or(u64::MAX, |known| known.length);
        if element.length < known {
            found.clear();
        }
        if element.length <= known && !found.contains(&element) {
            found.push(element);
        }
    }

    fn shortest(self) -> Vec<Element> {
        let found = if self.possible.is_empty() { self.ruled_out } else { self.possible };
        let known = found.first().is_some_and(|element| !self.unknown || element.length <= 2);
        if known { found } else { Vec::new() }
    }
}

/// The classes of cells under a total of zero: counts are not negative, so nothing moves there.
fn zero_classes(conditions: &Conditions, system: &System) -> Vec<bool> {
    let mut zero = vec![false; system.classes.len()];
    for (index, pinned) in conditions.pinned.iter().enumerate() {
        if pinned.is_some() || system.groupings[index].times.is_some() {
            continue;
        }
        for (class, zero) in zero.iter_mut().enumerate() {
            *zero |= system.row(class as u32, index).is_some_and(|row| system.total(row) == 0);
        }
    }
    zero
}

struct Search<'a> {
    system: &'a System<'a>,
    margins: &'a [Margin],
    inequalities: &'a Inequalities,
    zero: Vec<bool>,
}

impl Search<'_> {
    fn block(&self, block: &Block, elements: &mut HashSet<Element>, candidates: &mut Candidates) {
        let classes = self.classes_of(block);
        if block.structure == Structure::Free {
            let element = self.alone(classes[0]);
            candidates.add(element.clone(), true);
            elements.insert(element);
            return;
        }
        for class in &classes {
            if self.system.classes.size[*class as usize] > 1 {
                let element = self.pair(*class);
                candidates.add(element.clone(), !self.zero[*class as usize]);
                elements.insert(element);
            }
        }
        if let Structure::Crossing { rank, .. } = block.structure {
            let (worst, shortest) = self.crossing(&classes, rank);
            elements.insert(worst);
            match shortest {
                Some((element, is_possible)) => candidates.add(element, is_possible),
                None => candidates.unknown = true,
            }
        }
    }

    fn classes_of(&self, block: &Block) -> Vec<u32> {
        let of_cell = &self.system.classes.of_cell;
        let first = |cell: &&u32| self.system.classes.first_cell[of_cell[**cell as usize] as usize] == **cell;
        block.cells.iter().filter(first).map(|cell| of_cell[*cell as usize]).collect()
    }

    fn alone(&self, class: u32) -> Element {
        let at = class as usize;
        Element {
            shape: Shape::Alone,
            length: 1,
            squared: 1,
            moved: self.margins.iter().map(|margin| margin.unit[at]).collect(),
            own: self.margins.iter().map(|margin| margin.own[at]).collect(),
            bounds: self.inequalities.of_unit(class),
        }
    }

    fn pair(&self, class: u32) -> Element {
        let at = class as usize;
        Element {
            shape: Shape::Pair,
            length: 2,
            squared: 2,
            moved: self.margins.iter().map(|margin| margin.pair[at]).collect(),
            own: self.margins.iter().map(|margin| margin.own[at]).collect(),
            bounds: self.inequalities.of_pair(class),
        }
    }

    /// A step that touches classes of a part in which totals cross, of a known length.
    fn across(&self, classes: &[u32], shape: Shape, length: u64, squared: u64) -> Element {
        let most = |margin: &Margin| match margin.is_kept {
            true => 0,
            false => length * classes.iter().map(|class| margin.unit[*class as usize]).max().unwrap_or(0),
        };
        let least = |margin: &Margin| classes.iter().map(|class| margin.own[*class as usize]).min().unwrap_or(0);
        Element {
            shape,
            length,
            squared,
            moved: self.margins.iter().map(most).collect(),
            own: self.margins.iter().map(least).collect(),
            bounds: classes.iter().map(|class| self.inequalities.of_unit(*class)).max().unwrap_or(Bounds::Free),
        }
    }

    /// The worst step of a part in which totals cross, and the shortest with whether no total of zero rules it out.
    fn crossing(&self, classes: &[u32], rank: usize) -> (Element, Option<(Element, bool)>) {
        if classes.len() == rank + 1
            && let Some(kernel) = kernel::primitive(self.system, classes)
        {
            let is_cycle = Circuits::new(self.system, classes).is_some();
            let shape = if is_cycle { Shape::Circuit } else { Shape::Kernel };
            let element = self.kernel(&kernel, shape);
            let possible = kernel.iter().all(|(class, _)| !self.zero[*class as usize]);
            return (element.clone(), Some((element, possible)));
        }
        if rank == 1 {
            return self.equation(classes);
        }
        let unknown = || {
            let bounded = classes.iter().any(|class| self.inequalities.of_unit(*class) != Bounds::Free);
            let mut element = self.across(classes, Shape::Any, 1, 1);
            element.bounds = if bounded { Bounds::Tied } else { Bounds::Free };
            (element, None)
        };
        let Some(circuits) = Circuits::new(self.system, classes) else {
            return self.layers(classes).unwrap_or_else(unknown);
        };
        let longest = circuits.longest();
        let worst = self.across(classes, Shape::Circuit, longest, longest);
        let step =
            |(length, is_possible): (u64, bool)| (self.across(classes, Shape::Circuit, length, length), is_possible);
        (worst, circuits.shortest(|class| !self.zero[class as usize]).map(step))
    }

    /// A part of two layers: a step in one layer is undone in the other.
    fn layers(&self, classes: &[u32]) -> Option<(Element, Option<(Element, bool)>)> {
        let layers = Layers::new(self.system, classes, |class| !self.zero[class as usize])?;
        let step = |length: u64| self.across(classes, Shape::Kernel, length, length);
        let (shortest, is_possible) = layers.shortest;
        Some((step(layers.longest), Some((step(shortest), is_possible))))
    }

    /// One equation that takes cells with coefficients: its elements have at most twice the largest coefficient.
    fn equation(&self, classes: &[u32]) -> (Element, Option<(Element, bool)>) {
        let coefficients: Vec<u64> = classes
            .iter()
            .map(|class| self.system.column(*class).next().map_or(1, |(_, times)| times.unsigned_abs()))
            .collect();
        let largest = coefficients.iter().copied().max().unwrap_or(1);
        let element = |length: u64| self.across(classes, Shape::Equation, length, length * length);
        let shortest = (largest == 1).then(|| (Element { squared: 2, ..element(2) }, true));
        (element(2 * largest), shortest)
    }

    fn kernel(&self, kernel: &[(u32, i64)], shape: Shape) -> Element {
        let classes: Vec<u32> = kernel.iter().map(|(class, _)| *class).collect();
        let length = kernel.iter().map(|(_, amount)| amount.unsigned_abs()).sum();
        let squared = kernel.iter().map(|(_, amount)| amount.unsigned_abs().pow(2)).sum();
        let mut element = self.across(&classes, shape, length, squared);
        let single = classes.iter().all(|class| self.system.classes.size[*class as usize] == 1);
        for (margin, moved) in self.margins.iter().zip(&mut element.moved).filter(|_| single) {
            let cells = kernel.iter().map(|(class, amount)| (self.system.classes.first_cell[*class as usize], *amount));
            *moved = margin.moved_by(cells);
        }
        element
    }
}
