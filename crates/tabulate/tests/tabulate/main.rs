//! Data files of every form, well and badly made.

mod cleaning;
mod corpus;
mod declared;
mod formats;
mod frames;
mod malformed;
mod measures;
mod parquet;
mod reading;
mod several;
mod writing;
mod zeros;
