//! `Entry`: one thing that happened, as the history keeps it.

use crate::fingerprint::Print;
use crate::reserve::Override;
use certify::{Amount, Charge};
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
    /// The keyed hash of this entry and of the seal before it, as hexadecimal digits: a certificate that names it pins the
    /// whole history up to here.
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
    },
    /// Somebody else agrees.
    Approved {
        /// The entry that asks.
        asked: u64,
        /// The hash of the canonical spec, as there.
        spec: String,
    },
    /// A loss was paid: spent from here on, whatever happens.
    Reserved {
        /// The hash of the canonical spec.
        spec: String,
        /// The hash of what decides the law of the release: the spec without its presentation. Entries of earlier versions
        /// have none, and are the same release by their spec alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        law: Option<String>,
        /// Where the release is made, and where what was drawn is kept until it is completed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<Place>,
        /// What the release costs.
        loss: Charge,
        /// What that counts as in the budget.
        charged: Amount,
        /// The part of the dataset that alone was released from, where losses of parts count by the largest.
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
    /// What a reservation paid for was written once more, with another title, format or signature: nothing was drawn.
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
}

/// A folder in which a release is made. Whoever finds it knows by the token that it is the one that was meant.
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
    pub(crate) const APPROVED: &str = "approved";
    pub(crate) const RESERVED: &str = "reserved";
    pub(crate) const PART_SPENT: &str = "part-spent";
    pub(crate) const COMPLETED: &str = "completed";
    pub(crate) const PRESENTED: &str = "presented";
    pub(crate) const ABANDONED: &str = "abandoned";
}

impl Event {
    /// The kind, in one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Event::Created { .. } => "created",
            Event::Opened { .. } => "opened",
            Event::Seen { .. } => kind::SEEN,
            Event::Overridden { .. } => kind::OVERRIDDEN,
            Event::Asked { .. } => "asked",
            Event::Approved { .. } => kind::APPROVED,
            Event::Reserved { .. } => kind::RESERVED,
            Event::PartSpent { .. } => kind::PART_SPENT,
            Event::Completed { .. } => kind::COMPLETED,
            Event::Presented { .. } => kind::PRESENTED,
            Event::Abandoned { .. } => kind::ABANDONED,
        }
    }

    /// What entries of this kind are found by.
    pub(crate) fn subject(&self) -> &str {
        match self {
            Event::Seen { print } => &print.0,
            Event::PartSpent { part, .. } => part,
            Event::Asked { spec, .. } | Event::Approved { spec, .. } => spec,
            Event::Reserved { spec, law, .. } | Event::Completed { spec, law, .. } => law.as_ref().unwrap_or(spec),
            Event::Created { .. }
            | Event::Opened { .. }
            | Event::Overridden { .. }
            | Event::Presented { .. }
            | Event::Abandoned { .. } => "",
        }
    }

    /// The earlier entry that this one is about.
    pub(crate) fn reference(&self) -> Option<u64> {
        match self {
            Event::Approved { asked, .. } => Some(*asked),
            Event::Reserved { approval, .. } => *approval,
            Event::PartSpent { reservation, .. }
            | Event::Completed { reservation, .. }
            | Event::Presented { reservation, .. }
            | Event::Abandoned { reservation, .. } => Some(*reservation),
            Event::Created { .. }
            | Event::Opened { .. }
            | Event::Seen { .. }
            | Event::Overridden { .. }
            | Event::Asked { .. } => None,
        }
    }
}

/// What an entry of a kind does, for messages about entries that cannot be read.
pub(crate) fn in_words(kind: &str) -> &'static str {
    match kind {
        "created" => "which begins the history",
        "opened" => "which opens a dataset and states its budget",
        kind::SEEN => "which recognises data",
        kind::OVERRIDDEN => "which names an override",
        "asked" => "which asks for approval",
        kind::APPROVED => "which approves a release",
        kind::RESERVED => "which pays for a release",
        kind::PART_SPENT => "which says what a part has spent",
        kind::COMPLETED => "which completes a release",
        kind::PRESENTED => "which notes another presentation of a release",
        kind::ABANDONED => "which gives up a reservation",
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
