#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models of frameworks on the command line: found by their ending, warned about, refused in one line. Usage: models_test.py BERTH."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BERTH = ""


def berth(*args):
    return subprocess.run([BERTH, *map(str, args)], capture_output=True, text=True, timeout=60, check=False)


def varint(value):
    low = bytes([value & 0x7F | (0x80 if value > 0x7F else 0)])
    return low + varint(value >> 7) if value > 0x7F else low


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def onnx_of_one_product():
    """x [batch, 64] times w [64, 10]."""
    shape = text(1, text(2, "batch")) + text(1, number(1, 64))
    x = text(1, "x") + text(2, text(1, number(1, 1) + text(2, shape)))
    w = number(1, 64) + number(1, 10) + number(2, 1) + text(8, "w")
    node = text(1, "x") + text(1, "w") + text(2, "y") + text(3, "product") + text(4, "MatMul")
    return number(1, 8) + text(7, text(11, x) + text(5, w) + text(1, node) + text(12, text(1, "y")))


class Models(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, contents):
        path = pathlib.Path(self.folder.name) / name
        path.write_bytes(contents)
        return path

    def test_an_onnx_model_is_read_and_what_it_leaves_open_is_said(self):
        done = berth("graph", "info", self.file("m.onnx", onnx_of_one_product()), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        info = json.loads(done.stdout)
        self.assertEqual((info["flops"], info["parameter_bytes"], info["source_nodes"]), (2 * 64 * 10, 4 * 64 * 10, 1))
        self.assertIn("1 dimensions have no size and count as 1: batch", done.stderr)

    def test_it_can_be_placed(self):
        done = berth("place", self.file("m.onnx", onnx_of_one_product()), "--machine", "k40x2", "--evaluations", "20", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(json.loads(done.stdout)["feasible"])

    def test_damaged_files_end_in_one_line(self):
        whole = onnx_of_one_product()
        for name, contents in (("cut.onnx", whole[:-9]), ("empty.onnx", b""), ("no.pt2", b"PK\3\4"), ("no.xml", b"<net>"),
                               ("no.pb", b"\xff\xff"), ("no.pbtxt", b"node {")):
            with self.subTest(name):
                done = berth("graph", "info", self.file(name, contents))
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(name, done.stderr)


if __name__ == "__main__":
    BERTH = sys.argv.pop(1)
    unittest.main()
