"""What a spec says of itself: checks, plans, comparisons, audits. All of it is immutable."""

from __future__ import annotations

import copy
import html as _html
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from . import _congenial
from ._exact import fraction
from ._frames import Table

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = [
    "Audit",
    "Block",
    "Check",
    "Checked",
    "Comparison",
    "Data",
    "ErrorOfCells",
    "ErrorOfMargin",
    "ExpectedError",
    "Interval",
    "Kept",
    "Loss",
    "Method",
    "Nearest",
    "Noise",
    "Plan",
]


_Told = TypeVar("_Told", bound="DataclassInstance")


def told(kind: type[_Told], answer: Mapping[str, Any], **others: Any) -> _Told:
    """A dataclass of an answer: its fields by their names there, but for those that are given.

    >>> told(Kept, {"label": "by county", "totals": 4, "rank": 4})
    Kept(label='by county', totals=4)
    """
    return kind(**{name: others[name] if name in others else answer[name] for name in kind.__dataclass_fields__})


def page(html: str) -> str:
    """What a notebook shows: a fragment as it is, a whole page in a frame of its own that runs nothing."""
    if not html.lstrip()[:9].lower().startswith(("<!doctype", "<html")):
        return html
    source = _html.escape(html, quote=True)
    return f'<iframe sandbox="" srcdoc="{source}" style="width:100%;height:32em;border:0"></iframe>'


@dataclass(frozen=True)
class Answer:
    """An answer of the program, as it was given."""

    _answer: Mapping[str, Any] = field(repr=False, compare=False, kw_only=True)

    def as_dict(self) -> dict[str, Any]:
        """All of the answer as plain values: what `--json` of the program prints."""
        return {key: copy.deepcopy(value) for key, value in self._answer.items() if key not in ("text", "html")}

    def __str__(self) -> str:
        return str(self._answer.get("text") or repr(self))


@dataclass(frozen=True)
class Shown(Answer):
    """An answer that a notebook shows as a page."""

    def _repr_html_(self) -> str | None:
        shown = self._answer.get("html")
        return None if shown is None else page(shown)


@dataclass(frozen=True)
class Check:
    """One thing that was verified, or stated, and what was found."""

    what: str
    found: str

    @classmethod
    def each(cls, answers: list[Mapping[str, str]]) -> tuple[Check, ...]:
        """The checks of an answer."""
        return tuple(told(cls, answer) for answer in answers)


@dataclass(frozen=True)
class Kept:
    """Totals that are exactly true in the release."""

    label: str
    totals: int


@dataclass(frozen=True)
class Interval:
    """What the exact totals alone leave for a cell."""

    name: str
    low: int | None
    high: int | None
    proved: bool


@dataclass(frozen=True)
class Nearest:
    """The nearest two tables that agree on what is exact."""

    distance: int | None
    at_least: int | None
    known: bool
    step: str | None = None
    epsilon: Fraction | None = None
    rho: Fraction | None = None

    @classmethod
    def of(cls, answer: Mapping[str, Any] | None) -> Nearest | None:
        """The nearest pair of an answer."""
        if answer is None:
            return None
        return cls(
            distance=answer.get("distance"),
            at_least=answer.get("at_least"),
            known=bool(answer.get("known")),
            step=answer.get("step"),
            epsilon=fraction(answer.get("epsilon_exact")),
            rho=fraction(answer.get("rho_exact")),
        )


@dataclass(frozen=True)
class Meaning:
    """What a release tells about which of two tables it is: two that differ by one unit, or the nearest."""

    between: str
    """Which two tables."""
    posterior: float
    """The probability that somebody who thought the two equally likely can be led to give one of them, at most."""
    detection: float
    """The probability with which a test with 5 % false alarms notices the other, at most."""
    sentence: str


@dataclass(frozen=True, repr=False)
class Checked(Answer):
    """What the exact totals fix and disclose. It is for the curator: it follows from the totals of the data."""

    title: str
    cells: int
    rank: int
    free_dimension: int
    feasible: bool
    kept: tuple[Kept, ...]
    redundant: tuple[Any, ...]
    disclosed: tuple[Any, ...]
    disclosed_cells: int
    intervals: tuple[Interval, ...]
    nearest: Nearest | None

    def __repr__(self) -> str:
        free = f"{self.free_dimension:,} left to the noise"
        return f"Checked({self.title!r}: {self.cells:,} cells, {free}, {self.disclosed_cells:,} disclosed)"

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Checked:
        """The answer of `check`."""
        return told(
            cls,
            answer,
            kept=tuple(told(Kept, kept) for kept in answer["kept"]),
            redundant=tuple(answer["redundant"]),
            disclosed=tuple(answer["disclosed"]),
            intervals=tuple(told(Interval, cell) for cell in answer["intervals"]),
            nearest=Nearest.of(answer["nearest"]),
            _answer=answer,
        )


