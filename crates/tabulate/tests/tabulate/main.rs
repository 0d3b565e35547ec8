//! Data files of every form, well and badly made.

mod common;
mod malformed;
mod reading;
mod zeros;
