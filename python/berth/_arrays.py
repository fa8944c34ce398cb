# SPDX-License-Identifier: Apache-2.0
"""What a problem is made of, as NumPy arrays that nobody can write to. Numbers that index something are int64."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from . import _berth

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]


def numpy() -> Any:
    """NumPy, which the package needs for arrays alone."""
    try:
        import numpy as np
    except ModuleNotFoundError:
        raise _berth.BerthError("arrays of a problem need NumPy: pip install numpy") from None
    if not _berth.knows_numpy_2 and not np.__version__.startswith("1."):
        raise _berth.BerthError(f"this berth was built with a pybind11 that does not know NumPy {np.__version__}; it takes pybind11 2.12, or NumPy 1")
    return np


@dataclasses.dataclass(frozen=True, repr=False)
class Table:
    """A few arrays that belong together."""

    def __repr__(self) -> str:
        fields = ", ".join(f"{field.name}{list(value.shape)}" for field in dataclasses.fields(self)
                           if hasattr(value := getattr(self, field.name), "shape"))
        return f"<berth.{type(self).__name__}: {fields}>"


@dataclasses.dataclass(frozen=True, repr=False)
class Ops(Table):
    """One entry per op, in the order of the graph."""
    types: list[str]  # that there are
    type_of: Ints  # [ops]: index into types; so for roles and modules
    roles: list[str]  # "compute", "parameter", "buffer", "constant", "input", "view"
    role_of: Ints
    modules: list[str]  # paths such as "encoder.layer.0"; "" where it is unknown
    module_of: Ints
    flops: Floats
    bytes_touched: Ints  # that it moves through its device's memory
    resident_bytes: Ints  # that it holds all the time: parameters with what their optimiser keeps, buffers, constants
    output_bytes: Ints
    times: Floats  # [ops, devices]: seconds alone on a device; inf where it cannot run
    allowed: Bools  # [ops, devices]: where it may be, by its kind, constraints, and all that must be with it
    unit_of: Ints  # ops of one unit share a device
    order: Ints  # the ops in topological order
    forward_of: Ints  # op whose gradient it computes; -1: none, or unknown
    updates: Ints  # parameter that it updates; -1: none


@dataclasses.dataclass(frozen=True, repr=False)
class Edges(Table):
    """One entry per tensor and op that reads it. A tensor is sent to a device once, however many read it there."""
    ends: Ints  # [edges, 2]: producer, consumer
    bytes: Ints
    tensor: Ints  # index into Tensors
    control: Ints  # [control edges, 2]: the second begins after the first has ended


@dataclasses.dataclass(frozen=True, repr=False)
class Tensors(Table):
    """One entry per output of an op, op by op."""
    producer: Ints
    bytes: Ints
    dtypes: list[str]
    dtype_of: Ints
    dims: Ints  # shapes, one behind the other
    dims_begin: Ints  # [tensors + 1]

    def shape(self, tensor: int) -> tuple[int, ...]:
        return tuple(int(size) for size in self.dims[self.dims_begin[tensor]:self.dims_begin[tensor + 1]])

    def shapes(self, rank: int = 4, absent: int = 0) -> Ints:
        """[tensors, rank]: cut behind that many sizes, and filled up."""
        np = numpy()
        ranks = np.diff(self.dims_begin)
        shapes: Ints = np.full((len(ranks), rank), absent, np.int64)
        for i in range(rank):
            has = ranks > i
            shapes[has, i] = self.dims[self.dims_begin[:-1][has] + i]
        return shapes


@dataclasses.dataclass(frozen=True, repr=False)
class Devices(Table):
    names: list[str]
    models: list[str]
    kinds: list[str]  # "cpu", "gpu", ...
    memory: Ints  # bytes that a plan may use there; of a device with a pool, the pool's
    pool_of: Ints  # index into pools; -1: memory of its own
    pools: list[str]
    pool_memory: Ints
    lanes: Ints  # ops at the same time
    flops_per_s: Floats  # f32
    bytes_per_s: Floats  # of its memory
    launch_s: Floats

    @property
    def places(self) -> list[str]:
        """What peaks of memory are counted for: devices, then pools."""
        return self.names + self.pools


@dataclasses.dataclass(frozen=True, repr=False)
class Links(Table):
    latency_s: Floats  # [devices, devices]: of the whole way from one to the other
    bytes_per_s: Floats  # [devices, devices]: of one tensor that has the way to itself; inf on the diagonal
    names: list[str]  # of single links, one direction each
    ends: Ints  # [links, 2]: devices; from the number of devices on: switches
    link_latency_s: Floats
    link_bytes_per_s: Floats
    queue_of: Ints  # links with the same queue take turns; -1: any number of transfers at once
    queues: list[str]
    route: Ints  # links of every way, one way behind the other
    route_begin: Ints  # [devices * devices + 1]

    def way(self, source: int, target: int) -> list[str]:
        """Names of the links from one device to another."""
        pair = source * len(self.latency_s) + target
        return [self.names[link] for link in self.route[self.route_begin[pair]:self.route_begin[pair + 1]]]


def frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array


def table(kind: Any, native: dict[str, Any]) -> Any:
    """A table of that kind, of what the extension module answers."""
    numpy()
    return kind(**{name: frozen(value) if hasattr(value, "flags") else value for name, value in native.items()})
