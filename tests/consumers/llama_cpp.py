# SPDX-License-Identifier: Apache-2.0
"""llama.cpp itself: its programs, compiled once from the source package that PyPI has of llama-cpp-python, and what their log
says of where tensors and caches are.

Compiled without GPUs and for speed of compilation. In place of GPUs there are servers of its RPC backend, each of which is a
device of its own to the program: -dev, -ts and -ngl treat them as they treat cards."""
import contextlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import time

import consumer

VERSION = "0.3.36"
PATIENCE = 900  # seconds for what takes a few: the computer may be slow, and busy with others
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "berth" / f"llama.cpp-{VERSION}"
OPTIONS = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG", "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG",
           "-DGGML_NATIVE=OFF", "-DGGML_RPC=ON", "-DGGML_OPENMP=OFF", "-DBUILD_SHARED_LIBS=OFF", "-DLLAMA_BUILD_TESTS=OFF",
           "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_BUILD_SERVER=OFF", "-DLLAMA_BUILD_APP=OFF", "-DLLAMA_OPENSSL=OFF"]


def must(command, what):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        consumer.skip(f"{what}: {''.join((done.stderr or done.stdout).strip().splitlines()[-1:])}")


def programs():
    """Folder with llama-completion and ggml-rpc-server; BERTH_LLAMA_CPP names one that is there already."""
    given = os.environ.get("BERTH_LLAMA_CPP")
    folder = pathlib.Path(given) if given else CACHE / "build" / "bin"
    if (folder / "llama-completion").exists() and (folder / "ggml-rpc-server").exists():
        return folder
    if given:
        sys.exit(f"BERTH_LLAMA_CPP: {given} has no llama-completion and ggml-rpc-server")
    shutil.rmtree(CACHE, ignore_errors=True)
    CACHE.mkdir(parents=True)
    must([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "llama-cpp-python", "-d", CACHE,
          f"llama-cpp-python=={VERSION}"], "no source package of llama-cpp-python could be had (offline?)")
    with tarfile.open(next(CACHE.glob("*.tar.gz"))) as archive:
        archive.extractall(CACHE, filter="data")
    source = next(CACHE.glob("llama_cpp_python-*")) / "vendor" / "llama.cpp"
    must(["nice", "cmake", "-S", source, "-B", CACHE / "build", "-G", "Ninja", *OPTIONS], "llama.cpp could not be configured")
    must(["nice", "ninja", "-C", CACHE / "build", "llama-completion", "ggml-rpc-server"], "llama.cpp could not be compiled")
    return folder


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextlib.contextmanager
def servers(folder, count):
    """Endpoints of so many devices."""
    ports = [free_port() for _ in range(count)]
    running = [subprocess.Popen([folder / "ggml-rpc-server", "-p", str(port), "-t", "1"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL) for port in ports]
    try:
        for port in ports:
            wait_for(port)
        yield [f"127.0.0.1:{port}" for port in ports]
    finally:
        for server in running:
            server.kill()
            server.wait()


def wait_for(port):
    for _ in range(20 * PATIENCE):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"no server on port {port}")


class Log:
    """Where llama.cpp says that it puts things."""

    def __init__(self, text):
        self.text = text
        self.layer = {int(number): device for number, device in
                      re.findall(r"load_tensors: layer +(\d+) assigned to device (\S+?),", text)}
        self.moved = dict(re.findall(r"tensor (\S+) \(\d+ MiB \S+\) buffer type overridden to (\S+)", text))
        used = text[text.rfind("constructing llama_context"):]  # it tries once whether everything fits before it loads
        self.cache = {int(number): device for number, device in re.findall(r"kv_cache: layer +(\d+): dev = (\S+)", used)}
        self.cache_mib = sum(float(size) for size in re.findall(r"kv_cache: size = +([\d.]+) MiB", used))

    def device_of(self, tensor):
        if tensor in self.moved:
            return self.moved[tensor]
        layer = re.match(r"blk\.(\d+)\.", tensor)
        if layer:
            return self.layer[int(layer[1])]
        return self.layer[max(self.layer)] if tensor.startswith("output") else "CPU"  # words are always there


def load(folder, model, flags):
    """Loads the model with these words of flags, makes one token, and reads the log."""
    done = subprocess.run([folder / "llama-completion", "-m", model, *flags, "-p", "ab", "-n", "1", "-no-cnv", "--no-warmup", "-v"],
                          capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=PATIENCE)
    text = done.stdout + done.stderr
    assert done.returncode == 0, f"{' '.join(flags)}: {text[-2000:]}"
    return Log(text)
