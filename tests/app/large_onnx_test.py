#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX files of nearly 2 GiB load in the memory of their graph alone, and weights outside the file are never opened. Usage:
large_onnx_test.py BERTH."""
import json
import os
import resource
import subprocess

from command_line import BERTH, CommandLineTest, main
from large_models import SIDE, write_sparse_onnx
from tiny_models import number, onnx, onnx_node, onnx_value, text

MOST_BYTES = 500 << 20


def run(*args):
    """Output of berth, and the most memory it had resident, in bytes."""
    process = subprocess.Popen([BERTH, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    return process.returncode, out, errors, usage.ru_maxrss * 1024


class LargeModels(CommandLineTest):
    def sparse(self):
        path = self.folder / "large.onnx"
        write_sparse_onnx(path)
        return path

    def test_weights_inside_the_file_are_not_read(self):
        path = self.sparse()
        self.assertGreater(path.stat().st_size, 2_147_000_000)
        code, out, errors, peak = run("graph", "info", path, "--json")
        self.assertEqual(code, 0, errors)
        info = json.loads(out)
        self.assertEqual((info["flops"], info["parameter_bytes"]), (2 * SIDE * SIDE, 4 * SIDE * SIDE))
        self.assertLess(peak, MOST_BYTES)

    def test_weights_outside_the_file_are_never_opened(self):
        """They are a pipe that nobody writes to: whoever opens it waits forever."""
        os.mkfifo(self.folder / "weights.bin")
        entry = text(1, "location") + text(2, "weights.bin")
        w = number(1, 64) + number(1, 10) + number(2, 1) + text(8, "w") + text(13, entry) + number(14, 1)
        model = onnx([onnx_value("x", [1, 64])], [w], [onnx_node("product", "MatMul", ["x", "w"], ["y"])], ["y"])
        info = self.json_of("graph", "info", self.write("m.onnx", model))
        self.assertEqual(info["parameter_bytes"], 4 * 64 * 10)

    def test_the_reader_stays_below_a_limit_on_memory(self):
        """The same with a hard limit on what the program may allocate; a mapped file does not count."""
        if self.limited("--version").returncode != 0:
            self.skipTest("this build takes more than that before it begins (AddressSanitizer)")
        done = self.limited("graph", "info", str(self.sparse()))
        self.assertEqual(done.returncode, 0, done.stderr)

    def limited(self, *args):
        limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
        return subprocess.run([BERTH, *args], capture_output=True, text=True, timeout=900, check=False, preexec_fn=limit)


if __name__ == "__main__":
    main()
