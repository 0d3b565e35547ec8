//! The congenial-verify program: `congenial verify` by itself, for readers of releases. It draws
//! nothing and knows no ledger.

mod bug;
#[allow(dead_code)]
mod output;
mod problem;

use congenial::checks_json;
use congenial::{Problem, VerifyOptions};
use output::{print, print_json, verified_text};
use serde_json::json;
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

/// What is asked for.
#[derive(Default)]
struct Asked {
    folder: Option<PathBuf>,
    key: Option<PathBuf>,
    json: bool,
}

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
    let mut asked = Asked::default();
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--help" | "-h") => return print(USAGE),
            Some("--version" | "-V") => return print(&format!("congenial-verify {}\n", congenial::VERSION)),
            Some("--json") => asked.json = true,
            Some("--key") => {
                let key = arguments.next().ok_or_else(|| Problem::bad("--key needs a file").hint(HELP))?;
                asked.key = Some(PathBuf::from(key));
            }
            Some(other) if other.starts_with('-') => {
                return Err(Problem::bad(format!("unknown argument `{other}`")).hint(HELP));
            }
            _ if asked.folder.is_none() => asked.folder = Some(PathBuf::from(argument)),
            _ => return Err(Problem::bad("one folder is verified at a time").hint(HELP)),
        }
    }
    let folder = asked.folder.ok_or_else(|| Problem::bad("no folder is given").hint(HELP))?;
    if perfect::is_perfect(&folder) {
        if asked.key.is_some() {
            return Err(Problem::bad("releases of exponential mechanisms are not signed").hint("leave --key out"));
        }
        let verified = perfect::verify_perfect(&folder)?;
        let (title, guarantee) = (&verified.certificate.title, &verified.certificate.guarantee);
        let checks = checks_json(&verified.checks);
        return match asked.json {
            true => print_json(&json!({
                "holds": true,
                "folder": folder.display().to_string(),
                "title": title,
                "verified": checks,
                "guarantee": guarantee,
            })),
            false => print(&format!(
                "{title}\n\nVerified: `{}` holds\n\nGuaranteed\n  {}\n  Run time: {}\n",
                folder.display(),
                guarantee.statement,
                guarantee.run_time
            )),
        };
    }
    let verified = congenial::verify(&folder, &VerifyOptions::signed_by(asked.key.as_deref()))?;
    if asked.json {
        return print_json(&congenial::verified_json(&folder, &verified));
    }
    print(&verified_text(&folder, &verified))
}

const HELP: &str = "congenial-verify --help tells how it is used";
