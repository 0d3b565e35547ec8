"""The program `congenial` as a console script."""

from __future__ import annotations

import signal
import sys

from . import _congenial

__all__ = ["main"]


def main() -> int:
    """Run the program with the arguments of the process, and give its exit code."""
    # The program has its own way to stop: Ctrl-C must reach it, and not wait for the interpreter.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _congenial.main(["congenial", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
