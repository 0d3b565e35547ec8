//! Every projection climbs the ladder: a folder for the projections onto a fibre and one for
//! TopDown, a file for each rung.

mod projections {
    mod fit;
    mod identities;
    mod law;
    mod mutants;
    mod quantities;
    mod refusals;
    mod small;
}

mod topdown {
    mod country;
    mod identities;
    mod law;
    mod mutants;
    mod quantities;
    mod refusals;
}
