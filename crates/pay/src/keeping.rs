//! What was paid for is kept: a private folder that holds what was drawn, and says who works on it.
//!
//! The folder has a lock, which the system takes from a process that dies, and the draw, encrypted
//! under the key of the ledger, from the moment after it was made. No file in it decides what is
//! drawn: that is fixed by the entry that paid ([`crate::seed`]), so whoever changes, copies or
//! removes the folder gets the same table again. `crates/ledger/proofs/ledger.md` says why.

use declare::Problem;
use ledger::Place;
use publish::{CERTIFICATE_FILE, PREFIX, RELEASE, cannot, synchronise};
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

const LOCK: &str = "lock";
const TOKEN: &str = "token";
const DRAW: &str = "draw.sealed";

/// The private folder of a release that nobody else works on.
#[derive(Debug)]
pub struct Keeping {
    folder: PathBuf,
    token: String,
    /// Held as long as this lives; `None` where the file system has no locks.
    lock: Option<File>,
}

impl Drop for Keeping {
    /// A process that is being started shares open files for a moment: that must not keep the lock.
    fn drop(&mut self) {
        if let Some(lock) = &self.lock {
            let _ = lock.unlock();
        }
    }
}

/// What is found where a release was being made.
#[derive(Debug)]
pub enum KeptPlace {
    /// Nothing: it was moved or removed, or it is on another machine.
    Missing,
    /// Somebody works on it.
    Busy,
    /// The draw is kept.
    Drawn(Keeping, Vec<u8>),
    /// No draw is kept; a release may have been written.
    Left(Keeping),
}

impl Keeping {
    /// Makes a private folder ready, inside which the release will be written.
    pub fn new(folder: &Path) -> Result<Keeping, Problem> {
        let mut random = [0u8; 16];
        getrandom::fill(&mut random)
            .map_err(|error| Problem::system(format!("the operating system gives no random bits: {error}")))?;
        let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let lock_file = folder.join(LOCK);
        let lock = File::create_new(&lock_file).map_err(|error| cannot("create", &lock_file, error))?;
        // Without a lock nobody can be told that this release is being made: so nobody else goes on
        // with it.
        let lock = Some(lock).filter(|lock| lock.try_lock().is_ok());
        write_durably(&folder.join(TOKEN), token.as_bytes())?;
        synchronise(folder)?;
        let folder = std::path::absolute(folder).map_err(|error| cannot("use", folder, error))?;
        Ok(Keeping { folder, token, lock })
    }

    /// What the ledger notes of it.
    pub fn place(&self) -> Place {
        Place { folder: self.folder.display().to_string(), token: self.token.clone() }
    }

    /// Looks at the place that an entry of a ledger names.
    pub fn find(place: &Place) -> KeptPlace {
        let folder = PathBuf::from(&place.folder);
        // Another release may be made in a folder of the same name; a file that somebody removed
        // says nothing.
        let other = fs::read_to_string(folder.join(TOKEN)).is_ok_and(|found| found != place.token);
        if other || !folder.is_dir() {
            return KeptPlace::Missing;
        }
        let lock = File::options().read(true).write(true).create(true).truncate(false).open(folder.join(LOCK));
        let Ok(lock) = lock else { return KeptPlace::Missing };
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return KeptPlace::Busy,
            // Nobody can say whether somebody works on it.
            Err(TryLockError::Error(_)) => return KeptPlace::Missing,
        }
        let keeping = Keeping { folder: folder.clone(), token: place.token.clone(), lock: Some(lock) };
        match fs::read(folder.join(DRAW)) {
            Ok(draw) => KeptPlace::Drawn(keeping, draw),
            Err(_) => KeptPlace::Left(keeping),
        }
    }

    /// The draw in a file, or in a folder that was moved.
    pub fn draw_in(path: &Path) -> Result<Vec<u8>, Problem> {
        let file = if path.is_dir() { path.join(DRAW) } else { path.to_path_buf() };
        fs::read(&file).map_err(|error| cannot("read", &file, error))
    }

    /// Removes what processes that were killed left beside a private folder and that holds nothing:
    /// no draw and no release.
    pub fn sweep(private: &Path) {
        let Some(entries) = private.parent().and_then(|parent| fs::read_dir(parent).ok()) else { return };
        for folder in entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|folder| folder != private) {
            let named = folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
            let kept = folder.join(DRAW).exists() || folder.join(RELEASE).join(CERTIFICATE_FILE).exists();
            if !named || kept || !folder.join(TOKEN).is_file() {
                continue;
            }
            let lock = File::options().read(true).write(true).open(folder.join(LOCK));
            if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
                // What cannot be removed stays where it is.
                let _ = fs::remove_dir_all(&folder);
            }
        }
    }

    /// Keeps a draw here; where that fails, in the first of other folders that takes it. Says
    /// where.
    pub fn keep(&self, draw: &[u8], entry: u64, others: &[PathBuf]) -> Result<PathBuf, Problem> {
        let here = self.folder.join(DRAW);
        let unfinished = self.folder.join("draw.unfinished");
        let kept = write_durably(&unfinished, draw)
            .and_then(|()| fs::rename(&unfinished, &here).map_err(|error| cannot("create", &here, error)))
            .and_then(|()| synchronise(&self.folder));
        let Err(problem) = kept else { return Ok(here) };
        let name = format!("congenial-kept-entry-{entry}.sealed");
        for folder in others {
            let there = folder.join(&name);
            if write_durably(&there, draw).is_ok() {
                return Ok(std::path::absolute(&there).unwrap_or(there));
            }
        }
        Err(problem)
    }

    /// The private folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes all of it: the release has its name and the ledger knows.
    pub fn remove(self) {
        // At once, so that nobody finds half of it. What is left over holds an encrypted draw of
        // what is published, and nothing else.
        let mut done = self.folder.as_os_str().to_owned();
        done.push("-done");
        let done = PathBuf::from(done);
        let _ = match fs::rename(&self.folder, &done) {
            Ok(()) => fs::remove_dir_all(&done),
            Err(_) => fs::remove_dir_all(&self.folder),
        };
    }

    /// Removes what is not needed any more: the ledger knows that the release is in this folder,
    /// which may lie inside.
    pub fn completed_in(self, folder: &Path) {
        let inside = folder
            .canonicalize()
            .is_ok_and(|found| self.folder.canonicalize().is_ok_and(|private| found.starts_with(private)));
        if !inside {
            return self.remove();
        }
        // The release stays, without the draw and the marks.
        for name in [DRAW, TOKEN, LOCK] {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }
}

