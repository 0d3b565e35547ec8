//! Data files become what a mechanism needs of them: moments of scaled records, or the losses of
//! candidates.

use crate::declared::{Declared, scalings, settings};
use declare::{Choice, Kind, MissingValue, Number, OutsideBounds, Problem, Regression, Variable};
use exact::{Enclosure, NoEntropy, Rational, Seeded, SystemEntropy};
use exponential::{Chosen, Gradient, Moments, Ridge, Scaling, Selection};
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use tabulate::{Reading, data_files, scan_as};
use zeroize::Zeroizing;

/// A mechanism with its data, ready to be drawn from.
pub struct Ready {
    law: Law,
    records: u64,
    /// A hash of what was read: which data these are, for the seed of a draw. As confidential as
    /// they are.
    data: Zeroizing<String>,
}

enum Law {
    Ridge(Box<Ridge>),
    Selection(Selection),
}

/// Why data are not used.
#[derive(Debug)]
pub enum Unread {
    /// What anybody may know: of the files and their columns, and of public data.
    Told(Problem),
    /// It follows from confidential rows. The words are the same whatever is wrong with them; that
    /// they are told is an answer, to be counted.
    Answer(Problem),
}

impl From<Problem> for Unread {
    fn from(problem: Problem) -> Unread {
        Unread::Told(problem)
    }
}

impl Ready {
    /// Reads the data that a spec names, relative to `folder`.
    pub fn read(declared: &Declared, folder: &Path) -> Result<Ready, Unread> {
        match declared {
            Declared::Regression(regression) => read_regression(regression, folder),
            Declared::Choice(choice) => read_choice(choice, folder),
        }
    }

    /// The number of records, which is public; of a selection that of its candidates.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Which data these are.
    pub fn data(&self) -> &str {
        &self.data
    }

    /// Seeded draws of a regression, and the ordinary estimate before them, in steps of the grid;
    /// for public data.
    pub fn simulated(&self, draws: u64, seed: u64) -> Result<(Vec<Rational>, Vec<Vec<i64>>), Problem> {
        let Law::Ridge(ridge) = &self.law else { return Err(Problem::bad("only regressions are simulated")) };
        let point = |draw: u64| {
            let chosen = ridge.draw(&Seeded::draw(seed, draw)).map_err(|error| Problem::system(error.to_string()))?;
            Ok(chosen.point().to_vec())
        };
        Ok((Gradient::new(ridge).estimate(), (0..draws).map(point).collect::<Result<_, Problem>>()?))
    }

    /// One draw.
    pub fn draw(&self, source: &SystemEntropy) -> Result<Chosen<SystemEntropy>, Problem> {
        let chosen: Result<_, NoEntropy> = match &self.law {
            Law::Ridge(ridge) => ridge.draw(source),
            Law::Selection(selection) => selection.draw(source),
        };
        chosen.map_err(|error| Problem::system(error.to_string()))
    }
}

/// Hashes whole numbers in the order in which they come.
#[derive(Default)]
struct Hash {
    waiting: Zeroizing<Vec<u8>>,
}

impl Hash {
    /// Beyond this many bytes they are hashed together with the hash of those before.
    const BLOCK: usize = 1 << 16;

    fn add(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= Hash::BLOCK {
            let so_far = certify::sha256(&self.waiting);
            self.waiting = Zeroizing::new(so_far.into_bytes());
        }
    }

    fn finish(self) -> Zeroizing<String> {
        Zeroizing::new(certify::sha256(&self.waiting))
    }
}

/// A row of a file, for messages.
fn at(name: &str, row: u64) -> String {
    format!("row {row} of `{name}`")
}

/// Takes a row: how messages call it, and the fields of the columns.
type TakeRow<'a> = &'a mut dyn FnMut(&str, &[&str]) -> Result<(), Problem>;

