"""Tables that come in and go out by Arrow, without a copy and without another library."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from . import _congenial

if TYPE_CHECKING:
    import pandas as _pandas  # type: ignore[import-untyped, unused-ignore]
    import polars as _polars
    import pyarrow as _pyarrow  # type: ignore[import-untyped, unused-ignore]

__all__ = ["Frame", "Table", "as_frame", "as_stand_in"]

_ACCEPTED = (
    "a dataframe that speaks Arrow: of pandas (2.2 or newer), polars, pyarrow (Table, RecordBatch, RecordBatchReader), "
    "DuckDB, or any object with `__arrow_c_stream__`"
)


@runtime_checkable
class Frame(Protocol):
    """Any dataframe that can hand over its rows as an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


def as_frame(frame: object, what: str = "the frame") -> Frame | None:
    """The frame, if it is one; `None` stays `None`.

    >>> as_frame([1, 2])
    Traceback (most recent call last):
    TypeError: the frame is a list; accepted is a dataframe that speaks Arrow: of pandas (2.2 or newer), polars, \
pyarrow (Table, RecordBatch, RecordBatchReader), DuckDB, or any object with `__arrow_c_stream__`
    hint: make a dataframe of it, `pandas.DataFrame(…)`, `polars.DataFrame(…)` or `pyarrow.table(…)`
    """
    if frame is None:
        return None
    kind = type(frame)
    if kind.__name__ in _ONE_COLUMN:
        raise _not_a_frame(frame, what, "it is one column: hand over the whole dataframe, or `.to_frame()`")
    if hasattr(frame, "__arrow_c_stream__"):
        return _Chunks.of(frame) or frame
    raise _not_a_frame(frame, what, _remedy(frame))


class _Chunks:
    """A frame of polars in several chunks: handed over whole it would be copied into one chunk first."""

    def __init__(self, frame: Frame, arrow_chunks: list[Frame]) -> None:
        self.frame = frame
        self.arrow_chunks = arrow_chunks

    @classmethod
    def of(cls, frame: Any) -> _Chunks | None:
        if type(frame).__module__.partition(".")[0] != "polars" or frame.width == 0 or frame.n_chunks() < 2:
            return None
        ends = itertools.accumulate(len(chunk) for chunk in frame.to_series(0).get_chunks())
        return cls(frame, [frame.slice(start, end - start) for start, end in itertools.pairwise((0, *ends))])

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.frame.__arrow_c_stream__(requested_schema)


def as_stand_in(on: object) -> Frame | str | None:
    """A public table that stands in for the data: a frame, or the path of a file."""
    if isinstance(on, (str, os.PathLike)):
        return os.fspath(on)
    return as_frame(on, "the stand-in `on`")


_ONE_COLUMN = frozenset({"Series", "ChunkedArray"})


def _not_a_frame(frame: object, what: str, remedy: str) -> TypeError:
    kind = type(frame)
    plain = kind.__module__ in ("builtins", "pathlib")
    name = kind.__name__ if plain else f"{kind.__module__.split('.')[0]} {kind.__name__}"
    article = "an" if name[:1].lower() in "aeiou" else "a"
    return TypeError(f"{what} is {article} {name}; accepted is {_ACCEPTED}\nhint: {remedy}")


def _remedy(frame: object) -> str:
    if isinstance(frame, (str, bytes, os.PathLike)):
        return "a file is named in the spec, `path` under [data], or read into a dataframe first"
    if hasattr(frame, "collect"):
        return "it is lazy: hand over `.collect()`"
    if hasattr(frame, "toArrow"):
        return "hand over `.toArrow()`"
    if hasattr(frame, "__arrow_c_array__"):
        return "hand over a table with named columns, `pyarrow.table({…})`"
    if hasattr(frame, "__dataframe__"):
        return "hand over `pyarrow.interchange.from_dataframe(…)`"
    return "make a dataframe of it, `pandas.DataFrame(…)`, `polars.DataFrame(…)` or `pyarrow.table(…)`"


class Table:
    """A table that this package gives back. It speaks Arrow, and needs no other library.

    `polars.DataFrame(table)`, `pyarrow.table(table)`, `pandas.DataFrame.from_arrow(table)` and DuckDB read it as it is.

    >>> table = Table.of({"county": ["Alpha", "Beta"], "value": [20, 55]})
    >>> table
    Table of 2 rows: county, value
    >>> table.to_dict()
    {'county': ['Alpha', 'Beta'], 'value': [20, 55]}
    """

    __slots__ = ("_stream",)
    _stream: _congenial.Stream

    def __init__(self, stream: _congenial.Stream) -> None:
        object.__setattr__(self, "_stream", stream)

    @classmethod
    def of(cls, columns: dict[str, list[Any]]) -> Table:
        """A table of these columns, which have the same length."""
        return cls(_congenial.stream_of(columns))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a table cannot be changed: `{name}`")

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hand over the rows, as the Arrow PyCapsule interface says."""
        return self._stream.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        """Hand over the schema, as the Arrow PyCapsule interface says."""
        return self._stream.__arrow_c_schema__()

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self._stream.column_names)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._stream)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows, one after the other."""
        columns = self.to_dict()
        for values in zip(*columns.values(), strict=True):
            yield dict(zip(columns, values, strict=True))

    def __repr__(self) -> str:
        rows = f"{len(self):,} row" + ("" if len(self) == 1 else "s")
        return f"Table of {rows}: {', '.join(self.column_names)}"

    def __reduce__(self) -> Any:
        """Pickle the columns as plain values."""
        return (Table.of, (self.to_dict(),))

    def to_dict(self) -> dict[str, list[Any]]:
        """Every column as a list of plain values."""
        return self._stream.columns()

    def to_pandas(self) -> _pandas.DataFrame:
        """The table as a `pandas.DataFrame`."""
        import pandas

        if hasattr(pandas.DataFrame, "from_arrow"):
            return pandas.DataFrame.from_arrow(self)
        return self.to_arrow().to_pandas()

    def to_polars(self) -> _polars.DataFrame:
        """The table as a `polars.DataFrame`."""
        import polars

        return polars.DataFrame(self)

    def to_arrow(self) -> _pyarrow.Table:
        """The table as a `pyarrow.Table`."""
        import pyarrow

        return pyarrow.table(self)

    def write_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the table as a Parquet file."""
        self._stream.write_parquet(os.fspath(path))
