//! `BaseMeasure`: public information that is not exact, by which the tables of a release are
//! weighted.

use crate::domain::Domain;
use crate::predicate::{Expression, Resolved};
use crate::problem::Problem;
use crate::schema::Schema;
use exact::Rational;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};

/// The `[mechanism.base]` section. What the public file says is part of the declaration: its
/// values, not its name.
#[derive(Debug, Clone)]
pub struct BaseMeasure {
    /// How cells are weighted.
    pub law: BaseLaw,
    /// The file that was read, as the spec calls it; `None` where values are written out.
    pub path: Option<String>,
    /// Only these cells are weighted.
    pub cells: Option<Expression>,
    /// The dimensions that rows have, by position.
    pub(crate) by: Vec<usize>,
    /// What is known, by the codes of these dimensions.
    pub(crate) rows: BTreeMap<Vec<usize>, BaseRow>,
}

/// How cells are weighted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaseLaw {
    /// `Γ(y + a)/(Γ(y + 1)Γ(a))`, a = alpha·(public count + add).
    DirichletMultinomial {
        /// How strongly public counts draw.
        alpha: Rational,
        /// What is added to every public count.
        add: Rational,
    },
    /// `a^y/y!`, a = alpha·(public count + add).
    Poisson {
        /// What public counts are multiplied with.
        alpha: Rational,
        /// What is added to every public count before.
        add: Rational,
    },
    /// Weights of single counts; what is not listed weighs 1.
    Weights,
}

/// What is known of the cells with the same labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BaseRow {
    /// Their public count.
    Count(Rational),
    /// The weights of some of their counts.
    Weights(BTreeMap<i64, Rational>),
}

/// The factor of one cell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum BaseFactor {
    /// Of [`BaseLaw::DirichletMultinomial`], with its a.
    Rising(Rational),
    /// Of [`BaseLaw::Poisson`], with its a.
    Poisson(Rational),
    /// Listed weights.
    Listed(BTreeMap<i64, Rational>),
}

/// Different factors, and which of them every live cell has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseCells {
    /// The factors.
    pub factors: Vec<BaseFactor>,
    /// The factor of every live cell, if it has one.
    pub of_cell: Vec<Option<u32>>,
}

/// Where it was read from makes no difference.
impl PartialEq for BaseMeasure {
    fn eq(&self, other: &BaseMeasure) -> bool {
        (&self.law, &self.cells, &self.by, &self.rows) == (&other.law, &other.cells, &other.by, &other.rows)
    }
}

impl BaseLaw {
    /// The word of specs.
    pub fn name(&self) -> &'static str {
        match self {
            BaseLaw::DirichletMultinomial { .. } => "dirichlet-multinomial",
            BaseLaw::Poisson { .. } => "poisson",
            BaseLaw::Weights => "weights",
        }
    }
}

impl BaseMeasure {
    /// What tables are weighted by, in words.
    pub fn in_words(&self) -> String {
        let rows = count_of(self.rows.len(), "public count");
        let law = match &self.law {
            BaseLaw::DirichletMultinomial { alpha, add } => {
                format!("a Dirichlet-multinomial law with alpha = {alpha} around {rows}, each plus {add}")
            }
            BaseLaw::Poisson { alpha, add } => format!("Poisson laws with means {alpha} times {rows}, each plus {add}"),
            BaseLaw::Weights => {
                let listed = |row: &BaseRow| if let BaseRow::Weights(weights) = row { weights.len() } else { 0 };
                let listed = self.rows.values().map(listed).sum();
                format!("{} of single counts", count_of(listed, "public weight"))
            }
        };
        let cells = self.cells.as_ref().map_or(String::new(), |cells| format!(", on the cells with {cells}"));
        format!("{law}{cells} (public values {})", self.fingerprint())
    }

