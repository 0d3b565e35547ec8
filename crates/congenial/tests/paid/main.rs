//! Confidential releases: paid before they are drawn, whatever happens on the way.

mod answers;
mod approved;
mod child;
mod crash;
mod evaded;
mod housekeeping;
mod obstacles;
mod oracle;
mod parts;
mod race;
mod scene;
mod suppressed;
mod tamper;
mod together;
