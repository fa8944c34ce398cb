# SPDX-License-Identifier: Apache-2.0
"""What everybody may say of a graph on a machine, and how the library is asked about both."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Mapping, Sequence, TypedDict

from . import _berth
from ._graphs import GraphSource, Written
from ._machines import Machine, MachineSource

if TYPE_CHECKING:
    Path = str | os.PathLike[str]


class ProblemWords(TypedDict, total=False):
    """What place(), score(), compare(), sweep() and train() take besides graph and machine."""
    objective: str  # "step" or "pipeline"; default: step, or what a public problem says
    costs: Sequence[Path]  # files of measured times, FILE or FILE@DEVICE (docs/cost-model.md)
    constraints: Sequence[tuple[str, str]]  # [("pin", "embedding=cpu")], the words of docs/constraints.md
    constraint_files: Sequence[Path]  # TOML files of them
    unsupported: Sequence[Path]  # tables of op types that devices cannot run
    changes: Sequence[str]  # what if: ["gpu0.memory=24GiB", "link.*.bandwidth=2x"]
    add_devices: Sequence[str]  # what if: ["a100*2"]
    dims: Mapping[str, int] | None  # sizes that a model's file leaves open
    outputs: Sequence[str]  # which step of a TensorFlow graph, as are the next two
    signature: str
    tag: str


class Asked:
    """The request of the services, and the same as words of a command line."""

    def __init__(self, graph: GraphSource, machine: MachineSource | None, words: Mapping[str, Any]):
        unknown = set(words) - set(ProblemWords.__annotations__)
        if unknown:
            raise TypeError(f"unexpected keyword argument '{sorted(unknown)[0]}'")
        self.written = Written(graph, words.get("dims"), words.get("outputs", ()), words.get("signature", ""), words.get("tag", ""))
        self.machine = "" if machine is None else machine.source if isinstance(machine, Machine) else os.fspath(machine)
        self.objective: str = words.get("objective", "")
        self.costs = _paths(words, "costs")
        self.constraints = [(name, text) for name, text in words.get("constraints", ())]
        self.constraint_files = _paths(words, "constraint_files")
        self.unsupported = _paths(words, "unsupported")
        self.changes = list(words.get("changes", ()))
        self.add_devices = list(words.get("add_devices", ()))

    def request(self) -> _berth.Request:
        return _berth.Request(self.written.source, self.machine, self.objective, self.costs, self.written.options(), self.constraints,
                              self.constraint_files, self.unsupported, self.changes, self.add_devices)

    def words(self) -> dict[str, Any]:
        """All that was said besides graph and machine, for another one like this."""
        words = {"objective": self.objective, "costs": self.costs, "constraints": self.constraints, "constraint_files": self.constraint_files,
                 "unsupported": self.unsupported, "changes": self.changes, "add_devices": self.add_devices, "dims": self.written.dims,
                 "outputs": self.written.outputs, "signature": self.written.signature, "tag": self.written.tag}
        return {name: word for name, word in words.items() if word}

    def flags(self) -> list[str]:
        """For the program, all but graph and machine."""
        self.request()  # what is wrong is told in words of Python
        written = self.written
        flags = [f"--dim={name}={size}" for name, size in written.dims.items()]
        flags += [f"--{name}" + (f"={text}" if text else "") for name, text in self.constraints]
        for flag, texts in (("costs", self.costs), ("output-node", written.outputs), ("constraints", self.constraint_files),
                            ("unsupported", self.unsupported), ("set", self.changes), ("add-device", self.add_devices)):
            flags += [f"--{flag}={text}" for text in texts]
        for flag, text in (("objective", self.objective), ("signature", written.signature), ("tag", written.tag)):
            flags += [f"--{flag}={text}"] if text else []
        return flags


def _paths(words: Mapping[str, Any], name: str) -> list[str]:
    given = words.get(name, ())
    return [os.fspath(path) for path in ([given] if isinstance(given, (str, os.PathLike)) else given)]
