//! Evidence of walks that an earlier command gathered for the same plan: what `explain` waited for,
//! `release` need not.
//!
//! Evidence is a function of public values and of a fixed seed: the same spec, totals and program
//! give the same. It is kept in a folder that the program chooses and that only its owner may read,
//! under a name that all of these decide; a file that is damaged, or that does not suit the plan,
//! is as good as none.

use certify::{CertifiedEvidence, VERSION, evidence_of, sha256};
use declare::Declaration;
use plan::Plan;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io};

/// The folder, and the commit that the program was built from.
static FOLDER: OnceLock<(PathBuf, String)> = OnceLock::new();

/// Keeps evidence in this folder from now on; a library that is not told keeps none. Only the first
/// call counts. A program whose source (`commit`) is not known remembers nothing: another may share
/// its version.
pub fn remember_evidence_in(folder: PathBuf, commit: Option<&str>) {
    if let Some(commit) = commit {
        // Another folder was chosen before: that one stays.
        let _ = FOLDER.set((folder, commit.to_owned()));
    }
}

/// The evidence of one plan.
pub struct Remembered(Option<PathBuf>);

impl Remembered {
    /// That of a spec with these totals.
    pub fn of(declaration: &Declaration, totals: &[Vec<i64>]) -> Remembered {
        Remembered(FOLDER.get().map(|(folder, commit)| {
            let decides = format!("{VERSION}\n{commit}\n{}\n{totals:?}", declaration.to_toml());
            folder.join(format!("{}.json", sha256(decides.as_bytes())))
        }))
    }

    /// The plan with evidence that was kept, if there is any that suits it.
    pub fn recall(&self, plan: &Plan, max_delta: &exact::Rational) -> Option<Plan> {
        let text = fs::read_to_string(self.0.as_ref()?).ok()?;
        let kept: Vec<CertifiedEvidence> = serde_json::from_str(&text).ok()?;
        let evidence = kept.iter().map(CertifiedEvidence::restored).collect::<Option<Vec<_>>>()?;
        plan.clone().supported_by(evidence, max_delta).ok()
    }

    /// Keeps the evidence of a plan. That it cannot be kept is no reason to fail.
    pub fn keep(&self, plan: &Plan) {
        if let Some(file) = &self.0 {
            let _ = write(file, plan);
        }
    }
}

/// Whole or not at all: the file gets its name when it is finished.
fn write(file: &Path, plan: &Plan) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    if !folder.exists() {
        fs::create_dir_all(folder)?;
        #[cfg(unix)]
        fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    }
    let unfinished = tempfile::NamedTempFile::new_in(folder)?;
    fs::write(unfinished.path(), serde_json::to_vec(&evidence_of(plan)).map_err(io::Error::other)?)?;
    unfinished.persist(file).map(drop).map_err(|error| error.error)
}
