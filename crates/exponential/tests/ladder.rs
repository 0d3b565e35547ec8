//! Every exponential mechanism and its parts climb the ladder: a folder for each, a file for each
//! rung.

mod atom {
    mod fit;
    mod law;
    mod quantities;
}

mod factory {
    mod coins;
    mod law;
    mod refusals;
}

mod net {
    mod fit;
    mod privacy;
    mod relaxed;
}

mod padding {
    mod fit;
    mod law;
    mod quantities;
}

mod published {
    mod quantities;
}

mod rejection {
    mod fit;
    mod law;
    mod mutants;
    mod privacy;
    mod quantities;
}

mod ridge {
    mod designs;
    mod fit;
    mod golden;
    mod identities;
    mod law;
    mod privacy;
    mod quantities;
    mod refusals;
    mod settings;
}

mod spaces {
    mod fit;
    mod law;
    mod quantities;
}

mod tables {
    pub mod targets;
}
