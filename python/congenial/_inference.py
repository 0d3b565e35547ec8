"""What a release tells about the true table: intervals, posteriors, rates, likelihoods, at no cost of privacy."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _congenial
from ._answers import Shown, told
from ._frames import Frame, Table, as_frame
from ._progress import Progress, watching

__all__ = ["Figures", "Law", "Opened", "Posterior", "open_release"]


# The columns that are looked at first.
_COLUMNS = (
    "query",
    "term",
    "file",
    "test",
    "statistic",
    "p_value",
    "released",
    "numerator",
    "denominator",
    "mean",
    "median",
    "lower",
    "upper",
)


@dataclass(frozen=True)
class Figures(Shown):
    """Figures that were inferred, what they stand on, and whether they are exact. They speak Arrow."""

    kind: str
    level: float
    exact: bool
    basis: tuple[str, ...]
    """What they stand on, in words."""
    rows: tuple[Mapping[str, Any], ...]
    """The figures; `query` says of what."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Figures:
        """The answer of `infer`."""
        return told(cls, answer, basis=tuple(answer["basis"]), rows=tuple(answer["figures"]), _answer=answer)

    def __len__(self) -> int:
        """The number of figures."""
        return len(self.rows)

    def __getitem__(self, place: int) -> Mapping[str, Any]:
        """One of the figures."""
        return self.rows[place]

    def table(self) -> Table:
        """The figures as a table."""
        names: dict[str, None] = {}
        for row in self.rows:
            names.update(dict.fromkeys(row))
        known = [name for name in _COLUMNS if name in names]
        ordered = [*known, *(name for name in names if name not in known)]
        return Table.of({name: [row.get(name) for row in self.rows] for name in ordered})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hand over the figures, as the Arrow PyCapsule interface says."""
        return self.table().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """The figures as a `pandas.DataFrame`."""
        return self.table().to_pandas()

    def to_polars(self) -> Any:
        """The figures as a `polars.DataFrame`."""
        return self.table().to_polars()

    def to_arrow(self) -> Any:
        """The figures as a `pyarrow.Table`."""
        return self.table().to_arrow()


@dataclass(frozen=True)
class Law:
    """What may be believed of one sum of the true table."""

    query: str
    mean: float
    deviation: float
    median: float
    lower: float
    upper: float
    level: float
    exact: bool
    draws: int | None
    """The draws that it stands on, where its law is not listed."""


@dataclass(frozen=True)
class Opened:
    """One or several releases of the same table, opened for inference. They are verified first, every time.

    Intervals cover whatever the true table is, and need a release without bounds; `posterior` has the rest.
    """

    folders: tuple[str, ...]

    def _infer(self, progress: Progress, **options: Any) -> dict[str, Any]:
        asked = {name: value for name, value in options.items() if value is not None}
        with watching(progress) as callback:
            return _congenial.infer(list(self.folders), asked, callback)

    def interval(
        self,
        *,
        where: str | None = None,
        by: str | Sequence[str] | None = None,
        output: str | None = None,
        query: str | os.PathLike[str] | None = None,
        level: float = 0.9,
        draws: int | None = None,
        seed: int = 1,
        progress: Progress = None,
    ) -> Figures:
        """Intervals for sums: of all cells, of those `where` a predicate holds, for every combination of `by`.

        `output` names a derived table of the spec, `query` a CSV file of integer coefficients.
        """
        answer = self._infer(
            progress, where=where, by=_names(by), output=output, query=_path(query), level=level, draws=draws, seed=seed
        )
        return Figures.of(answer)

    def rate(
        self,
        numerator: str,
        denominator: str | None = None,
        *,
        by: str | Sequence[str] | None = None,
        exposures: str | os.PathLike[str] | None = None,
        against: float | None = None,
        level: float = 0.9,
        draws: int | None = None,
        seed: int = 1,
        progress: Progress = None,
    ) -> Figures:
        """Intervals for rates: two predicates. Where the denominator is not told from zero, an interval has no end.

        With `exposures` or `against` the rates of a Poisson–gamma model: `above` is the probability of being above
        `against`.
        """
        pair = (numerator, denominator or "")
        if exposures is not None or against is not None:
            return self.model(
                rate=pair,
                by=by,
                exposures=exposures,
                against=against,
                level=level,
                draws=draws,
                seed=seed,
                progress=progress,
            )
        return Figures.of(self._infer(progress, rate=pair, by=_names(by), level=level, draws=draws, seed=seed))

    def test(
        self,
        test: str,
        *,
        rows: str | Sequence[str] | None = None,
        columns: str | Sequence[str] | None = None,
        strata: str | Sequence[str] | None = None,
        margins: Sequence[str | Sequence[str]] | None = None,
        scores: Sequence[int] | None = None,
        row_scores: Sequence[int] | None = None,
        distribution: str | os.PathLike[str] | None = None,
        statistic: str | None = None,
        query: str | os.PathLike[str] | None = None,
        approximate: str | None = None,
        significance: float = 0.05,
        draws: int | None = None,
        seed: int = 1,
        progress: Progress = None,
    ) -> Figures:
        """A p-value that knows the noise: `independence`, `homogeneity`, `trend`, `fit`, `equality` or `log-linear`.

        It is exact where the sums that the hypothesis leaves open are exact totals of the release; elsewhere
        `approximate` (`bootstrap` or `predictive`) has tests that are not. The answer is one figure, with `p_value`,
        `value` of the statistic and `rejected`.
        """
        asked = {
            "test": test,
            "rows": _names(rows),
            "columns": _names(columns),
            "strata": _names(strata),
            "margins": None if margins is None else [_names(margin) for margin in margins],
            "scores": _scores(scores),
            "row_scores": _scores(row_scores),
            "distribution": _path(distribution),
            "statistic": statistic,
            "approximate": approximate,
            "significance": significance,
        }
        return Figures.of(self._infer(progress, test=asked, query=_path(query), draws=draws, seed=seed))

    def compare(
        self,
        first: str,
        second: str,
        *,
        by: str | Sequence[str] | None = None,
        level: float = 0.9,
        draws: int | None = None,
        seed: int = 1,
        progress: Progress = None,
    ) -> Figures:
        """Two sums, by their predicates: difference, ratio, and the probability that the first is greater."""
        pair = (first, second)
        return Figures.of(self._infer(progress, compare=pair, by=_names(by), level=level, draws=draws, seed=seed))

    def model(
        self,
        name: str = "poisson-gamma",
        *,
        rate: str | tuple[str, str] | None = None,
        by: str | Sequence[str] | None = None,
        where: str | None = None,
        exposures: str | os.PathLike[str] | None = None,
        against: float | None = None,
        terms: str | None = None,
        prior_shape: float | None = None,
        prior_rate: float | None = None,
        prior_deviation: float | None = None,
        sampler: str = "gibbs",
        cancel: str = "automatic",
        rules: Sequence[str] = (),
        totals: Sequence[str | os.PathLike[str]] = (),
        level: float = 0.9,
        draws: int | None = None,
        seed: int = 1,
        progress: Progress = None,
    ) -> Figures:
        """Rates, shares or terms of a model, learnt from the releases.

        `name` is `"poisson-gamma"`, `"hierarchical"`, `"multinomial-dirichlet"` or `"loglinear"`. A `rate` is a
        predicate (with `exposures`), two of them, or `"deaths/cases"`; `above` is the probability of being above
        `against`. Chains that do not agree raise `Refused`.
        """
        pair = (rate, "") if isinstance(rate, str) else rate
        answer = self._infer(
            progress,
            model=name,
            rate=pair,
            by=_names(by),
            where=where,
            exposures=_path(exposures),
            against=against,
            terms=terms,
            prior_shape=prior_shape,
            prior_rate=prior_rate,
            prior_deviation=prior_deviation,
            sampler=sampler,
            cancel=cancel,
            rule=list(rules),
            total=[os.fspath(total) for total in totals],
            level=level,
            draws=draws,
            seed=seed,
        )
        return Figures.of(answer)

    def posterior(
        self,
        prior: str = "flat",
        *,
        nonnegative: bool = False,
        rules: Sequence[str] = (),
        totals: Sequence[str | os.PathLike[str]] = (),
        cancel: str = "automatic",
        level: float = 0.9,
        draws: int | None = None,
        seed: int = 1,
    ) -> Posterior:
        """What may be believed of the true table, under a prior and what a reader knows of it.

        `prior` is `"flat"`, `"poisson:FILE"`, `"gamma-poisson:SHAPE"` or `"dirichlet-multinomial:FILE"`; `rules` and
        `totals` are known of the true table, as `congenial infer --rule` and `--total` take them.
        """
        return Posterior(
            self,
            prior,
            nonnegative,
            tuple(rules),
            tuple(os.fspath(total) for total in totals),
            cancel,
            level,
            draws,
            seed,
        )

    def log_likelihood(
        self, *tables: Frame | str | os.PathLike[str], progress: Progress = None
    ) -> tuple[float | None, ...] | float | None:
        """The logarithm of the probability of the release, were this the true table; `None` if that is impossible.

        A table has a row for every cell and a column `value`: a frame, or the path of a file. Of several, a tuple.
        """
        if not tables:
            raise TypeError("log_likelihood takes at least one table")
        figures = self.likelihoods(*tables, progress=progress)
        found = tuple(row.get("log_likelihood") for row in figures.rows)
        return found[0] if len(found) == 1 else found

    def likelihoods(self, *tables: Frame | str | os.PathLike[str], progress: Progress = None) -> Figures:
        """The same with all that is known of each: standard errors, and why a table is impossible."""
        handed = [os.fspath(table) if isinstance(table, (str, os.PathLike)) else as_frame(table) for table in tables]
        return Figures.of(self._infer(progress, likelihood=handed))


@dataclass(frozen=True)
class Posterior:
    """What may be believed of the true table; nothing is computed until it is asked for."""

    opened: Opened
    prior: str
    nonnegative: bool
    rules: tuple[str, ...]
    totals: tuple[str, ...]
    cancel: str
    level: float
    number_of_draws: int | None
    seed: int

    def _infer(self, progress: Progress, **options: Any) -> dict[str, Any]:
        return self.opened._infer(
            progress,
            posterior=True,
            prior=self.prior,
            nonnegative=self.nonnegative,
            rule=list(self.rules),
            total=list(self.totals),
            cancel=self.cancel,
            level=self.level,
            draws=self.number_of_draws,
            seed=self.seed,
            **options,
        )

    def figures(
        self,
        *,
        where: str | None = None,
        by: str | Sequence[str] | None = None,
        output: str | None = None,
        query: str | os.PathLike[str] | None = None,
        progress: Progress = None,
    ) -> Figures:
        """Means, standard deviations, medians and credible intervals of sums."""
        return Figures.of(self._infer(progress, where=where, by=_names(by), output=output, query=_path(query)))

    def law(self, *, where: str, progress: Progress = None) -> Law:
        """What may be believed of the sum of all cells `where` a predicate holds."""
        found = self.figures(where=where, progress=progress)
        (row,) = found.rows
        return told(Law, row, level=found.level, exact=found.exact, draws=row.get("draws"))

    def rate(
        self, numerator: str, denominator: str, *, by: str | Sequence[str] | None = None, progress: Progress = None
    ) -> Figures:
        """Quantiles of a rate in tables drawn from the posterior."""
        return Figures.of(self._infer(progress, rate=(numerator, denominator), by=_names(by)))

    def compare(
        self, first: str, second: str, *, by: str | Sequence[str] | None = None, progress: Progress = None
    ) -> Figures:
        """Two sums, by their predicates: what is believed of their difference and ratio, and which is greater."""
        return Figures.of(self._infer(progress, compare=(first, second), by=_names(by)))

    def regress(
        self,
        formula: str,
        *,
        where: str | None = None,
        imputations: int | None = None,
        open_bins: Mapping[str, float] | None = None,
        progress: Progress = None,
    ) -> Figures:
        """A model fitted to imputations: `"hours ~ age"` by least squares of midpoints, `"count ~ age"` by Poisson.

        `open_bins` says what stands for the bin without an end of a dimension. One row for every coefficient.
        """
        stands = None if open_bins is None else list(open_bins.items())
        return Figures.of(self._infer(progress, regress=formula, where=where, impute=imputations, open=stands))

    def table(self, best: str = "median", *, progress: Progress = None) -> Table:
        """The table that stands best for all that are believed: `"median"`, `"mean"` or `"consistent"`.

        Columns of the dimensions, `value`, `mean`, `deviation`, `lower`, `upper`.
        """
        with tempfile.TemporaryDirectory(prefix="congenial-") as scratch:
            file = Path(scratch) / "best.parquet"
            self._infer(progress, table=str(file), best=best)
            return Table(_congenial.read_table(str(file)))

    def draws(self, number: int, *, progress: Progress = None) -> Table:
        """Tables drawn from the posterior, one row for every cell of each; `imputation` numbers them."""
        with tempfile.TemporaryDirectory(prefix="congenial-") as scratch:
            folder = Path(scratch) / "draws"
            self._infer(progress, impute=number, out=str(folder))
            return Table(_congenial.read_table(str(folder / "imputations.parquet")))


def open_release(folder: str | os.PathLike[str], *more: str | os.PathLike[str]) -> Opened:
    """Open a release folder for inference; several are releases of the same table.

    >>> import congenial as cg, tempfile, pathlib
    >>> counties, counts = ["Alpha", "Alpha", "Beta", "Beta"], [15, 5, 30, 25]
    >>> children = cg.Table.of({"county": counties, "sex": ["f", "m"] * 2, "n": counts})
    >>> spec = cg.spec("Children").data(count="n", public=True).dimension("county", ["Alpha", "Beta"])
    >>> spec = spec.dimension("sex", ["f", "m"]).keep("county").nonnegative(False)
    >>> with tempfile.TemporaryDirectory() as scratch:
    ...     folder = pathlib.Path(scratch) / "release"
    ...     _ = spec.noise("double-geometric", epsilon="1/4", per="unit").release(children, out=folder)
    ...     intervals = cg.open(folder).interval(by="county")
    >>> [(row["query"], row["lower"], row["upper"]) for row in intervals.rows][0]
    ('county = Alpha', 20, 20)
    """
    return Opened(tuple(os.path.abspath(os.fspath(one)) for one in (folder, *more)))


def _names(by: str | Sequence[str] | None) -> list[str] | None:
    if by is None:
        return None
    return [by] if isinstance(by, str) else list(by)


def _scores(scores: Sequence[int] | None) -> str | None:
    return None if scores is None else ",".join(str(score) for score in scores)


def _path(path: str | os.PathLike[str] | None) -> str | None:
    return None if path is None else os.fspath(path)
