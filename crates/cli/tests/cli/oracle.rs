//! Pairs of confidential tables with the same public values: no command, exit code or message tells
//! them apart.

use crate::run::{Folder, Ran};

/// The totals by county are the same in all: 20, 30 and 40.
const PLAIN: &str =
    "county,education,n\nAlpha,Low,5\nAlpha,High,15\nBeta,Low,12\nBeta,High,18\nGamma,Low,9\nGamma,High,31\n";

/// Tables with these totals, some of which break what specs declare of them.
fn others() -> Vec<(&'static str, String)> {
    let moved = PLAIN.replace("Alpha,Low,5", "Alpha,Low,6").replace("Alpha,High,15", "Alpha,High,14");
    let broken = PLAIN.replace("Alpha,Low,5", "Alpha,Low,19").replace("Alpha,High,15", "Alpha,High,1");
    let zero = PLAIN.replace("Gamma,Low,9", "Gamma,Low,0").replace("Gamma,High,31", "Gamma,High,40");
    vec![
        ("a record moved", moved),
        ("a rule broken", broken),
        ("an empty cell", zero),
        ("a row outside the domain", format!("{PLAIN}Delta,Low,3\n")),
        ("a row without a value", format!("{PLAIN},Low,3\n")),
        ("a row without a number", format!("{PLAIN}Beta,Low,many\n")),
        ("a count below zero", format!("{PLAIN}Beta,Low,-3\n")),
        ("a cell twice", PLAIN.replace("Beta,Low,12\n", "Beta,Low,5\nBeta,Low,7\n")),
    ]
}

/// Specs that declare much: a rule, an equality, a structural zero, a filter, what is sensitive.
const CONSTRAINTS: [(&str, &str, &str); 5] = [
    ("plain", "", "nonnegative = false\n"),
    ("bounded", "", "nonnegative = true\n"),
    (
        "ruled",
        "",
        "nonnegative = true\n[[constraints.rule]]\nby = []\nleft = \"county = 'Alpha' and education = 'Low'\"\nop = \"<=\"\nright = 9\n",
    ),
    ("zero", "", "nonnegative = true\nzero = [\"county = 'Delta' and education = 'Low'\"]\n"),
    ("filtered", "where = \"county != 'Delta'\"\n", "nonnegative = true\n"),
];

fn spec((name, data, constraints): (&str, &str, &str)) -> String {
    let delta = if name == "zero" { ", \"Delta\"" } else { "" };
    format!(
        "title = \"{name}\"\n[data]\npath = \"data.csv\"\ncount = \"n\"\n{data}[dimensions]\n\
         county = [\"Alpha\", \"Beta\", \"Gamma\"{delta}]\neducation = [\"Low\", \"High\"]\n[[invariant]]\nby = [\"county\"]\n\
         [constraints]\n{constraints}[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/4\"\nper = \"unit\"\n\
         [budget]\ndataset = \"children\"\nledger = \"sqlite:ledger.db\"\n"
    )
}

/// What anybody can see of a run; the time of day and the folder are nobody's secret.
pub fn seen(folder: &Folder, Ran { code, out, err }: Ran) -> (i32, String) {
    let place = folder.path("").display().to_string();
    let timeless = |text: String| -> String {
        let is_time =
            |word: &str| word.len() >= 20 && word.starts_with("20") && word.contains("T") && word.contains("Z");
        // A question about files is named under the ledger's key.
        let is_question = |word: &str| {
            word.strip_suffix(')')
                .is_some_and(|name| name.len() == 12 && name.chars().all(|digit| digit.is_ascii_hexdigit()))
        };
        let kept = |word: &&str| !is_time(word) && !is_question(word);
        let line = |line: &str| line.split(' ').filter(kept).collect::<Vec<_>>().join(" ");
        text.replace(&place, "").lines().map(line).collect::<Vec<_>>().join("\n")
    };
    (code, timeless(out) + "\n--\n" + &timeless(err))
}

