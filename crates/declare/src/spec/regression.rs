//! Specs of `congenial regress`: a response, its predictors, and the mechanism that draws the
//! coefficients.

use super::reader::{Node, Section};
use super::{budget, document, formats, reviewed, title};
use crate::canonical::{Text, toml_string};
use crate::declaration::Budget;
use crate::problem::Problem;
use exact::Rational;
use std::path::Path;

/// The most predictors that can be declared.
const MOST_PREDICTORS: usize = 64;
/// ε is at most this: more is no privacy, and surely a mistake.
const LARGEST_EPSILON: i64 = 1 << 20;
/// ε is at least one over this.
const SMALLEST_EPSILON: i64 = 1_000_000_000;

/// All that a spec of `congenial regress` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regression {
    /// The title.
    pub title: String,
    /// The data file, as written in the spec.
    pub path: String,
    /// Whether the data are already public or synthetic.
    pub public: bool,
    /// What to do with a value outside the declared bounds.
    pub outside: OutsideBounds,
    /// What to do with a value that is missing or no number.
    pub missing: MissingValue,
    /// The response.
    pub response: Variable,
    /// The predictors.
    pub predictors: Vec<Variable>,
    /// The loss ε per replaced record.
    pub epsilon: Rational,
    /// The radius B of the ℓ₁ ball of coefficients.
    pub radius: Rational,
    /// The penalty λ.
    pub penalty: Rational,
    /// Steps of the coefficients' grid per unit.
    pub grid: u64,
    /// Steps of a scaled column per unit.
    pub resolution: i64,
    /// Whether the number of tries is padded.
    pub is_padded: bool,
    /// The ledger to spend from.
    pub budget: Option<Budget>,
}

/// A column with its declared bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// The column of the file.
    pub column: String,
    /// The value that becomes −1.
    pub low: Rational,
    /// The value that becomes 1.
    pub high: Rational,
    /// Whether the natural logarithm of the column is taken.
    pub is_log: bool,
    /// The column is an indicator: 1 where it holds this text, 0 elsewhere.
    pub indicates: Option<String>,
}

impl Variable {
    /// What the variable is called: the column, its logarithm, or the column with the text that it
    /// indicates.
    pub fn name(&self) -> String {
        match &self.indicates {
            Some(text) => format!("{} = {text}", self.column),
            None if self.is_log => format!("log {}", self.column),
            None => self.column.clone(),
        }
    }
}

/// What to do with a value outside the declared bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideBounds {
    /// Stop with an error that names the row.
    Error,
    /// Take the nearest bound.
    Clamp,
}

/// What to do with a value that is missing or no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingValue {
    /// Stop with an error that names the row.
    Error,
    /// Leave the row out.
    Drop,
    /// Take the middle of the declared bounds.
    Middle,
}

/// The laws that the spec can name.
const LAWS: [&str; 1] = ["k-norm-gradient"];

impl Regression {
    /// Reads a spec.
    pub fn load(path: &Path) -> Result<Regression, Problem> {
        let (text, name, _) = super::open(path)?;
        Regression::parse(&text, &name)
    }

    /// Reads a spec from its text; messages call it `name`.
    pub fn parse(text: &str, name: &str) -> Result<Regression, Problem> {
        document(text, name, |root| regression(&root).and_then(|read| reviewed(&root, read.public, read)))
    }

    /// The spec with every default filled in: it parses to an equal one.
    pub fn to_toml(&self) -> String {
        let mut text = beginning(&self.title, &self.path);
        self.write_law(&mut text.0);
        text.budget(self.budget.as_ref());
        text.0
    }

    /// What decides the law of a release of given data, and nothing else.
    pub fn law(&self) -> String {
        let mut text = "[data]\n".to_string();
        self.write_law(&mut text);
        text
    }

    fn write_law(&self, text: &mut String) {
        let mut line = |line: String| {
            text.push_str(&line);
            text.push('\n');
        };
        line(format!("public = {}", self.public));
        line(format!("outside = \"{}\"", self.outside.name()));
        line(format!("missing = \"{}\"", self.missing.name()));
        let named = std::iter::once(("[response]", &self.response));
        for (header, variable) in named.chain(self.predictors.iter().map(|predictor| ("[[predictor]]", predictor))) {
            line(format!("\n{header}\ncolumn = {}", toml_string(&variable.column)));
            match &variable.indicates {
                Some(indicates) => line(format!("is = {}", toml_string(indicates))),
                None => {
                    line(format!("low = \"{}\"\nhigh = \"{}\"\nlog = {}", variable.low, variable.high, variable.is_log))
                }
            }
        }
        line(format!("\n[mechanism]\nlaw = \"{}\"", LAWS[0]));
        line(format!("epsilon = \"{}\"\nradius = \"{}\"\npenalty = \"{}\"", self.epsilon, self.radius, self.penalty));
        line(format!("grid = \"1/{}\"\nresolution = \"1/{}\"", self.grid, self.resolution));
        line(format!("run_time = \"{}\"", if self.is_padded { "padded" } else { "plain" }));
    }
}

/// How the spec of an exponential mechanism begins.
pub(super) fn beginning(title: &str, path: &str) -> Text {
    Text(format!("title = {}\n\n[data]\npath = {}\n", toml_string(title), toml_string(path)))
}

