//! Small mistakes, and what is said about them.

use crate::run::Folder;

/// The starter with a confidential table.
fn confidential() -> Folder {
    let folder = Folder::started();
    folder.replace("congenial.toml", "public = true ", "public = false");
    let budget = "[budget]\ndataset = \"children\"\nledger = \"sqlite:ledger.db\"\nchosen = \"by the board in May\"\n";
    folder.write("congenial.toml", &(folder.read("congenial.toml") + budget));
    folder
}

#[test]
fn a_folder_is_neither_a_spec_nor_every_folder_a_release() {
    let folder = Folder::started();
    let checked = folder.run("check .").exits(2).err;
    assert!(checked.contains("`.` is a folder and no file") && checked.contains("congenial.toml"), "{checked}");
    let verified = folder.run("verify .").exits(2).err;
    assert!(verified.contains("`.` is not the folder of a release: it has no certificate.json"), "{verified}");
    for said in [checked, verified] {
        assert!(!said.contains("os error"), "{said}");
    }
}

#[test]
fn noise_that_no_release_can_have_does_not_pass_check() {
    let folder = Folder::started();
    folder.replace("congenial.toml", "\"double-geometric\"", "\"laplace\"");
    let checked = folder.run("check congenial.toml").exits(3).err;
    assert_eq!(checked, folder.run("release congenial.toml --out out").exits(3).err);
    assert!(checked.contains("laplace noise is real-valued and cannot be certified"), "{checked}");
}

#[test]
fn numbers_with_a_comma_are_told_how_they_are_written() {
    let folder = Folder::started();
    folder.replace("congenial.toml", "\"1/4\"", "\"1,5\"");
    let said = folder.run("check congenial.toml").exits(2).err;
    assert!(said.contains("write 1.5"), "{said}");
    folder.replace("congenial.toml", "\"1,5\"", "\"1,000\"");
    let said = folder.run("check congenial.toml").exits(2).err;
    assert!(said.contains("write 1.000 or 1000"), "{said}");
    let opened = folder.run("ledger open a --epsilon 0,5 --by ann").exits(2).err;
    assert!(opened.contains("write 0.5"), "{opened}");
}

#[test]
fn a_table_of_a_header_alone_is_no_table() {
    let folder = Folder::started();
    let header = folder.read("delinquent.csv").lines().next().unwrap().to_string();
    folder.write("delinquent.csv", &format!("{header}\n"));
    for command in ["check congenial.toml", "explain congenial.toml", "release congenial.toml --out out"] {
        let said = folder.run(command).exits(2).err;
        assert!(said.contains("has no rows: nothing stands below its header"), "{said}");
    }
}

/// Ten wrong rows at once, without what stands in those after the first, for one answer.
#[test]
fn wrong_rows_are_told_together() {
    let folder = confidential();
    folder.run("ledger open children --epsilon 1 --per unit --by ann").exits(0);
    let table = folder.read("delinquent.csv");
    let mut lines: Vec<String> = table.lines().map(str::to_string).collect();
    for line in [3, 7, 12] {
        lines[line - 1] = format!("Secretville{line},Low,1");
    }
    folder.write("delinquent.csv", &(lines.join("\n") + "\n"));
    let said = folder.run("check congenial.toml --data --by ann").exits(2).err;
    assert!(said.contains("Secretville3") && said.contains("on line 7, on line 12"), "{said}");
    assert!(!said.contains("Secretville7"), "{said}");
    let many: Vec<String> = (0..40).map(|row| format!("Nowhere{row},Low,1")).collect();
    folder.write("delinquent.csv", &format!("{}\n{}\n", lines[0], many.join("\n")));
    folder.replace("congenial.toml", "public = false", "public = true ");
    folder.replace(
        "congenial.toml",
        "[budget]\ndataset = \"children\"\nledger = \"sqlite:ledger.db\"\nchosen = \"by the board in May\"\n",
        "",
    );
    let said = folder.run("check congenial.toml").exits(2).err;
    assert!(said.contains("on line 11, and perhaps later ones") && !said.contains("on line 12"), "{said}");
}

#[test]
fn a_dataset_that_was_opened_in_a_wrong_unit_is_opened_again() {
    let folder = confidential();
    folder.run("ledger open other --epsilon 1 --by ann").exits(0);
    let said = folder.run("release congenial.toml --out out --by ann").exits(3).err;
    assert!(said.contains("congenial ledger open 'children' --epsilon 1 --per unit --ledger"), "{said}");
    folder.run("ledger open children --epsilon 1 --per l2 --by ann").exits(0);
    folder.run("release congenial.toml --out out --by ann").exits(3);
    let said = folder.run("ledger open children --epsilon 1 --per unit --by ann").exits(3).err;
    assert!(said.contains("of which nothing is spent") && said.contains("--again"), "{said}");
    folder.run("ledger open children --epsilon 1 --per unit --by ann --again").exits(0);
    folder.run("ledger verify").exits(0);
    folder.run("release congenial.toml --out out --by ann").exits(0);
    let said = folder.run("ledger open children --epsilon 2 --per unit --by ann --again").exits(3).err;
    assert!(said.contains("is spent"), "{said}");
    folder.run("ledger verify").exits(0);
}

#[test]
fn the_budget_that_is_suggested_fits_the_spec() {
    let folder = confidential();
    folder.run("ledger open other --epsilon 1 --by ann").exits(0);
    folder.write("rows.csv", "patient,sex\n1,f\n1,m\n2,f\n3,m\n");
    let spec = |mechanism: &str| {
        format!(
            "title = \"t\"\n[data]\npath = \"rows.csv\"\nunit = \"patient\"\nrows_per_unit = 2\n[dimensions]\nsex = [\"f\", \"m\"]\n\
             [mechanism]\n{mechanism}\n[budget]\ndataset = \"visits\"\nledger = \"sqlite:ledger.db\"\n"
        )
    };
    for (mechanism, words) in [
        ("noise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"record\"", "--rho 1 --per owner=patient"),
        ("noise = \"discrete-gaussian\"\nrho = \"1/2\"\nper = \"record\"", "--rho 2 --per owner=patient"),
        ("noise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"unit\"", "--rho 1 --per l2"),
        ("noise = \"double-geometric\"\nepsilon = \"1/4\"\nper = \"record\"", "--epsilon 1 --per owner=patient"),
    ] {
        folder.write("rows.toml", &spec(mechanism));
        let said = folder.run("release rows.toml --out out --by ann").exits(3).err;
        let words = format!("congenial ledger open 'visits' {words} --ledger");
        assert!(said.contains(&words), "{words}: {said}");
    }
}
