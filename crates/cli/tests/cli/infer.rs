//! `congenial infer` as its users meet it: questions, answers with their kind, files, and what is
//! refused.

use crate::run::{Folder, Ran};
use serde_json::Value;

/// A folder with a release of the starter, without bounds.
fn released() -> Folder {
    let folder = Folder::started();
    folder.run("release congenial.toml --out release --format csv").exits(0);
    folder
}

/// Runs with arguments that may hold spaces, between `|`.
fn ask(folder: &Folder, arguments: &str) -> Ran {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_congenial"))
        .args(arguments.split('|').map(str::trim))
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn intervals_of_the_starter() {
    let folder = released();
    let found = json(&ask(&folder, "infer|release|--by|education|--json").exits(0));
    assert_eq!((&found["kind"], &found["exact"], &found["level"]), (&"intervals".into(), &true.into(), &0.9.into()));
    let figures = found["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 4);
    for figure in figures {
        assert_eq!((figure["how"].as_str(), figure["reach"].as_u64()), (Some("exact"), Some(13)), "{figure}");
        assert!((figure["deviation"].as_f64().unwrap() - 8.1559).abs() < 5e-5);
    }
    // The columns of the released table say the same of every cell.
    let cells = json(&ask(&folder, "infer|release|--json").exits(0));
    let text = folder.read("release/table.csv");
    for (line, figure) in text.lines().skip(1).zip(cells["figures"].as_array().unwrap()) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields[3], figure["lower"].to_string());
        assert_eq!(fields[4], figure["upper"].to_string());
    }
    let one = ask(&folder, "infer|release|--where|county = 'Alpha' and education in ('Low', 'High')").exits(0);
    assert!(one.out.contains("exact law of the noise"), "{}", one.out);
    ask(&folder, "infer|release|--rate|education = 'Low'|county = 'Beta'|--page|rates.html").exits(0);
    assert!(folder.read("rates.html").contains("Fieller"));
}

#[test]
fn queries_of_a_file() {
    let folder = released();
    folder.write("q.csv", "county,education,query,coefficient\nAlpha,Low,difference,1\nBeta,Low,difference,-1\nAlpha,High,weighted,3\nAlpha,Low,weighted,2\n");
    let found = json(&ask(&folder, "infer|release|--query|q.csv|--level|0.95|--json").exits(0));
    let figures = found["figures"].as_array().unwrap();
    assert_eq!(
        figures.iter().map(|figure| figure["query"].as_str().unwrap()).collect::<Vec<_>>(),
        ["difference", "weighted"]
    );
    assert!(figures.iter().all(|figure| figure["how"] == "exact"), "{figures:?}");
    for (text, said) in [
        ("county,education,query,coefficient\nNowhere,Low,q,1\n", "no cell of the release is `Nowhere, Low`"),
        ("county,education,query,coefficient\nAlpha,Low,q,2147483649\n", "beyond 2^31"),
        ("county,education,query,coefficient\nAlpha,Low,q,x\n", "`x` is not a whole number"),
        ("county,education,coefficient\nAlpha,Low,1\n", "no column `query`"),
        ("county,query,coefficient\nAlpha,q,1\n", "do not tell all cells apart"),
    ] {
        folder.write("bad.csv", text);
        let ran = ask(&folder, "infer|release|--query|bad.csv").exits(2);
        assert!(ran.err.contains(said), "{said}:\n{}", ran.err);
    }
}

