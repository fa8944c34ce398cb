#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The capture tool. Usage: capture_test.py BERTH. Conversion is tested on made-up nodes; tracing where PyTorch can be imported.

Some Python with PyTorch may be named by BERTH_TORCH_PYTHON; the traced models are then checked by BERTH.
"""
import json
import operator
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BERTH = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "berth"
PYTHON = os.environ.get("BERTH_TORCH_PYTHON", sys.executable)
sys.path.insert(0, str(ROOT / "python"))

from berth.capture import write  # noqa: E402
from berth.capture.convert import Converter, is_view, module_path  # noqa: E402
from berth.capture.errors import CaptureError  # noqa: E402

MODELS = """
import torch

def small():
    net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.BatchNorm1d(16), torch.nn.Linear(16, 4))
    return net, (torch.randn(4, 8),)

def attention():
    return torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), (torch.randn(2, 5, 16),)

def tied():
    net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8))
    net[2].weight = net[0].weight
    return net, (torch.randn(4, 8),)

class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x) * torch.tensor([1.0, 2.0, 3.0, 4.0])

def scaled():
    return Scaled(), (torch.randn(2, 4),)

def number():
    return 3

def broken():
    raise ValueError("no such size\\nand more")
"""


class Fake(types.SimpleNamespace):
    __hash__ = object.__hash__


def tensor(*shape, dtype="torch.float32"):
    return Fake(dtype=dtype, shape=shape)


def node(name, op="call_function", target=None, args=(), kwargs=None, val=None, **meta):
    return Fake(name=name, op=op, target=target, args=args, kwargs=kwargs or {}, meta={"val": val, **meta})


class Operator:
    """Looks like torch.ops.aten.relu.default."""

    def __init__(self, name, view=False):
        self.name = name
        alias = types.SimpleNamespace(is_write=False) if view else None
        self._schema = types.SimpleNamespace(returns=[types.SimpleNamespace(alias_info=alias)])

    def __str__(self):
        return self.name


def traced(nodes, outputs, roles, updates=(), unused=()):
    return types.SimpleNamespace(nodes=nodes, outputs=outputs, updates=updates, unused=unused, torch="2.9",
                                 role=lambda one: roles[one.name], flops=lambda one: 42 if one.name == "mm" else 0)


class ConvertTest(unittest.TestCase):
    def setUp(self):
        self.x = node("x", "placeholder", val=tensor(4, 8))
        self.w = node("w", "placeholder", val=tensor(8, 2))

    def converted(self, *nodes, **fields):
        roles = {"x": ("input", ""), "w": ("parameter", "layer.weight")}
        converter = Converter(traced([self.x, self.w, *nodes], [nodes[-1]], roles, **fields))
        return converter.document("toy", "train"), converter.report

    def test_a_product_and_its_update(self):
        mm = node("mm", target=Operator("aten.mm.default"), args=(self.x, self.w), val=tensor(4, 2))
        gradient = node("g", target=Operator("aten.relu.default"), args=(self.w,), val=tensor(8, 2))
        document, report = self.converted(mm, gradient, updates=[(self.w, gradient)], unused=["idle"])
        self.assertEqual(document["format"], "aten-graph/1")
        self.assertEqual([op["type"] for op in document["ops"]],
                         ["input", "parameter", "aten.mm.default", "aten.relu.default", "sgd_update"])
        self.assertEqual(document["ops"][1]["label"], "layer.weight")
        self.assertEqual(document["ops"][2]["args"], [{"op": 0}, {"op": 1}])
        self.assertEqual(document["ops"][2]["flops"], 42)
        self.assertEqual(document["ops"][4]["updates"], 1)
        self.assertIn("1 parameters get no gradient", str(report))

    def test_arguments_of_every_kind(self):
        op = node("op", target=Operator("aten.odd.default"), val=tensor(1),
                  args=(None, True, 3, 0.1, "sum", [self.x, None], float("inf")))
        document, _ = self.converted(op)
        self.assertEqual(document["ops"][2]["args"],
                         [None, {"b": True}, {"i": 3}, {"f": "0.1"}, {"s": "sum"}, {"list": [{"op": 0}, None]}, {"f": "inf"}])

    def test_outputs_that_do_not_exist_are_left_out(self):
        op = node("op", target=Operator("aten.convolution_backward.default"), val=(tensor(2), None, tensor(3)))
        picked = node("picked", target=operator.getitem, args=(op, 2), val=tensor(3))
        document, _ = self.converted(op, picked)
        self.assertEqual([out["shape"] for out in document["ops"][2]["outputs"]], [[2], [3]])
        self.assertEqual(document["ops"][3]["type"], "getitem")

    def test_views_modules_and_foreign_operators(self):
        self.assertTrue(is_view(Operator("aten.t.default", view=True)))
        self.assertTrue(is_view(Operator("aten._unsafe_view.default")))
        self.assertFalse(is_view(Operator("aten.mm.default")))
        op = node("op", target=Operator("mine.op.default"), val=tensor(1),
                  nn_module_stack={"a": ("layers", "Sequential"), "b": ("layers.0", "Linear")})
        self.assertEqual(module_path(op), "layers.0")
        _, report = self.converted(op)
        self.assertIn("can be planned but not run: mine.op.default (1 times)", str(report))

    def test_what_cannot_be_written_is_said(self):
        for broken in (node("op", target=Operator("aten.a.default"), args=(object(),), val=tensor(1)),
                       node("op", target=Operator("aten.a.default"), val=tensor("s0")),
                       node("op", target=Operator("aten.a.default"), val=tensor(1, dtype="torch.quint4x2")),
                       node("op", op="call_method", target="add", val=tensor(1))):
            with self.assertRaises(CaptureError):
                self.converted(broken)


class WriteTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_links_stay_links(self):
        link, target = self.folder / "link.json", self.folder / "target.json"
        link.symlink_to(target)
        write({"format": "aten-graph/1"}, link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(json.loads(target.read_text()), {"format": "aten-graph/1"})

    def test_what_is_no_file_is_left_alone(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for path, words in ((pipe, "no file"), (self.folder, "no file"), (self.folder / "no" / "x.json", "no folder")):
            with self.assertRaisesRegex(CaptureError, words):
                write({}, path)
        self.assertEqual([entry.name for entry in self.folder.iterdir()], ["pipe"])

    def test_a_failed_write_leaves_nothing(self):
        with unittest.mock.patch("os.replace", side_effect=OSError("full")), self.assertRaises(OSError):
            write({}, self.folder / "x.json")
        self.assertEqual(list(self.folder.iterdir()), [])


def has_torch():
    check = "import torch, sys; sys.exit(tuple(map(int, torch.__version__.split('.')[:2])) < (2, 5))"
    return subprocess.run([PYTHON, "-c", check], capture_output=True).returncode == 0


class TraceTest(unittest.TestCase):
    def setUp(self):
        if not has_torch():
            self.skipTest(f"{PYTHON} has no PyTorch 2.5 or newer; name one by BERTH_TORCH_PYTHON")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "models.py").write_text(MODELS)

    def capture(self, *args):
        env = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run([PYTHON, "-m", "berth.capture", *args], cwd=self.folder, env=env, capture_output=True, text=True)

    def test_models_become_graphs_that_run(self):
        for name in ("small", "attention"):
            for mode in ([], ["--train"]):
                with self.subTest(name=name, mode=mode):
                    path = self.folder / f"{name}.json"
                    done = self.capture(f"models:{name}", *mode, "-o", str(path))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    info = subprocess.run([BERTH, "graph", "info", path, "--json"], capture_output=True, text=True)
                    self.assertEqual(info.returncode, 0, info.stderr)
                    self.assertEqual(json.loads(info.stdout)["unknown_ops"], {})
                    updates = [op for op in json.loads(path.read_text())["ops"] if op["type"] == "sgd_update"]
                    self.assertEqual(bool(updates), bool(mode))
                    self.measure(path)

    def test_tensors_in_the_code_are_constants(self):
        for mode in ([], ["--train"]):
            with self.subTest(mode=mode):
                path = self.folder / "scaled.json"
                done = self.capture("models:scaled", *mode, "-o", str(path))
                self.assertEqual(done.returncode, 0, done.stderr)
                constants = [op for op in json.loads(path.read_text())["ops"] if op["type"] == "constant"]
                self.assertEqual([op["outputs"] for op in constants], [[{"dtype": "f32", "shape": [4]}]])
                self.measure(path)

    def test_tied_weights_are_one_parameter(self):
        for mode in ([], ["--train"]):
            with self.subTest(mode=mode):
                path = self.folder / "tied.json"
                done = self.capture("models:tied", *mode, "-o", str(path))
                self.assertEqual(done.returncode, 0, done.stderr)
                labels = [op.get("label") for op in json.loads(path.read_text())["ops"] if op["type"] == "parameter"]
                self.assertEqual(sorted(labels), ["0.bias", "0.weight", "2.bias"])

    def measure(self, path):
        plan = self.folder / "plan.json"
        halves = ROOT / "examples" / "machines" / "halves.toml"
        placed = subprocess.run([BERTH, "place", path, "-m", halves, "-p", "single", "-o", plan], capture_output=True, text=True)
        self.assertEqual(placed.returncode, 0, placed.stderr)
        done = subprocess.run([BERTH, "measure", path, "-m", halves, "--plan", plan, "--runs", "2"], capture_output=True, text=True)
        if "is not in this build" not in done.stderr:
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_mistakes_are_one_line(self):
        for word, part in (("models", "is not MODULE:FUNCTION"), ("models:large", "has no 'large'"), ("nowhere:x", "no module"),
                           ("models:number", "must give (model, args)"), ("models:broken", "ValueError: no such size")):
            done = self.capture(word, "-o", "out.json")
            self.assertEqual(done.returncode, 2)
            self.assertIn(part, done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
