//! `Certificate`: everything a reader needs to rely on a release, and nothing else about the data.

use crate::counted::EVERY_ROW;
use crate::disclosure::{CertifiedDisclosure, DisclosedCell};
use crate::secrets::CertifiedSecrets;
use serde::{Deserialize, Serialize};

/// The certificate of a release, as written to `certificate.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version of this format.
    pub format: u32,
    /// The title of the publication.
    pub title: String,
    /// The guarantee, in words and numbers.
    pub guarantee: Guarantee,
    /// What the release tells of a secret, where the spec declares how records may depend on each
    /// other: beside the guarantee, which does not depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secrets: Option<CertifiedSecrets>,
    /// Which rows of the data were counted, in words: those that declared policies leave out are
    /// named by their rule.
    pub counted: String,
    /// How the fields of these rows were read, in words; empty: as they stand.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub read_as: String,
    /// What is exactly true in the release, with values.
    pub invariants: Vec<CertifiedInvariant>,
    /// What else every released table satisfies, in words: bounds and rules.
    #[serde(default)]
    pub conditions: Vec<String>,
    /// Cells whose value the invariants alone disclose.
    pub disclosed: Vec<DisclosedCell>,
    /// How many such cells there are; the list stops at a thousand.
    pub disclosed_cells: usize,
    /// How closely the invariants alone confine the other cells. One that does not say it does not
    /// verify.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disclosure: Option<CertifiedDisclosure>,
    /// Which operator drew what, and how exactly.
    pub operators: Vec<OperatorUse>,
    /// What coupled chains say about the walks that drew the release; none: the release is exact.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<CertifiedEvidence>,
    /// How ε or ρ was chosen.
    pub choice: String,
    /// Where the random bits came from.
    pub entropy: String,
    /// The released table.
    pub table: CertifiedTable,
    /// Every file of the release but the certificate itself and the report, which is made from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<CertifiedFile>,
    /// SHA-256 of the report, in hexadecimal. The report is made of all the rest of the certificate
    /// and of the table, so this is empty while it is made, and nowhere else.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub report_sha256: String,
    /// The program that made the release.
    pub program: Program,
    /// The entry in the ledger; `None`: the data are declared public and nothing was spent.
    pub ledger: Option<Spending>,
    /// The public key that `certificate.sig` must be signed with, in hexadecimal; `None`: the
    /// certificate is not signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_by: Option<String>,
    /// When the release was made (UTC, RFC 3339).
    pub time: String,
    /// 128 random bits, in hexadecimal, that no other draw has; copies, other titles and other
    /// formats keep them. Absent where nothing was drawn, and in releases of versions up to 0.3.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<String>,
    /// The spec with every default filled in, as canonical TOML.
    pub spec: String,
    /// SHA-256 of `spec`, in hexadecimal.
    pub spec_sha256: String,
}

impl Certificate {
    /// Whether the release is a projection of noisy figures, so that nothing is known of the law of
    /// its errors.
    pub fn is_projected(&self) -> bool {
        self.guarantee.theorem == "G7"
    }

    /// Which rows its exact totals are about, where they are not about all rows of the data.
    pub fn rows_in_words(&self) -> Option<&str> {
        (self.counted != EVERY_ROW).then_some(self.counted.as_str())
    }

    /// What disclosed cells follow from: the exact totals, and which rows are counted where a
    /// filter says so.
    pub fn discloses_by(&self) -> &'static str {
        match self.counted.starts_with("rows where ") {
            true => "the exact totals and the rows that are counted",
            false => "the exact totals",
        }
    }

    /// Whether the exact totals alone are published: nothing was drawn, and there are no counts of
    /// cells.
    pub fn is_suppressed(&self) -> bool {
        self.guarantee.theorem == "suppression"
    }
}

