//! The folder of a release: made beside its name, synchronised with the disk, and then given its name; or copied from an earlier one.

use crate::files::{cannot, hash};
use crate::release::Released;
use crate::verify::{CERTIFICATE_FILE, certified_files, verify_folder};
use declare::Problem;
use ledger::Earlier;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The longest name of a folder that a ledger keeps, in characters.
const LONGEST_NAME: usize = 2000;

/// A release that existed and was handed back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedBack {
    /// The entry of the ledger that paid for it.
    pub entry: u64,
    /// When it was made.
    pub time: String,
    /// Where it was written then.
    pub folder: String,
}

/// A folder in which a release is made.
pub(crate) struct Work {
    /// Private to its owner; what is made inside it has the permissions that the owner's files have.
    _private: TempDir,
    /// The release.
    pub(crate) finished: PathBuf,
}

impl Work {
    /// Makes a folder beside the one that the release will have.
    pub(crate) fn new(folder: &Path) -> Result<Work, Problem> {
        let parent = parent_of(folder);
        fs::create_dir_all(parent).map_err(|error| cannot("create", parent, error))?;
        let private = tempfile::Builder::new()
            .prefix(".congenial-")
            .tempdir_in(parent)
            .map_err(|error| cannot("create a folder in", parent, error))?;
        let finished = private.path().join("release");
        fs::create_dir(&finished).map_err(|error| cannot("create", &finished, error))?;
        Ok(Work { _private: private, finished })
    }

    /// Gives the finished folder its name, when all of it is on the disk.
    pub(crate) fn publish(self, folder: &Path) -> Result<(), Problem> {
        let synchronise = |path: &Path| {
            File::open(path).and_then(|file| file.sync_all()).map_err(|error| cannot("write", path, error))
        };
        for entry in fs::read_dir(&self.finished).map_err(|error| cannot("read", &self.finished, error))? {
            let path = entry.map_err(|error| cannot("read", &self.finished, error))?.path();
            synchronise(&path)?;
        }
        synchronise(&self.finished)?;
        if folder.exists() {
            fs::remove_dir(folder).map_err(|error| cannot("replace", folder, error))?;
        }
        fs::rename(&self.finished, folder).map_err(|error| cannot("create", folder, error))?;
        synchronise(parent_of(folder))
    }
}

fn parent_of(folder: &Path) -> &Path {
    folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Nothing may be overwritten, and what could not be given to the release at the end is refused at the beginning.
pub(crate) fn check_folder(folder: &Path) -> Result<(), Problem> {
    if folder.file_name().is_none() || folder.is_symlink() || folder.is_file() {
        return Err(Problem::bad(format!("`{}` cannot become a release", folder.display()))
            .hint("name a new folder after --out, neither a file, a link nor `.`"));
    }
    // The ledger keeps the name: what it would not take is refused before anything is paid.
    let name = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf()).display().to_string();
    if name.trim() != name || name.chars().any(char::is_control) || name.chars().count() > LONGEST_NAME {
        return Err(Problem::bad(
            "the name of the --out folder ends with a space, has a control character or is very long",
        )
        .hint("choose a plainer name"));
    }
    let empty = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
        Err(error) => return Err(cannot("use", folder, error)),
    };
    if empty {
        return Ok(());
    }
    Err(Problem::bad(format!("`{}` exists and is not empty; a release never overwrites anything", folder.display()))
        .hint("choose another --out folder, or move the old release away"))
}

/// Hands back a release that exists: verified, and copied to the folder that was asked for.
pub(crate) fn hand_back(
    earlier: Earlier,
    work: Work,
    folder: &Path,
    stream_above: usize,
    left_out: Vec<(u64, &'static str)>,
) -> Result<Released, Problem> {
    let Earlier { reservation: entry, time, folder: then, .. } = earlier;
    let exists = format!("this spec was released before (entry {entry} of the ledger, {time}, to `{then}`)");
    if !earlier.same_data {
        return Err(Problem::refused(format!("{exists}, from other data than these"))
            .hint("--again draws from the data as they are now, and pays again"));
    }
    let there = Path::new(&then);
    let is_there = hash(&there.join(CERTIFICATE_FILE)).is_ok_and(|found| found == earlier.certificate);
    if !is_there {
        return Err(Problem::refused(format!("{exists}, and is not there any more")).hint(
            "a completed release is handed back and never drawn again: find that folder; or --again draws anew, and pays again",
        ));
    }
    for name in certified_files(there)? {
        let path = work.finished.join(&name);
        fs::copy(there.join(&name), &path).map_err(|error| cannot("write", &path, error))?;
    }
    let verified = verify_folder(&work.finished, stream_above, None)?;
    work.publish(folder)?;
    let handed_back = Some(HandedBack { entry, time, folder: then });
    let folder = folder.to_path_buf();
    Ok(Released { folder, certificate: verified.certificate, checks: verified.checks, left_out, handed_back })
}
