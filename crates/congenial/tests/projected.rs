//! Projected releases: they keep everything, state what they may and no more, verify, and are found
//! when forged.

use certify::{Certificate, sha256};
use congenial::{Format, Kind, Opened, Prepared, Quiet, Verified, VerifyOptions, release, simulate, verify};
use declare::Problem;
use std::fs;
use std::path::{Path, PathBuf};

const HEAD: &str = "title = \"Projected\"\n[data]\npath = \"x.csv\"\ncount = \"n\"\npublic = true\n";
const GRID: &str = "[dimensions]\nrow = [\"r0\", \"r1\", \"r2\"]\ncolumn = [\"c0\", \"c1\", \"c2\"]\n";
const PLACE: &str = "[dimensions]\nplace = { levels = [\"row\", \"column\"], rows = [[\"r0\", \"c0\"], [\"r0\", \"c1\"], [\"r0\", \
                     \"c2\"], [\"r1\", \"c3\"], [\"r1\", \"c4\"], [\"r2\", \"c5\"]] }\n";
const MARGINS: &str = "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n";
const NODES: &str = "[[mechanism.query]]\nby = []\nshare = \"1/4\"\n[[mechanism.query]]\nby = [\"row\"]\nshare = \
                     \"1/4\"\n[[mechanism.query]]\nby = [\"column\"]\nshare = \"1/2\"\n";

fn mechanism(method: &str) -> String {
    format!("[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\nmethod = \"{method}\"\n")
}

/// A spec with its data: small counts, some zero.
fn spec(folder: &Path, dimensions: &str, rest: &str) -> PathBuf {
    let data = match dimensions == GRID {
        true => {
            let rows: String =
                (0..9).map(|cell| format!("r{},c{},{}\n", cell / 3, cell % 3, cell * cell % 7)).collect();
            format!("row,column,n\n{rows}")
        }
        false => {
            format!("place,n\n{}", (0..6).map(|cell| format!("c{cell},{}\n", cell * cell % 5)).collect::<String>())
        }
    };
    fs::write(folder.join("x.csv"), data).unwrap();
    let path = folder.join("spec.toml");
    fs::write(&path, format!("{HEAD}{dimensions}{rest}")).unwrap();
    path
}

fn released(dimensions: &str, rest: &str) -> (tempfile::TempDir, PathBuf, Certificate) {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    let spec = spec(work.path(), dimensions, rest);
    let certificate = release(&spec, &folder, Format::CSV, &Quiet).unwrap().certificate;
    (work, folder, certificate)
}

/// Makes the hash of the spec, the certificate and the report again, as a careful forger would, and
/// verifies.
fn reseal(folder: &Path, certificate: &mut Certificate) -> Result<Verified, Problem> {
    certificate.spec_sha256 = sha256(certificate.spec.as_bytes());
    fs::write(folder.join("certificate.json"), serde_json::to_string(&certificate).unwrap()).unwrap();
    let text = fs::read_to_string(folder.join("table.csv")).unwrap();
    let last = |line: &str| line.rsplit(',').next().unwrap().parse().unwrap();
    let values: Vec<i64> = text.lines().skip(1).map(last).collect();
    // Where the certificate does not hold, that is found before the report is.
    fs::write(folder.join("report.html"), congenial::report_of(certificate, &values).unwrap_or_default()).unwrap();
    verify(folder, &VerifyOptions::default())
}

#[test]
fn projections_are_released_and_verified_without_a_claim_on_their_errors() {
    let cases = [
        (GRID, format!("{MARGINS}{}", mechanism("project")), "project-nonnegative"),
        (GRID, format!("{MARGINS}[constraints]\nnonnegative = false\n{}", mechanism("project")), "project-l2"),
        (GRID, format!("{MARGINS}{}sampler = \"project-l1\"\n", mechanism("project")), "project-l1"),
        (PLACE, format!("[[invariant]]\nby = []\n{}{NODES}", mechanism("topdown")), "topdown"),
    ];
    for (dimensions, rest, operator) in cases {
        let (_work, folder, mut certificate) = released(dimensions, &rest);
        let guarantee = &certificate.guarantee;
        assert_eq!((guarantee.theorem.as_str(), guarantee.gamma.as_str()), ("G7", "0"));
        assert_eq!(guarantee.proof, "crates/certify/proofs/G7.md");
        assert!(guarantee.statement.contains("Nothing is claimed about the errors of the released counts"));
        assert!(guarantee.noise.contains("projected onto") && !guarantee.noise.contains("conditioned"));
        let used: Vec<&str> = certificate.operators.iter().map(|used| used.operator.as_str()).collect();
        assert_eq!(used, [operator]);
        assert_eq!(certificate.operators[0].exactness, "exact");
        // No interval in the table, and a page and a readme that say why.
        assert!(!certificate.table.columns.iter().any(|column| column.contains("90")));
        let page = fs::read_to_string(folder.join("report.html")).unwrap();
        assert!(page.contains("no interval or quantile follows from the noise"));
        let readme = fs::read_to_string(folder.join("DATA-README.txt")).unwrap();
        let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(readme.contains("the errors of a projection have no known law"), "{readme}");
        assert!(!readme.contains("right on average"));
        assert_eq!(verify(&folder, &VerifyOptions::default()).unwrap().certificate, certificate);
        // The forger below changes nothing by itself.
        reseal(&folder, &mut certificate).unwrap();
    }
}

