//! Every example is released, verified and explained, with an exact operator unless it accepts an
//! estimated one, and its totals come out as they went in.

use congenial::{Format, Prepared, Quiet, VerifyOptions, release, verify};
use std::path::{Path, PathBuf};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// Releases, verifies, and returns the operators with their blocks and cells.
fn run(name: &str, format: Format) -> Vec<(String, usize, usize)> {
    let spec = example(name);
    let prepared = Prepared::open(&spec, &Quiet).unwrap();
    let explained = prepared.plan.explain_json();
    assert_eq!(explained["cells"], prepared.opened().domain.len());
    let exactness = if prepared.opened().declaration.mechanism.max_delta.is_some() { "estimated" } else { "exact" };
    for block in explained["blocks"].as_array().unwrap() {
        assert_eq!(block["exactness"], exactness);
    }
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    let released = release(&spec, &folder, format, &Quiet).unwrap();
    let verified = verify(&folder, &VerifyOptions::default()).unwrap();
    assert_eq!(released.certificate, verified.certificate);
    // The certified totals are those of the table that went in.
    for (invariant, totals) in verified.certificate.invariants.iter().zip(&prepared.analysed.totals) {
        assert_eq!(invariant.totals.iter().map(|total| total.value).collect::<Vec<_>>(), *totals);
    }
    let mut files: Vec<String> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    let table = format!("table.{}", format.extension());
    let mut expected: Vec<String> =
        ["DATA-README.txt", "certificate.json", "codebook.csv", "report.html", &table].map(str::to_string).to_vec();
    // In a workbook the derived tables are sheets.
    if format != Format::XLSX {
        let outputs = prepared.opened().declaration.outputs.iter();
        expected.extend(outputs.map(|output| format!("{}.{}", output.name, format.extension())));
    }
    expected.sort();
    assert_eq!(files, expected);
    assert_eq!(std::fs::read_dir(work.path()).unwrap().count(), 1, "nothing but the release is left behind");
    check_words(&folder, &verified.certificate, &prepared.plan.explain_text("t"));
    let uses = verified.certificate.operators.into_iter();
    uses.map(|used| (used.operator, used.blocks, used.cells)).collect()
}

