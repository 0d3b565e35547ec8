"""Ctrl-C says what it cost; after paying there is an unfinished entry, and the same call finishes it."""

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy
import polars
import pytest

import congenial as cg

ROWS, COLUMNS = 4000, 15


def large() -> polars.DataFrame:
    """A table whose draw takes long enough to be stopped."""
    numbers = numpy.arange(ROWS * COLUMNS)
    counts = (numbers * 7919) % 23
    return polars.DataFrame({"row": numbers // COLUMNS, "column": numbers % COLUMNS, "count": counts})


def large_spec(ledger: cg.Ledger) -> cg.Builder:
    return (
        cg.spec("A large table")
        .data(count="count")
        .dimension("row", integers=[0, ROWS - 1])
        .dimension("column", integers=[0, COLUMNS - 1])
        .keep("row")
        .noise("double-geometric", epsilon="1/4", per="unit")
        .budget("kids", ledger.address)
    )


@pytest.fixture(autouse=True)
def ctrl_c_is_heard():
    """A shell that starts the tests in the background has them ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Stop:
    """Presses Ctrl-C when one of these stages is reached."""

    def __init__(self, *stages: str) -> None:
        self.stages = stages
        self.seen: list[str] = []

    def __call__(self, stage: str, done: int) -> None:
        self.seen.append(stage)
        if stage in self.stages:
            signal.raise_signal(signal.SIGINT)


def test_what_ctrl_c_says_is_what_the_ledger_says(ledger, tmp_path):
    """When it is pressed may be before or after paying, as the machine has it; nothing is said that is not so."""
    before = ledger.status()["kids"]
    with pytest.raises(KeyboardInterrupt) as stopped:
        large_spec(ledger).release(large(), out="release", by="ann", progress=Stop("reading", "searching", "drawing"))
    after = ledger.status()["kids"]
    paid = "stays spent" in str(stopped.value)
    assert (after.unfinished, after.completed) == (int(paid), 0)
    assert (after.spent == before.spent) == (not paid)
    assert not (tmp_path / "release").exists()


def test_after_paying_it_is_an_unfinished_entry_that_the_same_call_finishes(ledger, tmp_path):
    spec, rows = large_spec(ledger), large()
    with pytest.raises(KeyboardInterrupt) as stopped:
        spec.release(rows, out="release", by="ann", progress=Stop("drawing"))
    stopped_at = ledger.status()["kids"]
    assert (stopped_at.unfinished, stopped_at.completed) == (1, 0)
    assert stopped_at.spent.epsilon > 0
    assert "entry" in str(stopped.value)
    assert not (tmp_path / "release").exists()
    finished = spec.release(rows, out="release", by="ann")
    kids = ledger.status()["kids"]
    assert (kids.unfinished, kids.completed) == (0, 1)
    assert kids.spent == stopped_at.spent
    assert finished.cells == ROWS * COLUMNS
    assert finished.verify(ledger=ledger.address).holds


def test_an_error_of_the_callback_stops_the_work_and_is_raised(ledger):
    class Mine(Exception):
        pass

    def callback(stage: str, done: int) -> None:
        raise Mine(stage)

    with pytest.raises(Mine):
        large_spec(ledger).release(large(), out="release", by="ann", progress=callback)
    assert ledger.status()["kids"].completed == 0


def test_ctrl_c_from_outside_stops_a_process_soon(ledger, tmp_path):
    program = """
        import sys
        sys.path.insert(0, {folder!r})
        import congenial as cg
        from test_interrupt import large, large_spec
        spec, rows = large_spec(cg.Ledger("sqlite:ledger.db")), large()
        def told(stage, done):
            if stage == "drawing":
                print("drawing", flush=True)
        try:
            spec.release(rows, out="release", by="ann", progress=told)
        except KeyboardInterrupt as stopped:
            print("stopped:", stopped, flush=True)
            sys.exit(7)
    """
    code = textwrap.dedent(program).format(folder=str(Path(__file__).parent))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "drawing\n"
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=600)
    assert process.returncode == 7
    assert "stopped: " in output
    kids = ledger.status()["kids"]
    assert (kids.unfinished, kids.completed) == (1, 0)


class Stopped(Exception):
    """What a callback raises while work is done without the interpreter."""


def processor_time_after(stages: set[str], work) -> float:
    """Seconds of processor time that `work` takes after it was stopped in one of these stages.

    Not of the clock, which goes on while other programs have the machine.
    """
    at: list[float] = []

    def callback(stage: str, done: int) -> None:
        if stage in stages:
            at.append(time.process_time())
            raise Stopped

    with pytest.raises(Stopped):
        work(callback)
    return time.process_time() - at[0]


def one_block(rows: int, columns: int) -> tuple[cg.Builder, polars.DataFrame]:
    """A public table that is drawn as one block."""
    numbers = numpy.arange(rows * columns)
    frame = polars.DataFrame({"row": numbers // columns, "column": numbers % columns, "count": numbers * 7919 % 23})
    spec = (
        cg.spec("One block")
        .data(count="count", public=True)
        .dimension("row", integers=[0, rows - 1])
        .dimension("column", integers=[0, columns - 1])
        .keep()
        .noise("double-geometric", epsilon="1/4", per="unit")
    )
    return spec, frame


# Half a second is what is promised, on all processors. What is stopped would go on longer.
SOON = 10


def test_one_large_block_is_stopped_inside(tmp_path):
    spec, frame = one_block(2000, 2000)
    took = processor_time_after(
        {"searching", "drawing"}, lambda callback: spec.release(frame, out="release", progress=callback)
    )
    assert took < SOON
    assert not (tmp_path / "release").exists()


def test_inference_is_stopped(tmp_path):
    spec, frame = one_block(40, 40)
    spec.release(frame, out="release")
    posterior = cg.open("release").posterior(nonnegative=True, draws=10_000_000)
    stages = {"reading", "gathering", "searching", "drawing", "draws"}
    assert processor_time_after(stages, lambda callback: posterior.figures(by="row", progress=callback)) < SOON


def test_verification_is_stopped():
    spec, frame = one_block(2000, 2000)
    spec.release(frame, out="release")
    began = time.process_time()
    assert cg.verify("release").holds
    whole = time.process_time() - began

    def press(number: int, frame: object) -> None:
        raise Stopped

    # It tells nobody how far it has come, so a signal comes early: the whole takes much longer.
    before = signal.signal(signal.SIGALRM, press)
    began = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Stopped):
            cg.verify("release")
        took = time.process_time() - began
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert took < whole / 2, f"{took:.2f} of {whole:.2f} s of processor time"
