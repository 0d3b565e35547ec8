//! Released tables: whoever verifies a release reads one that somebody else wrote.

use crate::data::folder;
use congenial::{Format, read_table};
use declare::{Declaration, Domain};
use std::sync::OnceLock;

/// The first byte says in which format, and whether there are intervals.
pub(crate) fn table(data: &[u8]) {
    let Some((first, file)) = data.split_first() else { return };
    let format = [Format::CSV, Format::PARQUET, Format::XLSX][usize::from(first % 3)];
    let path = folder().join(format!("table.{}", format.extension()));
    std::fs::write(&path, file).expect("a file in a temporary folder");
    let mut cells = 0;
    let read = read_table(&path, format, domain(), *first >= 128, &mut |portion| {
        cells += portion.values.len();
        Ok(())
    });
    assert!(read.is_err() || cells == domain().len(), "cells are lost");
}

fn domain() -> &'static Domain {
    static DOMAIN: OnceLock<Domain> = OnceLock::new();
    DOMAIN.get_or_init(|| {
        let spec = "[data]\npath = \"t.csv\"\npublic = true\n[dimensions]\na = [\"x\", \"y\"]\n\
                    b = { integers = [1, 2] }\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\n";
        let declaration = Declaration::parse_alone(spec, "spec.toml").expect("a good spec");
        declaration.domain().expect("a small domain")
    })
}
