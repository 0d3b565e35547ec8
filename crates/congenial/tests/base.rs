//! Base measures from a spec: what is drawn, what is certified, what is refused, and the figures of
//! Pennsylvania.

use congenial::{Format, Kind, Opened, Prepared, Problem, Quiet, VerifyOptions, release, simulate, verify};
use declare::Declaration;
use std::fs;
use std::path::{Path, PathBuf};

const HEAD: &str = "title = \"Weighted\"\n[data]\npath = \"counts.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\n\
                    place = [\"a\", \"b\", \"c\"]\n[[invariant]]\nby = []\n";
const MECHANISM: &str = "[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\n";
const COUNTS: &str = "place,n\na,5\nb,0\nc,3\n";
const LAST: &str = "place,period,before\na,1,7\nb,1,0\nc,1,2\na,0,1\nb,0,1\nc,0,1\n";
const BASE: &str = "[mechanism.base]\nlaw = \"dirichlet-multinomial\"\npath = \"last.csv\"\nwhere = \"period = 1\"\n\
                    count = \"before\"\nalpha = \"1/10\"\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("counts.csv"), COUNTS).unwrap();
    fs::write(folder.path().join("last.csv"), LAST).unwrap();
    folder
}

fn spec(folder: &Path, mechanism: &str, base: &str) -> PathBuf {
    let path = folder.join("spec.toml");
    fs::write(&path, format!("{HEAD}{mechanism}{base}")).unwrap();
    path
}

fn planned(spec: &Path) -> Result<Prepared, Problem> {
    Opened::open(spec)?.analyse(&Quiet)?.plan()
}

fn released(spec: &Path, folder: &Path) -> Result<congenial::Released, Problem> {
    release(spec, folder, Format::CSV, &Quiet)
}

#[test]
fn a_release_names_its_base_measure_and_needs_no_file_to_be_verified() {
    let folder = folder();
    let spec = spec(folder.path(), MECHANISM, BASE);
    let out = folder.path().join("r");
    let made = released(&spec, &out).unwrap();
    let guarantee = &made.certificate.guarantee;
    assert_eq!((guarantee.theorem.as_str(), guarantee.gamma.as_str()), ("base", "1"));
    assert_eq!(guarantee.proof, "crates/certify/proofs/base.md");
    let words = "a Dirichlet-multinomial law with alpha = 1/10 around 3 public counts, each plus 1/2";
    assert!(guarantee.noise.contains(words), "{}", guarantee.noise);
    assert!(
        guarantee.statement.contains(words) && guarantee.statement.contains("gamma = 1"),
        "{}",
        guarantee.statement
    );
    for file in ["last.csv", "counts.csv"] {
        fs::remove_file(folder.path().join(file)).unwrap();
    }
    verify(&out, &VerifyOptions::default()).unwrap();
    // What the file said is in the spec of the certificate, which reads as the same declaration.
    let declaration = Declaration::parse_alone(&made.certificate.spec, "certificate").unwrap();
    assert_eq!(declaration.to_toml(), made.certificate.spec);
    assert!(made.certificate.spec.contains("[\"a\", \"7\"]") && !made.certificate.spec.contains("last.csv"));
}

#[test]
fn a_changed_base_value_is_found() {
    let folder = folder();
    let spec = spec(folder.path(), MECHANISM, BASE);
    let out = folder.path().join("r");
    let made = released(&spec, &out).unwrap();
    let path = out.join("certificate.json");
    let text = fs::read_to_string(&path).unwrap();
    let (old, new) = ("[\\\"a\\\", \\\"7\\\"]", "[\\\"a\\\", \\\"8\\\"]");
    assert!(text.contains(old));
    let changed = text.replace(old, new);
    fs::write(&path, &changed).unwrap();
    assert!(verify(&out, &VerifyOptions::default()).is_err(), "the hash of the spec");
    let other = made.certificate.spec.replace("[\"a\", \"7\"]", "[\"a\", \"8\"]");
    let resealed = changed.replace(&made.certificate.spec_sha256, &congenial::sha256(other.as_bytes()));
    fs::write(&path, resealed).unwrap();
    let problem = verify(&out, &VerifyOptions::default()).map(|_| ()).unwrap_err();
    assert!(problem.to_string().contains("guarantee") || problem.to_string().contains("noise"), "{problem}");
    fs::write(&path, text).unwrap();
    verify(&out, &VerifyOptions::default()).unwrap();
}

