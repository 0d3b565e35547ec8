//! Times that plans state against times that first draws take: a spread of small and medium tables,
//! and all examples.
//!
//! `cargo bench -p congenial --bench estimates` prints one line for each, and how far the worst is
//! off either way. It is not a test: machines differ, and so do loads.

#![allow(clippy::print_stdout)]

use declare::{Declaration, Method, Problem};
use draw::{TableNoise, TableSampler};
use exact::{FreshEntropy, Rational};
use plan::PlannedBlock;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use testkit::Random;

/// A spec, and counts spread below a number.
struct Case {
    what: &'static str,
    spec: String,
    most: u64,
}

/// Dimensions of these sizes.
fn dimensions(sizes: &[usize]) -> String {
    let mut text = String::from("title = \"T\"\n[data]\npath = \"data.csv\"\npublic = true\n[dimensions]\n");
    for (dimension, size) in sizes.iter().enumerate() {
        let values: Vec<String> = (0..*size).map(|value| format!("\"{value}\"")).collect();
        let _ = writeln!(text, "d{dimension} = [{}]", values.join(", "));
    }
    text
}

fn by(dimensions: &[usize]) -> String {
    let names: Vec<String> = dimensions.iter().map(|dimension| format!("\"d{dimension}\"")).collect();
    format!("by = [{}]\n", names.join(", "))
}

fn kept(dimensions: &[&[usize]]) -> String {
    dimensions.iter().map(|kept| format!("[[invariant]]\n{}", by(kept))).collect()
}

fn noisy(dimensions: &[&[usize]]) -> String {
    let share = format!("share = \"1/{}\"\n", dimensions.len());
    dimensions.iter().map(|query| format!("[[mechanism.query]]\n{}{share}", by(query))).collect()
}

fn geometric(epsilon: &str) -> String {
    format!("[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"{epsilon}\"\nper = \"unit\"\n")
}

fn laplace(epsilon: &str) -> String {
    format!("[mechanism]\nnoise = \"lattice-laplace\"\nepsilon = \"{epsilon}\"\nper = \"unit\"\n")
}

fn gaussian(rho: &str) -> String {
    format!("[mechanism]\nnoise = \"discrete-gaussian\"\nrho = \"{rho}\"\nper = \"unit\"\n")
}

const FREE: &str = "[constraints]\nnonnegative = false\n";
const RULE: &str = "[[constraints.rule]]\nby = [\"d0\"]\nleft = \"d1 = '1'\"\nop = \"<=\"\nright = \"d1 = '0'\"\n";

