//! `Entry`: one thing that happened, as the history keeps it.

use crate::fingerprint::Print;
use loss::{Amount, Charge};
use serde::{Deserialize, Serialize};

/// One entry of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the history, from 1, without gaps.
    pub number: u64,
    /// The dataset it is about; empty for the first entry, which is about the ledger.
    pub dataset: String,
    /// When, to the second.
    pub time: String,
    /// Who, as the caller named them: the ledger does not prove it.
    pub by: String,
    /// What the dataset has spent after this entry.
    pub spent: Option<Amount>,
    /// What happened.
    pub event: Event,
    /// The keyed hash of this entry and of the seal before it, as hexadecimal digits: a certificate
    /// that names it pins the whole history up to here.
    pub seal: String,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
// What pays says most; a history is read entry by entry, so a box for it would save nothing.
#[allow(clippy::large_enum_variant)]
pub enum Event {
    /// The ledger was created.
    Created {
        /// The version of its schema.
        version: u32,
    },
    /// A dataset was opened.
    Opened {
        /// What its releases may cost in all.
        budget: Charge,
        /// Whether a second person must approve every release.
        approval: bool,
        /// The column whose values are parts of the dataset.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partition: Option<String>,
        /// The public key, in hexadecimal, that must sign every approval.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approver_key: Option<String>,
    },
    /// Data of the dataset were seen.
    Seen {
        /// Their fingerprint.
        print: Print,
    },
    /// A safeguard was overridden; the next certificate names it.
    Overridden {
        /// Which safeguard.
        name: String,
        /// Why.
        reason: String,
    },
    /// Somebody asks to release.
    Asked {
        /// The hash of the canonical spec.
        spec: String,
        /// What it would cost.
        loss: Charge,
        /// The safeguards that it would override.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        overrides: Vec<Override>,
        /// The fingerprints of the data: an approval is for these alone.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        prints: Vec<Print>,
        /// What a second person must see of it, as the caller wants it kept.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        details: String,
    },
    /// Somebody else agrees.
    Approved {
        /// The entry that asks.
        asked: u64,
        /// The hash of the canonical spec, as there.
        spec: String,
        /// The key that signed the seal of the entry that asks, and the signature; both in
        /// hexadecimal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signed: Option<Signed>,
    },
    /// A question about the data was answered that nothing paid for.
    Answered {
        /// Which one: the same question is answered once.
        question: String,
        /// What it was about, in words.
        about: String,
    },
    /// A loss was paid: spent from here on, whatever happens.
    Reserved {
        /// The hash of the canonical spec.
        spec: String,
        /// The hash of what decides the law of the release: the spec without its presentation.
        /// Entries of earlier versions have none, and are the same release by their spec alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        law: Option<String>,
        /// Where the release is made, and where what was drawn is kept until it is completed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<Place>,
        /// What the release costs.
        loss: Charge,
        /// What that counts as in the budget.
        charged: Amount,
        /// The part of the dataset that alone was released from, where losses of parts count by the
        /// largest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part: Option<String>,
        /// The fingerprints of its data.
        prints: Vec<Print>,
        /// The entry that approves it.
        approval: Option<u64>,
        /// Whether a new draw was asked for although the same release exists.
        again: bool,
        /// The entries of the overrides that its certificate must name.
        overrides: Vec<u64>,
        /// What the caller wants kept with it, for example the canonical spec.
        details: String,
    },
    /// What a part of the dataset has spent, after the reservation that it follows.
    PartSpent {
        /// The entry that reserved.
        reservation: u64,
        /// The part: one value of the dataset's partition.
        part: String,
        /// What was spent on it.
        spent: Amount,
        /// What was spent on the part on which most was.
        largest: Amount,
    },
    /// A release was written.
    Completed {
        /// The entry that reserved it.
        reservation: u64,
        /// The hash of the canonical spec, as there.
        spec: String,
        /// The hash of what decides its law, as there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        law: Option<String>,
        /// The hash of its certificate.
        certificate: String,
        /// The hash of its table.
        table: String,
        /// Where it was written.
        folder: String,
    },
    /// What a reservation paid for was written once more, with another title, format or signature:
    /// nothing was drawn.
    Presented {
        /// The entry that reserved it.
        reservation: u64,
        /// The hash of its certificate.
        certificate: String,
        /// The hash of its table.
        table: String,
        /// Where it was written.
        folder: String,
    },
    /// A reservation without a release was looked at and given up; what it reserved stays spent.
    Abandoned {
        /// The entry that reserved it.
        reservation: u64,
        /// Why.
        reason: String,
    },
    /// From here on the head of the ledger is kept in a second place too.
    HeadKept {
        /// The file.
        place: String,
    },
    /// A second place is given up.
    HeadDropped {
        /// The file.
        place: String,
        /// Why.
        reason: String,
    },
    /// A ledger that was set back, or whose head was lost, goes on; what it lost is booked in the
    /// entries that follow.
    Recovered {
        /// How often that has happened, this time included.
        epoch: u64,
        /// Ends of the history that were kept elsewhere and are not in it.
        lost: Vec<LostHead>,
        /// What was the matter, as the ledger found it.
        found: String,
        /// Why that is so, in the curator's words.
        reason: String,
        /// Why nobody can know whether more was paid than is booked, where somebody vouched that it
        /// was not: the one who recovered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        vouched: Option<String>,
    },
    /// A loss that was paid in entries that are lost: spent.
    Booked {
        /// The entry that goes on.
        recovered: u64,
        /// The lost entry that paid; 0 when all that was left is booked because nobody knows what
        /// was paid.
        entry: u64,
        /// Its seal.
        seal: String,
        /// What it counts as in the budget.
        charged: Amount,
        /// Where that is known from.
        evidence: String,
    },
}

