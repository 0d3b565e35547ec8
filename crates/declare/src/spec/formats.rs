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
    /// One of these, packed.
    PackedText,
    /// Read by whoever reads tables: Parquet, Arrow, workbooks.
    Other,
}

/// How the names of files of text end, without the dot. They may be packed.
pub const TEXT_ENDINGS: [&str; 2] = ["csv", "tsv"];

/// How the names of other files end that are read.
pub const OTHER_ENDINGS: [&str; 6] = ["parquet", "arrow", "feather", "ipc", "arrows", "xlsx"];

/// How the names of packed files of text end, after that.
const PACKED_ENDINGS: [&str; 2] = ["gz", "zst"];

/// Whether the name of a file is that of rows of text, packed or not.
pub(super) fn is_text(path: &str) -> bool {
    matches!(format(path), Some(Format::Csv | Format::Tsv | Format::PackedText))
}

/// The format of a file by the end of its name.
fn format(path: &str) -> Option<Format> {
    // A pattern for several files is judged by its last part, as one file is.
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    let (name, packed) = match name.rsplit_once('.') {
        Some((unpacked, ending)) if PACKED_ENDINGS.contains(&ending) => (unpacked, true),
        _ => (name.as_str(), false),
    };
    let (_, ending) = name.rsplit_once('.').filter(|(before, _)| !before.is_empty())?;
    match ending {
        ending if packed => TEXT_ENDINGS.contains(&ending).then_some(Format::PackedText),
        "csv" => Some(Format::Csv),
        "tsv" => Some(Format::Tsv),
        ending => OTHER_ENDINGS.contains(&ending).then_some(Format::Other),
    }
}

/// Every end of a name that tells a format, in words.
fn endings() -> String {
    let others: Vec<String> = OTHER_ENDINGS.iter().map(|ending| format!(".{ending}")).collect();
    let others = others.join(", ");
    let (before, last) = others.rsplit_once(", ").unwrap_or_default();
    let [commas, tabs] = TEXT_ENDINGS;
    let [gzip, zstandard] = PACKED_ENDINGS;
    format!(".{commas}, .{tabs} (also with .{gzip} or .{zstandard}), {before} or {last}")
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
        format!("use a file that ends in {}", endings())
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
            ("months/*.csv.gz", Some(Format::PackedText)),
            ("part-[0-9]?.parquet", Some(Format::Other)),
            ("x.arrows", Some(Format::Other)),
            ("x.feather", Some(Format::Other)),
            ("x.parquet.gz", None),
            ("x.csv.gz.gz", None),
            ("x.gz", None),
            ("folder.csv/x", None),
            ("*", None),
            (".csv", None),
        ] {
            assert_eq!(format(path), expected, "{path}");
        }
    }
}
