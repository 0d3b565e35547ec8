//! The experiments of the papers, and our own on large tables: published figures beside measured
//! ones.
//!
//! ```text
//! findings.rs    what an experiment found, as tables and files
//! spaces.rs      the tables that are walked in
//! curves.rs      coupled chains: curves of the distance from the law

//! agree.rs       endpoints of walks against exact draws
//! worth.rs       how many independent draws a second of walking is worth

//! isdp.rs        what the three experiments of the ISDP paper share
//! ```
//! Every other file is one experiment.

mod agree;
mod curves;
mod findings;
mod gm_acceptance;
mod gm_figure_1;
mod gm_two_bins;
mod isdp;
mod isdp_counties;
mod isdp_intersecting;
mod isdp_margins;
mod large_three_way;
mod large_two_way;
mod liu_taxi;
mod liu_variances;
mod see_alaska;
mod see_budget;
mod see_covid;
mod see_power;
mod see_ridge;
mod see_runtime;
mod see_secrets;

mod spaces;
mod topdown_taxi;
mod us_counties;
mod worth;
mod zhu_counties;

use declare::Problem;
use std::fs;
use std::io::Write;
use std::path::Path;

pub use findings::{Findings, Row};
pub(crate) use isdp_counties::illinois;

/// An experiment that can be repeated.
#[derive(Debug)]
pub struct Experiment {
    /// Its name, for the command.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The number of coupled pairs, unless another is asked for.
    pub pairs: u64,
    /// How long it takes on two cores, about; nothing where it is a matter of seconds.
    pub takes: Option<&'static str>,
    run: fn(&Rehearsal<'_>) -> Result<Findings, Problem>,
}

impl Experiment {
    const fn new(name: &'static str, run: fn(&Rehearsal<'_>) -> Result<Findings, Problem>) -> Experiment {
        Experiment { name, about: "", pairs: 200, takes: None, run }
    }

    const fn about(self, about: &'static str) -> Experiment {
        Experiment { about, ..self }
    }

    const fn taking(self, takes: &'static str) -> Experiment {
        Experiment { takes: Some(takes), ..self }
    }

    const fn of_pairs(self, pairs: u64) -> Experiment {
        Experiment { pairs, ..self }
    }
}

/// What a running experiment tells.
#[derive(Debug, Clone, Copy)]
pub enum Told<'a> {
    /// A stage begins: what it does, and how many things it will do.
    Stage(&'a str, u64),
    /// So many more of them are done.
    Done(u64),
    /// Something to know before it goes on.
    Note(&'a str),
}

/// Who is told.
pub type Listener<'a> = &'a (dyn Fn(Told<'_>) + Sync);

/// How an experiment is run.
pub struct Rehearsal<'a> {
    name: &'static str,
    pub pairs: u64,
    told: Listener<'a>,
}

impl Rehearsal<'_> {
    /// Nothing found yet, of an experiment about which so much is to be said.
    fn findings(&self, notes: &[&str]) -> Findings {
        Findings::new(self.name, notes)
    }

    fn stage(&self, what: &str, number: u64) {
        (self.told)(Told::Stage(what, number));
    }

    fn done(&self, number: u64) {
        (self.told)(Told::Done(number));
    }

    fn note(&self, text: &str) {
        (self.told)(Told::Note(text));
    }
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment::new("gm-acceptance", gm_acceptance::run)
        .about("sex by age, 2×23 with three totals (Gong and Meng 2020, figure 2): how often the independence walk accepts"),
    Experiment::new("liu-taxi", liu_taxi::run)
        .about("taxi zones, boroughs and city, noise on every node (Liu 2023, table 2): the hierarchy walk beside the exact law"),
    Experiment::new("gm-two-bins", gm_two_bins::run)
        .about("two bins and their total (Gong and Meng 2020, table 2): conditioning and projections by formula and simulation"),
    Experiment::new("gm-figure-1", gm_figure_1::run)
        .about("20 tables of small counts (the same paper, figure 1): raw noise, its projection and conditioning"),
    Experiment::new("liu-variances", liu_variances::run)
        .about("n cells and their total (Liu 2023, section 4): variances by conditioning and projection, and the conjecture"),
    Experiment::new("zhu-counties", zhu_counties::run)
        .about("counties projected onto their state's total (Zhu and others 2021): variances, and the bound of a bias"),
    Experiment::new("see-runtime", see_runtime::run)
        .about("means in the unit cube (Seeman 2023, case study 12): chains at worst beside perfect draws as they are"),
    Experiment::new("see-ridge", see_ridge::run)
        .about("ridge regression of simulated records (the same, formula 43): perfect draws beside nets of public points"),
    Experiment::new("see-secrets", see_secrets::run)
        .about("records that depend on each other (the same): how the loss about one of them grows"),
    Experiment::new("see-budget", see_budget::run)
        .about("a budget chosen by its utility (the same, discussion 1): what that tells, and two repairs"),
    Experiment::new("see-covid", see_covid::run)
        .about("Pennsylvania by county and month (the same, case study 11): base measures beside noise with post-processing")
        .taking("minutes"),
    Experiment::new("see-power", see_power::run)
        .about("tests on releases (the same, on post-processing): sizes with and without the noise, and power by enumeration"),
    Experiment::new("see-alaska", see_alaska::run)
        .about("rates of small counties and a test of race (the same, case study 10): plugged in, projected, and posteriors that know the noise"),
    Experiment::new("topdown-taxi", topdown_taxi::run)
        .about("taxi zones, boroughs and city: TopDown beside exact conditioning at equal loss"),
    Experiment::new("us-counties", us_counties::run)
        .about("US counties in their states: every method at equal loss, bias by size of the county"),
    Experiment::new("isdp-intersecting", isdp_intersecting::run)
        .about("three intersecting sums over 14 cells (Dharangutte and others 2023, section 5): distance curves")
        .taking("minutes"),
    Experiment::new("isdp-margins", isdp_margins::run)
        .about("delinquent children, 4×4 with both margins (the same paper, figure 1): distance curves")
        .taking("minutes"),
    Experiment::new("isdp-counties", isdp_counties::run)
        .about("the 102 counties of Illinois with the state's total (the same paper, figure 2): distance curves")
        .taking("minutes"),
    Experiment::new("large-two-way", large_two_way::run)
        .about("30×30 with both margins and no negative count: distance curve, block moves against single vectors")
        .taking("an hour")
        .of_pairs(5000),
    Experiment::new("large-three-way", large_three_way::run)
        .about("12×12×6 with all two-way margins: distance curve, block moves against single vectors")
        .taking("an hour")
        .of_pairs(5000),
];

/// All experiments, in the order of `all`.
pub fn experiments() -> &'static [Experiment] {
    EXPERIMENTS
}

