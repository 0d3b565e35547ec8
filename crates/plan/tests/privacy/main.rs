//! Exact privacy: for enumerated fibres and summed normalisers the true loss is at most the certified one.

mod enumerated;
mod integer_orders;
mod projected;
mod published;
mod random;
mod summed;
mod ties;
