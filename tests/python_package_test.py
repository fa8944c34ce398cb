#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package as the build has made it: its sources and the extension module side by side, and its own tests.
Usage: python_package_test.py MODULE [pytest arguments...]"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77


def main():
    if importlib.util.find_spec("pytest") is None:
        print(f"skipped: {sys.executable} has no pytest")
        return SKIPPED
    module = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / "berth"
        package.mkdir()
        for path in [*(ROOT / "python" / "berth").iterdir(), module]:
            if path.name != "__pycache__":
                (package / path.name).symlink_to(path)
        environment = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("BERTH_PROGRAM", None)
        return subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *sys.argv[2:], ROOT / "python" / "tests"],
                              cwd=folder, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
