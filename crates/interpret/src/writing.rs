//! Best tables and imputations as files: whole, or not there at all.

use ::infer::{BestTable, Posterior, Query};
use declare::{Column, Domain, Problem};
use publish::{Cells, ColumnKind, Field, FileWriter, Format, cannot, give_name, private_folder};
use std::fs;
use std::path::Path;

fn beside(file: &Path) -> &Path {
    file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Codes of all cells, by dimension.
fn codes(domain: &Domain) -> Vec<Vec<u32>> {
    let mut codes = vec![Vec::with_capacity(domain.len()); domain.schema.dimensions.len()];
    let mut walk = domain.walk();
    while let Some((_, cell)) = walk.advance() {
        codes.iter_mut().zip(cell).for_each(|(column, code)| column.push(*code as u32));
    }
    codes
}

/// The best table: its counts, and for every cell mean, standard deviation and interval.
pub(super) fn best_table(file: &Path, domain: &Domain, best: &BestTable, level: f64) -> Result<(), Problem> {
    let work = private_folder(".congenial-", beside(file))?;
    let unfinished = work.path().join("table");
    let mut writer = FileWriter::create(&unfinished, Format::of(file)?, &[("level".to_string(), level.to_string())])?;
    let columns = domain.columns();
    let mut fields: Vec<Field> = columns.iter().map(Field::of_labels).collect();
    let value = if best.counts.is_some() { ColumnKind::Integer } else { ColumnKind::Real };
    fields.push(Field::new("value", value));
    fields.extend(["mean", "deviation"].map(|name| Field::new(name, ColumnKind::Real)));
    fields.extend(["lower", "upper"].map(|name| Field::new(name, ColumnKind::Integer)));
    writer.begin("Table", &fields)?;
    let codes = codes(domain);
    let most = writer.rows_at_once(fields.len());
    for first in (0..domain.len()).step_by(most) {
        let part = first..domain.len().min(first + most);
        let cells = &best.cells[part.clone()];
        let means: Vec<f64> = cells.iter().map(|cell| cell.mean).collect();
        let deviations: Vec<f64> = cells.iter().map(|cell| cell.deviation).collect();
        let [lower, upper] = [0, 1].map(|end| cells.iter().map(|cell| cell.interval[end]).collect::<Vec<i64>>());
        let label = |column: &'_ Column<'_>| &codes[column.dimension][part.clone()];
        let mut put: Vec<Cells<'_>> = columns.iter().map(|column| Cells::Labels(column, label(column))).collect();
        put.push(match &best.counts {
            Some(counts) => Cells::Integers(&counts[part.clone()]),
            None => Cells::Reals(&means),
        });
        put.extend([Cells::Reals(&means), Cells::Reals(&deviations), Cells::Integers(&lower), Cells::Integers(&upper)]);
        writer.put(&put)?;
    }
    writer.finish()?;
    give_name(unfinished, file)
}

/// Imputations in one Parquet file of a new folder; for every query its figure in each of them.
pub(super) fn imputations(
    out: &Path,
    domain: &Domain,
    posterior: &Posterior<'_>,
    number: u64,
    seed: u64,
    queries: &[Query],
) -> Result<Vec<Vec<f64>>, Problem> {
    let work = private_folder(".congenial-", beside(out))?;
    let unfinished = work.path().join("imputations");
    fs::create_dir(&unfinished).map_err(|error| cannot("create", &unfinished, error))?;
    let file = unfinished.join("imputations.parquet");
    let mut writer = FileWriter::create(&file, Format::PARQUET, &[("imputations".to_string(), number.to_string())])?;
    let columns = domain.columns();
    let mut fields: Vec<Field> = columns.iter().map(Field::of_labels).collect();
    fields.extend(["imputation", "value"].map(|name| Field::new(name, ColumnKind::Integer)));
    writer.begin("Table", &fields)?;
    let codes = codes(domain);
    let most = writer.rows_at_once(fields.len());
    let mut figures: Vec<Vec<f64>> = vec![Vec::with_capacity(number as usize); queries.len()];
    posterior.draw(number, seed, &mut |draw, table| {
        for (query, figures) in queries.iter().zip(&mut figures) {
            figures.push(query.value(table) as f64);
        }
        for first in (0..domain.len()).step_by(most) {
            let part = first..domain.len().min(first + most);
            let numbers = vec![draw as i64 + 1; part.len()];
            let mut put: Vec<Cells<'_>> =
                columns.iter().map(|column| Cells::Labels(column, &codes[column.dimension][part.clone()])).collect();
            put.extend([Cells::Integers(&numbers), Cells::Integers(&table[part])]);
            writer.put(&put)?;
        }
        Ok(())
    })?;
    writer.finish()?;
    fs::rename(&unfinished, out).map_err(|error| cannot("create", out, error))?;
    Ok(figures)
}
