//! `Class`: what kind of values a column holds.

/// What kind of values a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Text,
    Whole,
    Real,
    Flag,
    Date,
    /// Nothing but missing values.
    Nothing,
}

impl Class {
    /// What messages call such values.
    pub fn words(self) -> &'static str {
        match self {
            Class::Text => "text",
            Class::Whole => "whole numbers",
            Class::Real => "real numbers",
            Class::Flag => "flags",
            Class::Date => "dates",
            Class::Nothing => "nothing",
        }
    }
}
