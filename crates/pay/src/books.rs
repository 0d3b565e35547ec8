//! What curators do with a ledger beside releasing: ask for approval, look a release up, and
//! recover one that was not completed.

use crate::keeping::{Keeping, KeptPlace};
use crate::named::ledger_of;
use crate::paid::{PaidRelease, ReadRelease};
use crate::past::Past;
use crate::payment::{Identity, Paying, Payment, answered, answered_of_totals, outcome_of};
use crate::seed::{Details, Shown};
use crate::together::{Current, Earlier};
use certify::{Check, Together, changed, derive};
use declare::{Declaration, Problem};
use ledger::{Address, Charge, DatasetStatus, Entry, Event, Ledger, Signed};
use plan::Case;
use prepare::{Analysed, Given, Prepared, Progress, Stage, column_prints, fresh, prints_of};
use publish::{CERTIFICATE_FILE, STREAM_ABOVE, Signing, Verified, hash};
use std::path::Path;

/// A request for approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The entry that a second person must approve.
    pub entry: u64,
    /// What the release would cost.
    pub loss: Charge,
    /// The ledger that was asked.
    pub ledger: Address,
}

/// Asks a second person to approve the release of a spec, with the safeguards that it overrides.
/// Reads the data, draws and spends nothing.
///
/// # Errors
/// As a release would be refused before it is paid for.
pub fn ask(spec: impl Into<Given>, paying: &Paying, progress: &dyn Progress) -> Result<Asked, Problem> {
    let opened = spec.into().open(STREAM_ABOVE)?;
    let mut payment = Payment::open(&opened, paying, None)?;
    let Some(paid_from) = &mut payment else { return Err(without_approval()) };
    let loaded = paid_from.load(opened, paying, progress)?;
    let prepared = answered(&mut payment, loaded.analyse())?;
    let prepared = answered(&mut payment, prepared.plan().and_then(|prepared| prepared.supported(progress)))?;
    let case = &prepared.opened().case;
    let derived = derive(case, &prepared.analysed.totals, &prepared.plan, &|_| {});
    let derived = answered_of_totals(&mut payment, derived)?;
    let identity = Identity::of(&case.declaration);
    // What is asked for is a draw, whether or not one was made before.
    let paying = Paying { again: true, ..paying.clone() };
    let Some(payment) = &mut payment else { return Err(without_approval()) };
    let looked = payment.look(&prepared.analysed, &derived, &paying, &|_| {})?;
    let (entry, loss) = payment.ask(&prepared, &derived, &identity, &looked)?;
    Ok(Asked { entry, loss, ledger: payment.ledger.address().clone() })
}

fn without_approval() -> Problem {
    Problem::bad("the data are declared public: their release needs no approval")
}

/// What a second person must see of an entry that asks for, or pays for, a release: the canonical
/// spec, and what it means.
///
/// # Errors
/// Bad when the entry is another one.
pub fn shown(address: &Address, number: u64) -> Result<(Entry, String), Problem> {
    let mut ledger = Ledger::open(address)?;
    let (entry, _) = ledger.entry_and_completion(number)?;
    let key = ledger.dataset(&entry.dataset)?.and_then(|dataset| dataset.approver_key);
    let key = key.map_or(String::new(), |key| format!("\nWho approves\n  whoever signs with key {key}\n"));
    let words = match &entry.event {
        Event::Asked { details, .. } => match serde_json::from_str::<Shown>(details) {
            Ok(Shown { spec, statement }) => format!("{statement}{key}\nThe spec\n{}", indented(&spec)),
            Err(_) => {
                return Err(Problem::bad(format!("entry {number} does not say what is asked for"))
                    .hint("it was written by an earlier version: ask for the release again"));
            }
        },
        Event::Reserved { details, loss, .. } => match serde_json::from_str::<Details>(details) {
            Ok(Details { spec, .. }) => format!("Paid\n  {loss}\n\nThe spec\n{}", indented(&spec)),
            Err(_) => format!("Paid\n  {loss}\n"),
        },
        other => {
            return Err(Problem::bad(format!(
                "entry {number} neither asks for a release nor pays for one: it is `{}`",
                other.kind()
            ))
            .hint("`congenial ledger history` lists all entries"));
        }
    };
    Ok((entry, words))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// Approves what another person asked for, and signs the seal of the entry that asks. Says which
/// entry that is, and the key.
pub fn approve_signed(address: &Address, asked: u64, by: &str, key: &Path) -> Result<(u64, String), Problem> {
    let signing = Signing::read(key)?;
    let mut ledger = Ledger::open(address)?;
    let (entry, _) = ledger.entry_and_completion(asked)?;
    let signature = signing.sign(Ledger::approval_statement(&entry.seal).as_bytes());
    let signature = signature.iter().map(|byte| format!("{byte:02x}")).collect();
    let signed = Signed { key: signing.public(), signature };
    Ok((ledger.approve_signed(asked, by, Some(signed))?, signing.public()))
}

/// What the dataset of a confidential spec can still pay, and what its release would cost; `None`
/// for public data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The dataset.
    pub dataset: DatasetStatus,
    /// What the release costs, in the unit of the budget.
    pub costs: Charge,
    /// Whether the budget pays for it, as it is now.
    pub affordable: bool,
}

