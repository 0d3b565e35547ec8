//! `method = "suppress"` as its users meet it: totals and nothing else.

use crate::run::{Folder, steady};

/// The starter, suppressed.
fn suppressed() -> Folder {
    let folder = Folder::started();
    let spec = folder.read("congenial.toml");
    let (before, after) = spec.split_once("[mechanism]").unwrap();
    let rest = after.find("\n[").map_or("", |place| &after[place..]);
    folder.write("congenial.toml", &format!("{before}[mechanism]\nmethod = \"suppress\"\n{rest}"));
    folder
}

#[test]
fn totals_alone_are_explained_released_and_verified() {
    let folder = suppressed();
    let explained = folder.run("explain congenial.toml").exits(0);
    insta::assert_snapshot!("suppress_explain", explained.out);
    let plan: serde_json::Value =
        serde_json::from_str(&folder.run("explain congenial.toml --json").exits(0).out).unwrap();
    assert_eq!((&plan["loss"]["epsilon_exact"], &plan["loss"]["theorem"]), (&"0".into(), &"suppression".into()));
    assert_eq!(plan["blocks"], serde_json::json!([]));
    folder.run("check congenial.toml").exits(0);
    let released = folder.run("release congenial.toml --out release --format csv").exits(0);
    insta::assert_snapshot!("suppress_release", steady(&released.out, &folder));
    insta::assert_snapshot!("suppress_totals", folder.read("release/totals.csv"));
    insta::assert_snapshot!("suppress_verify", steady(&folder.run("verify release").exits(0).out, &folder));
}

#[test]
fn commands_that_draw_or_tell_errors_refuse() {
    let folder = suppressed();
    let mut said = String::new();
    for command in [
        "explain congenial.toml --error",
        "simulate congenial.toml --draws 2 --out draws.csv",
        "compare congenial.toml",
        "audit congenial.toml",
        "release congenial.toml --out release --format xlsx",
        "release congenial.toml --out release --wide",
    ] {
        said += &format!("$ congenial {command}\n{}\n", folder.run(command).exits(3).err);
    }
    insta::assert_snapshot!("suppress_refused", said);
}