/// Data files of records, read row by row.
struct RecordFiles<'a> {
    path: &'a str,
    folder: &'a Path,
    public: bool,
    columns: &'a [&'a str],
    /// What is told of confidential rows that cannot be used, whatever is wrong with them.
    answer: &'a str,
}

impl RecordFiles<'_> {
    /// Hands the fields of the columns of every row on, with how messages call the row. Public rows
    /// must be as they are declared; of confidential ones what is not there is missing.
    fn read(&self, row: TakeRow) -> Result<(), Unread> {
        for path in data_files(self.folder, self.path)? {
            let name = path.display().to_string();
            // Whether there is such a file is no secret.
            let there = path.metadata().is_ok_and(|found| found.is_file()) && File::open(&path).is_ok();
            let reading = if self.public { Reading::Strict } else { Reading::Trusting };
            let mut known: Option<Vec<usize>> = None;
            let (mut number, mut other_columns) = (0, None);
            let scanned = scan_as(reading, &path, &name, &mut |header, fields| {
                number += 1;
                let at = at(&name, number);
                if self.public && fields.len() != header.len() {
                    let (found, wanted) = (fields.len(), header.len());
                    return Err(Problem::bad(format!("{at} has {found} fields, the header has {wanted}"))
                        .hint("a text with commas stands in quotation marks; complete or remove the row"));
                }
                let known = match &mut known {
                    Some(known) => &*known,
                    none => match self.places(header, &name) {
                        Ok(places) => none.insert(places),
                        Err(problem) => {
                            other_columns = Some(problem.clone());
                            return Err(problem);
                        }
                    },
                };
                let fields: Vec<&str> = known.iter().map(|place| fields.get(*place).copied().unwrap_or("")).collect();
                row(&at, &fields)
            });
            match scanned {
                Ok(header) => drop(self.places(&header, &name)?),
                Err(problem) if self.public || !there || problem.kind == Kind::System => return Err(problem.into()),
                Err(problem) => return Err(other_columns.map_or_else(|| self.unusable(problem), Unread::Told)),
            }
        }
        Ok(())
    }

    /// Rows that cannot be used: of confidential ones nothing else is told.
    fn unusable(&self, problem: Problem) -> Unread {
        if self.public {
            return Unread::Told(problem);
        }
        Unread::Answer(Problem::refused(self.answer).hint(
            "which row it is, and what is wrong with it, is not told, because that would tell about single records; look \
             at the file where it may be seen",
        ))
    }

    /// The places of the columns in a header. Of confidential data the header is not shown: where
    /// it was forgotten it is a record.
    fn places(&self, header: &[String], name: &str) -> Result<Vec<usize>, Problem> {
        let place = |column: &&str| {
            let mut found = header.iter().enumerate().filter(|(_, named)| named.trim() == *column);
            match (found.next(), found.next()) {
                (Some((place, _)), None) => Ok(place),
                (Some(_), Some(_)) => Err(Problem::bad(format!("`{name}` has two columns `{column}`"))),
                (None, _) => Err(Problem::bad(format!("`{name}` has no column `{column}`")).hint(match self.public {
                    true => format!("its columns: {}", header.join(", ")),
                    false => "its first row names the columns; compare it with the spec".to_string(),
                })),
            }
        };
        self.columns.iter().map(place).collect()
    }
}

