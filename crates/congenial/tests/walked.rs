//! Estimated releases: drawn by a walk, stated with their evidence, and found when forged.

use certify::{Certificate, restore, sha256};
use congenial::{Format, Kind, Verified, release, simulate, verify};
use declare::Problem;
use std::fs;
use std::path::{Path, PathBuf};

/// A spec of 3 × 3 cells with both margins, drawn by a walk.
fn spec(folder: &Path, mechanism: &str) -> PathBuf {
    let rows: String = (0..9).map(|cell| format!("r{},c{},{}\n", cell / 3, cell % 3, 3 * cell + 2)).collect();
    fs::write(folder.join("x.csv"), format!("row,column,n\n{rows}")).unwrap();
    let text = format!(
        "title = \"Walked\"\n[data]\npath = \"x.csv\"\ncount = \"n\"\npublic = true\n\
         [dimensions]\nrow = [\"r0\", \"r1\", \"r2\"]\ncolumn = [\"c0\", \"c1\", \"c2\"]\n[[invariant]]\nby = [\"row\"]\n\
         [[invariant]]\nby = [\"column\"]\n[constraints]\nnonnegative = false\n[mechanism]\n{mechanism}\n"
    );
    let path = folder.join("spec.toml");
    fs::write(&path, text).unwrap();
    path
}

const WALK: &str = "noise = \"double-geometric\"\nepsilon = \"1\"\nsampler = \"lattice-walk\"\naccept = \"estimated\"\nmax_delta = \"1e-6\"";

/// A release by a walk, with its folder.
fn released(mechanism: &str) -> (tempfile::TempDir, PathBuf, Certificate) {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    let spec = spec(work.path(), mechanism);
    let certificate = release(&spec, &folder, Format::Csv, &mut |_| {}, &|_| {}, &|_| {}).unwrap().certificate;
    (work, folder, certificate)
}

/// Makes the hash of the spec, the certificate and the report again, as a careful forger would, and verifies.
fn reseal(folder: &Path, certificate: &mut Certificate) -> Result<Verified, Problem> {
    certificate.spec_sha256 = sha256(certificate.spec.as_bytes());
    fs::write(folder.join("certificate.json"), serde_json::to_string(&certificate).unwrap()).unwrap();
    let text = fs::read_to_string(folder.join("table.csv")).unwrap();
    let values: Vec<i64> = text.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().parse().unwrap()).collect();
    if let Ok(restored) = restore(certificate, usize::MAX) {
        let figures = report::Figures::of(&restored.domain, &values);
        let release = report::Release { certificate, domain: &restored.domain, figures: &figures };
        fs::write(folder.join("report.html"), report::html(&release)).unwrap();
    }
    verify(folder)
}

#[test]
fn a_release_by_a_walk_states_its_evidence_and_verifies() {
    let (_work, folder, mut certificate) = released(WALK);
    let guarantee = &certificate.guarantee;
    assert_eq!(guarantee.definition, "approximate differential privacy");
    assert_eq!(guarantee.theorem, "G1 and G5");
    assert!(guarantee.delta.as_ref().unwrap().parse::<f64>().unwrap() <= 1e-6);
    assert!(guarantee.statement.contains("This is evidence, not proof"));
    let evidence = &certificate.evidence[0];
    assert_eq!(
        (evidence.operator.as_str(), evidence.cells, evidence.pairs, evidence.starts),
        ("lattice-walk", 9, 1000, 1)
    );
    assert_eq!(certificate.operators[0].exactness, "estimated");
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("How close it is to its law") && page.contains("class=\"upper\""));
    assert_eq!(verify(&folder).unwrap().certificate, certificate);
    // The forger below changes nothing by itself.
    reseal(&folder, &mut certificate).unwrap();
}

