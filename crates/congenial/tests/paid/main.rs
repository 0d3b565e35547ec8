//! Confidential releases: paid before they are drawn, whatever happens on the way.

mod answers;
mod child;
mod crash;
mod kept;
mod obstacles;
mod once;
mod presented;
mod projected;
mod race;
mod scene;
mod suppressed;
mod tamper;
mod together;
