//! Confidential releases: paid before they are drawn, whatever happens on the way.

mod answers;
mod child;
mod crash;
mod housekeeping;
mod obstacles;
mod race;
mod scene;
mod suppressed;
mod tamper;
mod together;