/// A page as a reader hears it: without tags, entities and line ends.
fn heard(page: &str) -> String {
    let page = page.split_once("</style>").map_or(page, |(_, body)| body);
    let texts = page.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    let text = texts.collect::<Vec<_>>().join(" ").replace("&#39;", "'").replace("&quot;", "\"").replace("&amp;", "&");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The percentages in a text.
fn percentages(text: &str) -> Vec<String> {
    let before = text.split('%').map(|part| part.trim_end());
    let number = |part: &str| -> String {
        let digits = part.chars().rev().take_while(|letter| letter.is_ascii_digit() || *letter == '.');
        digits.collect::<Vec<char>>().into_iter().rev().collect()
    };
    let mut found: Vec<String> = before.map(number).filter(|number| !number.is_empty()).collect();
    found.pop_if(|_| !text.trim_end().ends_with('%'));
    found
}

/// Certificate, report, its picture, readme and `explain` say one sentence about what the guarantee
/// means, with one figure.
fn check_words(folder: &Path, certificate: &certify::Certificate, explained: &str) {
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    let sentence = &certificate.guarantee.meaning.as_ref().unwrap().sentence;
    let stated = percentages(sentence);
    assert_eq!(stated.len(), 3, "{sentence}");
    let (report, readme) = (read("report.html"), heard(&read("DATA-README.txt")));
    let report_heard = heard(&report);
    assert_eq!(report_heard.matches(sentence.as_str()).count(), 2, "the guarantee and its picture: {sentence}");
    let label = format!("a belief of 50 % becomes at most {} %", stated[0]);
    assert!(report.contains(&label), "{label}");
    for (what, text) in [("readme", &readme), ("explain", &explained.to_string())] {
        assert!(text.contains(sentence.as_str()), "{what} does not say: {sentence}");
    }
    // Beside those of the sentence: a half, the level of intervals, the confidence in a walk.
    let known = |found: &String| stated.contains(found) || ["50", "90", "99"].contains(&found.as_str());
    for (what, text) in [("report", &report_heard), ("readme", &readme), ("explain", &explained.to_string())] {
        let other: Vec<String> = percentages(text).into_iter().filter(|found| !known(found)).collect();
        assert!(other.is_empty(), "{what} has other percentages: {other:?}, beside {sentence}");
    }
}

#[test]
fn five_cells() {
    assert_eq!(run("five-cells/spec.toml", Format::PARQUET), [("closed-form".to_string(), 1, 5)]);
    assert_eq!(run("five-cells/spec.toml", Format::CSV), [("closed-form".to_string(), 1, 5)]);
    assert_eq!(run("five-cells/spec.toml", Format::XLSX), [("closed-form".to_string(), 1, 5)]);
}

#[test]
fn illinois() {
    assert_eq!(run("illinois/spec.toml", Format::PARQUET), [("closed-form".to_string(), 1, 102)]);
}

#[test]
fn all_counties_with_state_totals() {
    // The District of Columbia is one county: its cell is fixed by its state's total.
    assert_eq!(run("us-counties/spec.toml", Format::PARQUET), [("closed-form".to_string(), 50, 3142)]);
    assert_eq!(run("us-counties/spec.toml", Format::CSV), [("closed-form".to_string(), 50, 3142)]);
    assert_eq!(run("us-counties/spec.toml", Format::XLSX), [("closed-form".to_string(), 50, 3142)]);
}

#[test]
fn delinquent_children() {
    assert_eq!(run("delinquent-children/spec.toml", Format::PARQUET), [("closed-form".to_string(), 4, 16)]);
    assert_eq!(run("delinquent-children/gaussian.toml", Format::CSV), [("messages".to_string(), 4, 16)]);
}

#[test]
fn both_margins_with_and_without_bounds() {
    assert_eq!(run("delinquent-children/margins.toml", Format::PARQUET), [("divide".to_string(), 1, 16)]);
    assert_eq!(run("delinquent-children/nonnegative.toml", Format::CSV), [("divide".to_string(), 1, 16)]);
    assert_eq!(run("hair-eye/nonnegative.toml", Format::CSV), [("divide".to_string(), 1, 16)]);
}

/// Discrete Gaussian noise with counts at or above zero, certified at integer orders.
#[test]
fn gaussian_noise_with_bounds() {
    for (name, blocks, cells) in [
        ("delinquent-children/gaussian-nonnegative.toml", 4, 16),
        ("hair-eye/gaussian.toml", 4, 16),
        ("taxi/gaussian.toml", 5, 262),
        ("pennsylvania/gaussian.toml", 1, 2010),
    ] {
        assert_eq!(run(name, Format::CSV), [("messages".to_string(), blocks, cells)], "{name}");
        let plan = Prepared::open(&example(name), &Quiet).unwrap().plan;
        let loss = &plan.explain_json()["loss"];
        assert_eq!(loss["definition"], "concentrated differential privacy at integer orders");
        assert_eq!((&loss["theorem"], &loss["rho_exact"]), (&"G13".into(), &"1/8".into()));
        assert!(plan.explain_text("t").contains("whole order"), "{}", plan.explain_text("t"));
    }
}

#[test]
fn totals_that_cross_in_few_classes() {
    assert_eq!(run("sex-by-age/spec.toml", Format::PARQUET), [("messages".to_string(), 1, 46)]);
    assert_eq!(run("adult/spec.toml", Format::PARQUET), [("messages".to_string(), 1, 220)]);
    assert_eq!(run("adult/two-way-margins.toml", Format::CSV), [("klein".to_string(), 1, 180)]);
}

#[test]
fn small_areas() {
    assert_eq!(run("lung-cancer/spec.toml", Format::CSV), [("closed-form".to_string(), 2, 1071)]);
}

#[test]
fn one_direction_left_free() {
    assert_eq!(run("bartlett/spec.toml", Format::CSV), [("messages".to_string(), 1, 8)]);
}

#[test]
fn noise_on_lattices() {
    assert_eq!(run("illinois/l2.toml", Format::CSV), [("mixture".to_string(), 1, 102)]);
    assert_eq!(run("czech-autoworkers/spec.toml", Format::CSV), [("messages".to_string(), 1, 64)]);
}

#[test]
fn few_tables_are_listed() {
    assert_eq!(run("czech-autoworkers/nonnegative.toml", Format::CSV), [("enumerate".to_string(), 1, 64)]);
}

#[test]
fn totals_split_from_above() {
    for (name, cells) in [
        ("hair-eye/cascade.toml", 16),
        ("czech-autoworkers/cascade.toml", 64),
        ("lung-cancer/margins.toml", 536),
        ("pennsylvania/cascade.toml", 2142),
        ("us-tracts/cascade.toml", 74_002),
    ] {
        assert_eq!(run(name, Format::PARQUET), [("cascade".to_string(), 1, cells)], "{name}");
    }
}

#[test]
fn rules_and_equalities() {
    assert_eq!(run("cases-and-deaths/spec.toml", Format::CSV), [("messages".to_string(), 1, 6)]);
    let households = [("messages".to_string(), 1, 10), ("independent".to_string(), 1, 2)];
    assert_eq!(run("households/spec.toml", Format::CSV), households);
}

#[test]
fn noise_on_sums() {
    assert_eq!(run("taxi/spec.toml", Format::PARQUET), [("messages".to_string(), 1, 263)]);
    assert_eq!(run("taxi/nonnegative.toml", Format::PARQUET), [("messages".to_string(), 1, 263)]);
    assert_eq!(run("sibling-parts/spec.toml", Format::PARQUET), [("messages".to_string(), 1, 102)]);
}

#[test]
fn post_processing() {
    assert_eq!(run("us-counties/project.toml", Format::CSV), [("project-nonnegative".to_string(), 50, 3142)]);
    assert_eq!(run("taxi/topdown.toml", Format::PARQUET), [("topdown".to_string(), 1, 263)]);
}

#[test]
fn raw_files() {
    assert_eq!(run("current-population-survey/spec.toml", Format::XLSX), [("messages".to_string(), 8, 400)]);
    assert_eq!(run("pennsylvania/spec.toml", Format::CSV), [("messages".to_string(), 32, 2144)]);
    assert_eq!(run("pennsylvania/deaths-at-most-cases.toml", Format::PARQUET), [("messages".to_string(), 1, 2010)]);
}

#[test]
fn a_hierarchy_of_four_levels() {
    assert_eq!(run("block-groups/spec.toml", Format::PARQUET), [("messages".to_string(), 52, 220_334)]);
}

/// Draws of Gong and Meng's table against its exact figures: means of L1 and L2², and how often a
/// count of one becomes zero.
#[test]
fn twenty_thousand_draws_of_gong_and_mengs_table_agree_with_the_exact_figures() {
    let work = tempfile::tempdir().unwrap();
    let file = work.path().join("draws.csv");
    let draws = 20_000u64;
    congenial::simulate(&example("sex-by-age/spec.toml"), draws, Some(7), &file, &Quiet).unwrap();
    let table = std::fs::read_to_string(example("../data/gong_meng_table1.csv")).unwrap();
    let count = |line: &str| line.rsplit(',').next().unwrap().parse::<i64>().unwrap();
    let truth: Vec<i64> = table.lines().skip(1).map(count).collect();
    let cell = table.lines().skip(1).position(|line| line.starts_with("Female,45-49,")).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let values: Vec<i64> = text.lines().skip(1).map(count).collect();
    assert_eq!(values.len(), truth.len() * draws as usize);
    let (mut sums, mut squares, mut zeros) = ([0.0f64; 2], [0.0f64; 2], 0.0);
    for draw in values.chunks(truth.len()) {
        let errors = || draw.iter().zip(&truth).map(|(value, truth)| (value - truth) as f64);
        let figures = [errors().map(f64::abs).sum::<f64>(), errors().map(|error| error * error).sum::<f64>()];
        for (figure, (sum, square)) in figures.iter().zip(sums.iter_mut().zip(squares.iter_mut())) {
            *sum += figure;
            *square += figure * figure;
        }
        zeros += f64::from(u8::from(draw[cell] == 0));
    }
    let count = draws as f64;
    for ((sum, square), exact) in sums.iter().zip(&squares).zip([73.532671, 235.2358]) {
        let mean = sum / count;
        let error = ((square / count - mean * mean) / count).sqrt();
        assert!(
            (mean - exact).abs() < testkit::deviations(2) * error,
            "{mean} instead of {exact}, standard error {error}"
        );
    }
    let share: f64 = 0.2076883;
    let error = (share * (1.0 - share) / count).sqrt();
    assert!((zeros / count - share).abs() < testkit::deviations(1) * error, "{} instead of {share}", zeros / count);
}
