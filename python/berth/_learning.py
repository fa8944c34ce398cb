# SPDX-License-Identifier: Apache-2.0
"""Learned planners and trained policies, by the program."""
from __future__ import annotations

import os
import pathlib
import tempfile
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from . import _berth, _program
from ._graphs import GraphSource
from ._machines import MachineSource
from ._words import Asked, ProblemWords

if TYPE_CHECKING:
    from typing_extensions import Unpack


def is_learned(planner: str) -> bool:
    return any(learned and name == planner for name, _, _, learned in _berth.planners())


def place_learned(problem: Asked, planner: str, budget: Mapping[str, Any], policy: str, learning: Sequence[str]) -> Any:
    """What _berth.place() returns, of a plan that the program finds."""
    what = "a trained policy" if policy else f"planner '{planner}'"
    with tempfile.TemporaryDirectory(prefix="berth-") as folder:
        path = pathlib.Path(folder) / "plan.json"
        words = ["place", problem.written.source, *_machine(problem), *problem.flags(), *budget_flags(**budget), *learning, "-o", str(path)]
        words += [f"--policy={policy}"] if policy else []
        words += [f"--planner={planner}"] if planner != "auto" or not policy else []
        answer = _program.ask(what, words, path)
        plan, single, before, notes = _berth.score(problem.request(), str(path))
    found = plan.found_by(answer["planner"], answer["note"], answer["search_s"], answer["evaluations"], answer["seed"],
                          answer["interrupted"])
    return found, single, before, notes


def learning_flags(preset: str, options: Mapping[str, Any] | None, zero_shot: bool = False, finetune: int = 0) -> list[str]:
    flags = [f"--preset={preset}"] if preset else []
    flags += [f"--option={name}={value}" for name, value in (options or {}).items()]
    flags += ["--zero-shot"] if zero_shot else []
    return flags + ([f"--finetune={finetune}"] if finetune else [])


def budget_flags(budget: float | None = None, evaluations: int = 0, seed: int = 1, threads: int = 0) -> list[str]:
    flags = ["--quiet", f"--seed={seed}"]
    flags += [f"--budget={budget:f}s"] if budget else []
    flags += [f"--evaluations={evaluations}"] if evaluations else []
    return flags + ([f"--threads={threads}"] if threads else [])


def train(graph: GraphSource, machine: MachineSource | None, run: str | os.PathLike[str], *, planner: str = "hierarchical",
          budget: float | None = None, updates: int = 0, evaluations: int = 0, seed: int = 1, threads: int = 0, preset: str = "",
          options: Mapping[str, Any] | None = None, **problem: Unpack[ProblemWords]) -> dict[str, Any]:
    """Trains a policy in the new folder `run`, as `berth train` does, until the first of budget (seconds), updates and evaluations is
    spent; ten minutes if none is given. Returns what the program says: step_time_s, plan (the file of the best one), updates, run,
    warnings and more. place(..., policy=run) plans with it."""
    asked = Asked(graph, machine, problem)
    words = ["train", asked.written.source, *_machine(asked), *asked.flags(), *budget_flags(budget, evaluations, seed, threads),
             *learning_flags(preset, options), f"--planner={planner}", "-o", os.fspath(run)]
    return _program.ask("training", words + ([f"--updates={updates}"] if updates else []))


def resume(run: str | os.PathLike[str], *, budget: float | None = None, updates: int = 0, evaluations: int = 0) -> dict[str, Any]:
    """Goes on with a run, up to larger limits, which count from its very beginning."""
    words = ["train", f"--resume={os.fspath(run)}", "--quiet"]
    words += [f"--budget={budget:f}s"] if budget else []
    words += [f"--updates={updates}"] if updates else []
    return _program.ask("training", words + ([f"--evaluations={evaluations}"] if evaluations else []))


def _machine(problem: Asked) -> list[str]:
    return [f"--machine={problem.machine}"] if problem.machine else []
