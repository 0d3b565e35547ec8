"""Specs: from files, texts, dictionaries and the builder; immutable, and pickled."""

import dataclasses
import pickle

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as some
from shared import children_spec

import congenial as cg

TOML = """
title = "Children by county"

[data]
frame = "rows"
count = "children"
public = true

[dimensions]
county = ["Alpha", "Beta", "Gamma", "Delta"]
education = ["Low", "Medium", "High", "Very High"]

[[invariant]]
by = ["county"]

[constraints]
nonnegative = false

[mechanism]
noise = "double-geometric"
epsilon = "1/4"
per = "unit"
"""

DICTIONARY = {
    "title": "Children by county",
    "data": {"frame": "rows", "count": "children", "public": True},
    "dimensions": {
        "county": ["Alpha", "Beta", "Gamma", "Delta"],
        "education": ["Low", "Medium", "High", "Very High"],
    },
    "invariant": [{"by": ["county"]}],
    "constraints": {"nonnegative": False},
    "mechanism": {"noise": "double-geometric", "epsilon": "1/4", "per": "unit"},
}


def test_all_ways_say_the_same(tmp_path):
    (tmp_path / "congenial.toml").write_text(TOML)
    ways = [cg.Spec(TOML), cg.Spec.load("congenial.toml"), cg.Spec.from_dict(DICTIONARY), children_spec()]
    assert len({way.canonical() for way in ways}) == 1
    assert {way.title for way in ways} == {"Children by county"}
    assert {way.dimensions for way in ways} == {("county", "education")}
    assert {way.cells for way in ways} == {16}
    assert all(way.is_public for way in ways)


def test_the_canonical_form_says_that_the_data_were_handed_over():
    assert 'frame = "rows"' in cg.Spec(TOML).canonical()


def test_what_is_given_is_given_back():
    assert cg.Spec(TOML).to_toml() == TOML


@pytest.mark.parametrize("spec", [cg.Spec(TOML), children_spec()], ids=["text", "built"])
def test_specs_are_immutable_and_pickled(spec):
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec.text = ""
    again = pickle.loads(pickle.dumps(spec))
    assert again == spec
    assert again.canonical() == spec.canonical()
    assert hash(again) == hash(spec)


def test_a_step_changes_nothing_before_it():
    first = cg.spec("Children")
    before = first.to_toml()
    first.dimension("county", ["Alpha"]).keep("county").rule("county = 'Alpha'", "<=", 3).zero("county = 'Alpha'")
    assert first.to_toml() == before


def test_what_is_handed_to_a_step_is_not_shared():
    labels = ["Alpha", "Beta"]
    spec = cg.spec("Children").dimension("county", labels)
    labels.append("Gamma")
    assert "Gamma" not in spec.keep().to_toml()


def test_a_half_built_spec_says_what_is_missing_when_it_is_used():
    with pytest.raises(cg.BadInput):
        cg.spec("Children").check()


def test_every_step_is_written(tmp_path):
    spec = (
        cg.spec("Everything")
        .data(count="n", public=True, outside="drop", where="county != 'Omega'")
        .dimension("county", ["Alpha", "Beta"], column="COUNTY", trim=True, case="ignore", recode={"A": "Alpha"})
        .dimension("age", bins=[0, 18, 65], open=True)
        .dimension("sex", ["f", "m"])
        .keep()
        .keep("county")
        .keep(terms=[{"where": "sex = 'f'", "times": 1}, {"where": "sex = 'm'", "times": -1}])
        .zero("county = 'Alpha' and sex = 'm'")
        .rule("sex = 'f'", "<=", "sex = 'm'", by=["county"])
        .noise("double-geometric", epsilon="1/2", sampler="auto")
        .output("women", by=["county"], where="sex = 'f'")
        .output("share", by=[], rate={"numerator": "sex = 'f'", "denominator": "sex = 'm'", "times": 100})
        .limits(memory="1 GB", time="1 minutes")
        .sensitive("county = 'Beta'", within=2)
        .budget("kids", "sqlite:ledger.db", chosen="by the board")
    )
    again = cg.Spec(spec.to_toml())
    assert again.canonical() == spec.canonical()
    canonical = spec.canonical()
    for said in ["COUNTY", "women", "by the board", "1 GB", "sqlite:ledger.db", "Omega"]:
        assert said in canonical


