//! Times the tabulation of the records that `benches/tabulate_vs_duckdb.py` writes:
//! `records FILE [RUNS]`.

use declare::{
    Constraints, Data, DateFormat, Declaration, Dimension, Disclosure, Duplicates, Encoding, Limits, Mechanism, Method,
    Negative, Noise, Per, Policy, Schema, Strength, Values,
};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

/// Three columns of text, two of small whole numbers.
fn declaration(file: &str) -> Declaration {
    let list = |name: &str, size: usize| Dimension {
        name: name.to_owned(),
        column: name.to_owned(),
        values: Values::List((0..size).map(|number| format!("{name}{number}")).collect()),
        cleaning: Default::default(),
    };
    let whole = |name: &str, last: i64| Dimension {
        name: name.to_owned(),
        column: name.to_owned(),
        values: Values::Integers { first: 0, last },
        cleaning: Default::default(),
    };
    let dimensions = vec![list("a", 10), list("b", 5), list("c", 20), whole("d", 9), whole("e", 19)];
    Declaration {
        title: "Records".to_owned(),
        data: Data {
            path: file.to_owned(),
            frame: None,
            count: None,
            public: true,
            filter: None,
            outside: Policy::Error,
            missing: Policy::Error,
            duplicates: Duplicates::Error,
            negative: Negative::Error,
            unit: None,
            rows_per_unit: 1,
            beyond: Policy::Error,
            encoding: Encoding::Utf8,
            date_formats: vec![DateFormat::iso()],
        },
        schema: Schema { dimensions },
        invariants: Vec::new(),
        constraints: Constraints { nonnegative: false, zero: Vec::new(), rules: Vec::new() },
        mechanism: Mechanism {
            noise: Noise::DOUBLE_GEOMETRIC,
            method: Method::Condition,
            strength: Strength::Epsilon(1.into()),
            per: Per::Unit,
            sampler: None,
            max_delta: None,
            queries: Vec::new(),
            order: None,
            base: None,
        },
        limits: Limits::default(),
        disclosure: Disclosure::default(),
        secrets: None,
        budget: None,
        outputs: Vec::new(),
    }
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench` when it runs this itself.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let Some(file) = arguments.first() else {
        println!("usage: records FILE [RUNS], with a file of benches/tabulate_vs_duckdb.py");
        return Ok(());
    };
    let runs: u32 = arguments.get(1).map_or(Ok(5), |runs| runs.parse())?;
    let declaration = declaration(file);
    let domain = declaration.domain()?;
    let (mut best, mut rows) = (f64::INFINITY, 0);
    for _ in 0..runs {
        let start = Instant::now();
        let tabulated = tabulate::tabulate(&declaration, &domain, Path::new("."), &mut |_| {})?;
        best = best.min(start.elapsed().as_secs_f64());
        rows = tabulated.rows.read;
        assert_eq!(tabulated.table.counts().iter().sum::<i64>() as u64, rows, "every row is counted");
    }
    println!("{best:.4} seconds, {rows} rows");
    Ok(())
}
