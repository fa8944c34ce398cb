# SPDX-License-Identifier: Apache-2.0
"""The leaderboard: planners of ours and functions of yours on a suite of problems, with equal budgets."""
from __future__ import annotations

import html
import json
import os
import pathlib
import sys
import traceback
import warnings
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence, Union

from . import _berth
from ._arrays import numpy
from ._learning import is_learned
from ._planning import place
from ._plans import Plan
from ._problems import Problem, _order
from ._words import Asked

if TYPE_CHECKING:
    import pandas

BudgetSpent = _berth.BudgetSpent


class RunBudget:
    """What a planner has for one run: so many evaluations, or seconds. They are counted here, whatever the planner does."""

    def __init__(self, native: _berth.RunBudget):
        self._native = native
        self.seed: int = native.seed  # of everything random
        self.threads: int = native.threads

    @property
    def is_spent(self) -> bool:
        """Nothing is left, or somebody pressed Ctrl-C."""
        return self._native.is_spent

    @property
    def evaluations(self) -> int:
        """Plans that were simulated so far."""
        return self._native.evaluations

    @property
    def evaluations_left(self) -> int | None:
        """None if the limit is a time."""
        return self._native.evaluations_left

    @property
    def seconds_left(self) -> float | None:
        """None if the limit is a number of evaluations."""
        return self._native.seconds_left


Answer = Any  # None, devices [ops], {op: device}, a berth.Plan, or (devices, priorities)
Planner = Union[str, Callable[[Problem, RunBudget], Answer]]


class Leaderboard:
    """Who stands where. Printed, it is the table; in a notebook, the page."""

    def __init__(self, native: _berth.BenchAnswer):
        self._native = native

    def answer(self) -> dict[str, Any]:
        """All that `berth bench --json` says."""
        return json.loads(self._native.json())

    @property
    def standings(self) -> list[dict[str, Any]]:
        """The planners, best first: has, lacks, to_known, to_best, best_on, optimal_on, worst, evaluations, search_s, failed_runs ..."""
        return self.answer()["standings"]

    @property
    def problems(self) -> list[dict[str, Any]]:
        """Problems with their planners: median_s, least_s, most_s and the single runs of each."""
        return self.answer()["problems"]

    def to_pandas(self) -> pandas.DataFrame:
        """One row per run."""
        import io

        import pandas
        return pandas.read_csv(io.StringIO(self._native.csv()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """A page (.html), a line for every run (.csv), or everything (.json)."""
        self._native.save(os.fspath(path))

    def __str__(self) -> str:
        standings, problems = self._native.tables()
        return "\n".join([self._native.headline(), *_lines(*standings), "", *_lines(*problems), *_after_a_gap(self._native.remarks())])

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self._native.html())}" width="100%" height="700"></iframe>'


def bench(planners: Mapping[str, Planner] | Sequence[str], *, suite: str = "quick", rows: Sequence[str] = (),
          plans: Mapping[str, str | os.PathLike[str]] | None = None, evaluations: int = 1000, budget: float | None = None, seeds: int = 3,
          seed: int = 1, threads: int = 0, simulate_on: str = "auto", save_plans: str | os.PathLike[str] = "",
          progress: Callable[[str], None] | None = None) -> Leaderboard:
    """Planners on a suite of problems (docs/leaderboard.md), all with as many evaluations, or `budget` seconds, for each of the seeds.

    planners: {"auto": "auto", "mine": function}, or names of ours alone. A function is called with a problem and a budget for every
    problem and seed. It judges plans by problem.evaluate(), which counts, until budget.is_spent or berth.BudgetSpent, which it need not
    catch. What it returns is verified and simulated: devices of ops as an array, {op: device}, a berth.Plan, or (devices, priorities);
    with None the best plan that it evaluated counts. One that fails, or whose plan is not legal, has a row that says so.

    rows: only problems with one of these in their names. plans: {"theirs": "folder"} with folder/ROW.json for every problem, or a pattern
    "plans/{row}.{seed}.csv". save_plans: a folder that keeps the plan of every run. progress: called with a line now and then; the
    default shows it on a terminal. Ctrl-C ends it with what there is."""
    words = _berth.BenchWords()
    words.suite, words.rows = suite, list(rows)
    given = planners.items() if isinstance(planners, Mapping) else [(name, name) for name in planners]
    words.planners = [(name, _as_function(planner)) for name, planner in given]
    words.plans = [(name, os.fspath(files)) for name, files in (plans or {}).items()]
    words.evaluations, words.budget_s = (0, _positive("budget", budget)) if budget is not None else (int(_positive("evaluations", evaluations)), 0.0)
    words.seeds, words.seed, words.threads, words.simulate_on = int(_positive("seeds", seeds)), int(_positive("seed", seed)), threads, simulate_on
    words.saved_plans = os.fspath(save_plans)
    limit = f"evaluations={evaluations}" if budget is None else f"budget={budget:g}"
    words.made_by = f"berth.bench(suite={suite!r}, {limit}, seeds={seeds}): {', '.join(name for name, _ in given)}"
    line = _TerminalLine() if progress is None and sys.stderr is not None and sys.stderr.isatty() else None
    answer, notes = _berth.bench(words, line.show if line else progress)
    if line:
        line.clear()
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return Leaderboard(answer)


