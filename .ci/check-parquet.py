#!/usr/bin/env python3
"""Reads the Parquet files of a release folder with pyarrow and compares them with the certificate.

    .ci/check-parquet.py DIR

DIR is a folder made with `release --format parquet`. Column names and types, the number of rows, the metadata and every exact total
of the table must be those that certificate.json states.
"""

import json
import sys

import pyarrow
import pyarrow.compute
import pyarrow.parquet

KEYS = ["title", "table", "program", "spec_sha256", "definition", "unit", "neighbours", "noise", "invariants", "guarantee"]


def fail(message):
    sys.exit(f"check-parquet: {message}")


def check_metadata(file, table, certificate):
    found = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    missing = [key for key in KEYS if f"congenial.{key}" not in found]
    if missing:
        fail(f"{file} has no metadata {missing}, only {sorted(found)}")
    guarantee = certificate["guarantee"]
    expected = {"title": certificate["title"], "spec_sha256": certificate["spec_sha256"], "guarantee": guarantee["statement"]}
    expected |= {key: guarantee[key] for key in ("definition", "unit", "noise", "epsilon", "delta", "rho") if guarantee[key]}
    for key, value in expected.items():
        if found.get(f"congenial.{key}") != value:
            fail(f"{file}: congenial.{key} is {found.get(f'congenial.{key}')!r}, certified is {value!r}")


def check_totals(table, certificate):
    """Totals that are named by equalities alone, `county = Alpha, year = 2001`, are summed here; returns how many."""
    columns = {name: [str(value) for value in table[name].to_pylist()] for name in table.column_names}
    values = table["value"].to_pylist()
    checked = 0
    for invariant in certificate["invariants"]:
        for total in invariant["totals"]:
            if " where " in invariant["label"] or not (invariant["label"].startswith("by ") or invariant["label"] == "total"):
                continue
            wanted = {} if total["name"] == "total" else None
            if wanted is None:
                parts = [part.split(" = ", 1) for part in total["name"].split(", ")]
                if any(len(part) != 2 or part[0] not in columns for part in parts):
                    continue
                wanted = dict(parts)
            found = sum(
                value
                for row, value in enumerate(values)
                if all(columns[name][row] == label for name, label in wanted.items())
            )
            if found != total["value"]:
                fail(f"{total['name']} is {found} in the table, certified as {total['value']}")
            checked += 1
    return checked


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    with open(f"{folder}/certificate.json", encoding="utf-8") as file:
        certificate = json.load(file)
    files = [listed["file"] for listed in certificate["files"] if listed["file"].endswith(".parquet")]
    if "table.parquet" not in files:
        fail(f"table.parquet is not among the files {files}")
    for file in files:
        check_metadata(file, pyarrow.parquet.read_table(f"{folder}/{file}"), certificate)
    table = pyarrow.parquet.read_table(f"{folder}/table.parquet")
    if table.column_names != certificate["table"]["columns"]:
        fail(f"the columns are {table.column_names}, certified are {certificate['table']['columns']}")
    if table.num_rows != certificate["table"]["cells"]:
        fail(f"{table.num_rows} rows, certified are {certificate['table']['cells']} cells")
    for field in table.schema:
        number = field.name in ("value", "lower90", "upper90")
        if field.type not in ((pyarrow.int64(),) if number else (pyarrow.int64(), pyarrow.string())):
            fail(f"column {field.name} has the type {field.type}")
        if table[field.name].null_count:
            fail(f"column {field.name} has empty cells")
    if "lower90" in table.column_names:
        order = pyarrow.compute.and_(
            pyarrow.compute.less_equal(table["lower90"], table["value"]),
            pyarrow.compute.less_equal(table["value"], table["upper90"]),
        )
        if not pyarrow.compute.all(order).as_py():
            fail("a value lies outside its interval")
    checked = check_totals(table, certificate)
    totals = sum(len(invariant["totals"]) for invariant in certificate["invariants"])
    if totals and not checked:
        fail(f"none of {totals} exact totals could be summed here")
    print(f"pyarrow {pyarrow.__version__} reads {len(files)} files, {table.num_rows} rows; {checked} of {totals} exact totals hold")


main()
