//! What the specs of regressions and selections have in common, and what follows from them for
//! every table.

use declare::{Budget, Choice, Problem, Regression};
use exact::Rational;
use exponential::{RidgeSettings, RunTime, Scaling};
use loss::{Amount, Charge, Unit};
use serde::{Deserialize, Serialize};

/// A spec of an exponential mechanism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Declared {
    Regression(Regression),
    Choice(Choice),
}

/// What follows from a spec and the number of records: the same for every table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Derived {
    /// The guarantee in one English paragraph.
    pub statement: String,
    /// `pure differential privacy`.
    pub definition: String,
    /// ε, per replaced record.
    pub epsilon: String,
    /// What the loss is per.
    pub unit: String,
    /// How far one replaced record moves the loss function, at most.
    pub sensitivity: String,
    /// The exponent per unit of the loss function: ε/2Δ.
    pub rate: String,
    /// Where it is proved.
    pub proof: String,
    /// What was chosen from, in words.
    pub space: String,
    /// How many points that are.
    pub points: String,
    /// The samplers that took turns.
    pub operators: Vec<String>,
    /// How exactly they draw.
    pub exactness: String,
    /// What the number of tries and of random bits tells: `independent` or `depends on the table`.
    pub run_time: String,
}

impl Derived {
    /// All of it, line by line.
    pub fn explanation(&self) -> String {
        format!(
            "{}\n\n  space        {} ({} points)\n  operators    {}\n  exactness    {}\n  run time     {}\n  sensitivity  {}\n  exponent     {} per unit of the loss\n  proof        {}\n",
            self.statement,
            self.space,
            self.points,
            self.operators.join(", in turns with "),
            self.exactness,
            self.run_time,
            self.sensitivity,
            self.rate,
            self.proof
        )
    }
}

impl Declared {
    /// Reads a canonical spec of either kind.
    pub fn parse(text: &str, name: &str) -> Result<Declared, Problem> {
        match Regression::parse(text, name) {
            Ok(regression) => Ok(Declared::Regression(regression)),
            Err(problem) => Choice::parse(text, name).map(Declared::Choice).map_err(|_| problem),
        }
    }

    pub fn title(&self) -> &str {
        let (Declared::Regression(Regression { title, .. }) | Declared::Choice(Choice { title, .. })) = self;
        title
    }

    pub fn is_public(&self) -> bool {
        let (Declared::Regression(Regression { public, .. }) | Declared::Choice(Choice { public, .. })) = self;
        *public
    }

    pub fn path(&self) -> &str {
        let (Declared::Regression(Regression { path, .. }) | Declared::Choice(Choice { path, .. })) = self;
        path
    }

    pub fn budget(&self) -> Option<&Budget> {
        let (Declared::Regression(Regression { budget, .. }) | Declared::Choice(Choice { budget, .. })) = self;
        budget.as_ref()
    }

    pub fn epsilon(&self) -> &Rational {
        let (Declared::Regression(Regression { epsilon, .. }) | Declared::Choice(Choice { epsilon, .. })) = self;
        epsilon
    }

    pub fn to_toml(&self) -> String {
        match self {
            Declared::Regression(regression) => regression.to_toml(),
            Declared::Choice(choice) => choice.to_toml(),
        }
    }

    pub fn law(&self) -> String {
        match self {
            Declared::Regression(regression) => regression.law(),
            Declared::Choice(choice) => choice.law(),
        }
    }

    /// The file that holds what was drawn, and what it is for.
    pub fn output(&self) -> (&'static str, &'static str) {
        match self {
            Declared::Regression(_) => ("coefficients.csv", "the coefficients, for columns scaled to [−1, 1]"),
            Declared::Choice(_) => ("selected.csv", "the candidate that was selected"),
        }
    }

    /// What follows for every table, or why the mechanism cannot be drawn: public values alone
    /// decide.
    pub fn derive(&self, records: u64) -> Result<Derived, Problem> {
        match self {
            Declared::Regression(regression) => regression_derived(regression, records),
            Declared::Choice(choice) => Ok(choice_derived(choice)),
        }
    }

    /// The released file: what was drawn, in words and numbers.
    pub fn written(&self, point: &[i64]) -> String {
        match self {
            Declared::Regression(regression) => {
                let rows = regression.predictors.iter().zip(point).map(|(predictor, steps)| {
                    let value = Rational::new(*steps, regression.grid);
                    let shown = value.to_decimal_exact().unwrap_or_else(|| value.to_string());
                    format!("{},{},{},{shown}\n", quoted(&predictor.name()), predictor.low, predictor.high)
                });
                format!("predictor,low,high,coefficient\n{}", rows.collect::<String>())
            }
            Declared::Choice(choice) => {
                let name = usize::try_from(point[0]).ok().and_then(|place| choice.candidates.get(place));
                format!("{}\n{}\n", quoted(&choice.column), name.map_or(String::new(), |name| quoted(name)))
            }
        }
    }

