"""Measures what a call costs: `explain` of the demo from Python against the same in Rust, in alternating runs.

cargo build --release -p congenial --bench explain    # prints the path of the executable
python python/benches/calls.py EXECUTABLE [REPEATS]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

import congenial as cg

SPEC = Path(__file__).parents[2] / "crates" / "draft" / "starter" / "congenial.toml"
CALLS = 500


def python() -> float:
    """Give the median time of a call from Python, in milliseconds."""
    spec = cg.Spec.load(SPEC)
    times = []
    for _ in range(CALLS):
        began = time.perf_counter()
        spec.explain()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1e3


def rust(executable: str) -> float:
    """Give that of a call in Rust."""
    run = subprocess.run([executable, str(SPEC), str(CALLS)], capture_output=True, text=True, check=True)  # noqa: S603
    return float(run.stdout)


def main() -> None:
    """Measure, and print the ratio."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    runs = [(rust(sys.argv[1]), python()) for _ in range(repeats)]
    inside, outside = (statistics.median(column) for column in zip(*runs, strict=True))
    print(
        f"explain of the demo: {inside:.3f} ms in Rust, {outside:.3f} ms from Python, {outside / inside:.2f} × as long"
    )


if __name__ == "__main__":
    main()
