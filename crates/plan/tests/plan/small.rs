//! Small declarations built in code, with the groupings and totals that belong to them.

use analyse::Analysis;
use declare::{
    Conditions, Constraints, Data, DateFormat, Declaration, Dimension, Disclosure, Domain, Duplicates, Encoding,
    Grouping, Levels, Limits, Mechanism, Method, NO_GROUP, Negative, Noise, Per, Policy, Problem, Schema, Strength,
    Values,
};
use exact::Rational;
use plan::{Case, analysis_of};

/// A declaration with its domain, its invariants and their public totals.
pub struct Small {
    pub declaration: Declaration,
    pub domain: Domain,
    pub groupings: Vec<Grouping>,
    pub totals: Vec<Vec<i64>>,
}

impl Small {
    fn conditions(&self) -> (Conditions, Vec<Vec<i64>>) {
        let kept = self.declaration.mechanism.method != Method::Unconstrained;
        let (groupings, totals) = if kept { (self.groupings.clone(), self.totals.clone()) } else { Default::default() };
        let nonnegative = kept && self.declaration.constraints.nonnegative;
        (Conditions { nonnegative, ..Conditions::of_totals(self.domain.len(), groupings) }, totals)
    }

    pub fn analysis(&self) -> Result<Analysis, Problem> {
        let (conditions, totals) = self.conditions();
        analysis_of(&conditions, &totals)
    }

    pub fn plan(&self) -> Result<plan::Plan, Problem> {
        let (declaration, domain) = (self.declaration.clone(), self.domain.clone());
        Case { declaration, domain, conditions: self.conditions().0, fold: None }.plan(&self.analysis()?)
    }

    /// Adds the invariant `by` a dimension or level, over the cells for which `keep` holds, with
    /// totals of `counts`.
    pub fn keep(mut self, by: &str, counts: &[i64], keep: impl Fn(&[usize]) -> bool) -> Small {
        let (dimension, level) = self.domain.schema.resolve(by).unwrap_or((0, None));
        let values = &self.domain.schema.dimensions[dimension].values;
        let (labels, code_of): (Vec<String>, Vec<u32>) = match (values, level) {
            (Values::Hierarchy(levels), Some(level)) => (levels.labels[level].clone(), levels.codes[level].clone()),
            _ => ((0..values.len()).map(|code| values.label(code)).collect(), (0..values.len() as u32).collect()),
        };
        let group = |cell: usize| {
            let codes = self.domain.codes(cell);
            if !keep(&codes) {
                return NO_GROUP;
            }
            if by.is_empty() { 0 } else { code_of[codes[dimension]] }
        };
        let grouping = Grouping {
            times: None,
            label: if by.is_empty() { "total".into() } else { format!("by {by}") },
            names: match by {
                "" => vec!["total".into()],
                _ => labels.iter().map(|label| format!("{by} = {label}")).collect(),
            },
            group_of: (0..self.domain.len()).map(group).collect(),
        };
        self.totals.push(grouping.totals(counts).into_iter().map(|total| total as i64).collect());
        self.groupings.push(grouping);
        self
    }

    pub fn mechanism(mut self, noise: Noise, strength: Strength, per: Per) -> Small {
        self.declaration.mechanism.noise = noise;
        self.declaration.mechanism.strength = strength;
        self.declaration.mechanism.per = per;
        self
    }
}

pub fn epsilon(text: &str) -> Strength {
    Strength::Epsilon(text.parse().unwrap_or_else(|_| Rational::integer(0)))
}

pub fn rho(text: &str) -> Strength {
    Strength::Rho(text.parse().unwrap_or_else(|_| Rational::integer(0)))
}

/// A declaration over these dimensions with no invariant yet: double geometric, ε = 1/4 per unit.
pub fn small(title: &str, dimensions: Vec<(&str, Values)>) -> Small {
    let schema = Schema {
        dimensions: dimensions
            .into_iter()
            .map(|(name, values)| Dimension {
                name: name.into(),
                column: name.into(),
                values,
                cleaning: Default::default(),
            })
            .collect(),
    };
    let combinations = schema.combinations().unwrap_or(0);
    let declaration = Declaration {
        title: title.into(),
        data: Data {
            path: "table.csv".into(),
            frame: None,
            count: None,
            public: true,
            filter: None,
            outside: Policy::Error,
            missing: Policy::Error,
            duplicates: Duplicates::Error,
            negative: Negative::Error,
            unit: None,
            rows_per_unit: 1,
            beyond: Policy::Error,
            encoding: Encoding::Utf8,
            date_formats: vec![DateFormat::iso()],
        },
        schema: schema.clone(),
        invariants: Vec::new(),
        constraints: Constraints { nonnegative: false, zero: Vec::new(), rules: Vec::new() },
        mechanism: Mechanism {
            noise: Noise::DOUBLE_GEOMETRIC,
            method: Method::Condition,
            strength: epsilon("1/4"),
            per: Per::Unit,
            sampler: None,
            max_delta: None,
            queries: Vec::new(),
            order: None,
            base: None,
        },
        limits: Limits::default(),
        disclosure: Disclosure::default(),
        secrets: None,
        budget: None,
        outputs: Vec::new(),
    };
    let domain = Domain::new(schema, combinations, None);
    Small { declaration, domain, groupings: Vec::new(), totals: Vec::new() }
}

pub fn list(labels: &[&str]) -> Values {
    Values::List(labels.iter().map(|label| (*label).into()).collect())
}

/// Children by county and education of the household head.
pub fn delinquent() -> Small {
    let county = list(&["Alpha", "Beta", "Gamma", "Delta"]);
    let education = list(&["Low", "Medium", "High", "Very High"]);
    small("Delinquent children", vec![("county", county), ("education", education)])
}

/// The counts of [`delinquent`].
pub const CHILDREN: [i64; 16] = [15, 1, 3, 1, 20, 10, 10, 15, 3, 10, 10, 2, 12, 14, 7, 2];

/// Trips by zone (a hierarchy of boroughs of different sizes) and hour.
pub fn trips() -> (Small, Vec<i64>) {
    let sizes = [1u32, 3, 5];
    let zones: u32 = sizes.iter().sum();
    let borough: Vec<u32> = (0..3u32).flat_map(|code| vec![code; sizes[code as usize] as usize]).collect();
    let keys: Vec<String> = (0..zones).map(|zone| format!("zone {zone}")).collect();
    let place = Values::Hierarchy(Levels {
        key: "zone".to_string(),
        names: vec!["borough".into(), "zone".into()],
        keys: keys.clone(),
        labels: vec![vec!["Airport".into(), "Bronx".into(), "Queens".into()], keys],
        codes: vec![borough, (0..zones).collect()],
    });
    let small = small("Taxi trips", vec![("place", place)]);
    (small, (0..i64::from(zones)).map(|zone| 10 + zone).collect())
}
