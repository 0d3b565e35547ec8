//! Cascades whose cells a public table orders, read back from their canonical specs: the law is
//! that of the same table with its labels declared in that order.

use crate::making::{WANTED, tables};
use declare::{Declaration, Kind, Problem};
use infer::testing::{Hypothesis, Statistic, Trial, test};
use infer::{Field, Knowledge, Posterior, Query, Release, likelihood};
use plan::Case;
use testkit::Random;

/// A cascade of `row` × `column` whose columns have these labels, with the order as a certificate
/// has it.
fn spec(rows: usize, columns: &[usize], rest: &str, order: Option<&str>) -> String {
    let labels = |letter: char, labels: &[usize]| {
        labels.iter().map(|label| format!("\"{letter}{label}\"")).collect::<Vec<_>>().join(", ")
    };
    let order = order.map_or(String::new(), |said| {
        format!("order_by = {{ path = \"last.csv\", value = \"n\", sha256 = \"{}\"{said} }}\n", "0f".repeat(32))
    });
    let rest = rest.replacen("[mechanism]\n", &format!("[mechanism]\n{order}"), 1);
    format!(
        "title = \"t\"\n[data]\npath = \"none.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\nrow = [{}]\ncolumn = [{}]\n{rest}",
        labels('r', &(0..rows).collect::<Vec<_>>()),
        labels('c', columns)
    )
}

fn values(order: &[i64]) -> String {
    let values: Vec<String> = order.iter().map(i64::to_string).collect();
    format!(", by = [\"column\"], values = \"{}\"", values.join(" "))
}

fn released(text: &str, counts: &[i64]) -> Result<Release, Problem> {
    let written = Declaration::parse_alone(text, "spec")?.to_toml();
    let case = Case::of(Declaration::parse_alone(&written, "certificate")?)?;
    let plan = case.plan(&case.analyse(&case.totals(counts)?)?)?;
    Release::new("r", case, plan, counts.to_vec())
}

fn log(release: &Release, field: &Field, table: &[i64]) -> f64 {
    likelihood(release, field, table).unwrap().value().unwrap_or(f64::NEG_INFINITY)
}

const FACTORIALS: [f64; 6] = [1.0, 1.0, 2.0, 6.0, 24.0, 120.0];

const CASCADE: &str = "[mechanism]\nmethod = \"cascade\"\nnoise = \"discrete-gaussian\"\nper = \"record\"\n";

#[test]
fn three_cells_in_falling_order_have_the_law_that_drew_them() {
    let text =
        |order: &str| spec(1, &[0, 1, 2], &format!("[[invariant]]\nby = []\n{CASCADE}rho = \"1/2\"\n"), Some(order));
    let release = [released(&text(&values(&[1, 2, 3])), &[3, 1, 1]).unwrap()];
    let field = Field::of_release(&release[0]).unwrap();
    let at = |table: &[i64]| log(&release[0], &field, table);
    assert!((at(&[2, 0, 3]) + 2.77310).abs() < 5e-6, "{}", at(&[2, 0, 3]));
    assert!((at(&[5, 0, 0]) - at(&[2, 0, 3]) + 0.188).abs() < 5e-4, "{}", at(&[5, 0, 0]));
    let known = Knowledge { nonnegative: true, ..Knowledge::default() };
    let posterior = Posterior::new(&release, &known, WANTED).unwrap();
    let queries = Query::cells(&release[0].domain);
    let means = posterior.laws(&queries).into_iter().map(|law| law.unwrap().mean());
    for (mean, expected) in means.zip([2.703, 1.149, 1.149]) {
        assert!((mean - expected).abs() < 5e-4, "{mean}, expected {expected}");
    }
    // The p-value of a test, against all tables and all their releases.
    let all = tables(&release[0].conditions, &[3, 1, 1], 0, 5, &|_| true);
    let expected = |weights: [u64; 3]| -> f64 {
        let chances = weights.map(|weight| weight as f64 / weights.iter().sum::<u64>() as f64);
        let ways = |x: &[i64]| -> f64 {
            let each = x.iter().zip(chances).map(|(n, chance)| chance.powi(*n as i32) / FACTORIALS[*n as usize]);
            FACTORIALS[5] * each.product::<f64>()
        };
        let pearson = |y: &[i64]| -> f64 {
            y.iter().zip(chances).map(|(n, chance)| (*n as f64 - 5.0 * chance).powi(2) / (5.0 * chance)).sum()
        };
        let extreme = all.iter().filter(|other| pearson(other) >= pearson(&[3, 1, 1]) - 1e-9);
        let of_release = |other: &Vec<i64>| -> f64 {
            let release = Release { values: other.clone(), ..release[0].clone() };
            let field = Field::of_release(&release).unwrap();
            all.iter().map(|x| ways(x) * log(&release, &field, x).exp()).sum()
        };
        extreme.map(of_release).sum()
    };
    for weights in [[1, 1, 1], [3, 2, 1]] {
        let hypothesis = Hypothesis::fit(&release[0].domain, weights.into()).unwrap();
        let trial = Trial::new(19_999, 1, 0.05, None).unwrap();
        let tested = test(&release[0], &hypothesis, &Statistic::Pearson, trial).unwrap();
        let expected = expected(weights);
        assert!(tested.exact && (tested.p_value - expected).abs() < 0.016, "{} {expected}", tested.p_value);
    }
    // Of an order that is known by its hash alone there is no law, and never that of another order.
    let problem = released(&text(""), &[3, 1, 1]).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.message.contains("`last.csv`") && problem.message.contains("up to 0.3.0"), "{problem}");
    assert!(problem.hint.unwrap().contains("put that file back at `last.csv`"));
}

