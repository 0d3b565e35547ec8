//! The formats of input files, in one list, and what opens a file by the end of its name.

mod arrow;
mod frame;
mod parquet;
#[cfg(feature = "xlsx")]
mod records;
mod text;
mod typed;
#[cfg_attr(not(feature = "xlsx"), path = "formats/no_workbook.rs")]
mod workbook;

use crate::file::{DataFile, InputFormat};
use crate::source::{Packing, Source, regular_size};
use declare::{Encoding, Problem};
pub(crate) use frame::of_frame;
use std::path::Path;
pub(crate) use text::Unpacked;

/// Every format that is read. `declare` knows the same endings.
const FORMATS: [&dyn InputFormat; 5] =
    [&text::COMMAS, &text::TABS, &parquet::Parquet, &arrow::Arrow, &workbook::Workbook];

/// The format of the file at `path`, called `name` in messages, by the ends of its name, and how it
/// is packed.
pub(crate) fn format_of(path: &Path, name: &str) -> Result<(&'static dyn InputFormat, Packing), Problem> {
    let file = path.file_name().map(|file| file.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let (file, packing) = match file.rsplit_once('.') {
        Some((file, "gz")) => (file, Packing::Gzip),
        Some((file, "zst")) => (file, Packing::Zstandard),
        _ => (file.as_str(), Packing::Plain),
    };
    let ending = file.rsplit_once('.').map(|(_, ending)| ending).unwrap_or_default();
    match FORMATS.into_iter().find(|format| format.endings().contains(&ending)) {
        Some(format) if packing == Packing::Plain || format.is_text() => Ok((format, packing)),
        Some(_) => Err(Problem::bad(format!(
            "`{name}` is packed as a whole, and only parts of such a file are read at a time"
        ))
        .hint("unpack it, and let the program that writes it compress the columns inside")),
        None => {
            let others = FORMATS.iter().filter(|format| !format.is_text());
            let others: Vec<String> = others.map(|format| format!(".{}", format.endings()[0])).collect();
            let others = others.join(", ");
            let (before, last) = others.rsplit_once(", ").unwrap_or_default();
            Err(Problem::bad(format!("the format of `{name}` is not known from its extension")).hint(format!(
                "name the file .csv (fields separated by commas) or .tsv (by tabs), with .gz or .zst when packed, \
                 {before} or {last}"
            )))
        }
    }
}

/// Opens the file at `path`, called `name` in messages; the end of its name tells the format. Texts
/// are in this encoding.
pub(crate) fn open(path: &Path, name: &str, encoding: Encoding) -> Result<Box<dyn DataFile>, Problem> {
    if path.is_dir() {
        return Err(Problem::bad(format!("`{name}` is a directory, not a data file"))
            .hint(format!("`path` in [data] names a file, or several by a pattern such as {name}/*.parquet")));
    }
    let (format, packing) = format_of(path, name)?;
    format.open(&Source { path, name, size: regular_size(path, name)?, packing, encoding })
}

#[cfg(test)]
mod tests {
    use super::FORMATS;

    #[test]
    fn specs_may_name_what_is_read() {
        let endings = |text: bool| -> Vec<&str> {
            FORMATS
                .iter()
                .filter(|format| format.is_text() == text)
                .flat_map(|format| format.endings())
                .copied()
                .collect()
        };
        assert_eq!(endings(true), declare::TEXT_ENDINGS);
        assert_eq!(endings(false), declare::OTHER_ENDINGS);
    }
}
