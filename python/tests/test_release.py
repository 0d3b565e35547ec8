"""Releases from frames: in a folder or in memory, as tables of every library, immutable, and pickled."""

import dataclasses
import gc
import pickle
import re
import subprocess
import sys
import threading
import weakref

import duckdb
import pandas
import polars
import pyarrow
import pytest
from shared import COUNTIES, EDUCATION, listed

import congenial as cg
from congenial._progress import watching

CASCADE = 'noise = "discrete-gaussian"\nmethod = "cascade"\nrho = "1/8"'


def test_a_release_keeps_its_totals(public, frame):
    release = public.release(frame, out="release")
    table = release.table().to_polars()
    totals = table.group_by("county").agg(polars.col("value").sum()).sort("county")
    assert dict(totals.iter_rows()) == {"Alpha": 20, "Beta": 55, "Gamma": 25, "Delta": 35}
    assert [(total.name, total.value) for total in release.totals] == [
        ("county = Alpha", 20),
        ("county = Beta", 55),
        ("county = Gamma", 25),
        ("county = Delta", 35),
    ]
    assert release.verify().holds
    assert cg.verify("release").title == "Children by county"
    assert release.paid is None
    assert release.handed_back is None


@pytest.mark.parametrize("format", ["parquet", "csv", "xlsx"])
def test_every_format_reads_back_as_the_same_table(format, public, children):
    release = public.release(children, out="release", format=format, wide=True)
    assert f"table.{format}" in release.files
    table = release.table()
    assert len(table) == 16
    assert table.column_names[:3] == ["county", "education", "value"]
    columns = table.to_dict()
    assert columns["county"][:4] == ["Alpha"] * 4
    assert sum(columns["value"]) == 135
    assert all(isinstance(value, int) for value in columns["value"])


def test_a_table_goes_to_every_library(public, children):
    table = public.release(children).table()
    columns = table.to_dict()
    assert table.to_pandas().to_dict("list") == columns
    assert table.to_polars().to_dict(as_series=False) == columns
    assert table.to_arrow().to_pydict() == columns
    assert pyarrow.table(table).to_pydict() == columns
    assert polars.DataFrame(table).to_dict(as_series=False) == columns
    assert isinstance(table.to_pandas(), pandas.DataFrame)
    released = table  # noqa: F841  DuckDB finds it by its name
    [(total,)] = duckdb.sql("select sum(value) from released").fetchall()
    assert total == 135
    assert [row["value"] for row in table] == columns["value"]
    assert pickle.loads(pickle.dumps(table)).to_dict() == columns


def test_a_table_is_written_as_parquet(public, children, tmp_path):
    table = public.release(children).table()
    table.write_parquet(tmp_path / "copy.parquet")
    assert polars.read_parquet("copy.parquet").to_dict(as_series=False) == table.to_dict()


def test_public_data_may_stay_in_memory(public, children, tmp_path):
    release = public.release(children)
    assert release.folder is None
    assert listed(tmp_path) == []
    assert release.verify().holds
    assert release.certificate["title"] == "Children by county"
    assert release.report.html.startswith("<!")
    assert str(tmp_path) not in release._repr_html_()
    folder = release.save("saved")
    assert cg.verify(folder).holds
    assert cg.verify(folder).guarantee == release.guarantee
    with pytest.raises(FileExistsError):
        release.save("saved")


def test_confidential_data_need_a_folder(confidential, ledger, children):
    before = ledger.status()
    with pytest.raises(cg.BadInput, match="needs `out`") as error:
        confidential.release(children)
    assert "out=" in error.value.hint
    assert ledger.status() == before


@pytest.mark.parametrize("out", [None, "release"])
def test_releases_are_immutable_and_pickled(out, public, children):
    release = public.release(children, out=out)
    with pytest.raises(dataclasses.FrozenInstanceError):
        release.title = "other"
    again = pickle.loads(pickle.dumps(release))
    assert again == release
    assert again.table().to_dict() == release.table().to_dict()
    assert again.certificate == release.certificate
    assert again.verify().holds


def test_two_releases_differ_and_nothing_takes_a_seed(public, children):
    strong = public.noise("double-geometric", epsilon="1/100", per="unit")
    drawn = {tuple(strong.release(children).table().to_dict()["value"]) for _ in range(5)}
    # Twelve free counts with deviations of hundreds: two of five draws are equal with a probability below 1e-20.
    assert len(drawn) == 5


def test_a_confidential_frame_is_kept_by_nothing(confidential, children):
    class Kept:
        def __init__(self, frame):
            self.frame = frame

        def __arrow_c_stream__(self, requested_schema=None):
            return self.frame.__arrow_c_stream__()

    frame = Kept(children)
    gone = weakref.ref(frame)
    answers = [
        confidential.check(frame),
        confidential.explain(frame),
        confidential.release(frame, out="release", by="ann"),
    ]
    del frame
    gc.collect()
    assert gone() is None
    assert len(answers) == 3


def test_a_release_that_was_altered_does_not_verify(public, children, tmp_path):
    release = public.release(children, out="release")
    report = tmp_path / "release" / "report.html"
    report.write_text(report.read_text().replace("Alpha", "Omega"))
    with pytest.raises(cg.BadInput):
        release.verify()


def test_a_folder_that_is_taken_is_left_alone(public, children, tmp_path):
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "mine.txt").write_text("mine")
    with pytest.raises(cg.BadInput, match="release"):
        public.release(children, out="release")
    assert listed(tmp_path) == ["release/mine.txt"]