#[test]
fn posteriors_tables_and_imputations() {
    let folder = released();
    let ran =
        ask(&folder, "infer|release|--posterior|--nonnegative|--table|best.csv|--best|consistent|--json").exits(0);
    let found = json(&ran);
    assert_eq!((&found["kind"], &found["exact"]), (&"posterior".into(), &true.into()));
    assert!(found["figures"].as_array().unwrap().iter().all(|figure| figure["lower"].as_i64().unwrap() >= 0));
    let best = folder.read("best.csv");
    assert!(best.starts_with("county,education,value,mean,deviation,lower,upper\n"), "{best}");
    let mut totals = std::collections::BTreeMap::<&str, i64>::new();
    for line in best.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let value: i64 = fields[2].parse().unwrap();
        assert!(value >= 0);
        *totals.entry(fields[0]).or_default() += value;
    }
    assert_eq!(totals.into_values().collect::<Vec<_>>(), [20, 55, 35, 25]);
    let ran = ask(&folder, "infer|release|--posterior|--nonnegative|--impute|5|--out|imputed|--by|county").exits(0);
    assert!(folder.path("imputed/imputations.parquet").is_file() && ran.out.contains("freedom"), "{}", ran.out);
    ask(&folder, "infer|release|--posterior|--nonnegative|--impute|5|--out|imputed").exits(2);
    // A rule that the starter's table need not satisfy, and a prior.
    ask(&folder, "infer|release|--posterior|--rule|sum(education = 'High') <= sum(education = 'Low') by county")
        .exits(0);
    ask(&folder, "infer|release|--posterior|--prior|gamma-poisson:0.5").exits(0);
}

#[test]
fn models_are_learnt_with_their_diagnostics() {
    let folder = released();
    let found = json(
        &ask(
            &folder,
            "infer|release|--rate|education = 'Low'|education in ('Low', 'High')|--by|county|--against|0.5|--json",
        )
        .exits(0),
    );
    assert_eq!((&found["kind"], &found["model"]["name"]), (&"model".into(), &"poisson-gamma".into()));
    assert_eq!(found["chains"]["independent"], true);
    for row in found["figures"].as_array().unwrap() {
        let number = |name: &str| row[name].as_f64().unwrap();
        assert!(number("lower") <= number("median") && number("median") <= number("upper"));
        assert!((0.0..=1.0).contains(&number("above")) && number("r_hat") <= 1.01);
    }
    // The same as values of one dimension.
    let short = json(&ask(&folder, "infer|release|--rate|Low/High|--by|county|--model|poisson-gamma|--json").exits(0));
    assert_eq!(short["figures"].as_array().unwrap().len(), found["figures"].as_array().unwrap().len());
    let terms = ask(&folder, "infer|release|--model|loglinear|--terms|county + education").exits(0).out;
    assert!(terms.contains("constant") && terms.contains(" × "), "{terms}");
    let shares = json(&ask(&folder, "infer|release|--model|multinomial-dirichlet|--by|education|--json").exits(0));
    let sum: f64 = shares["figures"].as_array().unwrap().iter().map(|row| row["mean"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    std::fs::write(folder.path("short.csv"), "county,education,value\nAlpha,Low,3\n").unwrap();
    std::fs::write(folder.path("zero.csv"), "county,education,value\nAlpha,Low,0\n").unwrap();
    for (arguments, code, told) in [
        ("infer|release|--exposures|short.csv", 2, "has no row for"),
        ("infer|release|--exposures|zero.csv", 2, "no exposure"),
        ("infer|release|--model|loglinear", 2, "none are given"),
        ("infer|release|--model|loglinear|--terms|county + size", 2, "no such column"),
        ("infer|release|--model|normal", 2, "there is no model `normal`"),
        ("infer|release|--terms|county", 2, "none is asked for"),
        ("infer|release|--model|hierarchical|--posterior", 2, "asks for something else"),
        ("infer|release|--model|poisson-gamma|--prior-shape|0", 2, "--prior-shape"),
        ("infer|release|--model|hierarchical|--prior-shape|1", 2, "both --prior-shape and --prior-rate"),
        ("infer|release|--model|hierarchical|--prior-shape|0.5|--prior-rate|0", 3, "no release has a posterior"),
        ("infer|release|--rate|Low/Huge|--by|county", 2, "no value of the table"),
        ("infer|release|--rate|education = 'Low'|--by|county", 2, "one of them is given"),
        ("infer|release|--model|poisson-gamma|--cancel|importance", 2, "computed or cancels"),
        ("infer|release|--model|hierarchical|--draws|16", 3, "do not agree"),
        ("infer|release|--model|hierarchical|--sampler|rejection", 2, "baselines"),
    ] {
        let ran = ask(&folder, arguments).exits(code);
        assert!(ran.err.contains(told), "{arguments}: {}", ran.err);
        assert!(ran.out.is_empty(), "{arguments}");
    }
}

#[test]
fn likelihoods_compare_tables() {
    let folder = released();
    let released = folder.read("release/table.csv");
    let mut lines = released.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').take(3).collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').take(3).collect()).collect();
    let write = |name: &str, moved: i64| {
        let mut text = header.join(",") + "\n";
        for (place, row) in rows.iter().enumerate().rev() {
            let value: i64 =
                row[2].parse::<i64>().unwrap() + if place < 2 { moved * (1 - 2 * place as i64) } else { 0 };
            text += &format!("{},{},{value}\n", row[0], row[1]);
        }
        folder.write(name, &text);
    };
    write("same.csv", 0);
    write("moved.csv", 4);
    let found = json(&ask(&folder, "infer|release|--likelihood|same.csv|--likelihood|moved.csv|--json").exits(0));
    let log = |place: usize| found["figures"][place]["log_likelihood"].as_f64().unwrap();
    // Two cells of rate 1/4 moved by 4 each.
    assert!((log(0) - log(1) - 2.0).abs() < 1e-9, "{found}");
    folder.replace("moved.csv", "Alpha,Low,", "Alpha,Low,1");
    let ran = ask(&folder, "infer|release|--likelihood|moved.csv").exits(0);
    assert!(ran.out.contains("impossible: the release has 20 exactly"), "{}", ran.out);
}

