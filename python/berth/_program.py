# SPDX-License-Identifier: Apache-2.0
"""The program berth as a child process, for what takes libtorch: it is never loaded into this process, which may hold a torch
of its own."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import warnings
from typing import Any, Sequence

from . import _berth

PREFIX = "berth: "
HERE = pathlib.Path(__file__).parent


def _of_this_package() -> str | None:
    """The program of the wheel, if berth[learn] has put the other one beside it."""
    program = HERE / "bin" / "berth"
    return str(program) if program.exists() and (HERE / "libexec" / "berth" / "berth-learned").exists() else None


def _on_path() -> str | None:
    """Not the one that starts the wheel's: that was looked at already."""
    own = pathlib.Path(sys.executable).parent / "berth" if (HERE / "bin" / "berth").exists() else None
    for name in ("berth", "berth-learned"):
        found = shutil.which(name)
        if found and pathlib.Path(found) != own:
            return found
    return None


def find(what: str) -> str:
    """The program, or an error that says how to have it; `what` needs it."""
    named = os.environ.get("BERTH_PROGRAM", "")
    if named and not os.access(named, os.X_OK):
        raise _berth.BerthError(f"BERTH_PROGRAM: {named} is no program")
    found = named or _of_this_package() or _on_path()
    if not found:
        raise _berth.BerthError(f"{what} needs the program berth with learned planners: pip install 'berth[learn]', put one that was built with "
                                "libtorch on PATH, or name it by BERTH_PROGRAM")
    return found


def is_there() -> bool:
    return bool(os.environ.get("BERTH_PROGRAM") or _of_this_package() or _on_path())


def _environment() -> dict[str, str] | None:
    """What the program of a wheel is started with: where this Python's torch is."""
    try:
        import berth_program
    except ModuleNotFoundError:  # in a build, which has no wheel's program
        return None
    return berth_program.environment()


def ask(what: str, words: Sequence[str], written: pathlib.Path | None = None) -> dict[str, Any]:
    """The JSON that a command answers with. Its errors are raised, its notes are warnings; a plan that does not fit in memory is an
    answer where it was `written` all the same. Ctrl-C ends the command, which then answers with what it has."""
    program = find(what)
    # In a session of its own, so that Ctrl-C comes once, from here: a second one would end it without an answer.
    child = subprocess.Popen([program, *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                             env=_environment())
    try:
        said, complaints = child.communicate()
    except KeyboardInterrupt:
        child.send_signal(signal.SIGINT)
        said, complaints = child.communicate()
    lines = [line[len(PREFIX):] if line.startswith(PREFIX) else line for line in complaints.splitlines()]
    is_answer = child.returncode == 0 or (child.returncode == 1 and said and written is not None and written.exists())
    if is_answer:
        for line in lines[:-1] if child.returncode else lines:
            warnings.warn(line, stacklevel=4)
        answer: dict[str, Any] = json.loads(said)
        return answer
    message = lines[-1] if lines else f"{program} ended with {child.returncode}"
    if child.returncode == 1:
        raise _berth.InfeasibleError(message)
    if child.returncode == 2:
        raise _berth.BerthError(message)
    raise RuntimeError(message)
