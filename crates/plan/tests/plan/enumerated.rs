//! Fibres of few tables: drawn from their list, and priced by their true worst pair (theorem G12).

use declare::{Conditions, Declaration, Kind, Problem};
use draw::operators::{PlannedList, TableList};
use exact::Rational;
use loss::{Definition, Theorem};
use plan::analysis_of;
use plan::{Case, Plan, PlannedBlock};
use std::any::Any;

fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

fn planned(spec: &str, counts: &[i64]) -> Result<Plan, Problem> {
    let case = Case::of(Declaration::parse_alone(spec, "spec.toml")?)?;
    case.plan(&case.analyse(&case.totals(counts)?)?)
}

fn operators(plan: &Plan) -> Vec<&'static str> {
    plan.blocks.iter().map(|block| block.operator()).collect()
}

/// The tables that a block is drawn from.
fn list(block: &PlannedBlock) -> Option<&TableList> {
    let planned: Option<&PlannedList> = (block.work.as_ref() as &dyn Any).downcast_ref();
    planned.map(|planned| planned.list.as_ref())
}

/// The six margins of the Czech autoworkers, no count below zero, without `accept`.
fn czech(epsilon: &str, per: &str) -> (String, Vec<i64>) {
    let spec = include_str!("../../../../examples/czech-autoworkers/spec.toml");
    let spec = spec.replace("nonnegative = false", "nonnegative = true").replace("\"1/4\"", &format!("\"{epsilon}\""));
    let spec = spec.replace("\"unit\"", &format!("\"{per}\""));
    let lines = spec.lines().filter(|line| !line.starts_with("accept") && !line.starts_with("max_delta"));
    let data = include_str!("../../../../data/czech_autoworkers.csv");
    let counts = data.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse().unwrap());
    (lines.collect::<Vec<_>>().join("\n"), counts.collect())
}

#[test]
fn eight_hundred_and_ten_tables_are_listed_and_priced_by_their_worst_pair() -> Result<(), Problem> {
    for (epsilon, per_unit, nearest) in [("1/4", 0.250116, 8.00371), ("1/32", 0.048179, 1.54172)] {
        let (spec, counts) = czech(epsilon, "unit");
        // `messages` draws them as fast, with wide keys; the loss is the same whichever draws.
        let fastest = planned(&spec, &counts)?;
        assert_eq!(fastest.blocks[0].exactness(), &draw::Exactness::Exact);
        let plan = planned(&spec.replace("[mechanism]\n", "[mechanism]\nsampler = \"enumerate\"\n"), &counts)?;
        assert_eq!((operators(&plan), &plan.loss), (vec!["enumerate"], &fastest.loss));
        let list = list(&plan.blocks[0]).unwrap();
        assert_eq!((list.listed.len(), list.fibre.cells.len()), (810, 64));
        assert!(list.listed.tables().any(|table| table == counts));
        let loss = &plan.loss;
        assert_eq!((loss.theorem, loss.definition()), (Theorem::G12, Definition::Pure));
        assert!((loss.epsilon().unwrap().to_f64() - per_unit).abs() < 1e-6, "{:?}", loss.epsilon());
        assert!((loss.nearest.amount.epsilon().unwrap().to_f64() - nearest).abs() < 1e-5, "{:?}", loss.nearest);
        assert_eq!((loss.nearest.distance, loss.delta()), (32, Some(Rational::integer(0))));
        // What the plain factor charges.
        assert_eq!(loss.plain, Some(&number(epsilon) * &Rational::integer(2)));
        assert!(plan.explain_text("Czech").contains("810 tables"));
        assert_eq!(plan.explain_json()["blocks"][0]["tables"], 810);
    }
    Ok(())
}