/// Repeats experiments, in the order of the list, or `all`, and writes what was found into a new
/// folder, if one is named: curves as CSV, figures as SVG, and `summary.md` with published figures
/// beside measured ones. `pairs` replaces the number of coupled pairs of every experiment; `found`
/// is shown the findings of each as soon as they are written.
///
/// # Errors
/// A name that is not in the list, a folder that is there already, and what an experiment could not
/// do.
pub fn reproduce(
    names: &[String],
    folder: Option<&Path>,
    pairs: Option<u64>,
    told: Listener<'_>,
    found: &mut dyn FnMut(&Findings),
) -> Result<(), Problem> {
    if let Some(name) = names.iter().find(|name| *name != "all" && EXPERIMENTS.iter().all(|known| known.name != **name))
    {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|known| known.name).collect();
        return Err(Problem::bad(format!("there is no experiment `{name}`"))
            .hint(format!("`all`, or one of {}", names.join(", "))));
    }
    let fewest = walk::FEWEST_PAIRS as u64;
    if pairs.is_some_and(|pairs| pairs < fewest) {
        return Err(Problem::bad("so few pairs of chains say nothing about late meetings")
            .hint(format!("give --pairs a number of at least {fewest}")));
    }
    if let Some(folder) = folder {
        fs::create_dir(folder).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                Problem::bad(format!("`{}` exists; an experiment never overwrites anything", folder.display()))
                    .hint("choose another --out folder, or move the old one away")
            }
            _ => Problem::system(format!("cannot create `{}`: {error}", folder.display())),
        })?;
    }
    let chosen = |known: &&Experiment| names.iter().any(|name| name == "all" || name == known.name);
    for experiment in EXPERIMENTS.iter().filter(chosen) {
        let run = Rehearsal { name: experiment.name, pairs: pairs.unwrap_or(experiment.pairs), told };
        let findings = (experiment.run)(&run)?;
        if let Some(folder) = folder {
            for (file, text) in &findings.files {
                write(&folder.join(file), text)?;
            }
            write(&folder.join("summary.md"), &findings.markdown())?;
        }
        found(&findings);
    }
    Ok(())
}

/// Appends: the summary grows with every experiment, and all other names are new.
fn write(path: &Path, text: &str) -> Result<(), Problem> {
    let open = fs::OpenOptions::new().create(true).append(true).open(path);
    open.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| Problem::system(format!("cannot write `{}`: {error}", path.display())))
}
