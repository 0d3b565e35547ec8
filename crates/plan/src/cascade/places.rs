//! A cascade over a table that is never in memory whole: the sums of its places first, then every
//! place when its counts arrive.

use super::{CascadeLevel, NO_LAWS, paying, prospect};
use analyse::Analysis;
use cascade::{Begun, CellBounds, Noise, Outline, Places};
use declare::{Conditions, NO_GROUP, Problem};
use draw::{Around, BlockQuantities, Exactness, PlannedWork, Portions, Prospect, Ready};
use exact::{Rational, Source};

/// The small table has two cells for every place of the large one.
const KEPT: usize = 2;

/// A cascade that is drawn portion by portion.
#[derive(Debug)]
pub struct PlannedPlaces {
    prospect: Prospect,
    places: Places,
}

impl PlannedPlaces {
    /// The places of a folded table, with noise that is made larger by what whole numbers cost;
    /// that noise, and κ.
    pub(crate) fn paid(
        conditions: &Conditions,
        analysis: &Analysis,
        levels: Vec<CascadeLevel>,
    ) -> Result<(PlannedPlaces, Vec<CascadeLevel>, Rational), Problem> {
        let outlined = PlaceSums::new(conditions, analysis);
        let (places, levels, kappa) = paying(levels, |levels| outlined.places(levels), Places::kappa)?;
        let because =
            "the sums of groups of cells are drawn first, and every group is split over its cells as these arrive";
        let prospect = prospect(places.numbers(), outlined.count, because);
        Ok((PlannedPlaces { prospect, places }, levels, kappa))
    }

    /// What draws the table, around the counts of the small one: the sums of its places are drawn
    /// here.
    ///
    /// # Errors
    /// Refused where counts are too large.
    pub(crate) fn begin(&self, small: &[i64], source: &dyn Source) -> Result<Box<dyn Portions + '_>, Problem> {
        let sums: Vec<i64> = small.chunks(KEPT).map(|place| place.iter().sum()).collect();
        Ok(Box::new(Drawing(self.places.begin(&sums, source)?)))
    }
}

/// What is declared, by place.
struct PlaceSums {
    count: usize,
    each: usize,
    nonnegative: bool,
    exact: Vec<Vec<u32>>,
    /// The sums of every level; `None`: the cells.
    noise: Vec<Option<Vec<u32>>>,
}

impl PlaceSums {
    fn new(conditions: &Conditions, analysis: &Analysis) -> PlaceSums {
        let count = conditions.cells / KEPT;
        let by_place = |group_of: &[u32]| -> Vec<u32> { group_of.iter().step_by(KEPT).copied().collect() };
        let by_cell =
            |group_of: &[u32]| group_of.chunks(KEPT).any(|place| place.iter().any(|group| *group != place[0]));
        let noise = match conditions.queries.as_slice() {
            [] => vec![None],
            queries => {
                let labels = queries.iter().map(|query| query.grouping.group_of.as_slice());
                labels.map(|labels| (!by_cell(labels)).then(|| by_place(labels))).collect()
            }
        };
        PlaceSums {
            count,
            each: analysis.cells / count.max(1),
            nonnegative: conditions.nonnegative,
            exact: conditions.invariants.iter().map(|grouping| by_place(&grouping.group_of)).collect(),
            noise,
        }
    }

    /// The places with the noise of these levels.
    fn places(&self, levels: &[CascadeLevel]) -> Result<Places, Problem> {
        let cells = levels.iter().zip(&self.noise).find(|(_, labels)| labels.is_none());
        let Some((cells, _)) = cells else { return Err(Problem::refused("no noise on the cells themselves")) };
        let each = Rational::integer(self.each as u64);
        let noise = levels.iter().zip(&self.noise).map(|(level, labels)| match labels {
            None => Noise { group_of: None, variance: &level.variance * &each },
            Some(labels) => Noise { group_of: Some(labels), variance: level.variance.clone() },
        });
        let outline = Outline {
            cells: self.count,
            exact: self.exact.iter().map(Vec::as_slice).collect(),
            noise: noise.collect(),
            bounds: if self.nonnegative { CellBounds::AtLeastZero } else { CellBounds::None },
            ..Outline::default()
        };
        debug_assert!(self.exact.iter().flatten().all(|label| *label != NO_GROUP));
        Places::new(&outline, self.each, &cells.variance)
    }
}

impl PlannedWork for PlannedPlaces {
    fn prospect(&self) -> &Prospect {
        &self.prospect
    }

    fn ready<'a>(&'a self, _around: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem> {
        Err(Problem::refused("a table this large is drawn portion by portion"))
    }

    fn quantities(&self, Around { cells, .. }: Around<'_>) -> Result<BlockQuantities, Problem> {
        Ok(BlockQuantities::without(cells, NO_LAWS))
    }

    fn holds(&self) -> Vec<(&'static str, usize)> {
        vec![("one-dimensional draw", self.places.numbers() as usize)]
    }
}

/// Places whose sums are drawn.
struct Drawing<'a>(Begun<'a>);

impl Portions for Drawing<'_> {
    fn cells(&self) -> usize {
        self.0.cells()
    }

    fn step(&self) -> usize {
        self.0.step()
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn draw(&self, cell: usize, counts: &mut [i64], source: &dyn Source) -> Result<(), Problem> {
        self.0.split(cell, counts, source)
    }
}
