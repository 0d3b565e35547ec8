//! Every walk climbs the ladder: a folder for each operator or part of one, a file for each rung.

mod baselines {
    mod quantities;
    mod refusals;
}

mod hierarchy_walk {
    mod golden;
    mod law;
    mod mutants;
    mod quantities;
}

mod independence_walk {
    mod golden;
    mod law;
    mod mutants;
    mod quantities;
}

mod lattice_walk {
    mod couplings;
    mod evidence_of;
    mod identities;
    mod law;
    mod mutants;
    mod parts;
    mod privacy;
    mod refusals;
}

mod pilot {
    mod refusals;
}

mod tables {
    pub mod blocks;
    pub mod fibres;
    pub mod matrices;
    pub mod steps;
}
