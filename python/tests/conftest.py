"""What the tests share: a small public table in every library, specs over it, and a folder of their own."""

from __future__ import annotations

import os
from pathlib import Path

import pandas
import polars
import pyarrow
import pytest

import congenial as cg

COUNTIES = ["Alpha", "Beta", "Gamma", "Delta"]
EDUCATION = ["Low", "Medium", "High", "Very High"]
COUNTS = [15, 1, 3, 1, 20, 10, 10, 15, 3, 10, 10, 2, 12, 14, 7, 2]


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test works in a folder of its own, with no ledger or cache of this machine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONGENIAL_CACHE", "")
    monkeypatch.setenv("CONGENIAL_USER", "ann")
    monkeypatch.delenv("CONGENIAL_LEDGER", raising=False)
    return tmp_path


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


@pytest.fixture(params=FRAMES)
def frame(request: pytest.FixtureRequest) -> object:
    """The table of children in each library."""
    return FRAMES[request.param](columns())


@pytest.fixture
def children() -> polars.DataFrame:
    """The table of children."""
    return polars.DataFrame(columns())


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


@pytest.fixture
def public() -> cg.Builder:
    """A spec that declares the children to be public."""
    return children_spec()


@pytest.fixture
def ledger() -> cg.Ledger:
    """A ledger with a budget of ε = 2 for the dataset `kids`."""
    ledger = cg.Ledger("sqlite:ledger.db")
    ledger.open("kids", epsilon="2", per="unit", by="ann")
    return ledger


@pytest.fixture
def confidential(ledger: cg.Ledger) -> cg.Builder:
    """A spec that releases the children from the ledger."""
    return children_spec(public=False).budget("kids", ledger.address)


def listed(folder: Path) -> list[str]:
    """The files below a folder."""
    return sorted(os.path.relpath(path, folder) for path in folder.rglob("*") if path.is_file())
