//! Releases of rows in memory: as those of a file with the same rows, paid for, recognised, and
//! stopped on the way.

use congenial::ledgers::{Address, Ledger};
use congenial::{
    DatasetWords, Format, Frame, FrameColumn, Given, Kind, Options, Paying, Prepared, Problem, Progress, Quiet,
    Released, Stage, VerifyOptions, note_data, open_dataset, release, released_frame, verify,
};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

const DIMENSIONS: &str = "[dimensions]\ncounty = [\"Alpha\", \"Beta\", \"Gamma\"]\neducation = [\"Low\", \"High\"]\n\
     [[invariant]]\nby = [\"county\"]\n[constraints]\nnonnegative = false\n\
     [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/4\"\nper = \"unit\"\n";

const ROWS: [(&str, &str, i64); 6] = [
    ("Alpha", "Low", 41),
    ("Alpha", "High", 19),
    ("Beta", "Low", 230),
    ("Beta", "High", 77),
    ("Gamma", "Low", 5),
    ("Gamma", "High", 1012),
];

fn frame(rows: &[(&str, &str, i64)]) -> Frame {
    let texts = |text: fn(&(&str, &str, i64)) -> String| FrameColumn::Texts(rows.iter().map(text).collect());
    Frame::of_columns(vec![
        ("county".into(), texts(|row| row.0.to_string())),
        ("education".into(), texts(|row| row.1.to_string())),
        ("children".into(), FrameColumn::Integers(rows.iter().map(|row| Some(row.2)).collect())),
    ])
    .unwrap()
}

fn spec(data: &str, budget: &str) -> String {
    format!("title = \"Children\"\n[data]\n{data}\ncount = \"children\"\n{DIMENSIONS}{budget}")
}

/// A confidential spec of rows in memory, whose ledger lies in this folder.
fn confidential(folder: &Path) -> Given {
    let budget = "[budget]\ndataset = \"children\"\nledger = \"sqlite:ledger.db\"\n";
    Given::text(spec("frame = \"rows\"", budget), "the spec", folder)
}

fn open_ledger(folder: &Path) -> Address {
    let address = Address::parse(&format!("sqlite:{}", folder.join("ledger.db").display())).unwrap();
    let words = DatasetWords {
        name: "children".into(),
        epsilon: Some("1".into()),
        per: "unit".into(),
        by: "ann".into(),
        ..DatasetWords::default()
    };
    open_dataset(&address, &words.understood().unwrap(), None, None, false).unwrap();
    address
}

fn spent(address: &Address) -> (String, u64, u64) {
    let status = Ledger::open_to_read(address).unwrap().status().unwrap();
    let dataset = &status.datasets[0];
    (dataset.spent.to_string(), dataset.completed, dataset.unfinished)
}

fn by_ann() -> Options {
    Options { paying: Paying { by: Some("ann".into()), ..Paying::default() }, ..Format::CSV.into() }
}

/// Releases; reading and drawing answer so.
fn released(
    given: Given,
    out: &Path,
    reading: fn() -> ControlFlow<()>,
    drawing: fn() -> ControlFlow<()>,
) -> Result<Released, Problem> {
    release(given, out, by_ann(), &Answering { reading, drawing })
}

/// Answers so to what it is told.
struct Answering {
    reading: fn() -> ControlFlow<()>,
    drawing: fn() -> ControlFlow<()>,
}

