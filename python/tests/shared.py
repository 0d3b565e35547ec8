"""A small public table in every library, and specs over it."""

from __future__ import annotations

import os
from pathlib import Path

import pandas
import polars
import pyarrow

import congenial as cg

COUNTIES = ["Alpha", "Beta", "Gamma", "Delta"]
EDUCATION = ["Low", "Medium", "High", "Very High"]
COUNTS = [15, 1, 3, 1, 20, 10, 10, 15, 3, 10, 10, 2, 12, 14, 7, 2]


def columns() -> dict[str, list]:
    return {
        "county": [county for county in COUNTIES for _ in EDUCATION],
        "education": EDUCATION * len(COUNTIES),
        "children": list(COUNTS),
    }


FRAMES = {
    "pandas": lambda columns: pandas.DataFrame(columns),
    "polars": lambda columns: polars.DataFrame(columns),
    "pyarrow": lambda columns: pyarrow.table(columns),
}


def children_spec(*, public: bool = True, epsilon: str = "1/4") -> cg.Builder:
    return (
        cg.spec("Children by county")
        .data(count="children", public=public)
        .dimension("county", COUNTIES)
        .dimension("education", EDUCATION)
        .keep("county")
        .nonnegative(False)
        .noise("double-geometric", epsilon=epsilon, per="unit")
    )


def listed(folder: Path) -> list[str]:
    """The files below a folder."""
    return sorted(os.path.relpath(path, folder) for path in folder.rglob("*") if path.is_file())
