//! What a file is, by the end of its name.

use super::reader::Node;
use crate::problem::Problem;

/// How the reader of specs treats a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Fields between commas.
    Csv,
    /// Fields between tabs.
    Tsv,
    /// Read by whoever reads tables: Parquet, Arrow, compressed text.
    Other,
}

const ENDINGS: &str = ".csv, .tsv (also with .gz or .zst), .parquet, .arrow, .feather, .ipc, .arrows or .xlsx";

/// Whether the name of a file is that of rows of text, packed or not.
pub(super) fn is_text(path: &str) -> bool {
    let name = path.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    name.ends_with(".csv") || name.ends_with(".tsv")
}

/// The format of a file by the end of its name.
fn format(path: &str) -> Option<Format> {
    // A pattern for several files is judged by its last part, as one file is.
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    let ends = |ends: &[&str]| ends.iter().any(|end| name.len() > end.len() && name.ends_with(end));
    if ends(&[".csv"]) {
        Some(Format::Csv)
    } else if ends(&[".tsv"]) {
        Some(Format::Tsv)
    } else if ends(&[
        ".csv.gz", ".csv.zst", ".tsv.gz", ".tsv.zst", ".parquet", ".arrow", ".feather", ".ipc", ".arrows", ".xlsx",
    ]) {
        Some(Format::Other)
    } else {
        None
    }
}

/// The format of the file that a node names, which its name must tell.
pub(super) fn of(node: &Node) -> Result<Format, Problem> {
    let path = node.nonempty()?;
    if let Some(format) = format(path) {
        return Ok(format);
    }
    let lower = path.to_ascii_lowercase();
    let hint = if [".xls", ".xlsb", ".xlsm", ".ods"].iter().any(|end| lower.ends_with(end)) {
        "save it as .xlsx, or the sheet as CSV".to_string()
    } else if [".parquet.gz", ".parquet.zst", ".arrow.gz", ".arrow.zst"].iter().any(|end| lower.ends_with(end)) {
        "unpack it: Parquet and Arrow files are compressed inside".to_string()
    } else {
        format!("use a file that ends in {ENDINGS}")
    };
    Err(node.bad(format!("the name `{path}` does not tell a format that is read"), "unknown extension").hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_name_tells_the_format() {
        for (path, expected) in [
            ("a.csv", Some(Format::Csv)),
            ("in a.parquet/b.TSV", Some(Format::Tsv)),
            ("months/*.csv.gz", Some(Format::Other)),
            ("part-[0-9]?.parquet", Some(Format::Other)),
            ("x.arrows", Some(Format::Other)),
            ("x.feather", Some(Format::Other)),
            ("x.parquet.gz", None),
            ("x.gz", None),
            ("folder.csv/x", None),
            ("*", None),
            (".csv", None),
        ] {
            assert_eq!(format(path), expected, "{path}");
        }
    }
}
