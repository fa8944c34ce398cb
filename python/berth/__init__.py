# SPDX-License-Identifier: Apache-2.0
"""Berth finds every operation of a neural network its berth: which device runs it, in which order, and which run fused.

    import berth
    plan = berth.place("zoo:rnnlm", "k40x2")
    print(plan)                  # step time, lower bound, devices
    plan.to_pandas()             # one row per op
    plan.save("plan.json")       # what `berth score` reads

docs/python.md says more."""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import capture

try:
    from ._bench import BudgetSpent, Leaderboard, RunBudget, bench, export_suite, suites
    from ._berth import BerthError, InfeasibleError
    from ._graphs import Graph, load
    from ._groups import Groups
    from ._machines import Machine, load_machine
    from ._learning import resume, train
    from ._planning import Sweep, SweepRow, compare, diff, place, score, sweep
    from ._plans import Plan, report
    from ._problems import Problem, problem
    from ._scores import Scores
    from ._serving import llm
    from ._words import ProblemWords
    from . import _berth, _program
except ModuleNotFoundError as error:
    if error.name != f"{__name__}._berth":
        raise
    _is_built = False  # in a tree of sources: berth.capture alone is there
else:
    _is_built = True

if TYPE_CHECKING:
    from ._environments import PlacementEnv as PlacementEnv, PlacementVectorEnv as PlacementVectorEnv

__all__ = ["BerthError", "BudgetSpent", "Graph", "Groups", "InfeasibleError", "Leaderboard", "Machine", "Plan",
           "Problem", "ProblemWords", "RunBudget", "Scores", "Sweep", "SweepRow", "bench", "capture", "compare", "diff", "export_suite",
           "formats", "llm", "load", "load_machine", "machines", "models", "place", "planners", "problem", "report", "resume", "score",
           "suites", "sweep", "train"]


def __getattr__(name: str) -> Any:
    """Environments are loaded when they are first asked for: they need gymnasium, which nothing else does."""
    if not _is_built:
        raise AttributeError(f"berth.{name} needs the built package: pip install .")
    if name not in ("PlacementEnv", "PlacementVectorEnv"):
        raise AttributeError(f"module 'berth' has no attribute '{name}'")
    try:
        return getattr(importlib.import_module("._environments", __name__), name)
    except ModuleNotFoundError as missing:
        raise BerthError(f"berth.{name} needs {missing.name}: pip install gymnasium") from None


def planners() -> dict[str, str]:
    """Planners by name, with what each does; the learned ones where the program berth is there."""
    can_learn = _program.is_there()
    return {name: summary for name, summary, built, learned in _berth.planners() if built or (learned and can_learn)}


def machines() -> dict[str, str]:
    """Built-in machines by name."""
    return dict(_berth.machines())


def models() -> dict[str, str]:
    """Models of the zoo by name: berth.load("zoo:NAME")."""
    return dict(_berth.models())


def formats() -> dict[str, str]:
    """Formats that Plan.export() writes."""
    return dict(_berth.formats())
