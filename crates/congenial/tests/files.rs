//! Tables written in portions of any size come back as they were, in every format.

use congenial::{Declaration, FileWriter, Format, Intervals, Layout, TableWriter, read_table};
use declare::Domain;

const FORMATS: [Format; 3] = [Format::CSV, Format::PARQUET, Format::XLSX];

/// Labels that a spreadsheet or a careless writer could take for something else; years; a hole.
const SPEC: &str = r#"
title = "Strange labels"
[data]
path = "x.csv"
count = "n"
public = true
[dimensions]
label = ["=1+1", "+2", "a, \"b\"", " spaces ", "tab\there", "line\nbreak", "007", "1e5", "TRUE", "ß漢🙂", "-"]
year = { integers = [1999, 2003] }
[constraints]
nonnegative = false
zero = ["label = '+2' and year > 2000"]
[mechanism]
noise = "double-geometric"
epsilon = "1"
"#;

fn domain() -> Domain {
    Declaration::parse_alone(SPEC, "spec.toml").unwrap().domain().unwrap()
}

fn values(domain: &Domain) -> Vec<i64> {
    (0..domain.len() as i64).map(|cell| (cell - 20) * 1_000_003 * cell.pow(3)).collect()
}

#[test]
fn portions_of_any_size_come_back() {
    let domain = domain();
    assert_eq!(domain.len(), 52);
    let values = values(&domain);
    let reach = Intervals::ByCell((0..52).map(|cell| cell % 3).collect());
    let folder = tempfile::tempdir().unwrap();
    for format in FORMATS {
        for intervals in [None, Some(&reach)] {
            let mut whole: Option<Vec<u8>> = None;
            for size in [1, 7, 52] {
                let path = folder.path().join(format!("{size}-{}.{}", intervals.is_some(), format.extension()));
                let mut file = FileWriter::create(&path, format, &[]).unwrap();
                let layout = Layout { intervals, ..Layout::default() };
                let mut table = TableWriter::new(&mut file, &domain, layout).unwrap();
                values.chunks(size).for_each(|portion| table.write(portion).unwrap());
                table.finish().unwrap();
                file.finish().unwrap();
                let bytes = std::fs::read(&path).unwrap();
                assert_eq!(whole.get_or_insert(bytes.clone()), &bytes, "the same bytes whatever the portions");
                let mut found = Vec::new();
                read_table(&path, format, &domain, intervals.is_some(), &mut |portion| {
                    for (place, value) in portion.values.iter().enumerate() {
                        let reach = portion.interval.map(|[lower, upper]| [value - lower[place], upper[place] - value]);
                        found.push((*value, reach.unwrap_or_default()));
                    }
                    Ok(())
                })
                .unwrap();
                let expected: Vec<(i64, [i64; 2])> = values
                    .iter()
                    .enumerate()
                    .map(|(cell, value)| (*value, [intervals.map_or(0, |intervals| intervals.reach(cell)); 2]))
                    .collect();
                assert_eq!(found, expected);
            }
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 18, "no temporary files are left");
}

#[test]
fn too_few_and_too_many_cells_are_found() {
    let domain = domain();
    let values = values(&domain);
    let folder = tempfile::tempdir().unwrap();
    for format in FORMATS {
        let path = folder.path().join(format!("few.{}", format.extension()));
        let mut file = FileWriter::create(&path, format, &[]).unwrap();
        let mut table = TableWriter::new(&mut file, &domain, Layout::default()).unwrap();
        table.write(&values[1..]).unwrap();
        assert!(table.finish().unwrap_err().message.contains("fewer values"));
        let path = folder.path().join(format!("many.{}", format.extension()));
        let mut file = FileWriter::create(&path, format, &[]).unwrap();
        let mut table = TableWriter::new(&mut file, &domain, Layout::default()).unwrap();
        table.write(&values).unwrap();
        assert!(table.write(&[1]).unwrap_err().message.contains("more values"));
    }
}

#[test]
fn a_workbook_refuses_numbers_that_it_would_round() {
    let domain = domain();
    let mut values = values(&domain);
    let folder = tempfile::tempdir().unwrap();
    for (name, large, fits) in [("fits", 1i64 << 53, true), ("over", (1 << 53) + 1, false), ("under", i64::MIN, false)]
    {
        values[7] = large;
        let path = folder.path().join(format!("{name}.xlsx"));
        let mut file = FileWriter::create(&path, Format::XLSX, &[]).unwrap();
        let mut table = TableWriter::new(&mut file, &domain, Layout::default()).unwrap();
        let written = table.write(&values).and_then(|()| table.finish());
        match written {
            Ok(()) => assert!(fits, "{name}"),
            Err(problem) => assert!(!fits && problem.message.contains("cannot be told exactly"), "{}", problem.message),
        }
    }
}
