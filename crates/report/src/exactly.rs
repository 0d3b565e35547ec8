//! Which sums of a table are exact: those along the dimensions of an exact total, and all coarser
//! ones.

use crate::Release;
use certify::CertifiedInvariant;
use declare::Values;
use std::collections::BTreeMap;

/// Sets of dimensions, by their places, along which all sums are exact.
pub(crate) struct Exactly(Vec<Vec<usize>>);

impl Exactly {
    /// What the certificate of a release says. An invariant over part of the cells makes no margin
    /// exact, and one along a level of a hierarchy only what is coarser.
    pub(crate) fn of(release: &Release) -> Exactly {
        let invariants = release.certificate.invariants.iter();
        Exactly(invariants.filter_map(|invariant| margin(release, invariant)).collect())
    }

    /// Whether every sum along these dimensions is exact.
    pub(crate) fn along(&self, dimensions: &[usize]) -> bool {
        self.0.iter().any(|exact| dimensions.iter().all(|place| exact.contains(place)))
    }
}

/// The dimensions along which an invariant makes all sums exact; `None`: it is about other sums
/// than whole margins.
fn margin(release: &Release, invariant: &CertifiedInvariant) -> Option<Vec<usize>> {
    let dimensions = &release.domain.schema.dimensions;
    let names: Vec<&str> = match invariant.label.strip_prefix("by ") {
        Some(names) => names.split(", ").collect(),
        None if invariant.label == "total" => Vec::new(),
        None => return None,
    };
    let mut places = Vec::new();
    let mut coarser = false;
    for name in names {
        let found = dimensions.iter().enumerate().find_map(|(place, dimension)| match &dimension.values {
            Values::Hierarchy(levels) => {
                let level = levels.names.iter().position(|level| level == name)?;
                Some((place, level + 1 == levels.names.len()))
            }
            _ => (dimension.name == name).then_some((place, true)),
        });
        match found? {
            (place, true) if !places.contains(&place) => places.push(place),
            (_, true) => {}
            (_, false) => coarser = true,
        }
    }
    let totals = || invariant.totals.iter().map(|total| i128::from(total.value));
    // Totals over a part of the cells, or with factors, are not the sums of the table.
    let agrees = match coarser || release.figures.first.len() < release.domain.len() {
        true => totals().sum::<i128>() == release.figures.sum,
        false => sums(release, &places).eq(totals()),
    };
    agrees.then_some(places)
}

/// The sums of a table that is kept whole along dimensions, in the order of their codes.
fn sums(release: &Release, places: &[usize]) -> impl Iterator<Item = i128> {
    let mut sums: BTreeMap<Vec<usize>, i128> = BTreeMap::new();
    for (cell, value) in release.figures.first.iter().enumerate() {
        let codes = release.domain.codes(cell);
        let key = places.iter().map(|place| codes[*place]).collect();
        *sums.entry(key).or_default() += i128::from(*value);
    }
    sums.into_values()
}