/// Everything that can be asked of a table, in one folder, one after the other.
fn all_commands(data: &str) -> Vec<(String, (i32, String))> {
    let folder = Folder::new();
    folder.write("data.csv", data);
    folder.write("standin.csv", "county,education,n\nAlpha,Low,500\nBeta,High,700\nGamma,Low,90\nGamma,High,1\n");
    let mut runs: Vec<(String, (i32, String))> = Vec::new();
    let mut run = |arguments: String| {
        let ran = seen(&folder, folder.run(&arguments));
        runs.push((arguments, ran));
    };
    run("ledger open children --epsilon 8 --per unit --by ann".into());
    for named in CONSTRAINTS {
        let (name, ..) = named;
        folder.write(&format!("{name}.toml"), &spec(named));
        run(format!("check {name}.toml"));
        run(format!("check {name}.toml --json"));
        run(format!("explain {name}.toml"));
        run(format!("explain {name}.toml --error --json"));
        run(format!("ledger note {name}.toml --by ann"));
        run(format!("ledger ask {name}.toml --by ann"));
        run(format!("release {name}.toml --out {name} --by ann --format csv"));
        run(format!("release {name}.toml --out again-{name} --by ann"));
        run(format!("verify {name}"));
        run(format!("verify {name} --ledger sqlite:ledger.db"));
        run(format!("simulate {name}.toml --draws 2 --seed 1 --out {name}.csv"));
        run(format!("compare {name}.toml --draws 4 --seed 1"));
        run(format!("compare {name}.toml --draws 4 --seed 1 --on standin.csv"));
        run(format!("audit {name}.toml"));
    }
    // Refused for what its totals are: the same for tables with the same totals.
    folder.write(
        "small.toml",
        &(spec(CONSTRAINTS[1]) + "[disclosure]\nsensitive = [\"county = 'Alpha'\"]\nwithin = 50\n"),
    );
    folder.write(
        "none.toml",
        &spec((
            "none",
            "",
            "nonnegative = true\n[[constraints.rule]]\nby = []\nleft = \"county = 'Alpha'\"\nop = \"<=\"\nright = 1\n",
        )),
    );
    for name in ["small", "none"] {
        run(format!("check {name}.toml"));
        run(format!("release {name}.toml --out {name} --by ann"));
    }
    run("ledger status".into());
    run("ledger history".into());
    run("ledger recover".into());
    runs
}

#[test]
fn no_command_tells_tables_with_the_same_totals_apart() {
    let plain = all_commands(PLAIN);
    for (arguments, (code, text)) in &plain {
        if arguments.starts_with("release") && !arguments.contains("small") && !arguments.contains("none") {
            assert_eq!(*code, 0, "{arguments}:\n{text}");
        }
    }
    for (what, data) in others() {
        for ((arguments, ours), (_, theirs)) in plain.iter().zip(all_commands(&data)) {
            // Times of comparisons are times.
            let timed = arguments.starts_with("compare") && ours.0 == 0;
            if timed {
                assert_eq!(ours.0, theirs.0, "{what}: {arguments}");
            } else {
                assert_eq!(*ours, theirs, "{what}: {arguments}");
            }
        }
    }
}

#[test]
fn the_curator_alone_is_told_and_that_is_entered() {
    let folder = Folder::new();
    folder.write("data.csv", &format!("{PLAIN}Delta,Low,3\n"));
    folder.write("plain.toml", &spec(CONSTRAINTS[0]));
    folder.run("ledger open children --epsilon 8 --per unit --by ann").exits(0);
    folder.run("check plain.toml").exits(0);
    let told = folder.run("check plain.toml --data --by ann").exits(2);
    assert!(told.err.contains("Delta"), "{}", told.err);
    assert!(folder.run("ledger status").out.contains("1 of 16 questions about the data answered"));
    folder.write("data.csv", PLAIN);
    let told = folder.run("check plain.toml --data --by ann").exits(0);
    assert_eq!(told.out, "The data are as declared; 14 more such answers can be had.\n");
}

/// Everything that can be asked of a guess, which is the same table as that of dataset `children`
/// in another order, or is not. The guess is declared public, stands in for data of Eve's, or is
/// called hers.
const GUESSES: [&str; 15] = [
    "check public.toml",
    "explain public.toml --error",
    "release public.toml --out {} --format csv",
    "simulate public.toml --draws 2 --seed 1 --out {}.csv",
    "audit public.toml --draws 4 --runs 4",
    "compare public.toml --draws 4 --seed 1",
    "compare mine.toml --draws 4 --seed 1 --on guess.csv",
    "audit mine.toml --draws 4 --runs 4 --on guess.csv",
    "check hers.toml",
    "explain hers.toml",
    "ledger ask hers.toml --by eve",
    "ledger note hers.toml --by eve",
    "release hers.toml --out {} --by eve --format csv",
    "release elsewhere.toml --out {} --by eve --format csv",
    "ledger note elsewhere.toml --by eve",
];

