# SPDX-License-Identifier: Apache-2.0
"""Plans: made by place(), read by score(), and what can be done with them."""
from __future__ import annotations

import html
import json
import os
import pathlib
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from . import _berth
from ._arrays import numpy
from ._graphs import Graph, Written

if TYPE_CHECKING:
    import numpy as np
    import pandas
    from numpy.typing import NDArray


class Plan:
    """Which device runs every op of a graph, and what that is worth."""

    def __init__(self, native: _berth.Plan, written: Written, single: _berth.Plan | None = None, unchanged: _berth.Plan | None = None):
        self._native = native
        self.graph = Graph(native.graph, written)
        self._single, self._unchanged = single, unchanged

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

    @property
    def single(self) -> Plan | None:
        """The best single device, the yardstick of every plan; None if it was not asked for."""
        return Plan(self._single, self.graph._written) if self._single else None

    @property
    def unchanged(self) -> Plan | None:
        """Where the machine was changed (changes, add_devices): the same on the machine as it is."""
        return Plan(self._unchanged, self.graph._written) if self._unchanged else None

    def explain(self, op: str | None = None) -> dict[str, Any]:
        """What bounds the step: limits (sentences), critical_path, idle, crossings. Or, for one op, by its name or a pattern: why it is
        where it is (reasons), what every other device would cost (alternatives), what would have to change (to_move)."""
        answer = json.loads(_berth.explain(self._native, op or ""))
        for crossing in answer.get("crossings", ()):
            without = crossing["without"]
            crossing["step_time_without_s"] = without["step_time_s"] if without and without["feasible"] else None
        for other in answer.get("alternatives", ()):
            if "refused" in other:
                other.update(op_time_s=None, step_time_s=None, feasible=False)
            else:
                other["refused"] = None
        return answer

    def answer(self, timeline: bool = False) -> dict[str, Any]:
        """All that `berth score --json` says of it: devices, links, memory, what it costs, the best single device."""
        return json.loads(self._native.answer(self._single, timeline))

    def devices(self) -> list[dict[str, Any]]:
        """name, ops, busy_s, peak_bytes and capacity_bytes of each device."""
        return self.answer()["devices"]

    def fusions(self) -> list[list[str]]:
        """Groups of ops that run as one."""
        return self._native.fusions()

    def timeline(self) -> list[dict[str, Any]]:
        """op, device, start_s and end_s of every op that takes time."""
        return self.answer(timeline=True)["events"]

    def to_dict(self) -> dict[str, str]:
        """The device of every op: {op: device}."""
        return {op["op"]: op["device"] for op in self._native.ops()}

    def to_numpy(self) -> NDArray[np.uint8]:
        """The device of every op, [ops]: what Problem.evaluate() takes many of."""
        return numpy().asarray(self._native.devices())

    def priorities(self) -> NDArray[np.float64] | None:
        """Of every op, [ops], where the plan has any."""
        given = self._native.priorities()
        return None if given is None else numpy().asarray(given)

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
        text, notes = self._native.export("accelerate", "", _renamed(names), module_prefix)
        for note in notes:
            warnings.warn(note, stacklevel=2)
        return json.loads(text)

    def export(self, format: str, output: str | os.PathLike[str], *, names: Mapping[str, str] | None = None,
               module_prefix: str = "") -> list[str]:
        """Writes what a runtime or a viewer takes (berth.formats(), docs/exports.md). Returns notes: what the format cannot
        express, and what was done instead."""
        return self._native.export(format, os.fspath(output), _renamed(names), module_prefix)[1]

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the HTML report: one file with graph, timeline and memory, for any browser."""
        report([self], path)

    def show(self, height: int = 700) -> Any:
        """The report inside a notebook."""
        from IPython.display import HTML
        with tempfile.TemporaryDirectory(prefix="berth-") as folder:
            path = pathlib.Path(folder) / "report.html"
            self.report(path)
            text = path.read_text(encoding="utf-8")
        return HTML(f'<iframe srcdoc="{html.escape(text)}" width="100%" height="{height}"></iframe>')

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


def report(plans: Sequence[Plan], path: str | os.PathLike[str]) -> None:
    """One HTML report about several plans for the same graph, as compare() returns them."""
    if not plans:
        raise _berth.BerthError("a report needs at least one plan")
    _berth.report([plan._native for plan in plans], plans[0]._single, os.fspath(path))


def _renamed(names: Mapping[str, str] | None) -> list[str]:
    return [f"{device}={name}" for device, name in (names or {}).items()]


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _gib(count: int) -> str:
    return f"{count / 2**30:.2f} GiB"
