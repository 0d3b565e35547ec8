"""A file and a frame with the same rows are the same data: same plan, totals, certificate; or the same fault."""

import csv
import io
import re

import pandas
import polars
import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from shared import children_spec, columns

import congenial as cg

#: What differs between two draws of one law: the time, the name of the draw, and the hashes of what was drawn.
DRAWN = re.compile(r"(time|sha256|hash|seal|\.draw)$")


def written(spec: cg.Builder, frame: polars.DataFrame) -> cg.Builder:
    """The same spec, reading a file with the rows of the frame."""
    frame.write_csv("children.csv")
    return spec.data(path="children.csv")


def leaves(value: object, path: str = "") -> dict[str, object]:
    """Every leaf of a certificate by its path."""
    if isinstance(value, dict):
        return {leaf: found for key, item in value.items() for leaf, found in leaves(item, f"{path}.{key}").items()}
    if isinstance(value, list):
        return {leaf: found for n, item in enumerate(value) for leaf, found in leaves(item, f"{path}[{n}]").items()}
    return {path: value}


def test_the_plan_is_the_same(public, frame, children):
    by_file, by_frame = written(public, children).explain(error=True), public.explain(frame, error=True)
    assert by_file == by_frame
    assert by_file.as_dict() == by_frame.as_dict()


def test_the_check_is_the_same(public, frame, children):
    assert written(public, children).check().as_dict() == public.check(frame).as_dict()


def test_totals_and_certificate_are_the_same_but_for_time_and_hashes(public, frame, children):
    by_file = written(public, children).release(out="by-file")
    by_frame = public.release(frame, out="by-frame")
    assert by_file.totals == by_frame.totals
    assert by_file.checks == by_frame.checks
    assert by_file.guarantee == by_frame.guarantee
    of_file, of_frame = leaves(by_file.certificate), leaves(by_frame.certificate)
    assert of_file.keys() == of_frame.keys()
    different = {path for path in of_file if of_file[path] != of_frame[path]}
    unexplained = {path for path in different if not DRAWN.search(path)}
    # The canonical spec says where the rows came from.
    assert unexplained == {path for path in unexplained if path.startswith(".spec")}


def test_simulations_are_the_same(public, frame, children):
    by_file = written(public, children).simulate(draws=5, seed=3)
    assert by_file.to_dict() == public.simulate(frame, draws=5, seed=3).to_dict()


def test_comparisons_and_audits_are_the_same(public, frame, children):
    def without_time(answer):
        return {path: leaf for path, leaf in leaves(answer).items() if "seconds" not in path}

    file = written(public, children)
    compared = [spec.as_dict() for spec in (file.compare(draws=5), public.compare(frame, draws=5))]
    assert without_time(compared[0]) == without_time(compared[1])
    assert file.audit(draws=5, runs=20).as_dict() == public.audit(frame, draws=5, runs=20).as_dict()


def test_the_same_confidential_data_pay_once_as_file_and_as_frame(confidential, ledger, frame, children):
    by_file = written(confidential, children).release(out="by-file", by="ann")
    by_frame = confidential.release(frame, out="by-frame", by="ann")
    assert by_frame.handed_back is not None
    assert by_frame.handed_back.entry == by_file.paid.entry
    assert by_frame.table().to_dict() == by_file.table().to_dict()
    assert str(ledger.status()["kids"].spent.epsilon) == "1/4"


def test_confidential_data_are_recognised_when_they_are_declared_public(confidential, ledger, children):
    confidential.release(children, out="release", by="ann")
    declared = children_spec().budget("kids", ledger.address)
    with pytest.raises(cg.Refused):
        declared.release(children)


LABELS = ["x", "y", " x", "X", "z", "", None]
NUMBERS = [0, 1, 2, 3, -1, 7, None]


@some.composite
def rows_and_policies(draw):
    clean = draw(some.booleans())
    labels = some.sampled_from(LABELS[:2] if clean else LABELS)
    numbers = some.sampled_from(NUMBERS[:4] if clean else NUMBERS)
    # A table of no records is refused by the name of its file or frame.
    rows = draw(some.lists(some.tuples(labels, numbers), min_size=1, max_size=12))
    policies = {
        "outside": draw(some.sampled_from(["error", "drop"])),
        "missing": draw(some.sampled_from(["error", "drop"])),
    }
    messy = draw(some.sampled_from([{}, {"trim": True}, {"case": "ignore"}, {"unknown": "y"}, {"recode": {"z": "x"}}]))
    return rows, policies, messy


