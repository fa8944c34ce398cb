# SPDX-License-Identifier: Apache-2.0
"""llama-bench, compiled for this computer from the source package that PyPI has of llama-cpp-python, and what it prints."""
import dataclasses
import os
import pathlib
import re
import shutil
import sys
import tarfile

from lib import berth, cli

VERSION = "0.3.36"
OPTIONS = ["-DCMAKE_BUILD_TYPE=Release", "-DGGML_NATIVE=ON", "-DGGML_OPENMP=OFF", "-DBUILD_SHARED_LIBS=OFF", "-DLLAMA_BUILD_TESTS=OFF",
           "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_BUILD_SERVER=OFF", "-DLLAMA_BUILD_APP=OFF", "-DLLAMA_OPENSSL=OFF"]
MIB = 2**20


def cache():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "berth" / f"llama-bench-{VERSION}"


def must(command):
    done = berth.run(command)
    if done.code != 0:
        raise berth.Failed(f"{berth.shown(list(map(str, command)))}: {''.join((done.errors or done.out).strip().splitlines()[-1:])}")


def source_in(folder):
    found = list(folder.glob("llama_cpp_python-*/vendor/llama.cpp"))
    if found:
        return found[0]
    folder.mkdir(parents=True, exist_ok=True)
    must([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "llama-cpp-python", "-d", folder,
          f"llama-cpp-python=={VERSION}"])
    package = next(folder.glob("llama_cpp_python-*.tar.gz"))
    with tarfile.open(package) as archive:
        archive.extractall(folder, filter="data")
    package.unlink()
    return next(folder.glob("llama_cpp_python-*/vendor/llama.cpp"))


def bench_program(jobs):
    """Compiles it where it is not there yet: a quarter of an hour on one core, only what llama-bench needs. A compilation that was
    stopped goes on the next time."""
    folder = cache()
    program = folder / "build" / "bin" / "llama-bench"
    if program.exists():
        return program
    for tool in ("cmake", "ninja"):
        if not shutil.which(tool):
            raise berth.Failed(f"{tool} is needed to compile llama.cpp; or name a llama-bench with --llama-bench")
    source = source_in(folder)
    cli.say(f"compiling llama-bench {VERSION} with {jobs} at a time")
    must(["nice", "cmake", "-S", source, "-B", folder / "build", "-G", "Ninja", *OPTIONS])
    must(["nice", "ninja", "-C", folder / "build", "-j", str(jobs), "llama-bench"])
    return program


@dataclasses.dataclass(frozen=True)
class Memory:
    """MiB by the log of a run: all weights, all caches, and what is computed in."""
    weights: float
    cache: float
    compute: float


def buffers(log):
    """The last of each kind: before it loads, the program may try whether everything fits."""
    def last(kind):
        found = {}
        for device, size in re.findall(rf"(\S+) +{kind} buffer size += +([\d.]+) MiB", log):
            found[device] = float(size)
        return sum(found.values())

    memory = Memory(last("model"), last("KV"), last("compute"))
    if not (memory.weights and memory.cache and memory.compute):
        raise berth.Failed("the log of llama-bench names no buffers of weights, cache and compute")
    return memory


def speeds(rows):
    """{(phase, depth): tokens per second}, the fastest of the runs of each."""
    found = {}
    for row in rows:
        phase = "decode" if row["n_gen"] else "prefill"
        found[phase, row["n_depth"]] = max(row["samples_ts"])
    return found
