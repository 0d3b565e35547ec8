//! `Moves`: the smallest steps between two tables of the fibre, by kind, with what each of them
//! moves.
//!
//! The difference of two tables with the same totals is a sum of elements of the Graver basis of A
//! that agree in sign, so their lengths add up and no step leaves the bounds of a cell. An
//! [`Element`] stands for many elements of that basis: what it says is the worst of them. Proof:
//! `crates/certify/proofs/G3.md`.

mod circuits;
mod kernel;
mod layers;
mod margins;
mod near;
mod records;
mod ties;

use crate::block::{Block, Structure};
use crate::nearest::Nearest;
use crate::system::System;
use circuits::Circuits;
use declare::{Conditions, Footprint};
use exact::Rational;
use layers::Layers;
use margins::{Inequalities, Margin};
use near::Counted;
pub use near::Near;
use std::collections::HashSet;
use ties::Ties;

/// What a release may be told apart by: the steps between tables of the fibre.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moves {
    /// The strength of every noisy margin; none: every cell has noise of its own, of the
    /// mechanism's strength.
    pub strengths: Vec<Rational>,
    /// The kinds of steps. Every step between two tables is a sum of steps that are no worse than
    /// one of these.
    pub elements: Vec<Element>,
    /// The shortest kinds of steps that no total of zero rules out, all of one length; none when
    /// that length is not known. Bounds and rules may keep all of them out of the fibre.
    pub nearest: Vec<Element>,
    /// How near two tables of the fibre are, as far as that is known.
    pub pair: Nearest,
    /// Whether some totals are pinned to values that are not the table's own (theorem G10).
    pub pinned: bool,
    /// Whether inequalities hold, so that the normaliser depends on the table.
    pub inequalities: bool,
    /// Whether noise, totals and bounds are known to hold every cell: otherwise there may be no law
    /// to draw from.
    pub proper: bool,
    /// In how many cells one record may be counted.
    pub measures: u64,
    /// What one replaced record may change, where that is known and less than all its units apart;
    /// else none. Tables that are so many replaced records apart are joined by at most as many of
    /// these steps, all between tables of the fibre.
    pub replaced: Vec<Element>,
    /// Whether two cells or more are in no total.
    pub several_free: bool,
}

/// Steps of one kind; every number is the worst over them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Element {
    /// The kind.
    pub shape: StepKind,
    /// The ℓ₁ length, at most; of [`StepKind::Any`] one unit of it.
    pub length: u64,
    /// The square of the ℓ₂ length, at most.
    pub squared: u64,
    /// For every noisy margin how far its sums move in all, at most; without margins: how far the
    /// cells do.
    pub moved: Vec<u64>,
    /// For every noisy margin how far those of its sums move, at least, that move as a bounded cell
    /// of the step does: sums that are a multiple of that cell plus a combination of totals.
    pub own: Vec<u64>,
    /// Which inequalities the step may run into.
    pub bounds: Bounds,
    /// Whether these are that counts are not negative, and nothing else.
    pub from_below: bool,
    /// Whether a step of this kind moves every margin as far as `moved` says, for its length.
    pub is_exact: bool,
    /// For a step between cells that share one total of their own, bounded from below alone, with
    /// the same noise on each and on nothing else: how many cells they are.
    pub class: Option<u64>,
    /// For steps of a small part of single cells, with noise on each and on nothing else, that is
    /// tied to no other: how many steps of each length it has. The elements it stands for have any
    /// length up to this one's, and move all cells by one.
    pub near: Option<Near>,
}

impl Element {
    /// A step of this kind and length that moves no margin, may run into anything, and of which
    /// nothing more is known.
    fn new(shape: StepKind, length: u64, squared: u64) -> Element {
        Element {
            shape,
            length,
            squared,
            moved: Vec::new(),
            own: Vec::new(),
            bounds: Bounds::Tied,
            from_below: false,
            is_exact: false,
            class: None,
            near: None,
        }
    }
}

