//! Estimated releases: drawn by a walk, stated with their evidence, and found when forged.

use certify::{Certificate, sha256};
use congenial::{Format, Kind, Quiet, Verified, VerifyOptions, release, simulate, verify};
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
    let certificate = release(&spec, &folder, Format::CSV, &Quiet).unwrap().certificate;
    (work, folder, certificate)
}

/// Makes the hash of the spec, the certificate and the report again, as a careful forger would, and
/// verifies.
fn reseal(folder: &Path, certificate: &mut Certificate) -> Result<Verified, Problem> {
    certificate.spec_sha256 = sha256(certificate.spec.as_bytes());
    fs::write(folder.join("certificate.json"), serde_json::to_string(&certificate).unwrap()).unwrap();
    let text = fs::read_to_string(folder.join("table.csv")).unwrap();
    let values: Vec<i64> = text.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().parse().unwrap()).collect();
    // Where the certificate does not hold, that is found before the report is.
    fs::write(folder.join("report.html"), congenial::report_of(certificate, &values).unwrap_or_default()).unwrap();
    verify(folder, &VerifyOptions::default())
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
    assert_eq!((evidence.operator.as_str(), evidence.cells, evidence.starts), ("lattice-walk", 9, 1));
    assert!(evidence.families.iter().map(|family| family.pairs).sum::<u64>() == 1000 && !evidence.rounds.is_empty());
    assert_eq!(certificate.format, 2);
    assert_eq!(certificate.operators[0].exactness, "estimated");
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("How close it is to its law") && page.contains("class=\"upper\""));
    assert_eq!(verify(&folder, &VerifyOptions::default()).unwrap().certificate, certificate);
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
    let changes: [(&str, &str, Change); 23] = [
        ("distance", "the evidence of coupled chains", &|forged| forged.evidence[0].distance = "0.00000001".into()),
        ("a block less", "not close enough", &|forged| forged.evidence[0].steps -= forged.evidence[0].block),
        ("a block more", "the guarantee", &|forged| forged.evidence[0].steps += forged.evidence[0].block),
        ("a part of a block", "not in order", &|forged| forged.evidence[0].steps += 1),
        ("shorter blocks", "not in order", &|forged| forged.evidence[0].block -= 1),
        ("no block", "the evidence", &|forged| forged.evidence[0].block = 0),
        ("a pair that met after all", "not in order", &|forged| {
            forged.evidence[0].families.iter_mut().find(|family| family.unmet > 0).unwrap().unmet -= 1;
        }),
        ("a round with fewer unmet pairs", "", &|forged| forged.evidence[0].rounds[0].unmet /= 2),
        ("a round that nobody sees", "", &|forged| {
            let rounds = &mut forged.evidence[0].rounds;
            rounds.truncate(1);
        }),
        ("no pair that began far apart", "not in order", &|forged| {
            forged.evidence[0].families.iter_mut().for_each(|family| family.apart = false);
        }),
        ("more unmet pairs than pairs", "the evidence", &|forged| forged.evidence[0].rounds[0].unmet = 1000),
        ("an early pair met earlier", "not in order", &|forged| {
            let text = &mut forged.evidence[0].meetings;
            let first = text.split(' ').next().unwrap().to_owned();
            let times: u64 = first.split('*').nth(1).map_or(1, |times| times.parse().unwrap());
            *text = text.replacen(&first, &format!("0*{times}"), 1);
        }),
        ("a pair more", "not in order", &|forged| forged.evidence[0].meetings.insert_str(0, "1 ")),
        ("pairs out of order", "the evidence", &|forged| forged.evidence[0].meetings.push_str(" 1")),
        ("no numbers", "the evidence", &|forged| forged.evidence[0].meetings = "soon".into()),
        ("no evidence", "not one piece of evidence", &|forged| forged.evidence.clear()),
        ("chains that disagree", "do not agree", &|forged| forged.evidence[0].mixing.r_hat = "1.3".into()),
        ("δ", "the guarantee", &|forged| forged.guarantee.delta = Some("0.000000001".into())),
        ("exactness", "the operators", &|forged| forged.operators[0].exactness = "exact".into()),
        ("tables to start from", "not in order", &|forged| forged.evidence[0].starts = 7),
        ("the assumption", "the evidence", &|forged| forged.evidence[0].assumption = "none".into()),
        ("limit", "not close enough", &spec("max_delta = \"1/1000000\"", "max_delta = \"1/100000000\"")),
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
    simulate(&spec(work.path(), WALK), 3, Some(5), &file, &Quiet).unwrap();
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
    let mechanism = "noise = \"lattice-laplace\"\nepsilon = \"1\"\nsampler = \"lattice-walk\"";
    let spec = spec(work.path(), mechanism);
    let problem = release(&spec, &folder, Format::CSV, &Quiet).unwrap_err();
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
    assert_eq!(verify(&folder, &VerifyOptions::default()).unwrap().certificate, certificate);
}