fn read_regression(regression: &Regression, folder: &Path) -> Result<Ready, Unread> {
    let Regression { path, public, .. } = regression;
    let variables: Vec<&Variable> = regression.predictors.iter().chain([&regression.response]).collect();
    let columns: Vec<&str> = variables.iter().map(|variable| variable.column.as_str()).collect();
    let answer = "the records cannot be read: in a file, a row is broken, or there is none";
    let rows = RecordFiles { path, folder, public: *public, columns: &columns, answer };
    let scalings = scalings(regression)?;
    let mut moments = Moments::new(regression.predictors.len(), regression.resolution);
    rows.read(&mut |at, fields| {
        let scaled = record(regression, &variables, &scalings, fields)
            .map_err(|problem| Problem { message: format!("{at}: {}", problem.message), ..problem })?;
        if let Some(scaled) = scaled {
            let (response, predictors) = scaled.split_last().expect("a response");
            moments.add(predictors, *response);
        }
        Ok(())
    })?;
    let records = moments.records();
    if records == 0 {
        return Err(rows.unusable(Problem::bad("there are no records to explain anything with")));
    }
    // A draw depends on the data through these sums alone: records in another order draw the
    // same.
    let mut hash = Hash::default();
    moments.for_each(|sum| hash.add(&sum.to_le_bytes()));
    let ridge = Ridge::new(settings(regression, records), &moments)?;
    Ok(Ready { law: Law::Ridge(Box::new(ridge)), records, data: hash.finish() })
}

/// The scaled values of a row, predictors first; `None`: it is left out.
fn record(
    regression: &Regression,
    variables: &[&Variable],
    scalings: &[Scaling],
    fields: &[&str],
) -> Result<Option<Zeroizing<Vec<i64>>>, Problem> {
    let mut scaled = Zeroizing::new(Vec::with_capacity(fields.len()));
    for ((variable, scaling), field) in variables.iter().zip(scalings).zip(fields) {
        let value = match number(variable, field) {
            Some(value) => value,
            None => match regression.missing {
                MissingValue::Drop => return Ok(None),
                MissingValue::Middle => &(&variable.low + &variable.high) * &Rational::new(1, 2u8),
                MissingValue::Error => {
                    let what = if variable.is_log { "a number above zero" } else { "a number" };
                    return Err(Problem::bad(format!("`{}` holds no {}", variable.column, &what[2..]))
                        .hint(format!("expected {what}; or write missing = \"drop\" or \"middle\" under [data]")));
                }
            },
        };
        if regression.outside == OutsideBounds::Error && scaling.is_outside(&value) {
            let (name, low, high) = (variable.name(), &variable.low, &variable.high);
            return Err(Problem::bad(format!("`{name}` is outside its declared bounds {low} to {high}"))
                .hint("declare wider bounds, or write outside = \"clamp\" under [data]"));
        }
        scaled.push(scaling.scaled(&value));
    }
    Ok(Some(scaled))
}

/// The value of a variable in a field.
fn number(variable: &Variable, field: &str) -> Option<Rational> {
    let field = field.trim();
    if let Some(indicated) = &variable.indicates {
        return (!field.is_empty()).then(|| Rational::integer(i64::from(field == indicated)));
    }
    let value = decimal(field)?;
    match variable.is_log {
        false => Some(value),
        // A function of the record alone: the lower end of an enclosure of 64 bits.
        true => value.is_positive().then(|| Enclosure::ln_rational(&value, 64)).flatten().map(|ln| ln.lower_rational()),
    }
}

/// The significant digits that are kept of a number with very many.
const MOST_SIGNIFICANT: usize = 40;

/// Numbers from here on, by their power of ten, are beyond all bounds that a spec can declare, or
/// as near to zero as nothing else.
const MOST_POWER: i64 = 130;

/// The number in a field. Fractions are for specs: a field of a file is a decimal. One of very many
/// digits, or with a very large exponent, is a number too and no missing value: it is cut off, far
/// beyond all bounds.
fn decimal(field: &str) -> Option<Rational> {
    if field.contains('/') {
        return None;
    }
    if let Ok(value) = field.parse::<Rational>() {
        return Some(value);
    }
    Number::read(field)?;
    let (mantissa, exponent) = field.split_once(['e', 'E']).unwrap_or((field, "0"));
    let unsigned = mantissa.trim_start_matches(['-', '+']);
    let (before, after) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits: String = before.chars().chain(after.chars()).collect();
    let significant = digits.trim_start_matches('0');
    let significant = &significant[..significant.len().min(MOST_SIGNIFICANT)];
    if significant.is_empty() {
        return Some(Rational::integer(0));
    }
    // The number is 0.d₁d₂… times this power of ten.
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    // An exponent that no number holds is larger than any that counts.
    let largest = if exponent.starts_with('-') { i64::from(i32::MIN) } else { i64::from(i32::MAX) };
    let power = before.len() as i64 - zeros as i64 + exponent.parse::<i32>().map_or(largest, i64::from);
    let shift = power.clamp(-MOST_POWER, MOST_POWER) - significant.len() as i64;
    let ten = Rational::integer(10).pow(shift.unsigned_abs() as u32);
    let size = significant.parse::<Rational>().ok()?;
    let size = if shift >= 0 { &size * &ten } else { &size / &ten };
    Some(if mantissa.starts_with('-') { -size } else { size })
}

