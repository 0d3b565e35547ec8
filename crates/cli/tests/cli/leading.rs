//! Refusals that lead on, errors on stand-ins, sweeps, and evidence that is gathered once.

use crate::run::Folder;
use serde_json::Value;

/// A table of 4 × 4 counts with both margins; some counts are small.
fn both_margins(rest: &str) -> Folder {
    let folder = Folder::new();
    let counts = [40, 3, 0, 1, 2, 55, 1, 9, 0, 1, 30, 2, 7, 0, 2, 21];
    let rows: String =
        counts.iter().enumerate().map(|(cell, n)| format!("r{},c{},{n}\n", cell / 4, cell % 4)).collect();
    folder.write("x.csv", &format!("row,column,n\n{rows}"));
    folder.write(
        "spec.toml",
        &format!(
            "title = \"Both margins\"\n[data]\npath = \"x.csv\"\ncount = \"n\"\npublic = true\n\
             [dimensions]\nrow = [\"r0\", \"r1\", \"r2\", \"r3\"]\ncolumn = [\"c0\", \"c1\", \"c2\", \"c3\"]\n\
             [[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n{rest}"
        ),
    );
    folder
}

const EPSILON: &str = "[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\n";

#[test]
fn a_refusal_ends_with_lines_to_paste() {
    let folder = both_margins("[mechanism]\nnoise = \"discrete-gaussian\"\nrho = \"1/2\"\n");
    let before = folder.listing();
    let ran = folder.run("explain spec.toml").exits(3);
    for words in
        ["this works for this table", "gives up", "[constraints]", "nonnegative = false", "method = \"cascade\""]
    {
        assert!(ran.err.contains(words), "{words}:\n{}", ran.err);
    }
    assert_eq!(folder.run("release spec.toml --out out").exits(3).err, ran.err);
    assert_eq!(folder.listing(), before);
}

#[test]
fn limits_are_the_users_to_raise() {
    let folder = both_margins(&format!("{EPSILON}sampler = \"messages\"\n[limits]\nmemory = \"0.0001 MB\"\n"));
    folder.replace("spec.toml", "[[invariant]]\nby = [\"column\"]\n", "");
    let before = folder.listing();
    let ran = folder.run("release spec.toml --out out").exits(3);
    let line = "memory = \"1 MB\"";
    for words in
        ["its weights of sums would need", &format!("allowed by [limits] {line}"), "gives up nothing of the release"]
    {
        assert!(ran.err.contains(words), "{words}:\n{}", ran.err);
    }
    assert_eq!(folder.listing(), before);
    // What the refusal says works, and whoever verifies the release derives the same plan from its
    // spec.
    folder.replace("spec.toml", "memory = \"0.0001 MB\"", line);
    folder.run("release spec.toml --out out").exits(0);
    let certificate: Value = serde_json::from_str(&folder.read("out/certificate.json")).unwrap();
    assert!(certificate["spec"].as_str().unwrap().contains(&format!("[limits]\n{line}\ntime = \"20 minutes\"\n")));
    folder.run("verify out").exits(0);
    // More memory than any machine has is planned with, and nothing more is needed of this one.
    folder.replace("spec.toml", line, "memory = \"900 TB\"");
    folder.run("release spec.toml --out more").exits(0);
    folder.run("verify more").exits(0);
}

#[test]
fn errors_and_biases_are_measured_on_a_stand_in() {
    let folder = both_margins(EPSILON);
    let ran = folder.run("explain spec.toml --on x.csv --draws 200 --json").exits(0);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    let told = &found["stand_in_error"];
    assert_eq!((told["draws"].as_u64(), told["stand_in"].as_str()), (Some(200), Some("the public file x.csv")));
    let margins = told["declared"]["margins"].as_array().unwrap();
    let names: Vec<&str> = margins.iter().map(|margin| margin["by"].as_str().unwrap()).collect();
    assert_eq!(names, ["row · column", "row", "column"]);
    assert_eq!(margins[1]["exact"], true);
    // Zeros are raised by counts at or above zero, and not by equalities alone.
    let zero = |which: &str| told[which]["margins"][0]["sums"][2]["bias"].as_f64().unwrap();
    assert!(zero("declared") > 0.5, "{}", zero("declared"));
    assert!(zero("equalities").abs() < 0.5, "{}", zero("equalities"));
    let text = folder.run("explain spec.toml --on x.csv --draws 200").exits(0).out;
    assert!(text.contains("release with equalities, infer with bounds"), "{text}");
    // A projection has no law: a stand-in is made of the totals, and called so.
    folder.replace("spec.toml", "[mechanism]\n", "[mechanism]\nmethod = \"topdown\"\n");
    let text = folder.run("explain spec.toml --error --draws 50").exits(0).out;
    assert!(text.contains("a table made of the exact totals alone"), "{text}");
    for (arguments, words) in [
        ("explain spec.toml --on none.csv", "none.csv"),
        ("explain spec.toml --on x.csv --draws 1", "fewer than two draws"),
    ] {
        let ran = folder.run(arguments).exits(2);
        assert!(ran.err.contains(words) && ran.out.is_empty(), "{arguments}: {}", ran.err);
    }
}