    /// The beginning of the SHA-256 of all that is known, by which certificates tell one from
    /// another.
    fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        for (codes, row) in &self.rows {
            hash.update(format!("{codes:?}"));
            match row {
                BaseRow::Count(count) => hash.update(format!("={count};")),
                BaseRow::Weights(weights) => {
                    weights.iter().for_each(|(value, weight)| hash.update(format!(" {value}={weight}")));
                    hash.update(";");
                }
            }
        }
        hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Which factor every live cell has.
    ///
    /// # Errors
    /// Bad when a weighted cell has no public count, or no cell is weighted.
    pub fn of_cells(&self, domain: &Domain) -> Result<BaseCells, Problem> {
        let cells = self.cells.as_ref().map(|cells| Resolved::new(cells, &domain.schema)).transpose()?;
        let mut numbers: HashMap<BaseFactor, u32> = HashMap::new();
        let (mut factors, mut of_cell) = (Vec::new(), Vec::with_capacity(domain.len()));
        let mut key = vec![0; self.by.len()];
        let mut walk = domain.walk();
        while let Some((cell, codes)) = walk.advance() {
            if cells.as_ref().is_some_and(|cells| !cells.holds(codes)) {
                of_cell.push(None);
                continue;
            }
            key.iter_mut().zip(&self.by).for_each(|(key, dimension)| *key = codes[*dimension]);
            let factor = match (self.rows.get(&key), &self.law) {
                (Some(BaseRow::Count(count)), BaseLaw::DirichletMultinomial { alpha, add }) => {
                    BaseFactor::Rising(alpha * &(count + add))
                }
                (Some(BaseRow::Count(count)), BaseLaw::Poisson { alpha, add }) => {
                    BaseFactor::Poisson(alpha * &(count + add))
                }
                (Some(BaseRow::Weights(weights)), BaseLaw::Weights) => BaseFactor::Listed(weights.clone()),
                (_, BaseLaw::Weights) => {
                    of_cell.push(None);
                    continue;
                }
                _ => {
                    let message = format!("the base measure has no public count for {}", domain.describe(cell));
                    return Err(Problem::bad(message).hint(
                        "give every weighted cell one row; 0 where nothing was counted; `cells` says which cells are weighted",
                    ));
                }
            };
            let number = *numbers.entry(factor.clone()).or_insert_with(|| {
                factors.push(factor);
                factors.len() as u32 - 1
            });
            of_cell.push(Some(number));
        }
        match factors.is_empty() {
            true => Err(Problem::bad("the base measure weighs no cell")
                .hint("no cell satisfies `cells`, or no row is about one: correct it, or leave [mechanism.base] out")),
            false => Ok(BaseCells { factors, of_cell }),
        }
    }

    /// Leaves out what is known about cells that are not weighted.
    pub(crate) fn settle(&mut self, domain: &Domain) -> Result<(), Problem> {
        self.of_cells(domain)?;
        let cells = self.cells.as_ref().map(|cells| Resolved::new(cells, &domain.schema)).transpose()?;
        let mut used = BTreeMap::new();
        let mut walk = domain.walk();
        while let Some((_, codes)) = walk.advance() {
            if cells.as_ref().is_none_or(|cells| cells.holds(codes)) {
                let key: Vec<usize> = self.by.iter().map(|dimension| codes[*dimension]).collect();
                if let Some(row) = self.rows.get(&key) {
                    used.insert(key, row.clone());
                }
            }
        }
        self.rows = used;
        Ok(())
    }

    /// The public counts as a table over the dimensions of the file would have them, where all are
    /// whole numbers.
    pub fn as_counts(&self, schema: &Schema) -> Option<(Domain, Vec<i64>)> {
        let own = Schema { dimensions: self.by.iter().map(|place| schema.dimensions[*place].clone()).collect() };
        let combinations = own.combinations().filter(|combinations| *combinations <= crate::MOST_CELLS)?;
        let domain = Domain::new(own, combinations, None);
        let mut counts = vec![0; domain.len()];
        for (codes, row) in &self.rows {
            let BaseRow::Count(count) = row else { return None };
            counts[domain.cell(codes)?] = i64::try_from(count.floor()).ok().filter(|_| count.is_integer())?;
        }
        Some((domain, counts))
    }

    /// The public count of every weighted live cell, and the cell, where counts are public and
    /// whole.
    pub fn counts_of_cells(&self, domain: &Domain) -> Result<Option<Vec<(usize, i64)>>, Problem> {
        let cells = self.of_cells(domain)?;
        let mut found = Vec::new();
        let mut walk = domain.walk();
        while let Some((cell, codes)) = walk.advance() {
            if cells.of_cell[cell].is_none() {
                continue;
            }
            let key: Vec<usize> = self.by.iter().map(|dimension| codes[*dimension]).collect();
            match self.rows.get(&key) {
                Some(BaseRow::Count(count)) if count.is_integer() => found.push((cell, i64::try_from(count.floor()))),
                _ => return Ok(None),
            }
        }
        Ok(found.into_iter().map(|(cell, count)| Some((cell, count.ok()?))).collect())
    }
}

fn count_of(count: usize, what: &str) -> String {
    if count == 1 { format!("one {what}") } else { format!("{count} {what}s") }
}
