//! The folder of a release: made beside its name, synchronised with the disk, and then given its name; kept once it was paid for.

use crate::files::{cannot, hash};
use crate::keeping::{Keeping, RELEASE, synchronise};
use crate::present::{Wanted, present};
use crate::release::Released;
use crate::verify::{CERTIFICATE_FILE, REPORT_FILE, certified_files, verify_folder};
use declare::Problem;
use ledger::Earlier;
use std::fs;
use std::path::{Component, Path, PathBuf};
use tempfile::TempDir;

/// The longest name of a folder that a ledger keeps, in characters.
const LONGEST_NAME: usize = 2000;

/// What begins the name of a folder in which a release is made.
pub(crate) const PREFIX: &str = ".congenial-";

/// A release that existed and was handed back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedBack {
    /// The entry of the ledger that paid for it.
    pub entry: u64,
    /// When it was made.
    pub time: String,
    /// Where it was written then.
    pub folder: String,
    /// Whether it was written anew, with another title, format or signature; otherwise it is as it was made.
    pub presented: bool,
}

/// A folder in which a release is made. It is private to its owner; what is made inside it has the permissions that the owner's
/// files have.
pub(crate) struct Work {
    private: TempDir,
    /// The release.
    pub(crate) finished: PathBuf,
}

impl Work {
    /// Makes a folder beside the one that the release will have, and tries whether it can be given that name.
    pub(crate) fn new(folder: &Path) -> Result<Work, Problem> {
        let parent = parent_of(folder);
        fs::create_dir_all(parent).map_err(|error| cannot("create", parent, error))?;
        let private = private_folder(PREFIX, parent)?;
        let finished = private.path().join(RELEASE);
        fs::create_dir(&finished).map_err(|error| cannot("create", &finished, error))?;
        let work = Work { private, finished };
        work.try_name(folder)?;
        Ok(work)
    }

