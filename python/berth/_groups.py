# SPDX-License-Identifier: Apache-2.0
"""Ops that are placed as one: units, which must share a device, and groups made of them."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ._arrays import Edges, Ops, Table, frozen, numpy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._arrays import Bools, Floats, Ints


@dataclasses.dataclass(frozen=True, repr=False)
class Groups(Table):
    """One entry per group; every op is in one. A choice of devices for groups is an array [plans, groups]."""
    of_op: Ints  # [ops]
    num_ops: Ints
    times: Floats  # [groups, devices]: seconds of all its ops there; inf where it may not be
    allowed: Bools  # [groups, devices]; never none
    flops: Floats
    resident_bytes: Ints
    output_bytes: Ints
    order: Ints  # the groups by the first of their ops in topological order
    ends: Ints  # [edges, 2]: between groups, each pair once
    bytes: Ints  # [edges]: a tensor counts once for each group that reads it

    def __len__(self) -> int:
        return len(self.num_ops)

    def spread(self, devices: Any) -> NDArray[Any]:
        """[..., ops]: the devices of ops for those of groups, [..., groups]."""
        chosen: NDArray[Any] = numpy().take(devices, self.of_op, axis=-1)  # row by row in memory, which indexing is not
        return chosen

    def moves_of_ops(self, moves: Any) -> Any:
        """(..., op, device) of every op for (..., group, device)."""
        np = numpy()
        ops = np.argsort(self.of_op, kind="stable")  # group by group
        begin = np.concatenate([[0], np.cumsum(self.num_ops)])
        sizes = self.num_ops[moves[:, -2]]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        spread = np.repeat(moves, sizes, axis=0)
        spread[:, -2] = ops[np.repeat(begin[moves[:, -2]], sizes) + within]
        return spread

    def features(self) -> NDArray[np.float32]:
        """[groups, devices + 7], for networks: the share of all work on each device (its square root; 1 where the group may not be),
        logarithms of flops, of bytes that are resident, made, read and sent, and of the number of ops, and the place in the order."""
        np = numpy()
        total = np.where(np.isfinite(self.times), self.times, 0.0).sum(axis=0)
        shares = np.where(self.allowed, np.sqrt(self.times / np.where(total > 0, total, 1.0)), 1.0)
        read, sent = (np.bincount(self.ends[:, end], self.bytes, len(self)) for end in (1, 0))
        place = np.empty(len(self))
        place[self.order] = np.arange(len(self)) / max(len(self) - 1, 1)
        sizes = [self.flops, self.resident_bytes, self.output_bytes, read, sent, self.num_ops]
        columns = [np.log1p(size) / 20.0 for size in sizes]
        features: NDArray[Any] = np.column_stack([shares, *columns, place]).astype(np.float32)
        return features


def groups_of(of_op: Ints, ops: Ops, edges: Edges) -> Groups:
    """What groups amount to. They are numbered from 0, none is empty, and some device is allowed to all ops of each."""
    np = numpy()
    count = int(of_op.max()) + 1 if len(of_op) else 0
    allowed = np.column_stack([np.bincount(of_op, ~column, count) == 0 for column in ops.allowed.T])
    times = np.column_stack([np.bincount(of_op, np.where(column, seconds, 0.0), count) for column, seconds in zip(ops.allowed.T, ops.times.T)])
    ends, sizes = _between(of_op, edges, count)
    place = np.empty(len(of_op), np.int64)
    place[ops.order] = np.arange(len(of_op))
    first = np.full(count, len(of_op), np.int64)
    np.minimum.at(first, of_op, place)
    arrays = {"of_op": of_op.astype(np.int64), "num_ops": np.bincount(of_op, minlength=count), "times": np.where(allowed, times, np.inf),
              "allowed": allowed, "flops": np.bincount(of_op, ops.flops, count), "resident_bytes": _sum(of_op, ops.resident_bytes, count),
              "output_bytes": _sum(of_op, ops.output_bytes, count), "order": np.argsort(first, kind="stable"), "ends": ends, "bytes": sizes}
    return Groups(**{name: frozen(array) for name, array in arrays.items()})


def _sum(of_op: Ints, numbers: Ints, count: int) -> Ints:
    """Exact, where a sum of floats would be rounded."""
    np = numpy()
    total: Ints = np.zeros(count, np.int64)
    np.add.at(total, of_op, numbers)
    return total


def _between(of_op: Ints, edges: Edges, count: int) -> tuple[Ints, Ints]:
    np = numpy()
    source, target = of_op[edges.ends[:, 0]], of_op[edges.ends[:, 1]]
    crossing = source != target
    sent = np.unique(np.column_stack([edges.tensor[crossing], target[crossing]]), axis=0, return_index=True)[1]
    pair = (source * count + target)[crossing][sent]
    pairs, edge = np.unique(pair, return_inverse=True)
    return np.column_stack([pairs // max(count, 1), pairs % max(count, 1)]), _sum(edge.reshape(-1), edges.bytes[crossing][sent], len(pairs))
