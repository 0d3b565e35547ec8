"""What is no table, or not the declared one, is told with its name and place; nothing is written."""

import datetime
import decimal
import re
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow
import pytest
from shared import children_spec, columns, listed

import congenial as cg

CALLS = {
    "check": lambda spec, frame: spec.check(frame),
    "explain": lambda spec, frame: spec.explain(frame),
    "release": lambda spec, frame: spec.release(frame, out="release"),
    "compare": lambda spec, frame: spec.compare(frame, draws=2),
    "audit": lambda spec, frame: spec.audit(frame, draws=2, runs=2),
    "simulate": lambda spec, frame: spec.simulate(frame, draws=2),
    "compare on": lambda spec, frame: spec.compare(on=frame, draws=2),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("no_frame", [[1, 2], {"county": ["Alpha"]}, 3, b"bytes", object()], ids=repr)
def test_what_is_no_dataframe_is_a_type_error(call, no_frame, public, tmp_path):
    with pytest.raises(TypeError, match="dataframe that speaks Arrow") as error:
        CALLS[call](public, no_frame)
    assert all(name in str(error.value) for name in ["pandas", "polars", "pyarrow", "DuckDB", "hint: "])
    assert listed(tmp_path) == []


@pytest.mark.parametrize("path", ["children.csv", Path("children.csv")])
def test_a_path_is_no_frame(path, public):
    with pytest.raises(TypeError, match="named in the spec"):
        public.release(path)


def test_a_lazy_frame_is_to_be_collected(public, children):
    with pytest.raises(TypeError, match=re.escape("polars LazyFrame")) as error:
        public.release(children.lazy())
    assert "`.collect()`" in str(error.value)
    assert public.release(children.lazy().collect()).cells == 16


@pytest.mark.parametrize(
    "column",
    [pandas.Series([1]), polars.Series([1]), pyarrow.chunked_array([[1]])],
    ids=["pandas", "polars", "pyarrow"],
)
def test_one_column_is_no_frame(column, public):
    with pytest.raises(TypeError, match="one column"):
        public.check(column)


def test_every_kind_of_frame_is_read(public, children):
    table = children.to_arrow()
    kinds = [
        children,
        children.to_pandas(),
        children.to_pandas(use_pyarrow_extension_array=True),
        table,
        table.to_batches()[0],
        pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches()),
        duckdb.sql("select * from children"),
        children.with_columns(polars.col("county").cast(polars.Categorical)),
        children.to_pandas().astype({"county": "category"}),
        cg.Table.of(columns()),
    ]
    truths = [public.compare(kind, draws=2).as_dict()["truth"] for kind in kinds]
    assert truths == [columns()["children"]] * len(kinds)


def test_a_misspelt_column_gets_the_nearest_name(public, children):
    with pytest.raises(cg.BadInput, match="county") as error:
        public.check(children.rename({"county": "contry"}))
    assert "contry" in str(error.value)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([datetime.time(1)] * 16, "times of day"),
        ([datetime.timedelta(1)] * 16, "spans of time"),
        ([[1]] * 16, "nested values"),
        ([{"x": 1}] * 16, "nested values"),
    ],
)
def test_columns_of_other_kinds_are_refused_by_name(values, kind, public):
    frame = pyarrow.table({**columns(), "education": values})
    with pytest.raises(cg.BadInput, match=f"`education` of `rows` holds {kind}"):
        public.check(frame)


def test_decimals_are_refused_by_name(public):
    counts = pyarrow.array([decimal.Decimal("1.5")] * 16, pyarrow.decimal128(5, 2))
    with pytest.raises(cg.BadInput, match="`children` of `rows` holds scaled decimals"):
        public.check(pyarrow.table({**columns(), "children": counts}))


def test_a_column_that_is_not_used_may_hold_anything(public):
    frame = pyarrow.table({**columns(), "notes": [[1, 2]] * 16})
    assert public.check(frame).cells == 16