#[test]
fn bad_questions_are_refused() {
    let folder = released();
    for (arguments, code, said) in [
        ("infer|nowhere", 2, "is not a folder"),
        ("infer|release|--level|1", 2, "a level lies between 0 and 1"),
        ("infer|release|--level|0", 2, "a level lies between 0 and 1"),
        ("infer|release|--impute|20|--out|imputed", 2, "--posterior is not given"),
        ("infer|release|--nonnegative", 2, "--posterior is not given"),
        ("infer|release|--posterior|--impute|20", 2, "into a folder"),
        ("infer|release|--posterior|--impute|1|--out|imputed", 2, "at least two"),
        ("infer|release|--by|nothing", 2, "nothing"),
        ("infer|release|--where|nothing = 1", 2, "nothing"),
        ("infer|release|--output|rates", 2, "no derived table `rates`"),
        ("infer|release|--posterior|--rule|deaths <= cases", 2, "cannot read the rule"),
        ("infer|release|--posterior|--prior|normal", 2, "there is no prior `normal`"),
        ("infer|release|--posterior|--prior|gamma-poisson:-1", 2, "a positive number"),
        ("infer|release|release", 2, "put together by --posterior"),
        ("infer|release|--posterior|--rule|sum(county = 'Alpha') >= 30", 4, ""),
        ("infer|release|--compare|county = 'Alpha'|county = 'Alpha'", 2, "same cells"),
        ("infer|release|--compare|county = 'Alpha'|county = 'Nowhere'", 2, "Nowhere"),
        ("infer|release|--compare|county = 'Alpha'|county = 'Beta'|--query|q.csv", 2, "one question at a time"),
        ("infer|release|--regress|count ~ county", 2, "--posterior is not given"),
        ("infer|release|--posterior|--regress|count", 2, "has no `~`"),
        ("infer|release|--posterior|--regress|count ~ nothing", 2, "no dimension or level `nothing`"),
        ("infer|release|--posterior|--regress|count ~ county * education", 2, "which is no name"),
        ("infer|release|--posterior|--regress|county ~ education", 2, "are no numbers"),
        ("infer|release|--posterior|--regress|count ~ county|--open|county=3", 2, "no bin without an end"),
        ("infer|release|--posterior|--regress|count ~ county|--open|education=3", 2, "not in the formula"),
        ("infer|release|--posterior|--regress|count ~ county|--open|county", 2, "not a name and a number"),
        ("infer|release|--posterior|--regress|count ~ county|--by|county", 2, "--by asks for others"),
        ("infer|release|--posterior|--regress|count ~ county|--impute|1", 2, "at least two"),
        ("infer|release|--posterior|--open|county=3", 2, "--regress, which is not given"),
        ("infer|release|--posterior|--projected", 2, "is no projection"),
        ("infer|release|--projected", 2, "--posterior is not given"),
    ] {
        let ran = ask(&folder, arguments).exits(code);
        assert!(ran.err.contains(said), "{arguments}:\n{}", ran.err);
        assert!(!folder.path("imputed").exists());
    }
}

