//! ISDP, intersecting sums: three sets over 14 cells with every intersection occupied, ε' = 1/4.

use super::Rehearsal;
use super::findings::Findings;
use super::isdp;
use super::spaces::noise;
use declare::Problem;
use exact::Rational;

const CELLS: u32 = 14;
const PUBLISHED: [&str; 2] = ["about 10⁵ iterations", "about 10⁶ iterations"];

/// A1, A2 and A3: cell `2r − 2` and cell `2r − 1` lie in the sets whose bits are set in r = 1, …,
/// 7, so that each of the seven regions of the three sets holds two cells.
fn sets() -> Vec<Vec<u32>> {
    (0..3).map(|set| (0..CELLS).filter(|cell| (cell / 2 + 1) >> set & 1 == 1).collect()).collect()
}

fn spec() -> String {
    let names = |cells: &[u32]| cells.iter().map(|cell| format!("'{cell}'")).collect::<Vec<String>>().join(", ");
    let values = names(&(0..CELLS).collect::<Vec<u32>>()).replace('\'', "\"");
    let sums: String =
        sets().iter().map(|set| format!("[[invariant]]\nby = []\nwhere = \"cell in ({})\"\n", names(set))).collect();
    format!(
        "title = \"Intersecting sums\"\n[data]\npath = \"none.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\ncell = [{values}]\n{sums}\
         [constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/4\"\nper = \"unit\"\n"
    )
}

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let mut findings = run.findings(&[
            "14 cells and the sums over three sets with every intersection occupied, 11 free dimensions, ε' = 1/4. The paper shows its sets in a \
             figure only; here each of the seven regions of the sets holds two cells: A1 = {1, 2, 5, 6, 9, 10, 13, 14}, \
             A2 = {3, 4, 5, 6, 11, 12, 13, 14}, A3 = {7, …, 14}.",
            "A step proposes one move; an iteration of the paper may be a sweep of 11 such steps. The basis is short (differences and \
             small combinations), the paper's comes from a Smith normal form; proposals are tuned, the paper's are a = e^−1 (ℓ₁) and \
             e^−1.5 (ℓ₂).",
        ]);
    let fibre = noise(CELLS as usize, &sets());
    isdp::both_norms(run, &mut findings, &fibre, &Rational::new(1, 4u8), PUBLISHED, &spec())?;
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::{sets, spec};
    use crate::reproduce::agree;

    #[test]
    fn every_region_of_the_sets_is_occupied() {
        let sets = sets();
        assert_eq!(sets.iter().map(Vec::len).collect::<Vec<usize>>(), [8, 8, 8]);
        for region in 1..8u32 {
            let inside = |cell: &u32| (0..3).all(|set| sets[set].contains(cell) == (region >> set & 1 == 1));
            assert_eq!((0..14).filter(inside).count(), 2, "region {region}");
        }
        let (operator, drawn) = agree::exact(&spec(), 5).unwrap();
        assert_eq!(operator, "messages");
        for draw in drawn {
            assert!(sets.iter().all(|set| set.iter().map(|cell| draw[*cell as usize]).sum::<i64>() == 0));
        }
    }
}
