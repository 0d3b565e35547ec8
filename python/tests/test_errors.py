"""Every class of errors, what they hold, and what a panic never tells."""

import pickle
import subprocess
import sys

import pytest
from shared import children_spec

import congenial as cg
from congenial import _congenial

SECRET = "the confidential count is 8128"


def test_bad_input_has_a_place_and_a_hint(public):
    with pytest.raises(cg.BadInput) as error:
        cg.Spec(public.to_toml().replace('by = ["county"]', 'by = ["contry"]'))
    place = error.value.place
    assert (place.file, place.text) == ("the spec", 'by = ["contry"]')
    assert place.line == public.to_toml().split("\n").index('by = ["county"]') + 1
    assert place.column == 7
    assert "county" in error.value.hint
    shown = str(error.value)
    assert shown.startswith(error.value.message)
    assert f"line {place.line}, column 7" in shown
    assert shown.endswith(f"hint: {error.value.hint}")


def test_a_spec_from_a_file_is_called_by_its_name(tmp_path, public):
    (tmp_path / "mine.toml").write_text(public.to_toml().replace("double-geometric", "duble-geometric"))
    with pytest.raises(cg.BadInput) as error:
        cg.Spec.load("mine.toml")
    assert error.value.place.file == "mine.toml"


def test_refused_spends_nothing(ledger, children):
    spec = children_spec(public=False, epsilon="3").budget("kids", ledger.address)
    before = ledger.status()["kids"].spent
    with pytest.raises(cg.Refused) as error:
        spec.release(children, out="release", by="ann")
    assert error.value.exit_code == 3
    assert ledger.status()["kids"].spent == before


def test_infeasible(children, tmp_path):
    (tmp_path / "pinned.csv").write_text("county,value\nAlpha,-1\nBeta,55\nGamma,25\nDelta,35\n")
    spec = (
        cg.spec("Children")
        .data(count="children", public=True)
        .dimension("county", ["Alpha", "Beta", "Gamma", "Delta"])
        .dimension("education", ["Low", "Medium", "High", "Very High"])
        .keep("county", values="pinned.csv")
        .noise("double-geometric", epsilon="1")
    )
    with pytest.raises(cg.Infeasible) as error:
        spec.check(children)
    assert error.value.exit_code == 4


def test_a_machine_that_fails(public, children, tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises((cg.SystemFailure, cg.BadInput)) as error:
        public.release(children, out="file/release")
    assert error.value.exit_code == 2


def test_a_panic_tells_where_and_nothing_else(capfd):
    with pytest.raises(cg.Bug) as error:
        _congenial._panic_for_tests(SECRET)
    assert "8128" not in str(error.value)
    assert "8128" not in repr(error.value)
    assert "running.rs" in str(error.value)
    assert error.value.__cause__ is None
    assert error.value.__context__ is None
    assert error.value.hint
    out, err = capfd.readouterr()
    assert "8128" not in out + err
    assert out + err == ""


def test_after_a_panic_the_package_goes_on(public, children):
    with pytest.raises(cg.Bug):
        _congenial._panic_for_tests(SECRET)
    assert public.release(children).cells == 16


@pytest.mark.parametrize("kind", [cg.BadInput, cg.Refused, cg.Infeasible, cg.SystemFailure, cg.Bug])
def test_errors_are_pickled(kind):
    error = kind("message", "hint", {"file": "f", "line": 1, "column": 2, "text": "text", "label": "label"})
    again = pickle.loads(pickle.dumps(error))
    assert (again.message, again.hint, again.place) == (error.message, error.hint, error.place)
    assert isinstance(again, cg.CongenialError)
    assert str(again) == "message\n  f, line 1, column 2\n    text\n     ^ label\nhint: hint"


def test_each_exit_code_has_its_class():
    classes = [cg.Bug, cg.BadInput, cg.SystemFailure, cg.Refused, cg.Infeasible]
    assert [kind.exit_code for kind in classes] == [1, 2, 2, 3, 4]


def test_messages_are_those_of_the_program(public, children, tmp_path):
    text = public.data(path="children.csv").to_toml().replace('by = ["county"]', 'by = ["contry"]')
    (tmp_path / "spec.toml").write_text(text)
    children.write_csv("children.csv")
    run = subprocess.run([sys.executable, "-m", "congenial", "check", "spec.toml"], capture_output=True, text=True)
    with pytest.raises(cg.BadInput) as error:
        cg.Spec.load("spec.toml")
    assert run.returncode == error.value.exit_code
    assert error.value.message in run.stderr
    assert error.value.hint in run.stderr
