//! Experiments: listed, repeated into a new folder, the same every time but for times.

use crate::run::Folder;

#[test]
fn experiments_are_listed() {
    let folder = Folder::new();
    insta::assert_snapshot!(folder.run("reproduce").exits(0).out);
    assert!(folder.listing().is_empty());
}

#[test]
fn an_experiment_writes_curves_figures_and_a_summary() {
    let folder = Folder::new();
    let ran = folder.run("reproduce gm-acceptance --pairs 100 --out found").exits(0);
    assert!(ran.err.is_empty() && ran.out.contains("1.68 %"), "{}{}", ran.err, ran.out);
    let summary = folder.read("found/summary.md");
    assert!(summary.starts_with("## gm-acceptance\n") && summary.contains("| published | measured |"), "{summary}");
    assert!(folder.read("found/gm-acceptance.csv").starts_with("proposal_rate,acceptance,standard_error\n0.35,"));
    let before = folder.listing();
    let again = folder.run("reproduce gm-acceptance --pairs 100 --out found").exits(2);
    assert!(again.err.contains("never overwrites"), "{}", again.err);
    assert_eq!(folder.listing(), before);
}

#[test]
fn what_secrets_and_budgets_tell() {
    let folder = Folder::new();
    let secrets = folder.run("reproduce see-secrets --out secrets").exits(0).out;
    assert!(secrets.contains("0.01990 / 0.00674") && secrets.contains("61; any dependence: 100"), "{secrets}");
    assert!(folder.read("secrets/see-secrets-binary.csv").contains("\n0.2,21,100\n"));
    assert!(folder.read("secrets/see-secrets-normal.svg").starts_with("<svg"));
    let budget = folder.run("reproduce see-budget --out budget").exits(0).out;
    assert!(budget.contains("2, 3, 4, 16, 17, 18") && budget.contains("not a bound any more"), "{budget}");
    assert!(folder.read("budget/summary.md").contains("Verdict"));
    assert_eq!(folder.read("budget/see-budget.csv").lines().count(), 22);
}

#[test]
fn several_are_told_without_a_folder() {
    let folder = Folder::new();
    let told = folder.run("reproduce see-budget see-power").exits(0).out;
    assert!(told.contains("2, 3, 4, 16, 17, 18") && told.contains("0.15117 / 0.09838"), "{told}");
    assert_eq!(told.matches("Verdict: ").count(), 2, "{told}");
    assert!(folder.listing().is_empty());
}

#[test]
fn tests_on_releases_keep_their_level() {
    let folder = Folder::new();
    let told = folder.run("reproduce see-power --pairs 100 --out power").exits(0).out;
    for figure in
        ["0.2743 / 0.2538 / 0.3035", "0.1781 / 0.1465 / 0.1922", "0.4444 / 0.4055 / 0.5163", "0.15117 / 0.09838"]
    {
        let line = told.lines().find(|line| line.contains(figure)).unwrap();
        assert_eq!(line.matches(figure).count(), 2, "{line}");
    }
    assert!(folder.read("power/summary.md").contains("Verdict"));
}

#[test]
fn wrong_names_and_too_few_pairs_are_2() {
    let folder = Folder::new();
    let unknown = folder.run("reproduce isdp --out found").exits(2);
    assert!(unknown.err.contains("isdp-margins"), "{}", unknown.err);
    folder.run("reproduce isdp-margins --pairs 5 --out found").exits(2);
    folder.run("reproduce --out found").exits(2);
    folder.run("reproduce see-budget isdp").exits(2);
    assert!(folder.listing().is_empty());
}
