//! `Chart`: the one drawer of pictures, with axes or without, as SVG on a page or as a file that
//! stands alone.
//!
//! Values are mapped to places by two axes; what is drawn is a list of series, each with the class
//! of its colour.

use crate::markup::Markup;
use crate::words::number;

const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 46.0;
/// The height of a line of the legend of a file.
const LINE: f64 = 17.0;

/// How values are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// Evenly.
    Linear,
    /// By powers of ten; what is not above zero has no place.
    Logarithmic,
    /// By ln(1 + value), for counts.
    Counts,
}

/// An axis: its ends, its marks and what it shows.
#[derive(Debug, Clone)]
pub struct Axis {
    /// What it shows, in words.
    pub title: String,
    /// How values are spread.
    pub spread: Spread,
    /// Its two ends.
    pub ends: (f64, f64),
    /// Values that are marked, each with its text.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An even axis that holds these two values, with round ends and marks.
    pub fn linear(title: &str, least: f64, most: f64) -> Axis {
        let most = if most > least { most } else { least + 1.0 };
        let step = nice((most - least) / 4.0);
        let (from, to) = ((least / step + 1e-9).floor() * step, (most / step - 1e-9).ceil() * step);
        let steps = ((to - from) / step).round() as i32;
        let ticks = (0..=steps).map(|tick| from + f64::from(tick) * step);
        Axis {
            title: title.to_owned(),
            spread: Spread::Linear,
            ends: (from, to),
            ticks: ticks.map(|at| (at, tick(at, step))).collect(),
        }
    }

    /// A logarithmic axis from one power of ten to another, with a mark at every one, or at some.
    pub fn logarithmic(title: &str, least: i32, most: i32) -> Axis {
        let most = most.max(least + 1);
        let every = ((most - least) / 6).max(1) as usize;
        let power = |exponent: i32| (10f64.powi(exponent), decade(exponent));
        Axis {
            title: title.to_owned(),
            spread: Spread::Logarithmic,
            ends: (10f64.powi(least), 10f64.powi(most)),
            ticks: (least..=most).rev().step_by(every).map(power).collect(),
        }
    }

    /// A logarithmic axis around these values, each marked.
    pub fn of_values(title: &str, values: &[f64]) -> Axis {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE);
        let most = values.iter().copied().fold(0.0, f64::max).max(least);
        let ticks = values.iter().map(|value| (*value, tick(*value, 0.0))).collect();
        Axis { title: title.to_owned(), spread: Spread::Logarithmic, ends: (least / 1.25, most * 1.25), ticks }
    }

    /// An axis of counts up to this one, spread by ln(1 + count).
    pub fn counts(title: &str, most: i64) -> Axis {
        let factor = if most > 10_000 { 100 } else { 10 };
        let powers =
            std::iter::successors(Some(1i64), |tick| tick.checked_mul(factor)).take_while(|tick| *tick <= most);
        let ticks = std::iter::once(0).chain(powers).map(|at| (at as f64, number(at))).collect();
        Axis { title: title.to_owned(), spread: Spread::Counts, ends: (0.0, most.max(1) as f64), ticks }
    }

    fn on(&self, value: f64) -> f64 {
        match self.spread {
            Spread::Linear => value,
            Spread::Logarithmic => value.ln(),
            Spread::Counts => value.max(0.0).ln_1p(),
        }
    }

    /// Where a value is, from 0 to 1; beyond the ends at the end. Nothing where it has no place.
    fn part(&self, value: f64) -> Option<f64> {
        let (from, to) = (self.on(self.ends.0), self.on(self.ends.1));
        let at = (self.on(value) - from) / (to - from);
        at.is_finite().then(|| at.clamp(0.0, 1.0))
    }

    /// Whether a value lies between the ends.
    fn holds(&self, value: f64) -> bool {
        let slack = 1e-9 * (self.on(self.ends.1) - self.on(self.ends.0)).abs();
        let at = self.on(value);
        at >= self.on(self.ends.0) - slack && at <= self.on(self.ends.1) + slack
    }
}

/// What a series looks like.
#[derive(Debug, Clone)]
pub enum Shape {
    /// A line through points; it ends where it leaves the axis below.
    Line(Vec<(f64, f64)>),
    /// Single points.
    Dots(Vec<(f64, f64)>),
    /// Lines up and down: across, from, to.
    Whiskers(Vec<(f64, f64, f64)>),
    /// What lies between two lines: across, from, to.
    Band(Vec<(f64, f64, f64)>),
    /// Bars from the bottom, of this width.
    Bars(Vec<(f64, f64)>, f64),
    /// A line from top to bottom, with a word.
    Mark(f64, String),
}

