//! Fibre enumeration, bit tapes, chi-square, mutants and small declarations, for tests only.
