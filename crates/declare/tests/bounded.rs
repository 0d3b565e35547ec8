//! Bounded releases: rules, general equalities, pinned totals, measures and queries, as they are
//! written and resolved.

use declare::{Conditions, Declaration, EarlierRelease, Footprint, Grouping, Kind, NO_GROUP, Outside, Problem};
use std::path::Path;

fn path(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good").join(name)
}

fn load() -> Declaration {
    Declaration::load(&path("bounded.toml")).unwrap_or_else(|problem| panic!("{problem}"))
}

fn conditions(declaration: &Declaration) -> Result<Conditions, Problem> {
    declaration.conditions(&declaration.domain().unwrap())
}

#[test]
fn the_canonical_form_needs_no_file() {
    let declaration = load();
    let text = declaration.to_toml();
    assert_eq!(Declaration::parse_alone(&text, "canonical"), Ok(declaration));
    insta::assert_snapshot!(text);
}

/// Every group with its coefficients, `2·name` for every cell by its number.
fn rows(grouping: &Grouping) -> String {
    let mut text = format!("{}\n", grouping.label);
    for (group, name) in grouping.names.iter().enumerate() {
        let cells = grouping.group_of.iter().enumerate().filter(|(_, other)| **other == group as u32);
        let cells: Vec<String> = cells.map(|(cell, _)| format!("{:+}·c{cell}", grouping.taken(cell))).collect();
        text.push_str(&format!("    {name}: {}\n", cells.join(" ")));
    }
    text
}

#[test]
fn conditions_are_written_over_the_live_cells() {
    let declaration = load();
    let domain = declaration.domain().unwrap();
    let found = conditions(&declaration).unwrap();
    let mut text = String::new();
    for cell in 0..found.cells {
        text.push_str(&format!("c{cell}: {}\n", domain.describe(cell)));
    }
    for (grouping, pinned) in found.invariants.iter().zip(&found.pinned) {
        text.push_str(&format!("\ninvariant {}    pinned: {pinned:?}\n", rows(grouping)));
    }
    for rule in &found.rules {
        text.push_str(&format!("\nrule {}    {} {}\n", rows(&rule.grouping), rule.relation.name(), rule.bound));
    }
    for query in &found.queries {
        text.push_str(&format!("\nquery {}    ε = {}\n", rows(&query.grouping), query.strength));
    }
    text.push_str(&format!("\nnonnegative: {}\n{:?}\n", found.nonnegative, found.footprint));
    insta::assert_snapshot!(text);
}

#[test]
fn a_record_of_one_measure_is_in_one_cell() {
    let text = load().to_toml();
    let one = Declaration::parse_alone(&text.replace("record = \"any\"", "record = \"one\""), "one").unwrap();
    assert_eq!(conditions(&one).unwrap().footprint, Footprint::OneCell);
}

#[test]
fn a_broken_rule_is_named_and_nothing_else() {
    let found = conditions(&load()).unwrap();
    assert_eq!(found.check_table(&vec![0; found.cells]), Ok(()));
    let mut counts = vec![3; found.cells];
    assert_eq!(found.check_table(&counts), Ok(()));
    // Knox has more deaths than cases below 18.
    (counts[0], counts[2]) = (777, 778);
    let problem = found.check_table(&counts).unwrap_err();
    assert_eq!(problem.kind, Kind::Bad);
    assert_eq!(
        problem.to_string(),
        "the data break the rule `sum(measure = 'deaths') <= sum(measure = 'cases') by county, age` (hint: correct the \
         data, or take the rule out of [constraints]; where they break it is not shown)"
    );
    counts[0] = -1;
    let negative = found.check_table(&counts).unwrap_err();
    assert_eq!(negative.message, "the data break the rule `nonnegative = true`");
    let unconstrained = load().to_toml().replace("\"condition\"", "\"unconstrained\"");
    let without_queries = unconstrained.split("[[mechanism.query]]").next().unwrap();
    let text = without_queries.replace("per = ", "epsilon = 1\nper = ");
    let free = conditions(&Declaration::parse_alone(&text, "free").unwrap()).unwrap();
    assert_eq!(free.check_table(&counts), Ok(()));
    assert!(free.invariants.is_empty() && free.rules.is_empty() && !free.nonnegative);
}

#[test]
fn totals_are_pinned_or_summed() {
    let found = conditions(&load()).unwrap();
    let totals = found.totals(&vec![1; found.cells]).unwrap();
    assert_eq!(totals, [vec![12, -3], vec![-2, -2, -2], vec![0, 2], vec![1]]);
    let large = found.totals(&vec![i64::MAX; found.cells]).unwrap_err();
    assert_eq!(large.message, "a total does not fit 64 bits");
}

#[test]
fn a_rule_that_no_table_satisfies_is_infeasible() {
    let text = load().to_toml();
    // In Ohio no death below 18 is possible, so its sum is never 1.
    let rule = "[[constraints.rule]]\nby = [\"state\"]\nleft = \"measure = 'deaths' and age < 18\"\nop = \">=\"\n\
                right = 1\n\n[mechanism]";
    let declaration = Declaration::parse_alone(&text.replace("[mechanism]", rule), "rule").unwrap();
    let problem = conditions(&declaration).unwrap_err();
    assert_eq!(problem.kind, Kind::Infeasible);
    assert!(problem.message.contains("`sum(measure = 'deaths' and age < 18) >= 1 by state`"), "{problem}");
    let satisfied = rule.replace("\">=\"", "\"<=\"");
    let declaration = Declaration::parse_alone(&text.replace("[mechanism]", &satisfied), "rule").unwrap();
    let found = conditions(&declaration).unwrap();
    assert_eq!(found.rules[2].grouping.names, ["state = Maine"]);
    assert!(found.rules[2].grouping.group_of.iter().filter(|group| **group != NO_GROUP).count() == 2);
}