/// What a planned release would cost its ledger. Nothing is asked for, reserved or spent.
pub fn offer(prepared: &Prepared) -> Result<Option<Offer>, Problem> {
    // Nobody acts.
    let paying = Paying { by: Some("nobody".to_string()), ..Paying::default() };
    let Some(payment) = Payment::open(prepared.opened(), &paying, None)? else { return Ok(None) };
    let (dataset, costs) = payment.offer(&prepared.plan.loss)?;
    let amount = dataset.budget.counted(&costs)?;
    let affordable = dataset.left.left_after(&amount).is_some();
    Ok(Some(Offer { dataset, costs, affordable }))
}

/// What the exact totals of a confidential spec disclose together with those of every release that
/// its dataset has paid for; `None` for public data, for the first release, and before there is a
/// ledger.
///
/// # Errors
/// Refused when they confine sensitive cells, or when that is not known.
pub fn together(analysed: &Analysed, progress: &dyn Progress) -> Result<Option<Together>, Problem> {
    let searching = progress.of(Stage::Searching);
    let Case { declaration, .. } = &analysed.opened.case;
    if declaration.data.public {
        return Ok(None);
    }
    let Ok((mut ledger, dataset)) = ledger_of(&analysed.opened) else { return Ok(None) };
    if ledger.dataset(&dataset)?.is_none() {
        return Ok(None);
    }
    let (prints, columns) = (
        prints_of(&ledger, &analysed.opened, &analysed.tabulated)?,
        column_prints(&ledger, &analysed.opened.case, analysed.tabulated.table.counts()),
    );
    let current = Current::of(analysed, &prints, &columns);
    let mut past = Past::default();
    past.read_on(&mut ledger, &dataset)?;
    let earlier = Earlier::of(&past, current);
    let Some((joined, stated)) = earlier.told(current, &searching) else { return Ok(None) };
    earlier.confined(current, &joined).map_or(Ok(Some(stated)), Err)
}

/// Notes the data of a confidential spec as those of its dataset, so that they are recognised
/// before anything is released. Says the name of the dataset.
pub fn note_data(spec: impl Into<Given>, by: &str, progress: &dyn Progress) -> Result<String, Problem> {
    let opened = spec.into().open(STREAM_ABOVE)?;
    if opened.declaration.data.public {
        return Err(Problem::bad("the data are declared public: no dataset owns them"));
    }
    let (mut ledger, dataset) = ledger_of(&opened)?;
    let loaded = opened.load(progress)?;
    loaded.check_others(by)?;
    if let Err(problem) = loaded.check_recognisable() {
        ledger.answer(&dataset, &fresh()?, "whether rows in memory would be recognised", by, false)?;
        return Err(problem);
    }
    let prints = prints_of(&ledger, &loaded.opened, &loaded.tabulated)?;
    ledger.note_prints(&dataset, &prints, by)?;
    Ok(dataset)
}

/// Looks a verified table up in a ledger, as [`look_up_release`] does a release of any kind.
pub fn look_up(verified: &Verified, folder: &Path, address: &Address) -> Result<Check, Problem> {
    look_up_release(&PaidRelease::of_table(verified)?, folder, address)
}

