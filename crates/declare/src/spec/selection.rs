//! Specs of `congenial select`: declared candidates, a file with their losses, and the exponential
//! mechanism among them.

use super::reader::Section;
use super::regression::{beginning, epsilon, is_padded};
use super::{budget, document, formats, reviewed, title};
use crate::canonical::toml_string;
use crate::declaration::Budget;
use crate::problem::Problem;
use exact::Rational;
use std::path::Path;

/// The most candidates that can be declared.
const MOST_CANDIDATES: usize = 1_000_000;

/// All that a spec of `congenial select` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The title.
    pub title: String,
    /// The file of losses, as written in the spec.
    pub path: String,
    /// Whether the losses are already public or synthetic.
    pub public: bool,
    /// The column that names the candidates.
    pub column: String,
    /// The column of their losses.
    pub loss: String,
    /// The candidates.
    pub candidates: Vec<String>,
    /// The loss ε per replaced record.
    pub epsilon: Rational,
    /// The most that a replaced record moves the loss of a candidate.
    pub sensitivity: Rational,
    /// Whether the number of tries is padded.
    pub is_padded: bool,
    /// The ledger to spend from.
    pub budget: Option<Budget>,
}

/// The laws that the spec can name.
const LAWS: [&str; 1] = ["exponential"];

impl Choice {
    /// Reads a spec.
    pub fn load(path: &Path) -> Result<Choice, Problem> {
        let (text, name, _) = super::open(path)?;
        Choice::parse(&text, &name)
    }

    /// Reads a spec from its text; messages call it `name`.
    pub fn parse(text: &str, name: &str) -> Result<Choice, Problem> {
        document(text, name, |root| selection(&root).and_then(|read| reviewed(&root, read.public, read)))
    }

    /// The spec with every default filled in: it parses to an equal one.
    pub fn to_toml(&self) -> String {
        let mut text = beginning(&self.title, &self.path);
        text.0.push_str(&self.written());
        text.budget(self.budget.as_ref());
        text.0
    }

    /// What decides the law of a release of given losses, and nothing else.
    pub fn law(&self) -> String {
        format!("[data]\n{}", self.written())
    }

    fn written(&self) -> String {
        let candidates: Vec<String> = self.candidates.iter().map(|candidate| toml_string(candidate)).collect();
        format!(
            "public = {}\n\n[candidates]\ncolumn = {}\nloss = {}\nvalues = [{}]\n\n[mechanism]\nlaw = \"{}\"\nepsilon = \"{}\"\nsensitivity = \"{}\"\nrun_time = \"{}\"\n",
            self.public,
            toml_string(&self.column),
            toml_string(&self.loss),
            candidates.join(", "),
            LAWS[0],
            self.epsilon,
            self.sensitivity,
            if self.is_padded { "padded" } else { "plain" }
        )
    }
}

fn selection(root: &Section) -> Result<Choice, Problem> {
    root.only(&["title", "data", "candidates", "mechanism", "budget"])?;
    let title = title(root)?;
    let data = root.need_section("data", "it says where the losses are: path = \"losses.csv\"")?;
    data.only(&["path", "public"])?;
    let path = data.need("path", "name the file: path = \"losses.csv\"")?;
    formats::of(&path)?;
    let public = data.get("public").map_or(Ok(false), |node| node.flag())?;
    let section = root.need_section(
        "candidates",
        "it declares them: column = \"model\", loss = \"errors\", values = [\"a\", \"b\"]",
    )?;
    section.only(&["column", "loss", "values"])?;
    let column = section.need("column", "name the column that holds the candidates")?.nonempty()?.to_string();
    let loss = section.need("loss", "name the column of losses")?;
    if loss.nonempty()? == column {
        return Err(loss.bad("candidates and losses cannot stand in one column", "the column of candidates"));
    }
    let node = section.need("values", "candidates are declared: values = [\"a\", \"b\"]")?;
    let mut candidates: Vec<String> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for (text, place) in node.texts()? {
        if text.is_empty() || !known.insert(text) {
            return Err(place.bad(format!("`{text}` is empty or named twice"), "here"));
        }
        candidates.push(text.to_string());
    }
    if candidates.len() < 2 || candidates.len() > MOST_CANDIDATES {
        return Err(
            node.bad(format!("a selection has 2 to {MOST_CANDIDATES} candidates, found {}", candidates.len()), "here")
        );
    }
    let mechanism = root.need_section("mechanism", "it chooses the law: law = \"exponential\", epsilon = \"1\"")?;
    mechanism.only(&["law", "epsilon", "sensitivity", "run_time"])?;
    mechanism.need("law", "for example law = \"exponential\"")?.choice(&LAWS, |law| law)?;
    let hint = "the most that one replaced record moves the loss of a candidate: sensitivity = 1; a loss without a finite bound cannot be selected by";
    let sensitivity = mechanism.need("sensitivity", hint)?.positive()?;
    Ok(Choice {
        title,
        path: path.text()?.to_string(),
        public,
        column,
        loss: loss.text()?.to_string(),
        candidates,
        epsilon: epsilon(&mechanism)?,
        sensitivity,
        is_padded: is_padded(&mechanism)?,
        budget: budget::read(root, &data, public)?,
    })
}
