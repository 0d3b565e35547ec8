//! Releases made in memory, and the tables of small fibres.

use declare::{Conditions, Declaration, Problem};
use infer::{Knowledge, Posterior, Query, Release, Wanted};
use plan::Case;
use std::path::Path;

/// A spec over `row` × `column` with these invariants, constraints and mechanism.
pub fn spec(rows: usize, columns: usize, rest: &str) -> String {
    let labels = |letter: char, count: usize| {
        (0..count).map(|number| format!("\"{letter}{number}\"")).collect::<Vec<_>>().join(", ")
    };
    format!(
        "title = \"t\"\n[data]\npath = \"none.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\nrow = [{}]\ncolumn = [{}]\n{rest}",
        labels('r', rows),
        labels('c', columns)
    )
}

/// The sections that most tests need: equalities alone and double geometric noise per unit.
pub fn free(invariants: &str, epsilon: &str) -> String {
    format!(
        "{invariants}\n[constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"{epsilon}\"\nper = \"unit\"\n"
    )
}

/// A release of these counts.
pub fn release(text: &str, values: &[i64]) -> Release {
    try_release(text, values).unwrap()
}

/// A release, or why not.
pub fn try_release(text: &str, values: &[i64]) -> Result<Release, Problem> {
    let declaration = Declaration::parse(text, "spec", Path::new("."))?;
    let case = Case::of(declaration)?;
    let plan = case.plan(&case.analyse(&case.totals(values)?)?)?;
    Release::new("r", case, plan, values.to_vec())
}

/// Another release of the same table, drawn by its own operators.
pub fn drawn(release: &Release, seed: u64, draw: u64) -> Release {
    let field = infer::Field::of_release(release).unwrap();
    let table = field.sampler().unwrap().draw(&exact::Seeded::draw(seed, draw), &|_| {}).unwrap();
    Release { values: table.into_values(), ..release.clone() }
}

pub const WANTED: Wanted = Wanted { cancel: infer::Cancel::Automatic, draws: 2000, seed: 3 };

/// The posterior laws of all cells.
pub fn cell_laws(releases: &[Release], knowledge: &Knowledge) -> Vec<draw::Law> {
    let posterior = Posterior::new(releases, knowledge, WANTED).unwrap();
    let queries = Query::cells(&releases[0].domain);
    posterior.laws(&queries).into_iter().map(|law| law.expect("a law of every cell")).collect()
}

/// All tables of a box that satisfy the equalities of some conditions with the totals of a table,
/// and pass a test.
pub fn tables(
    conditions: &Conditions,
    like: &[i64],
    low: i64,
    high: i64,
    keep: &dyn Fn(&[i64]) -> bool,
) -> Vec<Vec<i64>> {
    let totals: Vec<Vec<i128>> = conditions.invariants.iter().map(|grouping| grouping.totals(like)).collect();
    let mut found = Vec::new();
    let mut table = vec![low; like.len()];
    loop {
        let same =
            conditions.invariants.iter().zip(&totals).all(|(grouping, totals)| grouping.totals(&table) == *totals);
        if same && keep(&table) {
            found.push(table.clone());
        }
        let Some(next) = table.iter().position(|value| *value < high) else { return found };
        table[next] += 1;
        table[..next].iter_mut().for_each(|value| *value = low);
    }
}

/// The energy of a difference under the noise of a release.
pub fn energy(release: &Release, drawn: &[i64], centre: &[i64]) -> f64 {
    if release.conditions.queries.is_empty() {
        return drawn.iter().zip(centre).map(|(a, b)| release.plan.law.energy(a - b).to_f64()).sum();
    }
    let sums = release.conditions.queries.iter().zip(&release.plan.queries).map(|(query, planned)| {
        let (one, two) = (query.grouping.totals(drawn), query.grouping.totals(centre));
        one.iter().zip(&two).map(|(a, b)| planned.rate.to_f64() * (a - b).unsigned_abs() as f64).sum::<f64>()
    });
    sums.sum()
}

/// The law of a query over weighted tables.
pub fn law(tables: &[(Vec<i64>, f64)], query: &Query) -> std::collections::BTreeMap<i64, f64> {
    let whole: f64 = tables.iter().map(|(_, weight)| weight).sum();
    let mut law = std::collections::BTreeMap::new();
    for (table, weight) in tables {
        *law.entry(query.value(table) as i64).or_insert(0.0) += weight / whole;
    }
    law
}

/// Whether a law is the enumerated one.
#[track_caller]
pub fn assert_law(found: &draw::Law, expected: &std::collections::BTreeMap<i64, f64>, tolerance: f64) {
    for (value, mass) in expected {
        let own = found.probability(*value);
        assert!((own - mass).abs() < tolerance, "{value}: found {own}, enumerated {mass}");
    }
}
