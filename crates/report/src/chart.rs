//! Lines over steps, drawn as SVG: an axis of steps, an axis of values that is plain or logarithmic, and marks.

use crate::markup::Markup;
use crate::words::number;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;

/// What a chart shows.
pub(crate) struct Chart<'a> {
    /// The chart in words, for those who do not see it.
    pub label: &'a str,
    /// The last step of the axis.
    pub steps: f64,
    /// The smallest and the largest value of the axis; of a logarithmic one powers of ten.
    pub values: (f64, f64),
    /// Whether values are powers of ten.
    pub logarithmic: bool,
    /// Lines: the class of each, and its points (steps, value).
    pub lines: Vec<(&'static str, Vec<(f64, f64)>)>,
    /// Steps that are marked by a line from top to bottom: the class, the steps and a word.
    pub marks: Vec<(&'static str, f64, String)>,
}

impl Chart<'_> {
    fn across(&self, steps: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * (steps / self.steps.max(1.0)).clamp(0.0, 1.0)
    }

    fn down(&self, value: f64) -> f64 {
        let (low, high) = self.values;
        TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - ((value - low) / (high - low).max(1e-9)).clamp(0.0, 1.0))
    }

    /// The points of a line, without those below a logarithmic axis.
    fn path(&self, points: &[(f64, f64)]) -> String {
        let mut path = String::new();
        for (steps, value) in points {
            let value = if self.logarithmic { value.log10() } else { *value };
            if !value.is_finite() || value < self.values.0 {
                break;
            }
            let command = if path.is_empty() { 'M' } else { 'L' };
            path.push_str(&format!("{command}{:.1} {:.1}", self.across(*steps), self.down(value)));
        }
        path
    }

    fn value_ticks(&self) -> Vec<(f64, String)> {
        let (low, high) = self.values;
        if !self.logarithmic {
            return (0..=4)
                .map(|part| low + (high - low) * f64::from(part) / 4.0)
                .map(|at| (at, format!("{at:.0}")))
                .collect();
        }
        let decades = (high - low).round().max(1.0) as i32;
        let every = (decades / 6).max(1);
        let ticks = (0..=decades).step_by(every as usize).map(|decade| high - f64::from(decade));
        ticks.map(|at| (at, if at == 0.0 { "1".to_owned() } else { format!("1e{at:.0}") })).collect()
    }

    /// The chart.
    pub(crate) fn draw(&self, page: &mut Markup) {
        let view = format!("0 0 {WIDTH} {HEIGHT}");
        page.element(
            "svg",
            &[("class", "chart"), ("viewBox", &view), ("role", "img"), ("aria-label", self.label)],
            |page| {
                for (at, text) in self.value_ticks() {
                    let y = format!("{:.1}", self.down(at));
                    let across = format!("M{LEFT} {y}H{}", WIDTH - RIGHT);
                    page.element("path", &[("class", "axis"), ("d", &across)], |_| {});
                    let x = format!("{:.1}", LEFT - 8.0);
                    page.leaf("text", &[("class", "end"), ("x", &x), ("y", &y), ("dy", "4")], &text);
                }
                let step = nice(self.steps / 5.0);
                let y = format!("{:.1}", HEIGHT - BOTTOM + 18.0);
                for tick in (0..=5).map(|tick| f64::from(tick) * step).filter(|tick| *tick <= self.steps) {
                    let x = format!("{:.1}", self.across(tick));
                    page.leaf("text", &[("class", "middle"), ("x", &x), ("y", &y)], &number(tick as i64));
                }
                let (x, y) = (format!("{:.1}", (LEFT + WIDTH - RIGHT) / 2.0), format!("{:.1}", HEIGHT - 8.0));
                page.leaf("text", &[("class", "middle"), ("x", &x), ("y", &y)], "steps of the walk");
                for (class, steps, word) in &self.marks {
                    let x = format!("{:.1}", self.across(*steps));
                    let down = format!("M{x} {TOP}V{:.1}", HEIGHT - BOTTOM);
                    page.element("path", &[("class", class), ("d", &down)], |_| {});
                    let anchor = if self.across(*steps) > WIDTH / 2.0 { ("end", "-6") } else { ("start", "6") };
                    let y = format!("{:.1}", TOP + 12.0);
                    page.leaf("text", &[("class", anchor.0), ("x", &x), ("y", &y), ("dx", anchor.1)], word);
                }
                for (class, points) in &self.lines {
                    page.element("path", &[("class", class), ("d", &self.path(points))], |_| {});
                }
            },
        );
    }
}

/// One, two or five times a power of ten, not below.
fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.max(1.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power).find(|at| *at >= value).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::{Chart, nice};

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!([1.0, 3.0, 17.0, 53.4, 999.0].map(nice), [1.0, 5.0, 20.0, 100.0, 1000.0]);
    }

    #[test]
    fn lines_end_where_the_axis_does() {
        let lines = Vec::new();
        let chart = Chart { label: "", steps: 10.0, values: (-2.0, 0.0), logarithmic: true, lines, marks: Vec::new() };
        let path = chart.path(&[(0.0, 1.0), (5.0, 0.1), (10.0, 0.001), (11.0, 0.1)]);
        assert_eq!(path, "M64.0 14.0L345.0 120.0");
        assert_eq!(chart.path(&[(0.0, 0.0)]), "");
    }
}
