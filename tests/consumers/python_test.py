#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package: a wheel, built from this folder, in a bare virtual environment; a first plan within a minute, the example
of the README, and its own tests. Usage: python_test.py BERTH BUILD_FOLDER. It compiles the library once more, so it runs only
when asked for (./test --consumers)."""
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

import consumer

consumer.only_if_asked("a wheel compiles the whole library once more")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[2])


def run(*command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def example_of_readme():
    """The command behind `python -c` in README.md."""
    found = re.search(r"python -c '(import berth;[^']*)'", (ROOT / "README.md").read_text())
    assert found, "README.md shows a python -c example"
    return found.group(1)


class PythonPackage(unittest.TestCase):
    def test_a_wheel_in_a_bare_environment(self):
        builder = consumer.environment("wheel", BUILD)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            run(builder, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT)
            wheel, = folder.glob("berth-*.whl")
            run(sys.executable, "-m", "venv", folder / "bare")
            python = folder / "bare" / "bin" / "python"
            run(python, "-m", "pip", "install", "--quiet", "--no-index", wheel)
            begin = time.monotonic()
            said = run(python, "-c", example_of_readme(), cwd=folder)
            self.assertLess(time.monotonic() - begin, 60)
            self.assertIn("step time", said)
            run(python, "-m", "pip", "install", "--quiet", "pytest", "pandas", "onnx")
            print(run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "python" / "tests", cwd=folder).strip())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