#[test]
fn pairs_are_compared() {
    let folder = released();
    let pair = "--compare|education = 'Low'|education = 'High'";
    let found = json(&ask(&folder, &format!("infer|release|{pair}|--by|county|--json")).exits(0));
    assert_eq!((&found["kind"], &found["exact"]), (&"comparisons".into(), &true.into()), "{found}");
    let figures = found["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 4);
    for figure in figures {
        let number = |name: &str| figure[name].as_f64().unwrap();
        let difference = number("first") - number("second");
        assert!(number("lower") <= difference && difference <= number("upper"), "{figure}");
        assert!(number("greater") >= 0.0 && number("greater") + number("equal") <= 1.0 + 1e-9, "{figure}");
        // The noise is symmetric: which is more probably greater is the one that was released so.
        assert!(number("greater") <= 0.5 || difference > 0.0, "{figure}");
        assert!(figure["draws"].is_null());
    }
    let believed = json(&ask(&folder, &format!("infer|release|--posterior|--nonnegative|{pair}|--json")).exits(0));
    assert_eq!(believed["figures"][0]["query"], "education = 'Low' against education = 'High'");
    assert!((0.0..=1.0).contains(&believed["figures"][0]["greater"].as_f64().unwrap()), "{believed}");
    let ran = ask(&folder, &format!("infer|release|{pair}|--page|pairs.html")).exits(0);
    assert!(ran.out.contains("P(greater)") && folder.read("pairs.html").contains("P(greater)"), "{}", ran.out);
}

#[test]
fn models_are_fitted_to_imputations() {
    let folder = released();
    let known = "infer|release|--posterior|--nonnegative";
    let found = json(&ask(&folder, &format!("{known}|--regress|count ~ county + education|--json")).exits(0));
    assert_eq!((&found["kind"], &found["exact"]), (&"regression".into(), &false.into()));
    let figures = found["figures"].as_array().unwrap();
    let terms: Vec<&str> = figures.iter().map(|figure| figure["term"].as_str().unwrap()).collect();
    assert_eq!(terms[..3], ["(constant)", "county = Beta", "county = Gamma"]);
    assert_eq!((terms.len(), &figures[0]["imputations"]), (7, &20.into()));
    // Both factors are fitted as margins, and the counties are exact: 20, 55, 35 and 25.
    let beta = figures[1]["estimate"].as_f64().unwrap();
    assert!((beta - (55f64 / 20.0).ln()).abs() < 1e-6, "{beta}");
    assert!(figures[1]["between"].as_f64().unwrap() < 1e-12 && figures[4]["between"].as_f64().unwrap() > 0.0);
    let ran = ask(&folder, &format!("{known}|--regress|count ~ education|--impute|5|--out|imputed")).exits(0);
    assert!(ran.out.contains("Rubin") && folder.path("imputed/imputations.parquet").exists(), "{}", ran.out);
}

#[test]
fn projections_of_small_public_tables_are_compared() {
    let folder = Folder::started();
    folder.replace("congenial.toml", "[mechanism]", "[mechanism]\nmethod = \"project\"");
    folder.run("release congenial.toml --out projected").exits(0);
    let ran = folder.run("infer projected --posterior --projected").exits(3);
    assert!(ran.err.contains("too many possible tables"), "{}", ran.err);
}

#[test]
fn totals_that_contradict_bounds_leave_no_table() {
    let folder = released();
    folder.write("totals.csv", "education,value\nLow,-5\nMedium,60\nHigh,50\nVery High,30\n");
    ask(&folder, "infer|release|--posterior|--nonnegative|--total|totals.csv").exits(4);
    folder.write("totals.csv", "education,value\nLow,40\nMedium,40\nHigh,30\nVery High,25\n");
    let found = json(
        &ask(&folder, "infer|release|--posterior|--nonnegative|--total|totals.csv|--by|education|--json").exits(0),
    );
    let means: Vec<f64> =
        found["figures"].as_array().unwrap().iter().map(|figure| figure["mean"].as_f64().unwrap()).collect();
    assert!(means.iter().zip([40.0, 40.0, 30.0, 25.0]).all(|(mean, known)| (mean - known).abs() < 1e-9), "{means:?}");
}

#[test]
fn releases_whose_law_is_not_known_say_what_can_be_told() {
    let folder = Folder::started();
    folder.replace("congenial.toml", "[mechanism]", "[mechanism]\nmethod = \"project\"");
    folder.run("release congenial.toml --out projected").exits(0);
    for more in ["", " --posterior"] {
        let ran = folder.run(&format!("infer projected{more}")).exits(3);
        assert!(ran.err.contains("the law of its errors is not known"), "{}", ran.err);
    }
}

#[test]
fn bounds_in_the_release_need_the_posterior() {
    let folder = Folder::started();
    folder.replace("congenial.toml", "nonnegative = false", "nonnegative = true");
    folder.run("release congenial.toml --out release").exits(0);
    let ran = folder.run("infer release").exits(3);
    assert!(ran.err.contains("would not cover") && ran.err.contains("--posterior"), "{}", ran.err);
    let found = json(&folder.run("infer release --posterior --draws 200 --json").exits(0));
    assert!(found["basis"].as_array().unwrap().iter().any(|line| line.as_str().unwrap().contains("1/Z(x)")), "{found}");
}

#[test]
fn two_releases_of_one_table_are_put_together() {
    let folder = released();
    folder.run("release congenial.toml --out second --format csv").exits(0);
    let one = json(&folder.run("infer release --posterior --json").exits(0));
    let both = json(&folder.run("infer release second --posterior --json").exits(0));
    let width = |found: &Value| {
        let figures = found["figures"].as_array().unwrap();
        figures.iter().map(|figure| figure["deviation"].as_f64().unwrap()).sum::<f64>()
    };
    assert!(width(&both) < width(&one), "{} {}", width(&both), width(&one));
    // Another table.
    folder.replace("congenial.toml", "\"Very High\"", "\"Highest\"");
    assert!(folder.run("infer release nowhere --posterior").code == 2);
}

#[test]
fn one_draw_in_two_folders_is_refused() {
    let folder = released();
    folder.run("retitle release --title Corrected --out retitled").exits(0);
    for format in ["parquet", "xlsx"] {
        folder.run(&format!("export release --format {format} --out {format}")).exits(0);
    }
    std::fs::create_dir(folder.path("copy")).unwrap();
    for file in std::fs::read_dir(folder.path("release")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.path("copy").join(file.file_name())).unwrap();
    }
    folder.write("t.csv", &folder.read("release/table.csv"));
    for other in ["release", "./release", "copy", "retitled", "parquet", "xlsx"] {
        for asked in ["--posterior", "--posterior --nonnegative", "--likelihood t.csv"] {
            let said = folder.run(&format!("infer release {other} {asked}")).exits(2).err;
            assert!(said.contains("are the same draw"), "{other} {asked}:\n{said}");
        }
    }
    // Also among three, and not where the first stands.
    folder.run("release congenial.toml --out second").exits(0);
    assert!(folder.run("infer second release copy --posterior").exits(2).err.contains("are the same draw"));
    folder.run("infer second copy --posterior").exits(0);
}

