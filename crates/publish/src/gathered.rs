//! `Gathered`: what the texts of a release say about its counts, from one pass over portions of the
//! table.

use crate::contents::Contents;
use crate::files::Portion;
use declare::Domain;
use report::Figures;

/// Figures for the report, and the extent of the columns for the codebook.
#[derive(Debug)]
pub struct Gathered<'a> {
    /// What the report says of the counts.
    pub figures: Figures<'a>,
    /// The extent of every column.
    pub extent: Extent,
}

/// The smallest and the largest number of every column, and how many counts are below zero.
#[derive(Debug, Clone, Default)]
pub struct Extent {
    pub value: Span,
    pub lower: Span,
    pub upper: Span,
    pub negative: usize,
    cells: usize,
}

/// The smallest and the largest of some numbers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span(Option<(i64, i64)>);

impl Span {
    pub(crate) fn add(&mut self, number: i64) {
        self.0 = Some(self.0.map_or((number, number), |(least, most)| (least.min(number), most.max(number))));
    }

    /// For example `-3 to 12`; nothing when there are no numbers.
    pub fn text(self) -> String {
        self.0.map_or(String::new(), |(least, most)| format!("{least} to {most}"))
    }
}

impl<'a> Gathered<'a> {
    /// Nothing yet, of a table over this domain.
    pub fn new(domain: &'a Domain) -> Self {
        Gathered { figures: Figures::new(domain), extent: Extent::default() }
    }

    /// The next counts of a table that is being written, in cell order.
    pub fn add_drawn(&mut self, values: &[i64], contents: &Contents<'_>) {
        self.add(values);
        let first = self.extent.cells - values.len();
        if let Ok(intervals) = &contents.intervals {
            for (position, value) in values.iter().enumerate() {
                let reach = intervals.reach(first + position);
                self.extent.lower.add(value.saturating_sub(reach));
                self.extent.upper.add(value.saturating_add(reach));
            }
        }
    }

    /// The next cells of a table that is being read.
    pub fn add_read(&mut self, portion: &Portion<'_>) {
        self.add(portion.values);
        if let Some([lower, upper]) = portion.interval {
            lower.iter().for_each(|lower| self.extent.lower.add(*lower));
            upper.iter().for_each(|upper| self.extent.upper.add(*upper));
        }
    }

    fn add(&mut self, values: &[i64]) {
        self.figures.add(values);
        values.iter().for_each(|value| self.extent.value.add(*value));
        self.extent.negative += values.iter().filter(|value| **value < 0).count();
        self.extent.cells += values.len();
    }
}
