//! The table along the dimension that a reader chooses: its sums, and the counts of each where they
//! are few. No script runs: the choice is a list of radio buttons that the style sheet knows.

use crate::Release;
use crate::bars::{self, Bar, Error};
use crate::exactly::Exactly;
use crate::labels;
use crate::markup::Markup;
use crate::overview::Shown;
use crate::scale::Scale;
use crate::words::{listed, number};
use declare::{Dimension, Values};

/// The style sheet knows so many choices.
const MOST_CHOICES: usize = 8;

/// Larger tables are shown by their sums alone.
const MOST_COUNTS: usize = 240;

/// One choice for every dimension that is short enough, or a level of it that is.
pub(crate) fn section(page: &mut Markup, release: &Release) {
    let dimensions = &release.domain.schema.dimensions;
    let margins = dimensions.iter().zip(&release.figures.margins).enumerate();
    let choices: Vec<Choice<'_>> = margins
        .filter_map(|(place, (dimension, margin))| {
            let (shown, sums) = margin.as_ref()?;
            Some(Choice { place, dimension, shown: *shown, sums })
        })
        .take(MOST_CHOICES)
        .collect();
    if choices.is_empty() {
        return;
    }
    page.element("div", &[("class", "choose"), ("role", "group"), ("aria-label", "Counts by dimension")], |page| {
        for (number, choice) in choices.iter().enumerate() {
            let identity = format!("by-{number}");
            let attributes =
                [("type", "radio"), ("name", "by"), ("id", &identity), ("class", "chooser"), ("checked", "")];
            page.void("input", if number == 0 { &attributes } else { &attributes[..4] });
            page.leaf("label", &[("for", &identity)], &format!("by {}", choice.name()));
        }
        for (number, choice) in choices.iter().enumerate() {
            page.element("div", &[("class", &format!("panel by-{number}"))], |page| choice.panel(page, release));
        }
    });
}

/// A dimension that can be chosen.
struct Choice<'a> {
    place: usize,
    dimension: &'a Dimension,
    shown: Shown,
    sums: &'a [i128],
}

impl Choice<'_> {
    fn name(&self) -> &str {
        match (self.shown, &self.dimension.values) {
            (Shown::Level(level), Values::Hierarchy(levels)) => &levels.names[level],
            _ => &self.dimension.name,
        }
    }

    fn label(&self, code: usize) -> String {
        match (self.shown, &self.dimension.values) {
            (Shown::Level(level), Values::Hierarchy(levels)) => levels.labels[level][code].clone(),
            (_, values) => labels::value(values, code),
        }
    }

    /// What is known of the error of a sum.
    fn error(&self, release: &Release, exactly: &Exactly, code: usize) -> Error {
        let whole = self.shown == Shown::Values;
        let exact = whole && exactly.along(&[self.place]);
        let reach = release.known.of_sums(&[self.place]).filter(|_| whole);
        match reach.and_then(|reach| reach.get(code)) {
            _ if exact => Error::Exact,
            Some(reach) => Error::Within(*reach),
            None => Error::Unknown,
        }
    }

    fn panel(&self, page: &mut Markup, release: &Release) {
        let exactly = Exactly::of(release);
        let several = release.domain.schema.dimensions.len() > 1;
        let few = release.domain.len() <= MOST_COUNTS && release.figures.first.len() == release.domain.len();
        if several && few && self.shown == Shown::Values {
            return self.counts(page, release, &exactly);
        }
        let title = format!("Sums by {}", self.name());
        let bar =
            |(code, value): (usize, &i128)| Bar::of_sum(self.label(code), *value, self.error(release, &exactly, code));
        let rows: Vec<Bar> = self.sums.iter().enumerate().map(bar).collect();
        page.leaf("h3", &[], &title);
        bars::list(page, &title, &[self.name()], &rows);
    }

    /// Every value with its total, and the counts below it.
    fn counts(&self, page: &mut Markup, release: &Release, exactly: &Exactly) {
        let dimensions = &release.domain.schema.dimensions;
        let scale = Scale::of(&release.figures.above, &release.figures.below);
        let others: Vec<usize> = (0..dimensions.len()).filter(|place| *place != self.place).collect();
        let names: Vec<String> = others.iter().map(|place| dimensions[*place].name.clone()).collect();
        let mut groups: Vec<Vec<Bar>> = (0..self.dimension.values.len()).map(|_| Vec::new()).collect();
        for cell in 0..release.figures.first.len() {
            let codes = release.domain.codes(cell);
            let label = |place: &usize| labels::value(&dimensions[*place].values, codes[*place]);
            let labels = vec![others.iter().map(label).collect::<Vec<_>>().join(", ")];
            groups[codes[self.place]].push(Bar::of_cell(release, &scale, cell, labels));
        }
        let heads: Vec<String> = (0..groups.len())
            .map(|code| {
                let sum = self.sums.get(code).copied().unwrap_or(0);
                let error = match self.error(release, exactly, code) {
                    Error::Exact => ", exact".to_owned(),
                    Error::Within(reach) => format!(" ±{}", number(i128::from(reach))),
                    Error::Unknown => String::new(),
                };
                format!("{}: total {}{error}", self.label(code), number(sum))
            })
            .collect();
        let title = format!("Counts by {}, each with {}", self.name(), listed(&names));
        bars::grouped(page, &title, &heads, &groups);
    }
}
