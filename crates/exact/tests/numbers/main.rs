//! Tests of the numbers: big integers against a second library, rationals, enclosures.

mod containment;
mod factorials;
mod functions;
mod generator;
mod integers;
mod rationals;
mod reference;
mod words;