fn cases() -> Vec<Case> {
    let case = |what: &'static str, sizes: &[usize], parts: &[&str], most: u64| Case {
        what,
        spec: dimensions(sizes) + &parts.concat(),
        most,
    };
    let rows_columns = kept(&[&[0], &[1]]);
    let (half, fifth) = (geometric("1/2"), geometric("1/5"));
    let total = kept(&[&[]]);
    let two_way = kept(&[&[0, 1], &[0, 2], &[1, 2]]);
    vec![
        case("free, 100 cells", &[100], &[FREE, &half], 50),
        case("free, 20,000 cells", &[20_000], &[FREE, &half], 50),
        case("free, at least zero, 1,000 cells", &[1000], &[&half], 50),
        case("one total, 100 cells", &[100], &[FREE, &total, &half], 50),
        case("one total, 20,000 cells", &[20_000], &[FREE, &total, &half], 50),
        case("one total, Gaussian, 100 cells", &[100], &[FREE, &total, &gaussian("1/20")], 50),
        case("one total, Gaussian, 10,000 cells", &[10_000], &[FREE, &total, &gaussian("1/20")], 50),
        case("one total, at least zero, 5 cells", &[5], &[&total, &half], 9),
        case("one total, at least zero, 100 cells", &[100], &[&total, &fifth], 50),
        case("one total, at least zero, 2,000 cells", &[2000], &[&total, &fifth], 50),
        case("one total, at least zero, 20,000 cells, counts below 3000", &[20_000], &[&total, &fifth], 3000),
        case("one total, at least zero, 20,000 cells, counts below 10", &[20_000], &[&total, &fifth], 10),
        case("one total, at least zero, 200,000 cells, counts below 3000", &[200_000], &[&total, &fifth], 3000),
        case("2 × 3 margins, at least zero", &[2, 3], &[&rows_columns, &half], 20),
        case("2 × 23 margins, at least zero", &[2, 23], &[&rows_columns, &half], 9),
        case("3 × 3 margins, at least zero, small", &[3, 3], &[&rows_columns, &geometric("1")], 9),
        case("3 × 3 margins, at least zero, wide", &[3, 3], &[&rows_columns, &geometric("2")], 40),
        case("3 × 6 margins, at least zero", &[3, 6], &[&rows_columns, &geometric("1")], 9),
        case("4 × 4 margins, at least zero", &[4, 4], &[&rows_columns, &geometric("1")], 6),
        case("4 × 4 margins", &[4, 4], &[FREE, &rows_columns, &geometric("1/4")], 50),
        case("6 × 8 margins", &[6, 8], &[FREE, &rows_columns, &half], 50),
        case("4 × 4 margins, Gaussian", &[4, 4], &[FREE, &rows_columns, &gaussian("1/20")], 50),
        case(
            "2 × 2, noise on rows, columns and cells",
            &[2, 2],
            &[FREE, &geometric("3"), &noisy(&[&[0], &[1], &[0, 1]])],
            50,
        ),
        case("2 × 2, the same, at least zero", &[2, 2], &[&geometric("2"), &noisy(&[&[0], &[1], &[0, 1]])], 50),
        case("2 × 3, the same", &[2, 3], &[FREE, &geometric("12"), &noisy(&[&[0], &[1], &[0, 1]])], 50),
        case("30 × 10, noise on three levels", &[30, 10], &[FREE, &geometric("1"), &noisy(&[&[], &[0], &[0, 1]])], 50),
        case("30 × 10, the same, at least zero", &[30, 10], &[&geometric("1"), &noisy(&[&[], &[0], &[0, 1]])], 50),
        case(
            "20 pairs, one at most the other",
            &[20, 2],
            &["[[invariant]]\nby = []\nwhere = \"d1 = '0'\"\n", RULE, &half],
            20,
        ),
        case("2 × 2 × 2, two-way margins, at least zero", &[2, 2, 2], &[&kept(&[&[0, 1], &[0, 2], &[1, 2]]), &half], 9),
        case("2 × 3 × 4, two-way margins, at least zero", &[2, 3, 4], &[&kept(&[&[0, 1], &[0, 2], &[1, 2]]), &half], 4),
        case("3 × 3 × 3, two-way margins, at least zero", &[3, 3, 3], &[&kept(&[&[0, 1], &[0, 2], &[1, 2]]), &half], 2),
        case("4 × 4 margins, at least zero, counts below 800", &[4, 4], &[&rows_columns, &half], 800),
        case("3 × 10 margins, at least zero, ε' = 1/10", &[3, 10], &[&rows_columns, &geometric("1/10")], 800),
        case("5 × 20 margins, at least zero", &[5, 20], &[&rows_columns, &half], 17),
        case("8 × 8 margins, at least zero", &[8, 8], &[&rows_columns, &half], 17),
        case("10 × 10 margins, at least zero, counts below 800", &[10, 10], &[&rows_columns, &geometric("2")], 800),
        case("100 × 4 margins, at least zero", &[100, 4], &[&rows_columns, &half], 50),
        case("12 × 12 × 6, Gaussian", &[12, 12, 6], &[FREE, &two_way, &gaussian("1/16")], 20),
        case("30 × 30 margins, Gaussian", &[30, 30], &[FREE, &rows_columns, &gaussian("1/16")], 20),
        case("102 cells, lattice Laplace", &[102], &[FREE, &total, &laplace("0.192")], 5000),
        case("4 × 4 margins, lattice Laplace, at least zero", &[4, 4], &[&rows_columns, &laplace("1")], 800),
        case("5 × 20 margins, lattice Laplace, at least zero", &[5, 20], &[&rows_columns, &laplace("2")], 800),
        case("3 × 3 × 3, two-way margins, counts below 8000", &[3, 3, 3], &[&two_way, &half], 8000),
        case("1,000 cells under a noisy node", &[1000], &[&geometric("1"), &noisy(&[&[], &[0]])], 50),
        case("20 × 50, noise on three levels", &[20, 50], &[&geometric("1"), &noisy(&[&[], &[0], &[0, 1]])], 50),
        case("1,000 zeros under a noisy node", &[1000], &[&geometric("1"), &noisy(&[&[], &[0]])], 1),
        case("20 × 50 zeros, noise on three levels", &[20, 50], &[&geometric("1"), &noisy(&[&[], &[0], &[0, 1]])], 1),
    ]
}

/// Seconds of one core: what all threads were given by the processors, where the system tells, so
/// that other programs do not count; else the time that passed.
struct Clock {
    given: Option<u64>,
    start: Instant,
}

impl Clock {
    fn start() -> Clock {
        Clock { given: given(), start: Instant::now() }
    }

    fn seconds(&self) -> f64 {
        match (self.given, given()) {
            (Some(before), Some(after)) if after > before => (after - before) as f64 / 1e9,
            _ => self.start.elapsed().as_secs_f64(),
        }
    }
}

/// Nanoseconds that all threads of this process have run.
fn given() -> Option<u64> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let thread = |entry: std::io::Result<std::fs::DirEntry>| -> Option<u64> {
        let text = std::fs::read_to_string(entry.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse().ok()
    };
    threads.map(thread).sum()
}

/// What a plan states and what was measured, in seconds.
struct Row {
    stated: f64,
    taken: f64,
    planned: f64,
    operators: String,
}

