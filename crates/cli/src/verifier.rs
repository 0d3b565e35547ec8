//! The congenial-verify program: `congenial verify` by itself, for readers of releases. It draws
//! nothing and knows no ledger.

mod bug;
#[allow(dead_code)]
mod output;
mod problem;

use congenial::{Problem, VerifyOptions};
use output::{answer, perfect_json, print, verified_text};
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
Check a release with no access to the data: hashes, exact totals, and the arithmetic of the certificate.

Usage: congenial-verify [--key FILE] [--json] DIR

  DIR         the folder that `congenial release --out` wrote
  --key FILE  demand that the certificate is signed with the secret key of this public one
  --json      print JSON, for scripts

Exits with 0 when everything holds, with 2 when something does not, and with 3 when it says that another version made it
and this one cannot make all of it again.
";

fn main() -> ExitCode {
    bug::install();
    match congenial::caught(run) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(problem)) => {
            problem::show(&problem);
            ExitCode::from(problem::exit_code(problem.kind))
        }
        Err(_) => ExitCode::from(1),
    }
}

fn run() -> Result<(), Problem> {
    let (mut folder, mut key, mut json) = (None, None, false);
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--help" | "-h") => return print(USAGE),
            Some("--version" | "-V") => return print(&format!("congenial-verify {}\n", congenial::VERSION)),
            Some("--json") => json = true,
            Some("--key") => {
                let file = arguments.next().ok_or_else(|| Problem::bad("--key needs a file").hint(HELP))?;
                key = Some(PathBuf::from(file));
            }
            Some(other) if other.starts_with('-') => {
                return Err(Problem::bad(format!("unknown argument `{other}`")).hint(HELP));
            }
            _ if folder.is_none() => folder = Some(PathBuf::from(argument)),
            _ => return Err(Problem::bad("one folder is verified at a time").hint(HELP)),
        }
    }
    let folder = folder.ok_or_else(|| Problem::bad("no folder is given").hint(HELP))?;
    if perfect::is_perfect(&folder) {
        let verified = perfect::verify_perfect(&folder, key.as_deref())?;
        let (title, guarantee) = (&verified.certificate.title, &verified.certificate.guarantee);
        let text = format!(
            "{title}\n\nVerified: `{}` holds\n\nGuaranteed\n  {}\n  Run time: {}\n",
            folder.display(),
            guarantee.statement,
            guarantee.run_time
        );
        return answer(json, || perfect_json(&folder, &verified), || text);
    }
    let verified = congenial::verify(&folder, &VerifyOptions::signed_by(key.as_deref()))?;
    answer(json, || congenial::verified_json(&folder, &verified), || verified_text(&folder, &verified))
}

const HELP: &str = "congenial-verify --help tells how it is used";
