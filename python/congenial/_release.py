"""Releases: what was drawn, its certificate, and the checks that it passed."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _congenial
from ._answers import Answer, Check, Shown, page, told
from ._frames import Table

__all__ = ["HandedBack", "Payment", "Release", "Report", "Total", "Verified", "demo", "verify"]


@dataclass(frozen=True)
class Total:
    """A total that is exactly true in the release."""

    label: str
    """The invariant that it belongs to."""
    name: str
    value: int
    pinned: bool
    """Whether its value was given, and not counted."""


@dataclass(frozen=True)
class Payment:
    """What a release of confidential data cost, and what of the budget is spent with it."""

    dataset: str
    entry: int
    charged: str
    spent: str
    budget: str
    seal: str


@dataclass(frozen=True)
class HandedBack:
    """The release existed, so nothing was drawn or paid: where it was made."""

    entry: int
    time: str | None = None
    folder: str | None = None
    presented: bool = False
    """Whether it was written anew, with another title, format or derived tables."""


@dataclass(frozen=True)
class Report:
    """The report of a release for its readers: a page that loads nothing and runs nothing."""

    html: str = field(repr=False)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a new file."""
        path = Path(path)
        with path.open("x", encoding="utf-8") as file:
            file.write(self.html)
        return path

    def _repr_html_(self) -> str:
        return page(self.html)


@dataclass(frozen=True, repr=False)
class Verified(Answer):
    """A release that holds. One that does not raises `BadInput`."""

    title: str
    folder: str
    holds: bool
    signed_by: str | None
    checks: tuple[Check, ...]
    """What was checked, with no access to the data."""
    stated: tuple[Check, ...]
    """What nobody can check from the release alone: it is believed or not."""
    guarantee: Mapping[str, Any] = field(compare=False, repr=False)

    def __repr__(self) -> str:
        signed = "signed by nobody" if self.signed_by is None else f"signed by {self.signed_by}"
        return f"Verified({self.title!r}: {len(self.checks)} checks hold, {signed})"

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Verified:
        """The answer of `verify`."""
        return told(
            cls,
            answer,
            signed_by=answer.get("signed_by"),
            checks=Check.each(answer["verified"]),
            stated=Check.each(answer["stated"]),
            _answer=answer,
        )


def verify(
    folder: str | os.PathLike[str], *, key: str | os.PathLike[str] | None = None, ledger: str | None = None
) -> Verified:
    """Check a release with no access to the data: hashes, exact totals, and the arithmetic of the certificate.

    `key` demands that it is signed with the secret key of this public one; `ledger` looks up the entry that paid.

    >>> import congenial as cg, tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as scratch:
    ...     _ = cg.demo(pathlib.Path(scratch) / "demo")
    ...     verified = cg.verify(pathlib.Path(scratch) / "demo")
    >>> verified.holds, verified.checks[0].what
    (True, 'table')
    """
    return Verified.of(_congenial.verify(os.fspath(folder), None if key is None else os.fspath(key), ledger))