fn read_choice(choice: &Choice, folder: &Path) -> Result<Ready, Unread> {
    let numbered: HashMap<&str, usize> =
        choice.candidates.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
    let mut losses: Vec<Option<Rational>> = vec![None; choice.candidates.len()];
    let columns = [choice.column.as_str(), choice.loss.as_str()];
    let answer =
        "the losses cannot be used: a file must hold one number for every declared candidate, and for nothing else";
    let rows = RecordFiles { path: &choice.path, folder, public: choice.public, columns: &columns, answer };
    rows.read(&mut |at, fields| {
        let Some(place) = numbered.get(fields[0].trim()) else {
            return Err(Problem::bad(format!("{at} holds a candidate that is not declared"))
                .hint("declare it under values in [candidates], or take the row out"));
        };
        let loss = fields[1].trim();
        let loss = if loss.contains('/') { None } else { loss.parse::<Rational>().ok() };
        let loss = loss.ok_or_else(|| Problem::bad(format!("{at}: the loss is no number")))?;
        match losses[*place].replace(loss) {
            None => Ok(()),
            Some(_) => Err(Problem::bad(format!("{at} gives a candidate a second loss"))),
        }
    })?;
    let mut hash = Hash::default();
    let mut known = Vec::with_capacity(losses.len());
    for (loss, name) in losses.into_iter().zip(&choice.candidates) {
        let none = || rows.unusable(Problem::bad(format!("the candidate `{name}` has no loss in the file")));
        let loss = loss.ok_or_else(none)?;
        hash.add(format!("{loss}\n").as_bytes());
        known.push(loss);
    }
    let selection = Selection::new(&known, &choice.epsilon, &choice.sensitivity);
    let selection = if choice.is_padded { selection.padded() } else { selection };
    Ok(Ready { law: Law::Selection(selection), records: choice.candidates.len() as u64, data: hash.finish() })
}

#[cfg(test)]
mod tests {
    use super::decimal;
    use exact::Rational;

    #[test]
    fn a_number_is_one_however_large_or_long_it_is() {
        let ten = |power: u32| Rational::integer(10).pow(power);
        let least = |field: &str| decimal(field).unwrap_or_else(|| panic!("{field} is a number"));
        assert!(least("1e100") > ten(90) && least("-1e100") < -ten(90) && least("7e2000000000") > ten(120));
        assert!(least(&"9".repeat(500)) > ten(120));
        for tiny in ["1e-100", "0.5e-2000000000", &format!("0.{}1", "0".repeat(80))] {
            let value = least(tiny);
            assert!(value.is_positive() && value < Rational::new(1, 1_000_000u32), "{tiny}: {value}");
        }
        let long = least(&format!("-0.123{}", "4".repeat(100)));
        assert!(long < Rational::new(-123, 1000u32) && long > Rational::new(-124, 1000u32), "{long}");
        assert!(least(&format!("0.{}", "0".repeat(100))).is_zero());
        assert_eq!(decimal("1.5"), Some(Rational::new(3, 2u8)));
        for none in ["", "x", "1/2", "1,5", "1e", "--1"] {
            assert_eq!(decimal(none), None, "{none}");
        }
    }
}
