//! Regressions and selections: drawn, verified, paid for, refused.

use crate::run::Folder;

const SPEC: &str = r#"title = "Height and weight"

[data]
path = "people.csv"
public = true

[response]
column = "weight"
low = 40
high = 120

[[predictor]]
column = "height"
low = "140"
high = "210"

[[predictor]]
column = "sex"
is = "f"

[mechanism]
law = "k-norm-gradient"
epsilon = "1"
radius = 1
penalty = "1/2"
grid = "1/100"
"#;

fn people() -> String {
    let row = |i: u32| {
        format!("{}.{},{},{}\n", 150 + i % 50, i % 10, if i.is_multiple_of(3) { "f" } else { "m" }, 50 + (i * 7) % 60)
    };
    format!("height,sex,weight\n{}", (0..400).map(row).collect::<String>())
}

fn started() -> Folder {
    let folder = Folder::new();
    folder.write("people.csv", &people());
    folder.write("spec.toml", SPEC);
    folder
}

fn confidential() -> Folder {
    let folder = started();
    folder.replace("spec.toml", "public = true", "public = false\noutside = \"clamp\"\nmissing = \"middle\"");
    let budget = "\n[budget]\ndataset = \"people\"\nledger = \"sqlite:ledger.db\"\n";
    folder.write("spec.toml", &(folder.read("spec.toml") + budget));
    folder
}

#[test]
fn a_regression_is_drawn_and_verified_and_what_is_changed_is_found() {
    let folder = started();
    let ran = folder.run("regress spec.toml --out w").exits(0);
    assert!(
        ran.out.contains("ε = 1 per replaced record") && ran.out.contains("Run time: depends on the table"),
        "{}",
        ran.out
    );
    let verified = folder.run("verify w").exits(0);
    assert!(verified.out.contains("Verified: `w` holds"), "{}", verified.out);
    let coefficients = folder.read("w/coefficients.csv");
    assert!(coefficients.starts_with("predictor,low,high,coefficient\nheight,140,210,"), "{coefficients}");
    assert!(coefficients.contains("sex = f,0,1,"), "{coefficients}");
    let certificate = folder.read("w/certificate.json");
    // No hash of the data, no number of tries.
    assert!(!certificate.contains("tries") && !certificate.contains("seed"), "{certificate}");
    folder.write("w/coefficients.csv", &format!("{}7\n", coefficients.trim_end()));
    assert!(folder.run("verify w").exits(2).err.contains("hash differs"));
    folder.write("w/coefficients.csv", &coefficients);
    folder.write("w/certificate.json", &certificate.replace("1/100", "1/1000"));
    folder.run("verify w").exits(2);
    folder.write("w/certificate.json", &certificate.replace("\"depends on the table\"", "\"independent\""));
    assert!(folder.run("verify w").exits(2).err.contains("does not follow"));
    folder.write("w/certificate.json", &certificate);
    folder.write("w/more.csv", "");
    folder.run("verify w").exits(2);
    folder.run("regress spec.toml --out w").exits(2);
}

#[test]
fn a_new_hash_does_not_bring_a_point_outside_the_space_in() {
    let folder = started();
    folder.run("regress spec.toml --out w").exits(0);
    let certificate: serde_json::Value = serde_json::from_str(&folder.read("w/certificate.json")).unwrap();
    let old = certificate["files"][0]["sha256"].as_str().unwrap();
    for wrong in ["0.0001,0", "3,0"] {
        let values: Vec<&str> = wrong.split(',').collect();
        let text = format!("predictor,low,high,coefficient\nheight,140,210,{}\nsex = f,0,1,{}\n", values[0], values[1]);
        folder.write("w/coefficients.csv", &text);
        let new = congenial_hash(&text);
        folder.write("w/certificate.json", &serde_json::to_string_pretty(&certificate).unwrap().replace(old, &new));
        let refused = folder.run("verify w").exits(2);
        assert!(refused.err.contains("does not hold a point of the declared space"), "{}", refused.err);
    }
}