/// Something that is drawn, with the class of its colour.
#[derive(Debug, Clone)]
pub struct Series {
    /// The class of its colour and line.
    pub class: String,
    /// What it is called in the legend of a file.
    pub name: Option<String>,
    /// What it looks like.
    pub shape: Shape,
}

impl Series {
    /// A series without a name.
    pub fn new(class: impl Into<String>, shape: Shape) -> Series {
        Series { class: class.into(), name: None, shape }
    }

    /// A series that the legend of a file names.
    pub fn named(class: impl Into<String>, name: impl Into<String>, shape: Shape) -> Series {
        Series { class: class.into(), name: Some(name.into()), shape }
    }

    /// Lines with their names, each of its own colour.
    pub fn lines(lines: impl IntoIterator<Item = (impl Into<String>, Vec<(f64, f64)>)>) -> Vec<Series> {
        let line = |(place, (name, points))| Series::named(format!("c{place}"), name, Shape::Line(points));
        lines.into_iter().enumerate().map(line).collect()
    }
}

/// A picture with two axes.
#[derive(Debug, Clone)]
pub struct Chart<'a> {
    /// The chart in words, for those who do not see it; the title of a file.
    pub label: &'a str,
    /// Its width and height: in these units letters have twelve.
    pub size: (f64, f64),
    /// The axis from left to right.
    pub across: Axis,
    /// The axis from bottom to top.
    pub up: Axis,
    /// What is drawn, the first below the others.
    pub series: Vec<Series>,
}

/// Small enough that its letters are read on a telephone.
pub const SMALL: (f64, f64) = (440.0, 260.0);

/// A picture on a field of this size: its class if it has one, what it shows in words (without any
/// it only repeats what stands beside it), more attributes, and what is on it.
pub(crate) fn picture(
    page: &mut Markup,
    class: &str,
    (width, height): (f64, f64),
    label: &str,
    more: &[(&str, &str)],
    contents: impl FnOnce(&mut Markup),
) {
    let view = format!("0 0 {width} {height}");
    let class: &[_] = if class.is_empty() { &[] } else { &[("class", class)] };
    let told: &[_] =
        if label.is_empty() { &[("aria-hidden", "true")] } else { &[("role", "img"), ("aria-label", label)] };
    page.element("svg", &[class, &[("viewBox", &view)], told, more].concat(), contents);
}

