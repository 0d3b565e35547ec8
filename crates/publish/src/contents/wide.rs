//! The wide table: one dimension spread over columns, one row for every combination of the others.

use crate::files::{Cells, ColumnKind, Field, FileWriter};
use declare::{Column, Domain, Problem};
use std::collections::HashSet;

/// Takes the codes of a row and the cells that stand in it, where there are any.
type RowVisitor<'a> = dyn FnMut(&[usize], &[Option<usize>]) -> Result<(), Problem> + 'a;

/// The name of its file, without extension.
pub(super) const NAME: &str = "table-wide";

/// A wide table over a domain.
#[derive(Debug)]
pub struct WideTable<'a> {
    domain: &'a Domain,
    /// The position of the dimension that is spread.
    pub spread: usize,
    /// The columns of labels that are left.
    pub columns: Vec<Column<'a>>,
    /// The names of the columns of values, by the code of the dimension that is spread.
    pub names: Vec<String>,
    /// Whether a value may be missing: structural zeros leave holes.
    pub holes: bool,
    /// The number of rows: combinations of the other dimensions that have a live cell.
    pub rows: usize,
}

impl<'a> WideTable<'a> {
    pub fn new(domain: &'a Domain, spread: usize) -> Result<Self, Problem> {
        let columns: Vec<Column<'a>> =
            domain.columns().into_iter().filter(|column| column.dimension != spread).collect();
        let dimension = &domain.schema.dimensions[spread];
        let labels = || (0..dimension.values.len()).map(|code| dimension.values.label(code));
        let plain: Vec<String> = labels().collect();
        let distinct = |names: &[String]| {
            let mut seen: HashSet<&str> = columns.iter().map(|column| column.name).collect();
            names.iter().all(|name| !name.is_empty() && seen.insert(name))
        };
        let names = match distinct(&plain) {
            true => plain,
            false => labels().map(|label| format!("{}={label}", dimension.name)).collect(),
        };
        if !distinct(&names) {
            return Err(Problem::bad(format!(
                "the wide table cannot have a column for every value of `{}`: a dimension has the same name",
                dimension.name
            ))
            .hint("spread another dimension: --wide=DIM"));
        }
        let wide = WideTable { domain, spread, columns, names, holes: false, rows: 0 };
        let (mut holes, mut rows) = (false, 0);
        wide.visit(&mut |_, cells| {
            rows += 1;
            holes |= cells.contains(&None);
            Ok(())
        })?;
        Ok(WideTable { holes, rows, ..wide })
    }

    /// Hands on the codes and the cells of every row, in the order of the other dimensions.
    fn visit(&self, row: &mut RowVisitor<'_>) -> Result<(), Problem> {
        let sizes = self.domain.schema.sizes();
        let mut codes = vec![0; sizes.len()];
        let mut cells = vec![None; sizes[self.spread]];
        loop {
            for (code, cell) in cells.iter_mut().enumerate() {
                codes[self.spread] = code;
                *cell = self.domain.cell(&codes);
            }
            if cells.iter().any(Option::is_some) {
                row(&codes, &cells)?;
            }
            codes[self.spread] = 0;
            // The next combination of the others: the last of them changes first.
            let is_next = (0..sizes.len()).rev().filter(|place| *place != self.spread).any(|place| {
                codes[place] = (codes[place] + 1) % sizes[place];
                codes[place] > 0
            });
            if !is_next {
                return Ok(());
            }
        }
    }

    /// Writes it; in a workbook as the sheet `Wide`.
    pub(super) fn write(&self, file: &mut FileWriter, values: &[i64]) -> Result<(), Problem> {
        let mut fields: Vec<Field> = self.columns.iter().map(Field::of_labels).collect();
        let numbers = self.names.iter().map(|name| Field::new(name, ColumnKind::Integer));
        fields.extend(numbers.map(|field| Field { optional: self.holes, ..field }));
        file.begin("Wide", &fields)?;
        let most = file.rows_at_once(fields.len());
        let mut labels: Vec<Vec<u32>> = vec![Vec::new(); self.domain.schema.dimensions.len()];
        let mut numbers: Vec<Vec<Option<i64>>> = vec![Vec::new(); self.names.len()];
        let mut rows = 0;
        self.visit(&mut |codes, cells| {
            labels.iter_mut().zip(codes).for_each(|(column, code)| column.push(*code as u32));
            numbers.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell.map(|cell| values[cell])));
            rows += 1;
            if rows == most {
                self.put(file, &mut labels, &mut numbers)?;
                rows = 0;
            }
            Ok(())
        })?;
        if rows > 0 {
            self.put(file, &mut labels, &mut numbers)?;
        }
        Ok(())
    }

    fn put(
        &self,
        file: &mut FileWriter,
        labels: &mut [Vec<u32>],
        numbers: &mut [Vec<Option<i64>>],
    ) -> Result<(), Problem> {
        let present: Vec<Vec<i64>> = match self.holes {
            true => Vec::new(),
            false => numbers.iter().map(|column| column.iter().copied().flatten().collect()).collect(),
        };
        let mut cells: Vec<Cells<'_>> =
            self.columns.iter().map(|column| Cells::Labels(column, &labels[column.dimension])).collect();
        match self.holes {
            true => cells.extend(numbers.iter().map(|column| Cells::MaybeIntegers(column))),
            false => cells.extend(present.iter().map(|column| Cells::Integers(column))),
        }
        file.put(&cells)?;
        labels.iter_mut().for_each(Vec::clear);
        numbers.iter_mut().for_each(Vec::clear);
        Ok(())
    }
}
