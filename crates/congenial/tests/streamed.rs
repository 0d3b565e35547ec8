//! Streamed releases: the same certificates as in memory, the data themselves where the noise is
//! tiny, and what is refused.

use certify::Certificate;
use congenial::{Format, Opened, Options, Problem, Progress, Quiet, Stage, VerifyOptions, release, verify};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

fn spec(
    folder: &Path,
    title: &str,
    data: &str,
    dimensions: &str,
    invariants: &str,
    epsilon: &str,
) -> std::path::PathBuf {
    let path = folder.join("congenial.toml");
    let text = format!(
        "title = \"{title}\"\n[data]\n{data}\npublic = true\n[dimensions]\n{dimensions}\n{invariants}\n[constraints]\n\
         nonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"{epsilon}\"\n"
    );
    fs::write(&path, text).unwrap();
    path
}

fn streamed(spec: &Path, folder: &Path, format: Format) -> Result<Certificate, Problem> {
    assert!(Opened::open_streaming(spec, 0).unwrap().fold.is_some());
    Ok(release(spec, folder, Options { stream_above: 0, ..format.into() }, &Quiet)?.certificate)
}

const DIMENSIONS: &str = "a = [\"x\", \"y\", \"z\"]\nb = { integers = [1, 4] }\nc = [\"k\", \"l\"]";

/// Some cells of the table, in cell order; nothing is in `y`.
const ROWS: &str = "a,b,c,n\nx,1,k,5\nx,1,l,7\nx,4,k,2\nz,1,l,9\nz,3,k,1\nz,3,l,0\n";

#[test]
fn certificates_are_those_of_tables_in_memory() {
    for (number, invariants) in [
        "",
        "[[invariant]]\nby = []",
        "[[invariant]]\nby = [\"a\"]",
        "[[invariant]]\nby = [\"b\", \"a\"]\n[[invariant]]\nby = []",
    ]
    .into_iter()
    .enumerate()
    {
        let work = tempfile::tempdir().unwrap();
        fs::write(work.path().join("t.csv"), ROWS).unwrap();
        let spec = spec(work.path(), "t", "path = \"t.csv\"\ncount = \"n\"", DIMENSIONS, invariants, "1/4");
        for format in [Format::CSV, Format::PARQUET] {
            let folders = ["memory", "stream"].map(|name| work.path().join(format!("{name}-{}", format.extension())));
            let mut one = release(&spec, &folders[0], format, &Quiet).unwrap().certificate;
            let two = streamed(&spec, &folders[1], format).unwrap();
            one.table.sha256 = two.table.sha256.clone();
            (one.time, one.draw) = (two.time.clone(), two.draw.clone());
            one.report_sha256 = two.report_sha256.clone();
            one.files.iter_mut().zip(&two.files).for_each(|(one, two)| one.sha256 = two.sha256.clone());
            assert_eq!(one, two, "{invariants}");
            assert_eq!(two.disclosed_cells, [0, 0, 8, 16][number], "{invariants}");
            // Pages of streamed tables state no reach of sums: each is verified as it was made.
            let checks = [
                verify(&folders[0], &VerifyOptions::default()).unwrap().checks,
                verify(&folders[1], &VerifyOptions { stream_above: 0, ..VerifyOptions::default() }).unwrap().checks,
            ];
            assert_eq!(checks[0], checks[1]);
        }
    }
}

/// With noise that is zero but for one draw in e^1000 the release is the table itself.
#[test]
fn every_count_meets_its_own_cell() {
    let work = tempfile::tempdir().unwrap();
    let (outer, inner) = (7, 20_011);
    let filled = |a: usize, b: usize| a != 3 && (a * 31 + b * b).is_multiple_of(5);
    let mut files = [String::from("a,b\n"), String::from("a,b\n")];
    let mut expected = String::from("a,b,value,lower90,upper90\n");
    for a in 0..outer {
        for b in 0..inner {
            let records = if filled(a, b) { 1 + (a + b) % 3 } else { 0 };
            (0..records).for_each(|_| files[a / 4] += &format!("{a},{b}\n"));
            expected += &format!("{a},{b},{records},{records},{records}\n");
        }
    }
    for (number, text) in files.iter().enumerate() {
        fs::write(work.path().join(format!("part-{number}.csv")), text).unwrap();
    }
    let dimensions = format!("a = {{ integers = [0, {}] }}\nb = {{ integers = [0, {}] }}", outer - 1, inner - 1);
    let spec = spec(work.path(), "t", "path = \"part-*.csv\"", &dimensions, "[[invariant]]\nby = [\"a\"]", "1000");
    let folder = work.path().join("release");
    let certificate = streamed(&spec, &folder, Format::CSV).unwrap();
    assert_eq!(certificate.table.cells, outer * inner);
    assert!(fs::read_to_string(folder.join("table.csv")).unwrap() == expected);
    let whole = work.path().join("whole");
    release(&spec, &whole, Format::CSV, &Quiet).unwrap();
    // The same pages but for when they were released, and reaches of sums, which streamed tables do
    // not state.
    let page = |folder: &Path| fs::read_to_string(folder.join("report.html")).unwrap();
    let counts = |page: String| {
        let from = page.find("<table").expect("a table");
        let end = page.find("</table>").expect("its end");
        page[from..end].to_owned()
    };
    assert_eq!(counts(page(&folder)), counts(page(&whole)));
    assert!(page(&folder).contains("Counts are without noise nine times in ten."));
}

