//! Workbooks, as a program knows them that was built without the feature `xlsx`: by name.

use crate::file::{DataFile, InputFormat};
use crate::source::Source;
use declare::Problem;

/// Workbooks.
pub(crate) struct Workbook;

impl InputFormat for Workbook {
    fn endings(&self) -> &'static [&'static str] {
        &["xlsx"]
    }

    fn open(&self, source: &Source<'_>) -> Result<Box<dyn DataFile>, Problem> {
        Err(Problem::built_without("xlsx", format_args!("workbooks, and `{}` is one", source.name)))
    }
}