/// The guarantee, in words and numbers. Numbers are exact fractions as text, or decimals that only
/// round up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guarantee {
    /// One English paragraph.
    pub statement: String,
    /// `pure differential privacy`, `zero-concentrated differential privacy`,
    /// `concentrated differential privacy at integer orders` or `approximate differential privacy`.
    pub definition: String,
    /// Which pairs of tables the guarantee is about.
    pub neighbours: String,
    /// What the loss is per, for example `unit of l1 distance` or `replaced record`.
    pub unit: String,
    /// Who is protected, when one privacy unit may own several rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub privacy_unit: Option<PrivacyUnit>,
    /// ε per unit.
    pub epsilon: Option<String>,
    /// δ; of zCDP: the δ at which `epsilon_at_delta` is stated; of a walk: what its distance from
    /// the law costs.
    pub delta: Option<String>,
    /// ρ per unit.
    pub rho: Option<String>,
    /// Of zCDP: an ε, rounded up, that holds at `delta`, for one unit.
    pub epsilon_at_delta: Option<String>,
    /// What inequalities and pinned totals add, as a part of the loss without them; included in
    /// `epsilon`.
    pub gamma: String,
    /// What the plain factor 2 would state, where inequalities or pinned totals add something.
    pub plain_factor_two: Option<String>,
    /// Why the loss is what it is: the worst step between two tables.
    pub because: String,
    /// What rounding adds to ε: 0 for exact operators.
    pub rounding: String,
    /// The nearest pair of different tables that both keep the invariants.
    pub nearest: NearestPair,
    /// The theorem, for example `G1`.
    pub theorem: String,
    /// The proof document in the source tree.
    pub proof: String,
    /// The noise law with its parameter, in words.
    pub noise: String,
    /// What the loss of a pair of tables that can exist means, where it has a meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<CertifiedMeaning>,
}

/// What a loss means for somebody who bets or tests which of two tables it was: two that differ by
/// one replaced record or privacy unit, or the nearest two, as the sentence says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedMeaning {
    /// The numbers below in words.
    pub sentence: String,
    /// The probability that somebody gave one of the two before.
    pub prior: String,
    /// What the release can lead them to, at most.
    pub posterior: String,
    /// The probability of a release that leads further; 0 for pure loss.
    pub except: String,
    /// The probability with which a test takes the one table for the other.
    pub false_alarms: String,
    /// The probability with which it then notices the other, at most.
    pub detection: String,
    /// The proof document in the source tree.
    pub proof: String,
}

impl CertifiedMeaning {
    /// What the release can lead somebody to, in percent as the sentence writes it; nothing when
    /// the certificate has no number there.
    pub fn posterior_in_percent(&self) -> Option<String> {
        self.posterior.parse().ok().map(|posterior| loss::percent(&posterior))
    }
}

/// A privacy unit that may own several rows, and what replacing one by another may lose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrivacyUnit {
    /// The column of the data file that names it.
    pub column: String,
    /// The most rows of one unit that are counted.
    pub rows: u64,
    /// ε or ρ between two tables that differ by one replaced unit.
    pub loss: String,
    /// Why no unit has more, as a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub bounded: String,
}

/// The nearest pair of different tables that both keep the invariants, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NearestPair {
    /// Their ℓ₁ distance.
    pub distance: u64,
    /// No two tables are nearer than this. Absent: than `distance`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<u64>,
    /// Whether two tables at `distance` are known to exist. Absent: they are.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub known: bool,
    /// The loss ε of that pair (of zCDP: absent).
    pub epsilon: Option<String>,
    /// The loss ρ of that pair (of pure loss: absent).
    pub rho: Option<String>,
    /// Of zCDP: an ε, rounded up, that holds between the pair at `delta`.
    pub epsilon_at_delta: Option<String>,
}

fn yes() -> bool {
    true
}

fn is_true(value: &bool) -> bool {
    *value
}

/// One invariant and its public values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedInvariant {
    /// For example `by county`.
    pub label: String,
    /// Whether its totals are published values that need not be the confidential table's own.
    #[serde(default)]
    pub pinned: bool,
    /// Its totals.
    pub totals: Vec<Total>,
}

/// One exact total.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Total {
    /// For example `county = Alpha`.
    pub name: String,
    /// Its value, in the confidential table and in the release.
    pub value: i64,
}

/// Which operator drew how much.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperatorUse {
    /// The operator's name.
    pub operator: String,
    /// The number of blocks it drew.
    pub blocks: usize,
    /// The number of cells it drew.
    pub cells: usize,
    /// How exactly.
    pub exactness: String,
    /// What the run time of the draw tells: `independent`, or `depends on the table`.
    pub run_time: String,
}