    /// Gives a folder the name of the release and takes it away again: what stands in the way is found before anything is paid.
    fn try_name(&self, folder: &Path) -> Result<(), Problem> {
        let impossible = |error: std::io::Error| {
            Problem::bad(format!("a release cannot be given the name `{}`: {error}", folder.display())).hint(
                "nothing was drawn or spent; choose another --out folder: neither a mount point nor on another disk than its parent",
            )
        };
        let trial = self.private.path().join("trial");
        fs::create_dir(&trial).map_err(|error| cannot("create", &trial, error))?;
        match fs::symlink_metadata(folder) {
            // An empty folder gives way to another one, which stays in its place; a mount point does not.
            Ok(_) => fs::rename(&trial, folder).map_err(impossible),
            // A name beside it, so that a crash at this moment leaves no empty folder where the release should be.
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
    pub(crate) fn private(&self) -> &Path {
        self.private.path()
    }

    /// Whether what is paid for is kept in this very folder.
    pub(crate) fn holds(&self, keeping: &Keeping) -> bool {
        self.private.path().file_name() == keeping.folder().file_name()
            && self.private.path().canonicalize().ok() == keeping.folder().canonicalize().ok()
    }

    /// From now on nothing in it is removed: it was paid for.
    pub(crate) fn keep(&mut self) {
        self.private.disable_cleanup(true);
    }

    /// Gives the finished folder its name, when all of it is on the disk.
    pub(crate) fn publish(&self, folder: &Path) -> Result<(), Problem> {
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
pub(crate) fn private_folder(prefix: &str, parent: &Path) -> Result<TempDir, Problem> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.prefix(prefix).tempdir_in(parent).map_err(|error| cannot("create a folder in", parent, error))
}

/// A private folder for what is made while a release is verified: inside the one in which it is made, so that no other disk decides
/// over what was paid for; of any other release where the system has its temporary files.
pub(crate) fn scratch_for(folder: &Path) -> Result<TempDir, Problem> {
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

fn parent_of(folder: &Path) -> &Path {
    folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The folder that a name means, without what is of no account at its end: a link with a slash is a link.
pub(crate) fn plain_name(folder: &Path) -> PathBuf {
    folder.components().filter(|component| *component != Component::CurDir).collect()
}

/// Nothing may be overwritten, and what could not be given to the release at the end is refused at the beginning.
///
/// Says whether a release lies there already: it may be the very one that is asked for.
pub(crate) fn check_folder(folder: &Path) -> Result<bool, Problem> {
    if folder.file_name().is_none() || folder.is_symlink() || folder.is_file() {
        let name = if folder.as_os_str().is_empty() { "." } else { &*folder.to_string_lossy() };
        return Err(Problem::bad(format!("`{name}` cannot become a release"))
            .hint("name a new folder after --out, neither a file, a link nor `.`"));
    }
    // A release is what its certificate lists: something else inside it would be taken for a part of it.
    let above = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let is_release = |place: &&Path| [CERTIFICATE_FILE, REPORT_FILE].iter().all(|name| place.join(name).is_file());
    if let Some(release) = above.ancestors().skip(1).find(is_release) {
        return Err(Problem::bad(format!("`{}` lies inside the release `{}`", folder.display(), release.display()))
            .hint("name a folder beside it after --out"));
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
    match empty {
        true => Ok(false),
        false if folder.join(CERTIFICATE_FILE).is_file() => Ok(true),
        false => Err(occupied(folder)),
    }
}

/// The problem of a name that is taken.
pub(crate) fn occupied(folder: &Path) -> Problem {
    Problem::bad(format!("`{}` exists and is not empty; a release never overwrites anything", folder.display()))
        .hint("choose another --out folder, or move the old release away")
}

/// Hands back a release that exists: verified, and written to the folder that was asked for as it is wanted.
///
/// `copies` are the folders to which it was written since, with the hashes of their certificates; `costs` is what a new draw would
/// cost. What was written is told with its hashes when it is not a plain copy.
pub(crate) fn hand_back(
    earlier: Earlier,
    folder: &Path,
    copies: &[(PathBuf, String)],
    wanted: &Wanted<'_>,
    costs: &str,
) -> Result<Released, Problem> {
    let Earlier { reservation: entry, time, folder: then, .. } = earlier;
    let exists = format!("this release was made before (entry {entry} of the ledger, {time}, to `{then}`)");
    if !earlier.same_data {
        return Err(Problem::refused(format!("{exists}, from other data than these"))
            .hint(format!("--again draws from the data as they are now, and pays {costs} once more")));
    }
    let there = Path::new(&then);
    let is_there = |place: &Path| {
        let known = |found: &String| *found == earlier.certificate || copies.iter().any(|(_, known)| known == found);
        hash(&place.join(CERTIFICATE_FILE)).is_ok_and(|found| known(&found))
    };
    let mut places = [there, folder].into_iter().chain(copies.iter().map(|(place, _)| place.as_path()));
    let Some(from) = places.find(|place| is_there(place)) else {
        let also: Vec<String> = copies.iter().map(|(place, _)| format!("`{}`", place.display())).collect();
        let also = if also.is_empty() { String::new() } else { format!(", nor in {}", also.join(", ")) };
        return Err(Problem::refused(format!("{exists}, and is not there any more{also}")).hint(format!(
            "a completed release is handed back and never drawn again: find one of its folders and put it back; or --again draws anew, \
             and pays {costs} once more"
        )));
    };
    let same = wanted.is_as(&verify_folder(from, wanted.stream_above, None)?.certificate);
    let released = |checks, certificate, presented| {
        let handed_back = Some(HandedBack { entry, time: time.clone(), folder: from.display().to_string(), presented });
        Released { folder: folder.to_path_buf(), certificate, checks, left_out: Vec::new(), handed_back }
    };
    if is_there(folder) && same {
        let verified = verify_folder(folder, wanted.stream_above, None)?;
        return Ok(released(verified.checks, verified.certificate, false));
    }
    if folder.join(CERTIFICATE_FILE).exists() {
        return Err(occupied(folder));
    }
    let work = Work::new(folder)?;
    let (certificate, checks) = match same {
        true => {
            for name in certified_files(from)? {
                let path = work.finished.join(&name);
                fs::copy(from.join(&name), &path).map_err(|error| cannot("write", &path, error))?;
            }
            let verified = verify_folder(&work.finished, wanted.stream_above, None)?;
            (verified.certificate, verified.checks)
        }
        false => present(from, wanted, &work.finished)?,
    };
    work.publish(folder)?;
    Ok(released(checks, certificate, !same))
}