#[test]
fn data_out_of_order_or_doubled_are_refused_by_row() {
    let refused = |rows: &str, data: &str| {
        let work = tempfile::tempdir().unwrap();
        fs::write(work.path().join("t.csv"), rows).unwrap();
        let data = format!("path = \"t.csv\"\n{data}");
        let spec = spec(work.path(), "t", &data, DIMENSIONS, "[[invariant]]\nby = [\"a\"]", "1/4");
        let folder = work.path().join("release");
        let result = streamed(&spec, &folder, Format::CSV);
        assert_eq!(folder.exists(), result.is_ok());
        result.map(|_| ()).map_err(|problem| {
            let place = problem.place.as_ref().map(|place| place.line());
            format!("{}\n{place:?}\nhint: {}", problem.message, problem.hint.unwrap_or_default())
        })
    };
    insta::assert_snapshot!(refused("a,b,c,n\nx,1,k,5\nz,1,l,7\ny,4,k,2\n", "count = \"n\"").unwrap_err(),);
    let doubled = "a,b,c,n\nx,1,k,5\nx,1,k,7\n";
    insta::assert_snapshot!(refused(doubled, "count = \"n\"").unwrap_err());
    refused(doubled, "count = \"n\"\nduplicates = \"sum\"").unwrap();
    refused("a,b,c\nx,1,k\nx,1,k\n", "").unwrap();
}

/// Changes a file when it has been read.
struct Changing<'a> {
    path: &'a Path,
    to: &'a str,
}

impl Progress for Changing<'_> {
    fn told(&self, stage: Stage, _: u64) -> ControlFlow<()> {
        if stage == Stage::Reading {
            fs::write(self.path, self.to).unwrap();
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn data_that_change_between_the_readings_are_refused() {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("t.csv");
    let spec =
        spec(work.path(), "t", "path = \"t.csv\"\ncount = \"n\"", DIMENSIONS, "[[invariant]]\nby = [\"a\"]", "1/4");
    // The totals stay the same: only the digest can tell.
    for changed in
        [ROWS.replace("x,1,k,5\nx,1,l,7", "x,1,k,6\nx,1,l,6"), ROWS.replace("z,3,l,0\n", ""), ROWS.to_owned()]
    {
        fs::write(&path, ROWS).unwrap();
        let folder = work.path().join("release");
        let options = Options { stream_above: 0, ..Format::CSV.into() };
        let result = release(&spec, &folder, options, &Changing { path: &path, to: &changed });
        assert_eq!(result.is_ok(), changed == ROWS);
        if let Err(problem) = result {
            assert!(problem.message.contains("the data changed while they were read"), "{}", problem.message);
            assert!(!folder.exists());
            assert_eq!(fs::read_dir(work.path()).unwrap().count(), 2, "nothing is left behind");
        }
    }
}

#[test]
fn changed_releases_do_not_verify_in_portions_either() {
    let work = tempfile::tempdir().unwrap();
    fs::write(work.path().join("t.csv"), ROWS).unwrap();
    let spec =
        spec(work.path(), "t", "path = \"t.csv\"\ncount = \"n\"", DIMENSIONS, "[[invariant]]\nby = [\"a\"]", "1000");
    let folder = work.path().join("release");
    let mut certificate = streamed(&spec, &folder, Format::CSV).unwrap();
    let table = folder.join("table.csv");
    let text = fs::read_to_string(&table).unwrap().replace("x,1,k,5,5,5", "x,1,k,6,6,6");
    fs::write(&table, &text).unwrap();
    let problem = verify(&folder, &VerifyOptions { stream_above: 0, ..VerifyOptions::default() }).unwrap_err();
    assert!(problem.message.contains("its hash differs"), "{}", problem.message);
    certificate.table.sha256 = certify::sha256(text.as_bytes());
    fs::write(folder.join("certificate.json"), serde_json::to_string(&certificate).unwrap()).unwrap();
    let problem = verify(&folder, &VerifyOptions { stream_above: 0, ..VerifyOptions::default() }).unwrap_err();
    assert!(problem.message.contains("`a = x` is certified as 14, the table has 15"), "{}", problem.message);
}