#[test]
fn forged_projections_are_found() {
    let (_work, folder, honest) = released(GRID, &format!("{MARGINS}{}", mechanism("project")));
    type Change<'a> = &'a dyn Fn(&mut Certificate);
    let changes: [Change; 6] = [
        &|certificate| certificate.guarantee.theorem = "G1".into(),
        &|certificate| {
            certificate.guarantee.noise = certificate.guarantee.noise.replace("projected onto", "conditioned on")
        },
        &|certificate| certificate.guarantee.epsilon = Some("0.1".into()),
        &|certificate| certificate.operators[0].operator = "messages".into(),
        &|certificate| certificate.spec = certificate.spec.replacen("\"project\"", "\"condition\"", 1),
        &|certificate| certificate.spec = certificate.spec.replacen("\"project\"", "\"topdown\"", 1),
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut certificate = honest.clone();
        change(&mut certificate);
        assert_ne!(certificate, honest, "change {number}");
        assert_eq!(reseal(&folder, &mut certificate).unwrap_err().kind, Kind::Bad, "change {number}");
    }
    // A count moved from one cell to another breaks a total.
    fs::write(folder.join("certificate.json"), serde_json::to_string(&honest).unwrap()).unwrap();
    let table = folder.join("table.csv");
    let text = fs::read_to_string(&table).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (labels, value) = lines[1].rsplit_once(',').unwrap();
    lines[1] = format!("{labels},{}", value.parse::<i64>().unwrap() + 1);
    fs::write(&table, lines.join("\n") + "\n").unwrap();
    let mut certificate = honest;
    certificate.table.sha256 = sha256(&fs::read(&table).unwrap());
    assert!(reseal(&folder, &mut certificate).unwrap_err().message.contains("does not hold"));
}

/// Releases, expects a problem, and that nothing was left behind.
fn refused(dimensions: &str, rest: &str) -> Problem {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    let spec = spec(work.path(), dimensions, rest);
    let problem = release(&spec, &folder, Format::CSV, &Quiet).unwrap_err();
    let mut left: Vec<_> = fs::read_dir(work.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["spec.toml", "x.csv"]);
    problem
}

#[test]
fn what_cannot_be_projected_leaves_nothing_behind() {
    let l2 = refused(GRID, &format!("{MARGINS}{}sampler = \"project-l2\"\n", mechanism("project")));
    assert_eq!(l2.kind, Kind::Refused);
    let real = mechanism("project").replace("double-geometric", "laplace");
    assert_eq!(refused(GRID, &format!("{MARGINS}{real}")).kind, Kind::Refused);
    // Counts at or above zero cannot add up to less.
    for method in ["project", "topdown"] {
        let pinned = format!("[[invariant]]\nby = []\nvalues = {{ rows = [[-3]] }}\n{}", mechanism(method));
        assert_eq!(refused(GRID, &pinned).kind, Kind::Infeasible, "{method}");
    }
}

#[test]
fn pinned_totals_and_fixed_cells_are_kept() {
    // The only cell of r2 is fixed by its row, and noisy sums hold it too.
    let rows = "[[invariant]]\nby = [\"row\"]\nvalues = { rows = [[\"r0\", 12], [\"r1\", 5], [\"r2\", 400]] }\n";
    for method in ["project", "topdown"] {
        let (_work, folder, certificate) = released(PLACE, &format!("{rows}{}{NODES}", mechanism(method)));
        assert!(certificate.guarantee.neighbours.contains("not pinned to a published value"));
        let text = fs::read_to_string(folder.join("table.csv")).unwrap();
        let values: Vec<i64> =
            text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
        assert_eq!((values[..3].iter().sum::<i64>(), values[3] + values[4], values[5]), (12, 5, 400));
        // The sum over the city measures the table's own 8 in r2, not the pinned 400: taking the
        // latter off once, the rest stays small.
        assert!(values[..5].iter().all(|value| (0..=12).contains(value)), "{values:?}");
    }
}