@dataclass(frozen=True)
class Data(Answer):
    """Whether the data are as the spec declares them. It is for the curator's screen alone."""

    left_out: tuple[tuple[int, str], ...]
    """How many rows were left out, and why."""
    left: int | None
    """How many such answers the dataset has left."""
    columns: tuple[Any, ...]
    """What stands in the columns that is recoded, unknown or left out."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Data:
        """The answer of `check --data`."""
        left_out = tuple((rows, why) for rows, why in answer["left_out"])
        return told(cls, answer, left_out=left_out, columns=tuple(answer["columns"]), _answer=answer)


@dataclass(frozen=True)
class Loss:
    """What a release costs, proved."""

    definition: str
    epsilon: Fraction | None
    rho: Fraction | None
    delta: float
    gamma: float | None
    unit: str
    theorem: str
    because: str | None
    nearest: Nearest | None
    meaning: Meaning | None

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Loss:
        """The loss of a plan."""
        meaning = answer.get("meaning")
        return told(
            cls,
            answer,
            epsilon=fraction(answer.get("epsilon_exact")),
            rho=fraction(answer.get("rho_exact")),
            gamma=answer.get("gamma"),
            because=answer.get("because"),
            nearest=Nearest.of(answer.get("nearest")),
            meaning=meaning and told(Meaning, meaning),
        )


@dataclass(frozen=True)
class Block:
    """Cells that are drawn together, and by what."""

    name: str
    operator: str
    exactness: str
    cells: int
    classes: int | None
    seconds: float
    bytes: float


@dataclass(frozen=True)
class Noise:
    """How large the noise of a sum is: its standard deviation, and quantiles of its absolute value."""

    exact: bool
    """Whether there is none."""
    standard_deviation: float | None
    quantiles: tuple[float, ...]


@dataclass(frozen=True)
class ErrorOfCells:
    """The noise of cells of one kind."""

    kind: str
    cells: int
    noise: Noise | None


@dataclass(frozen=True)
class ErrorOfMargin:
    """The noise of totals of a margin that have the same law."""

    by: str
    values: tuple[str, ...]
    noise: Noise | None


@dataclass(frozen=True)
class ExpectedError:
    """How large the error will be. Where noise has one law for all tables, |noise| stays at or below a quantile with
    the probability of its level. Where it depends on the table it is told for public ones, or measured on a stand-in.
    """

    given: str | None
    """For which table it holds: `"any table"`, `"the public table"`, or nothing is told."""
    reason: str | None
    """Why nothing is told."""
    levels: tuple[float, ...]
    cells: tuple[ErrorOfCells, ...]
    margins: tuple[ErrorOfMargin, ...]
    expected_l1: float | None
    """The expected sum of |error| over all cells, where it was computed for a public table."""
    expected_l2_squared: float | None
    figures: Mapping[str, Any] = field(compare=False, repr=False)
    """All that is told, as `--json` of the program prints it."""
    stand_in: Mapping[str, Any] | None = field(compare=False, repr=False)
    """Errors and biases that were measured on a stand-in, if they were."""

    @classmethod
    def of(cls, answer: Mapping[str, Any] | None, stand_in: Mapping[str, Any] | None = None) -> ExpectedError | None:
        """The error of a plan, as far as it was asked for."""
        if answer is None and stand_in is None:
            return None
        told = answer or {}
        # The law of the noise alone is a list of kinds of cells; other answers are about one table.
        by_law = isinstance(told.get("cells"), list)
        return cls(
            given="any table" if by_law else told.get("given"),
            reason=told.get("reason"),
            levels=tuple(told["levels"]) if by_law else (),
            cells=tuple(ErrorOfCells(cell["kind"], cell["cells"], _noise(cell)) for cell in told["cells"])
            if by_law
            else (),
            margins=tuple(
                ErrorOfMargin(margin["by"], tuple(group["values"]), _noise(group))
                for margin in told["margins"]
                for group in margin["groups"]
            )
            if by_law
            else (),
            expected_l1=told.get("expected_l1"),
            expected_l2_squared=told.get("expected_l2_squared"),
            figures=told,
            stand_in=stand_in,
        )


def _noise(answer: Mapping[str, Any]) -> Noise | None:
    noise = answer.get("noise")
    if noise is None or "quantiles" not in noise:
        return None
    return Noise(noise["exact"], noise.get("standard_deviation"), tuple(noise["quantiles"]))


@dataclass(frozen=True, repr=False)
class Plan(Answer):
    """How a release would be drawn, what it would cost, how noisy it would be. It never looked at the interior of a
    confidential table, so it may be published.
    """

    cells: int
    rank: int
    free_dimension: int
    kept: tuple[Kept, ...]
    blocks: tuple[Block, ...]
    loss: Loss | None
    error: ExpectedError | None
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        operators = ", ".join(dict.fromkeys(block.operator for block in self.blocks)) or "nothing is drawn"
        cost = "no loss" if self.loss is None else f"{self.loss.definition}, theorem {self.loss.theorem}"
        return f"Plan({self.cells:,} cells in {len(self.blocks):,} blocks: {operators}; {cost})"

    def _repr_html_(self) -> str:
        return _congenial.plan_card(self._answer)

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Plan:
        """The answer of `explain`."""
        loss = answer.get("loss")
        return told(
            cls,
            answer,
            kept=tuple(told(Kept, kept) for kept in answer["kept"]),
            blocks=tuple(told(Block, block, classes=block.get("classes")) for block in answer["blocks"]),
            loss=None if loss is None else Loss.of(loss),
            error=ExpectedError.of(answer.get("error"), answer.get("stand_in_error")),
            notes=tuple(answer.get("notes", ())),
            _answer=answer,
        )


@dataclass(frozen=True)
class Method:
    """One method in a comparison: means over draws, with the Monte Carlo standard errors after them."""

    method: str
    applies: bool
    reason: str | None
    """Why it does not apply."""
    noise: str | None
    l1: float | None
    l1_error: float | None
    l2: float | None
    l2_error: float | None
    mean_variance: float | None
    largest_bias: float | None
    below_zero: float | None
    broken: float | None

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Method:
        """One method of an answer."""

        def mean(key: str, part: str = "mean") -> float | None:
            value = answer.get(key)
            return value.get(part) if isinstance(value, Mapping) else value

        return told(
            cls,
            answer,
            reason=answer.get("reason"),
            noise=answer.get("noise"),
            l1=mean("l1"),
            l1_error=mean("l1", "error"),
            l2=mean("l2"),
            l2_error=mean("l2", "error"),
            mean_variance=answer.get("mean_variance"),
            largest_bias=mean("largest_bias", "bias"),
            below_zero=mean("below_zero"),
            broken=mean("broken"),
        )


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """All methods side by side at equal certified loss, on a public table."""

    losses: tuple[str, ...]
    """The losses at which they were compared; one, unless others were asked for."""
    methods: tuple[tuple[Method, ...], ...]
    """The methods, for every loss."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Comparison:
        """The answer of `compare`."""
        several = [entry["comparison"] for entry in answer["comparisons"]] if "comparisons" in answer else [answer]
        return cls(
            losses=tuple(one["loss"] for one in several),
            methods=tuple(tuple(Method.of(method) for method in one["methods"]) for one in several),
            _answer=answer,
        )

    def __repr__(self) -> str:
        return f"Comparison({len(self.methods[0])} methods at {', '.join(self.losses)})"

    def table(self) -> Table:
        """One row for every loss and method."""
        columns: dict[str, list[Any]] = {"loss": []}
        for loss, methods in zip(self.losses, self.methods, strict=True):
            for method in methods:
                columns["loss"].append(loss)
                for name in Method.__dataclass_fields__:
                    columns.setdefault(name, []).append(getattr(method, name))
        return Table.of(columns)


@dataclass(frozen=True)
class Audit(Answer):
    """A mechanism held against theory, and its privacy against what is claimed."""

    method: str
    operators: tuple[str, ...]
    draws: int
    unbiased_in_theory: bool | None
    contradicted: bool
    """Whether runs on two neighbouring tables contradict the claimed loss. They can never prove it."""
    privacy: Mapping[str, Any] = field(compare=False)

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Audit:
        """The answer of `audit`."""
        privacy = answer.get("privacy") or {}
        return told(
            cls,
            answer,
            operators=tuple(answer["operators"]),
            unbiased_in_theory=answer.get("unbiased_in_theory"),
            contradicted=bool(privacy.get("contradicted", False)),
            privacy=privacy,
            _answer=answer,
        )
