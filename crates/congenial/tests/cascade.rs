//! Cascades from a spec: what is drawn keeps everything, what is certified has the order,
//! what cannot be is refused.

use congenial::{Format, Opened, Options, Prepared, Problem, Quiet, VerifyOptions, release, simulate, verify};
use declare::Kind;
use std::fs;
use std::path::{Path, PathBuf};
use testkit::Random;

const DIMENSIONS: &str =
    "[dimensions]\na = [\"1\", \"2\", \"3\"]\nb = [\"1\", \"2\", \"3\"]\nc = [\"1\", \"2\", \"3\"]\n";

/// A spec over three dimensions of three values, with its counts.
fn spec(folder: &Path, invariants: &[&str], rest: &str) -> PathBuf {
    let mut counts = String::from("a,b,c,n\n");
    for cell in 0..27 {
        counts.push_str(&format!("{},{},{},{}\n", cell / 9 + 1, cell / 3 % 3 + 1, cell % 3 + 1, cell * 7 % 11));
    }
    fs::write(folder.join("counts.csv"), counts).unwrap();
    let data = "title = \"A cascade\"\n[data]\npath = \"counts.csv\"\ncount = \"n\"\npublic = true\n";
    let invariants: String = invariants.iter().map(|by| format!("[[invariant]]\nby = [{by}]\n")).collect();
    let mechanism = "[mechanism]\nmethod = \"cascade\"\nnoise = \"discrete-gaussian\"\n";
    let path = folder.join("spec.toml");
    fs::write(&path, format!("{data}{DIMENSIONS}{invariants}{mechanism}{rest}")).unwrap();
    path
}

fn planned(spec: &Path) -> Result<Prepared, Problem> {
    Opened::open(spec)?.analyse(&Quiet)?.plan()
}

#[test]
fn structures_are_found_and_every_release_verifies() {
    let cases: [(&[&str], &str); 6] = [
        (&["\"a\""], "rho = \"1/4\"\n"),
        (&["\"a\"", "\"a\", \"b\""], "rho = \"1/4\"\nper = \"unit\"\n"),
        (&["\"a\"", "\"b\""], "rho = \"1/4\"\n"),
        (&["\"a\", \"b\"", "\"b\", \"c\""], "rho = \"1/4\"\n"),
        (&[], "rho = \"1/4\"\n"),
        (
            &["\"a\""],
            "rho = \"1/4\"\n[[mechanism.query]]\nby = [\"a\", \"b\"]\nshare = \"1/4\"\n[[mechanism.query]]\nby = [\"a\", \"b\", \"c\"]\n\
             share = \"3/4\"\n",
        ),
    ];
    for (invariants, rest) in cases {
        let folder = tempfile::tempdir().unwrap();
        let spec = spec(folder.path(), invariants, rest);
        let released = folder.path().join("release");
        let made = release(&spec, &released, Format::CSV, &Quiet).unwrap();
        let guarantee = &made.certificate.guarantee;
        assert_eq!((guarantee.theorem.as_str(), guarantee.rho.as_deref()), ("G11", Some("1/4")), "{invariants:?}");
        assert!(guarantee.noise.contains("as a cascade"), "{}", guarantee.noise);
        verify(&released, &VerifyOptions::default()).unwrap();
        let table = fs::read_to_string(released.join("table.csv")).unwrap();
        assert!(!table.contains(",-"), "no count is below zero: {table}");
    }
}