/// Writes a spec of counts with these dimensions, invariants and a lattice Laplace mechanism that
/// accepts a walk.
fn bounded(folder: &Path, dimensions: &[(&str, usize)], counts: &[i64], invariants: &str, sampler: &str) -> PathBuf {
    let names: Vec<&str> = dimensions.iter().map(|(name, _)| *name).collect();
    let mut rows = format!("{},n\n", names.join(","));
    for (cell, count) in counts.iter().enumerate() {
        let mut left = cell;
        let mut codes: Vec<String> = Vec::new();
        for (name, size) in dimensions.iter().rev() {
            codes.push(format!("{name}{}", left % size));
            left /= size;
        }
        codes.reverse();
        rows.push_str(&format!("{},{count}\n", codes.join(",")));
    }
    fs::write(folder.join("x.csv"), rows).unwrap();
    let values = |(name, size): &(&str, usize)| {
        let values: Vec<String> = (0..*size).map(|value| format!("\"{name}{value}\"")).collect();
        format!("{name} = [{}]\n", values.join(", "))
    };
    let text = format!(
        "title = \"Split\"\n[data]\npath = \"x.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\n{}{invariants}\
         [constraints]\nnonnegative = true\n[mechanism]\nnoise = \"lattice-laplace\"\nepsilon = \"1/10\"\nper = \"unit\"\n\
         accept = \"estimated\"\nmax_delta = \"1e-4\"\n{sampler}",
        dimensions.iter().map(values).collect::<String>()
    );
    let path = folder.join("spec.toml");
    fs::write(&path, text).unwrap();
    path
}

/// 2×4×4 counts of 0 and 1 whose two-way margins exactly two tables have, and six cells with one
/// total of large coefficients: a walk never left its start, and was certified.
#[test]
fn walks_in_tables_that_fall_into_parts_are_never_released() {
    let cube = [1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1];
    let margins =
        "[[invariant]]\nby = [\"a\", \"b\"]\n[[invariant]]\nby = [\"a\", \"c\"]\n[[invariant]]\nby = [\"b\", \"c\"]\n";
    let terms: Vec<String> = [1133, 3716, 3005, 4249, 572, 2741]
        .iter()
        .enumerate()
        .map(|(value, times)| format!("{{ where = \"a = 'a{value}'\", times = {times} }}"))
        .collect();
    let total = format!("[[invariant]]\nterms = [{}]\n", terms.join(", "));
    type Case<'a> = (&'a [(&'a str, usize)], &'a [i64], &'a str);
    let cases: [Case<'_>; 2] =
        [(&[("a", 2), ("b", 4), ("c", 4)], &cube, margins), (&[("a", 6)], &[3, 1, 4, 1, 5, 9], &total)];
    for (dimensions, counts, invariants) in cases {
        // What lists small fibres may draw them; a walk may not, whatever is asked for.
        let work = tempfile::tempdir().unwrap();
        let folder = work.path().join("release");
        let spec = bounded(work.path(), dimensions, counts, invariants, "sampler = \"lattice-walk\"\n");
        let problem = release(&spec, &folder, Format::CSV, &Quiet).unwrap_err();
        assert_eq!(problem.kind, Kind::Refused, "{}", problem.message);
        // Of large coefficients not even the nearest two tables need be known.
        if !problem.message.contains("nearest two tables") {
            assert!(problem.message.contains("nothing proves that its steps join all tables"), "{}", problem.message);
            assert!(problem.hint.is_some_and(|hint| hint.contains("walks are certified where")));
        }
        assert!(!folder.exists());
        let spec = bounded(work.path(), dimensions, counts, invariants, "");
        if let Ok(released) = release(&spec, &folder, Format::CSV, &Quiet) {
            assert!(released.certificate.evidence.is_empty());
        }
    }
}

#[test]
fn two_way_margins_with_bounds_are_walked() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    let margins = "[[invariant]]\nby = [\"a\"]\n[[invariant]]\nby = [\"b\"]\n";
    let counts = [2, 1, 0, 4, 1, 3, 5, 0, 2, 2, 1, 6];
    let spec = bounded(work.path(), &[("a", 3), ("b", 4)], &counts, margins, "sampler = \"lattice-walk\"\n");
    let certificate = release(&spec, &folder, Format::CSV, &Quiet).unwrap().certificate;
    assert!(certificate.evidence[0].moves.iter().any(|moves| moves.kind == "cycles" && moves.accepted > 0));
    assert!(certificate.evidence[0].starts > 1);
    assert_eq!(verify(&folder, &VerifyOptions::default()).unwrap().certificate, certificate);
}

#[test]
fn certificates_of_the_earlier_format_are_refused_with_the_reason() {
    let (_work, folder, certificate) = released(WALK);
    let path = folder.join("certificate.json");
    let text = fs::read_to_string(&path).unwrap();
    assert!(certificate.format == 2 && text.contains("\"format\": 2"));
    fs::write(&path, text.replacen("\"format\": 2", "\"format\": 1", 1)).unwrap();
    let problem = verify(&folder, &VerifyOptions::default()).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.message.contains("certified by a rule that can be false"), "{}", problem.message);
    // One of the earlier version, as it was written: its evidence has other fields.
    let earlier = "{\"format\": 1, \"title\": \"Walked\", \"evidence\": [{\"lag\": 3, \"tail\": {}}]}";
    fs::write(&path, earlier).unwrap();
    assert!(
        verify(&folder, &VerifyOptions::default())
            .unwrap_err()
            .message
            .contains("certified by a rule that can be false")
    );
    fs::write(&path, "{\"format\": 1, \"title\": \"Exact\"}").unwrap();
    let problem = verify(&folder, &VerifyOptions::default()).unwrap_err();
    assert!(problem.kind == Kind::Refused && problem.message.contains("rules of an earlier version"));
    fs::write(&path, "{\"format\": 3}").unwrap();
    assert!(verify(&folder, &VerifyOptions::default()).unwrap_err().message.contains("has format 3"));
}
