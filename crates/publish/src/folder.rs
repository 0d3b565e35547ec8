//! The folder of a release: made beside its name, synchronised with the disk, and then given its
//! name; kept once it was paid for.

use crate::files::{cannot, parent_of};
use declare::Problem;
use std::fs::{self, File};
use std::path::{Component, Path, PathBuf};
use tempfile::TempDir;

/// The longest name of a folder that a ledger keeps, in characters.
const LONGEST_NAME: usize = 2000;

/// What begins the name of a folder in which a release is made.
pub const PREFIX: &str = ".congenial-";

/// The folder inside it in which the release is written.
pub const RELEASE: &str = "release";

/// The certificate of a release.
pub const CERTIFICATE_FILE: &str = "certificate.json";

/// The report of a release.
pub const REPORT_FILE: &str = "report.html";

/// A folder in which a release is made. It is private to its owner; what is made inside it has the
/// permissions that the owner's files have.
#[derive(Debug)]
pub struct Workshop {
    private: TempDir,
    /// The release.
    pub finished: PathBuf,
}

impl Workshop {
    /// Makes a folder beside the one that the release will have, and tries whether it can be given
    /// that name.
    pub fn new(folder: &Path) -> Result<Workshop, Problem> {
        let parent = parent_of(folder);
        fs::create_dir_all(parent).map_err(|error| cannot("create", parent, error))?;
        let private = private_folder(PREFIX, parent)?;
        let finished = private.path().join(RELEASE);
        fs::create_dir(&finished).map_err(|error| cannot("create", &finished, error))?;
        let work = Workshop { private, finished };
        work.try_name(folder)?;
        Ok(work)
    }

    /// Gives a folder the name of the release and takes it away again: what stands in the way is
    /// found before anything is paid.
    fn try_name(&self, folder: &Path) -> Result<(), Problem> {
        let impossible = |error: std::io::Error| {
            Problem::bad(format!("a release cannot be given the name `{}`: {error}", folder.display())).hint(
                "nothing was drawn or spent; choose another --out folder: neither a mount point nor on another disk than its parent",
            )
        };
        let trial = self.private.path().join("trial");
        fs::create_dir(&trial).map_err(|error| cannot("create", &trial, error))?;
        match fs::symlink_metadata(folder) {
            // An empty folder gives way to another one, which stays in its place; a mount point
            // does not.
            Ok(_) => fs::rename(&trial, folder).map_err(impossible),
            // A name beside it, so that a crash at this moment leaves no empty folder where the
            // release should be.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let mut beside = self.private.path().as_os_str().to_owned();
                beside.push("-trial");
                let beside = PathBuf::from(beside);
                fs::rename(&trial, &beside).and_then(|()| fs::remove_dir(&beside)).map_err(impossible)
            }
            Err(error) => Err(impossible(error)),
        }
    }

    /// The private folder.
    pub fn private(&self) -> &Path {
        self.private.path()
    }

    /// Whether it is this very folder.
    pub fn is(&self, folder: &Path) -> bool {
        self.private.path().file_name() == folder.file_name()
            && self.private.path().canonicalize().ok() == folder.canonicalize().ok()
    }

    /// From now on nothing in it is removed: it was paid for.
    pub fn keep(&mut self) {
        self.private.disable_cleanup(true);
    }

    /// Copies files of another folder into the release.
    pub fn copy(&self, from: &Path, names: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<(), Problem> {
        for name in names {
            let path = self.finished.join(&name);
            fs::copy(from.join(&name), &path).map_err(|error| cannot("write", &path, error))?;
        }
        Ok(())
    }

    /// Gives the finished folder its name, when all of it is on the disk.
    pub fn publish(&self, folder: &Path) -> Result<(), Problem> {
        for entry in fs::read_dir(&self.finished).map_err(|error| cannot("read", &self.finished, error))? {
            let path = entry.map_err(|error| cannot("read", &self.finished, error))?.path();
            synchronise(&path)?;
        }
        synchronise(&self.finished)?;
        // An empty folder of that name gives way; anything else stops it.
        fs::rename(&self.finished, folder).map_err(|error| cannot("create", folder, error))?;
        synchronise(parent_of(folder))
    }
}

/// A temporary folder that its owner alone can enter, whatever files are usually made like.
pub fn private_folder(prefix: &str, parent: &Path) -> Result<TempDir, Problem> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.prefix(prefix).tempdir_in(parent).map_err(|error| cannot("create a folder in", parent, error))
}

/// A private folder for what is made while a release is verified: inside the one in which it is
/// made, so that no other disk decides over what was paid for; of any other release where the
/// system has its temporary files.
pub fn scratch_for(folder: &Path) -> Result<TempDir, Problem> {
    let private = folder.parent().filter(|parent| {
        parent.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX)) && folder.ends_with(RELEASE)
    });
    match private {
        Some(private) => private_folder("verify-", private),
        // A system without a folder for temporary files has one beside the release, perhaps.
        None => private_folder("verify-", &std::env::temp_dir())
            .or_else(|problem| private_folder("verify-", parent_of(folder)).map_err(|_| problem)),
    }
}

/// The folder that a name means, without what is of no account at its end: a link with a slash is a
/// link.
pub fn plain_name(folder: &Path) -> PathBuf {
    folder.components().filter(|component| *component != Component::CurDir).collect()
}

/// The folder that a name means, if nothing is there yet.
pub fn new_folder(folder: &Path) -> Result<PathBuf, Problem> {
    let folder = plain_name(folder);
    if check_folder(&folder)? { Err(occupied(&folder)) } else { Ok(folder) }
}

/// Nothing may be overwritten, and what could not be given to the release at the end is refused at
/// the beginning.
///
/// Says whether a release lies there already: it may be the very one that is asked for.
pub fn check_folder(folder: &Path) -> Result<bool, Problem> {
    if folder.file_name().is_none() || folder.is_symlink() || folder.is_file() {
        let name = if folder.as_os_str().is_empty() { "." } else { &*folder.to_string_lossy() };
        return Err(Problem::bad(format!("`{name}` cannot become a release"))
            .hint("name a new folder after --out, neither a file, a link nor `.`"));
    }
    // A release is what its certificate lists: something else inside it would be taken for a part
    // of it.
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let is_release = |place: &&Path| [CERTIFICATE_FILE, REPORT_FILE].iter().all(|name| place.join(name).is_file());
    if let Some(release) = whole.ancestors().skip(1).find(is_release) {
        return Err(Problem::bad(format!("`{}` lies inside the release `{}`", folder.display(), release.display()))
            .hint("name a folder beside it after --out"));
    }
    // The ledger keeps the name: what it would not take is refused before anything is paid.
    let name = whole.display().to_string();
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
    match empty {
        true => Ok(false),
        false if folder.join(CERTIFICATE_FILE).is_file() => Ok(true),
        false => Err(occupied(folder)),
    }
}

/// The problem of a name that is taken.
pub fn occupied(folder: &Path) -> Problem {
    Problem::bad(format!("`{}` exists and is not empty; a release never overwrites anything", folder.display()))
        .hint("choose another --out folder, or move the old release away")
}

/// Has a file, or the names in a folder, stored.
pub fn synchronise(path: &Path) -> Result<(), Problem> {
    File::open(path).and_then(|file| file.sync_all()).map_err(|error| cannot("write", path, error))
}
