//! Curators and their ledger: from opening a dataset to a signed release and back.

use crate::run::{Folder, steady};

/// The starter with a confidential table.
fn confidential() -> Folder {
    let folder = Folder::started();
    folder.replace("congenial.toml", "public = true ", "public = false");
    let budget = "[budget]\ndataset = \"children\"\nledger = \"sqlite:ledger.db\"\nchosen = \"by the board in May\"\n";
    folder.write("congenial.toml", &(folder.read("congenial.toml") + budget));
    folder
}

#[test]
fn a_dataset_from_its_opening_to_its_end() {
    let folder = confidential();
    let mut told = String::new();
    let mut tell = |arguments: &str, code: i32| {
        let ran = folder.run_with(arguments, &[("CONGENIAL_USER", "ann")]).exits(code);
        told += &steady(&format!("$ congenial {arguments}\n{}{}\n", ran.out, ran.err), &folder);
    };
    tell("release congenial.toml --out release", 2);
    tell("ledger status", 2);
    tell("ledger open children --epsilon 0.6 --per unit --approval", 0);
    tell("ledger open children --epsilon 5 --per unit", 3);
    tell("ledger note congenial.toml", 0);
    tell("release congenial.toml --out release", 3);
    tell("ledger ask congenial.toml", 0);
    tell("ledger approve 8", 3);
    tell("ledger approve 8 --by bea", 0);
    tell("key new agency.key", 0);
    tell("release congenial.toml --out release --sign agency.key", 0);
    tell("release congenial.toml --out copy", 0);
    tell("verify release --key agency.key.pub --ledger sqlite:ledger.db", 0);
    tell("ledger recover", 0);
    tell("ledger recover --found release", 3);
    tell("ledger recover --give-up 10 --because lost", 3);
    tell("ledger history", 0);
    tell("ledger status", 0);
    tell("ledger verify", 0);
    insta::assert_snapshot!("ledger", told);
}

#[test]
fn what_is_misspelt_is_said() {
    let folder = confidential();
    folder.run("ledger open children --epsilon 0.1 --by ann").exits(0);
    let mut told = String::new();
    for (arguments, code) in [
        ("ledger open other --epsilon much --by ann", 2),
        ("ledger open other --epsilon 0 --by ann", 2),
        ("ledger open other --epsilon 1 --per person --by ann", 2),
        ("ledger open other --epsilon 1 --ledger mysql://host/db --by ann", 2),
        ("ledger history nobody", 2),
        ("ledger approve 2 --by bea", 2),
        ("ledger approve 99 --by bea", 2),
        ("release congenial.toml --out release --by ann", 3),
        ("release congenial.toml --out release --by ann --override gravity --because why", 2),
        ("release congenial.toml --out release --by ann --sign congenial.toml", 2),
    ] {
        let ran = folder.run(arguments).exits(code);
        told += &steady(&format!("$ congenial {arguments}\n{}{}\n", ran.out, ran.err), &folder);
    }
    folder.replace("congenial.toml", "sqlite:ledger.db", "postgres://ann:secret@host/db");
    told += &folder.run("release congenial.toml --out release --by ann").exits(2).err;
    insta::assert_snapshot!("misspelt", told);
}

#[test]
fn scripts_get_json() {
    let folder = confidential();
    folder.run("ledger open children --epsilon 1 --per unit --by ann").exits(0);
    let released = folder.run("release congenial.toml --out release --by ann --json").exits(0);
    let released: serde_json::Value = serde_json::from_str(&released.out).unwrap();
    assert_eq!(released["ledger"]["dataset"], "children");
    assert_eq!(released["handed_back"], false);
    let status: serde_json::Value = serde_json::from_str(&folder.run("ledger status --json").exits(0).out).unwrap();
    assert_eq!(status["datasets"][0]["left"]["epsilon"], 0.75);
    assert_eq!(status["datasets"][0]["left"]["epsilon_exact"], "3/4");
    assert_eq!(status["datasets"][0]["completed"], 1);
    let history: serde_json::Value = serde_json::from_str(&folder.run("ledger history --json").exits(0).out).unwrap();
    assert_eq!(history.as_array().unwrap().last().unwrap()["kind"], "completed");
    let recover: serde_json::Value = serde_json::from_str(&folder.run("ledger recover --json").exits(0).out).unwrap();
    assert_eq!(recover, serde_json::json!([]));
}

