//! Curves with their confidence bands over a logarithmic axis, as an SVG file that stands alone.

use super::findings::number;
use std::fmt::Write as _;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;
/// Colours that stay apart for those who see few of them.
const COLOURS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/// A curve: at every place its lower limit, its estimate and its upper limit.
pub(crate) struct Band {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, [f64; 3])>,
}

/// A figure: values from one down to so many powers of ten below.
pub(crate) struct Plot {
    pub(crate) title: String,
    pub(crate) across: String,
    pub(crate) down: String,
    pub(crate) decades: u32,
    pub(crate) bands: Vec<Band>,
}

impl Plot {
    fn last(&self) -> f64 {
        let points = self.bands.iter().flat_map(|band| &band.points);
        points.map(|(place, _)| *place).fold(1.0, f64::max)
    }

    fn x(&self, place: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * place / self.last()
    }

    /// Values beyond the axis are drawn at its end.
    fn y(&self, value: f64) -> f64 {
        let depth = (-value.max(f64::MIN_POSITIVE).log10() / f64::from(self.decades)).clamp(0.0, 1.0);
        TOP + (HEIGHT - TOP - BOTTOM) * depth
    }

    fn line(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let text: Vec<String> =
            points.map(|(place, value)| format!("{:.1} {:.1}", self.x(place), self.y(value))).collect();
        text.join("L")
    }

    /// The file.
    pub(crate) fn svg(&self) -> String {
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"#222\">\n<title>{title}</title>\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
             <text x=\"{LEFT}\" y=\"20\" font-size=\"13\" font-weight=\"600\">{title}</text>\n",
            title = escaped(&self.title)
        );
        self.axes(&mut text);
        for (band, colour) in self.bands.iter().zip(COLOURS.iter().cycle()) {
            let upper = self.line(band.points.iter().map(|(place, values)| (*place, values[2])));
            let lower = self.line(band.points.iter().rev().map(|(place, values)| (*place, values[0])));
            // Lines end where they leave the axis.
            let floor = 10f64.powi(-(self.decades as i32));
            let seen = |which: usize| {
                let points = band.points.iter().take_while(move |(_, values)| values[which] >= floor);
                self.line(points.map(move |(place, values)| (*place, values[which])))
            };
            let (estimate, limit) = (seen(1), seen(2));
            // Writing to a String cannot fail.
            let _ = writeln!(text, "<path d=\"M{upper}L{lower}Z\" fill=\"{colour}\" fill-opacity=\"0.13\"/>");
            let _ = writeln!(text, "<path d=\"M{limit}\" fill=\"none\" stroke=\"{colour}\" stroke-dasharray=\"5 4\"/>");
            if !estimate.is_empty() {
                let _ = writeln!(
                    text,
                    "<path d=\"M{estimate}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-linejoin=\"round\"/>"
                );
            }
        }
        self.legend(&mut text);
        text + "</svg>\n"
    }

    fn axes(&self, text: &mut String) {
        for decade in 0..=self.decades {
            let y = self.y(10f64.powi(-(decade as i32)));
            let label = if decade == 0 { "1".to_owned() } else { format!("1e−{decade}") };
            let _ = writeln!(text, "<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"#ddd\"/>", WIDTH - RIGHT);
            let _ =
                writeln!(text, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>", LEFT - 8.0, y + 4.0);
        }
        let step = round(self.last() / 5.0);
        for tick in (0..=5).map(|tick| f64::from(tick) * step).filter(|tick| *tick <= self.last()) {
            let (x, y) = (self.x(tick), HEIGHT - BOTTOM);
            let label = number(tick as u64);
            let _ = writeln!(text, "<path d=\"M{x:.1} {y}v5\" stroke=\"#888\"/>");
            let _ = writeln!(text, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", y + 18.0);
        }
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        let (across, down) = (escaped(&self.across), escaped(&self.down));
        let _ = writeln!(text, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{across}</text>", HEIGHT - 8.0);
        let middle = (TOP + HEIGHT - BOTTOM) / 2.0;
        let turned = format!("transform=\"rotate(-90 14 {middle})\"");
        let _ = writeln!(text, "<text x=\"14\" y=\"{middle}\" text-anchor=\"middle\" {turned}>{down}</text>");
    }

    /// What the colours are, at the right, where curves are low.
    fn legend(&self, text: &mut String) {
        let x = WIDTH - RIGHT - 170.0;
        let mut y = TOP + 16.0;
        for (band, colour) in self.bands.iter().zip(COLOURS.iter().cycle()) {
            let _ = writeln!(text, "<path d=\"M{x} {:.1}h22\" stroke=\"{colour}\" stroke-width=\"2\"/>", y - 4.0);
            let _ = writeln!(text, "<text x=\"{}\" y=\"{y}\">{}</text>", x + 28.0, escaped(&band.name));
            y += 17.0;
        }
        let _ = writeln!(text, "<path d=\"M{x} {:.1}h22\" stroke=\"#555\" stroke-dasharray=\"5 4\"/>", y - 4.0);
        let _ = writeln!(text, "<text x=\"{}\" y=\"{y}\">upper limit, 99 %</text>", x + 28.0);
    }
}

/// One, two or five times a power of ten, not below.
fn round(value: f64) -> f64 {
    let power = 10f64.powf(value.max(1.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power).find(|at| *at >= value).unwrap_or(10.0 * power)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Band, Plot};

    #[test]
    fn a_figure_has_curves_axes_and_a_legend() {
        let points = vec![(0.0, [0.5, 1.0, 1.0]), (50.0, [0.0, 0.01, 0.1]), (100.0, [0.0, 0.0, 0.001])];
        let band = Band { name: "L < 8".to_owned(), points };
        let (title, across, down) = ("A walk".to_owned(), "steps".to_owned(), "distance".to_owned());
        let svg = Plot { title, across, down, decades: 4, bands: vec![band] }.svg();
        insta::assert_snapshot!(svg);
    }
}