def suites() -> dict[str, str]:
    """Suites of problems by name, for bench() and export_suite()."""
    return {suite["name"]: suite["summary"] for suite in json.loads(_berth.suites())["suites"]}


def export_suite(suite: str, folder: str | os.PathLike[str], *, rows: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Writes the problems as arrays for numpy.load(), folder/NAME.npz (docs/formats.md, berth-arrays/1), and suite.json. Returns what is
    known of each: name, ops, edges, devices, lower_bound_s, optimum_s."""
    return json.loads(_berth.export_suite(suite, list(rows), os.fspath(folder)))["problems"]


def _positive(name: str, value: float) -> float:
    if not 0 < value < 2 ** 63:
        raise _berth.BerthError(f"{name}: {value!r} is not a number above 0")
    return float(value) if name == "budget" else value


def _as_function(planner: Planner) -> Any:
    """A name of ours that the library can run stays one."""
    if isinstance(planner, str):
        return _told_by(lambda problem, budget, asked: _learned_plan(planner, budget, asked)) if is_learned(planner) else planner
    if not callable(planner):
        raise TypeError(f"a planner is a name or a function of a problem and a budget, not {type(planner).__name__}")
    return _told_by(lambda problem, budget, asked: planner(problem, budget))


class _CountedProblem(Problem):
    """Of one run, whose plans count."""

    def __reduce__(self) -> tuple[Any, ...]:
        raise _berth.BerthError("a problem of a leaderboard stays in its process, where its plans are counted: evaluate them here, in batches")


def _told_by(plan: Callable[[Problem, RunBudget, dict[str, Any]], Answer]) -> Any:
    """What the extension module calls: None, why there is no plan, or devices and priorities."""
    def run(native: _berth.Problem, budget: _berth.RunBudget, graph: str, machine: str, setting: str) -> Any:
        problem = _CountedProblem(native, Asked(graph, machine or None, {"changes": [setting] if setting else []}))
        asked = {"graph": graph, "machine": machine or None, "changes": [setting] if setting else []}
        try:
            return _devices_and_priorities(problem, plan(problem, RunBudget(budget), asked))
        except BudgetSpent:
            return None
        except Exception as error:
            return _why(error)
    return run


def _devices_and_priorities(problem: Problem, answer: Answer) -> Any:
    if answer is None:
        return None
    if isinstance(answer, Plan) and answer.fusions():
        raise _berth.BerthError("the plan fuses ops, which is another problem than the suite's")
    devices, priorities = answer if isinstance(answer, tuple) else (answer, answer.priorities() if isinstance(answer, Plan) else None)
    return numpy().asarray(problem.devices_of(devices))[None, :], _order(priorities)


def _why(error: Exception) -> str:
    """What a function's author needs to know, in a line."""
    if isinstance(error, _berth.BerthError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__}: {error} ({pathlib.Path(frames[-1].filename).name}, line {frames[-1].lineno})".replace("\n", " ")


def _learned_plan(planner: str, budget: RunBudget, asked: Mapping[str, Any]) -> Plan:
    """By the program, which has the same budget and counts for itself."""
    left, seconds = budget.evaluations_left, budget.seconds_left
    plan = place(asked["graph"], asked["machine"], planner, changes=asked["changes"], evaluations=left or 0, budget=seconds or 10.0,
                 seed=budget.seed, threads=budget.threads)
    budget._native.count(plan.evaluations)
    return plan


def _lines(names: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    """A table as wide as its cells; names that begin with '>' stand to the right, as all below them do."""
    table = [[name.lstrip(">") for name in names], *lines]
    widths = [max(len(line[i]) for line in table) for i in range(len(names))]
    return ["  ".join(cell.rjust(width) if name.startswith(">") else cell.ljust(width)
                      for cell, width, name in zip(line, widths, names)).rstrip() for line in table]


def _after_a_gap(lines: Sequence[str]) -> list[str]:
    return ["", *lines] if lines else []


class _TerminalLine:
    """A line on stderr that is written anew."""

    def show(self, text: str) -> None:
        print(f"\r\033[K{text[:os.get_terminal_size(sys.stderr.fileno()).columns - 1]}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
