# SPDX-License-Identifier: Apache-2.0
"""A problem that stays: a graph on a machine as arrays, and what any number of plans for it are worth."""
from __future__ import annotations

import functools
import warnings
from typing import TYPE_CHECKING, Any, Mapping

from . import _berth
from ._arrays import Devices, Edges, Links, Ops, Tensors, frozen, numpy, table
from ._graphs import Graph, GraphSource
from ._groups import Groups, groups_of
from ._machines import MachineSource
from ._plans import Plan
from ._scores import Scores
from ._words import Asked, ProblemWords

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack


class Problem:
    """A graph on a machine under constraints, priced. Made by problem(). Its tables are made when they are first asked for."""

    def __init__(self, native: _berth.Problem, asked: Asked):
        self._native, self._asked = native, asked
        self.graph = Graph(native.graph, asked.written)

    @property
    def machine(self) -> str:
        return self._native.machine

    @property
    def objective(self) -> str:
        return self._native.objective

    @functools.cached_property
    def ops(self) -> Ops:
        return table(Ops, self._native.ops())

    @functools.cached_property
    def op_names(self) -> list[str]:
        return self._native.op_names()

    @functools.cached_property
    def edges(self) -> Edges:
        return table(Edges, self._native.edges())

    @functools.cached_property
    def tensors(self) -> Tensors:
        return table(Tensors, self._native.tensors())

    @functools.cached_property
    def devices(self) -> Devices:
        return table(Devices, self._native.devices())

    @functools.cached_property
    def links(self) -> Links:
        return table(Links, self._native.links())

    @functools.cached_property
    def units(self) -> Groups:
        """What must share a device is a group, every other op is one by itself."""
        return groups_of(self.ops.unit_of, self.ops, self.edges)

    def grouped(self, groups: int | Any) -> Groups:
        """Groups of units. A number: about so many, made along the heaviest tensors, with equal shares of the work as far as that goes.
        Or the group of every op, an array [ops]; groups are numbered from 0, and ops of one unit are in one group."""
        np = numpy()
        if isinstance(groups, int):
            return groups_of(np.asarray(self._native.group_units(groups))[self.ops.unit_of], self.ops, self.edges)
        return groups_of(self._checked_groups(np.asarray(groups)), self.ops, self.edges)

    def evaluate(self, devices: Any, priorities: Any = None, *, of: Groups | None = None, threads: int = 0,
                 simulate_on: str = "auto") -> Scores:
        """What many plans are worth. devices: the device of every op in every plan, [plans, ops], or of every group of `of`, [plans,
        groups] (problem.units, problem.grouped(64)); whole numbers of any kind as a NumPy array, a tensor of PyTorch or whatever
        else has __dlpack__. priorities: [ops] for all plans or [plans, ops]; of the ops that are ready, that with the largest number goes first.

        Every plan is verified, and the first that is not legal is named in an error. threads: 0 is one per core. simulate_on: "cpu",
        "cuda", or "auto", which takes a GPU for a thousand plans and more; the numbers are the same. Other threads run meanwhile; Ctrl-C ends it."""
        if _is_on_card(devices):
            answer = self._evaluate_on_card(devices, priorities, of, threads, simulate_on)
        else:
            answer = self._native.evaluate(_as_array(devices, "devices"), None if of is None else of.of_op, _order(priorities), threads, simulate_on)
        return _scores(answer)

    def evaluate_moves(self, base: Any, moves: Any, priorities: Any = None, *, plans: int | None = None, of: Groups | None = None,
                       threads: int = 0, simulate_on: str = "auto") -> Scores:
        """As evaluate(), of plans that are a base with a few moves each: less to copy, and what they share with the base may be simulated
        once. base: as for devices_of(). moves: [moves, 3], (plan, op, device) or, with `of`, (plan, group, device); of two moves of one
        op the later one counts. plans: how many there are, in case the last ones move nothing."""
        np = numpy()
        row = self.devices_of(base, of=of)
        moved = _as_array(moves, "moves")
        if moved.ndim != 2 or moved.shape[1] != 3 or moved.dtype.kind not in "iu":
            raise _berth.BerthError(f"moves are whole numbers, [moves, 3], not {moved.dtype} {list(moved.shape)}")
        count = plans if plans is not None else int(moved[:, 0].max()) + 1 if len(moved) else 0
        most = [count, len(self.graph) if of is None else len(of), len(self.devices.names)]
        strange = np.flatnonzero(((moved < 0) | (moved >= most)).any(axis=1))
        if len(strange):
            raise _berth.BerthError(f"move {strange[0]}: {moved[strange[0]].tolist()} is no plan, {'op' if of is None else 'group'} and device; "
                                    f"there are {most}, from 0")
        moved = moved[np.argsort(moved[:, 0], kind="stable")].astype(np.int64)
        if of is not None:
            moved = of.moves_of_ops(moved)
        if len(moved) >= 2**32:
            raise _berth.BerthError(f"{len(moved):,} moves of ops are more than one batch takes ({2**32 - 1:,})")
        first = np.searchsorted(moved[:, 0], np.arange(count + 1)).astype(np.uint32)
        op, device = (np.ascontiguousarray(moved[:, column], np.uint32) for column in (1, 2))
        return _scores(self._native.evaluate_moves(row[None, :], first, op, device, _order(priorities), threads, simulate_on))

    def _evaluate_on_card(self, devices: Any, priorities: Any, of: Groups | None, threads: int, simulate_on: str) -> dict[str, Any]:
        """Plans of a CUDA tensor are simulated where they are."""
        if simulate_on == "cpu":
            raise _berth.BerthError("devices: they are on a GPU; for simulate_on='cpu' give devices.cpu()")
        if of is not None:
            raise _berth.BerthError("devices: on a GPU they are those of ops: give devices[:, torch.as_tensor(groups.of_op)].contiguous()")
        own = priorities if _is_on_card(priorities) else None
        try:
            return self._native.evaluate_on_card(_capsule(devices), None if own is None else _capsule(own),
                                                 None if own is not None else _order(priorities), threads)
        except _berth.BerthError as error:
            raise _berth.BerthError(f"{error}; or give devices.cpu()" if "without CUDA" in str(error) else str(error)) from None

    def plan(self, devices: Plan | Mapping[str, str | int] | Any, priorities: Any = None, *, of: Groups | None = None, rest: str | int = "",
             name: str = "python") -> Plan:
        """One plan of ours as a berth.Plan: it can be explained, exported, saved, reported on. devices, of and rest: as for
        devices_of(). name: what its planner is called."""
        plan, single = self._native.plan(self.devices_of(devices, of=of, rest=rest)[None, :], _order(priorities), name)
        return Plan(plan, self.graph._written, single)

    def devices_of(self, devices: Plan | Mapping[str, str | int] | Any, *, of: Groups | None = None, rest: str | int = "") -> NDArray[Any]:
        """The device of every op, [ops]. devices: an array of them, or, with `of`, one for each group; a plan; or {op: device}, where op is
        a name, a pattern or another selector of docs/constraints.md ("module:encoder"), later ones win, and an op that is not
        named goes with what it must be with. rest: the device of all others, as far as they may be there."""
        np = numpy()
        if isinstance(devices, Plan):
            if devices.graph.hash != self.graph.hash or devices.machine != self.machine:
                raise _berth.BerthError(f"the plan is for {devices.graph.title} on {devices.machine}, the problem is {self.graph.title} on {self.machine}")
            return devices.to_numpy()
        if isinstance(devices, Mapping):
            words = [(op, self._device_name(device)) for op, device in devices.items()]
            return np.asarray(self._native.devices_by_words(words, self._device_name(rest)))
        row = _as_array(devices, "devices")
        if row.ndim != 1:
            raise _berth.BerthError(f"a plan is one row of devices, not {list(row.shape)}")
        if of is not None and len(row) != len(of):
            raise _berth.BerthError(f"devices of groups are [{len(of)}], not {list(row.shape)}")
        return row if of is None else of.spread(row)

    def _device_name(self, device: str | int) -> str:
        if isinstance(device, str):
            return device
        names = self.devices.names
        if not 0 <= device < len(names):
            raise _berth.BerthError(f"there is no device {device}; the machine has {len(names)}, from 0")
        return names[device]

    def _checked_groups(self, of_op: Any) -> Any:
        np = numpy()
        ops = self.ops
        if of_op.shape != ops.unit_of.shape or of_op.dtype.kind not in "iu":
            raise _berth.BerthError(f"groups are whole numbers, [{len(ops.unit_of)}], not {of_op.dtype} {list(of_op.shape)}")
        if len(of_op) and (of_op.min() < 0 or len(np.unique(of_op)) != int(of_op.max()) + 1):
            raise _berth.BerthError("groups are numbered from 0, and none is empty")
        unit_group = np.zeros(len(of_op), of_op.dtype)
        unit_group[ops.unit_of] = of_op
        apart = np.flatnonzero(unit_group[ops.unit_of] != of_op)
        if len(apart):
            raise _berth.BerthError(f"op '{self.op_names[apart[0]]}' is in another group than ops that it must share a device with")
        refused = [np.bincount(of_op, ~column) > 0 for column in ops.allowed.T]
        nowhere = np.flatnonzero(np.all(refused, axis=0))
        if len(nowhere):
            raise _berth.BerthError(f"no device is allowed to all ops of group {nowhere[0]}")
        return of_op

    def __reduce__(self) -> tuple[Any, ...]:
        """Other processes read the same files again."""
        if self._asked.written.folder:
            raise _berth.BerthError("a problem of a model in memory stays in its process; Graph.save() writes a file for others")
        return _again, (self._asked.written.source, self._asked.machine, self._asked.words())

    def __repr__(self) -> str:
        return f"<berth.Problem '{self.graph.title}' on {self.machine}: {len(self.graph):,} ops>"


