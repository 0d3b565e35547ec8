//! Derived tables: sums and rates of released counts, nothing else.

use crate::files::{Cells, ColumnKind, Field, FileWriter, INTERVAL};
use ::infer::group_reaches;
use declare::{Column, Conditions, Domain, Grouping, OutputRows, Problem};
use plan::{NoReach, Plan, group_reach};

/// A derived table.
#[derive(Debug)]
pub struct OutputTable {
    pub rows: OutputRows,
    /// How far the noise of every sum reaches; of rates nothing is told.
    pub reach: Option<Result<Vec<u32>, NoReach>>,
}

impl OutputTable {
    pub(super) fn new(rows: OutputRows, plan: &Plan, conditions: &Conditions) -> OutputTable {
        let told = || match group_reach(plan, rows.labels.len(), &rows.sum.group_of) {
            Err(reason @ (NoReach::Crossing | NoReach::NoisySums)) => {
                let found = group_reaches(plan, conditions, rows.labels.len(), &rows.sum.group_of);
                found.map(|found| found.reach).ok_or(reason)
            }
            told => told,
        };
        let reach = rows.below.is_none().then(told);
        OutputTable { rows, reach }
    }

    pub fn name(&self) -> &str {
        &self.rows.name
    }

    /// The reach of every sum, where it is told.
    pub fn told(&self) -> Option<&[u32]> {
        self.reach.as_ref().and_then(|reach| reach.as_deref().ok())
    }

    /// Writes it; in a workbook as a sheet of its name.
    pub(super) fn write(&self, file: &mut FileWriter, domain: &Domain, values: &[i64]) -> Result<(), Problem> {
        let rows = &self.rows;
        let columns = domain.columns();
        let texts: Vec<Vec<String>> = (0..rows.columns.len())
            .map(|place| rows.labels.iter().map(|labels| labels[place].clone()).collect())
            .collect();
        let codes: Vec<Option<(&Column<'_>, Vec<u32>)>> = rows
            .columns
            .iter()
            .zip(&texts)
            .map(|(name, texts)| integers(columns.iter().find(|column| column.name == name)?, texts))
            .collect();
        let mut fields: Vec<Field> = Vec::new();
        let mut cells: Vec<Cells<'_>> = Vec::new();
        for ((name, texts), codes) in rows.columns.iter().zip(&texts).zip(&codes) {
            let (kind, labels) = match codes {
                Some((column, codes)) => (ColumnKind::Integer, Cells::Labels(column, codes)),
                None => (ColumnKind::Text, Cells::Texts(texts)),
            };
            fields.push(Field::new(name, kind));
            cells.push(labels);
        }
        let sums = sums(&rows.sum, values)?;
        let (lower, upper, below, rates): (Vec<i64>, Vec<i64>, Vec<i64>, Vec<Option<f64>>);
        match &rows.below {
            None => {
                fields.push(Field::new("value", ColumnKind::Integer));
                cells.push(Cells::Integers(&sums));
                if let Some(reach) = self.told() {
                    let bound = |sign: i64| {
                        let bound = |(sum, reach): (&i64, &u32)| sum.saturating_add(sign * i64::from(*reach));
                        sums.iter().zip(reach).map(bound).collect::<Vec<i64>>()
                    };
                    (lower, upper) = (bound(-1), bound(1));
                    fields.extend(INTERVAL.map(|name| Field::new(name, ColumnKind::Integer)));
                    cells.extend([Cells::Integers(&lower), Cells::Integers(&upper)]);
                }
            }
            Some(grouping) => {
                below = self::sums(grouping, values)?;
                rates = sums.iter().zip(&below).map(|(sum, below)| rate(*sum, *below, rows.times)).collect();
                fields.extend(["numerator", "denominator"].map(|name| Field::new(name, ColumnKind::Integer)));
                fields.push(Field { optional: true, ..Field::new("rate", ColumnKind::Real) });
                cells.extend([Cells::Integers(&sums), Cells::Integers(&below), Cells::MaybeReals(&rates)]);
            }
        }
        file.begin(&rows.name, &fields)?;
        file.put(&cells)
    }
}

/// The codes of labels that are integers.
fn integers<'a>(column: &'a Column<'a>, texts: &[String]) -> Option<(&'a Column<'a>, Vec<u32>)> {
    let first = column.integer(0)?;
    let code = |text: &String| u32::try_from(text.parse::<i64>().ok()?.checked_sub(first)?).ok();
    Some((column, texts.iter().map(code).collect::<Option<_>>()?))
}

/// The sum of every row.
fn sums(grouping: &Grouping, values: &[i64]) -> Result<Vec<i64>, Problem> {
    let sums = grouping.totals(values).into_iter().map(i64::try_from);
    let too_large =
        |_| Problem::refused(format!("a sum of the derived table `{}` does not fit 64 bits", grouping.label));
    sums.collect::<Result<_, _>>().map_err(too_large)
}

/// `times · numerator / denominator`, where the denominator is above zero.
fn rate(numerator: i64, denominator: i64, times: u64) -> Option<f64> {
    let product = i128::from(numerator) * i128::from(times);
    (denominator > 0).then(|| product as f64 / denominator as f64)
}
