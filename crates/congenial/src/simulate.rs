//! Many draws of a public table, to a file: for studying a mechanism before it is used.

use declare::Problem;
use exact::{FreshEntropy, Seeded, Source};
use prepare::{Given, Progress, Quiet, Sample, Sampling, Stage};
use publish::{Format, Values, give_name, no_draw, parent_of, private_folder, write_table};
use std::path::Path;

/// What a simulation wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulated {
    /// The number of draws.
    pub draws: u64,
    /// The number of cells of each.
    pub cells: usize,
}

/// Writes `draws` draws of the table that a spec declares. With a seed the draws are reproducible,
/// whatever the machine's number of threads; only public data may be simulated.
pub fn simulate(
    spec: impl Into<Given>,
    draws: u64,
    seed: Option<u64>,
    file: &Path,
    progress: &dyn Progress,
) -> Result<Simulated, Problem> {
    let format = Format::of(file)?;
    format.check_draws()?;
    let opened = spec.into().open(usize::MAX)?;
    if !opened.declaration.data.public {
        return Err(Problem::refused("simulating confidential data would release it again and again")
            .hint("simulate on public or synthetic data: write `public = true` under [data] only if that is so"));
    }
    if !opened.method().draws {
        return Err(no_draw());
    }
    if draws == 0 {
        return Err(Problem::bad("no draws were asked for").hint("give --draws a number of at least 1"));
    }
    if file.exists() {
        return Err(exists(file));
    }
    let analysed = opened.analyse(&Quiet)?;
    let prepared = analysed.plan()?.supported(progress)?;
    prepared.check_memory()?;
    let work = private_folder(".congenial-", parent_of(file))?;
    let unfinished = work.path().join("draws");
    let domain = &prepared.opened().domain;
    let noisy = prepared.noisy_sums()?;
    let sampling = prepared.sampling_within_memory(&noisy)?;
    let drawn = progress.of(Stage::Draws);
    write_table(&unfinished, format, domain, true, &[], &mut |put| {
        for draw in 0..draws {
            match seed {
                Some(seed) => put_sample(&sampling, &Seeded::draw(seed, draw), put)?,
                None => put_sample(&sampling, &FreshEntropy, put)?,
            }
            drawn(draw + 1);
        }
        Ok(())
    })?;
    give_name(unfinished, file)?;
    Ok(Simulated { draws, cells: domain.len() })
}

/// Draws once and hands the values on.
fn put_sample<S: Source>(
    sampling: &Sampling<'_>,
    source: &S,
    put: &mut dyn FnMut(Values<'_>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    match sampling.sample(source, &|_| {})? {
        Sample::Counts(drawn) => put(Values::Counts(drawn.values())),
        Sample::Reals(values) => put(Values::Reals(&values)),
    }
}

fn exists(file: &Path) -> Problem {
    Problem::bad(format!("`{}` exists; a simulation never overwrites anything", file.display()))
        .hint("choose another --out file, or remove it")
}

#[cfg(test)]
mod tests {
    use publish::give_name;

    #[test]
    fn a_name_that_is_taken_in_the_meantime_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (finished, file) = (folder.path().join("finished"), folder.path().join("draws.csv"));
        std::fs::write(&finished, "new").unwrap();
        std::fs::write(&file, "old").unwrap();
        let problem = give_name(finished.clone(), &file).unwrap_err();
        assert!(problem.message.contains("exists"), "{}", problem.message);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&finished, "new").unwrap();
        give_name(finished, &file).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
    }
}