#[test]
fn rates_have_posteriors_and_imputations() {
    let folder = released();
    let rate = "--rate|education = 'Low'|education in ('Low', 'High')|--by|county";
    let found = json(&ask(&folder, &format!("infer|release|--posterior|--nonnegative|{rate}|--json")).exits(0));
    assert_eq!((&found["kind"], &found["exact"]), (&"posterior_rates".into(), &false.into()));
    for figure in found["figures"].as_array().unwrap() {
        let number = |name: &str| figure[name].as_f64().unwrap();
        assert!(0.0 <= number("lower") && number("lower") <= number("median") && number("upper") <= 1.0, "{figure}");
    }
    let ran = ask(&folder, &format!("infer|release|--posterior|--nonnegative|{rate}|--impute|5|--out|imputed"));
    // A denominator of zero in an imputation is refused; else rates are combined.
    assert!(ran.code == 0 && ran.out.contains("freedom") || ran.err.contains("of zero"), "{}{}", ran.out, ran.err);
}

#[test]
fn tables_of_releases_are_read_for_their_likelihood() {
    let folder = released();
    for format in ["parquet", "xlsx"] {
        folder.run(&format!("export release --format {format} --out {format}")).exits(0);
    }
    folder.run("infer release --posterior --nonnegative --table best.parquet --best consistent").exits(0);
    let log = |file: &str| {
        json(&folder.run(&format!("infer release --likelihood {file} --json")).exits(0))["figures"][0]["log_likelihood"]
            .clone()
    };
    let own = log("release/table.csv");
    assert!(own.as_f64().unwrap() < 0.0);
    assert_eq!((&log("parquet/table.parquet"), &log("xlsx/table.xlsx")), (&own, &own));
    assert!(log("best.parquet").as_f64().unwrap() <= own.as_f64().unwrap());
}