/// The kinds of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StepKind {
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
    /// What one replaced record changes in two measures of which one is part of the other.
    Record,
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
    let ties = Ties::new(system, blocks);
    let margins = margins::margins(conditions, system, Some(&ties));
    let inequalities = margins::inequalities(conditions, system, &ties);
    let search = StepSearch {
        system,
        margins: &margins,
        inequalities: &inequalities,
        zero: zero_classes(conditions, system),
        counted: Counted::default(),
    };
    let mut elements = HashSet::new();
    let mut candidates = Candidates::default();
    for block in blocks {
        search.block(block, &mut elements, &mut candidates);
    }
    let mut elements: Vec<Element> = elements.into_iter().collect();
    elements.sort_unstable();
    // Of classes that differ in size alone the largest is the worst; sorted, it is the last of
    // them.
    elements.dedup_by(|next, kept| {
        let alike =
            Element { class: kept.class, ..next.clone() } == *kept && kept.class.is_some() == next.class.is_some();
        if alike {
            kept.class = kept.class.max(next.class);
        }
        alike
    });
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
        replaced: records::replaced(conditions, blocks),
        several_free: blocks.iter().any(|block| block.structure == Structure::Free && block.size > 1),
    }
}

/// The steps when some totals are pinned to values that are not the table's own: tables agree on
/// the other totals alone, of which `nearest` are the steps, and any difference is charged unit by
/// unit.
pub(crate) fn pinned(conditions: &Conditions, system: &System, nearest: Moves) -> Moves {
    let margins = margins::margins(conditions, system, None);
    let most = |margin: &Margin| margin.unit.iter().copied().max().unwrap_or(0);
    let moved = margins.iter().map(most).collect();
    let any = Element { moved, own: vec![0; margins.len()], ..Element::new(StepKind::Any, 1, 1) };
    let tied =
        |element: Element| Element { bounds: Bounds::Tied, from_below: false, class: None, near: None, ..element };
    let nearest = Moves { nearest: nearest.nearest.into_iter().map(tied).collect(), ..nearest };
    Moves { elements: vec![any], pinned: true, replaced: Vec::new(), ..nearest }
}

/// The shortest steps found so far: those that a total of zero rules out count only when there is
/// no other.
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

struct StepSearch<'a> {
    system: &'a System<'a>,
    margins: &'a [Margin],
    inequalities: &'a Inequalities,
    zero: Vec<bool>,
    counted: Counted,
}

