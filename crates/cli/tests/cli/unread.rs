//! Pairs of confidential data that differ in one value: `regress` and `select` tell the same of
//! both, or an answer was counted.

use crate::oracle::seen;
use crate::run::Folder;
use std::collections::BTreeSet;

const BUDGET: &str = "[budget]\ndataset = \"people\"\nledger = \"sqlite:ledger.db\"\n";

fn regression(epsilon: &str) -> String {
    format!(
        "title = \"Weight\"\n[data]\npath = \"data.csv\"\noutside = \"clamp\"\nmissing = \"middle\"\n[response]\ncolumn = \"weight\"\n\
         low = 40\nhigh = 120\n[[predictor]]\ncolumn = \"height\"\nlow = 140\nhigh = 210\n[mechanism]\nlaw = \"k-norm-gradient\"\n\
         epsilon = \"{epsilon}\"\nradius = 1\npenalty = 1\ngrid = \"1/100\"\n{BUDGET}"
    )
}

fn selection(values: &str, epsilon: &str) -> String {
    format!(
        "title = \"Which\"\n[data]\npath = \"data.csv\"\n[candidates]\ncolumn = \"model\"\nloss = \"errors\"\nvalues = {values}\n\
         [mechanism]\nlaw = \"exponential\"\nepsilon = \"{epsilon}\"\nsensitivity = 1\n{BUDGET}"
    )
}

/// One numbered case after the other, the same in every run.
struct Cases(u64);

impl Cases {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }

    /// What somebody might have written into a field.
    fn field(&mut self) -> String {
        const KNOWN: [&str; 14] = [
            "", "small", "large", "1/2", "1e9", "-1e-9", "NaN", "\"17", "\"1,7\"", "17,3", "é", "712345", "=1+1", "7 1",
        ];
        const LETTERS: [char; 12] = ['0', '1', '7', '.', '-', 'e', '"', ',', ' ', 'x', '\'', ';'];
        match self.below(2) {
            0 => KNOWN[self.below(KNOWN.len())].to_string(),
            _ => (0..1 + self.below(6)).map(|_| LETTERS[self.below(LETTERS.len())]).collect(),
        }
    }

    /// A table, and the same with another value in one place; in the first case a quotation mark
    /// that is never closed.
    fn pair(&mut self, command: &str, first: bool) -> [String; 2] {
        let (header, mut rows): (&str, Vec<Vec<String>>) = match command {
            "regress" => {
                let row =
                    |cases: &mut Cases| vec![(145 + cases.below(60)).to_string(), (45 + cases.below(70)).to_string()];
                ("height,weight", (0..4 + self.below(5)).map(|_| row(self)).collect())
            }
            _ => {
                let row = |name: &str, cases: &mut Cases| vec![name.to_string(), cases.below(1000).to_string()];
                ("model,errors", ["small", "middle", "large"].map(|name| row(name, self)).into())
            }
        };
        let text = |rows: &[Vec<String>]| {
            let lines: String = rows.iter().map(|row| row.join(",") + "\n").collect();
            format!("{header}\n{lines}")
        };
        let plain = text(&rows);
        let (row, column, field) = (self.below(rows.len()), self.below(2), self.field());
        rows[row][column] = if first { "\"17".to_string() } else { field };
        [plain, text(&rows)]
    }
}

/// A command, its exit code and what it printed.
type Run = (String, (i32, String));

/// What anybody can see of all that is asked of the data: commands with exit codes and messages,
/// the files that they left, and how many questions were answered.
fn asked(command: &str, data: &str) -> (Vec<Run>, String) {
    let folder = Folder::new();
    folder.write("data.csv", data);
    let spec = |epsilon: &str| match command {
        "regress" => regression(epsilon),
        _ => selection("[\"small\", \"middle\", \"large\"]", epsilon),
    };
    folder.write("spec.toml", &spec("1"));
    folder.write("beyond.toml", &spec("100"));
    let mut runs = Vec::new();
    let mut run = |arguments: String| {
        let ran = seen(&folder, folder.run(&arguments));
        runs.push((arguments, ran));
    };
    run(format!("{command} spec.toml --explain --by ann"));
    run("ledger open people --epsilon 2 --per record --by ann".to_string());
    run(format!("{command} spec.toml --explain --by ann"));
    run(format!("{command} spec.toml --explain --json --by ann"));
    run(format!("{command} beyond.toml --out beyond --by ann"));
    run(format!("{command} spec.toml --out a --by ann"));
    run(format!("{command} spec.toml --out b --by ann"));
    run("verify a".to_string());
    run("ledger history".to_string());
    let files: BTreeSet<String> = folder
        .listing()
        .into_keys()
        .map(|name| name.strip_prefix(folder.path("")).unwrap().display().to_string())
        .collect();
    runs.push(("files".to_string(), (0, format!("{files:?}"))));
    if folder.path("a/certificate.json").exists() {
        let mut certificate: serde_json::Value = serde_json::from_str(&folder.read("a/certificate.json")).unwrap();
        certificate["time"] = serde_json::Value::Null;
        certificate["ledger"]["seal"] = serde_json::Value::Null;
        for file in certificate["files"].as_array_mut().unwrap() {
            file["sha256"] = serde_json::Value::Null;
        }
        runs.push(("certificate".to_string(), (0, certificate.to_string())));
    }
    let status = folder.run("ledger status --json").exits(0).out;
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    (runs, status["datasets"][0]["answers"].to_string())
}