#[test]
fn suppressed_releases_and_cascades() {
    let folder = Folder::started();
    let spec = folder.read("congenial.toml");
    let (before, _) = spec.split_once("[mechanism]").unwrap();
    folder.write("suppressed.toml", &format!("{before}[mechanism]\nmethod = \"suppress\"\n"));
    folder.run("release suppressed.toml --out suppressed").exits(0);
    for asked in ["", " --posterior", " --likelihood delinquent.csv"] {
        let said = folder.run(&format!("infer suppressed{asked}")).exits(3).err;
        assert!(said.contains("only totals were published") && said.contains("range"), "{said}");
    }
    let mechanism =
        "[mechanism]\nmethod = \"cascade\"\nnoise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"record\"\n";
    let bounded = before.replace("nonnegative = false", "nonnegative = true");
    folder.write("congenial.toml", &format!("{bounded}{mechanism}"));
    folder.run("release congenial.toml --out release --format csv").exits(0);
    let found = json(&folder.run("infer release --posterior --json").exits(0));
    assert!(
        found["basis"].as_array().unwrap().iter().any(|line| line.as_str().unwrap().contains("cascade")),
        "{found}"
    );
    let found = json(&folder.run("infer release --likelihood release/table.csv --json").exits(0));
    assert_eq!(found["figures"][0]["relative"], false);
}

#[test]
fn an_altered_release_is_refused_as_by_verify() {
    let folder = released();
    let table = folder.read("release/table.csv");
    folder.write("release/table.csv", &table.replacen(",Low,", ",Low,1", 1));
    let said = folder.run("infer release").exits(2).err;
    assert!(said.contains("is not the table that was certified"), "{said}");
    folder.write("release/table.csv", &table);
    folder.run("infer release").exits(0);
    let certificate = folder.read("release/certificate.json");
    folder.write("release/certificate.json", &certificate.replacen("\"1/4\"", "\"1/2\"", 1).replacen("0.25", "0.5", 1));
    if folder.read("release/certificate.json") != certificate {
        folder.run("infer release").exits(2);
    }
}

/// A release weighted by a base measure: what works without a file, and that a changed public value
/// is found.
#[test]
fn a_base_measure_is_part_of_the_law() {
    let folder = Folder::started();
    folder.replace("congenial.toml", "nonnegative = false", "nonnegative = true");
    let base = "\n[mechanism.base]\nlaw = \"dirichlet-multinomial\"\nalpha = \"1/10\"\nvalues = { by = [\"county\"], rows = [[\"Alpha\", \"20\"], \
                [\"Beta\", \"55\"], [\"Gamma\", \"25\"], [\"Delta\", \"35\"]] }\n";
    let spec = folder.read("congenial.toml");
    folder.write("congenial.toml", &format!("{spec}{base}"));
    folder.run("release congenial.toml --out release --format csv").exits(0);
    let said = folder.run("infer release").exits(3).err;
    assert!(said.contains("a base measure weighs") && said.contains("--posterior"), "{said}");
    let found = json(&folder.run("infer release --posterior --draws 300 --by county --json").exits(0));
    assert!(found["basis"].as_array().unwrap().iter().any(|line| line.as_str().unwrap().contains("b(y)")), "{found}");
    let found = json(&folder.run("infer release --likelihood release/table.csv --json").exits(0));
    assert!(found["figures"][0]["log_likelihood"].as_f64().unwrap() < 0.0 && found["figures"][0]["relative"] == false);
    let certificate = folder.read("release/certificate.json");
    let (old, new) = ("[\\\"Alpha\\\", \\\"20\\\"]", "[\\\"Alpha\\\", \\\"21\\\"]");
    assert!(certificate.contains(old));
    folder.write("release/certificate.json", &certificate.replace(old, new));
    let verified = folder.run("verify release");
    let asked = folder.run("infer release --posterior");
    assert_eq!((verified.code, asked.code), (2, 2), "{}{}", verified.err, asked.err);
}

