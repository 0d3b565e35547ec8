//! Whether two files hold the same: byte by byte, or, where another build may pack bytes otherwise,
//! value by value.

use super::{Format, cannot};
use declare::Problem;
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
    let Ok(format) = Format::of(made) else { return Ok(false) };
    survived(|| format.same(found, made)).unwrap_or(Ok(false))
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
