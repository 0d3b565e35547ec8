//! What analysts wait for: `cargo bench -p congenial --bench infer`, each figure against its limit.
//!
//! Whole questions to release folders, the verification of the folder included; releases are made
//! first and not counted.
#![allow(clippy::print_stdout)]

use congenial::{Format, InferOptions, Quiet, infer, release};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wanted = |name: &str| asked.is_empty() || asked.iter().any(|asked| asked == name);
    let work = tempfile::tempdir()?;
    let at = |name: &str| work.path().join(name);
    if wanted("intervals") {
        let folder = synthetic(&at("intervals"), 100, 1_000, "[[invariant]]\nby = [\"area\"]\n")?;
        let questions: [&[&str]; 3] = [&[], &["area"], &["item"]];
        let start = Instant::now();
        for by in questions {
            let by = by.iter().map(|name| (*name).to_string()).collect();
            infer(std::slice::from_ref(&folder), &InferOptions { by, ..InferOptions::default() })
                .map_err(|problem| problem.message)?;
        }
        told("intervals of 10^5 cells and both margins", start, 3.0);
    }
    if wanted("imputations") {
        let folder = synthetic(&at("imputations"), 1_000, 1_000, "[[invariant]]\nby = []\n")?;
        let filter = Some("area = 'area0'".to_string());
        let asked = InferOptions {
            posterior: true,
            filter,
            impute: Some(20),
            out: Some(at("imputed")),
            ..InferOptions::default()
        };
        let start = Instant::now();
        infer(&[folder], &asked).map_err(|problem| problem.message)?;
        told("20 imputations of 10^6 cells under one total, Parquet", start, 10.0);
    }
    if wanted("counties") {
        let spec = repository("examples/us-counties/spec.toml")?.replace("nonnegative = true", "nonnegative = false");
        let folder = released(&at("counties"), &spec)?;
        let asked = InferOptions { posterior: true, nonnegative: true, ..InferOptions::default() };
        let start = Instant::now();
        let found = infer(&[folder], &asked).map_err(|problem| problem.message)?;
        told(&format!("posterior laws of all counties in states, non-negative, exact: {}", found.exact), start, 10.0);
    }
    if wanted("pennsylvania") {
        let free = "[constraints]\nnonnegative = false\n[mechanism]";
        let spec = repository("examples/pennsylvania/deaths-at-most-cases.toml")?;
        let (before, rest) = spec.split_once("[[constraints.rule]]").ok_or("no rule")?;
        let mechanism = rest.split_once("[mechanism]").ok_or("no mechanism")?.1;
        let folder = released(&at("pennsylvania"), &format!("{before}{free}{mechanism}"))?;
        let rule = "sum(measure = 'new_deaths') <= sum(measure = 'new_cases') by county, month".to_string();
        let asked = InferOptions { posterior: true, nonnegative: true, rules: vec![rule], ..InferOptions::default() };
        let start = Instant::now();
        let found = infer(&[folder], &asked).map_err(|problem| problem.message)?;
        told(
            &format!("Pennsylvania, 15 months, with equalities, deaths at most cases, exact: {}", found.exact),
            start,
            60.0,
        );
        let folder = released(&at("bounded"), &spec)?;
        let start = Instant::now();
        let found = infer(&[folder], &InferOptions { posterior: true, ..InferOptions::default() })
            .map_err(|problem| problem.message)?;
        told(&format!("… released with the bounds, {}", found.basis.last().map_or("", |line| line)), start, 60.0);
    }
    if wanted("tests") {
        for (name, limit) in [("spec", 10.0), ("nonnegative", 60.0), ("cascade", 60.0)] {
            let folder = released(&at(name), &repository(&format!("examples/hair-eye/{name}.toml"))?)?;
            let test = congenial::TestOptions {
                rows: vec!["eye".into()],
                columns: vec!["hair".into()],
                test: "independence".into(),
                ..congenial::TestOptions::default()
            };
            let asked = InferOptions { test: Some(test), draws: Some(10_000), ..InferOptions::default() };
            let start = Instant::now();
            let found = infer(&[folder], &asked).map_err(|problem| problem.message)?;
            told(&format!("independence, 4×4, 10^4 draws, hair-eye/{name}, exact: {}", found.exact), start, limit);
        }
    }
    Ok(())
}

fn told(what: &str, start: Instant, limit: f64) {
    let seconds = start.elapsed().as_secs_f64();
    println!("{what}: {seconds:.2} s (limit {limit} s){}", if seconds <= limit { "" } else { " NOT KEPT" });
}

/// A spec of the repository, its files named from there.
fn repository(path: &str) -> Result<String, Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let text = fs::read_to_string(root.join(path))?;
    Ok(text.replace("../../data", &root.join("data").display().to_string()))
}

fn released(folder: &Path, spec: &str) -> Result<PathBuf, Failure> {
    fs::create_dir(folder)?;
    let path = folder.join("spec.toml");
    fs::write(&path, spec)?;
    let out = folder.join("release");
    release(&path, &out, Format::PARQUET, &Quiet).map_err(|problem| problem.message)?;
    Ok(out)
}

/// A release of invented counts.
fn synthetic(folder: &Path, areas: usize, items: usize, invariants: &str) -> Result<PathBuf, Failure> {
    fs::create_dir(folder)?;
    let mut data = String::from("area,item,count\n");
    for area in 0..areas {
        for item in 0..items {
            writeln!(data, "area{area},item{item},{}", (area * 31 + item * 17) % 97)?;
        }
    }
    fs::write(folder.join("data.csv"), data)?;
    let labels = |name: &str, count: usize| {
        (0..count).map(|number| format!("\"{name}{number}\"")).collect::<Vec<_>>().join(", ")
    };
    let path = folder.join("spec.toml");
    let spec = format!(
        "title = \"Synthetic\"\n[data]\npath = \"data.csv\"\ncount = \"count\"\npublic = true\n[dimensions]\narea = [{}]\nitem = [{}]\n\
         {invariants}[constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/4\"\nper = \"unit\"\n",
        labels("area", areas),
        labels("item", items)
    );
    fs::write(&path, spec)?;
    let out = folder.join("release");
    release(&path, &out, Format::PARQUET, &Quiet).map_err(|problem| problem.message)?;
    Ok(out)
}
