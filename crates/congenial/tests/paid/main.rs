//! Confidential releases: paid before they are drawn, whatever happens on the way.

mod answers;
mod approved;
mod child;
mod crash;
mod crowd;
mod evaded;
mod feasible;
mod filtered;
mod fixed;
mod housekeeping;
mod kept;
mod obstacles;
mod once;
mod oracle;
mod ordered;
mod parts;
mod presented;
mod projected;
mod race;
mod said;
mod scene;
mod suppressed;
mod tamper;
mod together;