#[test]
fn what_a_cascade_cannot_draw_is_refused_with_its_reason() {
    let cases: [(&[&str], &str, &str); 5] = [
        (&["\"a\", \"b\"", "\"b\", \"c\"", "\"a\", \"c\""], "rho = \"1/4\"\n", "may have gaps"),
        (&["\"a\""], "rho = \"9\"\n", "too small for a cascade"),
        (&["\"a\""], "rho = \"1/4\"\n[[mechanism.query]]\nby = [\"a\", \"b\"]\nshare = 1\n", "on the cells themselves"),
        (
            &["\"a\""],
            "rho = \"1/4\"\nper = \"unit\"\n[[mechanism.query]]\nby = [\"a\", \"b\", \"c\"]\nshare = 1\n",
            "no loss per unit of distance",
        ),
        (
            &["\"a\""],
            "rho = \"1/4\"\n[[constraints.rule]]\nby = [\"a\"]\nleft = \"b = '1'\"\nop = \"<=\"\nright = 1000\n",
            "no interval for the rule",
        ),
    ];
    for (invariants, rest, reason) in cases {
        let folder = tempfile::tempdir().unwrap();
        let spec = spec(folder.path(), invariants, rest);
        let problem = planned(&spec).map(|_| ()).unwrap_err();
        assert_eq!(problem.kind, Kind::Refused, "{reason}");
        assert!(problem.message.contains(reason), "{}", problem.message);
        assert!(problem.hint.is_some(), "{reason}: a refusal leads on");
        let released = folder.path().join("release");
        assert!(release(&spec, &released, Format::CSV, &Quiet).is_err());
        assert!(!released.exists(), "nothing is written");
    }
}

#[test]
fn an_order_decides_the_draw_and_is_certified_with_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut order = String::from("a,b,c,last\n");
    for cell in 0..27 {
        order.push_str(&format!("{},{},{},{}\n", cell / 9 + 1, cell / 3 % 3 + 1, cell % 3 + 1, (cell * 5) % 27));
    }
    fs::write(folder.path().join("last.csv"), &order).unwrap();
    let rest = "rho = \"1/4\"\norder_by = { path = \"last.csv\", value = \"last\" }\n";
    let ordered = spec(folder.path(), &["\"a\""], rest);
    let draws = |spec: &Path, name: &str| {
        let path = folder.path().join(name);
        simulate(spec, 3, Some(7), &path, &Quiet).unwrap();
        fs::read_to_string(path).unwrap()
    };
    let with = draws(&ordered, "ordered.csv");
    let released = folder.path().join("release");
    let made = release(&ordered, &released, Format::CSV, &Quiet).unwrap();
    let hash = Opened::open(&ordered).unwrap().case.declaration.mechanism.order.unwrap().sha256;
    assert!(made.certificate.guarantee.noise.contains(&hash));
    fs::remove_file(folder.path().join("last.csv")).unwrap();
    fs::remove_file(folder.path().join("counts.csv")).unwrap();
    assert!(made.certificate.spec.contains(", by = [\"a\", \"b\", \"c\"], values = \"0 5 10 15 20 25 3 "));
    verify(&released, &VerifyOptions::default()).unwrap();
    let plain = spec(folder.path(), &["\"a\""], "rho = \"1/4\"\n");
    assert_ne!(with, draws(&plain, "plain.csv"), "the order is part of the law");
}

#[test]
fn releases_hold_without_the_file_that_orders_them() {
    let mut random = Random(3);
    for trial in 0..24 {
        let folder = tempfile::tempdir().unwrap();
        let cells = 2 + random.below(5);
        let mut write = |name: &str, column: &str, below: u64| {
            let rows: Vec<String> = (0..cells).map(|cell| format!("{cell},{}\n", random.below(below))).collect();
            fs::write(folder.path().join(name), format!("a,{column}\n{}", rows.concat())).unwrap();
        };
        write("counts.csv", "n", 4);
        write("last.csv", "last", 9);
        let text = format!(
            "title = \"t\"\n[data]\npath = \"counts.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\na = {{ integers = [0, {}] \
             }}\n[[invariant]]\nby = []\n[constraints]\nnonnegative = {}\n[mechanism]\nmethod = \"cascade\"\nnoise = \
             \"discrete-gaussian\"\nrho = \"1/{}\"\norder_by = {{ path = \"last.csv\", value = \"last\" }}\n",
            cells - 1,
            trial % 4 == 0,
            2 + random.below(12),
        );
        let spec = folder.path().join("spec.toml");
        fs::write(&spec, text).unwrap();
        let out = folder.path().join("release");
        // What is written is verified before it is handed over, with no more than the folder has.
        release(&spec, &out, Format::CSV, &Quiet).unwrap_or_else(|problem| panic!("{trial}: {problem}"));
        fs::remove_file(folder.path().join("last.csv")).unwrap();
        verify(&out, &VerifyOptions::default()).unwrap();
    }
}

