# SPDX-License-Identifier: Apache-2.0
"""Plans: made by place(), read by score(), and what can be done with them."""
from __future__ import annotations

import html
import json
import os
import warnings
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from . import _berth
from ._graphs import Graph, GraphSource, load
from ._machines import MachineSource, load_machine

if TYPE_CHECKING:
    import pandas

Progress = Callable[[float, int, "float | None", float], None]  # elapsed_s, evaluations, best_s, lower_bound_s


class Plan:
    """Which device runs every op of a graph, and what that is worth."""

    def __init__(self, native: _berth.Plan, graph: Graph):
        self._native = native
        self.graph = graph

    @property
    def planner(self) -> str:
        return self._native.planner

    @property
    def note(self) -> str:
        """How the plan came to be."""
        return self._native.note

    @property
    def machine(self) -> str:
        return self._native.machine

    @property
    def objective(self) -> str:
        return self._native.objective

    @property
    def feasible(self) -> bool:
        """Whether it fits in memory."""
        return self._native.feasible

    @property
    def step_time(self) -> float | None:
        """Predicted seconds per step (per sample for the objective 'pipeline'); None if it does not fit in memory."""
        return self._native.simulated_s if self.feasible else None

    @property
    def lower_bound(self) -> float:
        """Seconds that no plan can beat."""
        return self._native.lower_bound

    @property
    def evaluations(self) -> int:
        return self._native.evaluations

    @property
    def search_s(self) -> float:
        return self._native.search_s

    @property
    def interrupted(self) -> bool:
        """Ctrl-C came before the planner was done; this is the best plan until then."""
        return self._native.interrupted

    def devices(self) -> list[dict[str, Any]]:
        """name, ops, busy_s, peak_bytes and capacity_bytes of each device."""
        return self._native.devices()

    def fusions(self) -> list[list[str]]:
        """Groups of ops that run as one."""
        return self._native.fusions()

    def timeline(self) -> list[dict[str, Any]]:
        """op, device, start_s and end_s of every op that takes time."""
        return self._native.timeline()

    def to_dict(self) -> dict[str, str]:
        """The device of every op: {op: device}."""
        return {op["op"]: op["device"] for op in self._native.ops()}

    def to_pandas(self) -> pandas.DataFrame:
        """One row per op: op, device, priority, type, role, module, seconds, resident_bytes."""
        import pandas
        return pandas.DataFrame(self._native.ops())

    def to_json(self) -> str:
        """What save() writes: berth-plan/1."""
        return self._native.to_json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the plan whole or not at all; `berth score --plan` and berth.score() read it."""
        self._native.save(os.fspath(path))

    def device_map(self, module_prefix: str = "", names: Mapping[str, str] | None = None) -> dict[str, Any]:
        """device_map for accelerate and transformers: {module: GPU number or device}. module_prefix: path of your model
        within the modules of the graph, where a wrapper was exported. names: your names of devices, {"gpu0": "cuda:1"}."""
        text, notes = self._native.device_map(dict(names or {}), module_prefix)
        for note in notes:
            warnings.warn(note, stacklevel=2)
        return json.loads(text)

    def export(self, format: str, output: str | os.PathLike[str], *, names: Mapping[str, str] | None = None,
               module_prefix: str = "") -> list[str]:
        """Writes what a runtime or a viewer takes (berth.formats(), docs/exports.md). Returns notes: what the format cannot
        express, and what was done instead."""
        return self._native.export(format, os.fspath(output), dict(names or {}), module_prefix)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the HTML report: one file with graph, timeline and memory, for any browser."""
        text = self._native.report_html()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def show(self, height: int = 700) -> Any:
        """The report inside a notebook."""
        from IPython.display import HTML
        return HTML(f'<iframe srcdoc="{html.escape(self._native.report_html())}" width="100%" height="{height}"></iframe>')

    def __repr__(self) -> str:
        time = _seconds(self.step_time) if self.feasible else "out of memory"
        return f"<berth.Plan of '{self.graph.title}' on {self.machine} by {self.planner}: {time}>"

    def __str__(self) -> str:
        time = _seconds(self.step_time) if self.feasible else "OUT OF MEMORY"
        lines = [f"{self.graph.title} on {self.machine}, planned by {self.planner}{f' ({self.note})' if self.note else ''}",
                 f"{'step time' if self.objective == 'step' else 'time per sample'}  {time}, lower bound {_seconds(self.lower_bound)}"]
        for device in self.devices():
            lines.append(f"  {device['name']:<12} {device['ops']:>8,} ops  busy {_seconds(device['busy_s']):>9}  "
                         f"peak {_gib(device['peak_bytes']):>10} of {_gib(device['capacity_bytes'])}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        rows = "".join(f"<tr><td>{html.escape(device['name'])}</td><td>{device['ops']:,}</td><td>{_seconds(device['busy_s'])}</td>"
                       f"<td>{_gib(device['peak_bytes'])} of {_gib(device['capacity_bytes'])}</td></tr>" for device in self.devices())
        head = html.escape(str(self).split("\n")[0])
        time = html.escape(str(self).split("\n")[1])
        return (f"<b>{head}</b><br>{time}<table><tr><th>device</th><th>ops</th><th>busy</th><th>peak memory</th></tr>{rows}</table>")


def place(graph: GraphSource, machine: MachineSource | None = None, planner: str = "auto", *, budget: float = 10.0,
          evaluations: int = 0, seed: int = 1, threads: int = 0, objective: str = "",
          constraints: Sequence[tuple[str, str]] = (), dims: Mapping[str, int] | None = None,
          progress: Progress | None = None) -> Plan:
    """Finds a plan. budget: seconds to search; evaluations: plans to simulate instead, which makes the result depend on the
    seed alone; threads: 0 is one per core. constraints: [("pin", "embedding=cpu"), ("reserve", "gpu0=2 GiB")], the words of
    docs/constraints.md. Ctrl-C ends the search and keeps its best plan. machine is None only for public problems, which
    bring their own."""
    if budget <= 0:
        raise _berth.BerthError(f"budget: {budget} is not a time to search; give more than nothing")
    loaded = load(graph, dims=dims)
    native = None if machine is None else load_machine(machine)._native
    return Plan(_berth.place(loaded._native, native, planner, objective, list(constraints), float(budget), evaluations, seed,
                             threads, progress), loaded)


def score(graph: GraphSource, machine: MachineSource | None, plan: str | os.PathLike[str], *, objective: str = "",
          dims: Mapping[str, int] | None = None) -> Plan:
    """What the plan in a file is worth: ours, accelerate's device_map, layer settings of ONNX Runtime, affinities of
    OpenVINO, a TensorFlow graph with device fields, or CSV."""
    loaded = load(graph, dims=dims)
    native = None if machine is None else load_machine(machine)._native
    return Plan(_berth.score(loaded._native, native, objective, os.fspath(plan)), loaded)


def compare(graph: GraphSource, machine: MachineSource | None, planners: Sequence[str], **options: Any) -> list[Plan]:
    """place() with each of the planners, best plan first; those that do not fit in memory last."""
    loaded = load(graph, dims=options.pop("dims", None))
    plans = [place(loaded, machine, planner, **options) for planner in planners]
    return sorted(plans, key=lambda plan: (not plan.feasible, plan._native.simulated_s))


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _gib(count: int) -> str:
    return f"{count / 2**30:.2f} GiB"