    /// The point that a released file holds, if it holds one of the space.
    pub fn point_of(&self, text: &str) -> Option<Vec<i64>> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().ok()?;
        let point = match self {
            Declared::Regression(regression) => {
                let grid = Rational::integer(regression.grid);
                let steps = |row: &csv::StringRecord| {
                    let value = &row.get(3)?.parse::<Rational>().ok()? * &grid;
                    value.is_integer().then(|| i64::try_from(value.floor()).ok()).flatten()
                };
                let point: Vec<i64> = rows.iter().map(steps).collect::<Option<_>>()?;
                settings(regression, 1).space().contains(&point).then_some(point)?
            }
            Declared::Choice(choice) => {
                let name = rows.first()?.get(0)?;
                vec![i64::try_from(choice.candidates.iter().position(|candidate| candidate == name)?).ok()?]
            }
        };
        // Anything else in the file is not what was written.
        (self.written(&point) == text).then_some(point)
    }
}

/// A field of a CSV file, quoted where that is needed.
pub fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

/// The settings of the mechanism behind a regression.
pub fn settings(regression: &Regression, records: u64) -> RidgeSettings {
    RidgeSettings {
        epsilon: regression.epsilon.clone(),
        radius: regression.radius.clone(),
        penalty: regression.penalty.clone(),
        grid: regression.grid,
        resolution: regression.resolution,
        records,
        predictors: regression.predictors.len(),
        is_padded: regression.is_padded,
    }
}

/// How the columns of a regression are scaled: the predictors, and the response last.
pub fn scalings(regression: &Regression) -> Result<Vec<Scaling>, Problem> {
    let variables = regression.predictors.iter().chain([&regression.response]);
    let scaling = |variable: &declare::Variable| {
        Scaling::new(&variable.low, &variable.high, regression.resolution)
            .ok_or_else(|| Problem::bad(format!("the bounds of `{}` leave no value between them", variable.name())))
    };
    variables.map(scaling).collect()
}

fn regression_derived(regression: &Regression, records: u64) -> Result<Derived, Problem> {
    let settings = settings(regression, records);
    settings.check()?;
    let statement = format!(
        "Whichever of the {records} records is replaced by any other, no set of coefficients becomes more than e^{0} times as likely, or as unlikely: pure differential privacy with ε = {0} per replaced record. The coefficients of a ridge regression with penalty {1} were drawn from the K-norm gradient mechanism on the points of the grid of 1/{2} whose absolute values sum to at most {3}. Every column was scaled from its declared bounds to [−1, 1], clamped and rounded to multiples of 1/{4}. The number of records is public.",
        regression.epsilon, regression.penalty, regression.grid, regression.radius, regression.resolution
    );
    Ok(Derived {
        statement,
        definition: "pure differential privacy".to_string(),
        epsilon: regression.epsilon.to_string(),
        unit: "replaced record".to_string(),
        sensitivity: settings.sensitivity().to_string(),
        rate: settings.gradient_rate().to_string(),
        proof: "crates/exponential/proofs/ridge.md".to_string(),
        space: format!(
            "coefficients on the grid of 1/{} in the ℓ₁ ball of radius {}",
            regression.grid, regression.radius
        ),
        points: settings.space().count().to_string(),
        operators: settings.operators().into_iter().map(str::to_string).collect(),
        exactness: exponential::Exactness::Perfect.to_string(),
        run_time: settings.run_time().to_string(),
    })
}

fn choice_derived(choice: &Choice) -> Derived {
    let count = choice.candidates.len();
    let statement = format!(
        "Whichever record behind the losses is replaced by any other, none of the {count} candidates becomes more than e^{0} times as likely, or as unlikely, to be selected: pure differential privacy with ε = {0} per replaced record. A candidate with loss L was selected with probability proportional to e^(−{0}·L/(2·{1})). That a replaced record moves no loss by more than {1} is declared, and not checked.",
        choice.epsilon, choice.sensitivity
    );
    let run_time = if choice.is_padded { RunTime::Independent } else { RunTime::DependsOnTheTable };
    Derived {
        statement,
        definition: "pure differential privacy".to_string(),
        epsilon: choice.epsilon.to_string(),
        unit: "replaced record".to_string(),
        sensitivity: choice.sensitivity.to_string(),
        rate: (&choice.epsilon / &(&Rational::integer(2) * &choice.sensitivity)).to_string(),
        proof: "crates/exponential/proofs/rejection.md".to_string(),
        space: "declared candidates".to_string(),
        points: count.to_string(),
        operators: vec![if choice.is_padded { "rejection" } else { "enumerate" }.to_string()],
        exactness: exponential::Exactness::Perfect.to_string(),
        run_time: run_time.to_string(),
    }
}

/// What a release costs.
pub fn charge(declared: &Declared) -> Charge {
    Charge { amount: Amount::Pure { epsilon: declared.epsilon().clone() }, per: Unit::Record }
}
