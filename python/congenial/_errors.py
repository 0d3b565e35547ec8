"""What can go wrong, as exceptions: one class for each kind of problem that the program has an exit code for.

An error says what happened, where, and what to do next. None of them holds anything of a confidential table
beyond what the curator is shown when a row cannot be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["BadInput", "Bug", "CongenialError", "Infeasible", "Place", "Refused", "SystemFailure"]


@dataclass(frozen=True)
class Place:
    """Where in a text the problem was found."""

    file: str
    """The name of the file, or what the spec is called."""
    line: int
    """The line, counted from 1."""
    column: int
    """The column, in characters counted from 1."""
    text: str
    """The text of that line."""
    label: str = ""
    """What stands there, in a few words."""

    def __str__(self) -> str:
        pointer = " " * (self.column - 1) + "^"
        label = f" {self.label}" if self.label else ""
        return f"  {self.file}, line {self.line}, column {self.column}\n    {self.text}\n    {pointer}{label}"


class CongenialError(Exception):
    """The class of all errors of this package.

    >>> error = BadInput("unknown dimension `contry`", "did you mean `county`?")
    >>> print(error)
    unknown dimension `contry`
    hint: did you mean `county`?
    """

    message: str
    """What happened, in one sentence."""
    hint: str | None
    """What to do next, if that is known."""
    place: Place | None
    """Where in the spec or the data, if it has a place there."""
    exit_code: int = 1
    """The exit code of the program for problems of this kind."""

    def __init__(
        self, message: str, hint: str | None = None, place: Place | Mapping[str, object] | None = None
    ) -> None:
        if isinstance(place, Mapping):
            place = Place(**place)  # type: ignore[arg-type]
        super().__init__(message, hint, place)
        self.message = message
        self.hint = hint
        self.place = place

    def __str__(self) -> str:
        parts = [self.message]
        if self.place is not None:
            parts.append(str(self.place))
        if self.hint is not None:
            parts.append(f"hint: {self.hint}")
        return "\n".join(parts)


class BadInput(CongenialError):
    """Bad usage, spec or data, or a release that does not verify. Nothing was written or spent."""

    exit_code = 2


class Refused(CongenialError):
    """The program will not do it: budget, disclosure, not certifiable, or not yet supported."""

    exit_code = 3


class Infeasible(CongenialError):
    """No table satisfies the constraints."""

    exit_code = 4


class SystemFailure(CongenialError):
    """The machine failed: a file could not be read or written, a stream broke, there was no randomness."""

    exit_code = 2


class Bug(CongenialError):
    """The program failed through its own fault. The text says where, and holds nothing of your data."""

    exit_code = 1
