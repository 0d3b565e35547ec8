//! Data files: whatever the bytes, the reader returns a table or a problem.

use declare::{Declaration, Domain};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::path::PathBuf;
use std::sync::OnceLock;
use tabulate::tabulate;
use tempfile::TempDir;

/// Ways to read the same columns.
const WAYS: [&str; 5] = [
    "",
    "count = \"n\"\n",
    "count = \"n\"\nduplicates = \"sum\"\nmissing = \"drop\"\noutside = \"drop\"\nnegative = \"zero\"\n",
    "where = \"n > 1 and a != 'x'\"\nmissing = \"drop\"\n",
    "unit = \"n\"\nrows_per_unit = 2\noutside = \"drop\"\n",
];

/// Text: the first byte says how to read it and how it is packed.
pub(crate) fn text(data: &[u8]) {
    let Some((first, file)) = data.split_first() else { return };
    let endings = ["csv", "tsv", "csv.gz", "csv.zst"];
    read(usize::from(*first), file, endings[usize::from(first / 16) % endings.len()]);
}

/// Parquet: the first byte says how to read it.
pub(crate) fn parquet(data: &[u8]) {
    if let Some((first, file)) = data.split_first() {
        read(usize::from(*first), file, "parquet");
    }
}

/// Arrow IPC: the first byte says how to read it.
pub(crate) fn arrow(data: &[u8]) {
    if let Some((first, file)) = data.split_first() {
        let ending = if *first < 128 { "arrow" } else { "arrows" };
        read(usize::from(*first), file, ending);
    }
}

pub(crate) fn folder() -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder")).path().to_path_buf()
}

fn declared(way: usize, ending: &str) -> (Declaration, Domain) {
    let way = WAYS[way % WAYS.len()];
    let spec = format!(
        "[data]\npath = \"input.{ending}\"\npublic = true\n{way}[dimensions]\na = [\"x\", \"y\", \"1\"]\n\
         b = {{ integers = [0, 3] }}\nc = {{ bins = [0, 5, 18], open = true }}\n[constraints]\nzero = [\"a = 'y' and b = 3\"]\n\
         [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\n"
    );
    let declaration = Declaration::parse_alone(&spec, "spec.toml").expect("a good spec");
    let domain = declaration.domain().expect("a small domain");
    (declaration, domain)
}

fn read(way: usize, file: &[u8], ending: &str) {
    let (declaration, domain) = declared(way, ending);
    let folder = folder();
    std::fs::write(folder.join(format!("input.{ending}")), file).expect("a file in a temporary folder");
    let read = |threads: &ThreadPool| threads.install(|| tabulate(&declaration, &domain, &folder, &mut |_| ()));
    let alone = read(&pools()[0]);
    if let Ok(tabulated) = &alone {
        let left_out = tabulated.rows.filtered
            + tabulated.rows.dropped_missing
            + tabulated.rows.dropped_outside
            + tabulated.rows.dropped_beyond;
        let total: i64 = tabulated.table.counts().iter().sum();
        let lost = u64::try_from(total).is_ok_and(|total| total + left_out != tabulated.rows.read);
        assert!(declaration.data.count.is_some() || !lost, "rows are lost");
    }
    // Two threads cost ten times as much as the reading of a small file.
    if way.is_multiple_of(8) {
        match (alone, read(&pools()[1])) {
            (Ok(alone), Ok(together)) => assert_eq!(alone.table.counts(), together.table.counts()),
            (Err(alone), Err(together)) => assert_eq!(alone, together),
            _ => panic!("the threads decide whether there is a problem"),
        }
    }
}

/// One thread, and two.
fn pools() -> &'static [ThreadPool; 2] {
    static POOLS: OnceLock<[ThreadPool; 2]> = OnceLock::new();
    POOLS.get_or_init(|| [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread")))
}
