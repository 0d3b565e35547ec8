//! `Contents`: the tables of a release, a function of its spec, its plan and the released counts
//! alone.
//!
//! `release` writes them and `verify` makes them again, by the same code.

pub mod metadata;
mod output;
mod pages;
mod wide;

use crate::files::{FileWriter, Format, Layout, TableWriter};
use crate::intervals::Intervals;
use crate::known::known;
use certify::{Certificate, CertifiedInvariant, Derived, Guarantee};
use declare::{Conditions, Domain, Fold, OutputRows, Problem};
use plan::{NoReach, Plan};
use std::path::Path;

pub use output::OutputTable;
pub use wide::WideTable;

/// What the files of a release state besides their counts.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The title of the spec.
    pub title: &'a str,
    /// What is guaranteed.
    pub guarantee: &'a Guarantee,
    /// The exact totals.
    pub invariants: &'a [CertifiedInvariant],
    /// Bounds and rules, in words.
    pub conditions: &'a [String],
    /// The hash of the canonical spec.
    pub spec_sha256: &'a str,
}

impl<'a> Facts<'a> {
    /// Of a release that is about to be made.
    pub fn derived(title: &'a str, derived: &'a Derived, spec_sha256: &'a str) -> Facts<'a> {
        let Derived { guarantee, invariants, conditions, .. } = derived;
        Facts { title, guarantee, invariants, conditions, spec_sha256 }
    }

    /// Of a release that has its certificate.
    pub fn certified(certificate: &'a Certificate) -> Facts<'a> {
        let Certificate { title, guarantee, invariants, conditions, spec_sha256, .. } = certificate;
        Facts { title, guarantee, invariants, conditions, spec_sha256 }
    }
}

/// Which tables a release has and how they look, known before anything is drawn.
#[derive(Debug)]
pub struct Contents<'a> {
    /// The live cells.
    pub domain: &'a Domain,
    /// The format of all tables.
    pub format: Format,
    /// How far the noise of every cell reaches, or why that is not told.
    pub intervals: Result<Intervals, NoReach>,
    /// The wide table, if there is one.
    pub wide: Option<WideTable<'a>>,
    /// The derived tables.
    pub outputs: Vec<OutputTable>,
    /// What the report may say of errors.
    pub known: report::Known,
}

impl<'a> Contents<'a> {
    /// The contents of a release; `spread` is the dimension that its wide table spreads.
    pub fn new(
        domain: &'a Domain,
        plan: &Plan,
        conditions: &Conditions,
        fold: Option<&Fold>,
        outputs: Vec<OutputRows>,
        format: Format,
        spread: Option<usize>,
    ) -> Result<Contents<'a>, Problem> {
        let intervals = Intervals::of(plan, conditions, fold);
        Ok(Contents {
            domain,
            format,
            known: known(domain, plan, conditions, fold, &intervals),
            intervals,
            wide: spread.map(|spread| WideTable::new(domain, spread)).transpose()?,
            outputs: outputs.into_iter().map(|rows| OutputTable::new(rows, plan, conditions)).collect(),
        })
    }

    /// The name of the file of the main table.
    pub fn table_file(&self) -> String {
        format!("table.{}", self.format.extension())
    }

    /// The name of the file of another table, and in a workbook that of its sheet.
    pub fn other_file(&self, name: &str) -> String {
        match self.format.is_workbook() {
            true => self.table_file(),
            false => format!("{name}.{}", self.format.extension()),
        }
    }

    /// Writes the main table portion by portion, as `fill` hands its counts to the writer. A
    /// workbook is not written so.
    pub fn stream_table<T>(
        &self,
        folder: &Path,
        facts: Facts<'_>,
        fill: impl FnOnce(&mut TableWriter<'_>) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let (file, filled) = self.main_table(folder, facts, fill)?;
        file.finish()?;
        Ok(filled)
    }

    /// Begins the file of the main table and fills it.
    fn main_table<T>(
        &self,
        folder: &Path,
        facts: Facts<'_>,
        fill: impl FnOnce(&mut TableWriter<'_>) -> Result<T, Problem>,
    ) -> Result<(FileWriter, T), Problem> {
        let path = folder.join(self.table_file());
        let mut file = FileWriter::create(&path, self.format, &self.metadata(facts))?;
        let layout = Layout { intervals: self.intervals.as_ref().ok(), ..Layout::default() };
        let mut table = TableWriter::new(&mut file, self.domain, layout)?;
        let filled = fill(&mut table)?;
        table.finish()?;
        Ok((file, filled))
    }

    /// Writes the main table; a workbook holds all the others too.
    pub fn write_table(&self, folder: &Path, facts: Facts<'_>, values: &[i64]) -> Result<(), Problem> {
        let (mut file, ()) = self.main_table(folder, facts, |table| table.write(values))?;
        if self.format.is_workbook() {
            if let Some(wide) = &self.wide {
                wide.write(&mut file, values)?;
            }
            for output in &self.outputs {
                output.write(&mut file, self.domain, values)?;
            }
            file.page("Invariants", &pages::INVARIANTS_WIDTHS, &pages::invariants(facts))?;
            file.page("Guarantee", &pages::GUARANTEE_WIDTHS, &pages::guarantee(facts))?;
        }
        file.finish()
    }

    /// What the main table says about itself in its file, where the format has a place for it.
    pub fn metadata(&self, facts: Facts<'_>) -> Vec<(String, String)> {
        metadata::of(facts, "table")
    }

    /// Writes the wide and the derived tables, unless they are sheets of the workbook.
    pub fn write_others(&self, folder: &Path, facts: Facts<'_>, values: &[i64]) -> Result<(), Problem> {
        if self.format.is_workbook() {
            return Ok(());
        }
        let create = |name: &str| {
            let path = folder.join(self.other_file(name));
            FileWriter::create(&path, self.format, &metadata::of(facts, name))
        };
        if let Some(wide) = &self.wide {
            let mut file = create(wide::NAME)?;
            wide.write(&mut file, values)?;
            file.finish()?;
        }
        for output in &self.outputs {
            let mut file = create(output.name())?;
            output.write(&mut file, self.domain, values)?;
            file.finish()?;
        }
        Ok(())
    }
}
