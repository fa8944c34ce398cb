#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package: a wheel, built from this folder, in a bare virtual environment; a first plan within a minute, the example
of the README, its own tests and types; and beside PyTorch, where the policy of examples/python learns. Usage: python_test.py BERTH BUILD_FOLDER. It compiles the library
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

TYPED_ARRAYS = """
import berth, numpy, numpy.typing
problem: berth.Problem = berth.problem("zoo:rnnlm", "k40x2")
groups: berth.Groups = problem.grouped(8)
scores: berth.Scores = problem.evaluate(numpy.zeros((2, 8), int), of=groups)
best: int = scores.order()[0].item()
times: numpy.typing.NDArray[numpy.float64] = scores.step_time
plan: berth.Plan = problem.plan({"*": "cpu"}, rest="gpu0")
steps = berth.PlacementEnv(problem, groups=groups).step(1)
"""

WITHOUT_NUMPY = """
import berth
for needy, words in ((lambda: berth.problem("zoo:rnnlm", "k40x2"), "NumPy"), (lambda: berth.PlacementEnv, "gymnasium")):
    try:
        needy()
    except berth.BerthError as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"nobody missed {words}")
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


TENSORS = """
import berth, torch
problem = berth.problem("zoo:rnnlm,unroll=3", "k40x2")
rows = torch.tensor(problem.devices_of({}, rest="gpu0")).repeat(3, 1)
expected = problem.evaluate(rows.numpy()).picoseconds.tolist()
for kind in (torch.uint8, torch.int8, torch.int32, torch.int64):
    assert problem.evaluate(rows.to(kind)).picoseconds.tolist() == expected
ranks = torch.arange(rows.shape[1], dtype=torch.float32)
assert problem.evaluate(rows.T.contiguous().T, ranks).picoseconds.tolist() == problem.evaluate(rows, ranks.numpy()).picoseconds.tolist()
print("tensors: fine")
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
        run(python, "-c", WITHOUT_NUMPY, cwd=self.folder)
        run(python, "-m", "pip", "install", "--quiet", "pytest", "pandas", "onnx", "mypy", "gymnasium>=1.1")
        print(run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "python" / "tests", cwd=self.folder).strip())
        for name, code in (("typed.py", TYPED), ("typed_arrays.py", TYPED_ARRAYS)):
            (self.folder / name).write_text(code)
            run(python, "-m", "mypy", "--strict", "--cache-dir", self.folder / "mypy", name, cwd=self.folder)

    def test_the_wheel_has_stubs_and_the_capture_tool(self):
        names = set(zipfile.ZipFile(self.wheel).namelist())
        self.assertLess({"berth/bin/berth", "berth/share/doc/berth/cli.md", "berth_program/__init__.py", "berth/py.typed", "berth/_berth.pyi", "berth/__init__.py", "berth/capture/__main__.py", "berth/capture/trace.py"}, names)

    def beside_pytorch(self, *arguments):
        python = consumer.environment("accelerate", BUILD)
        beside = self.folder / "beside"
        if not beside.exists():
            run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", beside, self.wheel)
        return run(python, *arguments, cwd=self.folder, env={**os.environ, "PYTHONPATH": str(beside)})

    def test_an_exported_program_in_memory(self):
        self.assertIn("fine", self.beside_pytorch("-c", EXPORTED))

    def test_tensors_are_read_where_they_are(self):
        self.assertIn("fine", self.beside_pytorch("-c", TENSORS))

    def test_the_policy_of_the_example_beats_metis_and_chance(self):
        said = self.beside_pytorch(ROOT / "examples" / "python" / "policy.py", "-o", "policy.json")
        print(said)
        seconds = {name: float(time) for name, time in re.findall(r"^ *(\w+) ([0-9.]+) s$", said, re.MULTILINE)}
        self.assertEqual(set(seconds), {"policy", "single", "random", "metis", "chance"})
        self.assertEqual(min(seconds, key=seconds.get), "policy", said)
        again = self.beside_pytorch("-c", "import berth; print(berth.score('zoo:rnnlm', 'k40x2', 'policy.json').step_time)")
        self.assertAlmostEqual(float(again), seconds["policy"], places=3)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
