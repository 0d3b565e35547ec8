//! Release with equalities, infer with bounds: Pennsylvania, August 2020, cases and deaths of 67
//! counties.

use crate::making::{drawn, release};
use infer::{Asked, Cancel, Field, Knowledge, Posterior, Query, Release, Wanted, intervals};
use rayon::prelude::*;

const RULE: &str = "sum(measure = 'new_deaths') <= sum(measure = 'new_cases') by county";

/// Names and counts: cases and deaths, county by county.
fn august() -> (Vec<String>, Vec<i64>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/pa_county_monthly.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let (mut names, mut counts) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        if fields[2] == "2020-08" {
            names.push(fields[0].to_string());
            counts.extend([3, 4].map(|place| fields[place].parse::<i64>().unwrap().max(0)));
        }
    }
    assert_eq!((names.len(), counts.len()), (67, 134));
    (names, counts)
}

fn spec(bounds: bool) -> (String, Vec<i64>) {
    let (names, counts) = august();
    let counties = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let constraints = match bounds {
        true => {
            "[[constraints.rule]]\nby = [\"county\"]\nleft = \"measure = 'new_deaths'\"\nop = \"<=\"\nright = \"measure = 'new_cases'\"\n"
        }
        false => "[constraints]\nnonnegative = false\n",
    };
    let text = format!(
        "title = \"August\"\n[data]\npath = \"none.csv\"\npublic = true\n[dimensions]\ncounty = [{counties}]\n\
         measure = {{ columns = [\"new_cases\", \"new_deaths\"], record = \"any\" }}\n[[invariant]]\nby = []\nwhere = \"measure = 'new_cases'\"\n\
         {constraints}[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\nper = \"record\"\n"
    );
    (text, counts)
}

/// The release conditioned on the bounds, at the plain price of them: ε' = 1/8.
fn at_an_eighth() -> Release {
    let (text, truth) = spec(true);
    let mut bounded = release(&text, &truth);
    assert!(rate(&bounded) >= 0.125, "the price of bounds is at most twofold");
    bounded.plan.law = draw::NoiseLaw::double_geometric(exact::Rational::new(1, 8u8));
    bounded
}

fn rate(release: &Release) -> f64 {
    release.plan.law.energy(1).to_f64()
}

#[test]
fn releases_with_equalities_and_with_bounds_have_the_errors_that_were_computed() {
    let (text, truth) = spec(false);
    let free = release(&text, &truth);
    assert_eq!(rate(&free), 0.25);
    let expected = |release: &Release| {
        let laws = Field::of_release(release).unwrap().cell_laws().unwrap();
        (0..truth.len()).map(|cell| laws.of(cell as u32).unwrap().mean_absolute(truth[cell])).sum::<f64>()
    };
    // 67 cells in no total and 67 in one: 67·(3.9586 + 3.8986).
    assert!((expected(&free) - 526.44).abs() < 0.01, "{}", expected(&free));
    let bounded = at_an_eighth();
    assert!((expected(&bounded) - 928.0).abs() < 0.5, "{}", expected(&bounded));
}

#[test]
fn free_quantiles_do_not_cover_under_bounds() {
    let bounded = at_an_eighth();
    let (names, truth) = august();
    let sullivan = 2 * names.iter().position(|name| name == "Sullivan").unwrap() as u32;
    // The reach of the same noise without bounds.
    let mut free = release(&spec(false).0, &truth);
    free.plan.law = bounded.plan.law.clone();
    let one = Query::new("cell", [(sullivan, 1)]).unwrap();
    let asked = Asked::new(0.9, 99, 1).unwrap();
    let reach = intervals(&free, &[one], asked).unwrap()[0].reach as i64;
    assert_eq!(reach, 18);
    let laws = Field::of_release(&bounded).unwrap().cell_laws().unwrap();
    let shares: Vec<f64> = [sullivan, sullivan + 1]
        .map(|cell| {
            let own = truth[cell as usize];
            let law = laws.of(cell).unwrap();
            law.listed().filter(|(value, _)| (value - own).abs() <= reach).map(|(_, mass)| mass).sum()
        })
        .to_vec();
    assert!(shares.iter().any(|share: &f64| (share - 0.8604).abs() < 5e-5), "{shares:?}");
    assert!(infer::check_free(&bounded).unwrap_err().message.contains("would not cover"));
}

#[test]
fn posterior_medians_under_bounds_are_nearer_and_their_intervals_cover() {
    let (text, truth) = spec(false);
    let free = release(&text, &truth);
    let number: u64 = std::env::var("CONGENIAL_RELEASES").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let knowledge = Knowledge { nonnegative: true, rules: vec![RULE.into()], ..Knowledge::default() };
    let wanted = Wanted { cancel: Cancel::Automatic, draws: 100, seed: 1 };
    let found: Vec<[f64; 4]> = (0..number)
        .into_par_iter()
        .map(|draw| {
            let one = drawn(&free, 2020, draw);
            let raw: i64 = one.values.iter().zip(&truth).map(|(y, x)| (y - x).abs()).sum();
            let releases = [one];
            let posterior = Posterior::new(&releases, &knowledge, wanted).unwrap();
            assert!(posterior.basis.exact);
            let cells = posterior.believed(&Query::cells(&releases[0].domain), 0.9, wanted).unwrap();
            let (mut error, mut covered, mut width) = (0, 0, 0);
            for (cell, x) in cells.iter().zip(&truth) {
                error += (cell.median - x).abs();
                covered += i64::from((cell.interval[0]..=cell.interval[1]).contains(x));
                width += cell.interval[1] - cell.interval[0] + 1;
            }
            [raw, error, covered, width].map(|sum| sum as f64)
        })
        .collect();
    let mean = |place: usize| found.iter().map(|row| row[place]).sum::<f64>() / number as f64;
    let error = |place: usize| {
        (found.iter().map(|row| (row[place] - mean(place)).powi(2)).sum::<f64>() / number as f64 / number as f64).sqrt()
    };
    let line = format!(
        "{number} releases: raw L1 {:.1} ± {:.1}, median L1 {:.1} ± {:.1}, covered {:.4} ± {:.4}, width {:.2}",
        mean(0),
        error(0),
        mean(1),
        error(1),
        mean(2) / 134.0,
        error(2) / 134.0,
        mean(3) / 134.0
    );
    if let Ok(file) = std::env::var("CONGENIAL_FIGURES") {
        std::fs::write(file, &line).unwrap();
    }
    assert!((mean(1) - 467.0).abs() < 5.0 + testkit::deviations(2) * error(1), "{line}");
    assert!((mean(2) / 134.0 - 0.903).abs() < 0.005 + testkit::deviations(2) * error(2) / 134.0, "{line}");
    assert!((mean(3) / 134.0 - 15.2).abs() < 1.1, "{line}");
}
