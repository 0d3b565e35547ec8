//! `congenial schema`: the JSON schema of specs, for editors.

use crate::output::print;
use clap::Args;
use congenial::Problem;

/// Print the JSON schema of specs, by which editors complete and check them
#[derive(Args)]
#[command(after_help = "\
Example:
  congenial schema > congenial.schema.json

A spec that begins with the line `#:schema ./congenial.schema.json` is then completed and checked by editors that know
TOML schemas (Taplo, Even Better TOML).")]
pub struct Schema {}

impl Schema {
    /// Prints the schema.
    pub fn run(self) -> Result<(), Problem> {
        print(&congenial::spec_schema())
    }
}
