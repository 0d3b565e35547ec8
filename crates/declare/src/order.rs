//! `Order`: a public table by which the cells of a group are ordered before a cascade pairs them.
//!
//! The canonical spec has what it says of every cell, so that whoever has a release has its law.

use crate::MOST_CELLS;
use crate::domain::Domain;
use crate::problem::Problem;
use crate::schema::{Dimension, Schema};
use std::collections::{BTreeMap, BTreeSet};

/// The longest text of values that a spec has, in bytes.
const LONGEST: usize = 48 << 20;

/// A public table that says how large cells are expected to be: last period's counts, populations.
///
/// It decides the law of a cascade, so it is part of what is declared: the hash of its file, and
/// what the file says of the cells. Canonical specs of versions up to 0.3.0 have the hash alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// The file, as written in the spec (relative to the spec).
    pub path: String,
    /// The column with the values.
    pub value: String,
    /// The SHA-256 of the file.
    pub sha256: String,
    /// What it says, unless its hash alone is known.
    pub(crate) table: Option<OrderTable>,
}

/// The values of an order, by labels of some dimensions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OrderTable {
    /// The dimensions that the file has, by position.
    pub(crate) dimensions: Vec<usize>,
    /// The value of every combination of their codes.
    pub(crate) values: BTreeMap<Vec<usize>, f64>,
}

/// The codes of these dimensions in every live cell, each combination once, in their order.
fn keys_of(dimensions: &[usize], domain: &Domain) -> BTreeSet<Vec<usize>> {
    let mut keys = BTreeSet::new();
    let mut walk = domain.walk();
    while let Some((_, codes)) = walk.advance() {
        keys.insert(dimensions.iter().map(|dimension| codes[*dimension]).collect());
    }
    keys
}

/// A number as short as it can be read again.
fn number(value: f64) -> String {
    let is_short = value.fract() == 0.0 && value.abs() < 1e15 && (value != 0.0 || value.is_sign_positive());
    if is_short { format!("{value:.0}") } else { format!("{value:?}") }
}

impl OrderTable {
    /// The values of canonical text, for the combinations that cells have; `None` where they are
    /// others or too many.
    pub(crate) fn written(text: &str, dimensions: Vec<usize>, domain: &Domain) -> Option<OrderTable> {
        let mut numbers = text.split(' ').map(|field| field.parse::<f64>().ok().filter(|value| value.is_finite()));
        let mut values = BTreeMap::new();
        for key in keys_of(&dimensions, domain) {
            values.insert(key, numbers.next()??);
        }
        numbers.next().is_none().then_some(OrderTable { dimensions, values })
    }

    /// The values in the order of their codes, as canonical text.
    pub(crate) fn text(&self) -> String {
        self.values.values().map(|value| number(*value)).collect::<Vec<_>>().join(" ")
    }
}

impl Order {
    /// An order that is known by the hash of its file alone.
    pub fn by_hash(path: &str, value: &str, sha256: &str) -> Order {
        Order { path: path.to_owned(), value: value.to_owned(), sha256: sha256.to_owned(), table: None }
    }

    /// This order, known by its hash alone.
    pub fn hash_alone(&self) -> Order {
        Order { table: None, ..self.clone() }
    }

    /// Whether what it says is known.
    pub fn is_at_hand(&self) -> bool {
        self.table.is_some()
    }

    /// Leaves out what it says of combinations that no cell has.
    ///
    /// # Errors
    /// Bad when it lacks a cell; refused when it says more than a spec can hold.
    pub(crate) fn settle(&mut self, domain: &Domain) -> Result<(), Problem> {
        if !self.is_at_hand() {
            return Ok(());
        }
        self.of_cells(domain)?;
        let Some(table) = &mut self.table else { return Ok(()) };
        let mut keys = keys_of(&table.dimensions, domain);
        table.values.retain(|key, _| keys.remove(key));
        match table.text().len() > LONGEST {
            false => Ok(()),
            true => Err(Problem::refused(format!("`{}` has too many values to be kept with a release", self.path))
                .hint("order by fewer dimensions, or give values with fewer digits: ranks do as well")),
        }
    }

    /// The problem of an order that is known by its hash alone.
    pub fn missing(&self) -> Problem {
        let Order { path, sha256, .. } = self;
        Problem::refused(format!(
            "the cells are ordered by `{path}`, of which the spec has the hash alone ({sha256}), as versions up to 0.3.0 wrote it: without \
             the file the law of the draw is not known"
        ))
        .hint(format!(
            "put that file back at `{path}`, in the folder from which you run this or beside the release; versions up to 0.3.0 took the \
             declared order for it, so what they inferred from such a release is of another law"
        ))
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
            return Err(self.missing());
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