/// SHA-256 of a text.
fn congenial_hash(text: &str) -> String {
    congenial::sha256(text.as_bytes())
}

#[test]
fn explain_says_what_the_run_time_tells_and_draws_nothing() {
    let folder = started();
    let json: serde_json::Value =
        serde_json::from_str(&folder.run("regress spec.toml --explain --json").exits(0).out).unwrap();
    assert_eq!((json["epsilon"].as_str(), json["run_time"].as_str()), (Some("1"), Some("depends on the table")));
    let plain = folder.run("regress spec.toml --explain").exits(0).out;
    assert!(plain.contains("run time     depends on the table"), "{plain}");
    assert!(plain.contains("rejection, in turns with gradient, in turns with shells"), "{plain}");
    folder.replace("spec.toml", "epsilon = \"1\"", "epsilon = \"1/100\"\nrun_time = \"padded\"");
    let padded = folder.run("regress spec.toml --explain").exits(0).out;
    assert!(padded.contains("run time     independent"), "{padded}");
    folder.run("regress spec.toml --out w").exits(0);
    assert!(folder.read("w/certificate.json").contains("\"run_time\": \"independent\""));
    folder.replace("spec.toml", "grid = \"1/100\"", "grid = \"1/10000\"");
    let refused = folder.run("regress spec.toml --out x").exits(3);
    assert!(refused.err.contains("a sum over the grid"), "{}", refused.err);
    assert!(!folder.path("x").exists());
}

#[test]
fn confidential_records_are_paid_for_once() {
    let folder = confidential();
    let ann = [("CONGENIAL_USER", "ann")];
    let run = |arguments: &str| folder.run_with(arguments, &ann);
    run("regress spec.toml --out w").exits(2);
    run("ledger open people --epsilon 1.5 --per record").exits(0);
    let paid = run("regress spec.toml --out w").exits(0);
    assert!(paid.out.contains("Paid\n  entry"), "{}", paid.out);
    folder.run("verify w").exits(0);
    let again = run("regress spec.toml --out copy").exits(0);
    assert!(
        again.err.contains("handed back") && folder.read("copy/coefficients.csv") == folder.read("w/coefficients.csv")
    );
    folder.run("verify copy").exits(0);
    // So it is after a newline more, in another order, and with numbers that are written otherwise.
    let lines: Vec<String> =
        folder.read("people.csv").lines().skip(1).map(|line| line.replace(",70", ", 70.0")).collect();
    let text = lines.iter().rev().map(|line| format!("{line}\n")).collect::<String>();
    folder.write("people.csv", &format!("height,sex,weight\n{text}\n\n"));
    assert!(run("regress spec.toml --out third").exits(0).err.contains("handed back"));
    // Another law of the same records would cost more than is left.
    folder.replace("spec.toml", "penalty = \"1/2\"", "penalty = \"2\"");
    run("regress spec.toml --out other").exits(3);
    assert!(!folder.path("other").exists());
    let status = run("ledger status").exits(0).out;
    assert!(status.contains("people"), "{status}");
    run("ledger verify").exits(0);
    // A spec that would tell about single records is bad.
    folder.replace("spec.toml", "outside = \"clamp\"", "outside = \"error\"");
    assert!(run("regress spec.toml --out other").exits(2).err.contains("whatever they hold"));
    // The same file cannot be called public.
    folder.write("public.toml", SPEC);
    run("regress public.toml --out stolen").exits(3);
    assert!(!folder.path("stolen").exists());
}

#[test]
fn public_rows_with_other_fields_than_the_header_are_named() {
    for (row, found) in [("180.1,f", 2), ("180.1,f,70,1", 4)] {
        let folder = started();
        folder.write("people.csv", &format!("{}{row}\n", people()));
        let ran = folder.run("regress spec.toml --out w").exits(2);
        assert!(ran.err.contains(&format!("has {found} fields, the header has 3")), "{}", ran.err);
        assert!(!folder.path("w").exists());
    }
}

