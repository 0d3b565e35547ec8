//! `congenial key`: keys that sign certificates.

use crate::output::{print, shell};
use clap::{Args, Subcommand};
use congenial::Problem;
use std::path::PathBuf;

/// Make a key that signs certificates
#[derive(Args)]
#[command(after_help = "\
Examples:
  congenial key new agency.key
  CONGENIAL_PASSPHRASE_FILE=passphrase.txt congenial key new agency.key --encrypt
  congenial release congenial.toml --out release --sign agency.key
  congenial verify release --key agency.key.pub")]
pub struct Key {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make a new pair of Ed25519 keys: FILE is secret, FILE.pub is for your readers
    New {
        /// The file of the secret key; it must be new
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Encrypt the secret key with the first line of the file that CONGENIAL_PASSPHRASE_FILE
        /// names in the environment; whatever signs with it needs the same
        #[arg(long)]
        encrypt: bool,
    },
}

impl Key {
    /// Makes the keys, and says where they are.
    pub fn run(self) -> Result<(), Problem> {
        let Action::New { file, encrypt } = self.action;
        let (public, digits) = congenial::new_keys(&file, encrypt)?;
        print(&format!(
            "Made\n  {}  secret: it signs; keep it where only you can read it\n  {}  public: publish it where readers trust it\n  {digits}\n",
            shell(&file),
            shell(&public)
        ))
    }
}
