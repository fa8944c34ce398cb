# SPDX-License-Identifier: Apache-2.0
"""From a graph and a machine to plans: one, several side by side, several sizes, and what exists."""
from __future__ import annotations

import dataclasses
import json
import os
import warnings
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from . import _berth
from ._graphs import GraphSource
from ._learning import is_learned, learning_flags, place_learned
from ._machines import MachineSource
from ._plans import Plan
from ._words import Asked, ProblemWords

if TYPE_CHECKING:
    from typing_extensions import Unpack

Progress = Callable[[float, int, "float | None", float], None]  # elapsed_s, evaluations, best_s, lower_bound_s


def place(graph: GraphSource, machine: MachineSource | None = None, planner: str = "auto", *, budget: float = 10.0,
          evaluations: int = 0, seed: int = 1, threads: int = 0, fusion: str = "", schedule: str = "",
          placement: str | os.PathLike[str] = "", policy: str | os.PathLike[str] = "", zero_shot: bool = False, finetune: int = 0,
          preset: str = "", options: Mapping[str, Any] | None = None, progress: Progress | None = None,
          **problem: Unpack[ProblemWords]) -> Plan:
    """Finds a plan. budget: seconds to search; evaluations: plans to simulate instead, which makes the result depend on the
    seed alone; threads: 0 is one per core. Ctrl-C ends the search and keeps its best plan. machine is None only for public
    problems, which bring their own. What else may be said of the problem: berth.ProblemWords.

    fusion, schedule: who fuses and orders what the planner has placed; placement: a plan file whose devices stay.

    Learned planners and policy, the folder of a trained run, take the program berth (docs/python.md); preset and options
    are theirs, zero_shot and finetune a policy's. There is no progress from there."""
    _check_budget(budget)
    asked = Asked(graph, machine, problem)
    learning = learning_flags(preset, options, zero_shot, finetune)
    if policy or is_learned(planner):
        search = {"budget": budget, "evaluations": evaluations, "seed": seed, "threads": threads}
        stages = [f"--{flag}={name}" for flag, name in (("fusion", fusion), ("schedule", schedule)) if name]
        answer = place_learned(asked, planner, search, os.fspath(policy), learning + stages)
    elif learning:
        raise _berth.BerthError(f"preset, options, zero_shot and finetune are for learned planners; '{planner}' is none")
    else:
        answer = _berth.place(asked.request(), planner, os.fspath(placement), fusion, schedule, float(budget), evaluations, seed, threads,
                              progress)
    return _plan(asked, *answer)


def score(graph: GraphSource, machine: MachineSource | None, plan: str | os.PathLike[str] = "", **problem: Unpack[ProblemWords]) -> Plan:
    """What the plan in a file is worth: ours, accelerate's device_map, layer settings of ONNX Runtime, affinities of
    OpenVINO, a TensorFlow graph with device fields, or CSV. Without one: the placement that the model's own file carries."""
    asked = Asked(graph, machine, problem)
    return _plan(asked, *_berth.score(asked.request(), os.fspath(plan)))


def compare(graph: GraphSource, machine: MachineSource | None, planners: Sequence[str] = ("classical",), *, budget: float = 10.0,
            evaluations: int = 0, seed: int = 1, threads: int = 0, progress: Progress | None = None,
            **problem: Unpack[ProblemWords]) -> list[Plan]:
    """A plan of each of the planners, best first; those that do not fit in memory last. Each has the whole budget. "classical"
    stands for all that do not learn. A planner without any plan is left out, with a warning."""
    _check_budget(budget)
    asked = Asked(graph, machine, problem)
    names = [planners] if isinstance(planners, str) else list(planners)
    here = [name for name in names if not is_learned(name)]
    plans: list[Plan] = []
    failures: list[tuple[str, str]] = []
    if here:
        found, failures, single, notes = _berth.compare(asked.request(), ",".join(here), float(budget), evaluations, seed, threads, progress)
        plans = [Plan(plan, asked.written, single) for plan in found]
        _warn(notes)
    for name in names:
        if is_learned(name):
            try:
                plans.append(place(graph, machine, name, budget=budget, evaluations=evaluations, seed=seed, threads=threads, **problem))
            except _berth.InfeasibleError as error:
                failures.append((name, str(error)))
    if not plans and failures:
        raise _berth.InfeasibleError(f"{failures[0][0]}: {failures[0][1]}")
    _warn([f"{name}: {why}" for name, why in failures])
    return sorted(plans, key=lambda plan: (not plan.feasible, plan._native.simulated_s))


@dataclasses.dataclass(frozen=True)
class SweepRow:
    value: str
    plan: Plan | None  # None: there is none at all
    rate: float  # samples per second for a sweep over batch sizes, else steps per second; 0 if it does not fit


@dataclasses.dataclass(frozen=True)
class Sweep:
    """One plan per value, and whether more pays."""
    rows: list[SweepRow]
    verdict: str

    def to_pandas(self) -> Any:
        import pandas
        return pandas.DataFrame([{"value": row.value, "step_time": row.plan.step_time if row.plan else None, "rate": row.rate}
                                 for row in self.rows])


def sweep(graph: GraphSource, machine: MachineSource | None, over: str, values: Sequence[Any], planner: str = "auto", *,
          budget: float = 10.0, evaluations: int = 0, seed: int = 1, threads: int = 0, progress: Progress | None = None,
          **problem: Unpack[ProblemWords]) -> Sweep:
    """One plan for each value of `over`: "devices", "batch" or another parameter of a zoo model, an open size of a model's file, or a
    figure of the machine ("link.*.bandwidth"). Each has the whole budget."""
    _check_budget(budget)
    if is_learned(planner):
        raise _berth.BerthError(f"planner '{planner}' is not for sweeps in Python; berth sweep --planner {planner} has it")
    asked = Asked(graph, machine, problem)
    text = f"{over}={','.join(str(value) for value in values)}"
    rows, verdict, notes = _berth.sweep(asked.request(), text, planner, float(budget), evaluations, seed, threads, progress)
    _warn(notes)
    return Sweep([SweepRow(value, Plan(plan, asked.written) if plan else None, rate) for value, plan, rate in rows], verdict)


def diff(before: str | os.PathLike[str], after: str | os.PathLike[str], graph: GraphSource | None = None,
         machine: MachineSource | None = None, **problem: Unpack[ProblemWords]) -> dict[str, Any]:
    """What moved from one plan file to another: moved (ops), moves ({(from, to): count}), before_s and after_s. With a graph both are
    simulated, and parts says which parts of the model moved."""
    request = None if graph is None else Asked(graph, machine, problem).request()
    answer = json.loads(_berth.diff(os.fspath(before), os.fspath(after), request))
    moved = {"ops": answer["ops"], "moved": answer["moved_ops"], "moves": {(way["from"], way["to"]): way["ops"] for way in answer["ways"]},
             "before_s": answer["step_time_before_s"], "after_s": answer["step_time_after_s"]}
    if answer["simulated"]:
        moved["parts"] = {part["name"]: part["ops"] for part in answer["parts"]}
    return moved


def _plan(asked: Asked, plan: _berth.Plan, single: _berth.Plan | None, unchanged: _berth.Plan | None, notes: list[str]) -> Plan:
    _warn(notes)
    return Plan(plan, asked.written, single, unchanged)


def _warn(notes: Sequence[str]) -> None:
    for note in notes:
        warnings.warn(note, stacklevel=4)


def _check_budget(budget: float) -> None:
    if budget <= 0:
        raise _berth.BerthError(f"budget: {budget} is not a time to search; give more than nothing")