#[test]
fn orders_that_are_read_back_are_those_that_drew() {
    let mut random = Random(34);
    let mut matters = 0;
    for trial in 0..30 {
        let (rows, columns) = [(1, 3), (1, 4), (2, 3), (2, 2), (1, 5)][random.below(5) as usize];
        let bounded = random.below(2) == 0;
        // Of one row the cells have one order; of several, those of every row.
        let by = if rows == 1 { "by = []" } else { "by = [\"row\"]" };
        let mut rest = format!(
            "[[invariant]]\n{by}\n[constraints]\nnonnegative = {bounded}\n{CASCADE}rho = \"1/{}\"\n",
            2 + random.below(5)
        );
        if rows > 1 && random.below(2) == 0 {
            rest += "[[mechanism.query]]\nby = [\"column\"]\nshare = \"1/4\"\n[[mechanism.query]]\nby = [\"row\", \"column\"]\nshare = \"3/4\"\n";
        }
        let order: Vec<i64> = (0..columns).map(|_| random.below(4) as i64 - 1).collect();
        let mut sorted: Vec<usize> = (0..columns).collect();
        sorted.sort_by_key(|column| -order[*column]);
        let counts: Vec<i64> = (0..rows * columns).map(|_| random.below(3) as i64).collect();
        let permuted = |table: &[i64]| -> Vec<i64> {
            table.chunks(columns).flat_map(|row| sorted.iter().map(|column| row[*column])).collect()
        };
        let declared: Vec<usize> = (0..columns).collect();
        let ordered = match released(&spec(rows, &declared, &rest, Some(&values(&order))), &counts) {
            Ok(release) => release,
            // Two families of sums that no cascade splits.
            Err(problem) if problem.kind == Kind::Refused && !problem.message.contains("last.csv") => continue,
            Err(problem) => panic!("{trial}: {problem}"),
        };
        let relabelled = released(&spec(rows, &sorted, &rest, None), &permuted(&counts)).unwrap();
        let plain = released(&spec(rows, &declared, &rest, None), &counts).unwrap();
        let fields = [&ordered, &relabelled, &plain].map(|release| Field::of_release(release).unwrap());
        let low = if bounded { 0 } else { -1 };
        let all = tables(&ordered.conditions, &counts, low, 4, &|_| true);
        for table in all.iter().take(400) {
            let own = log(&ordered, &fields[0], table);
            let other = log(&relabelled, &fields[1], &permuted(table));
            assert!((own - other).abs() < 1e-9 || own == other, "{trial}: {table:?} {own} {other}");
            matters += usize::from((own - log(&plain, &fields[2], table)).abs() > 1e-6);
        }
        // The releases of one table: with bounds they are listed.
        if bounded && all.len() < 400 && all.iter().flatten().all(|count| *count < 4) {
            let each = all.iter().map(|other| {
                let release = Release { values: other.clone(), ..ordered.clone() };
                log(&release, &Field::of_release(&release).unwrap(), &counts).exp()
            });
            let whole: f64 = each.sum();
            assert!((whole - 1.0).abs() < 1e-9, "{trial}: {whole}");
        }
    }
    assert!(matters > 300, "the order decides the law: {matters}");
}