#[test]
fn forged_evidence_is_found() {
    let (_work, folder, honest) = released(WALK);
    let spec = |from: &'static str, to: &'static str| {
        move |certificate: &mut Certificate| {
            assert!(certificate.spec.contains(from), "{}", certificate.spec);
            certificate.spec = certificate.spec.replacen(from, to, 1);
        }
    };
    let no_limit = "accept = \"estimated\"\nmax_delta = \"1/1000000\"\n";
    type Change<'a> = &'a dyn Fn(&mut Certificate);
    let changes: [(&str, &str, Change); 17] = [
        ("distance", "the evidence of coupled chains", &|forged| forged.evidence[0].distance = "0.00000001".into()),
        ("fewer steps", "not close enough", &|forged| forged.evidence[0].steps -= 20),
        ("more steps", "the guarantee", &|forged| forged.evidence[0].steps += 20),
        ("a short lag", "", &|forged| forged.evidence[0].lag = 1),
        ("no lag", "the evidence", &|forged| forged.evidence[0].lag = 0),
        ("a late pair met earlier", "", &|forged| {
            let text = &mut forged.evidence[0].meetings;
            let last = text.rfind(' ').unwrap();
            let second = text[..last].rfind(' ').unwrap();
            *text = format!("{} {}", &text[..last], text[second + 1..last].split('*').next().unwrap());
        }),
        ("an early pair met earlier", "the evidence", &|forged| {
            let text = &mut forged.evidence[0].meetings;
            let first = text.split(' ').next().unwrap().to_owned();
            let times: u64 = first.split('*').nth(1).map_or(1, |times| times.parse().unwrap());
            *text = text.replacen(&first, &format!("0*{times}"), 1);
        }),
        ("a pair more", "", &|forged| forged.evidence[0].meetings.insert_str(0, "1 ")),
        ("pairs out of order", "the evidence", &|forged| forged.evidence[0].meetings.push_str(" 1")),
        ("no numbers", "the evidence", &|forged| forged.evidence[0].meetings = "soon".into()),
        ("no evidence", "not one piece of evidence", &|forged| forged.evidence.clear()),
        ("δ", "the guarantee", &|forged| forged.guarantee.delta = Some("0.000000001".into())),
        ("exactness", "the operators", &|forged| forged.operators[0].exactness = "exact".into()),
        ("tables to start from", "", &|forged| forged.evidence[0].starts = 7),
        ("the assumption", "the evidence", &|forged| forged.evidence[0].tail.assumption = "none".into()),
        ("limit", "not close enough", &spec("max_delta = \"1/1000000\"", "max_delta = \"1/2000000\"")),
        ("nothing accepted", "accept", &spec(no_limit, "")),
    ];
    for (name, expected, change) in changes {
        let mut certificate = honest.clone();
        change(&mut certificate);
        let problem = reseal(&folder, &mut certificate).unwrap_err();
        assert!(problem.message.contains(expected), "{name}: {}", problem.message);
    }
}

#[test]
fn a_certificate_of_an_exact_release_has_no_evidence() {
    let mechanism = "noise = \"double-geometric\"\nepsilon = \"1\"\naccept = \"estimated\"\nmax_delta = \"1e-6\"";
    let (_work, folder, mut certificate) = released(mechanism);
    assert!(certificate.evidence.is_empty() && certificate.operators[0].exactness == "exact");
    assert!(!fs::read_to_string(folder.join("certificate.json")).unwrap().contains("\"evidence\""));
    let (_other, _, walked) = released(WALK);
    certificate.evidence = walked.evidence;
    assert!(reseal(&folder, &mut certificate).unwrap_err().message.contains("the evidence of coupled chains"));
}

#[test]
fn a_walk_is_simulated_and_keeps_its_totals() {
    let work = tempfile::tempdir().unwrap();
    let file = work.path().join("draws.csv");
    simulate(&spec(work.path(), WALK), 3, Some(5), &file, &|_| {}, &mut |_| {}).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let value = |line: &str| line.split(',').next_back().unwrap().parse::<i64>().unwrap();
    let values: Vec<i64> = text.lines().skip(1).map(value).collect();
    assert_eq!(values.len(), 27);
    for draw in values.chunks(9) {
        let rows: Vec<i64> = draw.chunks(3).map(|row| row.iter().sum()).collect();
        let columns: Vec<i64> = (0..3).map(|column| draw.iter().skip(column).step_by(3).sum()).collect();
        assert_eq!((rows, columns), (vec![15, 42, 69], vec![33, 42, 51]));
    }
    assert_ne!(values[..9], values[9..18]);
}

#[test]
fn without_accepting_it_no_walk_releases() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    let mechanism = "noise = \"lattice-laplace\"\nepsilon = \"1\"";
    let spec = spec(work.path(), mechanism);
    let problem = release(&spec, &folder, Format::Csv, &mut |_| {}, &|_| {}, &|_| {}).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.hint.unwrap().contains("accept = \"estimated\""));
    assert!(!folder.exists());
}

#[test]
fn lattice_laplace_noise_is_released_in_the_l2_norm() {
    let mechanism = "noise = \"lattice-laplace\"\nepsilon = \"4\"\naccept = \"estimated\"\nmax_delta = \"1e-4\"";
    let (_work, folder, certificate) = released(mechanism);
    let guarantee = &certificate.guarantee;
    assert!(guarantee.noise.starts_with("lattice Laplace over all cells together"), "{}", guarantee.noise);
    assert!(guarantee.statement.contains("exp(4 D / sqrt(2))"), "{}", guarantee.statement);
    assert_eq!(guarantee.nearest.epsilon.as_deref(), Some("5.656854249492"));
    assert_eq!(verify(&folder).unwrap().certificate, certificate);
}
