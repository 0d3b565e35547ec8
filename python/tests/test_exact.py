"""Strengths are read exactly, or not at all."""

from decimal import Decimal
from fractions import Fraction

import pytest
from shared import children_spec

import congenial as cg


@pytest.mark.parametrize(
    ("epsilon", "exact"),
    [
        ("1/4", Fraction(1, 4)),
        ("0.1", Fraction(1, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Decimal("1E-2"), Fraction(1, 100)),
        (2, Fraction(2)),
    ],
)
def test_what_stands_for_itself_is_the_loss(epsilon, exact, children):
    assert children_spec(epsilon=epsilon).explain(children).loss.epsilon == exact


@pytest.mark.parametrize("epsilon", [0.1, 0.25, 1.0, float("nan"), float("inf")])
def test_a_float_is_refused_with_the_reason(epsilon):
    with pytest.raises(TypeError, match="float") as refused:
        children_spec(epsilon=epsilon)
    assert "hint: write it as text" in str(refused.value)


def test_one_tenth_is_named():
    with pytest.raises(TypeError, match=r"0\.1 is not one tenth"):
        children_spec(epsilon=0.1)


def test_a_float_in_a_dictionary_is_refused():
    document = {"title": "t", "data": {"frame": "rows"}, "dimensions": {"a": ["x", "y"]}}
    with pytest.raises(TypeError, match="epsilon is a float"):
        cg.Spec.from_dict({**document, "mechanism": {"noise": "double-geometric", "epsilon": 0.5}})


@pytest.mark.parametrize("name", ["epsilon", "rho", "delta"])
def test_a_float_is_no_budget(name):
    with pytest.raises(TypeError, match=f"{name} is a float"):
        cg.Ledger("sqlite:ledger.db").open("kids", **{name: 0.5})


def test_a_truth_value_is_no_number():
    with pytest.raises(TypeError, match="epsilon is a number"):
        children_spec(epsilon=True)


def test_strengths_of_a_comparison_are_exact_too(public, children):
    with pytest.raises(TypeError, match="epsilon is a float"):
        public.compare(children, epsilon=[0.5])