/// The end of a history that was kept elsewhere, and that its ledger does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LostHead {
    /// How often the ledger had recovered then.
    pub epoch: u64,
    /// The last entry.
    pub entry: u64,
    /// Its seal.
    pub seal: String,
}

/// A safeguard that somebody decides to override, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// Which one.
    pub safeguard: String,
    /// Why.
    pub reason: String,
}

/// A signature of an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signed {
    /// The public key.
    pub key: String,
    /// The signature of the seal of the entry that asks.
    pub signature: String,
}

/// A folder in which a release is made. Whoever finds it knows by the token that it is the one that
/// was meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The folder, absolute, on the machine of whoever releases.
    pub folder: String,
    /// Random digits that a file in it holds.
    pub token: String,
}

/// The kinds of events that are searched for.
pub(crate) mod kind {
    pub(crate) const SEEN: &str = "seen";
    pub(crate) const OVERRIDDEN: &str = "overridden";
    pub(crate) const ASKED: &str = "asked";
    pub(crate) const APPROVED: &str = "approved";
    pub(crate) const ANSWERED: &str = "answered";
    pub(crate) const RESERVED: &str = "reserved";
    pub(crate) const PART_SPENT: &str = "part-spent";
    pub(crate) const COMPLETED: &str = "completed";
    pub(crate) const PRESENTED: &str = "presented";
    pub(crate) const ABANDONED: &str = "abandoned";
    pub(crate) const OPENED: &str = "opened";
    pub(crate) const HEAD_KEPT: &str = "head-kept";
    pub(crate) const HEAD_DROPPED: &str = "head-dropped";
    pub(crate) const RECOVERED: &str = "recovered";
    pub(crate) const BOOKED: &str = "booked";
}

impl Event {
    /// The kind, in one word.
    pub fn kind(&self) -> &'static str {
        self.found_by().0
    }

    /// The earlier entry that this one is about.
    pub(crate) fn reference(&self) -> Option<u64> {
        self.found_by().2
    }

    /// What its entry is found by: the kind, a subject, and the earlier entry that it is about.
    pub(crate) fn found_by(&self) -> (&'static str, &str, Option<u64>) {
        match self {
            Event::Created { .. } => ("created", "", None),
            Event::Opened { .. } => (kind::OPENED, "", None),
            Event::Seen { print } => (kind::SEEN, &print.0, None),
            Event::Overridden { .. } => (kind::OVERRIDDEN, "", None),
            Event::Asked { spec, .. } => (kind::ASKED, spec, None),
            Event::Approved { asked, spec, .. } => (kind::APPROVED, spec, Some(*asked)),
            Event::Answered { question, .. } => (kind::ANSWERED, question, None),
            Event::Reserved { spec, law, approval, .. } => (kind::RESERVED, law.as_ref().unwrap_or(spec), *approval),
            Event::PartSpent { reservation, part, .. } => (kind::PART_SPENT, part, Some(*reservation)),
            Event::Completed { reservation, spec, law, .. } => {
                (kind::COMPLETED, law.as_ref().unwrap_or(spec), Some(*reservation))
            }
            Event::Presented { reservation, .. } => (kind::PRESENTED, "", Some(*reservation)),
            Event::Abandoned { reservation, .. } => (kind::ABANDONED, "", Some(*reservation)),
            Event::HeadKept { place } => (kind::HEAD_KEPT, place, None),
            Event::HeadDropped { place, .. } => (kind::HEAD_DROPPED, place, None),
            Event::Recovered { .. } => (kind::RECOVERED, "", None),
            Event::Booked { recovered, seal, .. } => (kind::BOOKED, seal, Some(*recovered)),
        }
    }
}

/// What an entry of a kind does, for messages about entries that cannot be read.
pub(crate) fn in_words(kind: &str) -> &'static str {
    match kind {
        "created" => "which begins the history",
        kind::OPENED => "which opens a dataset and states its budget",
        kind::SEEN => "which recognises data",
        kind::OVERRIDDEN => "which names an override",
        kind::ASKED => "which asks for approval",
        kind::ANSWERED => "which answers a question about the data",
        kind::APPROVED => "which approves a release",
        kind::RESERVED => "which pays for a release",
        kind::PART_SPENT => "which says what a part has spent",
        kind::COMPLETED => "which completes a release",
        kind::PRESENTED => "which notes another presentation of a release",
        kind::ABANDONED => "which gives up a reservation",
        kind::HEAD_KEPT => "which names a second place of the head",
        kind::HEAD_DROPPED => "which gives up a second place of the head",
        kind::RECOVERED => "which goes on after entries were lost",
        kind::BOOKED => "which books a lost payment",
        _ => "whose kind no ledger writes",
    }
}

/// The part of an entry that is kept as one text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Content {
    pub(crate) time: String,
    pub(crate) by: String,
    pub(crate) spent: Option<Amount>,
    pub(crate) event: Event,
}
