//! Rows as all formats take them: typed columns, and consecutive rows of each.

use declare::Column;
use std::borrow::Cow;

/// A column of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
    /// Whether a row may leave it empty.
    pub optional: bool,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Texts.
    Text,
    /// Whole numbers.
    Integer,
    /// Real numbers.
    Real,
}

impl ColumnKind {
    /// What one of its cells is, in words.
    pub fn in_words(self) -> &'static str {
        match self {
            ColumnKind::Text => "text",
            ColumnKind::Integer => "whole number",
            ColumnKind::Real => "number",
        }
    }
}

impl Field {
    /// One that every row has.
    pub fn new(name: impl Into<String>, kind: ColumnKind) -> Field {
        Field { name: name.into(), kind, optional: false }
    }

    /// The field of a column of labels.
    pub fn of_labels(column: &Column<'_>) -> Field {
        Field::new(column.name, if column.is_integer() { ColumnKind::Integer } else { ColumnKind::Text })
    }
}

/// One column of consecutive rows.
#[derive(Debug, Clone, Copy)]
pub enum Cells<'a> {
    /// Labels of a dimension, by code.
    Labels(&'a Column<'a>, &'a [u32]),
    /// Texts.
    Texts(&'a [String]),
    /// Whole numbers.
    Integers(&'a [i64]),
    /// Whole numbers, or nothing.
    MaybeIntegers(&'a [Option<i64>]),
    /// Real numbers.
    Reals(&'a [f64]),
    /// Real numbers, or nothing.
    MaybeReals(&'a [Option<f64>]),
}

/// One cell, as text formats and spreadsheets write it.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// Nothing.
    Empty,
    /// A text.
    Text(Cow<'a, str>),
    /// An integer that names something, such as a year.
    Label(i64),
    /// A whole number.
    Integer(i64),
    /// A real number.
    Real(f64),
}

impl Cells<'_> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Cells::Labels(_, codes) => codes.len(),
            Cells::Texts(texts) => texts.len(),
            Cells::Integers(numbers) => numbers.len(),
            Cells::MaybeIntegers(numbers) => numbers.len(),
            Cells::Reals(numbers) => numbers.len(),
            Cells::MaybeReals(numbers) => numbers.len(),
        }
    }

    /// The cell in a row of the portion.
    pub fn cell(&self, row: usize) -> Cell<'_> {
        match self {
            Cells::Labels(column, codes) => match column.integer(codes[row] as usize) {
                Some(integer) => Cell::Label(integer),
                None => Cell::Text(column.text(codes[row] as usize)),
            },
            Cells::Texts(texts) => Cell::Text(Cow::Borrowed(&texts[row])),
            Cells::Integers(numbers) => Cell::Integer(numbers[row]),
            Cells::MaybeIntegers(numbers) => numbers[row].map_or(Cell::Empty, Cell::Integer),
            Cells::Reals(numbers) => Cell::Real(numbers[row]),
            Cells::MaybeReals(numbers) => numbers[row].map_or(Cell::Empty, Cell::Real),
        }
    }
}
