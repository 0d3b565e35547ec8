"""Statistical tables with differential privacy that keep mandated totals exactly true.

>>> import congenial as cg
>>> children = cg.Table.of({
...     "county": ["Alpha", "Alpha", "Beta", "Beta"], "education": ["Low", "High"] * 2, "children": [15, 5, 30, 25],
... })
>>> spec = (
...     cg.spec("Children by county")
...     .data(count="children", public=True)
...     .dimension("county", ["Alpha", "Beta"])
...     .dimension("education", ["Low", "High"])
...     .keep("county")
...     .nonnegative(False)
...     .noise("double-geometric", epsilon="1/4", per="unit")
... )
>>> plan = spec.explain(children)
>>> plan.loss.epsilon, plan.loss.theorem
(Fraction(1, 4), 'G1')
>>> release = spec.release(children)
>>> [(total.name, total.value) for total in release.totals]
[('county = Alpha', 20), ('county = Beta', 55)]
>>> columns = release.table().to_dict()
>>> columns["value"][0] + columns["value"][1]
20
"""

from __future__ import annotations

from . import _congenial
from ._answers import Audit, Checked, Comparison, Data, Plan
from ._errors import BadInput, Bug, CongenialError, Infeasible, Place, Refused, SystemFailure
from ._frames import Table
from ._inference import Figures, Law, Opened, Posterior
from ._inference import open_release as open
from ._ledger import Ledger
from ._release import Release, Verified, demo, verify
from ._spec import Builder, Spec, audit, compare, simulate, spec

__version__: str = _congenial.version()

__all__ = [
    "Audit",
    "BadInput",
    "Bug",
    "Builder",
    "Checked",
    "Comparison",
    "CongenialError",
    "Data",
    "Figures",
    "Infeasible",
    "Law",
    "Ledger",
    "Opened",
    "Place",
    "Plan",
    "Posterior",
    "Refused",
    "Release",
    "Spec",
    "SystemFailure",
    "Table",
    "Verified",
    "audit",
    "compare",
    "demo",
    "open",
    "simulate",
    "spec",
    "verify",
]