impl Progress for Answering {
    fn told(&self, stage: Stage, _: u64) -> ControlFlow<()> {
        match stage {
            Stage::Reading => (self.reading)(),
            Stage::Drawing => (self.drawing)(),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn goes_on() -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn stops() -> ControlFlow<()> {
    ControlFlow::Break(())
}

#[test]
fn a_file_and_a_frame_with_the_same_rows_give_the_same_release_but_for_the_draw() {
    let work = tempfile::tempdir().unwrap();
    let mut text = "county,education,children\n".to_string();
    ROWS.iter().for_each(|(county, education, children)| text += &format!("{county},{education},{children}\n"));
    fs::write(work.path().join("data.csv"), text).unwrap();
    let file = Given::text(spec("path = \"data.csv\"\npublic = true", ""), "the spec", work.path());
    let memory = Given::text(spec("frame = \"rows\"\npublic = true", ""), "the spec", work.path());
    let givens = [file.clone(), memory.with_frame(frame(&ROWS)), file.with_frame(frame(&ROWS))];
    let plans = givens.clone().map(|given| Prepared::open(given, &Quiet).unwrap().plan.explain_json());
    assert_eq!(plans[0], plans[1]);
    assert_eq!(plans[0], plans[2]);
    let mut number = 0;
    let certificates = givens.map(|given| {
        number += 1;
        let out = work.path().join(format!("release-{number}"));
        let mut certificate = released(given, &out, goes_on, goes_on).unwrap().certificate;
        verify(&out, &VerifyOptions::default()).unwrap();
        assert_eq!(released_frame(&out).unwrap().rows(), 6);
        // What may differ: the time, which draw it is, hashes, and where the rows come from.
        certificate.time.clear();
        certificate.draw = None;
        certificate.table.sha256.clear();
        certificate.files.clear();
        let text = serde_json::to_string_pretty(&certificate).unwrap();
        let lines = text.lines().filter(|line| !line.contains("sha256"));
        lines.map(|line| line.replace("path = \\\"data.csv\\\"", "frame = \\\"rows\\\"")).collect::<Vec<_>>()
    });
    assert_eq!(certificates[0], certificates[1]);
    assert_eq!(certificates[1], certificates[2]);
    assert!(certificates[1].iter().any(|line| line.contains("frame = \\\"rows\\\"")));
}

#[test]
fn public_counts_of_cells_are_released_as_rows_are() {
    let work = tempfile::tempdir().unwrap();
    let counts = ROWS.map(|row| row.2);
    let public = || Given::text(spec("path = \"data.csv\"\npublic = true", ""), "the spec", work.path());
    let plans = [public().with_counts(counts), public().with_frame(frame(&ROWS))]
        .map(|given| Prepared::open(given, &Quiet).unwrap().plan.explain_json());
    assert_eq!(plans[0], plans[1]);
    let out = work.path().join("release");
    release(public().with_counts(counts), &out, Format::CSV, &Quiet).unwrap();
    let verified = verify(&out, &VerifyOptions::default()).unwrap();
    let totals: Vec<i64> = verified.certificate.invariants[0].totals.iter().map(|total| total.value).collect();
    assert_eq!(totals, [60, 307, 1017]);

    let refused = |given: Given| Prepared::open(given, &Quiet).unwrap_err();
    let few = refused(public().with_counts([1, 2]));
    assert_eq!(few.message, "the table has 6 cells, and 2 counts were handed over");
    let negative = refused(public().with_counts([41, 19, -230, 77, 5, 1012]));
    assert!(negative.message.ends_with("is -230"), "{}", negative.message);
    let secret = refused(confidential(work.path()).with_counts(counts));
    assert_eq!(secret.kind, Kind::Refused);
}

#[test]
fn rows_instead_of_a_file_in_another_encoding_are_a_release_that_verifies() {
    let work = tempfile::tempdir().unwrap();
    let data = "path = \"data.csv\"\npublic = true\nencoding = \"windows-1252\"";
    let given = Given::text(spec(data, ""), "the spec", work.path()).with_frame(frame(&ROWS));
    let out = work.path().join("one");
    released(given, &out, goes_on, goes_on).unwrap();
    verify(&out, &VerifyOptions::default()).unwrap();
}

#[test]
fn noting_rows_that_nothing_would_recognise_is_an_answer() {
    let work = tempfile::tempdir().unwrap();
    let address = open_ledger(work.path());
    let few: Vec<_> = ROWS.into_iter().map(|row| (row.0, row.1, if row.0 == "Alpha" { row.2 } else { 0 })).collect();
    let given = || confidential(work.path()).with_frame(frame(&few));
    for answers in 1..3 {
        note_data(given(), "ann", &Quiet).unwrap_err();
        let status = Ledger::open_to_read(&address).unwrap().status().unwrap();
        assert_eq!(status.datasets[0].answers, answers);
    }
    note_data(confidential(work.path()).with_frame(frame(&ROWS)), "ann", &Quiet).unwrap();
}

#[test]
fn a_frame_is_paid_for_once_and_recognised_under_other_names() {
    let work = tempfile::tempdir().unwrap();
    let address = open_ledger(work.path());
    let given = || confidential(work.path()).with_frame(frame(&ROWS));
    released(given(), &work.path().join("one"), goes_on, goes_on).unwrap();
    assert_eq!(spent(&address), ("ε = 1/4".into(), 1, 0));
    let again = released(given(), &work.path().join("two"), goes_on, goes_on).unwrap();
    assert!(again.handed_back.is_some());
    assert_eq!(spent(&address), ("ε = 1/4".into(), 1, 0));
    let public = Given::text(spec("frame = \"other\"\npublic = true", ""), "the spec", work.path());
    let refused = released(public.with_frame(frame(&ROWS)), &work.path().join("three"), goes_on, goes_on).unwrap_err();
    assert_eq!(refused.kind, Kind::Refused, "{refused:?}");
    assert!(!work.path().join("three").exists());
    // Other rows are other data: nobody is refused because both are in memory.
    let mut other = ROWS;
    other.iter_mut().zip([8, 901, 33, 400, 61, 75]).for_each(|(row, count)| row.2 = count);
    let public = Given::text(spec("frame = \"other\"\npublic = true", ""), "the spec", work.path());
    released(public.with_frame(frame(&other)), &work.path().join("four"), goes_on, goes_on).unwrap();
}

#[test]
fn the_same_rows_in_a_file_and_in_memory_are_paid_for_once() {
    let work = tempfile::tempdir().unwrap();
    let address = open_ledger(work.path());
    let mut text = "county,education,children\n".to_string();
    ROWS.iter().for_each(|(county, education, children)| text += &format!("{county},{education},{children}\n"));
    fs::write(work.path().join("data.csv"), text).unwrap();
    let budget = "[budget]\ndataset = \"children\"\nledger = \"sqlite:ledger.db\"\n";
    let file = Given::text(spec("path = \"data.csv\"", budget), "the spec", work.path());
    released(file, &work.path().join("one"), goes_on, goes_on).unwrap();
    let memory = confidential(work.path()).with_frame(frame(&ROWS));
    let again = released(memory, &work.path().join("two"), goes_on, goes_on).unwrap();
    assert!(again.handed_back.is_some());
    assert_eq!(spent(&address), ("ε = 1/4".into(), 1, 0));
}

#[test]
fn confidential_rows_that_nothing_would_recognise_are_refused() {
    let work = tempfile::tempdir().unwrap();
    let address = open_ledger(work.path());
    let few: Vec<_> = ROWS.into_iter().map(|row| (row.0, row.1, if row.0 == "Alpha" { row.2 } else { 0 })).collect();
    let given = confidential(work.path()).with_frame(frame(&few));
    let refused = released(given, &work.path().join("one"), goes_on, goes_on).unwrap_err();
    assert_eq!(refused.kind, Kind::Refused, "{refused:?}");
    assert!(refused.message.contains("recognised by nothing"), "{refused:?}");
    assert_eq!(spent(&address), ("ε = 0".into(), 0, 0));
    let status = Ledger::open_to_read(&address).unwrap().status().unwrap();
    assert_eq!(status.datasets[0].answers, 1, "it depends on the data, so it is an answer");
}

#[test]
fn stopped_before_paying_a_release_costs_nothing() {
    let work = tempfile::tempdir().unwrap();
    let address = open_ledger(work.path());
    let out = work.path().join("one");
    let stopped = released(confidential(work.path()).with_frame(frame(&ROWS)), &out, stops, goes_on).unwrap_err();
    assert!(stopped.message.contains("stopped"), "{stopped:?}");
    assert_eq!(spent(&address), ("ε = 0".into(), 0, 0));
    let names: Vec<_> = fs::read_dir(work.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| name.to_string_lossy().starts_with("ledger.db")), "{names:?}");
}

#[test]
fn stopped_after_paying_a_release_goes_on_with_the_same_command() {
    let work = tempfile::tempdir().unwrap();
    let address = open_ledger(work.path());
    let out = work.path().join("one");
    let given = || confidential(work.path()).with_frame(frame(&ROWS));
    let stopped = released(given(), &out, goes_on, stops).unwrap_err();
    let hint = stopped.hint.clone().unwrap();
    assert!(stopped.message.contains("stopped") && hint.contains("stays spent"), "{stopped:?}");
    assert!(!out.exists());
    assert_eq!(spent(&address), ("ε = 1/4".into(), 0, 1));
    released(given(), &out, goes_on, goes_on).unwrap();
    assert_eq!(spent(&address), ("ε = 1/4".into(), 1, 0));
    verify(&out, &VerifyOptions::default()).unwrap();
}
