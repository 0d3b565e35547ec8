"""Measures a release of 10⁶ cells against plain noise of the same scale by OpenDP, in alternating runs.

pip install opendp
python python/benches/plain_noise.py [REPEATS]

The release keeps 1,000 totals, is written, certified and verified; the plain noise is a list in memory.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time

import numpy
import opendp.prelude as dp
import polars

import congenial as cg

ROWS, COLUMNS = 1000, 1000
SCALE = 4


def plain(counts: numpy.ndarray) -> float:
    """Give the seconds that plain noise takes."""
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int), size=len(counts)), dp.l1_distance(T=int)
    mechanism = space >> dp.m.then_laplace(scale=float(SCALE))
    counts = counts.astype(numpy.int32)
    began = time.perf_counter()
    noisy = mechanism(counts)
    took = time.perf_counter() - began
    assert len(noisy) == len(counts)  # noqa: S101
    return took


def release(frame: polars.DataFrame) -> float:
    """Give the seconds that a whole release takes."""
    spec = (
        cg.spec("Plain noise")
        .data(count="count", public=True)
        .dimension("row", integers=[0, ROWS - 1])
        .dimension("column", integers=[0, COLUMNS - 1])
        .keep("row")
        .nonnegative(False)
        .noise("double-geometric", epsilon=f"1/{SCALE}", per="unit")
    )
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        spec.release(frame, out=f"{folder}/release")
        return time.perf_counter() - began


def main() -> None:
    """Measure, and print the ratio."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    numbers = numpy.arange(ROWS * COLUMNS)
    counts = numbers * 7919 % 50
    frame = polars.DataFrame({"row": numbers // COLUMNS, "column": numbers % COLUMNS, "count": counts})
    runs = [(plain(counts), release(frame)) for _ in range(repeats)]
    noise, whole = (statistics.median(column) for column in zip(*runs, strict=True))
    print(f"plain noise by OpenDP: {noise:.2f} s")
    print(f"a release: {whole:.2f} s, {whole / noise:.3f} × as long")


if __name__ == "__main__":
    main()
