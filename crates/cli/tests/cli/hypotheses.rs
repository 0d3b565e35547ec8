//! Tests of hypotheses, asked of releases with fixed draws: what their p-values stand on, and what
//! is refused.

use crate::fixed::{of_example, released};
use crate::run::{ask, json};

#[test]
fn independence_is_tested_exactly() {
    let folder = of_example("hair-eye/spec");
    let asked = "infer|r|--test|independence|--rows|eye|--columns|hair|--draws|999";
    let told = ask(&folder, asked).exits(0);
    for line in [
        "eye and hair are independent",
        "hypergeometric",
        "exact:",
        "not valid: the usual chi-square",
        "rejected at 5 %",
    ] {
        assert!(told.out.contains(line), "{line}: {}", told.out);
    }
    let found = json(&ask(&folder, &format!("{asked}|--json")).exits(0));
    let figure = &found["figures"][0];
    assert_eq!((&found["kind"], &found["exact"], &figure["p_value"]), (&"test".into(), &true.into(), &0.001.into()));
    assert_eq!((&figure["rejected"], &figure["naive_freedom"]), (&true.into(), &9.0.into()));
    assert_eq!(told.out, ask(&folder, asked).exits(0).out);
    ask(&folder, &format!("{asked}|--page|t.html")).exits(0);
    assert!(folder.read("t.html").contains("hypergeometric"));
    // Other statistics of the same hypothesis.
    folder.write("q.csv", "eye,hair,query,coefficient\nBlue,Blond,q,1\nBrown,Black,q,1\n");
    for rest in ["--statistic|query|--query|q.csv", "--statistic|likelihood-ratio", "--statistic|mantel-haenszel"] {
        let found = json(&ask(&folder, &format!("{asked}|{rest}|--json")).exits(0));
        assert_eq!(found["figures"][0]["rejected"], true, "{rest}: {found}");
    }
    let trend = "infer|r|--test|trend|--rows|eye|--columns|hair|--draws|199|--scores";
    folder.write("scores.csv", "hair,score\nRed,5\nBlack,0\nBlond,-1\nBrown,2\n");
    let [listed, filed] =
        ["0,-1,2,5", "scores.csv"].map(|scores| json(&ask(&folder, &format!("{trend}|{scores}|--json")).exits(0)));
    assert_eq!(listed["figures"], filed["figures"]);
}

#[test]
fn other_hypotheses_and_bounds() {
    let folder = of_example("bartlett/spec");
    let margins = "--margin|survival,time|--margin|survival,length|--margin|time,length";
    let told = ask(&folder, &format!("infer|r|--test|log-linear|{margins}|--draws|199")).exits(0);
    assert!(told.out.contains("are listed and drawn by their weights"), "{}", told.out);
    let strata =
        ask(&folder, "infer|r|--test|homogeneity|--rows|survival|--columns|time|--strata|length|--draws|99").exits(0);
    assert!(strata.out.contains("in every length") && strata.out.contains("exact:"), "{}", strata.out);
    let folder = of_example("hair-eye/nonnegative");
    let bounded = ask(&folder, "infer|r|--test|independence|--rows|eye|--columns|hair|--draws|99").exits(0);
    assert!(bounded.out.contains("exact:"), "{}", bounded.out);
    let folder = released();
    let mut cells = "county,education,value\n".to_string();
    for line in folder.read("release/table.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        cells += &format!("{},{},{}\n", fields[0], fields[1], if fields[0] == "Alpha" { "0.25" } else { "1/2" });
    }
    folder.write("expected.csv", &cells);
    let fit = ask(&folder, "infer|release|--test|fit|--distribution|expected.csv|--draws|199").exits(0);
    assert!(fit.out.contains("multinomial given their exact totals"), "{}", fit.out);
    folder.fix("congenial.toml", "again", 2);
    let same = ask(&folder, "infer|release|again|--test|equality|--draws|199").exits(0);
    assert!(same.out.contains("one and the same true table") && same.out.contains("exact:"), "{}", same.out);
}

#[test]
fn tests_that_cannot_be_made_say_why() {
    let folder = released();
    let independence = "infer|release|--test|independence|--rows|county|--columns|education";
    let refused = ask(&folder, independence).exits(3);
    assert!(refused.err.contains("by education") && refused.err.contains("--approximate bootstrap"), "{}", refused.err);
    for (how, words) in [("bootstrap", "posterior mean"), ("predictive", "tables of the posterior")] {
        let told = ask(&folder, &format!("{independence}|--approximate|{how}|--draws|99")).exits(0);
        assert!(told.out.contains(words) && told.out.contains("approximate:"), "{}", told.out);
    }
    for (asked, said) in [
        ("--test|independence|--rows|county", "has no columns"),
        ("--test|independence|--rows|contry|--columns|education", "no dimension `contry`"),
        ("--test|homogeneity|--rows|county|--columns|education", "over strata"),
        ("--test|fit", "none is given"),
        ("--test|fit|--rows|county", "--rows does not belong"),
        ("--test|equality", "two releases"),
        ("--test|independence|--rows|county|--columns|education|--draws|9", "--draws 19"),
        ("--test|independence|--rows|county|--columns|education|--by|county", "--by does not belong"),
        ("--test|independence|--rows|county|--columns|education|--level|0.95", "cannot be used with"),
        ("--test|independence|--rows|county|--columns|education|--query|q.csv", "--statistic query"),
        ("--test|trend|--rows|county|--columns|education|--scores|1,x", "neither a list"),
        ("--test|guess", "possible values"),
        ("--rows|county", "--test"),
    ] {
        let told = ask(&folder, &format!("infer|release|{asked}")).exits(2);
        assert!(told.err.contains(said), "{asked}: {}", told.err);
    }
}
