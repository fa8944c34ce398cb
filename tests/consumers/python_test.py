#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package: a wheel, built from this folder, in a bare virtual environment; a first plan within a minute, the example
of the README, its own tests and types; and beside PyTorch. Usage: python_test.py BERTH BUILD_FOLDER. It compiles the library
once more, so it runs only when asked for (./test --consumers)."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

import consumer

consumer.only_if_asked("a wheel compiles the whole library once more")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[2]).resolve()


def run(*command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def example_of_readme():
    """The command behind `python -c` in README.md."""
    found = re.search(r"python -c '(import berth;[^']*)'", (ROOT / "README.md").read_text())
    assert found, "README.md shows a python -c example"
    return found.group(1)


TYPED = """
import berth
plan: berth.Plan = berth.place("zoo:rnnlm", "k40x2", planner="single", budget=1)
seconds: float | None = plan.step_time
devices: dict[str, str] = plan.to_dict()
"""

EXPORTED = """
import berth, torch
net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
graph = berth.load(torch.export.export(net, (torch.randn(4, 64),)))
plan = berth.place(graph, "k40x2", planner="gpu-only", evaluations=5)
assert plan.device_map() == {"": 0}, plan.device_map()
assert sorted(set(op["module"] for op in graph.ops() if op["type"].startswith("aten.linear"))) == ["0", "2"]
print("exported program: fine")
"""


class PythonPackage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        builder = consumer.environment("wheel", BUILD)
        run(builder, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", cls.folder, ROOT)
        cls.wheel, = cls.folder.glob("berth-*.whl")

    def test_a_wheel_in_a_bare_environment(self):
        run(sys.executable, "-m", "venv", self.folder / "bare")
        python = self.folder / "bare" / "bin" / "python"
        begin = time.monotonic()
        run(python, "-m", "pip", "install", "--quiet", "--no-index", self.wheel)
        said = run(python, "-c", example_of_readme(), cwd=self.folder)
        seconds = time.monotonic() - begin
        print(f"installed, and a first plan after {seconds:.1f} s")
        self.assertLess(seconds, 900)  # generous: the computer may be busy; the line above has the figure
        self.assertIn("step time", said)
        run(python, "-m", "pip", "install", "--quiet", "pytest", "pandas", "onnx", "mypy")
        print(run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "python" / "tests", cwd=self.folder).strip())
        (self.folder / "typed.py").write_text(TYPED)
        run(python, "-m", "mypy", "--strict", "--cache-dir", self.folder / "mypy", "typed.py", cwd=self.folder)

    def test_the_wheel_has_stubs_and_the_capture_tool(self):
        names = set(zipfile.ZipFile(self.wheel).namelist())
        self.assertLess({"berth/py.typed", "berth/_berth.pyi", "berth/__init__.py", "berth/capture/__main__.py", "berth/capture/trace.py"}, names)

    def test_an_exported_program_in_memory(self):
        python = consumer.environment("accelerate", BUILD)
        run(python, "-m", "pip", "install", "--quiet", "--no-index", "--target", self.folder / "beside", self.wheel)
        self.assertIn("fine", run(python, "-c", EXPORTED, cwd=self.folder, env={**os.environ, "PYTHONPATH": str(self.folder / "beside")}))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