#[test]
fn real_valued_projections_are_simulated_and_labelled() {
    let work = tempfile::tempdir().unwrap();
    let real = mechanism("project").replace("double-geometric", "laplace");
    let spec = spec(work.path(), GRID, &format!("{MARGINS}{real}"));
    let file = work.path().join("draws.csv");
    simulate(&spec, 3, Some(5), &file, &Quiet).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let values: Vec<f64> = text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
    assert!(values.iter().any(|value| value.fract() != 0.0));
    let table: Vec<f64> = (0..9).map(|cell| f64::from(cell * cell % 7)).collect();
    for draw in values.chunks(9) {
        for row in 0..3 {
            let sum = |values: &[f64]| values[3 * row..3 * row + 3].iter().sum::<f64>();
            assert!((sum(draw) - sum(&table)).abs() < 1e-6, "{draw:?}");
        }
        assert!(draw.iter().all(|value| *value >= -1e-9));
    }
}

#[test]
fn seeded_simulations_repeat_themselves() {
    let work = tempfile::tempdir().unwrap();
    let spec = spec(work.path(), PLACE, &format!("[[invariant]]\nby = []\n{}{NODES}", mechanism("topdown")));
    let draws = |name: &str, seed| {
        let file = work.path().join(name);
        simulate(&spec, 4, Some(seed), &file, &Quiet).unwrap();
        fs::read_to_string(file).unwrap()
    };
    assert_eq!(draws("a.csv", 1), draws("b.csv", 1));
    assert_ne!(draws("c.csv", 1), draws("d.csv", 2));
}

#[test]
fn the_error_of_a_projection_is_not_told() {
    let work = tempfile::tempdir().unwrap();
    let spec = spec(work.path(), GRID, &format!("{MARGINS}{}", mechanism("project")));
    let prepared = Prepared::open(&spec, &Quiet).unwrap();
    let text = prepared.expected_error().text(&prepared.opened().domain);
    assert!(text.contains("no known law") && text.contains("congenial compare"), "{text}");
}

/// Small declarations of all kinds: every draw keeps every total, bound and rule, in integers.
#[test]
fn every_draw_of_random_declarations_keeps_everything() {
    let work = tempfile::tempdir().unwrap();
    let mut seen = 0;
    for number in 0..48u64 {
        // Digits of the number choose, so that all combinations of two come up.
        let pick = |step: u64, choices: &[&'static str]| choices[(number / step) as usize % choices.len()];
        let method = pick(1, &["project", "topdown"]);
        let on_grid = number % 3 != 2;
        let totals = match on_grid {
            true => pick(2, &["", "[[invariant]]\nby = []\n", "[[invariant]]\nby = [\"row\"]\n", MARGINS]),
            false => pick(2, &["", "[[invariant]]\nby = []\n", "[[invariant]]\nby = [\"row\"]\n"]),
        };
        let bounds = pick(8, &["", "[constraints]\nnonnegative = false\n"]);
        let rule = "[[constraints.rule]]\nby = [\"row\"]\nleft = \"column = 'c0'\"\nop = \"<=\"\nright = 30\n";
        let rule = if on_grid && number % 5 == 0 { rule } else { "" };
        let (mut law, mut nodes) = (mechanism(method), if !on_grid && number / 3 % 2 == 0 { NODES } else { "" });
        if number % 7 == 3 {
            law = law.replace("double-geometric", "discrete-gaussian").replace("epsilon", "rho");
            nodes = "";
        }
        let sampler = match (method, number % 6) {
            ("project", 4) => "sampler = \"project-l1\"\n",
            _ => "",
        };
        let dimensions = if on_grid { GRID } else { PLACE };
        let spec = spec(work.path(), dimensions, &format!("{totals}{bounds}{rule}{law}{sampler}{nodes}"));
        let file = work.path().join(format!("{number}.csv"));
        if let Err(problem) = simulate(&spec, 5, Some(number), &file, &Quiet) {
            panic!("{number}: {problem:?}\n{}", fs::read_to_string(&spec).unwrap());
        }
        let opened = Opened::open(&spec).unwrap();
        let cells = opened.domain.len();
        let table: Vec<i64> = match on_grid {
            true => (0..9).map(|cell| cell * cell % 7).collect(),
            false => (0..6).map(|cell| cell * cell % 5).collect(),
        };
        let totals = opened.conditions.totals(&table).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let values: Vec<i64> =
            text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
        assert_eq!(values.len(), 5 * cells);
        for draw in values.chunks(cells) {
            assert_eq!(opened.conditions.totals(draw).unwrap(), totals, "{number}");
            opened.conditions.check_table(draw).unwrap();
            seen += 1;
        }
    }
    assert_eq!(seen, 240);
}
