"""Compares the tabulation of records with DuckDB's GROUP BY: python3 benches/tabulate_vs_duckdb.py [ROWS]

Needs `pip install duckdb`, and `cargo build --release -p congenial-tabulate --bench records` before. Both read the same
file with the same number of threads, in alternating runs; the best of each counts.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parent.parent
THREADS = 2
RUNS = 5


def bench() -> Path:
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    programs = [p for p in (target / "release" / "deps").glob("records-*") if p.suffix == "" and os.access(p, os.X_OK)]
    if not programs:
        sys.exit("build it first: cargo build --release -p congenial-tabulate --bench records")
    return max(programs, key=lambda program: program.stat().st_mtime)


def write(folder: Path, rows: int) -> None:
    records = f"""
        SELECT 'a' || (hash(i) % 10) AS a, 'b' || (hash(i + 1) % 5) AS b, 'c' || (hash(i * 3) % 20) AS c,
               (hash(i * 5) % 10)::INTEGER AS d, (hash(i * 7) % 20)::INTEGER AS e
        FROM range({rows}) r(i)"""
    duckdb.sql(f"COPY ({records}) TO '{folder}/records.parquet'")
    duckdb.sql(f"COPY ({records}) TO '{folder}/records.csv'")


def peer(file: Path) -> float:
    connection = duckdb.connect()
    connection.sql(f"SET threads = {THREADS}")
    reader = "read_csv" if file.suffix == ".csv" else "read_parquet"
    start = time.perf_counter()
    # Into a table, so that no time goes into Python objects.
    connection.execute(f"CREATE TEMP TABLE t AS SELECT a, b, c, d, e, count(*) n FROM {reader}('{file}') GROUP BY ALL")
    seconds = time.perf_counter() - start
    assert connection.execute("SELECT sum(n) > 0 FROM t").fetchone()[0]
    return seconds


def ours(program: Path, file: Path) -> float:
    environment = os.environ | {"RAYON_NUM_THREADS": str(THREADS)}
    printed = subprocess.run([program, file, "1"], env=environment, check=True, capture_output=True, text=True).stdout
    return float(re.match(r"([\d.]+) seconds", printed)[1])


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    program = bench()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, rows)
        for file in (folder / "records.parquet", folder / "records.csv"):
            pairs = [(ours(program, file), peer(file)) for _ in range(RUNS)]
            us, them = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
            print(f"{file.name}: {rows} rows, tabulate {us:.3f} s, DuckDB {duckdb.__version__} {them:.3f} s, ratio {us / them:.2f}")


if __name__ == "__main__":
    main()