def test_a_path_replaces_the_frame():
    text = cg.spec("Children").data(path="children.csv").to_toml()
    assert 'path = "children.csv"' in text
    assert "frame" not in text


def test_queries_and_suppression_are_written():
    base = cg.spec("t").public().dimension("a", ["x", "y"]).dimension("b", ["p", "q"])
    queried = (
        base.nonnegative(False).noise("double-geometric").query(["a"], epsilon="1/2").query(["a", "b"], epsilon="1/2")
    )
    assert queried.to_toml().count("[[mechanism.query]]") == 2
    assert queried.canonical()
    assert base.keep("a").suppress().canonical()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: cg.Spec(3),
        lambda: cg.Spec.from_dict([("title", "t")]),
        lambda: cg.Spec.from_dict({"title": object()}),
        lambda: cg.Spec.from_dict({3: "t"}),
        lambda: cg.spec(3),
        lambda: cg.spec("t").dimension("a", "text"),
        lambda: cg.spec("t").dimension("a"),
        lambda: cg.spec("t").dimension("a", [1.5]),
        lambda: cg.spec("t").keep(["a", "b"]),
    ],
)
def test_the_wrong_type_is_a_type_error(wrong):
    with pytest.raises(TypeError):
        wrong()


def test_a_dimension_is_declared_once():
    with pytest.raises(ValueError, match="already"):
        cg.spec("t").dimension("a", ["x"]).dimension("a", ["x"])


def test_a_spec_that_is_not_there_or_not_text(tmp_path):
    with pytest.raises(cg.BadInput, match=r"missing\.toml") as missing:
        cg.Spec.load("missing.toml")
    assert missing.value.hint
    (tmp_path / "latin.toml").write_bytes(b'title = "\xe4"')
    with pytest.raises(cg.BadInput, match="UTF-8"):
        cg.Spec.load("latin.toml")


def test_files_are_looked_for_beside_the_spec(tmp_path, monkeypatch):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "spec.toml").write_text(TOML.replace('frame = "rows"', 'path = "rows.csv"'))
    (tmp_path / "deep" / "rows.csv").write_text("county,education,children\nAlpha,Low,3\n")
    spec = cg.Spec.load("deep/spec.toml")
    monkeypatch.chdir(tmp_path / "deep")
    assert spec.check().cells == 16


@given(
    some.dictionaries(some.text(max_size=8), some.text(max_size=20) | some.integers(-(2**63), 2**63 - 1), max_size=5),
    some.lists(some.text(max_size=20), max_size=5),
)
def test_any_text_survives_the_writer(table, texts):
    tomllib = pytest.importorskip("tomllib")
    from congenial._toml import frozen, to_toml

    document = {"title": "t", "table": {"inner": table, "texts": texts}, "listed": [{"inner": table}]}
    assert tomllib.loads(to_toml(frozen(document))) == document


def test_short_and_long_questions_have_one_answer_on_every_thread():
    """The thread that imports the package answers short questions itself, and begins long ones again elsewhere."""
    from concurrent.futures import ThreadPoolExecutor

    def square(size: int) -> cg.Builder:
        rows = cg.spec("A square").dimension("row", integers=[1, size]).dimension("column", integers=[1, size])
        return rows.keep("row").public().noise("double-geometric", epsilon="1/4", per="unit")

    def answers(size: int) -> tuple[dict, dict, str]:
        numbers = range(size * size)
        frame = polars.DataFrame({"row": [1 + n // size for n in numbers], "column": [1 + n % size for n in numbers]})
        spec = square(size)
        return spec.explain(frame).as_dict(), spec.check(frame).as_dict(), spec.explain(frame)._repr_html_()

    with ThreadPoolExecutor(1) as other:
        for size in (2, 300):
            here, there = answers(size), other.submit(answers, size).result()
            for answer in (here[0], there[0]):
                # What it takes is measured, not computed.
                answer.pop("seconds", None)
            assert here == there
            assert here[0]["cells"] == size * size
