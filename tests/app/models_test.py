#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models of frameworks on the command line: found by their ending, warned about, refused in one line. Usage: models_test.py BERTH."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from tiny_models import onnx_of_one_product

BERTH = ""


def berth(*args):
    return subprocess.run([BERTH, *map(str, args)], capture_output=True, text=True, timeout=60, check=False)


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
        self.assertEqual([(dim["name"], dim["size"], dim["source"]) for dim in info["dims"]], [("batch", 1, "assumed")])

    def test_it_can_be_placed(self):
        done = berth("place", self.file("m.onnx", onnx_of_one_product()), "--machine", "k40x2", "--evaluations", "20", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(json.loads(done.stdout)["feasible"])
        self.assertIn("1 dimension has no size and counts as 1: batch; say --dim batch=8", done.stderr)

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
