"""What `congenial infer` does with every example: python3 benches/infer_sweep.py [PROGRAM] [--only TEXT] [--commands NAMES] [--limit SECONDS]

Releases every spec of `examples/` and asks for a posterior table, twenty imputations and likelihoods, each command by itself; prints
the seconds by the clock and of the processor, the exit code and what it stands on or why it is refused. It fails if a command does not end within the limit, or if one
is refused that `REFUSED` does not name. PROGRAM is `target/release/congenial` unless given.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What cannot be told, and the words of the refusal that say why.
REFUSED = {
    "taxi/topdown": "projection",
    "us-counties/project": "projection",
    "us-tracts/topdown": "projection",
}
# Specs of other commands: `regress`.
OTHERS = {"wages/spec"}


def run(command, limit):
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return limit, limit, None, f"did not end in {limit:.0f} s"
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode == 0:
        said = [line[2:] for line in done.stdout.splitlines() if line.startswith("- ")]
        return seconds, work, 0, "; ".join(said[-2:])
    return seconds, work, done.returncode, " ".join(done.stderr.split())


def sweep(program, only, asked, limit):
    wrong = []
    print(f"{'example':<42} {'command':<12} {'seconds':>8} {'work':>8} {'exit':>4}  what it says")
    for spec in sorted((ROOT / "examples").rglob("*.toml")):
        name = str(spec.relative_to(ROOT / "examples").with_suffix(""))
        if name in OTHERS or only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            release = f"{folder}/release"
            infer = [program, "infer", release]
            commands = {
                "release": [program, "release", str(spec), "--out", release],
                "intervals": infer + ["--level", "0.9"],
                "table": infer + ["--posterior", "--nonnegative", "--table", f"{folder}/best.parquet"],
                "consistent": infer + ["--posterior", "--nonnegative", "--best", "consistent", "--table", f"{folder}/t.csv"],
                "impute": infer + ["--posterior", "--nonnegative", "--impute", "20", "--out", f"{folder}/imp"],
                "impute free": infer + ["--posterior", "--impute", "20", "--out", f"{folder}/free"],
                "likelihood": infer + ["--likelihood", f"{release}/table.parquet", "--likelihood", f"{folder}/t.csv"],
            }
            for command, words in commands.items():
                if asked and command not in asked and command != "release":
                    continue
                if command == "likelihood" and not Path(f"{folder}/t.csv").exists():
                    words = words[:-2]
                seconds, work, code, said = run(words, limit)
                print(f"{name:<42} {command:<12} {seconds:>8.2f} {work:>8.2f} {'–' if code is None else code:>4}  {said[:300]}", flush=True)
                bounded = command == "intervals" and code == 3
                known = name in REFUSED and REFUSED[name] in said
                if code != 0 and not bounded and not known:
                    wrong.append(f"{name} {command}: {said[:200]}")
    return wrong


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program", nargs="?", default=str(ROOT / "target/release/congenial"))
    arguments.add_argument("--only", default="")
    arguments.add_argument("--commands", default="", help="separated by commas; all unless given")
    arguments.add_argument("--limit", type=float, default=180.0)
    chosen = arguments.parse_args()
    wrong = sweep(chosen.program, chosen.only, [name for name in chosen.commands.split(",") if name], chosen.limit)
    sys.exit("\n".join(["", "not as it should be:"] + wrong) if wrong else 0)