#[test]
fn a_ledger_that_was_put_back_pays_for_nothing() {
    let folder = confidential();
    let mut told = String::new();
    let mut tell = |arguments: &str, code: i32| {
        let ran = folder.run_with(arguments, &[("CONGENIAL_USER", "ann")]).exits(code);
        told += &steady(&format!("$ congenial {arguments}\n{}{}\n", ran.out, ran.err), &folder);
    };
    tell("ledger open children --epsilon 1 --per unit --head watched.log", 0);
    tell("ledger backup monday.db", 0);
    tell("ledger backup monday.db", 2);
    tell("release congenial.toml --out published/first", 0);
    tell("ledger verify --against published", 0);
    // The backup and its head, put back by hand.
    for end in ["", ".head"] {
        std::fs::copy(folder.path(&format!("monday.db{end}")), folder.path(&format!("ledger.db{end}"))).unwrap();
    }
    tell("release congenial.toml --out published/second", 3);
    tell("ledger status", 0);
    tell("ledger verify", 3);
    tell("ledger restore monday.db", 3);
    tell("ledger recover --adopt --because 'the-files-of-Monday' --from published", 0);
    tell("ledger history", 0);
    tell("ledger verify --against published", 0);
    tell("ledger recover --adopt --because again", 2);
    tell("ledger restore monday.db --adopt --because 'the-disk-broke'", 0);
    tell("ledger status", 0);
    tell("ledger status --ledger sqlite:file:ledger.db?mode=ro", 2);
    insta::assert_snapshot!("put_back", told);
}

/// Secret keys are of the first version of PKCS #8, which every OpenSSL reads, and open with their
/// passphrase alone if they have one.
#[test]
fn keys_are_those_of_other_programs_and_may_be_encrypted() {
    let folder = Folder::started();
    let passphrase = |name: &str, text: &str| {
        folder.write(name, text);
        folder.path(name).display().to_string()
    };
    let (right, wrong) = (passphrase("right", "correct horse\nnot this\n"), passphrase("wrong", "battery staple\n"));
    let empty = passphrase("empty", "\n");
    let with = |arguments: &str, file: &str| folder.run_with(arguments, &[("CONGENIAL_PASSPHRASE_FILE", file)]);
    folder.run("key new plain.key").exits(0);
    let plain = folder.read("plain.key");
    // 48 bytes: the second version would add the public key to the secret one.
    assert!(plain.starts_with("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEI"), "{plain}");
    assert!(folder.run("key new locked.key --encrypt").exits(2).err.contains("no passphrase"));
    with("key new locked.key --encrypt", &empty).exits(2);
    with("key new locked.key --encrypt", &right).exits(0);
    assert!(folder.read("locked.key").starts_with("-----BEGIN ENCRYPTED PRIVATE KEY-----"));
    let sign = "release congenial.toml --out signed --sign locked.key";
    assert!(folder.run(sign).exits(2).err.contains("is encrypted"));
    assert!(with(sign, &wrong).exits(2).err.contains("cannot be opened"));
    assert!(!folder.path("signed").exists());
    with(sign, &right).exits(0);
    folder.run("verify signed --key locked.key.pub").exits(0);
    folder.run("verify signed --key plain.key.pub").exits(2);
}

#[test]
fn a_release_is_presented_otherwise_and_nothing_is_paid() {
    let folder = confidential();
    let ann = [("CONGENIAL_USER", "ann")];
    folder.run_with("ledger open children --epsilon 1 --per unit", &ann).exits(0);
    folder.run_with("release congenial.toml --out release", &ann).exits(0);
    folder.run_with("key new agency.key", &ann).exits(0);
    let ledger = "--ledger sqlite:ledger.db";
    folder.run_with(&format!("export release --format xlsx --wide --out workbook {ledger}"), &ann).exits(0);
    folder.run_with(&format!("sign workbook --key agency.key --out signed {ledger}"), &ann).exits(0);
    let retitled = folder.run_with("retitle release --title Corrected --out retitled", &ann).exits(0);
    assert!(retitled.out.starts_with("Corrected\n"), "{}", retitled.out);
    assert!(retitled.err.contains("with --ledger it is told of this folder too"), "{}", retitled.err);
    folder.run(&format!("verify workbook {ledger}")).exits(0);
    folder.run(&format!("verify signed --key agency.key.pub {ledger}")).exits(0);
    folder.run("verify retitled").exits(0);
    folder.run(&format!("verify retitled {ledger}")).exits(2);
    // The same command again: the same folder, or another with another format, at no loss.
    let again = folder.run_with("release congenial.toml --out release", &ann).exits(0);
    assert!(again.err.contains("handed back, as it was made; nothing was drawn or spent"), "{}", again.err);
    let again = folder.run_with("release congenial.toml --out csv --format csv", &ann).exits(0);
    assert!(again.err.contains("handed back, its counts, written as asked"), "{}", again.err);
    let status: serde_json::Value = serde_json::from_str(&folder.run("ledger status --json").exits(0).out).unwrap();
    assert_eq!(status["datasets"][0]["left"]["epsilon"], 0.75);
    assert_eq!(status["datasets"][0]["left"]["epsilon_exact"], "3/4");
    // A new draw says what it cost.
    let anew = folder.run_with("release congenial.toml --out anew --again", &ann).exits(0);
    assert!(anew.err.contains("paid ε = 1/4 per unit of ℓ₁ distance once more"), "{}", anew.err);
}
