"""Writes a spec that is given as a dictionary as TOML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike, fspath
from typing import Any

from ._exact import exact_text

__all__ = ["frozen", "to_toml"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
# These are read exactly, so a float is never what was meant.
_EXACT = frozenset({"epsilon", "rho", "delta", "max_delta", "share"})
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def to_toml(document: Mapping[str, Any]) -> str:
    """The document as TOML, in its own order.

    >>> print(to_toml({"title": "Children", "data": {"frame": "rows"}, "invariant": [{"by": ["county"]}]}), end="")
    title = "Children"
    <BLANKLINE>
    [data]
    frame = "rows"
    <BLANKLINE>
    [[invariant]]
    by = ["county"]
    """
    lines: list[str] = []
    _table(lines, (), document)
    return "\n".join(lines).lstrip("\n") + "\n"


def frozen(value: Any, where: str = "the spec") -> Any:
    """A copy that shares nothing with what was given, of the types that TOML has."""
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"the keys of {where} are text, and {key!r} is of type {type(key).__name__}")
        return {key: frozen(item, f"`{key}`") for key, item in value.items() if item is not None}
    if isinstance(value, (bool, int, float, str, Fraction, Decimal)):
        return value
    if isinstance(value, PathLike):
        return str(fspath(value))
    if isinstance(value, (Sequence, range)) and not isinstance(value, (bytes, bytearray)):
        return [frozen(item, where) for item in value]
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return frozen(value.item(), where)
    raise TypeError(
        f"{where} holds a value of type {type(value).__name__}; a spec has text, numbers, lists and dictionaries"
    )


def _table(lines: list[str], path: tuple[str, ...], table: Mapping[str, Any]) -> None:
    nested: list[tuple[str, Any]] = []
    for key, value in table.items():
        if _is_section(path, key, value):
            nested.append((key, value))
        else:
            lines.append(f"{_key(key)} = {_value(value, key)}")
    for key, value in nested:
        name = ".".join(_key(part) for part in (*path, key))
        for opening, section in _sections(name, value):
            lines.extend(["", opening])
            _table(lines, (*path, key), section)


def _sections(name: str, value: Any) -> list[tuple[str, Mapping[str, Any]]]:
    if isinstance(value, Mapping):
        return [(f"[{name}]", value)]
    return [(f"[[{name}]]", item) for item in value]


def _is_section(path: tuple[str, ...], key: str, value: Any) -> bool:
    """Whether a value has a heading of its own; below a heading, `rule` and `query` alone are lists of sections."""
    if isinstance(value, Mapping):
        return not path
    listed = isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)
    return listed and (not path or (path, key) in {(("constraints",), "rule"), (("mechanism",), "query")})


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: Any, key: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if key in _EXACT:
        return _text(exact_text(value, key))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (Fraction, Decimal)):
        return _text(exact_text(value, key))
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError(f"`{key}` is {value!r}, which is no number")
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(name)} = {_value(item, name)}" for name, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    return "[" + ", ".join(_value(item, key) for item in value) + "]"


def _text(text: str) -> str:
    def escaped(character: str) -> str:
        if character in _ESCAPES:
            return _ESCAPES[character]
        if ord(character) < 0x20 or ord(character) == 0x7F:
            return f"\\u{ord(character):04X}"
        return character

    return '"' + "".join(escaped(character) for character in text) + '"'
