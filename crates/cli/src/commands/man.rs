//! `congenial man`: the manual pages, made from what the program says of itself.

use crate::output::print;
use clap::{Args, CommandFactory};
use congenial::Problem;
use std::path::PathBuf;

/// Write the manual pages, one for every command
#[derive(Args)]
#[command(after_help = "Example:\n  congenial man --out ~/.local/share/man/man1 && man congenial-release")]
pub struct Man {
    /// The folder, which is made if need be; pages of this program in it are replaced
    #[arg(long = "out", value_name = "DIR")]
    folder: PathBuf,
}

impl Man {
    /// Writes the pages and says how many.
    pub fn run(self) -> Result<(), Problem> {
        let failed = |error: std::io::Error| {
            Problem::system(format!("cannot write manual pages to `{}`: {error}", self.folder.display()))
        };
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        let mut program = crate::Arguments::command();
        program.build();
        clap_mangen::generate_to(program, &self.folder).map_err(failed)?;
        let pages = std::fs::read_dir(&self.folder).map_err(failed)?;
        let is_page = |name: &str| name.starts_with("congenial") && name.ends_with(".1");
        let pages =
            pages.filter_map(|page| page.ok()?.file_name().into_string().ok()).filter(|name| is_page(name)).count();
        print(&format!("Wrote {pages} pages to {}\n", self.folder.display()))
    }
}