impl StepSearch<'_> {
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
                let element = self.pair(*class, matches!(block.structure, Structure::OneTotal { .. }));
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
            moved: self.margins.iter().map(|margin| margin.unit[at]).collect(),
            own: self.margins.iter().map(|margin| margin.own[at]).collect(),
            bounds: self.inequalities.of_unit(class),
            from_below: self.inequalities.are_from_below(class),
            is_exact: self.margins.iter().all(|margin| margin.even[at]),
            ..Element::new(StepKind::Alone, 1, 1)
        }
    }

    /// A step inside a class; `alone`: the class has a total of its own.
    fn pair(&self, class: u32, alone: bool) -> Element {
        let at = class as usize;
        let moved: Vec<u64> = self.margins.iter().map(|margin| margin.pair[at]).collect();
        let mut own: Vec<u64> = self.margins.iter().map(|margin| margin.own[at]).collect();
        let bounds = self.inequalities.of_pair(class);
        let from_below = self.inequalities.are_from_below(class);
        let size = self.system.classes.size[at];
        // Every sum that moves is one cell's own, and all cells have the same.
        let is_even = moved.iter().zip(&own).all(|(moved, own)| *moved == 2 * own);
        let is_class = alone && from_below && bounds == Bounds::Cells && size > 2 && is_even;
        // Where nothing stops the step nothing is tied to what does: a folded table has the same
        // steps as the whole.
        if bounds == Bounds::Free {
            own.fill(0);
        }
        Element {
            is_exact: self.has_noise_on_cells() || is_even || size == 2,
            moved,
            own,
            bounds,
            from_below,
            class: is_class.then(|| u64::from(size)),
            ..Element::new(StepKind::Pair, 2, 2)
        }
    }

    /// Whether every cell has noise of its own and nothing else has any.
    fn has_noise_on_cells(&self) -> bool {
        self.margins.iter().all(Margin::is_of_cells)
    }

    /// A step that touches classes of a part in which totals cross, of a known length.
    fn across(&self, classes: &[u32], shape: StepKind, length: u64, squared: u64) -> Element {
        let most =
            |margin: &Margin| length * classes.iter().map(|class| margin.unit[*class as usize]).max().unwrap_or(0);
        let least = |margin: &Margin| classes.iter().map(|class| margin.own[*class as usize]).min().unwrap_or(0);
        Element {
            moved: self.margins.iter().map(most).collect(),
            own: self.margins.iter().map(least).collect(),
            bounds: classes.iter().map(|class| self.inequalities.of_unit(*class)).max().unwrap_or(Bounds::Free),
            from_below: classes.iter().all(|class| self.inequalities.are_from_below(*class)),
            is_exact: self.has_noise_on_cells(),
            ..Element::new(shape, length, squared)
        }
    }

    /// The worst step of a part in which totals cross, and the shortest with whether no total of
    /// zero rules it out.
    fn crossing(&self, classes: &[u32], rank: usize) -> (Element, Option<(Element, bool)>) {
        if classes.len() == rank + 1
            && let Some(kernel) = kernel::primitive(self.system, classes)
        {
            let is_cycle = Circuits::new(self.system, classes).is_some();
            let shape = if is_cycle { StepKind::Circuit } else { StepKind::Kernel };
            let element = self.kernel(&kernel, shape);
            let possible = kernel.iter().all(|(class, _)| !self.zero[*class as usize]);
            return (element.clone(), Some((element, possible)));
        }
        if rank == 1 {
            return self.equation(classes);
        }
        let unknown = || {
            let bounded = classes.iter().any(|class| self.inequalities.of_unit(*class) != Bounds::Free);
            let mut element = self.across(classes, StepKind::Any, 1, 1);
            element.bounds = if bounded { Bounds::Tied } else { Bounds::Free };
            (element, None)
        };
        let Some(circuits) = Circuits::new(self.system, classes) else {
            return self.layers(classes).unwrap_or_else(unknown);
        };
        let longest = circuits.longest();
        let mut worst = self.across(classes, StepKind::Circuit, longest, longest);
        if worst.bounds == Bounds::Cells && self.has_noise_on_cells() {
            worst.near = Near::new(self.system, classes, rank, &self.counted);
        }
        let near = worst.near.clone();
        let step = |(length, is_possible): (u64, bool)| {
            let step = self.across(classes, StepKind::Circuit, length, length);
            (Element { near: near.clone(), ..step }, is_possible)
        };
        (worst, circuits.shortest(|class| !self.zero[class as usize]).map(step))
    }

    /// A part of two layers: a step in one layer is undone in the other.
    fn layers(&self, classes: &[u32]) -> Option<(Element, Option<(Element, bool)>)> {
        let layers = Layers::new(self.system, classes, |class| !self.zero[class as usize])?;
        let step = |length: u64| self.across(classes, StepKind::Kernel, length, length);
        let (shortest, is_possible) = layers.shortest;
        Some((step(layers.longest), Some((step(shortest), is_possible))))
    }

    /// One equation that takes cells with coefficients: its elements have at most twice the largest
    /// coefficient.
    fn equation(&self, classes: &[u32]) -> (Element, Option<(Element, bool)>) {
        let coefficients: Vec<u64> = classes
            .iter()
            .map(|class| self.system.column(*class).next().map_or(1, |(_, times)| times.unsigned_abs()))
            .collect();
        let largest = coefficients.iter().copied().max().unwrap_or(1);
        let element = |length: u64| self.across(classes, StepKind::Equation, length, length * length);
        let shortest = (largest == 1).then(|| (Element { squared: 2, ..element(2) }, true));
        (element(2 * largest), shortest)
    }

    fn kernel(&self, kernel: &[(u32, i64)], shape: StepKind) -> Element {
        let classes: Vec<u32> = kernel.iter().map(|(class, _)| *class).collect();
        let length = kernel.iter().map(|(_, amount)| amount.unsigned_abs()).sum();
        let squared = kernel.iter().map(|(_, amount)| amount.unsigned_abs().pow(2)).sum();
        let mut element = self.across(&classes, shape, length, squared);
        let single = classes.iter().all(|class| self.system.classes.size[*class as usize] == 1);
        for (margin, moved) in self.margins.iter().zip(&mut element.moved).filter(|_| single) {
            let cells = kernel.iter().map(|(class, amount)| (self.system.classes.first_cell[*class as usize], *amount));
            *moved = margin.moved_by(cells);
        }
        element.is_exact |= single;
        element
    }
}
