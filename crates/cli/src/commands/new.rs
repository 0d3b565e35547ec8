//! `congenial new`: a commented spec and a small public table to start from, or a draft for a file
//! of your own.

use crate::output::{counted, harmless, print, shell};
use clap::Args;
use congenial::{Drafted, Problem};
use std::path::{Path, PathBuf};

/// Write a commented spec and a small public table to start from, or draft a spec for a file
#[derive(Args)]
#[command(after_help = "\
Examples:
  congenial new census && congenial check census/congenial.toml
  congenial new survey --from survey.parquet      a draft: its domains are learnt from the file, each marked REVIEW

A domain learnt from confidential data is itself a disclosure: a draft is for your eyes until every mark is gone.")]
pub struct New {
    /// The folder, which is made if need be; nothing in it is overwritten
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Draft the spec from this file: CSV, TSV (also .gz, .zst), Parquet, Arrow or Excel
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

impl New {
    /// Writes the files and says what to do next.
    pub fn run(self) -> Result<(), Problem> {
        // Paths read better without the dot that stands for this folder.
        let folder = self.folder.strip_prefix(".").unwrap_or(&self.folder);
        match &self.from {
            Some(file) => drafted(folder, file),
            None => started(folder),
        }
    }
}

fn started(folder: &Path) -> Result<(), Problem> {
    let spec = shell(&congenial::start(folder)?);
    let (table, release) = (shell(&folder.join("delinquent.csv")), shell(&folder.join("release")));
    print(&format!(
        "Wrote\n  {spec}  what is released, what stays exact, at what privacy loss: edit this\n  \
         {table}  a small public table\n\n\
         Next\n  congenial check {spec}\n  congenial explain {spec} --error\n  \
         congenial release {spec} --out {release}\n"
    ))
}

fn drafted(folder: &Path, file: &Path) -> Result<(), Problem> {
    let Drafted { spec, rows, dimensions, marks, columns } = congenial::draft(folder, file)?;
    let (spec, file) = (shell(&spec), shell(file));
    let rows = counted(usize::try_from(rows).unwrap_or(usize::MAX), "row");
    let width = columns.iter().map(|(name, _)| name.chars().count().min(30)).max().unwrap_or(0);
    let one_line = |text: &str| harmless(text).replace('\n', " ");
    let columns = columns.iter().map(|(name, what)| format!("  {:<width$}  {}\n", one_line(name), one_line(what)));
    let columns: String = columns.collect();
    print(&format!(
        "Wrote\n  {spec}  a draft from the {rows} of {file}: {}\n\n\
         Columns\n{columns}\n\
         Confidential until reviewed: {} marked REVIEW, each learnt from the data or yours to decide.\n\n\
         Next\n  edit {spec}\n  congenial check {spec}\n",
        counted(dimensions, "dimension"),
        counted(marks, "line"),
    ))
}
