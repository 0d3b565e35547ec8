//! The released table, in the form its shape allows: a grid, bars, groups of bars, or an overview
//! with an excerpt.

use crate::markup::Markup;
use crate::scale::Scale;
use crate::words::{counted, number};
use crate::{Release, bars, grid, margins, overview};
use declare::Values;

/// Larger tables are shown as an overview.
pub(crate) const SHOWN_FULLY: usize = 4_000;

/// A grid with more columns does not fit a page.
pub(crate) const MOST_COLUMNS: usize = 40;

/// A longer hierarchy is shown group by group.
const UNGROUPED: usize = 80;

/// How many rows of a grid, and how many cells of a list, stand below an overview.
const EXCERPT_ROWS: usize = 30;
const EXCERPT_CELLS: usize = 60;

/// The whole section.
pub(crate) fn section(page: &mut Markup, release: &Release) {
    let dimensions = &release.domain.schema.dimensions;
    let cells = release.domain.len();
    let sizes: Vec<usize> = dimensions.iter().map(|dimension| dimension.values.len()).collect();
    if cells == 0 || sizes.is_empty() {
        page.paragraph("The table has no cells.");
        return;
    }
    let scale = Scale::of(&release.figures.above, &release.figures.below);
    let columns = sizes[sizes.len() - 1];
    if cells > SHOWN_FULLY {
        page.paragraph(&format!(
            "With {}, the table is too large to print here. Below are its sums along each \
                    dimension, a picture of all cells, and its first rows; everything else is \
                    left out of this page and stands in {}.",
            counted(cells, "cell", "cells"),
            release.certificate.table.file
        ));
        margins::section(page, release);
        overview::picture(page, release);
        page.leaf("h3", &[], "The first rows");
        if sizes.len() > 1 && columns <= MOST_COLUMNS {
            let shown = grid::section(page, release, &scale, EXCERPT_ROWS);
            left_out(page, shown, cells);
        } else {
            bars::cells(page, release, &scale, 0..EXCERPT_CELLS);
            left_out(page, EXCERPT_CELLS, cells);
        }
        return;
    }
    match (&dimensions[0].values, sizes.as_slice()) {
        (Values::Hierarchy(levels), [_]) if levels.names.len() > 1 && cells > UNGROUPED => {
            bars::groups(page, release, levels, &scale)
        }
        (_, [_]) => bars::cells(page, release, &scale, 0..cells),
        (_, [rows, _]) if columns > MOST_COLUMNS && *rows <= MOST_COLUMNS => grid::transposed(page, release, &scale),
        _ if columns <= MOST_COLUMNS => {
            grid::section(page, release, &scale, usize::MAX);
        }
        _ => bars::cells(page, release, &scale, 0..cells),
    }
}

/// Whether the table is shown count by count, so that its pictures stand in a section of their own.
pub(crate) fn is_shown_fully(release: &Release) -> bool {
    (1..=SHOWN_FULLY).contains(&release.domain.len())
}

fn left_out(page: &mut Markup, shown: usize, cells: usize) {
    page.note(&format!(
        "{} are shown; {} are left out.",
        counted(shown.min(cells), "cell", "cells"),
        number(cells.saturating_sub(shown) as i128)
    ));
}
