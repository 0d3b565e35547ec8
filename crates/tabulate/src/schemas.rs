//! `Schemas`: a column must hold the same kind of values in every file of a pattern.

use crate::fault::quoted;
use crate::file::DataFile;
use crate::header::Class;
use declare::Problem;
use std::collections::HashMap;

/// What kind of values every used column holds, and the file that said so first.
#[derive(Default)]
pub(crate) struct Schemas {
    columns: HashMap<String, (Class, String)>,
}

impl Schemas {
    /// Compares the used columns of a file with those of all files before it.
    pub fn compare(&mut self, file: &dyn DataFile, used: &[usize]) -> Result<(), Problem> {
        let name = file.name();
        for column in used {
            let Some(class) = file.class(*column).filter(|class| *class != Class::Nothing) else {
                continue;
            };
            let header = &file.header().names[*column];
            let (before, first) = self.columns.entry(header.clone()).or_insert_with(|| (class, name.to_owned()));
            if *before != class {
                return Err(Problem::bad(format!(
                    "the column {} holds {} in `{first}`, but {} in `{name}`",
                    quoted(header),
                    before.words(),
                    class.words()
                ))
                .hint("write both files with the same kind of column, so that equal values are written alike"));
            }
        }
        Ok(())
    }
}