/// Draws until the clock, which ticks every few milliseconds, has moved far enough, but no longer
/// than this.
const BATCH_SECONDS: f64 = 0.05;
const MOST_SECONDS: f64 = 6.0;

/// A spec with counts spread below a number.
fn spread(case: &Case) -> Result<Row, Problem> {
    let declaration = Declaration::parse_alone(&case.spec, "spec.toml")?;
    let mut random = Random(7);
    let domain = declaration.domain()?;
    let mut counts: Vec<i64> = (0..domain.len()).map(|_| random.below(case.most) as i64).collect();
    if !declaration.conditions(&domain)?.rules.is_empty() {
        counts.chunks_exact_mut(2).filter(|pair| pair[0] < pair[1]).for_each(|pair| pair.swap(0, 1));
    }
    measured(&declaration, &counts)
}

/// A spec of the examples with its data; `None` for what is not drawn by conditioning.
fn example(file: &Path) -> Option<Result<Row, Problem>> {
    let (text, folder) = (std::fs::read_to_string(file).ok()?, file.parent()?);
    let declaration = Declaration::parse(&text, "spec.toml", folder).ok()?;
    if declaration.mechanism.method != Method::Condition {
        return None;
    }
    let found = || {
        let domain = declaration.domain()?;
        let tabulated = tabulate::tabulate(&declaration, &domain, folder, &mut |_| {})?;
        measured(&declaration, tabulated.table.counts())
    };
    Some(found())
}

fn measured(declaration: &Declaration, counts: &[i64]) -> Result<Row, Problem> {
    let case = plan::Case::of(declaration.clone())?;
    let conditions = &case.conditions;
    let start = Instant::now();
    let plan = case.plan(&case.analyse(&case.totals(counts)?)?)?;
    let planned = start.elapsed().as_secs_f64();
    let rates: Vec<Rational> = plan.queries.iter().map(|query| query.rate.clone()).collect();
    let narrow = |sum: i128| i64::try_from(sum).unwrap_or(i64::MAX);
    let sums: Vec<Vec<i64>> = conditions
        .queries
        .iter()
        .map(|query| query.grouping.totals(counts).into_iter().map(narrow).collect())
        .collect();
    let blocks: Vec<_> = plan.blocks.iter().map(PlannedBlock::to_draw).collect();
    // A draw may need wide numbers, so the middle of several batches; every draw makes its samplers
    // anew.
    let (mut times, begun): (Vec<f64>, Instant) = (Vec::new(), Instant::now());
    while times.len() < 5 && begun.elapsed().as_secs_f64() < MOST_SECONDS {
        let (start, batch, mut draws) = (Clock::start(), Instant::now(), 0u32);
        while draws == 0 || batch.elapsed().as_secs_f64() < BATCH_SECONDS {
            let noise = TableNoise { law: &plan.law, rates: &rates, sums: &sums };
            TableSampler::new(noise, &blocks, counts)?.draw(&FreshEntropy, &|_| {})?;
            draws += 1;
        }
        times.push(start.seconds() / f64::from(draws));
    }
    times.sort_by(f64::total_cmp);
    let mut operators: Vec<&str> = plan.blocks.iter().map(|block| block.operator()).collect();
    operators.sort_unstable();
    operators.dedup();
    Ok(Row { stated: plan.seconds(), taken: times[times.len() / 2], planned, operators: operators.join(", ") })
}

/// All specs below a folder, in order.
fn specs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut found: Vec<PathBuf> = entries
        .flat_map(|path| match path.is_dir() {
            true => specs(&path),
            false => {
                path.extension().is_some_and(|extension| extension == "toml").then_some(path).into_iter().collect()
            }
        })
        .collect();
    found.sort();
    found
}

fn main() {
    println!("| table | operator | stated | measured | stated / measured | plan |\n|---|---|---|---|---|---|");
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |what: &str| wanted.is_empty() || wanted.iter().any(|part| what.contains(part));
    let (mut least, mut most) = (f64::INFINITY, 0f64);
    let mut tell = |what: &str, found: Result<Row, Problem>| match found {
        Ok(Row { stated, taken, planned, operators }) => {
            let quotient = stated / taken;
            (least, most) = (least.min(quotient), most.max(quotient));
            let [stated, taken, planned] = [stated, taken, planned].map(|seconds| seconds * 1e3);
            println!("| {what} | `{operators}` | {stated:.3} ms | {taken:.3} ms | {quotient:.2} | {planned:.1} ms |");
        }
        Err(problem) => println!("| {what} | refused: {} | | | | |", problem.message.lines().next().unwrap_or("")),
    };
    for case in cases().iter().filter(|case| is_wanted(case.what)) {
        tell(case.what, spread(case));
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for file in specs(&examples) {
        let what = file.strip_prefix(&examples).unwrap_or(&file).display().to_string();
        if let Some(found) = is_wanted(&what).then(|| example(&file)).flatten() {
            tell(&what, found);
        }
    }
    println!("\nstated / measured: between {least:.2} and {most:.2}");
}