#[test]
fn every_law_draws_and_the_same_seed_gives_the_same_tables() {
    let folder = folder();
    fs::write(folder.path().join("weights.csv"), "place,value,weight\na,0,0\na,5,3/2\nc,4,0.25\n").unwrap();
    let weights = "[mechanism.base]\nlaw = \"weights\"\npath = \"weights.csv\"\n";
    let laws = [BASE.to_owned(), BASE.replace("dirichlet-multinomial", "poisson"), weights.to_owned(), String::new()];
    let mut drawn = Vec::new();
    for (number, base) in laws.iter().enumerate() {
        let spec = spec(folder.path(), MECHANISM, base);
        let draws = |name: &str| {
            let path = folder.path().join(format!("{number}{name}.csv"));
            simulate(&spec, 40, Some(3), &path, &Quiet).unwrap();
            fs::read_to_string(path).unwrap()
        };
        let first = draws("one");
        assert_eq!(first, draws("two"));
        let of = |place: &str| first.lines().filter(|line| line.contains(&format!("{place},"))).count();
        assert_eq!((of("a"), of("b")), (40, 40));
        if base.contains("weights.csv") {
            assert!(!first.lines().any(|line| line.starts_with("a,") && line.ends_with(",0")), "{first}");
        }
        drawn.push(first);
    }
    drawn.dedup();
    assert_eq!(drawn.len(), 4, "each is a law of its own");
}

#[test]
fn what_cannot_be_is_refused_and_says_where() {
    let bad = |mechanism: &str, base: &str, kind: Kind, message: &str| {
        let folder = folder();
        fs::write(folder.path().join("negative.csv"), "place,before\na,1\nb,-2\nc,3\n").unwrap();
        fs::write(folder.path().join("short.csv"), "place,before\na,1\nb,2\n").unwrap();
        fs::write(folder.path().join("none.csv"), "place,value,weight\na,0,0\na,1,0\n").unwrap();
        fs::write(folder.path().join("below.csv"), "place,value,weight\na,0,-1\n").unwrap();
        let odd: String = ["a", "b", "c"]
            .iter()
            .map(|place| (0..9).map(|y| format!("{place},{y},{}\n", u8::from(y > 8))).collect::<String>())
            .collect();
        fs::write(folder.path().join("odd.csv"), format!("place,value,weight\n{odd}a,9,1\n")).unwrap();
        let spec = spec(folder.path(), mechanism, base);
        let problem = planned(&spec).map(|_| ()).unwrap_err();
        assert_eq!(problem.kind, kind, "{message}: {problem}");
        assert!(problem.to_string().contains(message), "{message}: {problem}");
        let out = folder.path().join("r");
        assert!(released(&spec, &out).is_err() && !out.exists(), "nothing is written");
    };
    let weights = |file: &str| format!("[mechanism.base]\nlaw = \"weights\"\npath = \"{file}\"\n");
    let around = |file: &str| format!("[mechanism.base]\nlaw = \"poisson\"\npath = \"{file}\"\ncount = \"before\"\n");
    bad(MECHANISM, &around("short.csv"), Kind::Bad, "no public count for");
    bad(MECHANISM, &around("negative.csv"), Kind::Bad, "a public count is negative");
    bad(MECHANISM, &BASE.replace("where = \"period = 1\"\n", ""), Kind::Bad, "two rows have the same labels");
    bad(MECHANISM, &BASE.replace("alpha = \"1/10\"", "alpha = \"1000001\""), Kind::Bad, "`alpha` is above 1000000");
    bad(MECHANISM, &BASE.replace("alpha = \"1/10\"", "alpha = \"0\""), Kind::Bad, "`alpha` is below");
    bad(MECHANISM, &format!("{BASE}cells = \"place = 'z'\"\n"), Kind::Bad, "z");
    bad(MECHANISM, &format!("{BASE}colour = 1\n"), Kind::Bad, "colour");
    bad(MECHANISM, &weights("below.csv"), Kind::Bad, "a weight is negative");
    bad(MECHANISM, &weights("none.csv"), Kind::Bad, "all weights are zero");
    bad(MECHANISM, &weights("odd.csv"), Kind::Infeasible, "weight zero to every table");
    for method in ["project", "topdown", "unconstrained"] {
        bad(&format!("{MECHANISM}method = \"{method}\"\n"), BASE, Kind::Bad, "does not weigh tables");
    }
    bad(&MECHANISM.replace("double-geometric", "lattice-laplace"), BASE, Kind::Bad, "takes no base measure");
    let gaussian = "[mechanism]\nnoise = \"discrete-gaussian\"\nrho = \"1\"\n";
    bad(gaussian, BASE, Kind::Refused, "`rho` cannot be certified with a base measure");
    bad(&format!("{gaussian}method = \"cascade\"\n"), BASE, Kind::Bad, "does not weigh tables");
    bad(&format!("[constraints]\nnonnegative = false\n{MECHANISM}"), BASE, Kind::Bad, "counts may be negative");
}