/// Writes a new file that its owner alone may read, and has it stored.
fn write_durably(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.map_err(|error| cannot("write", path, error))
}
#[cfg(test)]
mod tests {
    use super::{Keeping, KeptPlace, LOCK, TOKEN};
    use ledger::Place;
    use std::fs;

    #[test]
    fn what_is_found_is_what_was_left() {
        let folder = tempfile::tempdir().unwrap();
        let keeping = Keeping::new(folder.path()).unwrap();
        let place = keeping.place();
        assert!(matches!(Keeping::find(&place), KeptPlace::Busy), "its owner lives");
        drop(keeping);
        let other = Place { token: "0".repeat(32), ..place.clone() };
        assert!(matches!(Keeping::find(&other), KeptPlace::Missing), "another release was made here");
        let KeptPlace::Left(keeping) = Keeping::find(&place) else { panic!("nothing was drawn") };
        keeping.keep(b"a draw", 7, &[]).unwrap();
        drop(keeping);
        let KeptPlace::Drawn(keeping, draw) = Keeping::find(&place) else { panic!("a draw is kept") };
        assert_eq!(draw, b"a draw");
        drop(keeping);
        // Marks that were taken away decide nothing.
        fs::remove_file(folder.path().join(TOKEN)).unwrap();
        fs::remove_file(folder.path().join(LOCK)).unwrap();
        assert!(matches!(Keeping::find(&place), KeptPlace::Drawn(..)));
        assert_eq!(Keeping::draw_in(folder.path()).unwrap(), b"a draw");
        fs::remove_dir_all(folder.path()).unwrap();
        assert!(matches!(Keeping::find(&place), KeptPlace::Missing));
    }

    #[test]
    fn what_was_left_and_holds_nothing_is_swept_away() {
        let beside = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let folder = beside.path().join(name);
            fs::create_dir(&folder).unwrap();
            Keeping::new(&folder).unwrap()
        };
        let mine = folder(".congenial-mine");
        drop(folder(".congenial-left"));
        folder(".congenial-drawn").keep(b"a draw", 7, &[]).unwrap();
        let busy = folder(".congenial-busy");
        drop(folder("release"));
        Keeping::sweep(mine.folder());
        let mut left: Vec<_> = fs::read_dir(beside.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [".congenial-busy", ".congenial-drawn", ".congenial-mine", "release"]);
        drop(busy);
    }

    #[test]
    fn a_draw_that_its_folder_does_not_take_is_kept_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("private");
        fs::create_dir(&inside).unwrap();
        let keeping = Keeping::new(&inside).unwrap();
        fs::remove_dir_all(&inside).unwrap();
        let kept = keeping.keep(b"a draw", 7, &[folder.path().join("nowhere"), folder.path().to_path_buf()]).unwrap();
        assert_eq!(fs::read(kept).unwrap(), b"a draw");
        assert!(keeping.keep(b"a draw", 7, &[]).is_err());
    }
}