#[test]
fn wild_confidential_records_change_neither_messages_nor_exit_codes() {
    // Numbers, no numbers, letters of another encoding, too few and too many fields.
    let rows: [&[u8]; 8] =
        [b"180.1,f,70", b"abc,,", b"1e9,m,-5", b",,", b"18\xff0,f,70", b"180.1,\xe9,70", b"180.1,f", b"180.1,f,70,1"];
    let outcomes: Vec<(i32, String)> = rows
        .iter()
        .map(|row| {
            let folder = confidential();
            std::fs::write(folder.path("people.csv"), [people().as_bytes(), *row, b"\n"].concat()).unwrap();
            let run = |arguments: &str| folder.run_with(arguments, &[("CONGENIAL_USER", "ann")]);
            run("ledger open people --epsilon 1.5 --per record").exits(0);
            let ran = run("regress spec.toml --out w");
            (ran.code, ran.err)
        })
        .collect();
    assert!(outcomes.iter().all(|outcome| *outcome == (0, String::new())), "{outcomes:?}");
}

#[test]
fn bad_specs_and_records_are_told() {
    for (from, to, code, told) in [
        ("radius = 1", "radius = 0", 2, "above zero"),
        ("penalty = \"1/2\"", "penalty = -1", 2, "above zero"),
        ("grid = \"1/100\"", "grid = \"1/1000000000000\"", 3, "2^63"),
        ("grid = \"1/100\"", "grid = \"2/3\"", 2, "one over a whole number"),
        ("column = \"height\"", "column = \"hight\"", 2, "has no column `hight`"),
        ("high = \"210\"", "high = \"160\"", 2, "outside its declared bounds"),
        ("high = \"210\"", "high = \"100\"", 2, "not above `low`"),
        ("law = \"k-norm-gradient\"", "law = \"laplace\"", 2, "cannot be `laplace`"),
        ("is = \"f\"", "is = \"f\"\nlow = 0", 2, "an indicator"),
        ("column = \"height\"", "column = \"sex\"", 2, "holds no number"),
        ("public = true", "public = false", 2, "confidential records"),
        ("radius = 1", "radius = 1\nsensitivity = 2", 2, "unknown key"),
    ] {
        let folder = started();
        folder.replace("spec.toml", from, to);
        let before = folder.listing();
        let ran = folder.run("regress spec.toml --out w").exits(code);
        assert!(ran.err.contains(told), "{from} → {to}:\n{}", ran.err);
        assert_eq!(folder.listing(), before, "nothing is written");
    }
    // Clamped by declaration: drawn.
    let folder = started();
    folder.replace("spec.toml", "high = \"210\"", "high = \"160\"");
    folder.replace("spec.toml", "public = true", "public = true\noutside = \"clamp\"");
    folder.run("regress spec.toml --out w").exits(0);
}

const CHOICE: &str = r#"title = "Which model"

[data]
path = "losses.csv"
public = true

[candidates]
column = "model"
loss = "errors"
values = ["small", "middle", "large"]

[mechanism]
law = "exponential"
epsilon = "1"
sensitivity = 1
"#;

