//! Whether two files hold the same: byte by byte, or, where another build may pack bytes otherwise, value by value.

use super::{Format, cannot};
use calamine::{Data, Range, Reader, Xlsx, XlsxError, open_workbook};
use declare::Problem;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use tabulate::survived;

/// Whether a file that was found holds what one that was made again does.
pub fn same_contents(found: &Path, made: &Path) -> Result<bool, Problem> {
    if same_bytes(found, made)? {
        return Ok(true);
    }
    // A library that panics has met a file that it did not write.
    let same = survived(|| match Format::of(made) {
        Ok(Format::Parquet) => same_rows(found, made).map_err(|error| cannot("read", found, error)),
        Ok(Format::Xlsx) => same_sheets(found, made).map_err(|error| cannot("read", found, error)),
        _ => Ok(false),
    });
    same.unwrap_or(Ok(false))
}

fn same_bytes(found: &Path, made: &Path) -> Result<bool, Problem> {
    let open = |path: &Path| File::open(path).map_err(|error| cannot("open", path, error));
    let (one, other) = (open(found)?, open(made)?);
    if one.metadata().map(|data| data.len()).ok() != other.metadata().map(|data| data.len()).ok() {
        return Ok(false);
    }
    let (mut one, mut other) = (BufReader::with_capacity(1 << 16, one), BufReader::with_capacity(1 << 16, other));
    let (mut left, mut right) = (vec![0u8; 1 << 16], vec![0u8; 1 << 16]);
    loop {
        let count = one.read(&mut left).map_err(|error| cannot("read", found, error))?;
        if count == 0 {
            return Ok(true);
        }
        other.read_exact(&mut right[..count]).map_err(|error| cannot("read", made, error))?;
        if left[..count] != right[..count] {
            return Ok(false);
        }
    }
}

fn same_rows(found: &Path, made: &Path) -> Result<bool, ParquetError> {
    let (found, made) = (SerializedFileReader::new(File::open(found)?)?, SerializedFileReader::new(File::open(made)?)?);
    let data = [&found, &made].map(|file| file.metadata().file_metadata());
    if data[0].schema() != data[1].schema() || data[0].key_value_metadata() != data[1].key_value_metadata() {
        return Ok(false);
    }
    let (mut one, mut other) = (found.get_row_iter(None)?, made.get_row_iter(None)?);
    loop {
        match (one.next().transpose()?, other.next().transpose()?) {
            (None, None) => return Ok(true),
            (Some(one), Some(other)) if one == other => {}
            _ => return Ok(false),
        }
    }
}

fn same_sheets(found: &Path, made: &Path) -> Result<bool, XlsxError> {
    let mut found: Xlsx<BufReader<File>> = open_workbook(found)?;
    let mut made: Xlsx<BufReader<File>> = open_workbook(made)?;
    let names = made.sheet_names();
    if found.sheet_names() != names {
        return Ok(false);
    }
    for name in names {
        let (one, other): (Range<Data>, Range<Data>) = (found.worksheet_range(&name)?, made.worksheet_range(&name)?);
        if one != other || !found.worksheet_formula(&name)?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}
