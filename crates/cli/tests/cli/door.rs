//! Whoever writes specs learns nothing of confidential data that a ledger knows but by answers that
//! it counts, and never a number that stands in them.

use crate::oracle::seen;
use crate::run::Folder;

/// One numbered case after the other, the same in every run.
struct Cases(u64);

impl Cases {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

const CELLS: [&str; 6] = ["Alpha,Low", "Alpha,High", "Beta,Low", "Beta,High", "Gamma,Low", "Gamma,High"];

/// Six counts of six digits each, as a file.
fn data(counts: &[u64; 6]) -> String {
    let rows: String = CELLS.iter().zip(counts).map(|(cell, count)| format!("{cell},{count}\n")).collect();
    format!("county,education,n\n{rows}")
}

const COUNTY: &str = "county = [\"Alpha\", \"Beta\", \"Gamma\"]\n";

/// A spec of these data with these dimensions, constraints and budget.
fn spec(data: &str, county: &str, constraints: &str, rest: &str) -> String {
    format!(
        "title = \"A request\"\n[data]\ncount = \"n\"\n{data}[dimensions]\n{county}education = [\"Low\", \"High\"]\n\
         [[invariant]]\nby = [\"county\"]\n[constraints]\nnonnegative = false\n{constraints}[mechanism]\n\
         noise = \"double-geometric\"\nepsilon = \"1/4\"\nper = \"unit\"\n{rest}"
    )
}

fn budget(dataset: &str, ledger: &str) -> String {
    format!("[budget]\ndataset = \"{dataset}\"\nledger = \"sqlite:{ledger}\"\n")
}

/// A rule about the total of a county.
fn rule(op: &str, limit: u64) -> String {
    format!("[[constraints.rule]]\nby = []\nleft = \"county = 'Alpha'\"\nop = \"{op}\"\nright = {limit}\n")
}

/// What a requester could hand in, with the commands that read it.
fn requests(limit: u64) -> Vec<(&'static str, String, Vec<&'static str>)> {
    let public = "path = \"data.csv\"\npublic = true\n";
    let own = "path = \"data.csv\"\n";
    let stranger = "path = \"eve.csv\"\npublic = true\n";
    let (fewer, paid) = ("county = [\"Alpha\", \"Beta\"]\n", budget("children", "ledger.db"));
    let drawn = vec![
        "check S",
        "check S --data",
        "explain S",
        "explain S --error",
        "release S --out O",
        "simulate S --draws 1 --seed 1 --out O.csv",
        "audit S",
        "compare S --draws 2",
    ];
    let from = |file: &str| {
        format!(
            "{COUNTY}secret = {{ column = \"education\", path = \"{file}\", key = \"n\", where = \"n > {limit}\" }}\n"
        )
    };
    let ordered = |file: &str| {
        spec(stranger, COUNTY, "", "").replace(
            "[mechanism]",
            &format!("[mechanism]\norder_by = {{ path = \"{file}\", value = \"n\" }}\nmethod = \"cascade\""),
        )
    };
    vec![
        ("declared public, and a value is missing", spec(public, fewer, "", ""), drawn.clone()),
        ("declared public, with a rule", spec(public, COUNTY, &rule("<=", limit), ""), drawn.clone()),
        ("declared public beside its budget", spec(public, fewer, "", &paid), drawn.clone()),
        ("a dimension of them", spec(stranger, &from("data.csv"), "", ""), drawn.clone()),
        ("a dimension of the same bytes", spec(stranger, &from("copy.csv"), "", ""), drawn.clone()),
        ("a dimension of a copy elsewhere", spec(stranger, &from("elsewhere/copy.csv"), "", ""), drawn.clone()),
        ("an order of them", ordered("data.csv"), drawn),
        (
            "a stand-in of them",
            spec(stranger, fewer, "", ""),
            vec!["compare S --on data.csv --draws 2", "explain S --on data.csv", "audit S --on data.csv"],
        ),
        (
            "a stand-in without a dataset",
            spec(own, COUNTY, "", &budget("nosuch", "ledger.db")),
            vec!["compare S --on eve.csv --draws 2"],
        ),
        (
            "totals in another ledger",
            spec(own, COUNTY, &rule("<=", limit), &budget("eve", "evil.db")),
            vec!["release S --out O --by eve", "check S --data --by eve"],
        ),
        (
            "totals under another dataset",
            spec(own, COUNTY, &rule("<=", limit), &budget("eve", "ledger.db")),
            vec!["release S --out O --by eve", "ledger ask S --by eve", "ledger note S --by eve"],
        ),
        (
            "totals that contradict a rule",
            spec(own, COUNTY, &rule("<=", 1), &paid),
            vec!["release S --out O --by eve", "ledger note S --by eve"],
        ),
        (
            "totals that a price follows from",
            spec("path = \"few.csv\"\n", "county = [\"Alpha\"]\n", "", &budget("few", "ledger.db"))
                .replace("nonnegative = false", "nonnegative = true"),
            vec!["release S --out O --by eve", "release S --out O --by eve"],
        ),
    ]
}

/// What is seen of every request, and whether an answer was counted or something was paid for it.
fn asked(counts: &[u64; 6], limit: u64) -> Vec<(String, (i32, String), bool)> {
    let folder = Folder::new();
    folder.write("data.csv", &data(counts));
    folder.write("copy.csv", &data(counts));
    // A ledger beside the spec is asked about a file that lies elsewhere.
    std::fs::create_dir(folder.path("elsewhere")).expect("a folder");
    folder.write("elsewhere/copy.csv", &data(counts));
    folder.write("eve.csv", &data(&[1, 2, 3, 4, 5, 6]));
    let few = |count: u64| count % 900 + 10;
    let few = format!("county,education,n\nAlpha,Low,{}\nAlpha,High,{}\n", few(counts[0]), few(counts[1]));
    folder.write("few.csv", &few);
    folder.run("ledger open few --epsilon 0.01 --per unit --by ann").exits(0);
    folder.write("own.toml", &spec("path = \"data.csv\"\n", COUNTY, "", &budget("children", "ledger.db")));
    folder.run("ledger open children --epsilon 8 --per unit --by ann").exits(0);
    folder.run("ledger note own.toml --by ann").exits(0);
    folder.run("ledger open eve --epsilon 8 --per unit --by eve").exits(0);
    folder.run("ledger open eve --epsilon 8 --per unit --by eve --ledger sqlite:evil.db").exits(0);
    let counted = || {
        let history = folder.run("ledger history --json").out;
        history.matches("\"answered\"").count() + history.matches("\"reserved\"").count()
    };
    let mut runs = Vec::new();
    for (number, (what, text, commands)) in requests(limit).into_iter().enumerate() {
        for (place, command) in commands.into_iter().enumerate() {
            let name = format!("s{number}");
            folder.write(&format!("{name}.toml"), &text);
            let command = command.replace(" S", &format!(" {name}.toml")).replace(" O", &format!(" o{number}-{place}"));
            let before = counted();
            let (code, text) = seen(&folder, folder.run(&command));
            // Which of its prints are found first is a matter of the ledger's key.
            let pieces =
                text.split("(entry ").map(|piece| piece.trim_start_matches(|digit: char| digit.is_ascii_digit()));
            let ran = (code, pieces.collect::<Vec<_>>().join("(entry "));
            runs.push((format!("{what}: {command}"), ran, counted() > before));
        }
    }
    runs
}

#[test]
fn requests_tell_nothing_of_known_data_that_is_not_counted() {
    let mut cases = Cases(34);
    for _ in 0..3 {
        let one = [(); 6].map(|()| 400_000 + cases.below(500_000));
        let mut other = one;
        // The same totals once, and others once.
        let (from, to) = (cases.below(3) as usize, cases.below(3) as usize);
        other[2 * from] += 1 + cases.below(1000);
        other[2 * to + 1] -= 1 + cases.below(1000);
        let limit = 700_000 + cases.below(700_000);
        for ((what, ours, counted), (_, theirs, also)) in asked(&one, limit).into_iter().zip(asked(&other, limit)) {
            assert!(ours == theirs || counted || also, "{what}\n{ours:?}\n{theirs:?}");
            // Its own data may be noted, whatever their totals are.
            assert!(ours.0 != 0 || what.ends_with("ledger note s11.toml --by eve"), "{what}\n{ours:?}");
            for number in one.iter().chain([one[0] + one[1], one[2] + one[3], one[4] + one[5]].iter()) {
                assert!(!ours.1.contains(&number.to_string()), "{what} tells {number}\n{}", ours.1);
            }
        }
    }
}
