//! Exact privacy: for enumerated fibres and summed normalisers the true loss is at most the
//! certified one.

mod enumerated;
mod examples;
mod integer_orders;
mod law;
mod meaning;
mod nearest;
mod projected;
mod published;
mod random;
mod refined;
mod summed;
mod ties;
mod weighted;
