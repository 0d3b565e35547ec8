//! A release that exists is handed back: verified, and written to the folder that was asked for as
//! it is wanted.

use crate::present::{Wanted, present};
use crate::released::{HandedBack, Released};
use declare::Problem;
use ledger::Earlier;
use publish::{CERTIFICATE_FILE, Workshop, certified_files, hash, occupied, verify_folder};
use std::path::{Path, PathBuf};

/// Hands back a release that exists: verified, and written to the folder that was asked for as it
/// is wanted.
///
/// `copies` are the folders to which it was written since, with the hashes of their certificates;
/// `costs` is what a new draw would cost. What was written is told with its hashes when it is not a
/// plain copy.
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
    let work = Workshop::new(folder)?;
    let (certificate, checks) = match same {
        true => {
            work.copy(from, certified_files(from)?)?;
            let verified = verify_folder(&work.finished, wanted.stream_above, None)?;
            (verified.certificate, verified.checks)
        }
        false => present(from, wanted, &work.finished)?,
    };
    work.publish(folder)?;
    Ok(released(checks, certificate, !same))
}