impl Chart<'_> {
    fn x(&self, value: f64) -> Option<f64> {
        self.across.part(value).map(|part| LEFT + (self.size.0 - LEFT - RIGHT) * part)
    }

    fn y(&self, value: f64) -> Option<f64> {
        let height = self.size.1 - TOP - BOTTOM;
        match self.up.part(value) {
            Some(part) => Some(TOP + height * (1.0 - part)),
            // What is zero on a logarithmic axis lies at its foot.
            None => (self.up.spread == Spread::Logarithmic && value <= 0.0).then_some(TOP + height),
        }
    }

    fn point(&self, (across, up): (f64, f64)) -> Option<String> {
        Some(format!("{:.1} {:.1}", self.x(across)?, self.y(up)?))
    }

    /// The path of a shape.
    fn path(&self, shape: &Shape) -> String {
        match shape {
            Shape::Line(points) => {
                let seen = points.iter().take_while(|(_, up)| self.up.on(*up) >= self.up.on(self.up.ends.0) - 1e-12);
                let places: Vec<String> = seen.filter_map(|point| self.point(*point)).collect();
                if places.is_empty() { String::new() } else { format!("M{}", places.join("L")) }
            }
            Shape::Dots(points) => {
                points.iter().filter_map(|point| self.point(*point)).map(|place| format!("M{place}h0")).collect()
            }
            Shape::Whiskers(points) => {
                let line = |(across, from, to): &(f64, f64, f64)| {
                    Some(format!("M{:.1} {:.1}V{:.1}", self.x(*across)?, self.y(*from)?, self.y(*to)?))
                };
                points.iter().filter_map(line).collect()
            }
            Shape::Band(points) => {
                let upper = points.iter().filter_map(|(across, _, to)| self.point((*across, *to)));
                let lower = points.iter().rev().filter_map(|(across, from, _)| self.point((*across, *from)));
                let places: Vec<String> = upper.chain(lower).collect();
                if places.is_empty() { String::new() } else { format!("M{}Z", places.join("L")) }
            }
            Shape::Bars(points, width) => {
                let foot = self.size.1 - BOTTOM;
                let bar = |(across, up): &(f64, f64)| {
                    let (left, right) = (self.x(across - width / 2.0)?, self.x(across + width / 2.0)?);
                    Some(format!("M{left:.1} {foot:.1}V{:.1}H{right:.1}V{foot:.1}Z", self.y(*up)?))
                };
                points.iter().filter_map(bar).collect()
            }
            Shape::Mark(across, _) => {
                let x = self.x(*across);
                x.map(|x| format!("M{x:.1} {TOP}V{:.1}", self.size.1 - BOTTOM)).unwrap_or_default()
            }
        }
    }

    /// The chart on a page, where the classes get their colours.
    pub(crate) fn draw(&self, page: &mut Markup) {
        picture(page, "chart", self.size, self.label, &[], |page| self.contents(page));
    }

    /// The chart as a figure, under its title and above its caption where there are such.
    pub(crate) fn figure(&self, page: &mut Markup, title: &str, caption: &str) {
        page.element("figure", &[], |page| {
            if !title.is_empty() {
                page.leaf("figcaption", &[("class", "title")], title);
            }
            self.draw(page);
            if !caption.is_empty() {
                page.leaf("figcaption", &[], caption);
            }
        });
    }

    fn contents(&self, page: &mut Markup) {
        self.axes(page);
        for series in &self.series {
            page.path(&series.class, &self.path(&series.shape));
            if let Shape::Mark(across, word) = &series.shape
                && let (Some(x), Some(part)) = (self.x(*across), self.across.part(*across))
            {
                let (class, shift) = if part <= 0.5 { ("start", "6") } else { ("end", "-6") };
                let (x, y) = (format!("{x:.1}"), format!("{:.1}", TOP + 12.0));
                page.leaf("text", &[("class", class), ("x", &x), ("y", &y), ("dx", shift)], word);
            }
        }
    }

    fn axes(&self, page: &mut Markup) {
        let (width, height) = self.size;
        let foot = height - BOTTOM;
        for (at, text) in self.up.ticks.iter().filter(|(at, _)| self.up.holds(*at)) {
            let Some(y) = self.y(*at).map(|y| format!("{y:.1}")) else { continue };
            let line = format!("M{LEFT} {y}H{:.1}", width - RIGHT);
            page.path("axis", &line);
            let x = format!("{:.1}", LEFT - 7.0);
            page.leaf("text", &[("class", "end"), ("x", &x), ("y", &y), ("dy", "4")], text);
        }
        let below = format!("{:.1}", foot + 17.0);
        for (at, text) in self.across.ticks.iter().filter(|(at, _)| self.across.holds(*at)) {
            let Some(x) = self.x(*at).map(|x| format!("{x:.1}")) else { continue };
            page.path("axis", &format!("M{x} {foot:.1}v4"));
            page.leaf("text", &[("class", "middle"), ("x", &x), ("y", &below)], text);
        }
        let (x, y) = (format!("{:.1}", (LEFT + width - RIGHT) / 2.0), format!("{:.1}", height - 9.0));
        page.leaf("text", &[("class", "middle"), ("x", &x), ("y", &y)], &self.across.title);
        let middle = format!("{:.1}", (TOP + foot) / 2.0);
        let turned = format!("rotate(-90 13 {middle})");
        let attributes = [("class", "middle"), ("x", "13"), ("y", middle.as_str()), ("transform", turned.as_str())];
        page.leaf("text", &attributes, &self.up.title);
    }

    /// The chart as a file that stands alone, with a title and a legend of the series that have
    /// names.
    pub fn file(&self) -> String {
        let title = self.label;
        let named: Vec<&Series> = self.series.iter().filter(|series| series.name.is_some()).collect();
        let (width, height) = (self.size.0, self.size.1 + 24.0 + LINE * named.len() as f64);
        let mut page = Markup::default();
        let view = format!("0 0 {width} {height}");
        let attributes =
            [("xmlns", "http://www.w3.org/2000/svg"), ("class", "chart"), ("viewBox", view.as_str()), ("role", "img")];
        page.element("svg", &attributes, |page| {
            page.leaf("title", &[], title);
            page.style(FILE_STYLE);
            page.path("paper", &format!("M0 0H{width}V{height}H0Z"));
            page.leaf("text", &[("class", "title"), ("x", "14"), ("y", "20")], title);
            page.element("g", &[("transform", "translate(0 24)")], |page| self.contents(page));
            for (place, series) in named.iter().enumerate() {
                let y = self.size.1 + 30.0 + LINE * place as f64;
                let (line, y) = (format!("M{LEFT} {:.1}h22", y - 4.0), format!("{y:.1}"));
                page.path(&series.class, &line);
                let x = format!("{:.1}", LEFT + 30.0);
                page.leaf("text", &[("x", &x), ("y", &y)], series.name.as_deref().unwrap_or_default());
            }
        });
        page.finish()
    }
}

