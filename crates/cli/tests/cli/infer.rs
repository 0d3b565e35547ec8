//! `congenial infer` as its users meet it: questions, answers with their kind, files, and what is
//! refused.

use crate::fixed::released;
use crate::run::{Folder, ask, json};

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
    // The first two cells, both of Alpha, moved.
    let write = |name: &str, moved: [i64; 2]| {
        let mut text = header.join(",") + "\n";
        for (place, row) in rows.iter().enumerate().rev() {
            let value = row[2].parse::<i64>().unwrap() + moved.get(place).unwrap_or(&0);
            text += &format!("{},{},{value}\n", row[0], row[1]);
        }
        folder.write(name, &text);
    };
    write("same.csv", [0, 0]);
    write("moved.csv", [4, -4]);
    let found = json(&ask(&folder, "infer|release|--likelihood|same.csv|--likelihood|moved.csv|--json").exits(0));
    let log = |place: usize| found["figures"][place]["log_likelihood"].as_f64().unwrap();
    // Two cells of rate 1/4 moved by 4 each.
    assert!((log(0) - log(1) - 2.0).abs() < 1e-9, "{found}");
    write("other-total.csv", [14, -4]);
    let ran = ask(&folder, "infer|release|--likelihood|other-total.csv").exits(0);
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
    folder.fix("congenial.toml", "projected", 1);
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
    folder.fix("congenial.toml", "projected", 1);
    for more in ["", " --posterior"] {
        let ran = folder.run(&format!("infer projected{more}")).exits(3);
        assert!(ran.err.contains("the law of its errors is not known"), "{}", ran.err);
    }
}

#[test]
fn bounds_in_the_release_need_the_posterior() {
    let folder = Folder::started();
    folder.replace("congenial.toml", "nonnegative = false", "nonnegative = true");
    folder.fix("congenial.toml", "release", 1);
    let ran = folder.run("infer release").exits(3);
    assert!(ran.err.contains("would not cover") && ran.err.contains("--posterior"), "{}", ran.err);
    let found = json(&folder.run("infer release --posterior --draws 200 --json").exits(0));
    assert!(found["basis"].as_array().unwrap().iter().any(|line| line.as_str().unwrap().contains("1/Z(x)")), "{found}");
}

/// Mean and deviation of every cell of the starter given releases of it, summed over tables: a row
/// of four cells has one exact total, and a release weighs a table by exp(-Σ |y - x| / 4).
fn summed_over_tables(released: &[Vec<i64>]) -> Vec<(f64, f64)> {
    const REACH: i64 = 200;
    let mut laws = Vec::new();
    for first in (0..16).step_by(4) {
        let row = first..first + 4;
        let total: i64 = released[0][row.clone()].iter().sum();
        // The weights of a cell's counts around its first release.
        let weights = |cell: usize| -> Vec<f64> {
            let far = |x: i64| released.iter().map(|counts| (counts[cell] - x).abs()).sum::<i64>();
            (-REACH..=REACH).map(|shift| (-far(released[0][cell] + shift) as f64 / 4.0).exp()).collect()
        };
        for cell in row.clone() {
            // Weights of sums of the other cells, shifts added up.
            let others = row.clone().filter(|other| *other != cell).map(weights).reduce(|one, other| {
                let mut sums = vec![0.0; one.len() + other.len() - 1];
                for (left, weight) in one.iter().enumerate() {
                    other.iter().enumerate().for_each(|(right, times)| sums[left + right] += weight * times);
                }
                sums
            });
            let others = others.unwrap();
            let rest: i64 = row.clone().filter(|other| *other != cell).map(|other| released[0][other]).sum();
            let weighed = weights(cell).into_iter().zip(-REACH..).map(|(weight, shift)| {
                let x = released[0][cell] + shift;
                let place = (total - x - rest) + 3 * REACH;
                (x as f64, weight * usize::try_from(place).map_or(0.0, |place| others[place]))
            });
            let weighed: Vec<(f64, f64)> = weighed.collect();
            let mass: f64 = weighed.iter().map(|(_, weight)| weight).sum();
            let mean = weighed.iter().map(|(x, weight)| x * weight).sum::<f64>() / mass;
            let square = weighed.iter().map(|(x, weight)| (x - mean).powi(2) * weight).sum::<f64>() / mass;
            laws.push((mean, square.sqrt()));
        }
    }
    laws
}

#[test]
fn two_releases_of_one_table_are_put_together() {
    let folder = released();
    folder.fix("congenial.toml", "second", 2);
    let counts = |name: &str| -> Vec<i64> {
        let text = folder.read(&format!("{name}/table.csv"));
        text.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().parse().unwrap()).collect()
    };
    for names in [&["release"][..], &["release", "second"]] {
        let found = json(&folder.run(&format!("infer {} --posterior --json", names.join(" "))).exits(0));
        let expected = summed_over_tables(&names.iter().map(|name| counts(name)).collect::<Vec<_>>());
        let figures = found["figures"].as_array().unwrap();
        assert_eq!(figures.len(), expected.len());
        for (figure, (mean, deviation)) in figures.iter().zip(expected) {
            let close = |name: &str, wanted: f64| (figure[name].as_f64().unwrap() - wanted).abs() < 1e-8;
            assert!(close("mean", mean) && close("deviation", deviation), "{mean} {deviation}: {figure}");
        }
    }
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
    folder.fix("congenial.toml", "second", 2);
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
    folder.fix("congenial.toml", "release", 1);
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
    folder.fix("congenial.toml", "release", 1);
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