/// A two-way table of counts with both margins exact.
fn two_way(folder: &Path, rows: usize, columns: usize, more: &str) -> PathBuf {
    let mut counts = String::from("row,column,n\n");
    for cell in 0..rows * columns {
        counts.push_str(&format!("{},{},{}\n", cell / columns, cell % columns, (cell * 7919 + 13) % 97 % 23));
    }
    fs::write(folder.join("counts.csv"), counts).unwrap();
    let text = format!(
        "title = \"A two-way table\"\n[data]\npath = \"counts.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\nrow = {{ integers = [0, \
         {}] }}\ncolumn = {{ integers = [0, {}] }}\n[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n{more}[mechanism]\nmethod = \
         \"cascade\"\nnoise = \"discrete-gaussian\"\nrho = \"1/8\"\n",
        rows - 1,
        columns - 1
    );
    let path = folder.join("spec.toml");
    fs::write(&path, text).unwrap();
    path
}

/// Releases and verifies a spec; the rows of the table.
fn released(spec: &Path) -> Vec<Vec<String>> {
    let folder = spec.parent().unwrap().join("release");
    release(spec, &folder, Format::CSV, &Quiet).unwrap();
    verify(&folder, &VerifyOptions::default()).unwrap();
    let table = fs::read_to_string(folder.join("table.csv")).unwrap();
    table.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn tables_that_conditioning_refuses_are_released() {
    // Elections, migration, states by industries: both margins, no count below zero.
    for (rows, columns) in [(10, 4), (5, 5), (51, 20), (100, 1000)] {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(released(&two_way(folder.path(), rows, columns, "")).len(), rows * columns);
    }
}

#[test]
fn structural_zeros_and_upper_bounds_of_cells_are_kept_where_totals_cross() {
    let folder = tempfile::tempdir().unwrap();
    let zeros = "[constraints]\nzero = [\"row = 0 and column = 0\", \"row = 2 and column >= 4\"]\n";
    let spec = two_way(folder.path(), 6, 7, zeros);
    let counts = fs::read_to_string(folder.path().join("counts.csv")).unwrap();
    let kept =
        |line: &&str| !line.starts_with("0,0,") && !["2,4,", "2,5,", "2,6,"].iter().any(|cell| line.starts_with(cell));
    fs::write(folder.path().join("counts.csv"), counts.lines().filter(kept).collect::<Vec<_>>().join("\n")).unwrap();
    let rows = released(&spec);
    assert_eq!(rows.len(), 38, "structural zeros are no cells");
    let folder = tempfile::tempdir().unwrap();
    let bounds = "[[constraints.rule]]\nby = [\"row\", \"column\"]\nleft = \"column <= 2\"\nop = \"<=\"\nright = 22\n";
    let rows = released(&two_way(folder.path(), 6, 7, bounds));
    let below = |row: &Vec<String>| row[1].parse::<i64>().unwrap() > 2 || row[2].parse::<i64>().unwrap() <= 22;
    assert!(rows.iter().all(below));
}

#[test]
fn measures_with_rules_keep_one_total_or_both() {
    for totals in [
        "by = [\"month\", \"measure\"]",
        "by = [\"month\"]\nwhere = \"measure = 'cases'\"",
        "by = []\nwhere = \"measure = 'deaths'\"",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut counts = String::from("county,month,cases,deaths\n");
        for cell in 0..24 {
            counts.push_str(&format!("{},{},{},{}\n", cell / 4, cell % 4, 3 + cell * 5 % 17, cell * 3 % 4));
        }
        fs::write(folder.path().join("counts.csv"), counts).unwrap();
        let text = format!(
            "title = \"Deaths and cases\"\n[data]\npath = \"counts.csv\"\npublic = true\n[dimensions]\ncounty = {{ integers = [0, 5] \
             }}\nmonth = {{ integers = [0, 3] }}\nmeasure = {{ columns = [\"cases\", \"deaths\"], record = \"any\" \
             }}\n[[invariant]]\n{totals}\n[[constraints.rule]]\nby = [\"county\", \"month\"]\nleft = \"measure = 'deaths'\"\nop = \
             \"<=\"\nright = \"measure = 'cases'\"\n[mechanism]\nmethod = \"cascade\"\nnoise = \"discrete-gaussian\"\nrho = \
             \"1/8\"\n"
        );
        let spec = folder.path().join("spec.toml");
        fs::write(&spec, text).unwrap();
        let rows = released(&spec);
        assert_eq!(rows.len(), 48, "{totals}");
        for pair in rows.chunks(2) {
            let count = |row: &Vec<String>| row[3].parse::<i64>().unwrap();
            assert!(count(&pair[1]) <= count(&pair[0]), "{totals}: {pair:?}");
        }
    }
}

#[test]
fn readers_get_intervals_where_no_bound_binds_and_curators_noise_by_level() {
    let folder = tempfile::tempdir().unwrap();
    let free = spec(folder.path(), &["\"a\"", "\"b\""], "rho = \"1/4\"\n");
    let text =
        fs::read_to_string(&free).unwrap().replace("[mechanism]", "[constraints]\nnonnegative = false\n[mechanism]");
    fs::write(&free, text).unwrap();
    let rows = released(&free);
    assert_eq!(rows[0].len(), 6, "lower and upper ends stand beside every count");
    let reach = |row: &Vec<String>| row[5].parse::<i64>().unwrap() - row[3].parse::<i64>().unwrap();
    // σ² = 4 in every cell: 1.645·2 without totals, less with them.
    assert!(rows.iter().all(|row| (2..=4).contains(&reach(row))), "{rows:?}");
    let profile = |spec: &Path| match planned(spec).unwrap().expected_error() {
        congenial::ExpectedError::Levels(profile) => profile,
        other => panic!("{other:?}"),
    };
    let found = profile(&free);
    assert!(!found.bounded && found.text().contains("exact"), "{}", found.text());
    let bounded = spec(folder.path(), &["\"a\""], "rho = \"1/4\"\n");
    let found = profile(&bounded);
    let level = |name: &str| found.levels.iter().find(|level| level.name == name).unwrap().standard_deviation;
    assert!(found.bounded && found.text().contains("Bounds and rules are left out"));
    assert_eq!(level("by a"), 0.0);
    // Of nine cells with a total: 4·8/9 in a cell, 4·3·6/9 in three of them; sums by b have three
    // such groups.
    assert!((level("each cell") - (32.0f64 / 9.0).sqrt()).abs() < 0.05, "{}", level("each cell"));
    assert!((level("by b") - 24.0f64.sqrt()).abs() < 0.2, "{}", level("by b"));
}

/// Places of eight cells in four regions: regions exact, noise on places and cells.
fn streamed_spec(folder: &Path, nonnegative: bool) -> PathBuf {
    let (mut counts, mut places) = (String::from("place,kind,n\n"), String::from("place,region\n"));
    for place in 0..40 {
        places.push_str(&format!("p{place:02},r{}\n", place / 10));
        for kind in 0..8 {
            counts.push_str(&format!("p{place:02},{kind},{}\n", (place * 31 + kind * 7) % 13));
        }
    }
    fs::write(folder.join("counts.csv"), counts).unwrap();
    fs::write(folder.join("places.csv"), places).unwrap();
    let text = format!(
        "title = \"Places\"\n[data]\npath = \"counts.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\nplace = {{ path = \"places.csv\", \
         key = \"place\", column = \"place\", levels = [\"region\", \"place\"] }}\nkind = {{ integers = [0, 7] }}\n[[invariant]]\nby = \
         [\"region\"]\n[constraints]\nnonnegative = {nonnegative}\n[mechanism]\nmethod = \"cascade\"\nnoise = \
         \"discrete-gaussian\"\nrho = \"1/50\"\n[[mechanism.query]]\nby = [\"place\"]\nshare = \"1/4\"\n[[mechanism.query]]\nby = \
         [\"place\", \"kind\"]\nshare = \"3/4\"\n"
    );
    let path = folder.join("spec.toml");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_cascade_that_is_never_in_memory_keeps_everything_and_verifies_both_ways() {
    for nonnegative in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let spec = streamed_spec(folder.path(), nonnegative);
        let released = folder.path().join("release");
        let made = release(&spec, &released, Options { stream_above: 0, ..Format::CSV.into() }, &Quiet).unwrap();
        assert_eq!(made.certificate.guarantee.rho.as_deref(), Some("1/50"));
        assert!(made.certificate.guarantee.noise.contains("each of 320 sums"), "{}", made.certificate.guarantee.noise);
        verify(&released, &VerifyOptions { stream_above: 0, ..VerifyOptions::default() }).unwrap();
        // A table so small that is in memory has intervals where no bound binds; one that is
        // streamed has none.
        if nonnegative {
            verify(&released, &VerifyOptions::default()).unwrap();
        }
        let table = fs::read_to_string(released.join("table.csv")).unwrap();
        let count = |line: &str| line.rsplit(',').next().unwrap().parse::<i64>().unwrap();
        let sums = |text: &str| -> Vec<i64> {
            let counts: Vec<i64> = text.lines().skip(1).map(count).collect();
            counts.chunks(80).map(|region| region.iter().sum()).collect()
        };
        let data = fs::read_to_string(folder.path().join("counts.csv")).unwrap();
        assert_eq!(sums(&table), sums(&data));
        // Of 320 counts from 0 to 12 with noise of a deviation above 5, none below zero: 1e-25.
        assert_eq!(table.lines().skip(1).any(|line| count(line) < 0), !nonnegative);
        // A count below zero, with all totals kept, is noticed although the table is never in
        // memory.
        if nonnegative {
            let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
            let (first, second) = (count(&lines[1]), count(&lines[2]));
            let with = |line: &str, count: i64| format!("{},{count}", line.rsplit_once(',').unwrap().0);
            (lines[1], lines[2]) = (with(&lines[1], -1), with(&lines[2], second + first + 1));
            fs::write(released.join("table.csv"), lines.join("\n") + "\n").unwrap();
            assert!(verify(&released, &VerifyOptions { stream_above: 0, ..VerifyOptions::default() }).is_err());
        }
    }
}

#[test]
fn what_cannot_be_streamed_says_what_would_be() {
    let folder = tempfile::tempdir().unwrap();
    let spec = streamed_spec(folder.path(), true);
    let declaration = |text: String| {
        fs::write(&spec, text).unwrap();
        Opened::open(&spec).unwrap().case.declaration
    };
    let text = fs::read_to_string(&spec).unwrap();
    assert!(declaration(text.clone()).fold().is_ok());
    let coarse = text.replace("by = [\"place\"]\nshare", "by = [\"region\"]\nshare");
    assert!(declaration(coarse).fold().unwrap_err().contains("the first dimensions whole"));
    let crossing = text.replace("by = [\"place\"]\nshare", "by = [\"kind\"]\nshare");
    assert!(declaration(crossing).fold().unwrap_err().contains("`by` must be the first dimensions"));
}