#[test]
fn a_loss_per_record_buys_the_noise_whose_worst_pair_costs_it() -> Result<(), Problem> {
    let (spec, counts) = czech("1/2", "record");
    let plan = planned(&spec, &counts)?;
    let epsilon = plan.law.geometric().unwrap();
    // Almost no noise more than the normaliser that stands still would need, where the plain factor
    // would halve ε'.
    assert!(*epsilon > number("0.249") && *epsilon < number("1/4"), "{epsilon}");
    assert_eq!((plan.loss.epsilon().cloned(), plan.loss.theorem), (Some(number("1/2")), Theorem::G12));
    // The same rate per unit is priced at no more than the half of it.
    let (spec, counts) = czech(&epsilon.to_string(), "unit");
    let unit = planned(&spec, &counts)?.loss.epsilon().unwrap().clone();
    assert!(unit <= number("1/4") && unit > number("0.249999999"), "{unit}");
    Ok(())
}

/// 2 × 4 × 4 counts of zero and one with all two-way margins: two tables, far apart.
const SPLIT: &str = r#"
title = "Two tables"
[data]
path = "data.csv"
public = true
[dimensions]
a = ["0", "1"]
b = ["0", "1", "2", "3"]
c = ["0", "1", "2", "3"]
[[invariant]]
by = ["a", "b"]
[[invariant]]
by = ["a", "c"]
[[invariant]]
by = ["b", "c"]
[mechanism]
noise = "lattice-laplace"
epsilon = "1/10"
per = "unit"
accept = "estimated"
max_delta = "1e-4"
"#;

#[test]
fn a_fibre_that_no_walk_connects_is_drawn_from_its_list() -> Result<(), Problem> {
    let mut counts = vec![0; 32];
    for place in 0..4 {
        counts[4 * place + place] = 1;
        counts[16 + 4 * place + (place + 1) % 4] = 1;
    }
    for noise in ["lattice-laplace", "double-geometric"] {
        let plan = planned(&SPLIT.replace("lattice-laplace", noise), &counts)?;
        // Messages draw it too, but not under one norm over all cells.
        if noise == "lattice-laplace" {
            let list = list(&plan.blocks[0]).unwrap();
            assert_eq!((list.listed.len(), operators(&plan)), (2, vec!["enumerate"]));
        }
        // Both tables have the same normaliser: the loss is that of the noise alone.
        let epsilon = plan.loss.epsilon().unwrap();
        assert!(*epsilon >= number("1/10") && *epsilon < number("0.100000001"), "{epsilon}");
        assert_eq!((plan.loss.nearest.distance, plan.needs_evidence()), (16, false));
    }
    Ok(())
}

/// Three counts under what is given, and one noisy sum.
fn bound_by(what: &str, noisy: &str) -> String {
    format!(
        "title = \"Terms\"\n[data]\npath = \"data.csv\"\npublic = true\n[dimensions]\ncell = [\"a\", \"b\", \"c\"]\n{what}\n\
         [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\nper = \"unit\"\n\
         [[mechanism.query]]\nby = []\nshare = 1\nwhere = \"{noisy}\"\n"
    )
}

const RULE: &str = "[[constraints.rule]]\nleft = \"cell in ('a', 'b', 'c')\"\nop = \"<=\"\nright = 12\n";
const TERMS: &str = "[[invariant]]\nterms = [{ where = \"cell = 'a'\", times = 2 }, { where = \"cell = 'b'\", times = -1 }, \
                     { where = \"cell = 'c'\", times = -2 }]\n";

fn total(times: i64) -> String {
    format!("[[invariant]]\nterms = [{{ where = \"cell in ('a', 'b', 'c')\", times = {times} }}]\n")
}

#[test]
fn finite_fibres_have_a_law_though_cells_have_no_noise() -> Result<(), Problem> {
    let both = format!("{TERMS}{RULE}");
    // 36 tables have the total 7, 455 at most 12; 2a = b + 2c and at most 12 leave 19.
    let finite = [(total(2), 36), (total(-1), 36), (total(-2), 36), (RULE.to_owned(), 455), (both, 19)];
    for ((what, tables), noisy) in finite.iter().flat_map(|what| [(what, "cell in ('a', 'b')"), (what, "cell = 'b'")]) {
        let spec = bound_by(what, noisy);
        let plan = planned(&spec, &[3, 2, 2])?;
        assert!(plan.loss.theorem == Theorem::G12 && plan.exactness() == draw::Exactness::Exact, "{what}");
        let asked = spec.replace("[mechanism]\n", "[mechanism]\nsampler = \"enumerate\"\n");
        let asked = planned(&asked, &[3, 2, 2])?;
        let listed = asked.blocks.iter().map(|block| list(block).unwrap().listed.len());
        assert_eq!(listed.product::<usize>(), *tables, "{what}");
    }
    Ok(())
}

