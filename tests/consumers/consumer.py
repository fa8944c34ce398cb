# SPDX-License-Identifier: Apache-2.0
"""Real consumers of exports, in virtual environments that the tests make for themselves from PyPI.

A test calls run_in_environment(NAME) before it imports anything of the consumer: that makes the environment if it is not
there yet, below the build folder, and runs the test again inside it. Where packages cannot be had, the test ends with status
77, which ctest shows as skipped, and says why."""
import fcntl
import hashlib
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
INSIDE = "BERTH_CONSUMER"
# The versions that docs/exports.md names.
PACKAGES = {
    "onnxruntime": ["onnxruntime==1.31.1", "onnx==1.23.2", "numpy==2.4.6"],
    "openvino": ["openvino==2026.4.1", "onnx==1.23.2", "numpy==2.4.6"],
    "accelerate": ["torch==2.11.0", "accelerate==1.15.0", "transformers==5.22.2", "numpy==2.4.6"],
    "perfetto": ["perfetto==0.59.1"],
    "pipelining": ["torch==2.15.0", "numpy==2.4.6"],
    "tensorflow": ["tensorflow-cpu==2.21.0", "numpy==2.4.6"],
    "wheel": [],
}


def skip(why):
    print(f"skipped: {why}", flush=True)
    sys.exit(SKIPPED)


def only_if_asked(what):
    """For what takes minutes or gigabytes."""
    if not os.environ.get("BERTH_CONSUMERS"):
        skip(f"{what}; run ./test --consumers")


def environment(name, build_folder):
    """The Python of an environment with these packages."""
    wanted = "\n".join([sys.version, *PACKAGES[name]])
    folder = pathlib.Path(build_folder) / "consumers" / f"{name}-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"
    python = folder / "bin" / "python"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w") as lock:  # tests that run at the same time may share it
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            make_environment(name, folder, python)
    return python


def make_environment(name, folder, python):
    shutil.rmtree(folder, ignore_errors=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", *PACKAGES[name]]
    for command in [[sys.executable, "-m", "venv", folder], *([install] if PACKAGES[name] else [])]:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode != 0:
            last = (done.stderr or done.stdout).strip().splitlines()[-1:]
            skip(f"no environment with {', '.join(PACKAGES[name])} could be made (offline?): {''.join(last)}")
    (folder / "complete").touch()


def run_in_environment(name):
    """argv: BERTH BUILD_FOLDER [TEST...]"""
    if os.environ.get(INSIDE) == name:
        return
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} BERTH BUILD_FOLDER")
    python = environment(name, sys.argv[2])
    os.execve(python, [str(python), os.path.abspath(sys.argv[0]), *sys.argv[1:]],
              {**os.environ, INSIDE: name, "PYTHONDONTWRITEBYTECODE": "1"})


def script(folder, name):
    """A script of an export, as a module of its own."""
    path = pathlib.Path(folder) / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"{name}_{abs(hash(str(folder)))}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def data_folder():
    """Graphs and models that are not part of the project; None where they are not."""
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    for folder in filter(None, [os.environ.get("BERTH_DATA"), root.parent / "shared" / "data"]):
        if pathlib.Path(folder).is_dir():
            return pathlib.Path(folder)
    return None


class Program:
    """Runs berth; every command must succeed."""

    def __init__(self, path):
        self.path = os.path.abspath(path)

    def __call__(self, *args):
        done = subprocess.run([self.path, *map(str, args)], capture_output=True, text=True)
        assert done.returncode == 0, f"berth {' '.join(map(str, args))}: {done.stderr}"
        return done.stdout
