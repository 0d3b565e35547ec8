//! Comparisons and audits: public tables only, reproducible, at equal loss, and nothing
//! overwritten.

use crate::run::Folder;
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// What differs from run to run.
fn without_times(mut comparison: Value) -> Value {
    for method in comparison["methods"].as_array_mut().unwrap() {
        method.as_object_mut().unwrap().remove("seconds");
    }
    comparison
}

/// Makes the starter's table confidential.
fn confidential(folder: &Folder) {
    folder.replace("congenial.toml", "public = true", "public = false");
    let spec = folder.read("congenial.toml");
    folder
        .write("congenial.toml", &format!("{spec}\n[budget]\ndataset = \"children\"\nledger = \"sqlite:ledger.db\"\n"));
}

fn method<'a>(comparison: &'a Value, name: &str) -> &'a Value {
    comparison["methods"].as_array().unwrap().iter().find(|method| method["method"] == name).unwrap()
}

#[test]
fn methods_are_compared_at_equal_loss() {
    let folder = Folder::started();
    folder.replace("congenial.toml", "nonnegative = false", "nonnegative = true");
    let ran = folder.run("compare congenial.toml --draws 60 --json --out page.html").exits(0);
    let found = json(&ran.out);
    let again = json(&folder.run("compare congenial.toml --draws 60 --json").exits(0).out);
    assert_eq!(without_times(found.clone()), without_times(again));
    let names = ["unconstrained", "condition", "project-l2", "project-nonnegative", "project-l1", "topdown"];
    for name in names {
        let method = method(&found, name);
        assert_eq!(method["applies"], true, "{name}");
        assert_eq!(method["real_valued"], false, "{name}");
        assert_eq!(method["by_cell"].as_array().unwrap().len(), 16, "{name}");
        let broken = method["broken"]["mean"].as_f64().unwrap();
        assert_eq!(broken > 0.0, name == "unconstrained", "{name}: {broken}");
        let negative = method["below_zero"]["mean"].as_f64().unwrap();
        assert_eq!(negative > 0.0, ["unconstrained", "project-l2"].contains(&name), "{name}: {negative}");
    }
    // Conditioning on counts at or above zero pays with more noise.
    let noise = |name: &str| method(&found, name)["noise"].as_str().unwrap().to_owned();
    assert_eq!(noise("unconstrained"), noise("topdown"));
    assert_ne!(noise("condition"), noise("topdown"));
    let page = folder.read("page.html");
    assert!(page.contains("<h1>") && page.contains("Bias by size of the count") && !page.contains("<script"));
    let before = folder.listing();
    let taken = folder.run("compare congenial.toml --out page.html").exits(2);
    assert!(taken.err.contains("exists"), "{}", taken.err);
    assert_eq!(folder.listing(), before);
}

#[test]
fn comparisons_read_well() {
    let folder = Folder::started();
    let text = folder.run("compare congenial.toml --draws 40").exits(0).out;
    // Times differ from run to run: the last column of the first table.
    let (first, rest) = text.split_once("\nmade zero").unwrap();
    let cut = |line: &str| match line.contains('±') {
        true => line.rsplit_once(' ').map_or(line.to_owned(), |(kept, _)| kept.trim_end().to_owned()),
        false => line.to_owned(),
    };
    let first: Vec<String> = first.lines().map(cut).collect();
    insta::assert_snapshot!(format!("{}\nmade zero{rest}", first.join("\n")));
}

#[test]
fn confidential_tables_are_never_compared_or_audited() {
    let folder = Folder::started();
    confidential(&folder);
    let before = folder.listing();
    for command in ["compare", "audit"] {
        let refused = folder.run(&format!("{command} congenial.toml")).exits(3);
        assert!(refused.err.contains("--on FILE"), "{}", refused.err);
        assert!(refused.out.is_empty());
    }
    assert_eq!(folder.listing(), before);
}

/// The starter with a confidential table, and a stand-in for it.
fn with_stand_in(count: impl Fn(usize, i64) -> i64) -> (Folder, i64) {
    let folder = Folder::started();
    let name = folder.read("congenial.toml");
    let data = name.lines().find(|line| line.trim_start().starts_with("path")).unwrap();
    let file = data.split('"').nth(1).unwrap().to_owned();
    let (mut text, mut sum) = (String::new(), 0);
    for (row, line) in folder.read(&file).lines().enumerate() {
        match line.rsplit_once(',').map(|(labels, found)| (labels, found.parse::<i64>())) {
            Some((labels, Ok(found))) => {
                sum += count(row, found);
                text += &format!("{labels},{}\n", count(row, found));
            }
            _ => text += &format!("{line}\n"),
        }
    }
    folder.write("last-year.csv", &text);
    confidential(&folder);
    folder.run("ledger open children --epsilon 8 --per unit --by ann").exits(0);
    (folder, sum)
}

