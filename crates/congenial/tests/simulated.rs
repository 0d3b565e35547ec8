//! Many draws of a small table make a compact file: rows of many draws share a group, and every
//! draw keeps the totals.

use congenial::{Quiet, simulate};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use std::fs::File;
use std::path::Path;

#[test]
fn many_draws_share_a_row_group() {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/five-cells/spec.toml");
    let work = tempfile::tempdir().unwrap();
    let file = work.path().join("draws.parquet");
    simulate(&spec, 400, Some(7), &file, &Quiet).unwrap();
    let reader = SerializedFileReader::new(File::open(&file).unwrap()).unwrap();
    assert_eq!((reader.num_row_groups(), reader.metadata().file_metadata().num_rows()), (1, 2000));
    let mut totals = vec![0i64; 400];
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        totals[row.get_long(1).unwrap() as usize] += row.get_long(2).unwrap();
    }
    assert!(totals.iter().all(|total| *total == 23), "every draw keeps the total");
}

#[test]
fn a_table_that_its_totals_give_away_is_refused() {
    let work = tempfile::tempdir().unwrap();
    let spec =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/five-cells/spec.toml"));
    std::fs::write(work.path().join("spec.toml"), spec.unwrap()).unwrap();
    std::fs::write(work.path().join("cells.csv"), "cell,count\na,0\n").unwrap();
    let problem = congenial::Prepared::open(&work.path().join("spec.toml"), &Quiet).unwrap_err();
    assert_eq!(problem.kind, congenial::Kind::Refused);
    assert!(problem.message.contains("alone give every cell"), "{problem}");
}
