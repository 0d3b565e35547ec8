//! A large table at a glance: its sums along each dimension, and one picture of all its cells.

use crate::Release;
use crate::chart;
use crate::markup::Markup;
use crate::scale::Scale;
use crate::words::{counted, number};
use declare::{Dimension, Values};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A dimension with more values has no readable list of sums.
const MOST_SUMS: usize = 60;

/// The picture has at most this many squares; larger tables put several neighbouring cells in one.
pub(crate) const MOST_SQUARES: usize = 20_000;

/// About how many squares stand in one line of the picture.
const LINE: usize = 200;

/// What of a dimension is short enough for a list of sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Its values.
    Values,
    /// A level of its hierarchy.
    Level(usize),
}

impl Shown {
    /// How many sums there are.
    pub(crate) fn len(self, dimension: &Dimension) -> usize {
        match (self, &dimension.values) {
            (Shown::Level(level), Values::Hierarchy(levels)) => levels.labels[level].len(),
            (_, values) => values.len(),
        }
    }

    /// The sum that a value of the dimension belongs to.
    pub(crate) fn place(self, dimension: &Dimension, code: usize) -> usize {
        match (self, &dimension.values) {
            (Shown::Level(level), Values::Hierarchy(levels)) => levels.codes[level][code] as usize,
            _ => code,
        }
    }
}

/// What is shown of a dimension: its values, or the finest level that is short enough.
pub(crate) fn shown(dimension: &Dimension) -> Option<Shown> {
    match &dimension.values {
        Values::Hierarchy(levels) => {
            let level = (0..levels.names.len()).rev().find(|level| levels.labels[*level].len() <= MOST_SUMS);
            level.map(Shown::Level)
        }
        values => (values.len() <= MOST_SUMS).then_some(Shown::Values),
    }
}

/// All cells in cell order, line by line, as coloured squares.
pub(crate) fn picture(page: &mut Markup, release: &Release) {
    let cells = release.domain.len();
    let (squares, per_square) = (&release.figures.squares, release.figures.per_square);
    let last = release.domain.schema.dimensions.last().map_or(1, |dimension| dimension.values.len());
    // When lines hold whole runs of the last dimension, its values stand in columns and patterns
    // become visible.
    let runs = (LINE / last).max(1) * last;
    let aligned = per_square == 1 && runs <= 2 * LINE && cells == release.domain.schema.combinations().unwrap_or(0);
    let width = if aligned { runs } else { LINE };
    let height = squares.len().div_ceil(width);
    let scale = Scale::new(squares);
    page.leaf("h3", &[], "All cells");
    scale.legend(page, squares.contains(&0), false);
    let content = match per_square {
        1 => "one cell".to_owned(),
        several => format!("the sum of {} neighbouring cells", number(several as i128)),
    };
    page.element("figure", &[], |page| {
        let title = format!("{} in cell order", counted(cells, "released count", "released counts"));
        let size = (width as f64, height as f64);
        chart::picture(page, "", size, &title, &[("shape-rendering", "crispEdges")], |page| {
            paths(squares, width, &scale).iter().for_each(|(class, path)| page.path(class, path));
        });
        let text = format!(
            "Every square is {content}; left to right, then top to bottom, in the order of the \
                    table, {} to a line.",
            number(width as i128)
        );
        page.leaf("figcaption", &[], &text);
    });
}

/// One path per colour; neighbours of one colour share a rectangle.
fn paths(squares: &[i64], width: usize, scale: &Scale) -> BTreeMap<&'static str, String> {
    let mut paths: BTreeMap<&'static str, String> = BTreeMap::new();
    for (y, line) in squares.chunks(width).enumerate() {
        let mut x = 0;
        for run in line.chunk_by(|left, right| scale.class(*left) == scale.class(*right)) {
            let path = paths.entry(scale.class(run[0])).or_default();
            let length = run.len();
            // Writing to a string cannot fail.
            let _ = write!(path, "M{x} {y}h{length}v1h-{length}z");
            x += length;
        }
    }
    paths
}
