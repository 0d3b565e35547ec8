//! What was inferred as one self-contained page.

use crate::Inferred;
use plan::decimal;

impl Inferred {
    /// One HTML page that loads nothing: intervals as lines, numbers beside them, and what they
    /// stand on.
    pub fn html(&self) -> String {
        let title = self.releases.first().map_or("", |[_, title, _]| title);
        let level = decimal(100.0 * self.level);
        let (heading, rows) = self.rows(&level);
        let lead = self.releases.iter().map(|[folder, _, known]| format!("{folder}: {known}")).collect::<Vec<_>>();
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
        use crate::Figures;
        match &self.figures {
            Figures::Intervals(all) => {
                all.iter().map(|one| Some([one.lower() as f64, one.released as f64, one.upper() as f64])).collect()
            }
            Figures::Rates(all) => all
                .iter()
                .map(|one| one.ends.map(|[lower, upper]| [lower, one.released.0 as f64 / one.released.1 as f64, upper]))
                .collect(),
            Figures::Believed(all) => {
                all.iter().map(|one| Some([one.interval[0] as f64, one.mean, one.interval[1] as f64])).collect()
            }
            Figures::BelievedRates(all) => {
                all.iter().map(|one| Some([one.interval[0], one.median, one.interval[1]])).collect()
            }
            Figures::Combined(all) => all
                .iter()
                .map(|one| {
                    let [lower, upper] = one.interval(self.level);
                    Some([lower, one.mean, upper])
                })
                .collect(),
            Figures::Compared(all) => all
                .iter()
                .map(|one| {
                    let [lower, upper] = one.difference.map(|end| end as f64);
                    Some([lower, one.figures[0] - one.figures[1], upper])
                })
                .collect(),
            Figures::Regressed(found) => {
                let span = |one: &::infer::Coefficient| Some([one.interval[0], one.estimate, one.interval[1]]);
                found.coefficients.iter().map(span).collect()
            }
            Figures::Modelled(found) => {
                let all = found.fitted.rates.iter().chain(&found.fitted.parameters);
                all.map(|one| Some([one.interval[0], one.mean, one.interval[1]])).collect()
            }
            Figures::Likelihoods(all) => all.iter().map(|_| None).collect(),
            Figures::Tested(_) => vec![None],
        }
    }
}
