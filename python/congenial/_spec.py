"""`Spec`: what is released, what stays exact, at what privacy loss. It is public, immutable, and can be pickled."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _congenial
from ._answers import Audit, Checked, Comparison, Data, Plan
from ._errors import BadInput
from ._exact import Exact, exact_text
from ._frames import Frame, Table, as_frame, as_stand_in
from ._progress import Progress, watching
from ._release import Release
from ._toml import frozen, to_toml

__all__ = ["Builder", "Spec", "audit", "compare", "simulate", "spec"]

_UNNAMED = "the spec"


@dataclass(frozen=True, init=False, repr=False)
class Spec:
    """A spec, given as TOML text. What is wrong with it is said at once, with its place.

    Files that it names are looked for in `folder`, the current folder unless given.

    >>> spec = Spec('''
    ... title = "Children by county"
    ... [data]
    ... frame = "rows"
    ... public = true
    ... [dimensions]
    ... county = ["Alpha", "Beta"]
    ... [mechanism]
    ... noise = "double-geometric"
    ... epsilon = "1/2"
    ... ''')
    >>> spec
    Spec('Children by county': 2 cells of county)
    """

    text: str
    name: str
    folder: str

    def __init__(self, text: str, *, folder: str | os.PathLike[str] | None = None, name: str = _UNNAMED) -> None:
        if not isinstance(text, str):
            raise TypeError(
                f"a spec is TOML text, not of type {type(text).__name__}\n"
                "hint: Spec.load(path) reads a file, Spec.from_dict(…) takes a dictionary"
            )
        self._set(text, name, folder)
        self._read()

    def _set(self, text: str, name: str, folder: str | os.PathLike[str] | None) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "folder", os.path.abspath(os.fspath(folder or os.curdir)))

    def _read(self) -> dict[str, Any]:
        return _congenial.read_spec(self._given())

    def _given(self, frame: object = None) -> tuple[str, str, str, Frame | None]:
        return (self.text, self.name, self.folder, as_frame(frame))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Spec:
        """Read a spec from a file; files that it names are relative to it."""
        path = Path(path)
        try:
            text = path.read_bytes().decode("utf-8")
        except OSError as error:
            hint = "congenial.spec(…) builds one in Python, `congenial new` writes one to start from"
            raise BadInput(f"cannot read the spec `{path}`: {error.strerror}", hint) from None
        except UnicodeDecodeError as error:
            raise BadInput(f"the spec `{path}` is not UTF-8 (byte {error.start + 1})", "save it as UTF-8") from None
        return Spec(text, folder=path.parent, name=str(path))

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], *, folder: str | os.PathLike[str] | None = None) -> Spec:
        """Make a spec of a dictionary with the keys of the TOML file.

        >>> spec = Spec.from_dict({
        ...     "title": "Children", "data": {"frame": "rows", "public": True},
        ...     "dimensions": {"county": ["Alpha", "Beta"]},
        ...     "mechanism": {"noise": "double-geometric", "epsilon": "1/2"},
        ... })
        >>> spec.dimensions
        ('county',)
        """
        if not isinstance(document, Mapping):
            raise TypeError(f"Spec.from_dict takes a dictionary, not of type {type(document).__name__}")
        return Spec(to_toml(frozen(document)), folder=folder)

    def to_toml(self) -> str:
        """The spec as TOML, as it was given."""
        return self.text

    def canonical(self) -> str:
        """The spec in the form that its certificate has: the same for all specs that say the same."""
        return str(self._read()["canonical"])

    @property
    def title(self) -> str:
        """The title."""
        return str(self._read()["title"])

    @property
    def is_public(self) -> bool:
        """Whether the data are declared to be public or synthetic."""
        return bool(self._read()["public"])

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of the dimensions, in order."""
        return tuple(self._read()["dimensions"])

    @property
    def cells(self) -> int:
        """The number of cells of the table."""
        return int(self._read()["cells"])

    def __repr__(self) -> str:
        about = self._read()
        cells = f"{about['cells']:,} cell" + ("" if about["cells"] == 1 else "s")
        return f"Spec({about['title']!r}: {cells} of {' × '.join(about['dimensions'])})"

    def check(self, frame: Frame | None = None, *, progress: Progress = None) -> Checked:
        """Say what the exact totals fix and disclose. It is for the curator.

        Without a frame the rows are read from the file that the spec names; with one, the frame is read instead.
        """
        with watching(progress) as callback:
            return Checked.of(_congenial.check(self._given(frame), callback))

    def check_data(self, frame: Frame | None = None, *, by: str | None = None, progress: Progress = None) -> Data:
        """Tell the curator whether the data are as declared. The ledger enters the answer, and there are few."""
        with watching(progress) as callback:
            return Data.of(_congenial.check_data(self._given(frame), by, callback))

    def explain(
        self,
        frame: Frame | None = None,
        *,
        error: bool = False,
        on: Frame | str | os.PathLike[str] | None = None,
        draws: int = 500,
        progress: Progress = None,
    ) -> Plan:
        """Say how a release would be drawn, what it would cost and, with `error`, how noisy it would be.

        `on` is a public table, or the path of one, on which errors are measured where their law depends on the table.
        """
        with watching(progress) as callback:
            return Plan.of(_congenial.explain(self._given(frame), error, as_stand_in(on), draws, callback))

    def release(
        self,
        frame: Frame | None = None,
        *,
        out: str | os.PathLike[str] | None = None,
        format: str = "parquet",
        wide: bool | str | None = None,
        by: str | None = None,
        again: bool = False,
        override: str | Sequence[str] = (),
        because: str | None = None,
        sign: str | os.PathLike[str] | None = None,
        progress: Progress = None,
    ) -> Release:
        """Draw a release, write it to `out` with its certificate and report, and verify what was written.

        Confidential data are paid for from the ledger that the spec names, before anything is drawn, and once: what
        exists is handed back. They need `out`; a release of public data may stay in memory. There is no seed.
        """
        given = self._given(frame)
        if out is None:
            self._may_stay_in_memory()
        overrides = [override] if isinstance(override, str) else list(override)
        signing = None if sign is None else os.fspath(sign)

        def released(folder: str | os.PathLike[str]) -> dict[str, Any]:
            with watching(progress) as callback:
                return _congenial.release(
                    given, os.fspath(folder), format, wide, by, again, overrides, because, signing, callback
                )

        if out is not None:
            return Release.of(released(out))
        with tempfile.TemporaryDirectory(prefix="congenial-") as scratch:
            return Release.of(released(Path(scratch) / "release"), in_memory=True)

    def _may_stay_in_memory(self) -> None:
        if not self.is_public:
            raise BadInput(
                "a release of confidential data needs `out`: in memory alone it could be lost after it was paid for",
                'name a new folder, out="release"; or declare public data so, `public = true` under [data]',
            )

    def compare(
        self,
        frame: Frame | None = None,
        *,
        on: Frame | str | os.PathLike[str] | None = None,
        draws: int = 1000,
        seed: int = 1,
        epsilon: Exact | Sequence[Exact] | None = None,
        rho: Exact | Sequence[Exact] | None = None,
        progress: Progress = None,
    ) -> Comparison:
        """Compare conditioning, projections, TopDown and plain noise at equal certified loss, on a public table.

        `on` is a public frame or file that stands in for confidential data.
        """
        given, stand_in = self._given(frame), as_stand_in(on)
        strengths = _several(epsilon, "epsilon"), _several(rho, "rho")
        with watching(progress) as callback:
            answer = _congenial.compare(given, stand_in, draws, seed, *strengths, callback)
        return Comparison.of(answer)

    def audit(
        self,
        frame: Frame | None = None,
        *,
        on: Frame | str | os.PathLike[str] | None = None,
        draws: int = 500,
        runs: int = 4000,
        seed: int = 1,
        progress: Progress = None,
    ) -> Audit:
        """Hold errors against theory and privacy against what is claimed, on a public table or a stand-in `on`."""
        with watching(progress) as callback:
            return Audit.of(_congenial.audit(self._given(frame), as_stand_in(on), draws, runs, seed, callback))

    def simulate(
        self, frame: Frame | None = None, *, draws: int = 100, seed: int | None = None, progress: Progress = None
    ) -> Table:
        """Draw many tables around a public one: columns of the dimensions, `draw` (from 0) and `value`."""
        with watching(progress) as callback:
            return Table(_congenial.simulate(self._given(frame), draws, seed, callback))

    def ask(
        self,
        frame: Frame | None = None,
        *,
        by: str | None = None,
        override: str | Sequence[str] = (),
        because: str | None = None,
        progress: Progress = None,
    ) -> int:
        """Ask a second person to approve a release; gives the entry that `Ledger.approve` takes."""
        overrides = [override] if isinstance(override, str) else list(override)
        with watching(progress) as callback:
            asked = _congenial.ledger_ask(self._given(frame), by, overrides, because, callback)
        return int(asked["entry"])

    def note(self, frame: Frame | None = None, *, by: str | None = None) -> str:
        """Note the data as those of their dataset, so that the ledger recognises them from now on."""
        return _congenial.ledger_note(self._given(frame), by)