fn regression(root: &Section) -> Result<Regression, Problem> {
    root.only(&["title", "data", "response", "predictor", "mechanism", "budget"])?;
    let title = title(root)?;
    let data = root.need_section("data", "it says where the records come from: path = \"records.csv\"")?;
    data.only(&["path", "public", "outside", "missing"])?;
    let path = data.need("path", "name the file: path = \"records.csv\"")?;
    formats::of(&path)?;
    let public = data.get("public").map_or(Ok(false), |node| node.flag())?;
    let outside = data.choice("outside", &OutsideBounds::ALL, OutsideBounds::name, OutsideBounds::Error)?;
    let missing = data.choice("missing", &MissingValue::ALL, MissingValue::name, MissingValue::Error)?;
    let total = outside == OutsideBounds::Clamp && missing == MissingValue::Middle;
    if !public && !total {
        return Err(data
            .bad_key("path", "confidential records must all be used, whatever they hold", "the data are not public")
            .hint(
                "write outside = \"clamp\" and missing = \"middle\": an error or a row left out would tell about the records",
            ));
    }
    let response =
        root.need_section("response", "it names the column to explain: column = \"wage\", low = 0, high = 10")?;
    let response = variable(&response)?;
    let predictors = root.get("predictor").map_or(Ok(Vec::new()), |node| node.sections("[[predictor]]"))?;
    if predictors.is_empty() || predictors.len() > MOST_PREDICTORS {
        let end = root.source.text.trim_end().len();
        let message = format!("a regression has 1 to {MOST_PREDICTORS} predictors, found {}", predictors.len());
        return Err(root
            .source
            .bad(end..end, message, "here")
            .hint("[[predictor]] with column, low and high, for each"));
    }
    let mut variables: Vec<Variable> = Vec::new();
    for section in &predictors {
        let found = variable(section)?;
        if variables.iter().chain([&response]).any(|other| other.name() == found.name()) {
            let message = format!("`{}` is named twice", found.name());
            return Err(section.bad_key("column", message, "a second time").hint("every variable is used once"));
        }
        variables.push(found);
    }
    let mechanism = root.need_section("mechanism", "it chooses the law: law = \"k-norm-gradient\", epsilon = \"1\"")?;
    mechanism.only(&["law", "epsilon", "radius", "penalty", "grid", "resolution", "run_time"])?;
    mechanism.need("law", "for example law = \"k-norm-gradient\"")?.choice(&LAWS, |law| law)?;
    let budget = budget::read(root, &data, public)?;
    Ok(Regression {
        title,
        path: path.text()?.to_string(),
        public,
        outside,
        missing,
        response,
        predictors: variables,
        epsilon: epsilon(&mechanism)?,
        radius: mechanism.need("radius", "the largest sum of absolute coefficients: radius = 1")?.positive()?,
        penalty: mechanism.need("penalty", "the ridge penalty: penalty = 1")?.positive()?,
        grid: steps(&mechanism, "grid", 1000)?,
        resolution: steps(&mechanism, "resolution", 10_000)? as i64,
        is_padded: is_padded(&mechanism)?,
        budget,
    })
}

/// ε, within limits beyond which it is a mistake.
pub(super) fn epsilon(mechanism: &Section) -> Result<Rational, Problem> {
    let node = mechanism.need("epsilon", "the loss per replaced record: epsilon = \"1\"")?;
    let epsilon = node.positive()?;
    if epsilon > Rational::integer(LARGEST_EPSILON) || epsilon < Rational::new(1, SMALLEST_EPSILON as u64) {
        return Err(node.bad("`epsilon` is beyond all use", "between 1e-9 and 2^20"));
    }
    Ok(epsilon)
}

/// Whether the number of tries is padded.
pub(super) fn is_padded(mechanism: &Section) -> Result<bool, Problem> {
    Ok(mechanism.choice("run_time", &["plain", "padded"], |word| word, "plain")? == "padded")
}

/// A step such as "1/1000", as the number of steps per unit.
fn steps(section: &Section, key: &str, otherwise: u64) -> Result<u64, Problem> {
    let Some(node) = section.get(key) else { return Ok(otherwise) };
    let step = node.positive()?;
    let whole = step.reciprocal().filter(Rational::is_integer).map(|steps| steps.floor());
    let steps = whole.and_then(|steps| u64::try_from(steps).ok()).filter(|steps| *steps <= 1 << 40);
    steps.ok_or_else(|| {
        node.bad(format!("`{key}` must be one over a whole number up to 2^40, found {step}"), "not such a step")
            .hint(format!("for example {key} = \"1/1000\""))
    })
}

fn variable(section: &Section) -> Result<Variable, Problem> {
    section.only(&["column", "low", "high", "log", "is"])?;
    let column = section.need("column", "name the column of the file")?.nonempty()?.to_string();
    if let Some(node) = section.get("is") {
        if let Some(key) = ["low", "high", "log"].into_iter().find(|key| section.get(key).is_some()) {
            let message = format!("an indicator is 0 or 1 and takes no `{key}`");
            return Err(section.bad_key(key, message, "not here").hint("leave it out, or leave `is` out"));
        }
        let indicates = Some(node.nonempty()?.to_string());
        let (low, high) = (Rational::integer(0), Rational::integer(1));
        return Ok(Variable { column, low, high, is_log: false, indicates });
    }
    let hint = "bounds are declared, never learnt from the data: low = 0, high = 18";
    let bound = |key: &str| -> Result<(Rational, Node), Problem> {
        let node = section.need(key, hint)?;
        Ok((node.number()?, node))
    };
    let ((low, _), (high, node)) = (bound("low")?, bound("high")?);
    if low >= high {
        return Err(node.bad(format!("`high` is {high}, not above `low`, which is {low}"), "not above `low`"));
    }
    let is_log = section.get("log").map_or(Ok(false), |node| node.flag())?;
    Ok(Variable { column, low, high, is_log, indicates: None })
}