def test_pages_are_escaped_and_run_nothing(public, children):
    title = "<script>alert(1)</script> & more"
    spec = cg.Spec(public.to_toml().replace("Children by county", title))
    release = spec.release(children)
    shown = [
        release._repr_html_(),
        spec.explain(children, error=True)._repr_html_(),
        spec.compare(children, draws=2)._repr_html_(),
        release.report._repr_html_(),
    ]
    for page in shown:
        assert page
        assert "<script" not in page.lower()
        assert "alert(1)" in page
        assert not re.search(r"""(src|href)=["']https?:""", page)


def test_the_demo_verifies(tmp_path):
    release = cg.demo("demo")
    assert release.verify().holds
    assert release.folder.name == "demo"
    assert release.table().column_names[:3] == ["county", "sex", "age"]
    assert len(set(release.table().to_dict()["county"])) == 67


def test_a_signed_release_names_its_key(public, children, tmp_path):
    # The program is the one home of keys.
    subprocess.run([sys.executable, "-m", "congenial", "key", "new", "agency.key"], check=True, capture_output=True)
    release = public.release(children, out="release", sign="agency.key")
    assert release.verify(key="agency.key.pub").signed_by
    unsigned = public.release(children, out="unsigned")
    with pytest.raises(cg.CongenialError):
        unsigned.verify(key="agency.key.pub")


def test_a_plan_tells_loss_blocks_and_error(public, children):
    plan = public.explain(children, error=True)
    assert str(plan.loss.epsilon) == "1/4"
    assert plan.loss.nearest.distance == 2
    assert str(plan.loss.nearest.epsilon) == "1/2"
    assert [block.operator for block in plan.blocks] == ["closed-form"] * 4
    assert plan.error.levels == (0.5, 0.9, 0.95, 0.99)
    assert plan.error.cells[0].noise.quantiles == (2.0, 7.0, 9.0, 13.0)
    assert plan.error.margins[0].noise.exact
    assert public.explain(children).error is None
    assert "What it costs" in str(plan)
    assert pickle.loads(pickle.dumps(plan)) == plan
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.cells = 1


def test_errors_that_depend_on_the_table_are_told_or_measured(public, confidential, children):
    bounded = public.nonnegative(True).explain(children, error=True).error
    assert bounded.given == "the public table"
    assert bounded.expected_l1 > 0
    secret = confidential.nonnegative(True).explain(children, error=True).error
    assert secret.given is None
    assert "confidential" in secret.reason
    assert secret.stand_in is not None
    stand_in = children.with_columns(children=polars.Series(range(30, 46)))
    measured = confidential.nonnegative(True).explain(children, on=stand_in, draws=20).error
    assert measured.stand_in is not None
    with pytest.raises(cg.Refused, match="the stand-in is the confidential table"):
        confidential.nonnegative(True).explain(children, on=children, draws=20)
    cascade = (
        cg.Spec(public.to_toml().replace('noise = "double-geometric"\nepsilon = "1/4"\nper = "unit"', CASCADE))
        .explain(children, error=True)
        .error
    )
    assert cascade.figures["given"] == "any table"
    assert pickle.loads(pickle.dumps(cascade)) == cascade


def test_suppression_publishes_totals_alone(children):
    spec = (
        cg.spec("Totals")
        .data(count="children", public=True)
        .dimension("county", COUNTIES)
        .dimension("education", EDUCATION)
        .keep("county")
        .suppress()
    )
    release = spec.release(children)
    assert release.table().to_dict()["value"] == [20, 55, 25, 35]
    assert release.verify().holds


def test_a_check_tells_what_totals_leave(public, children):
    checked = public.check(children)
    assert (checked.cells, checked.rank, checked.free_dimension) == (16, 4, 12)
    assert checked.disclosed == ()
    assert (checked.intervals[0].low, checked.intervals[0].high) == (0, 20)


def test_the_data_are_told_to_the_curator(public, children):
    told = public.data(outside="drop").check_data(
        children.with_columns(polars.col("county").replace({"Alpha": "Omega"})), by="ann"
    )
    assert sum(rows for rows, _ in told.left_out) == 4


@pytest.mark.parametrize("progress", [True, False, None])
def test_progress_is_shown_or_not(progress, public, children):
    assert public.release(children, progress=progress).cells == 16


def test_progress_without_tqdm_is_text(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with watching(True) as callback:
        callback("drawing", 1234)
    assert "drawing: 1,234 cells" in capsys.readouterr().err


def test_progress_by_tqdm_follows_the_stages(capsys):
    with watching(True) as callback:
        callback("reading", 10)
        callback("drawing", 5)
        callback("drawing", 50)
    shown = capsys.readouterr().err
    assert "reading" in shown
    assert "drawing" in shown


def test_other_threads_go_on_while_it_works(public, children):
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(None)

    thread = threading.Thread(target=tick)
    thread.start()

    class Enough(Exception):
        pass

    def callback(stage, amount):
        if len(ticks) >= 100:
            raise Enough

    # It goes on until another thread has ticked so often, however busy the machine is: were the interpreter held, it
    # would come to its end, or to none.
    try:
        with pytest.raises(Enough):
            public.audit(children, draws=2000, runs=20_000_000, progress=callback)
    finally:
        done.set()
        thread.join()


def test_a_frame_may_change_while_it_is_read(public, children):
    # Arrow shares the memory of this array, and another thread writes to it: a release is of one table or the other.
    counts = children["children"].to_numpy().copy()
    rows = pyarrow.table({**children.to_dict(as_series=False), "children": counts})
    stop = threading.Event()

    def change():
        while not stop.is_set():
            counts[0] = 1030 - counts[0]

    thread = threading.Thread(target=change)
    thread.start()
    try:
        totals = [public.release(rows).totals for _ in range(10)]
    finally:
        stop.set()
        thread.join()
    assert {total[0].value for total in totals} <= {20, 1020}
    assert {total[1:] for total in totals} == {public.release(children).totals[1:]}