#[test]
fn what_has_no_end_and_no_noise_has_no_law() -> Result<(), Problem> {
    let proper = |what: &str, noisy: &str| -> Result<bool, Problem> {
        let declaration = Declaration::parse_alone(&bound_by(what, noisy), "spec.toml")?;
        let conditions = declaration.conditions(&declaration.domain()?)?;
        Ok(analysis_of(&conditions, &conditions.totals(&[3, 2, 2])?)?.moves.proper)
    };
    // 2a = b + 2c: a and c go up together and b stays, without end, and noise on b does not see it;
    // b goes up by two for every a.
    assert!(!proper(TERMS, "cell = 'b'")?);
    assert!(!proper(TERMS, "cell = 'c'")?);
    assert!(proper(TERMS, "cell = 'a'")? && proper(TERMS, "cell in ('a', 'b', 'c')")?);
    // A rule over two cells leaves the third without an end.
    let two = RULE.replace("'a', 'b', 'c'", "'a', 'b'");
    assert!(!proper(&two, "cell in ('a', 'b')")? && proper(&two, "cell in ('a', 'c')")?);
    let open = planned(&bound_by(&two, "cell = 'b'"), &[3, 2, 2]).unwrap_err();
    assert_eq!(open.kind, Kind::Refused);
    assert!(open.message.contains("no law to draw from"), "{}", open.message);
    Ok(())
}

/// Every table of a box that has the totals of another and keeps bounds and rules.
fn tables(conditions: &Conditions, counts: &[i64], most: i64) -> Vec<Vec<i64>> {
    let (cells, side) = (counts.len() as u32, most + 1);
    let totals = conditions.totals(counts).unwrap();
    let table = |number: i64| (0..cells).map(|cell| number / side.pow(cell) % side).collect::<Vec<i64>>();
    let kept = |table: &Vec<i64>| {
        conditions.check_table(table).is_ok() && conditions.totals(table).is_ok_and(|found| found == totals)
    };
    (0..side.pow(cells)).map(table).filter(kept).collect()
}

/// The largest loss by distance over all pairs and releases, and the nearest pair with its largest
/// loss; machine numbers.
fn worst(plan: &Plan, conditions: &Conditions, tables: &[Vec<i64>]) -> (f64, u64, f64) {
    let apart = |one: &[i64], two: &[i64]| -> Vec<i64> { one.iter().zip(two).map(|(one, two)| one - two).collect() };
    let norm = !plan.law.is_product();
    let root = |noise: &[i64]| (noise.iter().map(|z| z * z).sum::<i64>() as f64).sqrt();
    let energy = |noise: &[i64]| -> f64 {
        let queries = conditions.queries.iter().zip(&plan.queries).map(|(rows, query)| {
            let moved: i128 = rows.grouping.totals(noise).iter().map(|sum| sum.abs()).sum();
            query.rate.to_f64() * moved as f64
        });
        match plan.queries.is_empty() {
            false => queries.sum(),
            true if norm => plan.law.energy(1).to_f64() * root(noise),
            true => noise.iter().map(|z| plan.law.energy(*z).to_f64()).sum(),
        }
    };
    let normaliser = |centre: &Vec<i64>| tables.iter().map(|y| (-energy(&apart(y, centre))).exp()).sum::<f64>();
    let logs: Vec<f64> = tables.iter().map(|table| normaliser(table).ln()).collect();
    let (mut per_unit, mut nearest) = (0f64, (u64::MAX, 0f64));
    for (x, log) in tables.iter().zip(&logs) {
        for (other, other_log) in tables.iter().zip(&logs).filter(|(other, _)| *other != x) {
            let ratio = |y: &Vec<i64>| energy(&apart(y, other)) - energy(&apart(y, x)) + other_log - log;
            let loss = tables.iter().map(ratio).fold(0.0, f64::max);
            let noise = apart(x, other);
            let distance: u64 = noise.iter().map(|z| z.unsigned_abs()).sum();
            per_unit = per_unit.max(loss / if norm { root(&noise) } else { distance as f64 });
            if distance < nearest.0 || distance == nearest.0 && loss > nearest.1 {
                nearest = (distance, loss);
            }
        }
    }
    (per_unit, nearest.0, nearest.1)
}