def _several(values: object, name: str) -> list[str]:
    if values is None:
        return []
    if isinstance(values, Iterable) and not isinstance(values, str):
        return [exact_text(value, name) for value in values]
    return [exact_text(values, name)]


class Builder(Spec):
    """A spec that is built step by step. Every step gives a new one, and each of them is a `Spec`.

    What is wrong with it is said when it is used: a spec that is half built is not yet one.
    """

    def __init__(self, document: Mapping[str, Any], folder: str | os.PathLike[str] | None = None) -> None:
        document = frozen(document)
        object.__setattr__(self, "_document", document)
        self._set(to_toml(document), _UNNAMED, folder)

    def __repr__(self) -> str:
        return f"Builder({self._document['title']!r})"

    def __reduce__(self) -> Any:
        """Pickle what was said so far."""
        return (Builder, (self._document, self.folder))

    _document: dict[str, Any]

    def _with(self, section: str, /, **keys: Any) -> Builder:
        """The same with these keys in a section."""
        stated = {**self._document.get(section, {}), **{key: value for key, value in keys.items() if value is not None}}
        return Builder({**self._document, section: stated}, self.folder)

    def _and(self, path: tuple[str, ...], entry: Mapping[str, Any]) -> Builder:
        """The same with one more entry in a list."""
        document = frozen(self._document)
        home = document
        for name in path[:-1]:
            home = home.setdefault(name, {})
        home.setdefault(path[-1], []).append(_stated(entry))
        return Builder(document, self.folder)

    def data(self, **keys: Any) -> Builder:
        """Keys of [data]: `count`, `public`, `where`, `outside`, `missing`, `unit`, `rows_per_unit`, … or `path`."""
        built = self._with("data", **keys)
        if "path" not in keys:
            return built
        stated = {key: value for key, value in built._document["data"].items() if key != "frame"}
        return Builder({**built._document, "data": stated}, self.folder)

    def dimension(self, name: str, values: Sequence[Any] | None = None, **keys: Any) -> Builder:
        """A dimension: a list of `values`, or `integers`, `bins`, `dates`, `levels`, `columns`, … as the spec has them.

        >>> cg_spec = spec("Ages").dimension("age", integers=[0, 2]).dimension("sex", ["f", "m"], column="SEX")
        >>> print(cg_spec.to_toml(), end="")
        title = "Ages"
        <BLANKLINE>
        [data]
        frame = "rows"
        <BLANKLINE>
        [dimensions]
        age = { integers = [0, 2] }
        sex = { values = ["f", "m"], column = "SEX" }
        """
        if isinstance(values, (str, bytes)):
            raise TypeError(f"the values of the dimension `{name}` are a list, and {values!r} is text")
        stated = _stated(keys)
        declared: Any = stated
        if values is not None:
            labels = [value if isinstance(value, str) else _label(value, name) for value in values]
            declared = {"values": labels, **stated} if stated else labels
        elif not stated:
            raise TypeError(f"the dimension `{name}` has no values: the domain is declared, never learnt from the data")
        if name in self._document.get("dimensions", {}):
            raise ValueError(f"the dimension `{name}` is declared already")
        return self._with("dimensions", **{name: declared})

    def keep(self, *by: str, **keys: Any) -> Builder:
        """Totals that stay exact, and public: one for every combination of these dimensions, or the grand total.

        `where`, `terms`, `matrix`, `values` and `release` (`from` in the file) are as the spec has them.
        """
        for name in by:
            if not isinstance(name, str):
                raise TypeError(f'keep takes names of dimensions, keep("county", "sex"), not {type(name).__name__}')
        entry = _stated(keys)
        if "release" in entry:
            entry["from"] = entry.pop("release")
        grouped = {} if not by and ("terms" in entry or "matrix" in entry) else {"by": list(by)}
        return self._and(("invariant",), {**grouped, **entry})

    def nonnegative(self, nonnegative: bool = True) -> Builder:
        """Whether every released count is at least zero, which is the default of a spec."""
        return self._with("constraints", nonnegative=bool(nonnegative))

    def zero(self, *predicates: str) -> Builder:
        """Structural zeros: cells that are not part of the table."""
        earlier = self._document.get("constraints", {}).get("zero", [])
        return self._with("constraints", zero=[*earlier, *predicates])

    def rule(self, left: str, op: str, right: str | int, *, by: Sequence[str] | None = None) -> Builder:
        """A rule that every release satisfies: sums compared by `<=`, `>=` or `=`, for each combination of `by`."""
        return self._and(("constraints", "rule"), {"by": by, "left": left, "op": op, "right": right})

    def noise(
        self,
        noise: str,
        *,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        per: str | None = None,
        max_delta: Exact | None = None,
        **keys: Any,
    ) -> Builder:
        """The noise and its strength: ε or ρ as text, `Fraction`, `Decimal` or `int`.

        >>> spec("Children").noise("double-geometric", epsilon=0.1)
        Traceback (most recent call last):
        TypeError: epsilon is a float, and 0.1 is not one tenth: it is 3602879701896397/36028797018963968
        hint: write it as text, epsilon="0.1", or as a Fraction, Decimal or int
        """
        strength = {"epsilon": epsilon, "rho": rho, "max_delta": max_delta}
        exact = {name: exact_text(value, name) for name, value in strength.items() if value is not None}
        return self._with("mechanism", noise=noise, **exact, per=per, **keys)

    def suppress(self) -> Builder:
        """Publish the exact totals, and nothing else."""
        return self._with("mechanism", method="suppress")

    def query(
        self,
        by: Sequence[str] | None = None,
        *,
        where: str | None = None,
        epsilon: Exact | None = None,
        share: Exact | None = None,
    ) -> Builder:
        """Noise on these sums instead of on cells."""
        return self._and(("mechanism", "query"), {"by": by, "where": where, "epsilon": epsilon, "share": share})

    def output(self, name: str, by: Sequence[str] = (), **keys: Any) -> Builder:
        """A table that is derived from the release: a sum `where`, or a `rate`."""
        return self._and(("output",), {"name": name, "by": list(by), **keys})

    def limits(self, *, memory: str | None = None, time: str | None = None) -> Builder:
        """How much memory and time a block may be predicted to need."""
        return self._with("limits", memory=memory, time=time)

    def sensitive(self, *predicates: str, within: int | None = None) -> Builder:
        """Cells that no exact totals may confine to an interval of width `within`, 0 unless given."""
        earlier = self._document.get("disclosure", {}).get("sensitive", [])
        return self._with("disclosure", sensitive=[*earlier, *predicates], within=within)

    def budget(
        self,
        dataset: str,
        ledger: str,
        *,
        head: str | os.PathLike[str] | None = None,
        chosen: str | None = None,
    ) -> Builder:
        """The dataset and the ledger that pay for a confidential release."""
        return self._with("budget", dataset=dataset, ledger=ledger, head=head, chosen=chosen)

    def public(self, public: bool = True) -> Builder:
        """Declare that the data are already public or synthetic."""
        return self._with("data", public=bool(public))