#[test]
fn a_candidate_is_selected() {
    let folder = Folder::new();
    folder.write("losses.csv", "model,errors\nlarge,900\nsmall,1000\nmiddle,0.5\n");
    folder.write("models.toml", CHOICE);
    folder.run("select models.toml --out s").exits(0);
    assert_eq!(folder.read("s/selected.csv"), "model\nmiddle\n", "900 errors more are e^−450 as likely");
    folder.run("verify s").exits(0);
    folder.replace("models.toml", "sensitivity = 1", "sensitivity = 1\nrun_time = \"padded\"");
    let padded = folder.run("select models.toml --out p").exits(0);
    assert!(padded.out.contains("Run time: independent"), "{}", padded.out);
    folder.write("s/selected.csv", "model\nhuge\n");
    folder.run("verify s").exits(2);
    for (from, to, told) in [
        ("sensitivity = 1", "sensitivity = 0", "above zero"),
        ("sensitivity = 1\n", "", "without a finite bound"),
        ("\"large\"]", "\"large\", \"huge\"]", "`huge` has no loss"),
        (", \"large\"]", "]", "not declared"),
    ] {
        folder.write("models.toml", CHOICE);
        folder.replace("models.toml", from, to);
        let ran = folder.run("select models.toml --out q").exits(2);
        assert!(ran.err.contains(told), "{to}: {}", ran.err);
    }
}

#[test]
fn seeded_draws_of_public_wages_lie_around_the_ordinary_estimate() {
    let spec = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/wages/spec.toml");
    let folder = Folder::new();
    let text = folder.run(&format!("regress {} --simulate 100 --seed 7", spec.display())).exits(0).out;
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').skip(1).map(|field| field.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.len(), 101);
    for column in 0..4 {
        let mean = rows[1..].iter().map(|row| row[column]).sum::<f64>() / 100.0;
        assert!((mean - rows[0][column]).abs() < 0.01, "{column}: {mean} beside {}", rows[0][column]);
        assert!(rows[1..].iter().any(|row| row[column] != rows[1][column]), "draws differ");
    }
    let again = folder.run(&format!("regress {} --simulate 100 --seed 7", spec.display())).exits(0).out;
    assert_eq!(text, again);
    let confidential = confidential();
    confidential.run("regress spec.toml --simulate 3").exits(3);
    confidential.run("regress spec.toml").exits(2);
}

#[test]
fn killed_at_any_moment_a_regression_is_paid_for_once() {
    let folder = confidential();
    let ann = [("CONGENIAL_USER", "ann")];
    folder.replace("spec.toml", "epsilon = \"1\"", "epsilon = \"1/100\"");
    // Twelve laws, and a budget for exactly one draw of each.
    folder.run_with("ledger open people --epsilon 0.12 --per record", &ann).exits(0);
    let text = folder.read("spec.toml");
    for round in 0..12u64 {
        folder.write("spec.toml", &text.replace("penalty = \"1/2\"", &format!("penalty = {}", round + 1)));
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_congenial"))
            .args(["regress", "spec.toml", "--out", &format!("w{round}")])
            .env("CONGENIAL_USER", "ann")
            .current_dir(folder.path(""))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(8 * round));
        let _ = child.kill();
        let _ = child.wait();
        folder.run_with(&format!("regress spec.toml --out w{round}"), &ann).exits(0);
        folder.run(&format!("verify w{round}")).exits(0);
    }
    folder.write("spec.toml", &text.replace("penalty = \"1/2\"", "penalty = 99"));
    folder.run_with("regress spec.toml --out beyond", &ann).exits(3);
    folder.run_with("ledger verify", &ann).exits(0);
}

