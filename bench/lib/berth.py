# SPDX-License-Identifier: Apache-2.0
"""Programs and their answers: the one place where benchmarks start processes."""
import argparse
import dataclasses
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import threading
import time

ANSWERS = (0, 1)  # exit codes of berth that come with an answer; 1: nothing fits


class Failed(Exception):
    """A program that gave no answer, told in one line."""


@dataclasses.dataclass(frozen=True)
class Done:
    """A process that has ended."""
    command: list
    code: int
    out: str
    errors: str
    seconds: float
    usage: resource.struct_rusage

    @property
    def peak_bytes(self):
        return self.usage.ru_maxrss * 1024

    @property
    def cpu_s(self):
        return self.usage.ru_utime + self.usage.ru_stime

    def checked(self, codes=ANSWERS):
        """Itself; raises Failed for other exit codes."""
        if self.code not in codes:
            raise Failed(f"{shown(self.command)}: exit code {self.code}: {self.errors.strip()[-400:]}")
        return self

    def json(self):
        """What the program printed."""
        try:
            return json.loads(self.out)
        except ValueError as error:
            raise Failed(f"{shown(self.command)}: no JSON ({error}): {self.errors.strip()[-400:]}") from None


def shown(command):
    """As people write it, without the program's folder; only the beginning of a long one."""
    words = " ".join([pathlib.Path(command[0]).name, *command[1:]])
    return words if len(words) <= 200 else words[:200] + " ..."


class Running:
    """A process that writes to files, so that no pipe fills, and whose resources are counted when it ends."""

    def __init__(self, command, environment=None):
        self.command = [str(word) for word in command]
        self.begin = time.monotonic()
        self.out, self.errors = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        try:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.errors,
                                            env={**os.environ, **(environment or {})})
        except OSError as error:
            raise Failed(f"{shown(self.command)}: cannot be run: {error.strerror}") from None

    def has_ended(self):
        """Does not collect it: wait() does, once."""
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)

    def wait(self, timeout=None):
        """What it left. Raises Failed if it had to be ended after so many seconds."""
        late = threading.Event()

        def end():
            late.set()
            self.kill()

        timer = threading.Timer(timeout, end) if timeout is not None else None
        if timer:
            timer.daemon = True
            timer.start()
        try:
            # Waits without collecting, so that its number cannot belong to another process while the timer may still end it.
            os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        except BaseException:  # Ctrl-C: leave nothing behind
            self.kill()
            raise
        finally:
            if timer:
                timer.cancel()
                timer.join()
            _, status, usage = os.wait4(self.process.pid, 0)
            self.process.returncode = os.waitstatus_to_exitcode(status)
            out, errors = read(self.out), read(self.errors)
        if late.is_set():
            raise Failed(f"{shown(self.command)}: no end within {timeout:.0f} s")
        return Done(self.command, self.process.returncode, out, errors, time.monotonic() - self.begin, usage)


def errors_until(command, words):
    """What a program says on its standard error up to the line that has these words; it is ended then."""
    said = ""
    with subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          errors="replace") as process:
        for line in process.stderr:
            said += line
            if words in line:
                break
        process.kill()
    return said


def read(file):
    with file:
        file.seek(0)
        return file.read().decode(errors="replace")


def run(command, timeout=None, environment=None):
    return Running(command, environment).wait(timeout)


@dataclasses.dataclass(frozen=True)
class Planner:
    """What `berth planners --json` says of one."""
    name: str
    learned: bool
    built: bool
    uses_seed: bool
    uses_threads: bool
    summary: str = ""


class Berth:
    """One build of the program. As a `type` of argparse it refuses a path that is none."""

    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())
        if not os.access(self.path, os.X_OK) or os.path.isdir(self.path):
            raise argparse.ArgumentTypeError(f"{path}: no such program; build it (./run), or name another")

    def start(self, *words):
        return Running([self.path, *words])

    def run(self, *words, codes=ANSWERS, timeout=None):
        """A process that has ended with one of these exit codes."""
        return self.start(*words).wait(timeout).checked(codes)

    def ask(self, *words, timeout=None):
        """The JSON document of a command."""
        return self.run(*words, "--json", timeout=timeout).json()

    def planners(self):
        """Name to facts, in the order of the program."""
        known = {field.name for field in dataclasses.fields(Planner)}
        listed = self.ask("planners")["planners"]
        return {one["name"]: Planner(**{key: value for key, value in one.items() if key in known}) for one in listed}