/// The head of a spec over two dimensions.
fn two_way(rows: &str, columns: &str, rest: &str) -> String {
    format!(
        "title = \"Small\"\n[data]\npath = \"data.csv\"\npublic = true\n[dimensions]\nr = [{rows}]\nc = [{columns}]\n{rest}\n"
    )
}

#[test]
fn the_certified_loss_is_that_of_the_true_worst_pair() -> Result<(), Problem> {
    let by = |dimension: &str| format!("[[invariant]]\nby = [{dimension}]\n");
    let (two, three) = ("\"0\", \"1\"", "\"0\", \"1\", \"2\"");
    let deaths = "[[constraints.rule]]\nby = [\"r\"]\nleft = \"c = '1'\"\nop = \"<=\"\nright = \"c = '0'\"\n";
    let margins = by("\"r\"") + &by("\"c\"");
    let query = "[[mechanism.query]]\nby = [\"r\"]\nshare = \"1/3\"\n[[mechanism.query]]\nby = [\"r\", \"c\"]\nshare = \"2/3\"\n";
    let specs = [
        (two_way(two, two, &by("")), vec![2, 0, 1, 1], ""),
        (two_way(two, two, &margins), vec![2, 1, 0, 3], ""),
        (two_way(two, three, &margins), vec![1, 2, 0, 1, 0, 2], ""),
        (two_way(two, two, &(by("\"c\"") + deaths)), vec![2, 2, 1, 1], ""),
        (two_way(two, two, &(by("") + deaths)), vec![2, 1, 1, 0], ""),
        (two_way(two, two, &by("\"r\"")), vec![2, 1, 0, 3], ""),
        (two_way(two, two, &by("")), vec![2, 0, 1, 1], query),
    ];
    for (head, counts, queries) in &specs {
        for (noise, epsilon, per) in [
            ("double-geometric", "1/10", "unit"),
            ("double-geometric", "1", "unit"),
            ("double-geometric", "1", "record"),
            ("lattice-laplace", "1/2", "unit"),
            ("lattice-laplace", "1", "record"),
        ] {
            if noise == "lattice-laplace" && !queries.is_empty() {
                continue;
            }
            let spec =
                format!("{head}[mechanism]\nnoise = \"{noise}\"\nepsilon = \"{epsilon}\"\nper = \"{per}\"\n{queries}");
            let plan = planned(&spec, counts)?;
            let declaration = Declaration::parse_alone(&spec, "spec.toml")?;
            let conditions = declaration.conditions(&declaration.domain()?)?;
            let listed = tables(&conditions, counts, 6);
            let (true_loss, distance, nearest) = worst(&plan, &conditions, &listed);
            let loss = &plan.loss;
            let units = match (per, noise) {
                ("unit", _) => 1.0,
                (_, "lattice-laplace") => 2f64.sqrt(),
                _ => 2.0,
            };
            let certified = loss.epsilon().unwrap().to_f64();
            let slack = certified - true_loss * units;
            assert!(slack > -1e-12, "{spec}: {certified} certified, {} true", true_loss * units);
            assert!(slack < 1e-9 || loss.theorem != Theorem::G12, "{spec}: {slack}");
            // Nothing is left to gain: G3 stays only where it is attained.
            assert!(slack < 1e-9, "{spec}: {} by {:?}", slack, loss.theorem);
            let stated = loss.nearest.amount.epsilon().unwrap().to_f64();
            assert_eq!(loss.nearest.distance, distance, "{spec}");
            assert!((0.0..1e-9).contains(&(stated - nearest + 1e-12)), "{spec}: {stated} stated, {nearest} true");
        }
    }
    Ok(())
}

