//! Laws of random integer queries of the noise against enumeration, on totals, nested and crossing
//! totals, noisy sums and Gaussians.

use crate::making::{assert_law, energy, free, law, release, spec, tables};
use infer::{Asked, Field, How, Query, Release, Sums, intervals};
use testkit::Random;

/// Small declarations without bounds: name, spec and a table.
pub fn declarations() -> Vec<(&'static str, String, Vec<i64>)> {
    let total = "[[invariant]]\nby = []\n";
    let by_row = "[[invariant]]\nby = [\"row\"]\n";
    let crossing = "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n";
    let gaussian = |invariants: &str| {
        format!(
            "{invariants}[constraints]\nnonnegative = false\n[mechanism]\nnoise = \"discrete-gaussian\"\nrho = \"1/2\"\nper = \"unit\"\n"
        )
    };
    let sums = "[[invariant]]\nby = []\n[constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nper = \"unit\"\n\
                [[mechanism.query]]\nby = [\"row\"]\nepsilon = \"2\"\n[[mechanism.query]]\nby = [\"row\", \"column\"]\nepsilon = \"9/4\"\n";
    vec![
        ("free cells", spec(1, 4, &free("", "5/2")), vec![3, 0, 7, 1]),
        ("one total", spec(1, 5, &free(total, "5/2")), vec![3, 0, 7, 1, 2]),
        ("two totals", spec(2, 2, &free(by_row, "2")), vec![3, 5, 1, 2]),
        (
            "nested totals",
            spec(2, 3, &free(&format!("{total}[[invariant]]\nby = []\nwhere = \"row = 'r0'\"\n"), "5/2")),
            vec![1, 2, 3, 4, 5, 6],
        ),
        ("crossing", spec(2, 3, &free(crossing, "3/2")), vec![4, 5, 1, 2, 0, 3]),
        ("Gaussian total", spec(1, 4, &gaussian(total)), vec![5, 1, 1, 9]),
        ("Gaussian crossing", spec(2, 3, &gaussian(crossing)), vec![4, 5, 1, 2, 0, 3]),
        ("noisy sums", spec(2, 2, sums), vec![6, 2, 5, 3]),
    ]
}

/// All noise of a box with its weights: tables around the released one.
fn around(release: &Release, reach: i64) -> Vec<(Vec<i64>, f64)> {
    let zero = vec![0; release.values.len()];
    let weigh = |noise: Vec<i64>| {
        let table: Vec<i64> = noise.iter().zip(&release.values).map(|(noise, value)| noise + value).collect();
        let weight = (-energy(release, &table, &release.values)).exp();
        (table, weight)
    };
    tables(&release.conditions, &zero, -reach, reach, &|_| true).into_iter().map(weigh).collect()
}

#[test]
fn random_queries_have_the_enumerated_law() {
    let mut random = Random(77);
    for (name, text, values) in declarations() {
        let release = release(&text, &values);
        let listed = around(&release, if values.len() > 5 { 5 } else { 8 });
        let field = Field::of_release(&release).unwrap();
        let sums = Sums::new(&field);
        let mut told = 0;
        for _ in 0..12 {
            let entries = (0..values.len() as u32).map(|cell| (cell, random.below(7) as i64 - 3));
            let query = Query::new("q", entries).unwrap();
            if query.entries.is_empty() {
                continue;
            }
            let Some(found) = sums.law(&query) else { continue };
            told += 1;
            assert_law(&found, &law(&listed, &query), 3e-4);
            // The mutant: a quantile off by one. Reaches are those of the enumerated law, and no
            // smaller ones cover.
            let own = query.value(&release.values) as i64;
            let reach = infer::reach_of(&found, own, 0.9) as i64;
            let covered = |reach: i64| {
                found.listed().filter(|(value, _)| (value - own).abs() <= reach).map(|(_, mass)| mass).sum::<f64>()
            };
            assert!(covered(reach) >= 0.9 - 1e-9 && (reach == 0 || covered(reach - 1) < 0.9), "{name}");
        }
        assert!(told >= 6, "{name}: only {told} laws are told");
    }
}

#[test]
fn cells_sums_and_margins_are_told_exactly_where_messages_are() {
    for (name, text, values) in declarations() {
        let release = release(&text, &values);
        let asked = Asked::new(0.9, 999, 1).unwrap();
        let found = intervals(&release, &Query::cells(&release.domain), asked).unwrap();
        assert!(found.iter().all(|interval| interval.how == How::Exact), "{name}");
    }
}

#[test]
fn where_a_law_is_not_listed_ranks_are_near_the_quantile() {
    let (_, text, values) = declarations().swap_remove(4);
    let release = release(&text, &values);
    let field = Field::of_release(&release).unwrap();
    let query = Query::new("q", [(0, 1), (1, 1)]).unwrap();
    let law = Sums::new(&field).law(&query).unwrap();
    let exact = infer::reach_of(&law, query.value(&release.values) as i64, 0.9);
    let (reaches, draws) = infer::rank::reaches(&field, &[&query], 0.9, 4999, 5).unwrap();
    assert_eq!(draws, 4999);
    assert!(reaches[0].abs_diff(exact) <= 1, "{} {exact}", reaches[0]);
}

#[test]
fn several_queries_add_coefficients_and_refuse_those_beyond_their_range() {
    let query = Query::new("q", [(3, 1), (1, 2), (3, -1), (0, 5)]).unwrap();
    assert_eq!(query.entries, [(0, 5), (1, 2)]);
    let problem = Query::new("q", [(0, (1 << 31) + 1)]).unwrap_err();
    assert!(problem.message.contains("beyond 2^31"), "{problem}");
}
