//! A large table at a glance: its sums along each dimension, and one picture of all its cells.

use crate::Release;
use crate::bars::{self, Bar};
use crate::labels;
use crate::markup::Markup;
use crate::scale::Scale;
use crate::words::{counted, number};
use declare::Values;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A dimension with more values has no readable list of sums.
const MOST_SUMS: usize = 60;

/// The picture has at most this many squares; larger tables put several neighbouring cells in one.
const MOST_SQUARES: usize = 20_000;

/// About how many squares stand in one line of the picture.
const LINE: usize = 200;

/// The sums of the released counts along every dimension that is short enough, or a level of it that is.
pub(crate) fn margins(page: &mut Markup, release: &Release) {
    for (position, dimension) in release.domain.schema.dimensions.iter().enumerate() {
        let (name, sums) = match &dimension.values {
            Values::Hierarchy(levels) => {
                let Some(level) = (0..levels.names.len()).rev().find(|level| levels.labels[*level].len() <= MOST_SUMS)
                else {
                    continue;
                };
                (&levels.names[level], level_sums(release, position, level))
            }
            values if values.len() <= MOST_SUMS => (&dimension.name, value_sums(release, position)),
            _ => continue,
        };
        page.leaf("h3", &[], &format!("Sums by {name}"));
        let rows: Vec<Bar> = sums
            .into_iter()
            .map(|(label, value)| Bar { labels: vec![label], value, class: if value < 0 { "n2" } else { "p5" } })
            .collect();
        bars::list(page, &format!("Sums by {name}"), &[name], &rows);
    }
}

/// The sum over the cells below every label of a level of a hierarchy.
pub(crate) fn level_sums(release: &Release, position: usize, level: usize) -> Vec<(String, i128)> {
    let Values::Hierarchy(levels) = &release.domain.schema.dimensions[position].values else {
        return Vec::new();
    };
    let mut sums: Vec<(String, i128)> = levels.labels[level].iter().map(|label| (label.clone(), 0)).collect();
    for (cell, value) in release.values.iter().enumerate() {
        sums[levels.codes[level][release.domain.codes(cell)[position]] as usize].1 += i128::from(*value);
    }
    sums
}

fn value_sums(release: &Release, position: usize) -> Vec<(String, i128)> {
    let values = &release.domain.schema.dimensions[position].values;
    let mut sums: Vec<(String, i128)> = (0..values.len()).map(|code| (labels::value(values, code), 0)).collect();
    for (cell, value) in release.values.iter().enumerate() {
        sums[release.domain.codes(cell)[position]].1 += i128::from(*value);
    }
    sums
}

/// All cells in cell order, line by line, as coloured squares.
pub(crate) fn picture(page: &mut Markup, release: &Release) {
    let cells = release.values.len();
    let per_square = cells.div_ceil(MOST_SQUARES).max(1);
    let squares: Vec<i64> = release
        .values
        .chunks(per_square)
        .map(|chunk| chunk.iter().fold(0i64, |sum, value| sum.saturating_add(*value)))
        .collect();
    let last = release.domain.schema.dimensions.last().map_or(1, |dimension| dimension.values.len());
    // When lines hold whole runs of the last dimension, its values stand in columns and patterns become visible.
    let runs = (LINE / last).max(1) * last;
    let aligned = per_square == 1 && runs <= 2 * LINE && cells == release.domain.schema.combinations().unwrap_or(0);
    let width = if aligned { runs } else { LINE };
    let height = squares.len().div_ceil(width);
    let scale = Scale::new(&squares);
    page.leaf("h3", &[], "All cells");
    scale.legend(page, squares.contains(&0), false);
    let content = match per_square {
        1 => "one cell".to_owned(),
        several => format!("the sum of {} neighbouring cells", number(several as i128)),
    };
    page.element("figure", &[], |page| {
        let view = format!("0 0 {width} {height}");
        let title = format!("{} in cell order", counted(cells, "released count", "released counts"));
        page.element(
            "svg",
            &[("viewBox", &view), ("role", "img"), ("aria-label", &title), ("shape-rendering", "crispEdges")],
            |page| {
                for (class, path) in paths(&squares, width, &scale) {
                    page.leaf("path", &[("class", class), ("d", &path)], "");
                }
            },
        );
        page.leaf(
            "figcaption",
            &[],
            &format!(
                "Every square is {content}; left to right, then top to bottom, in the order of the \
                    table, {} to a line.",
                number(width as i128)
            ),
        );
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
