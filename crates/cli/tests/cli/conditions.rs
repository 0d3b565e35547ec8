//! Bounds, rules, pinned totals and operators by name, end to end.

use crate::run::Folder;

/// The starter with counts that must not fall below zero.
fn nonnegative() -> Folder {
    let folder = Folder::started();
    folder.replace("congenial.toml", "nonnegative = false", "nonnegative = true");
    folder
}

/// Totals of the four counties as a file of public values.
fn pinned(values: [i64; 4]) -> Folder {
    let folder = nonnegative();
    let rows: Vec<String> =
        ["Alpha", "Beta", "Gamma", "Delta"].iter().zip(values).map(|(name, value)| format!("{name},{value}")).collect();
    folder.write("totals.csv", &format!("county,value\n{}\n", rows.join("\n")));
    folder.replace("congenial.toml", "by = [\"county\"]", "by = [\"county\"]\nvalues = \"totals.csv\"");
    folder
}

#[test]
fn released_counts_are_not_negative_and_verify_says_so() {
    let folder = nonnegative();
    let ran = folder.run("release congenial.toml --out release --format csv").exits(0);
    assert!(ran.out.contains("every count is at least 0"), "{}", ran.out);
    let table = folder.read("release/table.csv");
    assert!(table.lines().skip(1).all(|line| !line.contains(",-")), "{table}");
    let verified = folder.run("verify release").exits(0);
    assert!(verified.out.contains("theorem G3"), "{}", verified.out);
}

#[test]
fn totals_pinned_to_published_values_come_out_as_published() {
    let folder = pinned([22, 50, 30, 33]);
    folder.run("release congenial.toml --out release --format csv").exits(0);
    let table = folder.read("release/table.csv");
    let alpha: i64 = table
        .lines()
        .filter(|line| line.starts_with("Alpha,"))
        .map(|line| line.rsplit(',').next().unwrap().parse::<i64>().unwrap())
        .sum();
    assert_eq!(alpha, 22, "{table}");
    let verified = folder.run("verify release").exits(0);
    assert!(verified.out.contains("theorem G10"), "{}", verified.out);
    assert!(folder.read("release/certificate.json").contains("\"pinned\": true"));
}

#[test]
fn pinned_values_that_no_table_has_are_infeasible() {
    for command in ["explain congenial.toml", "release congenial.toml --out release"] {
        let folder = pinned([-1, 50, 30, 33]);
        let before = folder.listing();
        let ran = folder.run(command).exits(4);
        assert!(ran.err.contains("no table"), "{}", ran.err);
        assert!(folder.listing() == before);
    }
}

#[test]
fn a_release_can_be_pinned_to_an_earlier_one() {
    let folder = nonnegative();
    folder.run("release congenial.toml --out first").exits(0);
    folder.replace("congenial.toml", "by = [\"county\"]", "by = [\"education\"]\nfrom = \"first\"");
    folder.run("release congenial.toml --out second").exits(0);
    folder.run("verify second").exits(0);
}

#[test]
fn a_table_that_breaks_a_rule_is_refused_by_name_alone() {
    let folder = nonnegative();
    let rule =
        "[[constraints.rule]]\nleft = \"county = 'Alpha'\"\nop = \">=\"\nright = \"county = 'Beta'\"\n\n[mechanism]";
    folder.replace("congenial.toml", "[mechanism]", rule);
    let ran = folder.run("release congenial.toml --out release").exits(2);
    assert!(ran.err.contains("sum(county = 'Alpha') >= sum(county = 'Beta')"), "{}", ran.err);
    assert!(!ran.err.contains("20") && !ran.err.contains("55"), "{}", ran.err);
}

#[test]
fn an_operator_can_be_asked_for_by_name() {
    let folder = nonnegative();
    folder.replace("congenial.toml", "per     = \"unit\"", "per     = \"unit\"\nsampler = \"messages\"");
    folder.run("explain congenial.toml").exits(0);
    folder.replace("congenial.toml", "sampler = \"messages\"", "sampler = \"closed-form\"");
    let ran = folder.run("explain congenial.toml").exits(3);
    assert!(ran.err.contains("could fall below zero"), "{}", ran.err);
    folder.replace("congenial.toml", "sampler = \"closed-form\"", "sampler = \"divide\"");
    folder.run("explain congenial.toml").exits(3);
}

