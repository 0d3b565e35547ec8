//! Data files of every form, well and badly made.

mod common;
mod malformed;
mod measures;
mod parquet;
mod reading;
mod zeros;
