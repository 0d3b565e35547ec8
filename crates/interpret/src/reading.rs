//! Files that readers bring: tables, queries, means and totals, matched with cells by their labels.

use ::infer::{Prior, Query};
use declare::{Domain, Problem};
use exact::Rational;
use prepare::StandIn;
use publish::{Format, read_table};
use std::collections::HashMap;
use std::path::Path;
use tabulate::{Frame, RowVisitor};

/// The largest file that is read.
const LARGEST: u64 = 1 << 30;

/// A file of rows.
struct Rows {
    path: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Rows {
    /// A text file, or a Parquet or Arrow file, as text.
    fn read(path: &Path) -> Result<Rows, Problem> {
        let name = path.display().to_string();
        Rows::gather(&name, &mut |row| tabulate::scan(path, &name, row))
    }

    /// The rows of a frame, as text.
    fn of_frame(frame: &Frame, name: &str) -> Result<Rows, Problem> {
        Rows::gather(name, &mut |row| tabulate::scan_frame(frame, name, row))
    }

    fn gather(
        name: &str,
        scan: &mut dyn FnMut(&mut RowVisitor<'_>) -> Result<Vec<String>, Problem>,
    ) -> Result<Rows, Problem> {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut bytes = 0;
        let header = scan(&mut |header, fields| {
            bytes += fields.iter().map(|field| field.len() as u64 + 1).sum::<u64>();
            if bytes > LARGEST {
                return Err(Problem::bad(format!("`{name}` holds more than {} MB of text", LARGEST >> 20)));
            }
            if fields.len() != header.len() {
                let (line, found, wanted) = (rows.len() + 2, fields.len(), header.len());
                return Err(Problem::bad(format!("`{name}`, line {line}: {found} fields, the header has {wanted}")));
            }
            rows.push(fields.iter().map(|field| (*field).to_string()).collect());
            Ok(())
        })?;
        Ok(Rows { path: name.to_owned(), header, rows })
    }

    fn column(&self, name: &str) -> Result<usize, Problem> {
        self.header.iter().position(|column| column == name).ok_or_else(|| {
            Problem::bad(format!("`{}` has no column `{name}`", self.path))
                .hint(format!("its columns are {}", self.header.join(", ")))
        })
    }

    fn bad(&self, row: usize, what: impl std::fmt::Display) -> Problem {
        Problem::bad(format!("`{}`, line {}: {what}", self.path, row + 2))
    }

    /// The cell of every row, by the columns that are those of the released table.
    fn cells(&self, domain: &Domain) -> Result<Vec<u32>, Problem> {
        let columns = domain.columns();
        let place = |name: &str| self.header.iter().position(|other| other == name);
        let used = columns.iter().filter_map(|column| Some((place(column.name)?, column)));
        let used: Vec<(usize, &declare::Column<'_>)> = used.collect();
        let mut known: HashMap<Vec<String>, u32> = HashMap::with_capacity(domain.len());
        let mut walk = domain.walk();
        while let Some((cell, codes)) = walk.advance() {
            let labels = used.iter().map(|(_, column)| column.text(codes[column.dimension]).into_owned()).collect();
            if known.insert(labels, cell as u32).is_some() {
                let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
                return Err(Problem::bad(format!("the columns of `{}` do not tell all cells apart", self.path))
                    .hint(format!("it needs the columns {}", names.join(", "))));
            }
        }
        let find = |(row, fields): (usize, &Vec<String>)| {
            let labels: Vec<String> = used.iter().map(|(place, _)| fields[*place].clone()).collect();
            let found = known.get(&labels).copied();
            found.ok_or_else(|| self.bad(row, format_args!("no cell of the release is `{}`", labels.join(", "))))
        };
        self.rows.iter().enumerate().map(find).collect()
    }

    /// The number in the column `value` of every cell, each standing there once; or, if a later row
    /// may replace it, the last. `wrong` says what is wrong with one.
    fn of_cells<T: std::str::FromStr + Clone>(
        &self,
        domain: &Domain,
        what: &str,
        once: bool,
        wrong: impl Fn(&T) -> Option<String>,
    ) -> Result<Vec<T>, Problem> {
        let value = self.column("value")?;
        let mut numbers: Vec<Option<T>> = vec![None; domain.len()];
        for (row, cell) in self.cells(domain)?.into_iter().enumerate() {
            let number = self.number(row, value, what)?;
            if let Some(wrong) = wrong(&number) {
                return Err(self.bad(row, wrong));
            }
            if numbers[cell as usize].replace(number).is_some() && once {
                return Err(self.bad(row, format_args!("`{}` stands there twice", domain.describe(cell as usize))));
            }
        }
        match numbers.iter().position(Option::is_none) {
            Some(cell) => Err(Problem::bad(format!("`{}` has no row for `{}`", self.path, domain.describe(cell)))),
            None => Ok(numbers.into_iter().flatten().collect()),
        }
    }

    fn number<T: std::str::FromStr>(&self, row: usize, column: usize, what: &str) -> Result<T, Problem> {
        let field = self.rows[row][column].trim();
        field.parse().map_err(|_| self.bad(row, format_args!("`{field}` is not {what}")))
    }
}

/// The names of the columns of a file.
pub(super) fn header(path: &Path) -> Result<Vec<String>, Problem> {
    Rows::read(path).map(|rows| rows.header)
}

/// A table in a file or in memory.
pub(super) fn table_of(source: &StandIn, domain: &Domain) -> Result<Vec<i64>, Problem> {
    match source {
        StandIn::File(path) => table(path, domain),
        StandIn::Frame(frame) => table_in(&Rows::of_frame(frame, &source.shown())?, domain),
    }
}

/// A table: one row for every cell, in any order, and a column `value`; or a workbook as releases
/// and best tables have it.
fn table(path: &Path, domain: &Domain) -> Result<Vec<i64>, Problem> {
    if Format::of(path)? == Format::XLSX {
        let mut counts = Vec::with_capacity(domain.len());
        let mut read = |intervals: bool| {
            counts.clear();
            read_table(path, Format::XLSX, domain, intervals, &mut |portion| {
                counts.extend_from_slice(portion.values);
                Ok(())
            })
        };
        read(false).or_else(|_| read(true))?;
        return Ok(counts);
    }
    table_in(&Rows::read(path)?, domain)
}

fn table_in(rows: &Rows, domain: &Domain) -> Result<Vec<i64>, Problem> {
    rows.of_cells(domain, "a whole number", true, |_| None)
}

/// Queries: columns of the dimensions, `query` and an integer `coefficient`.
pub(super) fn queries(path: &Path, domain: &Domain) -> Result<Vec<Query>, Problem> {
    let rows = Rows::read(path)?;
    let (name, coefficient) = (rows.column("query")?, rows.column("coefficient")?);
    // In the order of the file.
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut found: Vec<(&str, Vec<(u32, i64)>)> = Vec::new();
    for (row, cell) in rows.cells(domain)?.into_iter().enumerate() {
        let query = rows.rows[row][name].as_str();
        let times: i64 = rows.number(row, coefficient, "a whole number of at most 2^31")?;
        let place = *places.entry(query).or_insert_with(|| {
            found.push((query, Vec::new()));
            found.len() - 1
        });
        found[place].1.push((cell, times));
    }
    let queries = found.into_iter().map(|(name, entries)| Query::new(name, entries)).collect::<Result<Vec<_>, _>>()?;
    match queries.is_empty() {
        true => Err(Problem::bad(format!("`{}` has no query", rows.path))),
        false => Ok(queries),
    }
}

/// A public distribution: a weight for every cell, as whole numbers with the same proportions.
pub(super) fn weights(path: &Path, domain: &Domain) -> Result<Vec<u64>, Problem> {
    let rows = Rows::read(path)?;
    let wrong = |number: &Rational| number.is_negative().then(|| "a weight is not negative".to_string());
    let numbers = rows.of_cells(domain, "a number such as 0.25 or 1/4", true, wrong)?;
    let mut below = Rational::integer(1);
    for number in &numbers {
        let missing = &below * number;
        if !missing.is_integer() {
            below = &below * &Rational::new(missing.denominator().clone(), 1u8);
        }
    }
    let whole = |number: &Rational| u64::try_from(&(number * &below).floor()).ok();
    numbers.iter().map(whole).collect::<Option<Vec<u64>>>().ok_or_else(|| {
        Problem::bad(format!("the weights of `{}` need more than 64 bits as whole numbers", rows.path))
            .hint("write them with fewer digits")
    })
}

/// A score for every label of one dimension.
pub(super) fn scores(path: &Path, name: &str, labels: &[String]) -> Result<Vec<i64>, Problem> {
    let rows = Rows::read(path)?;
    let (label, score) = (rows.column(name)?, rows.column("score")?);
    let mut scores = vec![None; labels.len()];
    for row in 0..rows.rows.len() {
        let own = &rows.rows[row][label];
        let code = labels.iter().position(|label| label == own);
        let code = code.ok_or_else(|| rows.bad(row, format_args!("`{name}` has no value `{own}`")))?;
        scores[code] = Some(rows.number::<i32>(row, score, "a whole number")?.into());
    }
    match scores.iter().position(Option::is_none) {
        Some(code) => Err(Problem::bad(format!("`{}` has no score for `{}`", rows.path, labels[code]))),
        None => Ok(scores.into_iter().flatten().collect()),
    }
}

/// A prior as it is written.
pub(super) fn prior(text: &str, domain: &Domain) -> Result<Prior, Problem> {
    let unknown = || {
        Problem::bad(format!("there is no prior `{text}`"))
            .hint("flat, poisson:FILE, gamma-poisson:SHAPE or dirichlet-multinomial:FILE")
    };
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    match (name, rest) {
        ("flat", "") => Ok(Prior::Flat),
        ("gamma-poisson", shape) => {
            let shape =
                shape.parse::<f64>().ok().filter(|shape| *shape > 0.0 && shape.is_finite()).ok_or_else(|| {
                    Problem::bad(format!("the shape of a gamma prior is a positive number, not `{shape}`"))
                        .hint("gamma-poisson:0.5")
                })?;
            Ok(Prior::GammaPoisson { shape })
        }
        ("poisson", file) if !file.is_empty() => Ok(Prior::Poisson { means: positive(Path::new(file), domain)? }),
        ("dirichlet-multinomial", file) if !file.is_empty() => {
            Ok(Prior::DirichletMultinomial { parameters: positive(Path::new(file), domain)? })
        }
        _ => Err(unknown()),
    }
}

/// How much every cell is exposed.
pub(super) fn exposures(path: &Path, domain: &Domain) -> Result<Vec<f64>, Problem> {
    positive_or(path, domain, "no exposure: a rate is a count per exposure, which is above zero").map_err(|problem| {
        match problem.hint {
            None => problem.hint("cells in which nobody can be counted are declared as zeros in the spec of a release"),
            Some(_) => problem,
        }
    })
}

/// A positive number for every cell.
fn positive(path: &Path, domain: &Domain) -> Result<Vec<f64>, Problem> {
    positive_or(path, domain, "not a positive number: it would forbid every count but zero")
}

fn positive_or(path: &Path, domain: &Domain, otherwise: &str) -> Result<Vec<f64>, Problem> {
    let rows = Rows::read(path)?;
    let wrong = |number: &f64| (!(*number > 0.0 && number.is_finite())).then(|| format!("`{number}` is {otherwise}"));
    rows.of_cells(domain, "a positive number", false, wrong)
}