def problem(graph: GraphSource, machine: MachineSource | None = None, **problem: Unpack[ProblemWords]) -> Problem:
    """A problem that stays, for many plans: see berth.Problem. machine is None only for public problems, which bring their own. What
    else may be said of it: berth.ProblemWords."""
    numpy()
    asked = Asked(graph, machine, problem)
    native = _berth.Problem(asked.request())
    for note in native.notes:
        warnings.warn(note, stacklevel=2)
    return Problem(native, asked)


def _again(source: str, machine: str, words: dict[str, Any]) -> Problem:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said before
        return problem(source, machine or None, **words)


def _as_array(given: Any, what: str) -> Any:
    """A NumPy array of what somebody gives, without a copy where its memory can be read."""
    np = numpy()
    if _is_on_card(given):
        raise _berth.BerthError(f"{what}: they are on a GPU; give {what}.cpu()")
    if not isinstance(given, np.ndarray) and hasattr(given, "__dlpack_device__"):
        array = np.from_dlpack(given)
    else:
        array = np.asarray(given)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _scores(answer: dict[str, Any]) -> Scores:
    np = numpy()
    if answer["lost"]:
        warnings.warn(answer["lost"], stacklevel=3)
    arrays = {name: frozen(np.asarray(answer[name])) for name in ("picoseconds", "over", "peaks")}
    return Scores(**arrays, on_cpu=answer["on_cpu"], on_gpu=answer["on_gpu"], card=answer["card"])


def _order(priorities: Any) -> Any:
    """Priorities here, if there are any."""
    if priorities is None:
        return None
    array = _as_array(priorities, "priorities")
    if array.dtype.kind not in "iuf":
        raise _berth.BerthError(f"priorities are numbers, not {array.dtype}")
    return array


def _is_on_card(given: Any) -> bool:
    return hasattr(given, "__dlpack_device__") and int(given.__dlpack_device__()[0]) == 2  # kDLCUDA


def _capsule(tensor: Any) -> Any:
    """Once what its library has yet to do to it is done, as seen from CUDA's first stream."""
    return tensor.__dlpack__(stream=1)