#[test]
fn chained_measures_move_the_nearest_pair_away() -> Result<(), Problem> {
    // Each measure at most the one before it, all totals exact and equal: both counties move all
    // measures together.
    for (measures, first, loss) in [(2usize, 2, 0.542), (3, 2, 0.774), (4, 1, 0.940)] {
        let names: Vec<String> = (0..measures).map(|measure| format!("\"{measure}\"")).collect();
        let rule = |measure: usize| {
            format!(
                "[[constraints.rule]]\nby = [\"r\"]\nleft = \"c = '{}'\"\nop = \"<=\"\nright = \"c = '{measure}'\"\n",
                measure + 1
            )
        };
        let rules: String = (0..measures - 1).map(rule).collect();
        let rest = format!(
            "[[invariant]]\nby = [\"c\"]\n{rules}[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/10\"\nper = \"unit\"\n"
        );
        let spec = two_way("\"0\", \"1\"", &names.join(", "), &rest);
        let counts = [vec![first; measures], vec![1; measures]].concat();
        let plan = planned(&spec, &counts)?;
        assert_eq!(plan.loss.nearest.distance, 2 * measures as u64);
        let stated = plan.loss.nearest.amount.epsilon().unwrap().to_f64();
        assert!((stated - loss).abs() < 5e-4, "{measures} measures: {stated}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_listed_says_why() -> Result<(), Problem> {
    let (spec, counts) = czech("1/4", "unit");
    // A walk is accepted, so that the nearest pair need not be known.
    let asked = |spec: &str, sampler: &str| {
        spec.replace(
            "[mechanism]\n",
            &format!("[mechanism]\nsampler = \"{sampler}\"\naccept = \"estimated\"\nmax_delta = \"1e-6\"\n"),
        )
    };
    assert_eq!(
        operators(&planned(&spec.replace("[mechanism]\n", "[mechanism]\nsampler = \"enumerate\"\n"), &counts)?),
        ["enumerate"]
    );
    let free = spec.replace("nonnegative = true", "nonnegative = false");
    let problem = planned(&asked(&free, "enumerate"), &counts).unwrap_err();
    assert!(problem.message.contains("no bound or rule ends the table's counts"), "{}", problem.message);
    assert_eq!(problem.kind, Kind::Refused);
    let large: Vec<i64> = counts.iter().map(|count| count * 1000).collect();
    let problem = planned(&asked(&spec, "enumerate"), &large).unwrap_err();
    let why = ["leave more than 262144 tables", "given up after the work that is allowed"];
    assert!(why.iter().any(|why| problem.message.contains(why)), "{}", problem.message);
    Ok(())
}

#[test]
fn totals_that_one_table_has_are_refused_though_no_bound_shows_it() {
    // 6a + 10b + 15c = 31: only ones do, and no cell is confined to one value by the others'
    // bounds.
    let terms = "[[invariant]]\nterms = [{ where = \"cell = 'a'\", times = 6 }, { where = \"cell = 'b'\", times = 10 }, \
                 { where = \"cell = 'c'\", times = 15 }]\n";
    let spec = bound_by(terms, "cell = 'a'");
    let (spec, _) = spec.split_once("[[mechanism.query]]").unwrap();
    let problem = planned(spec, &[1, 1, 1]).unwrap_err();
    assert!(problem.message.contains("only one table"), "{}", problem.message);
    // 6a + 10b + 15c = 61 has (1, 1, 3), (1, 4, 1) and (6, 1, 1).
    let plan = planned(spec, &[6, 1, 1]).unwrap();
    assert_eq!(plan.loss.nearest.distance, 5);
}

/// The largest Rényi divergence over its order and the squared distance, of any pair of tables: a
/// dense search in machine numbers.
fn largest_divergence(tables: &[Vec<i64>], variance: f64) -> f64 {
    let squared =
        |one: &Vec<i64>, two: &Vec<i64>| one.iter().zip(two).map(|(a, b)| ((a - b) as f64).powi(2)).sum::<f64>();
    let energy = |one: &Vec<i64>, two: &Vec<i64>| squared(one, two) / (2.0 * variance);
    let log = |x: &Vec<i64>| tables.iter().map(|y| (-energy(y, x)).exp()).sum::<f64>().ln();
    let logs: Vec<f64> = tables.iter().map(log).collect();
    let mut largest = 0f64;
    for (x, own) in tables.iter().zip(&logs) {
        for (other, log) in tables.iter().zip(&logs).filter(|(other, _)| *other != x) {
            for step in 0..160 {
                let alpha = 1.0 + 1e-3 * 1.1f64.powi(step);
                let term = |y: &Vec<i64>| alpha * (-energy(y, x) - own) + (1.0 - alpha) * (-energy(y, other) - log);
                let most = tables.iter().map(term).fold(f64::NEG_INFINITY, f64::max);
                let sum = tables.iter().map(|y| (term(y) - most).exp()).sum::<f64>().ln() + most;
                largest = largest.max(sum / (alpha - 1.0) / alpha / squared(x, other));
            }
        }
    }
    largest
}

/// Gaussian noise with bounds where theorem G13 has nothing to say: margins of 3 × 3 tables, and
/// rules that tie two totals.
#[test]
fn rho_is_certified_from_the_list_at_all_orders() -> Result<(), Problem> {
    let by = |dimension: &str| format!("[[invariant]]\nby = [{dimension}]\n");
    let (two, three) = ("\"0\", \"1\"", "\"0\", \"1\", \"2\"");
    let deaths = "[[constraints.rule]]\nby = [\"r\"]\nleft = \"c = '1'\"\nop = \"<=\"\nright = \"c = '0'\"\n";
    let margins = by("\"r\"") + &by("\"c\"");
    let specs = [
        (two_way(three, three, &margins), vec![1, 1, 0, 0, 1, 1, 1, 0, 1], 2),
        (two_way(three, three, &margins), vec![2, 0, 0, 0, 2, 0, 0, 0, 1], 2),
        (two_way(three, two, &(by("\"c\"") + deaths)), vec![2, 2, 1, 1, 1, 0], 4),
    ];
    let mut above = 0;
    for (head, counts, most) in &specs {
        for (rho, per) in [("1/16", "unit"), ("1", "unit"), ("8", "unit"), ("1/2", "record"), ("1/40", "unit")] {
            let spec = format!("{head}[mechanism]\nnoise = \"discrete-gaussian\"\nrho = \"{rho}\"\nper = \"{per}\"\n");
            let plan = planned(&spec, counts)?;
            let loss = &plan.loss;
            assert_eq!((loss.theorem, loss.definition()), (Theorem::G12, Definition::ZeroConcentrated), "{spec}");
            let declaration = Declaration::parse_alone(&spec, "spec.toml")?;
            let conditions = declaration.conditions(&declaration.domain()?)?;
            let listed = tables(&conditions, counts, *most);
            let truth =
                largest_divergence(&listed, plan.law.parameter().to_f64()) * if per == "unit" { 1.0 } else { 2.0 };
            let stated = loss.rho().unwrap().to_f64();
            assert!(stated >= truth - 1e-9, "{spec}: {stated} stated, {truth} true");
            // Per record the noise is found to one percent.
            assert!(stated <= truth * 1.045 + 2e-9, "{spec}: {stated} stated, {truth} true");
            if per == "record" {
                assert_eq!(loss.rho().cloned(), Some(number(rho)));
            }
            // The loss of the noise alone would be too little: bounds may add to it, or take from
            // it.
            above += usize::from(truth > number(rho).to_f64() * 1.001);
            assert!(loss.nearest.amount.rho().unwrap().is_positive() && plan.exactness() == draw::Exactness::Exact);
        }
    }
    assert!(above > 0, "some pair loses more than the noise alone");
    Ok(())
}

/// More tables than are weighed at all orders: refused, with what works.
#[test]
fn rho_of_long_lists_is_refused() {
    let (spec, counts) = czech("1/4", "unit");
    let spec = spec.replace("double-geometric", "discrete-gaussian").replace("epsilon", "rho");
    let problem = planned(&spec, &counts).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.message.contains("G13") && problem.message.contains("810 tables"), "{problem:?}");
    assert!(problem.hint.unwrap().contains("double-geometric"));
}
