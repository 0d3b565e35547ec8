//! A release as one self-contained HTML page; a pure function.
