//! Every key of the spec, by section: the only list of them, for the parser and for the schema of
//! editors.

pub(super) const ROOT: [&str; 11] = [
    "title",
    "data",
    "dimensions",
    "invariant",
    "constraints",
    "mechanism",
    "limits",
    "disclosure",
    "secrets",
    "budget",
    "output",
];

pub(super) const DATA: [&str; 16] = [
    "path",
    "frame",
    "count",
    "public",
    "where",
    "outside",
    "missing",
    "duplicates",
    "negative",
    "unit",
    "rows_per_unit",
    "beyond",
    "encoding",
    "date_format",
    "trim",
    "case",
];

pub(super) const DIMENSION: [&str; 20] = [
    "column", "values", "integers", "bins", "open", "below", "dates", "first", "last", "path", "key", "levels",
    "where", "rows", "columns", "record", "trim", "case", "recode", "unknown",
];

pub(super) const LEVEL: [&str; 2] = ["name", "prefix"];

pub(super) const INVARIANT: [&str; 6] = ["by", "where", "terms", "matrix", "from", "values"];

pub(super) const TERM: [&str; 2] = ["where", "times"];

pub(super) const ROWS: [&str; 1] = ["rows"];

pub(super) const CONSTRAINTS: [&str; 3] = ["nonnegative", "zero", "rule"];

pub(super) const RULE: [&str; 4] = ["by", "left", "op", "right"];

pub(super) const MECHANISM: [&str; 12] = [
    "noise",
    "method",
    "epsilon",
    "rho",
    "per",
    "sampler",
    "accept",
    "max_delta",
    "granularity",
    "order_by",
    "query",
    "base",
];

pub(super) const ORDER: [&str; 5] = ["path", "value", "sha256", "by", "values"];

pub(super) const QUERY: [&str; 4] = ["by", "where", "epsilon", "share"];

pub(super) const BASE: [&str; 8] = ["law", "path", "where", "count", "cells", "alpha", "add", "values"];

pub(super) const BASE_VALUES: [&str; 2] = ["by", "rows"];

pub(super) const LIMITS: [&str; 2] = ["memory", "time"];

pub(super) const DISCLOSURE: [&str; 2] = ["sensitive", "within"];

pub(super) const SECRETS: [&str; 12] = [
    "family",
    "n",
    "z0",
    "z1",
    "dependence",
    "width",
    "variance",
    "correlation",
    "public_noise",
    "path",
    "worlds",
    "mistaken",
];

pub(super) const BUDGET: [&str; 4] = ["dataset", "ledger", "head", "chosen"];

pub(super) const OUTPUT: [&str; 4] = ["name", "by", "where", "rate"];

pub(super) const RATE: [&str; 3] = ["numerator", "denominator", "times"];

/// Every section of a spec with its keys. A dimension, whose name is free, stands as
/// `dimensions.*`; an element of a list, like an inline table, under the key that holds it.
pub const SPEC_KEYS: [(&str, &[&str]); 21] = [
    ("", &ROOT),
    ("data", &DATA),
    ("dimensions.*", &DIMENSION),
    ("dimensions.*.levels", &LEVEL),
    ("invariant", &INVARIANT),
    ("invariant.terms", &TERM),
    ("invariant.matrix", &ROWS),
    ("invariant.values", &ROWS),
    ("constraints", &CONSTRAINTS),
    ("constraints.rule", &RULE),
    ("mechanism", &MECHANISM),
    ("mechanism.order_by", &ORDER),
    ("mechanism.query", &QUERY),
    ("mechanism.base", &BASE),
    ("mechanism.base.values", &BASE_VALUES),
    ("limits", &LIMITS),
    ("disclosure", &DISCLOSURE),
    ("secrets", &SECRETS),
    ("budget", &BUDGET),
    ("output", &OUTPUT),
    ("output.rate", &RATE),
];
