"""Measures a release from a polars frame against the same from a Parquet file: time and memory, as ratios.

python python/benches/release.py [RECORDS] [REPEATS]

Each run is a process of its own, and what is timed is the release alone. The frame is in memory before it begins, the
file is not. Memory is the largest resident set while the release runs (`VmHWM`, set back before: what `getrusage` tells
begins with the size of the process that started this one), and what of it was there before. Linux alone has both. Last
a plain call: `explain` of a small spec.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SPEC = """
title = "Records"
[data]
{rows}
public = true
[dimensions]
area = {{ integers = [0, 999] }}
age = {{ integers = [0, 99] }}
sex = ["f", "m"]
[[invariant]]
by = ["area"]
[constraints]
nonnegative = false
[mechanism]
noise = "double-geometric"
epsilon = "1/2"
"""

ONE = """
import pathlib, sys, time
import polars
import congenial as cg
way, folder, out = sys.argv[1:]
def kilobytes(key):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))
spec = cg.Spec.load(f"{folder}/{way}.toml")
frame = polars.read_parquet(f"{folder}/records.parquet") if way == "frame" else None
pathlib.Path("/proc/self/clear_refs").write_text("5")
held = kilobytes("VmRSS")
began, worked = time.perf_counter(), time.process_time()
spec.release(frame, out=out)
took, worked = time.perf_counter() - began, time.process_time() - worked
print(took, worked, held, kilobytes("VmHWM"))
"""


def records(path: Path, number: int) -> None:
    """Write that many records as a Parquet file."""
    import numpy
    import polars

    generator = numpy.random.default_rng(1)
    frame = polars.DataFrame(
        {
            "area": generator.integers(0, 1000, number),
            "age": generator.integers(0, 100, number),
            "sex": polars.Series(generator.integers(0, 2, number)).replace_strict({0: "f", 1: "m"}),
        }
    )
    frame.write_parquet(path)


def main() -> None:
    """Measure, and print the ratios."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        records(folder / "records.parquet", number)
        (folder / "file.toml").write_text(SPEC.format(rows='path = "records.parquet"'))
        (folder / "frame.toml").write_text(SPEC.format(rows='frame = "rows"'))
        found: dict[str, list[tuple[float, ...]]] = {"file": [], "frame": []}
        for repeat in range(repeats):
            for way, runs in found.items():
                command = [sys.executable, "-c", ONE, way, scratch, f"{scratch}/{way}-{repeat}"]
                run = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
                took, worked, held, most = (float(word) for word in run.stdout.split())
                runs.append((took, worked, held / 1024, most / 1024, (most - held) / 1024))
    middle = {way: [statistics.median(column) for column in zip(*runs, strict=True)] for way, runs in found.items()}
    for way, (took, worked, held, most, more) in middle.items():
        print(
            f"{way:6} {took:.3f} s ({worked:.3f} s of processor time), "
            f"{held:.0f} MB before, {most:.0f} MB at most, {more:.0f} MB more"
        )
    names = ("time", "processor time", "memory before", "memory at most", "memory more")
    for name, frame, file in zip(names, middle["frame"], middle["file"], strict=True):
        print(f"{name}: {frame / file:.2f} × that of the file")
    _plain_call()


def _plain_call() -> None:
    import congenial as cg

    table = cg.Table.of({"a": ["x", "x", "y", "y"], "b": ["p", "q"] * 2, "n": [1, 2, 3, 4]})
    spec = cg.spec("Small").data(count="n", public=True).dimension("a", ["x", "y"]).dimension("b", ["p", "q"]).keep("a")
    spec = spec.nonnegative(False).noise("double-geometric", epsilon="1/2")
    times = []
    for _ in range(200):
        began = time.perf_counter()
        spec.explain(table)
        times.append(time.perf_counter() - began)
    print(f"a call of explain: {statistics.median(times) * 1e3:.3f} ms")


if __name__ == "__main__":
    main()
