"""The ledger from Python: budgets, payment, approval, history."""

from fractions import Fraction

import pytest
from shared import children_spec

import congenial as cg


def test_a_release_pays_once(confidential, ledger, children):
    first = confidential.release(children, out="first", by="ann")
    assert first.paid.dataset == "kids"
    assert "1/4" in first.paid.charged
    second = confidential.release(children, out="second", by="ann")
    assert second.handed_back.entry == first.paid.entry
    assert second.table().to_dict() == first.table().to_dict()
    third = confidential.release(children, out="third", by="ann", again=True)
    assert third.handed_back is None
    kids = ledger.status()["kids"]
    assert (kids.spent.epsilon, kids.left.epsilon) == (Fraction(1, 2), Fraction(3, 2))
    assert (kids.completed, kids.unfinished) == (2, 0)
    assert third.verify(ledger=ledger.address).holds


def test_status_and_history_are_told(confidential, ledger, children):
    confidential.release(children, out="release", by="ann")
    history = ledger.history("kids")
    assert history[0].kind == "opened"
    assert history[-1].kind == "completed"
    assert {entry.by for entry in history} == {"ann"}
    assert [entry.entry for entry in ledger.history()] == list(range(1, len(ledger.history()) + 1))
    table = ledger.table("kids").to_polars()
    assert table["kind"].to_list() == [entry.kind for entry in history]
    assert "kids" in str(ledger.status())
    assert "kids" in ledger._repr_html_()
    assert ledger.verify(["release"]).entries == ledger.status().entries
    with pytest.raises(KeyError):
        ledger.status()["others"]


def test_a_second_person_approves(children):
    ledger = cg.Ledger("sqlite:ledger.db")
    ledger.open("kids", epsilon="2", per="unit", approval=True, by="ann")
    spec = children_spec(public=False).budget("kids", ledger.address)
    with pytest.raises(cg.Refused):
        spec.release(children, out="release", by="ann")
    asked = spec.ask(children, by="ann")
    with pytest.raises(cg.CongenialError):
        ledger.approve(asked, by="ann")
    ledger.approve(asked, by="bea")
    assert spec.release(children, out="release", by="ann").paid


def test_what_another_dataset_owns_is_refused(confidential, ledger, children):
    confidential.note(children, by="ann")
    ledger.open("others", epsilon="2", per="unit", by="ann")
    spec = children_spec(public=False).budget("others", ledger.address)
    with pytest.raises(cg.Refused):
        spec.release(children, out="release", by="ann")


def test_a_ledger_that_is_not_there():
    with pytest.raises(cg.CongenialError):
        cg.Ledger("sqlite:nowhere.db").status()
    with pytest.raises(cg.BadInput):
        cg.Ledger("nonsense").status()


def test_budgets_are_exact():
    ledger = cg.Ledger("sqlite:ledger.db")
    ledger.open("a", rho=Fraction(1, 3), by="ann")
    ledger.open("b", epsilon=1, delta="1e-6", by="ann")
    status = ledger.status()
    assert status["a"].budget.rho == Fraction(1, 3)
    assert status["b"].budget.delta == Fraction(1, 10**6)
    with pytest.raises(cg.BadInput):
        ledger.open("c", by="ann")
