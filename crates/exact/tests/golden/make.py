"""Makes matrices.txt with python-flint, an independent library: pip install python-flint; python3 make.py

Every matrix comes with the diagonal of its Smith form, its Hermite form by rows, and a reduced basis of the lattice of its
rows (flint: delta 0.99, eta 0.51). Tests read the file and never run this. The same seed gives the same file.
"""

import itertools
import random
from pathlib import Path

from flint import fmpz_mat

random.seed(20240)


def dense(rows, columns, largest):
    return [[random.randint(-largest, largest) for _ in range(columns)] for _ in range(rows)]


def product(left, right):
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*right)] for row in left]


def margins(shape, families, holes=0.0):
    cells = [cell for cell in itertools.product(*map(range, shape)) if random.random() >= holes]
    rows = []
    for family in families:
        for key in itertools.product(*(range(shape[axis]) for axis in family)):
            rows.append([int(tuple(cell[axis] for axis in family) == key) for cell in cells])
    return rows


def unimodular(size, steps):
    matrix = [[int(row == column) for column in range(size)] for row in range(size)]
    for _ in range(steps):
        one, other = random.sample(range(size), 2)
        times = random.choice([-2, -1, 1, 2])
        matrix[one] = [a + times * b for a, b in zip(matrix[one], matrix[other])]
    return matrix


def matrices():
    for size in (1, 2, 3, 4, 5, 6, 8, 10, 12):
        yield f"square {size}", dense(size, size, 9)
    for rows, columns in ((1, 1), (1, 5), (5, 1), (2, 7), (7, 2), (3, 12), (12, 3), (4, 20), (15, 6)):
        yield f"wide or tall {rows} x {columns}", dense(rows, columns, 5)
    for rows, columns, rank in ((4, 4, 2), (6, 5, 3), (5, 9, 2), (8, 8, 4), (9, 4, 1), (7, 12, 5), (10, 10, 6)):
        yield f"rank {rank} of {rows} x {columns}", product(dense(rows, rank, 4), dense(rank, columns, 4))
    yield "zero", [[0] * 4 for _ in range(3)]
    yield "zero column", [[0], [0]]
    for rows, columns in ((4, 5), (6, 6), (5, 3)):
        matrix = dense(rows, columns, 6)
        matrix[1] = [0] * columns
        matrix[-1] = [0] * columns
        yield f"zero rows {rows} x {columns}", matrix
    for digits in (10, 20, 40, 80):
        yield f"{digits} digits", dense(4, 5, 10**digits)
    yield "60 digits, rank 2", product(dense(4, 2, 10**30), dense(2, 4, 10**30))
    for diagonal in ((2, 3, 5), (4, 6, 10), (6, 10, 15, 0), (2, 2, 2, 2), (12, 18, 8, 30), (7, 1, 49)):
        size = len(diagonal)
        middle = [[diagonal[row] if row == column else 0 for column in range(size)] for row in range(size)]
        yield f"hidden diagonal {diagonal}", product(product(unimodular(size, 12), middle), unimodular(size, 12))
    for size in (3, 6, 10):
        yield f"unimodular {size}", unimodular(size, 6 * size)
    yield "three cycle", [[1, 1, 0], [0, 1, 1], [1, 0, 1]]
    yield "five cycle", [[int(column in (row, (row + 1) % 5)) for column in range(5)] for row in range(5)]
    yield "coins", [[2, 3, 5, 7, 11]]
    yield "even", [[2, 4, 6], [4, 8, 2]]
    yield "margins 3 x 3", margins((3, 3), [(0,), (1,)])
    yield "margins 4 x 5", margins((4, 5), [(0,), (1,)])
    yield "margins 4 x 4 with holes", margins((4, 4), [(0,), (1,)], 0.3)
    yield "margins 2 x 2 x 2", margins((2, 2, 2), [(0, 1), (0, 2), (1, 2)])
    yield "margins 3 x 3 x 3", margins((3, 3, 3), [(0, 1), (0, 2), (1, 2)])
    yield "margins 3 x 3 x 3 with holes", margins((3, 3, 3), [(0, 1), (0, 2), (1, 2)], 0.25)
    yield "margins 4 x 3 x 2, one way", margins((4, 3, 2), [(0,), (1,), (2,)])
    yield "margins and total", margins((3, 4), [(), (0,), (1,)])
    for size in (5, 10, 20, 30):
        rows = [[int(row == column) for column in range(size)] + [random.randint(1, 10**6)] for row in range(size)]
        yield f"knapsack {size}", rows
    for size in (4, 8, 16):
        prime = 1009
        factors = [random.randrange(prime) for _ in range(size)]
        rows = [[prime] + [0] * size] + [
            [factors[row]] + [int(row == column) for column in range(size)] for row in range(size)
        ]
        yield f"modular {size}", rows


def words(name, rows):
    return "".join(f"{name} {' '.join(str(entry) for entry in row)}\n" for row in rows)


def main():
    text = ""
    count = 0
    for name, rows in matrices():
        matrix = fmpz_mat(rows)
        smith = matrix.snf()
        diagonal = [smith[place, place] for place in range(min(smith.nrows(), smith.ncols()))]
        hermite = matrix.hnf()
        basis = [row for row in hermite.tolist() if any(row)]
        reduced = fmpz_mat(basis).lll(delta=0.99, eta=0.51).tolist() if basis else []
        text += f"matrix {name}\n" + words("row", rows) + words("smith", [diagonal])
        text += words("hermite", hermite.tolist()) + words("reduced", reduced) + "\n"
        count += 1
    Path(__file__).with_name("matrices.txt").write_text(text)
    print(count, "matrices")


main()