#[test]
fn queries_with_the_same_sums_are_one() {
    let text = load().to_toml();
    // Within cases, the place and the age say everything.
    let query =
        "\n[[mechanism.query]]\nby = [\"place\", \"age\"]\nwhere = \"measure = 'cases'\"\nepsilon = 1\n\n[disclosure]";
    let declaration = Declaration::parse_alone(&text.replace("\n[disclosure]", query), "queries").unwrap();
    let problem = conditions(&declaration).unwrap_err();
    assert!(problem.message.ends_with("have the same sums"), "{problem}");
}

const LATER: &str = r#"
[data]
path = "t.csv"
public = true
[dimensions]
county = ["Knox", "York"]
sex = ["f", "m"]
[[invariant]]
by = ["county"]
from = "before"
[mechanism]
noise = "double-geometric"
epsilon = 1
"#;

fn earlier(counts: Vec<i64>) -> impl Fn(&Path) -> Result<EarlierRelease, Problem> {
    move |folder| {
        assert!(folder.ends_with("before"), "{}", folder.display());
        let text = "[data]\npath = \"t.csv\"\npublic = true\n[dimensions]\nage = [\"old\", \"young\"]\n\
                    county = [\"York\", \"Knox\"]\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = 1\n";
        Ok(EarlierRelease { declaration: Declaration::parse_alone(text, "before")?, counts: counts.clone() })
    }
}

/// Loads a spec beside which an earlier release with these counts lies.
fn with_earlier(text: &str, counts: Vec<i64>) -> Result<Declaration, Problem> {
    let folder = tempfile::tempdir().unwrap();
    let spec = folder.path().join("later.toml");
    std::fs::write(&spec, text).unwrap();
    let none = |_: &Path, name: &str| Err(Problem::bad(format!("no file `{name}`")));
    Declaration::load_with(&spec, Outside { earlier: &earlier(counts), tables: &none, check_public: &declare::believe })
}

#[test]
fn margins_of_an_earlier_release_are_found_by_their_labels() {
    let declaration = with_earlier(LATER, vec![1, 20, 300, -4000]).unwrap();
    assert_eq!(conditions(&declaration).unwrap().pinned, [Some(vec![-3980, 301])]);
    assert!(declaration.to_toml().contains("values = { rows = [[\"Knox\", -3980], [\"York\", 301]] }"));
    assert_eq!(Declaration::parse_alone(&declaration.to_toml(), "alone"), Ok(declaration));
    let total = LATER.replace("by = [\"county\"]", "by = []\nwhere = \"county = 'York'\"");
    let declaration = with_earlier(&total, vec![1, 20, 300, -4000]).unwrap();
    assert_eq!(conditions(&declaration).unwrap().pinned, [Some(vec![301])]);
}

#[test]
fn an_earlier_release_that_does_not_fit_is_told() {
    let told = |text: &str, counts: Vec<i64>| with_earlier(text, counts).unwrap_err();
    let sex = told(&LATER.replace("by = [\"county\"]", "by = [\"sex\"]"), vec![0; 4]);
    assert_eq!(sex.message, "the earlier release has no dimension `sex`");
    assert_eq!(sex.place.map(|place| (place.line(), place.column())), Some((9, 7)));
    let filter = told(&LATER.replace("by = [\"county\"]", "by = [\"county\"]\nwhere = \"sex = 'f'\""), vec![0; 4]);
    assert_eq!(filter.message, "unknown dimension `sex` in `sex = 'f'`");
    let fewer = told(&LATER.replace("[\"Knox\", \"York\"]", "[\"Knox\", \"Lee\"]"), vec![0, 5, 1, 2]);
    assert_eq!(fewer.message, "`county` has no value `York` (in the earlier release: `York`)");
    let more = told(&LATER.replace("[\"Knox\", \"York\"]", "[\"Knox\", \"York\", \"Lee\"]"), vec![0; 4]);
    assert_eq!(more.message, "the values have no row for `county = Lee`");
    let damaged = told(LATER, vec![0; 3]);
    assert_eq!(damaged.message, "the earlier release is not the table its certificate declares");
    let twice = told(&LATER.replace("from", "values = { rows = [] }\nfrom"), vec![0; 4]);
    assert_eq!(twice.message, "`from` and `values` do not go together");
    let alone = Declaration::parse_alone(LATER, "alone").unwrap_err();
    assert_eq!(alone.message, "this spec must stand alone, but it names an earlier release");
}

#[test]
fn combinations_without_cells_may_be_pinned_to_zero_alone() {
    let pinned = |value: i64| {
        let rows = format!("values = {{ rows = [[\"York\", 5], [\"Knox\", {value}]] }}");
        let text = LATER
            .replace("from = \"before\"", &rows)
            .replace("[mechanism]", "[constraints]\nzero = [\"county = 'Knox'\"]\n[mechanism]");
        Declaration::parse_alone(&text, "pinned")
    };
    let declaration = pinned(0).unwrap();
    assert_eq!(conditions(&declaration).unwrap().pinned, [Some(vec![5])]);
    assert!(declaration.to_toml().contains("values = { rows = [[\"York\", 5]] }"));
    let problem = pinned(1).unwrap_err();
    assert_eq!(problem.message, "no cell is summed here, so the sum is 0 and cannot be 1");
}
