//! Approval by a second person, where a dataset asks for it: ask, approve, then reserve.

use crate::entry::{Entry, Event, Signed, kind};
use crate::ledger::Ledger;
use crate::reserve::{Request, longest_details, not_paid_for, same_data};
use crate::session::Session;
use crate::signed;
use crate::text;
use declare::Problem;

impl Ledger {
    /// Asks for approval of a release; says which entry must be approved. The request is kept
    /// whole: what is approved is this spec of these data at this loss.
    ///
    /// # Errors
    /// Refused when the budget does not pay for it as it is now.
    pub fn ask(&mut self, request: &Request) -> Result<u64, Problem> {
        let by = text::name("the name of the person", &request.by)?;
        let spec = text::name("the hash of the spec", &request.spec)?.to_string();
        let mut session = self.writing()?;
        let balance = session.balance(&request.dataset)?;
        if !balance.approval {
            return Err(Problem::bad(format!("dataset `{}` needs no approval", request.dataset))
                .hint("release it; whether approval is needed is decided when a dataset is opened"));
        }
        longest_details(&request.details)?;
        let affordable = session.check_affordable(request, &balance);
        if request.priced_by_totals {
            session.answer_price(request, &balance, by)?;
            if affordable.is_err() {
                session.put_end()?;
                session.commit()?;
                return Err(not_paid_for(&request.dataset));
            }
        }
        affordable?;
        let Request { loss, overrides, prints, details, .. } = request.clone();
        let event = Event::Asked { spec, loss, overrides, prints, details };
        session.enter(&request.dataset, by, &balance, event)
    }

    /// Approves what another person asked for; says which entry that is. One approval pays for one
    /// reservation.
    ///
    /// Persons are the names that callers give: the ledger compares them, it does not prove them.
    pub fn approve(&mut self, asked: u64, by: &str) -> Result<u64, Problem> {
        self.approve_signed(asked, by, None)
    }

    /// What a signed approval of an entry signs, given the seal of that entry.
    pub fn approval_statement(seal: &str) -> String {
        signed::statement(seal)
    }

    /// Approves what another person asked for, with a signature of the seal of the entry that asks.
    ///
    /// # Errors
    /// Refused where the dataset demands a signature, or another key, and where the signature does
    /// not hold.
    pub fn approve_signed(&mut self, asked: u64, by: &str, signed: Option<Signed>) -> Result<u64, Problem> {
        let by = text::name("the name of the person", by)?;
        let mut session = self.writing()?;
        let entry = session.entry(asked)?;
        let Event::Asked { spec, .. } = entry.event else {
            return Err(Problem::bad(format!("entry {asked} asks for nothing: it is `{}`", entry.event.kind()))
                .hint("`congenial ledger status` lists what waits for approval"));
        };
        if text::same_person(&entry.by, by) {
            return Err(Problem::refused(format!("{by} asked for entry {asked}, so somebody else must approve it")));
        }
        if let Some(approved) = session.about(asked, kind::APPROVED)?.pop() {
            let message = format!("entry {asked} is approved already, in entry {}", approved.number);
            return Err(Problem::bad(message).hint("another release of the same spec must be asked for again"));
        }
        let balance = session.balance(&entry.dataset)?;
        if let Some(fault) = signed::fault(signed.as_ref(), &entry.seal, balance.approver_key.as_deref()) {
            return Err(signed::refused(fault));
        }
        session.enter(&entry.dataset, by, &balance, Event::Approved { asked, spec, signed })
    }
}

impl Session<'_> {
    /// An approval of this spec, this loss and these overrides that nothing was reserved with yet.
    pub(crate) fn unused_approval(&mut self, request: &Request, demanded: Option<&str>) -> Result<Entry, Problem> {
        let Request { dataset, spec, loss, .. } = request;
        let approvals = self.with_subject(dataset, kind::APPROVED, spec)?;
        let (mut other_loss, mut other_overrides, mut other_data) = (None, false, None);
        for approval in approvals {
            let Event::Approved { asked, signed, .. } = &approval.event else { continue };
            let asked = self.entry(*asked)?;
            let unsigned = signed::fault(signed.as_ref(), &asked.seal, demanded).is_some();
            if unsigned || !self.about(approval.number, kind::RESERVED)?.is_empty() {
                continue;
            }
            match asked.event {
                Event::Asked { prints, .. } if !same_data(&prints, &request.prints) => other_data = Some(asked.number),
                Event::Asked { loss: approved, overrides, .. } if approved == *loss => {
                    if overrides == request.overrides {
                        return Ok(approval);
                    }
                    other_overrides = true;
                }
                Event::Asked { loss: approved, .. } => other_loss = Some(approved),
                _ => {}
            }
        }
        if let (Some(asked), false) = (other_data, other_overrides) {
            return Err(Problem::refused(format!(
                "other data than these were approved with entry {asked}: they changed since"
            ))
            .hint("`congenial ledger ask` asks for the release of the data as they are now"));
        }
        if other_overrides {
            return Err(Problem::refused("the release was approved, but not with the safeguards that it overrides")
                .hint("`congenial ledger ask` with the same --override and --because asks for that too"));
        }
        Err(match other_loss {
            Some(approved) => Problem::refused(format!("a loss of {approved} was approved, this release costs {loss}")),
            None => Problem::refused(format!("nobody has approved this release, and dataset `{dataset}` demands it")),
        }
        .hint("`congenial ledger ask` asks for it, and `congenial ledger approve` by another person approves it"))
    }
}

#[cfg(test)]
mod tests {
    use crate::entry::{Event, Signed};
    use crate::{Address, Amount, Charge, Ledger, NewDataset, Request, Unit};
    use ed25519_dalek::SigningKey;

    #[test]
    fn whoever_writes_entries_without_the_approvers_key_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let address = Address::parse(&format!("sqlite:{}", folder.path().join("ledger.db").display())).expect("one");
        let mut ledger = Ledger::create(&address, "ann").expect("a ledger");
        let loss = Charge { amount: Amount::Pure { epsilon: 1.into() }, per: Unit::Record };
        let (name, by) = ("census".to_string(), "ann".to_string());
        let census =
            NewDataset { name: name.clone(), budget: loss.clone(), approval: true, partition: None, by: by.clone() };
        let key = crate::text::hex(SigningKey::from_bytes(&[7; 32]).verifying_key().as_bytes());
        ledger.open_dataset_with(&census, Some(&key)).expect("a dataset");
        let request = Request {
            dataset: name,
            spec: "a".into(),
            law: None,
            place: None,
            loss,
            by,
            prints: Vec::new(),
            priced_by_totals: false,
            again: false,
            part: None,
            overrides: Vec::new(),
            details: String::new(),
        };
        let asked = ledger.ask(&request).expect("asked");
        ledger.verify_chain().expect("whole");
        // With the key of the ledger, past everything that `approve` checks.
        let forged = Signed { key: key.clone(), signature: "00".repeat(64) };
        for (signed, expected) in [(Some(forged), "a false signature"), (None, "no signature")] {
            let mut session = ledger.writing().expect("a session");
            let balance = session.balance("census").expect("a balance");
            let event = Event::Approved { asked, spec: "a".into(), signed };
            session.record("census", "bob", &balance, event).expect("written");
            session.put_end().expect("written");
            session.commit().expect("written");
            let problem = ledger.verify_chain().expect_err(expected);
            assert!(problem.message.contains("has a signature that does not hold"), "the first is named: {problem}");
            assert!(ledger.reserve(&request).is_err(), "and nothing is paid with it");
        }
    }
}
