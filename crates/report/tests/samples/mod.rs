//! Small releases of every shape, for the tests of the page.

use certify::{
    Certificate, CertifiedDisclosure, CertifiedFile, CertifiedInvariant, CertifiedMeaning, CertifiedOverride,
    CertifiedTable, CertifiedWidths, DisclosedCell, Guarantee, NearestPair, OperatorUse, Program, Spending, Together,
    Total, WidthCount,
};
use declare::{Dimension, Domain, Levels, Schema, Values};
use report::{CellReach, Figures, Known, MOST_SHOWN, Noise, Release, SumReach};

/// A release that owns its parts.
pub struct Sample {
    pub certificate: Certificate,
    pub domain: Domain,
    pub values: Vec<i64>,
    pub known: Known,
}

impl Sample {
    pub fn new(dimensions: Vec<(&str, Values)>, zero: Option<Vec<bool>>, value: impl Fn(usize) -> i64) -> Self {
        let dimensions: Vec<Dimension> = dimensions
            .into_iter()
            .map(|(name, values)| Dimension {
                name: name.into(),
                column: name.into(),
                values,
                cleaning: Default::default(),
            })
            .collect();
        let schema = Schema { dimensions };
        let combinations = schema.combinations().expect("samples are small");
        let domain = Domain::new(schema, combinations, zero);
        let values: Vec<i64> = (0..domain.len()).map(value).collect();
        let columns = domain.schema.dimensions.iter().map(|d| d.name.clone()).chain(["value".to_owned()]).collect();
        let mut certificate = certificate(domain.len());
        certificate.table.columns = columns;
        let reach = vec![4; domain.len().min(MOST_SHOWN)];
        let known = Known {
            cells: Ok(CellReach { first: reach, ends: (4, 4) }),
            sums: Vec::new(),
            noise: Some(Noise { half: geometric(), before: true }),
        };
        Sample { certificate, domain, values, known }
    }

    pub fn page(&self) -> String {
        self.page_in_portions(usize::MAX)
    }

    /// The page, from counts that arrive in portions of this many.
    pub fn page_in_portions(&self, portion: usize) -> String {
        let mut figures = Figures::new(&self.domain);
        self.values.chunks(portion).for_each(|values| figures.add(values));
        let Sample { certificate, domain, known, .. } = self;
        report::html(&Release { certificate, domain, figures: &figures, known })
    }
}

pub fn labels(items: &[&str]) -> Values {
    Values::List(items.iter().map(|item| (*item).to_owned()).collect())
}

pub fn invariant(label: &str, totals: impl IntoIterator<Item = (String, i64)>) -> CertifiedInvariant {
    let totals = totals.into_iter().map(|(name, value)| Total { name, value }).collect();
    CertifiedInvariant { label: label.into(), pinned: false, totals }
}

/// Double geometric noise with parameter 1/2: within ±4 with probability 0.958, within ±3 with
/// 0.917.
fn geometric() -> Vec<f64> {
    (0..60).map(|size| 0.5f64.powi(size) / 3.0).collect()
}

