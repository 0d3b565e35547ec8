"""What is tested is the package that is installed, unless the compiled module lies here (`maturin develop`)."""

import importlib
import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
COMPILED = [*(HERE / "congenial").glob("_congenial*.so"), *(HERE / "congenial").glob("_congenial*.pyd")]

if not COMPILED:
    # Doctests are collected from the sources here; the modules of these names that are imported are the installed ones.
    sys.path[:] = [folder for folder in sys.path if Path(folder) != HERE]
    os.environ["PY_IGNORE_IMPORTMISMATCH"] = "1"
    for module in sorted((HERE / "congenial").glob("_[a-z]*.py")):
        importlib.import_module(f"congenial.{module.stem}")
