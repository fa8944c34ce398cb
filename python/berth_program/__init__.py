# SPDX-License-Identifier: Apache-2.0
"""The program berth of a wheel: it lies in the package, and what pip puts on PATH starts it. Apart from the package, so that nothing
of that is loaded first."""
import importlib.util
import os
import pathlib
import sys
from typing import NoReturn


def folder() -> pathlib.Path:
    """Of the package, without loading it."""
    found = importlib.util.find_spec("berth")
    assert found is not None and found.submodule_search_locations
    for place in found.submodule_search_locations:
        if (pathlib.Path(place) / "bin" / "berth").exists():
            return pathlib.Path(place)
    sys.exit("berth: this package was built without the program; pip install berth brings both")


def environment() -> "dict[str, str]":
    """The learned planners want to know where this Python's torch is."""
    found = importlib.util.find_spec("torch")
    places = found.submodule_search_locations if found is not None else None
    return {**os.environ, "BERTH_TORCH_PACKAGE": list(places)[0]} if places else dict(os.environ)


def main() -> NoReturn:
    program = folder() / "bin" / "berth"
    os.execve(program, ["berth", *sys.argv[1:]], environment())
