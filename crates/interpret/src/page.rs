//! What was inferred as one self-contained page.

use crate::render::each;
use crate::{Figures, Inferred};
use plan::decimal;

impl Inferred {
    /// One HTML page that loads nothing: intervals as lines, numbers beside them, and what they
    /// stand on.
    pub fn html(&self) -> String {
        let title = self.releases.first().map_or("", |[_, title, _]| title);
        let level = decimal(100.0 * self.level);
        let (heading, rows) = self.rows(&level);
        let lead = each(&self.releases, |[folder, _, known]| format!("{folder}: {known}"));
        report::inference_html(&report::Inference {
            title,
            lead: &lead,
            level: &level,
            heading: &heading,
            rows: &rows,
            spans: &self.spans(),
            basis: &self.basis,
        })
    }

    /// Lower end, figure and upper end of every row, where there are such.
    fn spans(&self) -> Vec<Option<[f64; 3]>> {
        match &self.figures {
            Figures::Intervals(all) => {
                each(all, |one| Some([one.lower() as f64, one.released as f64, one.upper() as f64]))
            }
            Figures::Rates(all) => each(all, |one| {
                one.ends.map(|[lower, upper]| [lower, one.released.0 as f64 / one.released.1 as f64, upper])
            }),
            Figures::Believed(all) => each(all, |one| Some([one.interval[0] as f64, one.mean, one.interval[1] as f64])),
            Figures::BelievedRates(all) => each(all, |one| Some([one.interval[0], one.median, one.interval[1]])),
            Figures::Combined(all) => each(all, |one| {
                let [lower, upper] = one.interval(self.level);
                Some([lower, one.mean, upper])
            }),
            Figures::Compared(all) => each(all, |one| {
                let [lower, upper] = one.difference.map(|end| end as f64);
                Some([lower, one.figures[0] - one.figures[1], upper])
            }),
            Figures::Regressed(found) => {
                each(&found.coefficients, |one| Some([one.interval[0], one.estimate, one.interval[1]]))
            }
            Figures::Modelled(found) => {
                let all = found.fitted.rates.iter().chain(&found.fitted.parameters);
                all.map(|one| Some([one.interval[0], one.mean, one.interval[1]])).collect()
            }
            Figures::Likelihoods(all) => vec![None; all.len()],
            Figures::Tested(_) => vec![None],
        }
    }
}
