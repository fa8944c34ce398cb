#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX files of nearly 2 GiB load in the memory of their graph alone, and weights outside the file are never opened. Usage:
large_onnx_test.py BERTH."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

BERTH = ""
SIDE = 23168  # a square matrix of so many f32 is just below 2 GiB, the most that protobuf reads
MOST_BYTES = 500 << 20


def varint(value):
    low = bytes([value & 0x7F | (0x80 if value > 0x7F else 0)])
    return low + varint(value >> 7) if value > 0x7F else low


def number(field, value):
    return varint(field << 3) + varint(value)


def prefix(field, length):
    return varint(field << 3 | 2) + varint(length)


def text(field, value):
    value = value if isinstance(value, bytes) else value.encode()
    return prefix(field, len(value)) + value


def value_info(name, dims):
    shape = b"".join(text(1, number(1, dim)) for dim in dims)
    return text(1, name) + text(2, text(1, number(1, 1) + text(2, shape)))


def product_node():
    return text(1, "x") + text(1, "w") + text(2, "y") + text(3, "product") + text(4, "MatMul")


def run(*args):
    """Output of berth, and the most memory it had resident, in bytes."""
    process = subprocess.Popen([BERTH, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    return process.returncode, out, errors, usage.ru_maxrss * 1024


class LargeModels(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write_sparse(self, name):
        """x [1, SIDE] times w [SIDE, SIDE], whose bytes are a hole in the file, with the node behind it."""
        path = pathlib.Path(self.folder.name) / name
        weight_bytes = SIDE * SIDE * 4
        head = number(1, SIDE) + number(1, SIDE) + number(2, 1) + text(8, "w") + prefix(9, weight_bytes)
        before = text(11, value_info("x", (1, SIDE))) + prefix(5, len(head) + weight_bytes) + head
        behind = text(1, product_node()) + text(12, text(1, "y"))
        start = number(1, 10) + prefix(7, len(before) + weight_bytes + len(behind)) + before
        with path.open("wb") as file:
            file.write(start)
            file.seek(weight_bytes, os.SEEK_CUR)
            file.write(behind)
        return path

    def test_weights_inside_the_file_are_not_read(self):
        path = self.write_sparse("large.onnx")
        self.assertGreater(path.stat().st_size, 2_147_000_000)
        code, out, errors, peak = run("graph", "info", path, "--json")
        self.assertEqual(code, 0, errors)
        info = json.loads(out)
        self.assertEqual((info["flops"], info["parameter_bytes"]), (2 * SIDE * SIDE, 4 * SIDE * SIDE))
        self.assertLess(peak, MOST_BYTES)

    def test_weights_outside_the_file_are_never_opened(self):
        """They are a pipe that nobody writes to: whoever opens it waits forever."""
        folder = pathlib.Path(self.folder.name)
        os.mkfifo(folder / "weights.bin")
        entry = text(1, "location") + text(2, "weights.bin")
        w = number(1, 64) + number(1, 10) + number(2, 1) + text(8, "w") + text(13, entry) + number(14, 1)
        graph = text(11, value_info("x", (1, 64))) + text(5, w) + text(1, product_node()) + text(12, text(1, "y"))
        (folder / "m.onnx").write_bytes(number(1, 10) + text(7, graph))
        done = subprocess.run([BERTH, "graph", "info", str(folder / "m.onnx"), "--json"], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["parameter_bytes"], 4 * 64 * 10)

    def test_the_reader_stays_below_a_limit_on_memory(self):
        """The same with a hard limit on what the program may allocate; a mapped file does not count."""
        path = self.write_sparse("large.onnx")
        limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
        done = subprocess.run([BERTH, "graph", "info", str(path)], capture_output=True, text=True, timeout=60, check=False,
                              preexec_fn=limit)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    BERTH = sys.argv.pop(1)
    unittest.main()