/// Looks a verified release up in a ledger: the entry that paid for it is there, with this seal,
/// and was completed by this very certificate.
///
/// # Errors
/// Each way in which ledger and release do not belong together has a message of its own.
pub fn look_up_release(release: &PaidRelease, folder: &Path, address: &Address) -> Result<Check, Problem> {
    let Some(paid) = &release.ledger else {
        return Err(Problem::bad("the release is of public data: no ledger paid for it").hint("leave out --ledger"));
    };
    let mut ledger = Ledger::open_to_read(address)?;
    let number = paid.entry;
    let (entry, completed) = ledger.entry_and_completion(number)?;
    if entry.seal != paid.seal {
        return Err(changed(format!(
            "entry {number} of the ledger has another seal than the certificate names: it did not pay for this release"
        )));
    }
    let Event::Reserved { .. } = &entry.event else {
        return Err(changed(format!("entry {number} of the ledger pays for nothing: it is `{}`", entry.event.kind())));
    };
    check_law(&entry, release)?;
    let Some(Event::Completed { certificate, .. }) = completed.map(|completed| completed.event) else {
        return Err(Problem::bad(format!(
            "entry {number} of the ledger paid for this release, but nobody entered that it was written"
        ))
        .hint(format!("congenial ledger recover --found '{}' --ledger '{address}' enters it", folder.display())));
    };
    let own = hash(&folder.join(CERTIFICATE_FILE))?;
    let is_own = |entry: &Entry| matches!(&entry.event, Event::Presented { certificate, .. } if *certificate == own);
    let presented = ledger.presentations(number)?.iter().any(is_own);
    if certificate != own && !presented {
        return Err(changed(format!("the ledger knows another certificate of entry {number} than this one")).hint(
            "it was changed, or is another presentation that the ledger was not told of: `congenial export`, `sign` and `retitle` tell it with --ledger",
        ));
    }
    let whole = ledger.verify_chain()?;
    let what = if presented { "the release that this certificate presents" } else { "this certificate" };
    let found = format!("entry {number} paid for {what}, and all {} entries hold", whole.entries);
    Ok(Check { what: "ledger".into(), found })
}

/// Enters a release that was written and holds, but that its ledger was not told of; `read`
/// verifies it. Says which entry that is.
pub fn recover_release(
    folder: &Path,
    address: &Address,
    by: &str,
    read: &ReadRelease<'_>,
) -> Result<(u64, u64), Problem> {
    let release = read(folder)?;
    let Some(paid) = &release.ledger else {
        return Err(Problem::bad("the release is of public data: no ledger paid for it"));
    };
    let outcome = outcome_of(folder, folder, release.table.clone())?;
    let mut ledger = Ledger::open(address)?;
    check_law(&ledger.entry_and_completion(paid.entry)?.0, &release)?;
    let entry = ledger.found(paid.entry, &paid.seal, &outcome, by)?;
    if let Event::Reserved { place: Some(place), .. } = ledger.entry_and_completion(paid.entry)?.0.event
        && let KeptPlace::Drawn(keeping, _) | KeptPlace::Left(keeping) = Keeping::find(&place)
    {
        keeping.completed_in(folder);
    }
    Ok((paid.entry, entry))
}

/// Checks that an entry paid for the law of a release; entries of earlier versions know its spec
/// alone.
fn check_law(entry: &Entry, release: &PaidRelease) -> Result<(), Problem> {
    let Event::Reserved { spec, law, details, .. } = &entry.event else { return Ok(()) };
    let same = law.as_ref().map_or(*spec == release.spec, |law| *law == release.law);
    // The law has an order by the hash of its file; what it says is kept as well.
    let certified = release.declaration.as_ref().filter(|_| law.is_some());
    let kept = || serde_json::from_str::<Details>(details).ok().map(|details| details.spec);
    let kept = certified.and_then(|_| Declaration::parse_alone(&kept()?, "entry").ok());
    let same_order = certified.zip(kept).is_none_or(|(certified, kept)| kept.has_law_of(certified));
    match same && same_order {
        true => Ok(()),
        false => Err(changed(format!("entry {} of the ledger paid for another spec", entry.number))),
    }
}