/// What coupled chains say about one walk. Evidence, not proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedEvidence {
    /// The operator's name.
    pub operator: String,
    /// The number of cells it drew.
    pub cells: usize,
    /// How many steps the chain of the release made.
    pub steps: u64,
    /// An upper limit of the total variation distance between its law and the stated one, rounded
    /// up.
    pub distance: String,
    /// The confidence of the limit, in percent.
    pub confidence: u32,
    /// The steps of a block: pairs that have not met in one are continued into the next.
    pub block: u64,
    /// How many shorter blocks were given up before.
    pub attempt: u32,
    /// How many different tables were walked around, all made from public values.
    pub starts: u64,
    /// The pairs of the first block, by where they began.
    pub families: Vec<CertifiedFamily>,
    /// The pairs of the later blocks, continued from those that had not met.
    pub rounds: Vec<CertifiedRound>,
    /// The number of pairs in all.
    pub pairs: u64,
    /// The steps after which pairs met in the first block, increasing: `12`, or `12*3` for three of
    /// them.
    pub meetings: String,
    /// Their mean, to three decimals.
    pub mean_meeting: String,
    /// An upper limit of the probability that two chains which have not met yet do not meet in a
    /// block.
    pub unmet: String,
    /// What is assumed, in words.
    pub assumption: String,
    /// How often moves of each kind were proposed and accepted.
    pub moves: Vec<CertifiedMoves>,
    /// How well single chains move.
    pub mixing: Mixing,
}

/// Pairs of chains that began alike, in their first block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedFamily {
    /// Whether the chains began at different tables, far apart; otherwise one of them was a block
    /// ahead.
    pub apart: bool,
    /// The pairs.
    pub pairs: u64,
    /// Those that did not meet in the block.
    pub unmet: u64,
}

/// Pairs of chains in a later block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedRound {
    /// The pairs.
    pub pairs: u64,
    /// Those that did not meet in the block.
    pub unmet: u64,
}

/// How often moves of one kind were proposed and accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedMoves {
    /// The kind.
    pub kind: String,
    /// How often they were proposed.
    pub proposed: u64,
    /// How often they were accepted.
    pub accepted: u64,
}

/// How well single chains move, by their energy: minus the logarithm of the weight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mixing {
    /// The number of chains.
    pub chains: u64,
    /// The effective number of independent energies among all of their points.
    pub effective: String,
    /// Split-R̂ of the energy: near 1 when the chains agree.
    pub r_hat: String,
    /// The energy of one chain at equally spaced steps.
    pub trace: String,
    /// The steps between two points of the trace.
    pub every: u64,
}

/// What the release of confidential data cost, as its ledger has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spending {
    /// The dataset that paid.
    pub dataset: String,
    /// The entry that paid, by its number in the ledger.
    pub entry: u64,
    /// The seal of the entry: it pins the history of the ledger up to there.
    pub seal: String,
    /// What was paid, with its unit.
    pub charged: String,
    /// What all releases of the dataset have cost, this one included: theorem G6.
    pub spent: String,
    /// What they may cost in all.
    pub budget: String,
    /// The entry by which a second person approved the release, where the dataset demands that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<u64>,
    /// What the exact totals of all completed releases of the dataset, this one included, say
    /// together; absent for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// Safeguards that were overridden since the last release of the dataset.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<CertifiedOverride>,
}

/// What the exact totals of several releases of one dataset say together. It does not follow from
/// this certificate alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Together {
    /// How many earlier releases were joined with this one.
    pub releases: usize,
    /// The common table of all of them, in words; absent when it is not known what they say
    /// together.
    pub table: Option<String>,
    /// Its number of cells.
    pub cells: Option<usize>,
    /// How many of them the totals disclose exactly, or are not shown to leave open.
    pub disclosed_cells: Option<usize>,
    /// What was not joined, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl Together {
    /// All of it in one sentence, and the reasons for what was left out.
    pub fn in_words(&self) -> String {
        let said = match (&self.table, self.cells, self.disclosed_cells) {
            (Some(table), Some(cells), Some(disclosed)) => {
                let releases = match self.releases {
                    0 => "no earlier release".to_string(),
                    1 => "1 earlier release".to_string(),
                    releases => format!("{releases} earlier releases"),
                };
                format!("with the exact totals of {releases}, {disclosed} of {cells} cells are disclosed ({table})")
            }
            _ => "what the exact totals of all releases disclose together is not known".to_string(),
        };
        match self.left_out.as_slice() {
            [] => said,
            left_out => format!("{said}; not joined: {}", left_out.join("; ")),
        }
    }
}

/// A safeguard that was overridden, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedOverride {
    /// Its entry in the ledger.
    pub entry: u64,
    /// Which safeguard.
    pub safeguard: String,
    /// Why.
    pub reason: String,
}

/// The released table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedTable {
    /// The file, relative to the certificate.
    pub file: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// The number of cells: rows of the file.
    pub cells: usize,
    /// The columns of the file.
    pub columns: Vec<String>,
    /// The dimension that the wide table, if there is one, spreads over columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wide: Option<String>,
}

/// A file of the release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedFile {
    /// Its name, relative to the certificate.
    pub file: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// What it is.
    pub what: String,
}

/// The program that made the release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The commit it was built from, if known.
    pub commit: Option<String>,
}