#[test]
fn rho_with_inequalities_is_refused_where_totals_cross() {
    let folder = nonnegative();
    folder.replace("congenial.toml", "double-geometric", "discrete-gaussian");
    folder.replace("congenial.toml", "epsilon =", "rho     =");
    let ran = folder.run("explain congenial.toml").exits(0);
    assert!(ran.out.contains("at integer orders, ρ = ") && ran.out.contains("G13"), "{}", ran.out);
    folder.replace("congenial.toml", "by = [\"county\"]", "by = [\"county\"]\n[[invariant]]\nby = [\"education\"]");
    let ran = folder.run("explain congenial.toml").exits(3);
    assert!(ran.err.contains("G13") && ran.err.contains("no tree"), "{}", ran.err);
}

/// Three cells with the given conditions.
fn three(counts: [i64; 3], conditions: &str) -> Folder {
    let folder = Folder::new();
    let [one, two, three] = counts;
    folder.write("d.csv", &format!("c,n\nc0,{one}\nc1,{two}\nc2,{three}\n"));
    folder.write(
        "congenial.toml",
        &format!(
            "title = \"t\"\n[data]\npath = \"d.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\nc = [\"c0\", \"c1\", \"c2\"]\n\
             {conditions}\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\nper = \"unit\"\n"
        ),
    );
    folder
}

#[test]
fn a_cell_that_a_pinned_total_determines_has_the_pinned_value() {
    let folder =
        three([5, 3, 2], "[[invariant]]\nby = []\nwhere = \"c = 'c0'\"\nvalues = \"v.csv\"\n[[invariant]]\nby = []");
    folder.write("v.csv", "value\n4\n");
    folder.run("release congenial.toml --out release --format csv").exits(0);
    let table = folder.read("release/table.csv");
    assert!(table.contains("c0,4\n"), "{table}");
    folder.run("verify release").exits(0);
    // What is pinned is not what the confidential table has: it discloses nothing of it.
    let check = folder.run("check congenial.toml").exits(0).out;
    assert!(check.contains("disclosed cells   none"), "{check}");
    folder.write("v.csv", "value\n11\n");
    let before = folder.listing();
    let ran = folder.run("release congenial.toml --out other").exits(4);
    assert!(!ran.err.contains('5'), "{}", ran.err);
    assert!(folder.listing() == before);
}

#[test]
fn rules_that_contradict_each_other_are_infeasible() {
    let rule =
        |op: &str, bound: i64| format!("[[constraints.rule]]\nleft = \"c = 'c0'\"\nop = \"{op}\"\nright = {bound}\n");
    let contradictions =
        [rule("<=", 3) + &rule(">=", 5), rule("<=", -1), "[[invariant]]\nby = []\n".to_string() + &rule(">=", 30)];
    for conditions in contradictions {
        let folder = three([4, 3, 8], &conditions);
        folder.run("check congenial.toml").exits(4);
        folder.run("release congenial.toml --out release").exits(4);
    }
}

#[test]
fn cells_that_bounds_and_rules_confine_to_one_value_are_disclosed() {
    let rule = "[[constraints.rule]]\nleft = \"c = 'c0'\"\nop = \">=\"\nright = 5\n";
    let check =
        three([5, 0, 2], &(rule.to_string() + &rule.replace(">=", "<="))).run("check congenial.toml").exits(0).out;
    assert!(check.contains("disclosed cells   1 of 3") && check.contains("c = c0: 5"), "{check}");
    // Nothing is left: total 8, and one cell must be at least 8.
    let one_table = three([8, 0, 0], &("[[invariant]]\nby = []\n".to_string() + &rule.replace("= 5", "= 8")));
    one_table.run("release congenial.toml --out release").exits(3);
}

#[test]
fn an_equality_that_the_totals_imply_may_span_several_blocks() {
    let folder = nonnegative();
    // Alpha and Gamma together have 45 children more than nobody; the totals say so already.
    let rule = "[[constraints.rule]]\nleft = \"county in ('Alpha', 'Gamma')\"\nop = \"=\"\nright = 45\n\n[mechanism]";
    folder.replace("congenial.toml", "[mechanism]", rule);
    folder.run("check congenial.toml").exits(0);
    folder.run("release congenial.toml --out release").exits(0);
    folder.run("verify release").exits(0);
}

#[test]
fn a_bound_beyond_all_counts_is_an_error_and_not_an_overflow() {
    for bound in ["-9223372036854775808", "9223372036854775807"] {
        let fixed = "[[invariant]]\nby = []\nwhere = \"c = 'c0'\"\n";
        let rule = format!("[[constraints.rule]]\nleft = \"c in ('c0', 'c1')\"\nop = \">=\"\nright = {bound}");
        let ran = three([5, 3, 2], &(fixed.to_string() + &rule)).run("explain congenial.toml").exits(2);
        assert!(ran.err.contains("beyond 2^61"), "{}", ran.err);
    }
}
