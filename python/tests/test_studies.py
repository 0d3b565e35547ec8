"""Comparisons, audits and simulations, with stand-ins as frames or files."""

import polars
import pytest
from shared import children_spec

import congenial as cg


def test_a_comparison_has_all_methods(public, children):
    comparison = cg.compare(public, children, draws=20, seed=1)
    names = [method.method for method in comparison.methods[0]]
    assert {"condition", "unconstrained", "topdown"} <= set(names)
    condition = comparison.methods[0][names.index("condition")]
    assert condition.applies
    assert condition.broken == 0
    assert condition.l1 > 0
    assert comparison == cg.compare(public, children, draws=20, seed=1)
    assert comparison != cg.compare(public, children, draws=20, seed=2)
    table = comparison.table().to_polars()
    assert table["method"].to_list() == names
    assert "condition" in str(comparison)


def test_a_comparison_at_several_strengths(public, children):
    comparison = public.compare(children, draws=5, epsilon=["1/2", 1])
    assert len(comparison.losses) == 2
    assert len(comparison.methods) == 2


def test_confidential_data_are_studied_on_a_stand_in(confidential, children, ledger):
    before = ledger.status()
    children.write_csv("last_year.csv")
    by_frame = cg.compare(confidential, on=children, draws=5, seed=1)
    by_file = cg.compare(confidential, on="last_year.csv", draws=5, seed=1)
    assert by_frame.as_dict()["truth"] == by_file.as_dict()["truth"]
    audit = cg.audit(confidential, on=children, draws=10, runs=50)
    assert not audit.contradicted
    assert audit.operators == ("closed-form",)
    assert ledger.status() == before


def test_confidential_data_themselves_are_not_studied(confidential, children):
    with pytest.raises(cg.CongenialError):
        confidential.compare(children, draws=2)
    with pytest.raises(cg.CongenialError):
        confidential.simulate(children, draws=2)


def test_simulations_have_a_seed_and_keep_totals(public, children):
    first = cg.simulate(public, children, draws=10, seed=1)
    assert first.to_dict() == cg.simulate(public, children, draws=10, seed=1).to_dict()
    assert first.to_dict() != cg.simulate(public, children, draws=10, seed=2).to_dict()
    assert first.to_dict() != cg.simulate(public, children, draws=10).to_dict()
    table = first.to_polars()
    assert table.columns == ["county", "education", "draw", "value"]
    assert table.height == 160
    totals = table.group_by("draw", "county").agg(polars.col("value").sum())
    assert set(totals.select("county", "value").iter_rows()) == {
        ("Alpha", 20),
        ("Beta", 55),
        ("Gamma", 25),
        ("Delta", 35),
    }


def test_errors_are_measured_on_a_stand_in(children):
    spec = children_spec().nonnegative(True)
    plan = spec.explain(children, error=True, on=children, draws=20)
    assert "stand_in_error" in plan.as_dict()


def test_that_a_stand_in_is_near_confidential_data_is_one_answer(confidential, children, ledger):
    before = ledger.status()["kids"].answers
    with pytest.raises(cg.Refused, match="stand-in is the confidential table"):
        confidential.explain(children, on=children)
    assert ledger.status()["kids"].answers == before + 1