def _stated(keys: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in keys.items() if value is not None}


def _label(value: object, name: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(
            f"a value of the dimension `{name}` is of type {type(value).__name__}\n"
            "hint: labels are text; numbers are declared by integers=[first, last] or bins=[…]"
        )
    return str(value)


def spec(title: str, *, folder: str | os.PathLike[str] | None = None) -> Builder:
    """Begin a spec whose rows are handed over in memory.

    >>> import congenial as cg
    >>> children = (
    ...     cg.spec("Children by county")
    ...     .dimension("county", ["Alpha", "Beta"]).dimension("education", ["Low", "High"])
    ...     .keep("county").nonnegative(False).public()
    ...     .noise("double-geometric", epsilon="1/4", per="unit")
    ... )
    >>> print(children.to_toml(), end="")
    title = "Children by county"
    <BLANKLINE>
    [data]
    frame = "rows"
    public = true
    <BLANKLINE>
    [dimensions]
    county = ["Alpha", "Beta"]
    education = ["Low", "High"]
    <BLANKLINE>
    [[invariant]]
    by = ["county"]
    <BLANKLINE>
    [constraints]
    nonnegative = false
    <BLANKLINE>
    [mechanism]
    noise = "double-geometric"
    epsilon = "1/4"
    per = "unit"
    """
    if not isinstance(title, str):
        raise TypeError(f"the title is text, not of type {type(title).__name__}")
    return Builder({"title": title, "data": {"frame": "rows"}}, folder)


def compare(spec: Spec, frame: Frame | None = None, **options: Any) -> Comparison:
    """Compare methods at equal certified loss: `Spec.compare`."""
    return spec.compare(frame, **options)


def audit(spec: Spec, frame: Frame | None = None, **options: Any) -> Audit:
    """Audit a mechanism: `Spec.audit`."""
    return spec.audit(frame, **options)


def simulate(spec: Spec, frame: Frame | None = None, **options: Any) -> Table:
    """Draw many tables around a public one: `Spec.simulate`."""
    return spec.simulate(frame, **options)