#[test]
fn a_ledger_finds_and_books_lost_releases_of_every_kind() {
    let folder = confidential();
    let ann = [("CONGENIAL_USER", "ann")];
    let run = |arguments: &str| folder.run_with(arguments, &ann);
    let budget = "\n[budget]\ndataset = \"people\"\nledger = \"sqlite:ledger.db\"\n";
    folder.write("losses.csv", "model,errors\nlarge,900\nsmall,1000\nmiddle,0.5\n");
    folder.write("select.toml", &(CHOICE.replace("public = true\n", "") + budget));
    folder.write("table.csv", "sex,n\nf,120\nm,140\n");
    folder.write(
        "table.toml",
        &format!(
            "title = \"T\"\n[data]\npath = \"table.csv\"\ncount = \"n\"\n[dimensions]\nsex = [\"f\", \"m\"]\n[mechanism]\n\
             noise = \"double-geometric\"\nepsilon = \"1\"\nper = \"record\"\n{budget}"
        ),
    );
    run("ledger open people --epsilon 8 --per record").exits(0);
    let files = ["ledger.db", "ledger.db.head"];
    let read = |name: &&str| std::fs::read(folder.path(name)).unwrap();
    let then = files.iter().map(read).collect::<Vec<_>>();
    run("regress spec.toml --out published/w").exits(0);
    run("select select.toml --out published/s").exits(0);
    run("release table.toml --out published/t").exits(0);
    for command in ["verify published/w", "verify published/s", "verify published/t"] {
        run(&format!("{command} --ledger sqlite:ledger.db")).exits(0);
    }
    let whole = run("ledger verify --against published").exits(0).out;
    assert!(whole.contains("3 of 3 published payments are entries of this ledger"), "{whole}");
    let told = run("ledger recover --found published/w").exits(3).err;
    assert!(told.contains("is completed already"), "{told}");
    // The ledger is set back, with its head.
    for (name, bytes) in files.iter().zip(&then) {
        std::fs::write(folder.path(name), bytes).unwrap();
    }
    let older = run("ledger verify --against published").exits(3).err;
    assert!(["published/w", "published/s", "published/t"].iter().all(|lost| older.contains(lost)), "{older}");
    let told = run("ledger recover --found published/s").exits(2).err;
    assert!(!told.contains("not a certificate"), "{told}");
    run("ledger recover --adopt --from published --vouch --because lost").exits(0);
    let status: serde_json::Value = serde_json::from_str(&run("ledger status --json").exits(0).out).unwrap();
    assert_eq!(status["datasets"][0]["spent"]["epsilon_exact"], "3", "all three are booked");
    let booked = run("ledger verify --against published").exits(0).out;
    assert!(booked.contains("3 booked again after they were lost"), "{booked}");
}

/// Every place of a JSON text that holds no others.
fn leaves(value: &serde_json::Value, path: String, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| leaves(value, format!("{path}/{name}"), found));
        }
        serde_json::Value::Array(items) => {
            items.iter().enumerate().for_each(|(place, item)| leaves(item, format!("{path}/{place}"), found));
        }
        _ => found.push(path),
    }
}

