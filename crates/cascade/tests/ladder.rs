//! The cascade climbs the ladder: a folder for it and for each of its parts, a file for each rung.

mod cascade {
    mod fit;
    mod golden;
    mod law;
    mod mutants;
    mod oracle;
    mod privacy;
    mod refusals;
    mod samples;
}

mod number {
    mod fit;
    mod golden;
    mod identities;
    mod law;
    mod laws;
    mod mutants;
    mod quantities;
}

mod places {
    mod fit;
    mod identities;
    mod tree;
}

mod pure {
    mod privacy;
}