#[test]
fn the_confidential_file_is_no_base_measure() {
    let folder = folder();
    let text = format!("{HEAD}{MECHANISM}").replace("public = true\n", "");
    let budget = "[budget]\ndataset = \"d\"\nledger = \"sqlite:ledger.db\"\n";
    let base = BASE.replace("last.csv", "counts.csv").replace("where = \"period = 1\"\n", "").replace("before", "n");
    let path = folder.path().join("spec.toml");
    fs::write(&path, format!("{text}{base}{budget}")).unwrap();
    let problem = Opened::open(&path).map(|_| ()).unwrap_err();
    assert!(problem.to_string().contains("the confidential data are read as a public file"), "{problem}");
}

/// Expected Σ|error| of cases and of deaths, and counties with cases that get none.
fn pennsylvania(month: &str, before: &str, alpha: Option<&str>) -> (f64, f64, f64) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pennsylvania");
    let text = fs::read_to_string(root.join("last-month.toml")).unwrap();
    let text = text.replace("2020-08", month).replace("2020-07", before).replace("../../data", "../data");
    let text = match alpha {
        Some(alpha) => text.replace("alpha = \"1/100\"", &format!("alpha = \"{alpha}\"")),
        // The same noise: without a base measure one record would cost less than twice.
        None => {
            let text = text.split("[mechanism.base]").next().unwrap();
            text.replace("epsilon = \"1\"", "epsilon = \"1/8\"").replace("per     = \"record\"", "per = \"unit\"")
        }
    };
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    let data = "pa_county_monthly.csv";
    fs::copy(root.join("../../data").join(data), folder.path().join("data").join(data)).unwrap();
    fs::create_dir(folder.path().join("spec")).unwrap();
    let path = folder.path().join("spec/spec.toml");
    fs::write(&path, text).unwrap();
    let prepared = planned(&path).unwrap();
    let laws = prepared.quantities().unwrap();
    let monthly = fs::read_to_string(root.join("../../data").join(data)).unwrap();
    let rows = monthly.lines().filter(|line| line.contains(&format!(",{month},")));
    let truth: Vec<i64> = rows
        .flat_map(|line| line.split(',').skip(3).take(2).map(|count| count.parse().unwrap()).collect::<Vec<i64>>())
        .collect();
    let mut found = (0.0, 0.0, 0.0);
    for (cell, law) in &laws.cells {
        match cell % 2 {
            0 => {
                found.0 += law.mean_absolute(0);
                found.2 += if truth[*cell] > 0 { law.probability(-truth[*cell]) } else { 0.0 };
            }
            _ => found.1 += law.mean_absolute(0),
        }
    }
    found
}

#[test]
fn pennsylvania_has_the_figures_of_the_table() {
    let cases = [
        ("2020-08", "2020-07", None, (510.84, 416.74, 0.0587)),
        ("2020-08", "2020-07", Some("1/100"), (499.47, 394.51, 3.0253)),
        ("2020-08", "2020-07", Some("1/10"), (576.96, 406.79, 0.6267)),
        ("2020-08", "2020-07", Some("1"), (3838.32, 405.33, 0.1386)),
        ("2020-04", "2020-03", None, (513.65, 413.18, 0.1248)),
        ("2020-04", "2020-03", Some("1/10"), (485.24, 387.18, 3.7233)),
    ];
    cases.into_iter().for_each(check);
}

fn check((month, before, alpha, wanted): (&str, &str, Option<&str>, (f64, f64, f64))) {
    let found = pennsylvania(month, before, alpha);
    let close = |one: f64, two: f64, digits: f64| (one - two).abs() <= 0.5001 * digits;
    assert!(
        close(found.0, wanted.0, 0.01) && close(found.1, wanted.1, 0.01) && close(found.2, wanted.2, 0.0001),
        "{month} {alpha:?}: {found:?}, wanted {wanted:?}"
    );
}