/// A folder where `children` is known, and Eve has a guess.
fn guessing(guess: &str) -> Folder {
    let folder = Folder::new();
    folder.write("data.csv", PLAIN);
    folder.write("guess.csv", guess);
    folder.write("mine.csv", "county,education,n\nAlpha,Low,500\nBeta,High,700\nGamma,Low,90\nGamma,High,1\n");
    folder.write("plain.toml", &spec(CONSTRAINTS[0]));
    let other = |file: &str, dataset: &str| {
        let text = spec(CONSTRAINTS[0]).replace("data.csv", file);
        text.replace("dataset = \"children\"", &format!("dataset = \"{dataset}\""))
    };
    folder.write("hers.toml", &other("guess.csv", "eve"));
    folder.write("mine.toml", &other("mine.csv", "eve"));
    folder.write("elsewhere.toml", &other("guess.csv", "eve").replace("ledger.db", "eve.db"));
    let public = other("guess.csv", "eve").replace("count = \"n\"", "count = \"n\"\npublic = true");
    let (public, _) = public.split_once("[budget]").unwrap();
    folder.write("public.toml", public);
    folder.run("ledger open children --epsilon 8 --per unit --by ann").exits(0);
    folder.run("ledger open eve --epsilon 8 --per unit --by eve").exits(0);
    folder.run("ledger open eve --epsilon 8 --per unit --by eve --ledger sqlite:eve.db").exits(0);
    folder.run("ledger note plain.toml --by ann").exits(0);
    folder
}

fn answers(folder: &Folder) -> String {
    let status = folder.run("ledger status").exits(0).out;
    let (_, children) = status.split_once("\nchildren\n").unwrap();
    let (children, _) = children.split_once("\neve\n").unwrap();
    children.lines().find(|line| line.contains("questions about the data")).unwrap_or("none").trim().to_string()
}

/// The right guess in another order, and a wrong one with the same totals.
fn right_and_wrong() -> [String; 2] {
    let mut lines: Vec<&str> = PLAIN.lines().skip(1).collect();
    lines.reverse();
    let right = format!("county,education,n\n{}\n", lines.join("\n"));
    let wrong = right.replace("Alpha,Low,5", "Alpha,Low,6").replace("Alpha,High,15", "Alpha,High,14");
    [right, wrong]
}

#[test]
fn every_command_counts_a_right_guess_or_does_not_tell() {
    let [right, wrong] = right_and_wrong();
    let mut told = 0;
    for command in GUESSES {
        let [ours, theirs] = [&right, &wrong].map(|guess| {
            let folder = guessing(guess);
            let ran = seen(&folder, folder.run(&command.replace("{}", "out")));
            (ran, answers(&folder))
        });
        assert_eq!(theirs.1, "none", "{command}: a wrong guess is no answer");
        if ours.0 == theirs.0 {
            assert_eq!(ours.1, "none", "{command}");
            continue;
        }
        told += 1;
        assert_eq!(ours.0.0, 3, "{command}:\n{}", ours.0.1);
        assert!(ours.1.starts_with("1 of 16"), "{command}: {}", ours.1);
    }
    assert_eq!(told, 13, "that is where guesses are recognised");
}

#[test]
fn no_command_tells_a_right_guess_when_nothing_more_is_answered_or_nothing_can_be_counted() {
    let [right, wrong] = right_and_wrong();
    let exhausted = |guess: &String| {
        let folder = guessing(guess);
        for number in 0..16 {
            let text =
                spec(CONSTRAINTS[0]).replace("[\"Low\", \"High\"]", &format!("[\"Low\", \"High\", \"{number}\"]"));
            folder.write("asked.toml", &text);
            folder.run("check asked.toml --data --by ann").exits(0);
        }
        assert!(answers(&folder).starts_with("16 of 16"));
        folder
    };
    let without_head = |guess: &String| {
        let folder = guessing(guess);
        std::fs::remove_file(folder.path("ledger.db.head")).unwrap();
        folder
    };
    type Make<'a> = &'a dyn Fn(&String) -> Folder;
    for (what, make) in [("exhausted", &exhausted as Make<'_>), ("without a head", &without_head)] {
        let folders = [&right, &wrong].map(make);
        for (number, command) in GUESSES.iter().enumerate() {
            let command = command.replace("{}", &format!("out-{number}"));
            let [ours, theirs] = [0, 1].map(|place| seen(&folders[place], folders[place].run(&command)));
            assert_eq!(ours, theirs, "{what}: {command}");
        }
    }
}