#[test]
fn no_field_of_a_certificate_can_be_changed() {
    use serde_json::{Value, json};
    let folder = confidential();
    let ann = [("CONGENIAL_USER", "ann")];
    folder.run_with("ledger open people --epsilon 5 --per record", &ann).exits(0);
    folder.run_with("regress spec.toml --out w", &ann).exits(0);
    folder.write("losses.csv", "model,errors\nlarge,900\nsmall,1000\nmiddle,0.5\n");
    folder.write("models.toml", CHOICE);
    folder.run("select models.toml --out s").exits(0);
    for release in ["w", "s"] {
        let name = format!("{release}/certificate.json");
        let text = folder.read(&name);
        let certificate: Value = serde_json::from_str(&text).unwrap();
        let mut paths = Vec::new();
        leaves(&certificate, String::new(), &mut paths);
        assert!(paths.len() > 20, "{paths:?}");
        for (number, path) in paths.iter().enumerate() {
            let mut forged = certificate.clone();
            let leaf = forged.pointer_mut(path).unwrap();
            *leaf = match leaf.clone() {
                Value::Number(old) => json!(old.as_u64().unwrap() + 1),
                Value::String(old) if number % 2 == 0 => {
                    json!(old.replace(['1', 'a', 'e'], if old.contains('1') { "2" } else { "o" }) + " ")
                }
                Value::String(old) => json!(old.chars().skip(1).collect::<String>()),
                Value::Null => json!("other"),
                other => panic!("{other}"),
            };
            folder.write(&name, &forged.to_string());
            let ran = folder.run(&format!("verify {release}"));
            assert_ne!(ran.code, 0, "{path} → {}", forged.pointer(path).unwrap());
        }
        folder.write(&name, &text);
        folder.run(&format!("verify {release}")).exits(0);
    }
    // With the report and its hash made again: what can be derived is found all the same.
    let (certificate, report) = (folder.read("w/certificate.json"), folder.read("w/report.html"));
    let unit = "per replaced record";
    for (field, on_page, from, to, told) in [
        ("\"charged\": \"", "<td>", format!("ε = 1 {unit}"), format!("ε = 1/99999 {unit}"), "the release costs"),
        ("\"budget\": \"", " of ", format!("ε = 5 {unit}"), format!("ε = 1/2 {unit}"), "not what a ledger pays"),
        ("\"spent\": \"", "<td>", format!("ε = 1 {unit} of"), format!("ε = 1/2 {unit} of"), "not what a ledger pays"),
        ("\"name\": \"", "<td>", "congenial".to_string(), "another".to_string(), "another program"),
    ] {
        let page = report.replace(&format!("{on_page}{from}"), &format!("{on_page}{to}"));
        assert_ne!(page, report, "{from}");
        let [from, to] = [&from, &to].map(|text| format!("{field}{}", text.trim_end_matches(" of")));
        assert!(certificate.contains(&from), "{from}");
        let forged = certificate.replace(&from, &to).replace(&congenial_hash(&report), &congenial_hash(&page));
        folder.write("w/report.html", &page);
        folder.write("w/certificate.json", &forged);
        let ran = folder.run("verify w").exits(2);
        assert!(ran.err.contains(told), "{from} → {to}: {}", ran.err);
    }
}

#[test]
fn a_regression_is_approved_by_a_second_person_and_signed() {
    let folder = confidential();
    folder.run("ledger open people --epsilon 2 --per record --approval --by ann").exits(0);
    let refused = folder.run("regress spec.toml --out w --by ann").exits(3).err;
    assert!(refused.contains("nobody has approved this release"), "{refused}");
    let asked = folder.run("ledger ask spec.toml --by ann").exits(0).out;
    let entry = asked.split("ledger show ").nth(1).unwrap().split(' ').next().unwrap().to_string();
    let shown = folder.run(&format!("ledger show {entry}")).exits(0).out;
    assert!(shown.contains("pure differential privacy with ε = 1") && shown.contains("[response]"), "{shown}");
    folder.run(&format!("ledger approve {entry} --by ann")).exits(3);
    folder.run(&format!("ledger approve {entry} --by bea")).exits(0);
    for name in ["agency.key", "other.key"] {
        folder.run(&format!("key new {name}")).exits(0);
    }
    folder.run("regress spec.toml --out w --by ann --sign agency.key").exits(0);
    folder.run("verify w --key agency.key.pub --ledger sqlite:ledger.db").exits(0);
    folder.run("verify w --key other.key.pub").exits(2);
    assert!(folder.read("w/certificate.json").contains("\"approval\":"));
    // What is handed back is signed as it was.
    folder.run("regress spec.toml --out copy --by ann").exits(0);
    folder.run("verify copy --key agency.key.pub").exits(0);
    folder.run("regress spec.toml --out third --by ann --sign other.key").exits(3);
    for (name, told) in [("certificate.json", "was changed"), ("certificate.sig", "missing")] {
        let bytes = std::fs::read(folder.path(&format!("w/{name}"))).unwrap();
        match name {
            "certificate.json" => folder.write("w/certificate.json", &(folder.read("w/certificate.json") + "\n")),
            _ => std::fs::remove_file(folder.path("w/certificate.sig")).unwrap(),
        }
        assert!(folder.run("verify w").exits(2).err.contains(told));
        std::fs::write(folder.path(&format!("w/{name}")), bytes).unwrap();
    }
}