#[test]
fn a_sweep_compares_at_every_strength() {
    let folder = both_margins(EPSILON);
    let ran = folder.run("compare spec.toml --epsilon 1,0.5 --draws 40 --json --out page.html").exits(0);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    let all = found["comparisons"].as_array().unwrap();
    let strengths: Vec<&str> = all.iter().map(|one| one["strength"].as_str().unwrap()).collect();
    assert_eq!((found["of"].as_str(), strengths), (Some("epsilon"), vec!["0.5", "1"]));
    let error = |place: usize| {
        let methods = all[place]["comparison"]["methods"].as_array().unwrap();
        methods.iter().find(|method| method["method"] == "unconstrained").unwrap()["l1"]["mean"].as_f64().unwrap()
    };
    assert!(error(0) > error(1), "less noise at a larger epsilon");
    for one in all {
        let methods = one["comparison"]["methods"].as_array().unwrap();
        let keys = |method: &Value| method.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert!(methods.iter().all(|method| keys(method) == keys(&methods[0])), "every method has the same keys");
    }
    let page = folder.read("page.html");
    for words in ["Error against ε", "errs least", "How often stated intervals hold", "mean error of a cell"] {
        assert!(page.contains(words), "{words}");
    }
    let before = folder.listing();
    for (arguments, words) in [
        ("compare spec.toml --epsilon 0.1,x", "`x` is no number above zero"),
        ("compare spec.toml --epsilon 0", "`0` is no number above zero"),
        ("compare spec.toml --rho 1/2", "the spec has epsilon"),
        ("compare spec.toml --epsilon 1 --draws 1", "fewer than two draws"),
        ("compare spec.toml --epsilon 1 --rho 1", "cannot be used with"),
    ] {
        let ran = folder.run(arguments).exits(2);
        assert!(ran.err.contains(words) && ran.out.is_empty(), "{arguments}: {}", ran.err);
    }
    assert_eq!(folder.listing(), before);
}

#[test]
fn evidence_that_explain_gathered_is_used_by_release() {
    let walk = "[constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\n\
                sampler = \"lattice-walk\"\naccept = \"estimated\"\nmax_delta = \"1e-6\"\n";
    let folder = both_margins(walk);
    let cache = folder.path("cache").display().to_string();
    let with = [("CONGENIAL_CACHE", cache.as_str())];
    let first = folder.run_with("explain spec.toml", &with).exits(0).out;
    let kept: Vec<_> = match std::fs::read_dir(folder.path("cache/evidence")) {
        Ok(files) => files.map(|file| file.unwrap().path()).collect(),
        // A program whose source is not known remembers nothing.
        Err(_) if !folder.run("--version").out.contains("commit") => return,
        Err(error) => panic!("no evidence was kept: {error}"),
    };
    assert_eq!(kept.len(), 1);
    let text = std::fs::read_to_string(&kept[0]).unwrap();
    assert_eq!(folder.run_with("explain spec.toml", &with).exits(0).out, first);
    folder.run_with("release spec.toml --out used", &with).exits(0);
    folder.run("release spec.toml --out gathered").exits(0);
    let evidence = |name: &str| serde_json::from_str::<Value>(&folder.read(name)).unwrap()["evidence"].clone();
    assert_eq!(evidence("used/certificate.json"), evidence("gathered/certificate.json"));
    // What is damaged, or states what does not suit the plan, is gathered again.
    for other in ["[]".to_owned(), "no evidence".to_owned(), text.replace("\"block\":", "\"block\":0")] {
        std::fs::write(&kept[0], other).unwrap();
        assert_eq!(folder.run_with("explain spec.toml", &with).exits(0).out, first);
        assert_eq!(std::fs::read_to_string(&kept[0]).unwrap(), text);
    }
}
