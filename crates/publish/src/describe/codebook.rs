//! `codebook.csv`: one row for every column of every table.

use super::Described;

use declare::Problem;

const HEADER: [&str; 8] = ["file", "sheet", "column", "type", "meaning", "number_of_values", "values", "unit"];

/// The codebook as CSV.
pub fn codebook(tables: &[Described]) -> Result<String, Problem> {
    // Files outside workbooks have no sheets to tell apart.
    let sheets = tables.iter().any(|table| table.sheet.is_some());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |row: [&str; 8]| {
        let shown = row.iter().enumerate().filter(|(place, _)| sheets || *place != 1).map(|(_, field)| field);
        writer.write_record(shown)
    };
    let mut all = || -> csv::Result<()> {
        write(HEADER)?;
        for table in tables {
            for column in &table.columns {
                let empty = if column.optional { " or empty" } else { "" };
                let kind = format!("{}{empty}", column.kind.in_words());
                let count = column.count.map_or(String::new(), |count| count.to_string());
                let sheet = table.sheet.as_deref().unwrap_or("");
                write([
                    &table.file,
                    sheet,
                    &column.name,
                    &kind,
                    &column.meaning,
                    &count,
                    &column.values,
                    &column.unit,
                ])?;
            }
        }
        Ok(())
    };
    let failed = |error: &dyn std::fmt::Display| Problem::system(format!("cannot write the codebook: {error}"));
    all().map_err(|error| failed(&error))?;
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}