fn pairs_are_told_apart_by_counted_answers_alone(command: &str, pairs: usize, seed: u64) {
    let mut cases = Cases(seed);
    let mut refusals = BTreeSet::new();
    for number in 0..pairs {
        let [plain, other] = cases.pair(command, number == 0);
        let ((ours, none), (theirs, counted)) = (asked(command, &plain), asked(command, &other));
        assert_eq!(none, "0", "{plain}");
        let release =
            |runs: &[(String, (i32, String))]| runs.iter().find(|run| run.0.contains("--out a")).unwrap().1.clone();
        assert_eq!(release(&ours).0, 0, "{plain}\n{}", release(&ours).1);
        if counted == "0" {
            assert_eq!(ours, theirs, "{other}");
            continue;
        }
        assert_eq!(counted, "1", "one question, asked several times:\n{other}");
        let (code, text) = release(&theirs);
        assert_eq!(code, 3, "{other}\n{text}");
        refusals.insert(text);
    }
    assert_eq!(refusals.len(), 1, "whatever is wrong, the words are the same: {refusals:#?}");
}

#[test]
fn regressions_of_data_that_differ_in_a_value_tell_the_same_or_an_answer_is_counted() {
    pairs_are_told_apart_by_counted_answers_alone("regress", 14, 3);
}

#[test]
fn selections_of_data_that_differ_in_a_value_tell_the_same_or_an_answer_is_counted() {
    pairs_are_told_apart_by_counted_answers_alone("select", 12, 5);
}

#[test]
fn a_search_by_candidates_ends_after_sixteen_counted_answers() {
    let folder = Folder::new();
    folder.write("data.csv", "model,errors\n1,3\n712345,8\n");
    folder.run("ledger open people --epsilon 2 --per record --by ann").exits(0);
    let mut words = BTreeSet::new();
    for guess in 0..20 {
        folder.write("spec.toml", &selection(&format!("[\"{}\", \"1\"]", 700_000 + guess), "1"));
        let ran = folder.run(&format!("select spec.toml --out out-{guess} --by ann")).exits(3);
        assert!(!ran.err.contains("712345"), "{}", ran.err);
        words.insert(ran.err);
    }
    assert_eq!(words.len(), 2, "the answer, and that nothing more is answered: {words:#?}");
    assert!(folder.run("ledger status").out.contains("16 of 16 questions"));
    // Then nothing is told of a right guess either.
    folder.write("spec.toml", &selection("[\"712345\", \"1\"]", "1"));
    let ran = folder.run("select spec.toml --out right --by ann").exits(3);
    assert!(words.contains(&ran.err), "{}", ran.err);
    // Somebody may override that by name, and the certificate says so.
    folder.run("select spec.toml --out right --by ann --override disclosure --because why").exits(2);
    folder.run("select spec.toml --out right --by ann --override answers --because curious").exits(0);
    assert!(folder.read("right/certificate.json").contains("\"reason\": \"curious\""));
    folder.run("verify right --ledger sqlite:ledger.db").exits(0);
}

#[test]
fn data_that_a_ledger_knows_are_not_shown_where_they_are_called_public() {
    let folder = Folder::new();
    folder.write("data.csv", "model,errors\nsmall,3\nmiddle,4711\nlarge,8\n");
    folder.write("spec.toml", &selection("[\"small\", \"middle\", \"large\"]", "1"));
    folder.run("ledger open people --epsilon 2 --per record --by ann").exits(0);
    folder.run("select spec.toml --out s --by ann").exits(0);
    let public =
        selection("[\"small\", \"other\"]", "1").replace("path = \"data.csv\"", "path = \"data.csv\"\npublic = true");
    folder.write("public.toml", public.split("[budget]").next().unwrap());
    // Also after another newline, and in another order.
    for data in
        ["model,errors\nsmall,3\nmiddle,4711\nlarge,8\n", "errors,model\n8.0,large\n3,small\n\n4711, middle\n\n"]
    {
        folder.write("data.csv", data);
        let ran = folder.run("select public.toml --out p").exits(3);
        assert!(ran.err.contains("people") && !ran.err.contains("row"), "{}", ran.err);
    }
}
