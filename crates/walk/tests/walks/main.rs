//! Walks as matrices on small fibres, their couplings, and the evidence these give.

mod couplings;
mod fibres;
mod matrices;
mod mutants;
mod pilot;
mod split;
