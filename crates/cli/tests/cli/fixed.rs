//! Release folders whose bits are fixed: what `infer` tells of them is the same in every run.
//!
//! The program makes none, and has no way to: `certify` takes a draw of the operating system's
//! generator alone, and nothing here certifies. A true release of the same spec lends its
//! certificate to counts that `exact::Seeded` drew, as `simulate --seed` does. Anybody can write
//! that, because a certificate without a signature vouches for nothing but its own consistency.
//! What is written names its draw `5eed…`, has no signature, no ledger knows it, and it does not
//! outlive the temporary folder of its test.

use crate::run::Folder;
use certify::{Certificate, derive};
use congenial::{Format, Quiet, release};
use exact::Seeded;
use prepare::{Prepared, Sample};
use publish::{Contents, Facts, Gathered, Making, table_of};
use std::path::Path;

/// The starter, its release with a fixed draw, and nothing else.
pub fn released() -> Folder {
    let folder = Folder::started();
    folder.fix("congenial.toml", "release", 1);
    folder
}

/// An example's release `r` with a fixed draw.
pub fn of_example(name: &str) -> Folder {
    let folder = Folder::new();
    fix(&example(name), &folder.path("r"), 1);
    folder
}

/// The spec of an example.
pub fn example(name: &str) -> std::path::PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap();
    root.join(format!("{name}.toml"))
}

impl Folder {
    /// Writes what looks like a release of a spec in this folder, with the draw of a seed.
    #[track_caller]
    pub fn fix(&self, spec: &str, name: &str, seed: u64) {
        fix(&self.path(spec), &self.path(name), seed);
    }
}

/// Writes to a new folder what looks like a release of a public spec, with the draw of a seed.
#[track_caller]
pub fn fix(spec: &Path, folder: &Path, seed: u64) {
    fix_as(spec, folder, Format::CSV, seed);
}

/// The same, in a format.
#[track_caller]
pub fn fix_as(spec: &Path, folder: &Path, format: Format, seed: u64) {
    let scratch = tempfile::tempdir().unwrap();
    let lent = release(spec, &scratch.path().join("lends-its-certificate"), format, &Quiet).unwrap().certificate;
    let prepared = Prepared::open(spec, &Quiet).unwrap().supported(&Quiet).unwrap();
    let case = &prepared.opened().case;
    let noisy = prepared.noisy_sums().unwrap();
    let drawn = prepared.sampling(&noisy).unwrap().sample(&Seeded::draw(seed, 0), &|_| {}).unwrap();
    let Sample::Counts(drawn) = drawn else { panic!("{} draws no counts", spec.display()) };
    let values = drawn.values();
    let derived = derive(case, &prepared.analysed.totals, &prepared.plan, &|_| {}).unwrap();
    let outputs = case.declaration.output_rows(&case.domain).unwrap();
    let (plan, conditions, fold) = (&prepared.plan, &case.conditions, case.fold.as_ref());
    let contents = Contents::new(&case.domain, plan, conditions, fold, outputs, format, None).unwrap();
    let facts = Facts::derived(&case.declaration.title, &derived, &lent.spec_sha256);
    std::fs::create_dir(folder).unwrap();
    contents.write_table(folder, facts, values).unwrap();
    contents.write_others(folder, facts, values).unwrap();
    let certificate = Certificate {
        draw: Some(format!("5eed5eed5eed5eed{seed:016x}")),
        table: table_of(&contents, folder).unwrap(),
        files: Vec::new(),
        report_sha256: String::new(),
        ..lent.clone()
    };
    let making = Making {
        declaration: &case.declaration,
        derived: &derived,
        contents: &contents,
        spec_sha256: &lent.spec_sha256,
        ledger: None,
        signing: None,
        stream_above: usize::MAX,
        program: lent.program,
        now: congenial::ledgers::now,
    };
    let mut gathered = Gathered::new(&case.domain);
    gathered.add_drawn(values, &contents);
    making.dress(certificate, &gathered, Some(values), folder, &|_| {}).unwrap();
}

/// The counts are those of `simulate --seed`, whatever the certificate that was lent; nobody who
/// asks for a signature takes them for a release.
#[test]
fn a_seed_fixes_what_is_asked_about_and_vouches_for_nothing() {
    let folder = released();
    folder.run("simulate congenial.toml --draws 1 --seed 1 --out draw.csv").exits(0);
    let counts = |text: String, column: usize| -> Vec<i64> {
        text.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect()
    };
    let fixed = counts(folder.read("release/table.csv"), 2);
    assert_eq!(fixed, counts(folder.read("draw.csv"), 3));
    folder.fix("congenial.toml", "again", 1);
    folder.fix("congenial.toml", "other", 2);
    assert_eq!(fixed, counts(folder.read("again/table.csv"), 2));
    assert!(fixed != counts(folder.read("other/table.csv"), 2));
    folder.run("key new agency.key").exits(0);
    let said = folder.run("verify release --key agency.key.pub").exits(2).err;
    assert!(said.contains("the certificate is not signed"), "{said}");
}
