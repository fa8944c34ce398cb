#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that README.md and docs/*.md show. Usage: docs_test.py BERTH.

Every line "$ berth ..." or "$ ./run ..." of a ```console block runs in bash and must end with status 0, or with the one it
states: "$ berth ...  # exit 1". The blocks of one file run in order in one empty folder. Other commands are not run.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BERTH = ""
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:berth|\./run)(?: .*)?)$", re.MULTILINE)
STATED = re.compile(r"#.*\bexit (\d)\b")


def commands_of(text):
    """Commands of all console blocks, lines that end in a backslash joined."""
    return [command for block in BLOCK.findall(text) for command in COMMAND.findall(block.replace("\\\n", " "))]


def stated_status(command):
    stated = STATED.search(command)
    return int(stated.group(1)) if stated else 0


class DocsTest(unittest.TestCase):
    def test_every_command_does_what_it_says(self):
        files = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
        if not self.has_learned_planners():
            files.remove(ROOT / "docs" / "training.md")
        if not self.has_learned_planners() or len(os.sched_getaffinity(0)) < 2:
            files.remove(ROOT / "docs" / "measuring.md")  # needs libtorch, and two cores for two devices
        for path in filter(pathlib.Path.exists, files):
            with tempfile.TemporaryDirectory() as folder:
                self.prepare(pathlib.Path(folder))
                for command in commands_of(path.read_text()):
                    with self.subTest(file=path.name, command=command):
                        self.run_command(command, folder)

    def has_learned_planners(self):
        planners = json.loads(subprocess.run([BERTH, "planners", "--json"], capture_output=True, text=True).stdout)["planners"]
        return any(planner["learned"] and planner["built"] for planner in planners)

    def prepare(self, folder):
        """A `berth` in the path, a `run` that behaves like the project's without building, and the examples."""
        (folder / ".bin").mkdir()
        (folder / ".bin" / "berth").symlink_to(BERTH)
        run = folder / "run"
        run.write_text(f'#!/bin/sh\n[ $# -gt 0 ] || set -- demo\nexec "{BERTH}" "$@"\n')
        run.chmod(0o755)
        (folder / "examples").symlink_to(ROOT / "examples")

    def run_command(self, command, folder):
        env = {**os.environ, "PATH": f"{folder}/.bin:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=env, capture_output=True, text=True,
                              timeout=1800)
        self.assertEqual(done.returncode, stated_status(command), done.stderr)

    def test_commands_are_found(self):
        text = "```console\n$ berth a \\\n  b\noutput\n$ ls\n$ ./run\n```\n```\n$ berth not\n```\n"
        self.assertEqual(commands_of(text), ["berth a    b", "./run"])
        self.assertEqual(stated_status("berth x  # exit 1"), 1)


if __name__ == "__main__":
    BERTH = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
