"""A synthetic census of blocks with the shape of PL 94-171, to be released by a cascade that is never in memory.

python3 benches/pl94.py FOLDER STATES; congenial release FOLDER/spec.toml --out FOLDER/release
Nobody is in it: blocks are drawn from four thousand patterns of made-up persons. 51 states are 987,033,600 cells.
"""

import pathlib
import random
import sys

folder, states = pathlib.Path(sys.argv[1]), int(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
random.seed(5)
counties, tracts, blocks = 20, 20, 24
races = [1] * 70 + [2] * 12 + [3] * 2 + [4] * 6 + [5] + list(range(6, 64))


def pattern():
    """The rows of one block, in cell order."""
    persons = random.choice([0, 5, 10, 20, 40, 80, 160])
    counts = {}
    for _ in range(min(persons, 100)):
        cell = (
            random.choice(races),
            int(random.random() < 0.17),
            int(random.random() < 0.77),
            1 if random.random() < 0.97 else random.randint(2, 8),
        )
        counts[cell] = counts.get(cell, 0) + max(1, persons // 100)
    return ["%d,%d,%d,%d,%d\n" % (cell + (count,)) for cell, count in sorted(counts.items())]


patterns = [pattern() for _ in range(4000)]
with open(folder / "blocks.csv", "w", buffering=1 << 22) as file:
    file.write("state,county,tract,block,race,hispanic,voting,quarters,persons\n")
    for state in range(1, states + 1):
        for county in range(1, counties + 1):
            for tract in range(1, tracts + 1):
                for block in range(1, blocks + 1):
                    place = f"{state},{county},{tract},{block},"
                    file.writelines([place + row for row in random.choice(patterns)])

(folder / "spec.toml").write_text(f"""title = "A census of blocks"

[data]
path   = "blocks.csv"
count  = "persons"
public = true

[dimensions]
state    = {{ integers = [1, {states}] }}
county   = {{ integers = [1, {counties}] }}
tract    = {{ integers = [1, {tracts}] }}
block    = {{ integers = [1, {blocks}] }}
race     = {{ integers = [1, 63] }}
hispanic = {{ integers = [0, 1] }}
voting   = {{ integers = [0, 1] }}
quarters = {{ integers = [1, 8] }}

[[invariant]]
by = ["state"]

[constraints]
nonnegative = true

[mechanism]
noise  = "discrete-gaussian"
method = "cascade"
rho    = "1"

[[mechanism.query]]
by    = ["state", "county"]
share = "1/8"

[[mechanism.query]]
by    = ["state", "county", "tract"]
share = "1/8"

[[mechanism.query]]
by    = ["state", "county", "tract", "block"]
share = "1/4"

[[mechanism.query]]
by    = ["state", "county", "tract", "block", "race", "hispanic", "voting", "quarters"]
share = "1/2"
""")