def test_days_are_days():
    spec = (
        cg.spec("Days")
        .public()
        .dimension("day", dates="month", first="2024-01", last="2024-03")
        .nonnegative(False)
        .noise("double-geometric", epsilon="1")
    )
    days = [datetime.date(2024, 1, 31), datetime.date(2024, 3, 1), datetime.date(2024, 3, 2)]
    moments = [datetime.datetime.combine(day, datetime.time(23, 59)) for day in days]
    frames = [
        pyarrow.table({"day": days}),
        polars.DataFrame({"day": moments}),
        pandas.DataFrame({"day": pandas.to_datetime(moments)}),
        polars.DataFrame({"day": [str(day) for day in days]}),
        polars.DataFrame({"day": moments}, schema={"day": polars.Datetime("ns", "UTC")}),
    ]
    for frame in frames:
        assert spec.compare(frame, draws=2).as_dict()["truth"] == [1, 0, 2]
    somewhere = pyarrow.table({"day": pyarrow.array(moments, pyarrow.timestamp("us", "Europe/Berlin"))})
    with pytest.raises(cg.BadInput, match="time zone of a place"):
        spec.check(somewhere)


def test_a_category_outside_the_domain_is_told_with_its_row(public):
    rows = columns()
    rows["education"][6] = "Hihg"
    with pytest.raises(cg.BadInput, match="Hihg") as error:
        public.check(polars.DataFrame(rows))
    assert error.value.place.line == 7
    assert "education" in error.value.place.text
    assert public.data(outside="drop").check(polars.DataFrame(rows)).cells == 16


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_count_follows_the_policy(missing, public):
    rows = columns()
    rows["children"] = [float(count) for count in rows["children"]]
    rows["children"][3] = missing
    for frame in (polars.DataFrame(rows), pandas.DataFrame(rows)):
        with pytest.raises(cg.BadInput) as error:
            public.check(frame)
        assert error.value.place.line == 4
        assert "children" in error.value.place.text


def test_a_fraction_is_no_count(public):
    rows = columns()
    rows["children"] = [count + 0.5 for count in rows["children"]]
    with pytest.raises(cg.BadInput, match="not a whole number") as error:
        public.check(polars.DataFrame(rows))
    assert error.value.place.line == 1


class Failing:
    """A stream that fails after its first batch."""

    def __init__(self, table: pyarrow.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        def batches():
            yield self.table.to_batches()[0].slice(0, 3)
            raise RuntimeError("the disk is gone")

        return pyarrow.RecordBatchReader.from_batches(self.table.schema, batches()).__arrow_c_stream__()


def test_a_stream_that_fails_half_way_writes_and_spends_nothing(confidential, ledger, children, tmp_path):
    before = ledger.status()
    with pytest.raises(cg.SystemFailure):
        confidential.release(Failing(children.to_arrow()), out="release", by="ann")
    assert ledger.status() == before
    assert not (tmp_path / "release").exists()


def test_an_export_that_fails_is_what_it_was(public):
    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise RuntimeError("no rows today")

    with pytest.raises(RuntimeError, match="no rows today"):
        public.check(Broken())


def test_a_frame_that_lies_about_its_stream_is_a_type_error(public):
    class Liar:
        def __arrow_c_stream__(self, requested_schema=None):
            return "no capsule"

    with pytest.raises((TypeError, ValueError)):
        public.check(Liar())


def test_a_frame_without_rows_is_refused_by_every_question(public):
    empty = polars.DataFrame(columns()).clear()
    for question in (public.check, public.explain, lambda frame: public.compare(frame, draws=2)):
        with pytest.raises(cg.BadInput, match="no rows"):
            question(empty)


def test_rows_that_are_expected_and_not_given(public):
    with pytest.raises(cg.BadInput, match="rows") as error:
        public.check()
    assert error.value.hint


def test_frames_that_nothing_would_recognise_are_refused(ledger):
    spec = children_spec(public=False).budget("kids", ledger.address)
    few = polars.DataFrame({"county": ["Alpha"] * 3, "education": ["Low", "Medium", "High"], "children": [3, 4, 5]})
    before = ledger.status()
    with pytest.raises(cg.Refused):
        spec.release(few, out="release", by="ann")
    assert ledger.status()["kids"].spent == before["kids"].spent


def test_other_wrong_arguments(public, children):
    with pytest.raises(ValueError, match="format"):
        public.release(children, format="pdf")
    with pytest.raises(TypeError, match="progress"):
        public.release(children, progress=3)
    with pytest.raises(TypeError, match="seed"):
        public.release(children, seed=1)
    with pytest.raises(TypeError):
        public.simulate(children, draws="many")
