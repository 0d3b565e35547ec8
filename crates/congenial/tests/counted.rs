//! What is said of which rows were counted, against every policy: a kind of rows is named as left
//! out exactly where a row of that kind is left out, and what is said to be checked was.

use congenial::{Prepared, Quiet};
use std::fs;
use std::path::Path;

/// What a spec declares of rows that cannot be counted as they stand.
#[derive(Debug, Clone, Copy)]
struct Policies {
    public: bool,
    outside: &'static str,
    missing: &'static str,
    /// Whether `b` has a value for whatever it cannot read.
    unknown: bool,
    filter: bool,
    zero: bool,
    rows: Rows,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Rows {
    Records,
    /// At most two of every unit, and what becomes of more.
    OfUnits(&'static str),
    /// With counts, and what becomes of negative ones and of cells that come twice.
    Counts(&'static str, &'static str),
}

impl Policies {
    fn spec(&self) -> String {
        let Policies { public, outside, missing, .. } = self;
        let mut data = format!("public = {public}\noutside = \"{outside}\"\nmissing = \"{missing}\"\n");
        match self.rows {
            Rows::Records => {}
            Rows::OfUnits(beyond) => data += &format!("unit = \"id\"\nrows_per_unit = 2\nbeyond = \"{beyond}\"\n"),
            Rows::Counts(negative, twice) => {
                data += &format!("count = \"n\"\nnegative = \"{negative}\"\nduplicates = \"{twice}\"\n");
            }
        }
        if self.filter {
            data += "where = \"year >= 2020\"\n";
        }
        let unknown = if self.unknown { ", unknown = \"u\"" } else { "" };
        let budget = if *public { "" } else { "[budget]\ndataset = \"d\"\nledger = \"sqlite:ledger.db\"\n" };
        let zero = if self.zero { "[constraints]\nzero = [\"a = 'y' and b = 'q'\"]\n" } else { "" };
        format!(
            "title = \"t\"\n[data]\npath = \"data.csv\"\n{data}[dimensions]\na = [\"x\", \"y\"]\n\
             b = {{ values = [\"p\", \"q\", \"u\"]{unknown} }}\n[[invariant]]\nby = []\n{zero}\
             [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/4\"\nper = \"record\"\n{budget}"
        )
    }

    /// How many rows the table has when the file has these lines; nothing where that is an error.
    fn counted(&self, folder: &Path, lines: &[&str]) -> Option<i64> {
        fs::write(folder.join("spec.toml"), self.spec()).unwrap();
        let header = "id,year,a,b,n";
        fs::write(folder.join("data.csv"), format!("{header}\n{}\n", lines.join("\n"))).unwrap();
        let prepared = Prepared::open(&folder.join("spec.toml"), &Quiet).ok()?;
        Some(prepared.analysed.totals[0][0])
    }

    /// What the certificate says of which rows are counted.
    fn said(&self, folder: &Path) -> certify::Derived {
        fs::write(folder.join("spec.toml"), self.spec()).unwrap();
        fs::write(folder.join("data.csv"), format!("id,year,a,b,n\n{}\n", GOOD.join("\n"))).unwrap();
        let prepared = Prepared::open(&folder.join("spec.toml"), &Quiet).unwrap();
        certify::derive(&prepared.opened().case, &prepared.analysed.totals, &prepared.plan, &|_| {}).unwrap()
    }
}

/// Rows that every declaration counts: each once, in cells of their own.
const GOOD: [&str; 3] = ["1,2021,x,p,1", "2,2021,x,q,1", "3,2021,y,p,1"];

/// Kinds of rows, one row of each after the good ones, and what names them.
const KINDS: [(&str, &[&str]); 7] = [
    ("those outside the declared domain", &["4,2021,zzz,u,1"]),
    ("those with a missing value", &["4,2021,,u,1"]),
    ("those in a cell that is declared impossible", &["4,2021,y,q,1"]),
    ("those that `where` cannot judge", &["4,soon,x,u,1"]),
    ("those whose count is no whole number", &["4,2021,x,u,many"]),
    (", of every id ", &["4,2021,x,u,1", "4,2021,x,u,1", "4,2021,x,u,1"]),
    ("with negative counts taken as zero", &["4,2021,x,u,-1"]),
];

fn every() -> Vec<Policies> {
    let both = ["error", "drop"];
    let of_units = both.map(Rows::OfUnits);
    let counts = [("error", "error"), ("zero", "error"), ("error", "sum")].map(|(one, two)| Rows::Counts(one, two));
    let kinds: Vec<Rows> = [Rows::Records].into_iter().chain(of_units).chain(counts).collect();
    let mut all = Vec::new();
    for public in [false, true] {
        for outside in both {
            for missing in both {
                for (unknown, filter, zero) in
                    [(false, false, false), (true, false, false), (false, true, true), (true, true, false)]
                {
                    let policies =
                        |rows: &Rows| Policies { public, outside, missing, unknown, filter, zero, rows: *rows };
                    all.extend(kinds.iter().map(policies));
                }
            }
        }
    }
    all
}

#[test]
fn rows_are_said_to_be_left_out_where_they_are() {
    let work = tempfile::tempdir().unwrap();
    let (mut left_out, mut checked) = (0, 0);
    for policies in every().into_iter().step_by(5) {
        let said = policies.said(work.path());
        let good = GOOD.len() as i64;
        assert_eq!(policies.counted(work.path(), &GOOD), Some(good), "{policies:?}");
        for (named, rows) in KINDS {
            if named.contains("cell") && !policies.zero || named.contains("`where`") && !policies.filter {
                assert!(!said.counted.contains(named), "{policies:?}: {}", said.counted);
                continue;
            }
            let lines: Vec<&str> = GOOD.into_iter().chain(rows.iter().copied()).collect();
            let (all, counted) = (good + rows.len() as i64, policies.counted(work.path(), &lines));
            let is_left_out = counted.is_some_and(|counted| counted < all);
            left_out += usize::from(is_left_out);
            assert_eq!(said.counted.contains(named), is_left_out, "{policies:?}, {rows:?}: {}", said.counted);
            assert!(!is_left_out || said.counted != certify::EVERY_ROW, "{policies:?}, {rows:?}");
        }
        if let Some(unit) = &said.guarantee.privacy_unit {
            let more: Vec<&str> = GOOD.into_iter().chain(KINDS[5].1.iter().copied()).collect();
            let is_checked = policies.counted(work.path(), &more).is_none();
            checked += usize::from(is_checked);
            assert_eq!(unit.bounded.contains("was checked when"), is_checked, "{policies:?}: {}", unit.bounded);
        }
    }
    assert!(left_out > 40 && checked > 1, "{left_out} left out, {checked} checked");
}
