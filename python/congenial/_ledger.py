"""`Ledger`: who spent what of the budget of confidential datasets."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from . import _congenial
from ._answers import Answer, Shown, page, told
from ._exact import Exact, exact_text, fraction
from ._frames import Table

__all__ = ["Amount", "Dataset", "Entry", "Ledger", "LedgerVerified", "Status"]


@dataclass(frozen=True)
class Amount:
    """A loss, or a budget of it."""

    text: str
    epsilon: Fraction | None
    rho: Fraction | None
    delta: Fraction | None
    unit: str | None

    @classmethod
    def of(cls, answer: Mapping[str, Any] | None) -> Amount | None:
        """The amount of an answer."""
        if answer is None:
            return None
        exact = {name: fraction(answer.get(f"{name}_exact")) for name in ("epsilon", "rho", "delta")}
        return cls(text=answer["text"], unit=answer.get("unit"), **exact)

    def __str__(self) -> str:
        return self.text if self.unit is None else f"{self.text} per {self.unit}"


@dataclass(frozen=True)
class Dataset:
    """What a dataset may spend, has spent and has left."""

    name: str
    budget: Amount | None
    spent: Amount | None
    left: Amount | None
    completed: int
    unfinished: int
    given_up: int
    answers: int
    approval: bool
    partition: str | None
    pending: tuple[Any, ...]


@dataclass(frozen=True)
class Status(Shown):
    """What all datasets of a ledger may spend, have spent and have left."""

    entries: int
    seal: str
    datasets: tuple[Dataset, ...]
    refuses: str | None
    """Why the ledger pays for nothing, if so."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Status:
        """The answer of `ledger status`."""
        datasets = tuple(_dataset(dataset) for dataset in answer["datasets"])
        return told(cls, answer, datasets=datasets, refuses=answer.get("refuses"), _answer=answer)

    def __getitem__(self, name: str) -> Dataset:
        """The dataset of this name."""
        for dataset in self.datasets:
            if dataset.name == name:
                return dataset
        raise KeyError(name)


def _dataset(answer: Mapping[str, Any]) -> Dataset:
    amounts = {name: Amount.of(answer[name]) for name in ("budget", "spent", "left")}
    return told(Dataset, answer, pending=tuple(answer["pending"]), **amounts)


@dataclass(frozen=True)
class Entry:
    """One entry of the history."""

    entry: int
    time: str
    by: str
    dataset: str
    kind: str
    what: str
    spent: Amount | None
    seal: str


@dataclass(frozen=True)
class LedgerVerified(Answer):
    """A ledger whose entries, seals, links and balances hold. One that does not raises an error."""

    entries: int
    seals_checked: bool
    head: str | None

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> LedgerVerified:
        """The answer of `ledger verify`."""
        head = answer.get("head")
        return told(cls, answer, head=None if head is None else str(head), _answer=answer)


@dataclass(frozen=True)
class Ledger:
    """A ledger at an address: `sqlite:FILE`, relative to the current folder, or `postgres://USER@HOST/DATABASE`.

    A password belongs in the environment variable PGPASSWORD. Nothing is opened until a method is called.

    >>> import tempfile, os
    >>> with tempfile.TemporaryDirectory() as scratch:
    ...     ledger = Ledger("sqlite:" + os.path.join(scratch, "ledger.db"))
    ...     _ = ledger.open("kids", epsilon="2", per="unit", by="ann")
    ...     print(ledger.status()["kids"].left)
    ε = 2 per unit of ℓ₁ distance
    """

    address: str

    def open(
        self,
        dataset: str,
        *,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        delta: Exact | None = None,
        per: str = "record",
        partition: str | None = None,
        approval: bool = False,
        approver_key: str | os.PathLike[str] | None = None,
        head: str | os.PathLike[str] | None = None,
        by: str | None = None,
        again: bool = False,
    ) -> int:
        """Open a dataset with a total budget, which is never raised; the ledger is made if there is none.

        With `again` a dataset from which nothing was paid or asked for is opened once more, with another budget.
        """
        return _congenial.ledger_open(
            self.address,
            dataset,
            per,
            _amount(epsilon, "epsilon"),
            _amount(rho, "rho"),
            _amount(delta, "delta"),
            approval,
            partition,
            by,
            None if approver_key is None else os.fspath(approver_key),
            None if head is None else os.fspath(head),
            again,
        )

    def status(self) -> Status:
        """What every dataset may spend, has spent and has left."""
        return Status.of(_congenial.ledger_status(self.address))

    def history(self, dataset: str | None = None) -> tuple[Entry, ...]:
        """Everything that happened, oldest first."""
        history = _congenial.ledger_history(self.address, dataset)
        return tuple(told(Entry, entry, spent=Amount.of(entry["spent"])) for entry in history)

    def table(self, dataset: str | None = None) -> Table:
        """The history as a table."""
        history = self.history(dataset)
        names = ("entry", "time", "by", "dataset", "kind", "what")
        columns: dict[str, list[Any]] = {name: [getattr(entry, name) for entry in history] for name in names}
        columns["spent"] = [None if entry.spent is None else str(entry.spent) for entry in history]
        return Table.of(columns)

    def approve(self, entry: int, *, by: str | None = None, sign: str | os.PathLike[str] | None = None) -> int:
        """Approve what another person asked for with `Spec.ask`."""
        return _congenial.ledger_approve(self.address, entry, by, None if sign is None else os.fspath(sign))

    def verify(self, against: Sequence[str | os.PathLike[str]] = ()) -> LedgerVerified:
        """Check every entry, seal, link and balance; `against` are folders of published releases."""
        folders = [os.fspath(folder) for folder in against]
        return LedgerVerified.of(_congenial.ledger_verify(self.address, folders))

    def _repr_html_(self) -> str | None:
        shown = self.status()._answer.get("html")
        return None if shown is None else page(shown)


def _amount(value: Exact | None, name: str) -> str | None:
    return None if value is None else exact_text(value, name)
