//! `Order`: a public table by which the cells of a group are ordered before a cascade pairs them.

use crate::MOST_CELLS;
use crate::domain::Domain;
use crate::problem::Problem;
use crate::schema::{Dimension, Schema};
use std::collections::HashMap;

/// A public table that says how large cells are expected to be: last period's counts, populations.
///
/// It decides the law of a cascade, so it is part of what is declared: by the hash of its file. Its
/// values are known where the file was read; a certificate needs the hash alone.
#[derive(Debug, Clone)]
pub struct Order {
    /// The file, as written in the spec (relative to the spec).
    pub path: String,
    /// The column with the values.
    pub value: String,
    /// The SHA-256 of the file.
    pub sha256: String,
    /// What it says, unless a certificate is read.
    pub(crate) table: Option<OrderTable>,
}

/// The values of an order, by labels of some dimensions.
#[derive(Debug, Clone)]
pub(crate) struct OrderTable {
    /// The dimensions that the file has, by position.
    pub(crate) dimensions: Vec<usize>,
    /// The value of every combination of their codes.
    pub(crate) values: HashMap<Vec<usize>, f64>,
}

/// Two orders are the same when their files are; whether the file is at hand makes no difference.
impl PartialEq for Order {
    fn eq(&self, other: &Order) -> bool {
        (&self.path, &self.value, &self.sha256) == (&other.path, &other.value, &other.sha256)
    }
}

impl Order {
    /// An order that is known by the hash of its file alone, as certificates have it.
    pub fn by_hash(path: &str, value: &str, sha256: &str) -> Order {
        Order { path: path.to_owned(), value: value.to_owned(), sha256: sha256.to_owned(), table: None }
    }

    /// Whether its file was read.
    pub fn is_at_hand(&self) -> bool {
        self.table.is_some()
    }

    /// What it says as counts over the dimensions that it has, where all its values are whole
    /// numbers at or above zero: as a table of data would.
    pub fn as_counts(&self, schema: &Schema) -> Option<(Domain, Vec<i64>)> {
        let OrderTable { dimensions, values } = self.table.as_ref()?;
        let own: Vec<Dimension> = dimensions.iter().map(|place| schema.dimensions[*place].clone()).collect();
        let own = Schema { dimensions: own };
        let combinations = own.combinations().filter(|combinations| *combinations <= MOST_CELLS)?;
        let domain = Domain::new(own, combinations, None);
        let mut counts = vec![0; domain.len()];
        for (codes, value) in values {
            let whole = value.fract() == 0.0 && (0.0..9e15).contains(value);
            counts[domain.cell(codes)?] = whole.then_some(*value as i64)?;
        }
        Some((domain, counts))
    }

    /// The value of every live cell.
    ///
    /// # Errors
    /// Bad when the file lacks a cell; refused when the file is not at hand.
    pub fn of_cells(&self, domain: &Domain) -> Result<Vec<f64>, Problem> {
        let Some(OrderTable { dimensions, values }) = &self.table else {
            return Err(Problem::refused(format!("the order of `{}` is known by its hash alone", self.path))
                .hint("start from the spec, beside which the file stands"));
        };
        let mut of_cells = Vec::with_capacity(domain.len());
        let mut key = vec![0; dimensions.len()];
        let mut walk = domain.walk();
        while let Some((cell, codes)) = walk.advance() {
            key.iter_mut().zip(dimensions).for_each(|(key, dimension)| *key = codes[*dimension]);
            let Some(value) = values.get(&key) else {
                let message = format!("`{}` orders the cells and has no row for {}", self.path, domain.describe(cell));
                return Err(Problem::bad(message).hint(
                    "give every cell a value; 0 where nothing is known, or leave out the columns of dimensions",
                ));
            };
            of_cells.push(*value);
        }
        Ok(of_cells)
    }
}