#[test]
fn a_public_table_may_stand_in() {
    let (folder, records) = with_stand_in(|row, count| (7 * count + 5 * row as i64) % 31);
    let found = json(&folder.run("compare congenial.toml --on last-year.csv --draws 5 --json").exits(0).out);
    assert_eq!(found["stand_in"], "last-year.csv");
    let sum: i64 = found["truth"].as_array().unwrap().iter().map(|count| count.as_i64().unwrap()).sum();
    assert_eq!(sum, records);
    folder.run("audit congenial.toml --on last-year.csv --draws 5 --runs 200").exits(0);
}

#[test]
fn near_copies_of_the_confidential_table_do_not_stand_in() {
    type Changed<'a> = &'a dyn Fn(usize, i64) -> i64;
    let ways: [(&str, Changed); 5] = [
        ("one record more", &|row, count| count + i64::from(row == 3)),
        ("a few cells changed", &|row, count| if row % 4 == 0 { count + 9 } else { count }),
        ("one more everywhere", &|_, count| count + 1),
        ("twice as many", &|_, count| 2 * count),
        ("the same", &|_, count| count),
    ];
    for (way, count) in ways {
        let (folder, _) = with_stand_in(count);
        for command in ["compare", "audit"] {
            let refused = folder.run(&format!("{command} congenial.toml --on last-year.csv --draws 5")).exits(3);
            assert!(refused.err.contains("or nearly so"), "{way}: {}", refused.err);
        }
    }
}

#[test]
fn audits_find_an_honest_mechanism_honest() {
    let folder = Folder::started();
    let text = folder.run("audit congenial.toml --draws 100 --runs 600").exits(0).out;
    insta::assert_snapshot!(text);
    let found = json(&folder.run("audit congenial.toml --draws 100 --runs 600 --json").exits(0).out);
    assert_eq!(found["privacy"]["contradicted"], false);
    assert_eq!(found["unbiased_in_theory"], true);
    let claimed = found["privacy"]["runs"]["claimed"].as_f64().unwrap();
    let limit = found["privacy"]["runs"]["epsilon"].as_f64().unwrap();
    assert!(0.0 <= limit && limit <= claimed, "{limit} of {claimed}");
}

#[test]
fn small_fibres_are_audited_exactly() {
    let folder = Folder::new();
    folder.write("counts.csv", "cell,n\na,1\nb,2\nc,0\n");
    folder.write(
        "spec.toml",
        "title = \"Three cells\"\n[data]\npath = \"counts.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\ncell = [\"a\", \"b\", \
         \"c\"]\n[[invariant]]\nby = []\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\n",
    );
    let found = json(&folder.run("audit spec.toml --draws 20 --runs 400 --json").exits(0).out);
    let exact = &found["privacy"]["exact"];
    // Three units in three cells: ten tables.
    assert_eq!(exact["tables"], 10);
    let (loss, claimed) = (exact["loss"].as_f64().unwrap(), exact["claimed"].as_f64().unwrap());
    assert!(loss <= claimed && loss > 0.5 * claimed, "{loss} of {claimed}");
}

#[test]
fn too_few_draws_are_2() {
    let folder = Folder::started();
    folder.run("compare congenial.toml --draws 1").exits(2);
    folder.run("audit congenial.toml --draws 1").exits(2);
}

#[test]
fn real_numbers_are_marked() {
    let folder = Folder::started();
    folder.replace("congenial.toml", "double-geometric", "laplace");
    let ran = folder.run("compare congenial.toml --draws 5").exits(0);
    assert!(ran.out.contains("project-l2 (real)") && ran.out.contains("never certified"), "{}", ran.out);
    let found = json(&folder.run("compare congenial.toml --draws 5 --json").exits(0).out);
    assert_eq!(method(&found, "project-l2")["real_valued"], true);
    assert_eq!(method(&found, "topdown")["applies"], false);
}
