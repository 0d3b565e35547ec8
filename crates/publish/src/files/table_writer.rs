//! `TableWriter`: the cells of a table in cell order, portion by portion.

use super::INTERVAL;
use super::format::Format;
use super::rows::{Cells, ColumnKind, Field};
use super::writer::FileWriter;
use crate::intervals::Intervals;
use declare::{Column, Domain, Problem, Walk};
use std::path::Path;

/// The values of a table: one per live cell.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Counts.
    Counts(&'a [i64]),
    /// Real numbers, for research.
    Reals(&'a [f64]),
}

/// Hands tables, one after another, to the writer it is given.
pub type Tables<'a> = dyn FnMut(&mut dyn FnMut(Values<'_>) -> Result<(), Problem>) -> Result<(), Problem> + 'a;

/// The columns of a table besides its dimensions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layout<'a> {
    /// Several tables, one after another: a column `draw`, from 0.
    pub numbered: bool,
    /// Values are real numbers.
    pub real: bool,
    /// How far the noise of every cell reaches: columns `lower90` and `upper90`.
    pub intervals: Option<&'a Intervals>,
}

/// Writes one or several tables over the same domain. Several tables (`numbered`) get a column
/// `draw`, from 0.
pub fn write_table(
    path: &Path,
    format: Format,
    domain: &Domain,
    numbered: bool,
    metadata: &[(String, String)],
    tables: &mut Tables<'_>,
) -> Result<(), Problem> {
    let mut file = FileWriter::create(path, format, metadata)?;
    // Whether the values are real is known with the first table.
    let mut writer: Option<TableWriter<'_>> = None;
    let mut unused = Some(&mut file);
    tables(&mut |values| {
        if let Some(file) = unused.take() {
            let layout = Layout { numbered, real: matches!(values, Values::Reals(_)), intervals: None };
            writer = Some(TableWriter::new(file, domain, layout)?);
        }
        match (&mut writer, values) {
            (Some(writer), Values::Counts(counts)) => writer.write(counts),
            (Some(writer), Values::Reals(reals)) => writer.write_reals(reals),
            (None, _) => Ok(()),
        }
    })?;
    writer.ok_or_else(|| Problem::bad("there is no table to write"))?.finish()?;
    file.finish()
}

/// A table that is being written to a file: the next cells in cell order, in portions of any size.
#[derive(Debug)]
pub struct TableWriter<'a> {
    file: &'a mut FileWriter,
    domain: &'a Domain,
    layout: Layout<'a>,
    columns: Vec<Column<'a>>,
    walk: Walk<'a>,
    draw: i64,
    waiting: Waiting,
    most: usize,
}

/// Rows that wait to be written: of one large table, or of many small ones.
#[derive(Debug, Default)]
struct Waiting {
    rows: usize,
    codes: Vec<Vec<u32>>,
    draws: Vec<i64>,
    counts: Vec<i64>,
    reals: Vec<f64>,
    lower: Vec<i64>,
    upper: Vec<i64>,
}

impl<'a> TableWriter<'a> {
    /// Begins a table in a file; in a workbook the sheet `Table`.
    pub fn new(file: &'a mut FileWriter, domain: &'a Domain, layout: Layout<'a>) -> Result<Self, Problem> {
        let columns = domain.columns();
        let mut fields: Vec<Field> = columns.iter().map(Field::of_labels).collect();
        if layout.numbered {
            fields.push(Field::new("draw", ColumnKind::Integer));
        }
        fields.push(Field::new("value", if layout.real { ColumnKind::Real } else { ColumnKind::Integer }));
        if layout.intervals.is_some() {
            fields.extend(INTERVAL.map(|name| Field::new(name, ColumnKind::Integer)));
        }
        file.begin("Table", &fields)?;
        let waiting = Waiting { codes: vec![Vec::new(); domain.schema.dimensions.len()], ..Waiting::default() };
        let most = file.rows_at_once(fields.len());
        Ok(TableWriter { file, domain, layout, columns, walk: domain.walk(), draw: 0, waiting, most })
    }

    /// The counts of the next cells.
    pub fn write(&mut self, values: &[i64]) -> Result<(), Problem> {
        for value in values {
            let cell = self.advance()?;
            self.waiting.counts.push(*value);
            if let Some(intervals) = self.layout.intervals {
                let reach = intervals.reach(cell);
                self.waiting.lower.push(value.saturating_sub(reach));
                self.waiting.upper.push(value.saturating_add(reach));
            }
            self.put_if_full()?;
        }
        Ok(())
    }

    /// The real values of the next cells.
    pub fn write_reals(&mut self, values: &[f64]) -> Result<(), Problem> {
        for value in values {
            self.advance()?;
            self.waiting.reals.push(*value);
            self.put_if_full()?;
        }
        Ok(())
    }

    /// The labels of the next cell.
    #[inline]
    fn advance(&mut self) -> Result<usize, Problem> {
        let next = match self.walk.advance() {
            None if self.layout.numbered => {
                self.walk = self.domain.walk();
                self.draw += 1;
                self.walk.advance()
            }
            next => next,
        };
        let Some((cell, codes)) = next else {
            return Err(Problem::bad("more values were written than the table has cells"));
        };
        self.waiting.codes.iter_mut().zip(codes).for_each(|(column, code)| column.push(*code as u32));
        if self.layout.numbered {
            self.waiting.draws.push(self.draw);
        }
        self.waiting.rows += 1;
        Ok(cell)
    }

    #[inline]
    fn put_if_full(&mut self) -> Result<(), Problem> {
        if self.waiting.rows == self.most { self.put() } else { Ok(()) }
    }

    fn put(&mut self) -> Result<(), Problem> {
        let waiting = &mut self.waiting;
        if waiting.rows == 0 {
            return Ok(());
        }
        let mut cells: Vec<Cells<'_>> =
            self.columns.iter().map(|column| Cells::Labels(column, &waiting.codes[column.dimension])).collect();
        if self.layout.numbered {
            cells.push(Cells::Integers(&waiting.draws));
        }
        cells.push(if self.layout.real { Cells::Reals(&waiting.reals) } else { Cells::Integers(&waiting.counts) });
        if self.layout.intervals.is_some() {
            cells.extend([Cells::Integers(&waiting.lower), Cells::Integers(&waiting.upper)]);
        }
        self.file.put(&cells)?;
        waiting.rows = 0;
        waiting.codes.iter_mut().for_each(Vec::clear);
        for numbers in [&mut waiting.draws, &mut waiting.counts, &mut waiting.lower, &mut waiting.upper] {
            numbers.clear();
        }
        waiting.reals.clear();
        Ok(())
    }

    /// Completes the table: every cell must have been written. The file is finished by itself.
    pub fn finish(mut self) -> Result<(), Problem> {
        if self.walk.advance().is_some() {
            return Err(Problem::bad("fewer values were written than the table has cells"));
        }
        self.put()
    }
}