/// Numbers that look like counts: skewed, reproducible, a few of them negative.
pub fn noisy(cell: usize) -> i64 {
    let mixed = (cell as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40;
    let size = (mixed % 100) as i64;
    size * size * (mixed % 7) as i64 / 40 - 3
}

fn certificate(cells: usize) -> Certificate {
    Certificate {
        format: certify::FORMAT,
        title: "Delinquent children by county and education of the household head".into(),
        guarantee: Guarantee {
            statement: "For any two tables that agree on every exact total listed above, and that \
                        differ by one unit of ℓ₁ distance, the probability of any set of releases \
                        changes by a factor of at most e^(1/4). Nothing is promised about tables that differ in an exact total."
                .into(),
            definition: "pure differential privacy".into(),
            neighbours: "Pairs of tables over the same cells that agree on every exact total."
                .into(),
            unit: "unit of ℓ₁ distance".into(),
            privacy_unit: None,
            epsilon: Some("1/4".into()),
            delta: None,
            rho: None,
            epsilon_at_delta: None,
            gamma: "0".into(),
            plain_factor_two: None,
            because: "the normaliser does not depend on the table".to_string(),
            rounding: "0".into(),
            nearest: NearestPair { distance: 2, at_least: None, known: true, epsilon: Some("1/2".into()), rho: None, epsilon_at_delta: None },
            theorem: "G1".into(),
            proof: "crates/certify/src/equality.md".into(),
            noise: "double geometric, parameter e^(−1/4) in every cell".into(),
            meaning: Some(CertifiedMeaning {
                sentence: "Between the nearest two tables somebody can be led to 62.3 % at most.".into(),
                prior: "0.5".into(),
                posterior: "0.622459332".into(),
                except: "0".into(),
                false_alarms: "0.05".into(),
                detection: "0.082436064".into(),
                proof: "crates/certify/proofs/G9.md".into(),
            }),
        },
        secrets: None,
        counted: "every row".into(),
        read_as: String::new(),
        invariants: Vec::new(),
        conditions: Vec::new(),
        disclosed: Vec::new(),
        disclosed_cells: 0,
        disclosure: Some(CertifiedDisclosure {
            cells: CertifiedWidths { total: cells, disclosed: 0, at_most: vec![WidthCount { width: 2, count: 1 }], not_proved: 0 },
            margins: Vec::new(),
            limit_of_work: None,
            sensitive: None,
        }),
        operators: vec![OperatorUse { operator: "closed-form".into(), blocks: 4, cells, exactness: "exact".into(), run_time: "independent".into() }],
        evidence: Vec::new(),
        choice: "ε was declared in the spec".into(),
        entropy: "operating system".into(),
        table: CertifiedTable {
            file: "table.parquet".into(),
            sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".into(),
            cells,
            columns: Vec::new(),
            wide: None,
        },
        report_sha256: String::new(),
        files: vec![CertifiedFile {
            file: "DATA-README.txt".into(),
            sha256: "1b4f0e9851971998e732078544c96b36c3d01cedf7caa332359d6f1d83567014".into(),
            what: "what the files are & how to read them".into(),
        }],
        program: Program { name: "congenial".into(), version: "0.1.0".into(), commit: Some("e47c9fc".into()) },
        ledger: None,
        signed_by: None,
        time: "2026-11-15T02:56:36Z".into(),
        draw: Some("0123456789abcdef0123456789abcdef".into()),
        spec: "title = \"Delinquent children\"\n\n[mechanism]\nepsilon = \"1/4\"\n".into(),
        spec_sha256: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae".into(),
    }
}

/// Four counties by four levels of education, the counties exact.
pub fn four_by_four() -> Sample {
    let counties = ["Alpha", "Beta", "Gamma", "Delta"];
    let counts = [15, 3, 1, 1, 20, 10, 10, 15, 3, -2, 10, 2, 12, 14, 7, 0];
    let mut sample = Sample::new(
        vec![("county", labels(&counties)), ("education", labels(&["Low", "Medium", "High", "Very High"]))],
        None,
        |cell| counts[cell],
    );
    let totals = counties
        .iter()
        .enumerate()
        .map(|(row, name)| (format!("county = {name}"), counts[4 * row..4 * row + 4].iter().sum()));
    sample.certificate.invariants.push(invariant("by county", totals));
    sample.certificate.invariants.push(invariant("total", [("total".to_owned(), counts.iter().sum())]));
    sample.known.sums = vec![SumReach { dimensions: vec![1], reach: vec![9; 4] }];
    sample
}

/// The table as a projection of noisy figures.
pub fn projected() -> Sample {
    let mut sample = four_by_four();
    sample.certificate.guarantee.theorem = "G7".into();
    sample.certificate.guarantee.proof = "crates/certify/proofs/G7.md".into();
    sample.known.cells = Err("the errors of a projection have no known law".into());
    sample
}

/// One dimension of 102 areas.
pub fn areas() -> Sample {
    let names = Values::List((1..=102).map(|area| format!("Area {area}")).collect());
    let mut sample = Sample::new(vec![("area", names)], None, noisy);
    let total = sample.values.iter().sum();
    sample.certificate.invariants.push(invariant("total", [("total".to_owned(), total)]));
    sample.certificate.disclosed_cells += 1;
    sample.certificate.disclosed.push(DisclosedCell { cell: "area = Area 7".into(), value: 12 });
    sample.certificate.ledger = Some(spending("fcsm-2005"));
    sample
}

/// 3143 counties in 51 states.
pub fn hierarchy() -> Sample {
    let (leaves, states) = (3143usize, 51usize);
    let levels = Levels {
        key: "geoid".to_string(),
        names: vec!["state".into(), "county".into()],
        keys: (0..leaves).map(|leaf| format!("{:05}", 1001 + 2 * leaf)).collect(),
        labels: vec![
            (0..states).map(|state| format!("State {}", state + 1)).collect(),
            (0..leaves).map(|leaf| format!("County {}", leaf + 1)).collect(),
        ],
        codes: vec![(0..leaves).map(|leaf| (leaf * states / leaves) as u32).collect(), (0..leaves as u32).collect()],
    };
    let mut sample = Sample::new(vec![("place", Values::Hierarchy(levels))], None, noisy);
    let mut totals = vec![0; states];
    for (leaf, value) in sample.values.iter().enumerate() {
        totals[leaf * states / leaves] += value;
    }
    let totals = totals.into_iter().enumerate().map(|(state, total)| (format!("state = State {}", state + 1), total));
    sample.certificate.invariants.push(invariant("by state", totals));
    sample
}

/// A hundred thousand cells in three dimensions.
pub fn large() -> Sample {
    Sample::new(
        vec![
            ("age", Values::Integers { first: 0, last: 99 }),
            ("income", Values::Bins { edges: (0..40).map(|edge| edge * 5_000).collect(), open: true }),
            ("tract", Values::List((1..=25).map(|tract| format!("T{tract}")).collect())),
        ],
        None,
        |cell| noisy(cell) * (100 - (cell / 1000) as i64) / 50,
    )
}

/// Three dimensions with a structural zero.
pub fn cube() -> Sample {
    let mut zero = vec![false; 24];
    zero[0] = true;
    zero[13] = true;
    Sample::new(
        vec![
            ("sex", labels(&["female", "male"])),
            ("age", Values::Bins { edges: vec![0, 15, 65], open: true }),
            ("marital", labels(&["single", "married", "widowed", "divorced"])),
        ],
        Some(zero),
        |cell| noisy(cell) / 10,
    )
}

/// A payment in which every text is this one.
pub fn spending(text: &str) -> Spending {
    let named = CertifiedOverride { entry: 16, safeguard: text.into(), reason: text.into() };
    Spending {
        dataset: text.into(),
        entry: 17,
        seal: text.into(),
        charged: text.into(),
        spent: text.into(),
        budget: text.into(),
        approval: Some(15),
        together: Some(Together {
            releases: 2,
            table: Some(text.into()),
            cells: Some(102),
            disclosed_cells: Some(1),
            left_out: vec![text.into()],
        }),
        overrides: vec![named],
    }
}
