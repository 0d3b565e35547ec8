//! Tables that needed a walk: what their exact operators take.

use super::{Measurement, path_of_file, row};
use crate::reproduce::illinois;
use crate::timed::{Timed, timed};
use declare::{Declaration, Problem};

const GAUSSIAN: &str = "noise = \"discrete-gaussian\"\nrho = \"1/8\"\nsampler = \"klein\"";
const COUNTS: &str = "noise = \"double-geometric\"\nepsilon = \"1/4\"\nper = \"unit\"\nsampler = \"divide\"";

/// Times them.
pub(super) fn lattices(report: &mut dyn FnMut(&Measurement)) -> Result<(), Problem> {
    for (what, sizes) in [
        ("12×12×6, all two-way margins, discrete Gaussian, σ² = 8, klein", [12, 12, 6].as_slice()),
        ("30×30, both margins, discrete Gaussian, σ² = 8, klein", &[30, 30]),
    ] {
        let times = margins(sizes, false, GAUSSIAN, 5)?;
        report(&row(what, times, None).within("later draws under 20 ms", times.later < 20e-3));
    }
    let counties = include_str!("../../../../data/county_pop_2010.csv");
    let spec = include_str!("../../../../examples/illinois/l2.toml")
        .replace("path = \"../../data/county_pop_2010.csv\", ", "");
    let spec =
        spec.replace("column = \"geoid\", where = \"state = 'Illinois'\"", &format!("values = [{}]", illinois()));
    let times = path_of_file(&spec, counties)?;
    let mixture = row("Illinois, 102 counties, lattice Laplace, ε' = 0.192, mixture", times, None);
    report(&mixture.within("later draws under 1 ms", times.later < 1e-3));
    let czech = include_str!("../../../../data/czech_autoworkers.csv");
    let spec = include_str!("../../../../examples/czech-autoworkers/spec.toml");
    let times = path_of_file(&spec.replace("[mechanism]\n", "[mechanism]\nsampler = \"thin\"\n"), czech)?;
    report(&row("Czech autoworkers, 2⁶, six margins, ε' = 1/4, thin", times, None));
    let times = path_of_file(include_str!("../../../../examples/czech-autoworkers/nonnegative.toml"), czech)?;
    let czech = row("the same, non-negative: 810 tables, enumerate", times, None);
    report(&czech.within("first draw under 50 ms", times.plan + times.first < 50e-3));
    let hair = include_str!("../../../../data/hair_eye.csv");
    let times = path_of_file(include_str!("../../../../examples/hair-eye/nonnegative.toml"), hair)?;
    let hair = row("hair × eye, 4×4, both margins, non-negative, ε' = 1/4, divide", times, None);
    report(&hair.within("later draws under 5 ms", times.later < 5e-3));
    for (sizes, rate) in [([8, 8], "1/4"), ([3, 10], "1/10"), ([3, 50], "1/4"), ([4, 50], "1/4"), ([100, 4], "1/4")] {
        let what = format!("{}×{}, both margins, non-negative, ε' = {rate}, divide", sizes[0], sizes[1]);
        report(&row(&what, margins(&sizes, true, &COUNTS.replace("1/4", rate), 5)?, None));
    }
    let norm = COUNTS.replace("double-geometric", "lattice-laplace").replace("divide", "reject").replace("1/4", "2");
    for (sizes, mechanism, what) in [
        ([4, 4], norm.clone(), "4×4, both margins, non-negative, counts near 400, lattice Laplace, ε' = 2, reject"),
        ([5, 20], norm, "5×20, the same"),
        ([5, 20], COUNTS.replace("\nsampler = \"divide\"", ""), "5×20, double geometric, ε' = 1/4"),
    ] {
        report(&row(what, margins(&sizes, true, &mechanism, 395)?, None));
    }
    Ok(())
}

/// A table of these sizes, counts from `least` on, with all margins that sum out one dimension.
fn margins(sizes: &[usize], nonnegative: bool, mechanism: &str, least: i64) -> Result<Timed, Problem> {
    let names = ["a", "b", "c"];
    let mut text = "title = \"T\"\n[data]\npath = \"x.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\n".to_owned();
    for (name, size) in names.iter().zip(sizes) {
        let values: Vec<String> = (0..*size).map(|value| format!("\"{name}{value}\"")).collect();
        text.push_str(&format!("{name} = [{}]\n", values.join(", ")));
    }
    for out in 0..sizes.len() {
        let by = names.iter().take(sizes.len()).enumerate().filter(|(axis, _)| *axis != out);
        let by: Vec<String> = by.map(|(_, name)| format!("\"{name}\"")).collect();
        text.push_str(&format!("[[invariant]]\nby = [{}]\n", by.join(", ")));
    }
    let text = format!("{text}[constraints]\nnonnegative = {nonnegative}\n[mechanism]\n{mechanism}\n");
    let declaration = Declaration::parse_alone(&text, "spec.toml")?;
    let counts: Vec<i64> = (0..sizes.iter().product::<usize>() as i64).map(|cell| least + cell * 7 % 11).collect();
    timed(&declaration, &counts)
}
