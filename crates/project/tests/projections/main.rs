//! Projections against every table of small fibres, against exact formulas, and with inputs that must fail.

mod exhaustive;
mod faults;
mod formulas;
mod medium;
mod small;
mod symmetry;
mod topdown;
