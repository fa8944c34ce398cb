#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The transcribed placement of Inception-V3 (bench/papers/inception_plan.py). Usage: inception_plan_test.py BERTH."""
import json
import pathlib
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from lib.berth import Berth  # noqa: E402
from papers import inception_plan  # noqa: E402

BERTH = None


class InceptionPlan(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = pathlib.Path(self.folder.name, "plan.json")

    def written(self, **settings):
        score = inception_plan.write_plan(BERTH, self.out, **settings)
        return score, {op["name"]: op["device"] for op in json.loads(self.out.read_text())["ops"]}

    def test_the_program_takes_the_plan(self):
        score, device = self.written()
        self.assertTrue(score["feasible"])
        self.assertEqual(len(device), score["ops"])
        self.assertTrue(all(part["ops"] > 0 for part in score["devices"]))
        self.assertEqual(device["images"], "cpu")

    def test_gradients_and_parameters_follow(self):
        _, device = self.written()
        for name in ("conv.weight", "conv/conv2d", "bn/batch_norm", "bn/batch_norm_grad", "conv/conv2d_grad_weight",
                     "conv/conv2d_grad_input", "conv/sgd_update"):
            self.assertEqual(device[f"block.4.seven.conv2.{name}"], "gpu3", name)
        self.assertEqual(device["block.4.seven.conv2/relu_grad"], "gpu3")
        self.assertEqual([device["stem/max_pool"], device["stem/max_pool_1"]], ["gpu1", "gpu0"])
        # The gradient of the second pool comes first.
        self.assertEqual([device["stem/max_pool_grad"], device["stem/max_pool_grad_1"]], ["gpu0", "gpu1"])
        self.assertEqual([device["block.3/max_pool"], device["block.3/concat"], device["block.3/split"]],
                         ["gpu0", "gpu1", "gpu1"])
        self.assertEqual([device["block.7.pool/avg_pool"], device["block.7.pool.conv.conv/conv2d"]], ["gpu3", "gpu2"])

    def test_every_entry_names_something(self):
        graph = pathlib.Path(self.folder.name, "graph.json")
        BERTH.run("graph", "convert", inception_plan.GRAPH + ",aux=1", "-o", graph)
        ops = json.loads(graph.read_text())["ops"]
        for entry in tomllib.loads(inception_plan.TABLE.read_text())["gpu_of"]:
            alone = {entry: 0}
            self.assertTrue(any(inception_plan.gpu_of(alone, op) == 0 for op in ops), entry)

    def test_the_auxiliary_head_is_placed_too(self):
        score, device = self.written(graph=inception_plan.GRAPH + ",aux=1")
        self.assertTrue(score["feasible"])
        self.assertEqual([device["aux.fc/matmul"], device["aux/avg_pool"], device["aux.head.conv0.conv/conv2d"]],
                         ["gpu2", "gpu0", "gpu3"])


if __name__ == "__main__":
    BERTH = Berth(sys.argv.pop(1))
    unittest.main()
