//! Every operator of this room climbs the ladder: a folder for each operator or part of one, a file
//! for each rung.

mod class {
    mod golden;
    mod identities;
    mod law;
    mod mutants;
    mod quantities;
    mod small;
    mod splits;
}

mod closed_form {
    mod factors;
    mod fit;
    mod golden;
    mod identities;
    mod law;
    mod mutants;
}

mod continuous {
    mod fit;
}

mod divide {
    mod attempts;
    mod drawn;
    mod fit;
    mod golden;
    pub mod grids;
    mod identities;
    mod law;
    mod mutants;
    mod quantities;
    mod refusals;
}

mod divide_bounded {
    mod counts;
    mod fit;
    mod identities;
    mod law;
    mod mutants;
    mod quantities;
    mod refusals;
}

mod enumerate {
    mod fit;
    mod golden;
    mod identities;
    mod law;
    mod listed;
    mod mutants;
}

mod independent {
    mod fit;
    mod golden;
    mod identities;
    mod law;
    mod mutants;
}

mod klein {
    mod attempts;
    mod fit;
    mod golden;
    mod identities;
    mod lattices;
    mod law;
    mod margins;
    mod mutants;
    mod quantities;
    mod refusals;
}

mod measured {
    mod identities;
}

mod messages {
    mod attempts;
    mod factors;
    mod fit;
    mod golden;
    mod identities;
    mod law;
    mod mutants;
    mod quantities;
}

mod mixture {
    mod factors;
    mod fit;
    mod golden;
    mod law;
    mod mixed;
    mod mutants;
    mod quantities;
}

mod network {
    mod fit;
    mod golden;
    mod identities;
    mod law;
    mod mutants;
    mod named;
    mod quantities;
    mod small;
}

mod reject {
    mod fit;
    mod golden;
    mod identities;
    mod law;
    mod mutants;
    mod quantities;
    mod refusals;
    mod relaxed;
}

mod streams {
    mod identities;
}

mod tables {
    pub mod golden_seeds;
    pub mod margins;
    pub mod numbers;
    pub mod one_total;
    pub mod variances;
}

mod thin {
    mod factors;
    mod fit;
    mod golden;
    mod identities;
    mod law;
    mod mutants;
    mod quantities;
    mod refusals;
    mod thinned;
}

mod tilted {
    mod fit;
}

mod weighted {
    mod fit;
    mod law;
    mod mutants;
    mod quantities;
    mod small;
}

mod whole_tables {
    pub mod drawn;
    mod fit;
    mod identities;
}
