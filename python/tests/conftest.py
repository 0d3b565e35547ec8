"""What the tests share: a small public table in every library, specs over it, and a folder of their own."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest
from shared import FRAMES, children_spec, columns

import congenial as cg


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test works in a folder of its own, with no ledger or cache of this machine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONGENIAL_CACHE", "")
    monkeypatch.setenv("CONGENIAL_USER", "ann")
    monkeypatch.delenv("CONGENIAL_LEDGER", raising=False)
    return tmp_path


@pytest.fixture(params=FRAMES)
def frame(request: pytest.FixtureRequest) -> object:
    """The table of children in each library."""
    return FRAMES[request.param](columns())


@pytest.fixture
def children() -> polars.DataFrame:
    """The table of children."""
    return polars.DataFrame(columns())


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