@dataclass(frozen=True, repr=False)
class Release(Shown):
    """A release: the folder that was written, or, of public data without `out`, the same files in memory."""

    title: str
    cells: int
    folder: Path | None
    """The folder that was written."""
    files: tuple[str, ...]
    """The names of its files."""
    checks: tuple[Check, ...]
    """What was verified by reading it back."""
    totals: tuple[Total, ...]
    """What is exactly true, and public."""
    paid: Payment | None
    """What the ledger charged; nothing for public data."""
    handed_back: HandedBack | None
    """The earlier release that this is, if nothing was drawn."""
    left_out: tuple[tuple[int, str], ...]
    """Rows that the spec lets leave out, and why; of public data alone."""
    guarantee: Mapping[str, Any] = field(compare=False, repr=False)
    _contents: Mapping[str, bytes] = field(compare=False, repr=False, default_factory=dict, kw_only=True)

    @classmethod
    def of(cls, answer: Mapping[str, Any], in_memory: bool = False) -> Release:
        """The answer of `release`; `in_memory` reads its files, and forgets the folder."""
        folder = Path(answer["folder"]).absolute()
        contents = {path.name: path.read_bytes() for path in sorted(folder.iterdir())} if in_memory else {}
        return told(
            cls,
            answer,
            folder=None if in_memory else folder,
            files=tuple(sorted(path.name for path in folder.iterdir() if path.is_file())),
            checks=Check.each(answer["verified"]),
            totals=_totals(answer["invariants"]),
            paid=_payment(answer["ledger"]),
            handed_back=_handed_back(answer["handed_back"]),
            left_out=tuple((rows, why) for rows, why in answer.get("left_out") or ()),
            _contents=contents,
            _answer=_without_folder(answer) if in_memory else answer,
        )

    def __repr__(self) -> str:
        where = "in memory" if self.folder is None else f"in {str(self.folder)!r}"
        return f"Release({self.title!r}: {self.cells:,} cells {where})"

    @property
    def certificate(self) -> dict[str, Any]:
        """The certificate: the guarantee, and all that is needed to check it."""
        certificate: dict[str, Any] = json.loads(self._read("certificate.json"))
        return certificate

    @property
    def report(self) -> Report:
        """The report for readers."""
        return Report(self._read("report.html").decode("utf-8"))

    def table(self) -> Table:
        """The released table, one row for every cell."""
        with self._in_a_folder() as folder:
            return Table(_congenial.table(os.fspath(folder)))

    def verify(self, *, key: str | os.PathLike[str] | None = None, ledger: str | None = None) -> Verified:
        """Check the release again, with no access to the data."""
        with self._in_a_folder() as folder:
            return verify(folder, key=key, ledger=ledger)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write a release in memory to a folder, which must be new."""
        folder = Path(folder)
        if self.folder is not None:
            raise ValueError(f"this release is in `{self.folder}` already: copy that folder")
        folder.mkdir(parents=True)
        for name, content in self._contents.items():
            (folder / name).write_bytes(content)
        return folder

    def _read(self, name: str) -> bytes:
        return self._contents[name] if self.folder is None else (self.folder / name).read_bytes()

    @contextlib.contextmanager
    def _in_a_folder(self) -> Iterator[Path]:
        if self.folder is not None:
            yield self.folder
            return
        with tempfile.TemporaryDirectory(prefix="congenial-") as scratch:
            folder = Path(scratch) / "release"
            self.save(folder)
            yield folder


def _totals(invariants: list[Mapping[str, Any]]) -> tuple[Total, ...]:
    return tuple(
        Total(invariant["label"], total["name"], total["value"], invariant["pinned"])
        for invariant in invariants
        for total in invariant["totals"]
    )


def _payment(ledger: Mapping[str, Any] | None) -> Payment | None:
    return None if ledger is None else told(Payment, ledger)


def _handed_back(answer: Mapping[str, Any] | None) -> HandedBack | None:
    if not answer:
        return None
    return HandedBack(**{name: answer[name] for name in HandedBack.__dataclass_fields__ if name in answer})


def _without_folder(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of a release that is kept in memory: the folder that it was made in is gone."""
    folder = Path(answer["folder"])
    inside = f"{folder}{os.sep}"
    shown = {key: value for key, value in answer.items() if key not in ("text", "html")}
    for key in ("table", "certificate", "report"):
        shown[key] = str(shown[key]).removeprefix(inside)
    shown["files"] = [str(file).removeprefix(inside) for file in shown["files"]]
    shown["folder"] = None
    if "html" in answer:
        shown["html"] = str(answer["html"]).replace(inside, "").replace(str(folder), "memory")
    return shown


def demo(out: str | os.PathLike[str], *, progress: Any = None) -> Release:
    """Release, verify and report a public table that is built in: nothing to configure.

    >>> import congenial as cg, tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as scratch:
    ...     release = cg.demo(pathlib.Path(scratch) / "demo")
    ...     len(release.table())
    536
    """
    from ._progress import watching

    with watching(progress) as callback:
        return Release.of(_congenial.demo(os.fspath(out), callback))