def as_in_a_file(words: str | None) -> str | None:
    """What is said of rows of a frame, said of lines of a text file, which has a header before them."""
    return words and re.sub(r"in row (\d+)", lambda found: f"on line {int(found[1]) + 1}", words)


def table_or_fault(call):
    try:
        return "table", call()
    except cg.CongenialError as error:
        return type(error).__name__, error.message, error.hint, error.place


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows_and_policies())
def test_csv_and_frames_of_the_same_rows_give_the_same_table_or_the_same_fault(tmp_path, generated):
    rows, policies, messy = generated
    spec = (
        cg.spec("Rows")
        .data(public=True, **policies)
        .dimension("a", ["x", "y"], **messy)
        .dimension("b", integers=[0, 3])
        .nonnegative(False)
        .noise("double-geometric", epsilon="1")
    )
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["a", "b"])
    writer.writerows(rows)
    (tmp_path / "rows.csv").write_text(text.getvalue())
    first, second = [row[0] for row in rows], [row[1] for row in rows]
    schema = pyarrow.schema([("a", pyarrow.string()), ("b", pyarrow.int64())])
    frames = [
        polars.DataFrame({"a": first, "b": second}, schema={"a": polars.String, "b": polars.Int64}),
        polars.DataFrame({"a": first, "b": second}, schema={"a": polars.Categorical, "b": polars.Int8}),
        pandas.DataFrame({"a": pandas.array(first, dtype="str"), "b": pandas.array(second, dtype="Int64")}),
        pandas.DataFrame({"a": pandas.array(first, dtype="str"), "b": pandas.array(second, dtype="float64")}),
        pyarrow.table({"a": first, "b": second}, schema=schema),
        pyarrow.table({"a": first, "b": second}, schema=schema).cast(
            pyarrow.schema([("a", pyarrow.dictionary(pyarrow.int32(), pyarrow.string())), ("b", pyarrow.int64())])
        ),
    ]

    def truth(spec, frame=None):
        return table_or_fault(lambda: spec.compare(frame, draws=2).as_dict()["truth"])

    expected = truth(spec.data(path=str(tmp_path / "rows.csv")))
    if not messy and all(label in ("x", "y") and number in range(4) for label, number in rows):
        counted = [rows.count((label, number)) for label in ("x", "y") for number in range(4)]
        assert expected == ("table", counted)
    for frame in frames:
        found = truth(spec, frame)
        assert found[:2] == expected[:2]
        if len(found) == 4:
            assert as_in_a_file(found[2]) == expected[2]
        if len(found) == 4 and expected[3] is not None:
            # A text file has a header before its rows.
            assert found[3].line == expected[3].line - 1


def test_rows_are_numbered_alike_in_many_batches(public):
    rows = columns()
    rows["education"][13] = "Lwo"
    table = pyarrow.table(rows)
    parts = pyarrow.Table.from_batches(table.to_batches(max_chunksize=3))
    faults = [table_or_fault(lambda frame=frame: public.check(frame)) for frame in (table, parts)]
    assert faults[0] == faults[1]
    assert faults[0][3].line == 14


def test_a_frame_in_chunks_is_the_same_table(children, public):
    """polars would copy such a frame to hand it over whole: it is handed over chunk by chunk."""
    whole = children.rechunk()
    chunks = polars.concat([children[:5], children[5:6], children[6:]], rechunk=False)
    uneven = polars.DataFrame([chunks.to_series(0), *whole.get_columns()[1:]])
    assert chunks.n_chunks() == 3
    drawn = cg.simulate(public, whole, draws=1, seed=1).to_dict()
    for frame in (chunks, uneven):
        assert cg.simulate(public, frame, draws=1, seed=1).to_dict() == drawn
    wrong = chunks.with_columns(county=polars.Series([*children["county"][:8], "Alfa", *children["county"][9:]]))
    wrong = polars.concat([wrong[:5], wrong[5:]], rechunk=False)
    with pytest.raises(cg.BadInput) as found:
        public.explain(wrong)
    assert found.value.place.line == 9