/// The colours of a file; those of a page are in its own style sheet.
const FILE_STYLE: &str = include_str!("chart.css");

/// One, two or five times a power of ten, not below.
fn nice(value: f64) -> f64 {
    if !value.is_finite() || value <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power);
    times.into_iter().find(|at| *at >= value * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// A mark with as many decimals as its step needs; a step of 0: as many as the value has.
fn tick(at: f64, step: f64) -> String {
    if step == 0.0 {
        return format!("{at}").replace('-', "−");
    }
    if step >= 1.0 {
        return number(at.round() as i64);
    }
    let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
    let text = format!("{at:.decimals$}");
    // A zero with a sign says nothing.
    if text.trim_matches(['-', '0', '.']).is_empty() { "0".to_owned() } else { text.replace('-', "−") }
}

fn decade(exponent: i32) -> String {
    match exponent {
        0 => "1".to_owned(),
        1 => "10".to_owned(),
        2 => "100".to_owned(),
        -1 => "0.1".to_owned(),
        -2 => "0.01".to_owned(),
        other => format!("1e{other}").replace('-', "−"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(up: Axis, series: Vec<Series>) -> Chart<'static> {
        Chart { label: "", size: SMALL, across: Axis::linear("steps", 0.0, 10.0), up, series }
    }

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!([0.0, 0.03, 1.0, 3.0, 17.0, 53.4, 999.0].map(nice), [1.0, 0.05, 1.0, 5.0, 20.0, 100.0, 1000.0]);
        let texts = |axis: &Axis| axis.ticks.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>().join(" ");
        assert_eq!(texts(&Axis::linear("", -0.31, 0.4)), "−0.4 −0.2 0 0.2 0.4");
        assert_eq!(texts(&Axis::linear("", 0.0, 12_000.0)), "0 5,000 10,000 15,000");
        assert_eq!(texts(&Axis::counts("", 500)), "0 1 10 100");
        assert_eq!(texts(&Axis::logarithmic("", -2, 0)), "1 0.1 0.01");
        assert_eq!(texts(&Axis::of_values("", &[0.1, 0.5, 1.0])), "0.1 0.5 1");
    }

    #[test]
    fn lines_end_where_the_axis_does() {
        let chart = chart(Axis::logarithmic("", -2, 0), Vec::new());
        let path = chart.path(&Shape::Line(vec![(0.0, 1.0), (5.0, 0.1), (10.0, 0.001), (11.0, 0.1)]));
        assert_eq!(path, "M58.0 14.0L242.0 114.0");
        assert_eq!(chart.path(&Shape::Line(vec![(0.0, 0.0)])), "");
    }

    #[test]
    fn nothing_is_drawn_beyond_the_axes() {
        let chart = chart(Axis::linear("", 0.0, 1.0), Vec::new());
        assert_eq!(chart.path(&Shape::Whiskers(vec![(20.0, -5.0, 5.0)])), "M426.0 214.0V14.0");
        assert_eq!(chart.path(&Shape::Bars(vec![(5.0, 2.0)], 1.0)), "M223.6 214.0V14.0H260.4V214.0Z");
    }

    #[test]
    fn a_file_has_its_title_legend_and_colours() {
        let line = Shape::Line(vec![(0.0, 1.0), (5.0, 0.1)]);
        let series = vec![Series::named("c1", "L < 8", line)];
        let file = Chart { label: "A & B", ..chart(Axis::logarithmic("distance", -4, 0), series) }.file();
        for expected in ["<title>A &amp; B</title>", "L &lt; 8</text>", "distance</text>", ".c1"] {
            assert!(file.contains(expected), "{expected} in {file}");
        }
    }
}
