"""Shows how far a call has come: by tqdm where it is installed, else as text on stderr, or to a callable."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

__all__ = ["Progress", "watching"]

Callback: TypeAlias = Callable[[str, int], object]
Progress: TypeAlias = bool | Callback | None
"""`True`, or a callable that is told the stage (`"reading"`, `"drawing"`, …) and how much of it is done."""

_UNITS = {"reading": "bytes", "gathering": "pairs", "searching": "ranges", "drawing": "cells", "draws": "draws"}


@contextlib.contextmanager
def watching(progress: Progress) -> Iterator[Callback | None]:
    """What the module is to call, until the work has ended.

    >>> with watching(None) as callback:
    ...     print(callback)
    None
    """
    if progress is None or progress is False:
        yield None
    elif progress is True:
        with contextlib.closing(_shown()) as shown:
            yield shown
    elif callable(progress):
        yield progress
    else:
        raise TypeError(f"progress is True, False or a callable, not of type {type(progress).__name__}")


def _shown() -> _Bar | _Text:
    try:
        from tqdm import tqdm  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return _Text()
    return _Bar(tqdm)


class _Bar:
    """One bar of tqdm for every stage."""

    def __init__(self, tqdm: Any) -> None:
        self.tqdm = tqdm
        self.stage = ""
        self.bar: Any = None

    def __call__(self, stage: str, done: int) -> None:
        if stage != self.stage:
            self.close()
            self.stage = stage
            self.bar = self.tqdm(desc=stage, unit=" " + _UNITS.get(stage, "steps"), unit_scale=True, leave=False)
        self.bar.update(max(0, done - self.bar.n))

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None


class _Text:
    """One line of text on stderr, written over and over."""

    def __init__(self) -> None:
        self.width = 0

    def __call__(self, stage: str, done: int) -> None:
        line = f"{stage}: {done:,} {_UNITS.get(stage, 'steps')}"
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()
        self.width = len(line)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()
            self.width = 0
