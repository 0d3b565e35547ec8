//! Tables of releases and simulations as frames, for programs that go on with them.

use crate::simulate::simulate;
use declare::Problem;
use prepare::{Given, Progress};
use publish::{Format, certified_table, private_folder};
use std::path::Path;
use tabulate::{Frame, FrameColumn, scan};

/// The table of a release, with the columns of its file, if it is the one that was certified. That
/// it is drawn as the certificate says is for [`publish::verify`] to tell.
///
/// # Errors
/// What cannot be read, or is not what was certified.
pub fn released_frame(folder: &Path) -> Result<Frame, Problem> {
    let (path, restored) = certified_table(folder)?;
    let name = path.display().to_string();
    if Format::of(&path)? == Format::PARQUET {
        return Frame::of_parquet(&path, &name);
    }
    // A text file or a workbook does not say what its columns hold; the spec of the release does.
    let labels = restored.domain.columns();
    let is_text = |column: &str| labels.iter().any(|label| label.name == column && !label.is_integer());
    let mut rows: Vec<Vec<String>> = Vec::new();
    let header = scan(&path, &name, &mut |header, fields| {
        rows.resize_with(header.len(), Vec::new);
        rows.iter_mut().zip(fields).for_each(|(column, field)| column.push((*field).to_owned()));
        Ok(())
    })?;
    rows.resize_with(header.len(), Vec::new);
    let columns = header.into_iter().zip(rows).map(|(name, fields)| {
        let column = if is_text(&name) { FrameColumn::Texts(fields) } else { numbers(fields) };
        (name, column)
    });
    Frame::of_columns(columns.collect())
}

fn numbers(fields: Vec<String>) -> FrameColumn {
    fn all<T: std::str::FromStr>(fields: &[String]) -> Option<Vec<Option<T>>> {
        let number = |field: &String| if field.is_empty() { Some(None) } else { field.parse().ok().map(Some) };
        fields.iter().map(number).collect()
    }
    match (all(&fields), all(&fields)) {
        (Some(whole), _) => FrameColumn::Integers(whole),
        (None, Some(real)) => FrameColumn::Reals(real),
        (None, None) => FrameColumn::Texts(fields),
    }
}

/// Draws of a public table: its columns, `draw` and `value`.
///
/// # Errors
/// As [`simulate`].
pub fn simulated_frame(
    spec: impl Into<Given>,
    draws: u64,
    seed: Option<u64>,
    progress: &dyn Progress,
) -> Result<Frame, Problem> {
    let work = private_folder("congenial-draws-", &std::env::temp_dir())?;
    let file = work.path().join("draws.parquet");
    simulate(spec, draws, seed, &file, progress)?;
    Frame::of_parquet(&file, "the draws")
}
