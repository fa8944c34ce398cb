# SPDX-License-Identifier: Apache-2.0
"""Machines: built in, or from a .toml file."""
from __future__ import annotations

import json
import os
from typing import Any, Union

from . import _berth

MachineSource = Union["Machine", str, "os.PathLike[str]"]


class Machine:
    """Devices and the links between them. Made by load_machine()."""

    def __init__(self, native: _berth.Machine, source: str):
        self._native = native
        self.source = source

    @property
    def name(self) -> str:
        return self._native.name

    @property
    def description(self) -> str:
        return self._native.description

    def devices(self) -> list[dict[str, Any]]:
        """name, model, kind, memory_bytes and speed of each, as `berth machines NAME --json` has them."""
        return json.loads(self._native.answer())["devices"]

    def __repr__(self) -> str:
        return f"<berth.Machine '{self.name}': {', '.join(device['name'] for device in self.devices())}>"


def load_machine(source: MachineSource) -> Machine:
    """A built-in machine by its name ("k40x4"), or a .toml file (docs/machines.md)."""
    if isinstance(source, Machine):
        return source
    return Machine(_berth.load_machine(os.fspath(source)), os.fspath(source))
