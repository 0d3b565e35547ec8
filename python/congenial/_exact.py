"""Numbers that are read exactly: text, `Fraction`, `Decimal` and `int`, never `float`."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

__all__ = ["Exact", "exact_text", "fraction"]

Exact: TypeAlias = str | Fraction | Decimal | int
"""A number that stands for itself: `"1/4"`, `"0.1"`, `Fraction(1, 4)`, `Decimal("0.1")`, `2`."""


def exact_text(value: object, name: str) -> str:
    """The number as a spec writes it.

    >>> from fractions import Fraction
    >>> exact_text(Fraction(1, 4), "epsilon")
    '1/4'
    >>> exact_text(0.1, "epsilon")
    Traceback (most recent call last):
    TypeError: epsilon is a float, and 0.1 is not one tenth: it is 3602879701896397/36028797018963968
    hint: write it as text, epsilon="0.1", or as a Fraction, Decimal or int
    """
    if isinstance(value, bool) or value is None:
        raise TypeError(
            f"{name} is a number, and {value!r} was given\n"
            f'hint: write it as text, {name}="1/4", or as a Fraction, Decimal or int'
        )
    if isinstance(value, float):
        raise TypeError(_about_a_float(value, name))
    if isinstance(value, str):
        return value
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{name} is {value}, which is no number")
        return format(value, "f")
    if isinstance(value, (int, Fraction)):
        return str(value)
    raise TypeError(
        f"{name} is of type {type(value).__name__}\n"
        f'hint: write it as text, {name}="1/4", or as a Fraction, Decimal or int'
    )


def _about_a_float(value: float, name: str) -> str:
    remedy = f'hint: write it as text, {name}="{value!r}", or as a Fraction, Decimal or int'
    if value != value or value in (float("inf"), float("-inf")):
        return f'{name} is a float, and {value!r} is no number\nhint: write it as text, {name}="1/4"'
    if value == 0.1:
        return f"{name} is a float, and 0.1 is not one tenth: it is {Fraction(value)}\n{remedy}"
    return f"{name} is a float, and floats are rounded, as 0.1 is not one tenth\n{remedy}"


def fraction(text: object) -> Fraction | None:
    """The number that an exact text of the program stands for; `None` where there is none."""
    return None if text is None else Fraction(str(text))