/// What `infer` tells of examples, one of every kind of release that takes no time;
/// `benches/infer_sweep.py` asks all of them.
#[test]
fn examples_have_posteriors_imputations_and_likelihoods() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap();
    for (example, basis) in [
        ("bartlett/spec", "listing all"),
        ("czech-autoworkers/cascade", "see the diagnoses"),
        ("czech-autoworkers/nonnegative", "listing all"),
        ("czech-autoworkers/spec", "twelve digits"),
        ("delinquent-children/gaussian-nonnegative", "1/Z(x)"),
        ("delinquent-children/gaussian", "twelve digits"),
        ("delinquent-children/spec", "twelve digits"),
        ("five-cells/spec", "twelve digits"),
        ("hair-eye/cascade", "see the diagnoses"),
        ("hair-eye/gaussian", "1/Z(x)"),
        ("illinois/spec", "twelve digits"),
        ("illinois/l2", "drawn exactly from the posterior"),
        ("pennsylvania/last-month", "a base measure in the release"),
        ("sibling-parts/spec", "1/Z(x)"),
        ("taxi/spec", "twelve digits"),
    ] {
        let folder = Folder::started();
        let spec = root.join(format!("{example}.toml")).display().to_string();
        // Pairs under a base measure have unequal weights: fewer draws would tell too little.
        let draws = if example == "pennsylvania/last-month" { 2000 } else { 400 };
        let known = format!("--posterior|--nonnegative|--draws|{draws}");
        // What a release tells is random: of about one in ten these draws tell too little, which is said. Ten in a row
        // that do are no chance.
        let told = (0..10).find_map(|again| {
            let name = format!("r{again}");
            ask(&folder, &format!("release|{spec}|--out|{name}")).exits(0);
            let table = tells(ask(&folder, &format!("infer|{name}|{known}|--best|consistent|--table|{name}.csv")))?;
            tells(ask(&folder, &format!("infer|{name}|{known}|--impute|3|--out|imputed-{name}")))?;
            Some((name, table))
        });
        let (name, table) = told.unwrap_or_else(|| panic!("{example}: ten releases that tell too little"));
        assert!(table.out.contains(basis), "{example}:\n{}", table.out);
        assert!(folder.path(&format!("imputed-{name}/imputations.parquet")).exists());
        let found = json(&ask(&folder, &format!("infer|{name}|--likelihood|{name}.csv|--json")).exits(0));
        let log = found["figures"][0]["log_likelihood"].as_f64();
        assert!(log.is_some_and(|log| log < 0.0 || example == "illinois/l2"), "{example}: {found}");
    }
}

/// An answer; `None` where a release tells too little for the draws that were asked for.
fn tells(ran: Ran) -> Option<Ran> {
    let too_little = ran.code == 3 && ran.err.contains("independent draws, and at least");
    (!too_little).then(|| ran.exits(0))
}

/// An example's release in a folder.
fn of_example(name: &str) -> Folder {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap();
    let folder = Folder::started();
    let spec = root.join(format!("{name}.toml")).display().to_string();
    ask(&folder, &format!("release|{spec}|--out|r")).exits(0);
    folder
}

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
    folder.run("release congenial.toml --out again --format csv").exits(0);
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
