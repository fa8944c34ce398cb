#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/reality and bench/capped: their statistics and plans on paper, and one short run. Usage: bench_reality_test.py BERTH."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests" / "app")]
BERTH = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "berth"

import captures  # noqa: E402
from lib import charts  # noqa: E402
from real import accuracy, figures, filling, plans  # noqa: E402


def row(graph, predicted, measured, plan="p", share=None, fingerprint=None, low=None, high=None):
    return {"graph": graph, "plan": plan, "fingerprint": fingerprint, "range_s": [low, high] if low else None, "failed": None, "predicted_s": predicted, "measured_s": measured, "spread": 0.0,
            "accelerator_share": share, "devices": [{"name": "d", "tensor_peak_bytes": 2 << 20, "peak_bytes": 4 << 20,
                                                     "predicted_peak_bytes": 1 << 20}]}


class StatsTest(unittest.TestCase):
    def test_errors(self):
        facts = accuracy.error_facts([row("a", 1.0, 1.0), row("a", 1.2, 1.0), row("a", 0.5, 1.0)])
        low, high = facts["median_error_interval"]
        self.assertTrue(0.0 <= low <= facts["median_error"] <= high <= 0.5)
        self.assertAlmostEqual(facts["median_error"], 0.2)
        self.assertAlmostEqual(facts["p90_error"], 0.44)

    def test_regret_is_that_of_the_plan_predicted_best(self):
        facts = accuracy.regret_facts([row("a", 1.0, 1.5), row("a", 2.0, 1.0), row("b", 1.0, 1.0)])
        self.assertAlmostEqual(facts["by_graph"]["a"], 0.5)
        self.assertEqual(facts["by_graph"]["b"], 0.0)

    def test_equal_plans_count_once(self):
        rows = [row("a", 1.0, 1.0, fingerprint="x"), row("a", 1.0, 3.0, fingerprint="x"), row("a", 1.0, 1.6, fingerprint="x"),
                row("a", 1.0, 9.0, fingerprint="y"), row("b", 1.0, 5.0, fingerprint="x")]
        self.assertEqual([one["measured_s"] for one in accuracy.distinct(rows)], [1.6, 9.0, 5.0])
        self.assertEqual(accuracy.regret_facts(rows[:3] + [row("a", 2.0, 1.5)])["worst"], 1.6 / 1.5 - 1)

    def test_coverage_of_the_range_that_a_prediction_carries(self):
        rows = [row("a", 1.0, 1.2, low=0.8, high=1.3), row("a", 1.0, 1.4, low=0.8, high=1.3), row("b", 1.0, 9.0)]
        self.assertEqual(accuracy.coverage(rows), 0.5)
        self.assertIsNone(accuracy.coverage(rows[2:]))

    def test_memory_with_and_without_workspaces(self):
        facts = accuracy.memory_facts([row("a", 1, 1)])
        self.assertAlmostEqual(facts["median_error"], 0.5)
        self.assertAlmostEqual(facts["median_error_with_workspaces"], 0.75)

    def test_summary_tells_accelerated_plans_apart(self):
        facts = accuracy.summary([row("a", 1.1, 1.0, share=1.0), row("a", 2.0, 1.0, share=0.2),
                               {"graph": "a", "plan": "x", "failed": "crashed"}])
        self.assertEqual((facts["plans"], facts["failed"]), (2, 1))
        self.assertAlmostEqual(facts["mostly_on_the_accelerator"]["median_error"], 0.1)
        self.assertAlmostEqual(facts["others"]["median_error"], 1.0)

    def test_scatter_leaves_out_what_failed(self):
        drawn = []
        with unittest.mock.patch.object(charts, "scatter", lambda *words: drawn.append(words)):
            figures.scatter([row("a", 1e-3, 2e-3), row("b", 0.5, 0.4), {**row("b", 1, 1), "failed": "crashed"}], "t")
        self.assertEqual(drawn[0][3], {"a": [(2e-3, 1e-3)], "b": [(0.4, 0.5)]})


class PlansTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        captures.mlp(self.folder / "mlp.json")
        self.ops = plans.read_capture(self.folder / "mlp.json")["ops"]

    def test_updates_stay_with_parameters_and_inputs_on_the_host(self):
        for _, devices in plans.given_plans(self.ops, ["h", "g"], None) + plans.given_plans(self.ops, ["h", "g"], "g"):
            for number, op in enumerate(self.ops):
                self.assertIn(devices[number], ("h", "g"))
                if op["type"] == "input":
                    self.assertEqual(devices[number], "h")
                if "updates" in op:
                    self.assertEqual(devices[number], devices[op["updates"]])

    def test_filling_stops_at_the_first_layer_that_does_not_fit(self):
        self.assertEqual(filling.layer_of("model.layers.12.mlp.weight"), "model.layers.12")
        self.assertEqual(filling.layer_of("first.weight"), "first.weight")
        room = 32 * 16 * 4 + 32 * 4  # the first layer
        for rule in (filling.layer_filling, filling.greedy):
            devices = rule(self.ops, "h", "g", room)
            self.assertEqual([devices[i] for i in (0, 1, 2)], ["g", "g", "h"], rule)
        self.assertEqual(set(filling.greedy(self.ops, "h", "g", 0)[:3]), {"h"})

    def test_gradients_are_where_their_layer_is(self):
        layers, is_gradient = filling.layers_of(self.ops), filling.gradients_of(self.ops)
        for number, op in enumerate(self.ops):
            if "updates" in op:
                self.assertTrue(is_gradient[number], op["name"])
                self.assertFalse(is_gradient[op["updates"]], op["name"])
        devices = filling.layer_filling(self.ops, "h", "g", 32 * 16 * 4 + 32 * 4)
        products = [(layers[i], devices[i]) for i, op in enumerate(self.ops) if op["type"] == "aten.mm.default" and is_gradient[i]]
        self.assertIn("g", [device for _, device in products], "the gradient of the first layer's weight")
        self.assertIn("h", [device for _, device in products], "that of the second")

    def test_fingerprints_are_about_devices(self):
        def plan(name, devices, priority=0):
            path = self.folder / name
            path.write_text(json.dumps({"ops": [{"name": "o", "device": device, "priority": priority} for device in devices]}))
            return plans.fingerprint(path)
        self.assertEqual(plan("a", ["h", "g"]), plan("b", ["h", "g"], 3))
        self.assertNotEqual(plan("a", ["h", "g"]), plan("b", ["g", "h"]))

    def test_as_much_as_fits(self):
        self.assertEqual(filling.most_that_fits(lambda room: room, 100, lambda plan: True), 100)
        self.assertAlmostEqual(filling.most_that_fits(lambda room: room, 128, lambda plan: plan <= 50, 7), 50)
        self.assertIsNone(filling.most_that_fits(lambda room: room, 128, lambda plan: False))

    def test_learning_counts_plans_that_fit_alone(self):
        path = self.folder / "runs.csv"
        path.write_text("elapsed_s,step_time_s,over_memory_bytes,failed\n0.1,0.001,5,\n0.2,0.030,0,\n0.3,,,\"out of memory\"\n"
                        "0.4,0.020,0,\n0.5,0.025,0,\n")
        self.assertEqual(figures.best_so_far(path), [(2, 30.0), (4, 20.0), (5, 20.0)])
        if charts.write(self.folder / "runs.svg", figures.learning("t", [path], [("layer filling", 0.05)])):
            self.assertIn("layer filling", (self.folder / "runs.svg").read_text())

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two cores")
    def test_a_short_run(self):
        done = subprocess.run([sys.executable, ROOT / "bench" / "reality", BERTH, "--small", "--only", "mlp-256,branches-2", "-o", self.folder / "out",
                               "--minutes", "20"],
                              capture_output=True, text=True, timeout=1800)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        document = json.loads((self.folder / "out" / "reality.json").read_text())
        self.assertGreater(document["summary"]["plans"], 5)
        self.assertEqual({one["graph"] for one in document["rows"]}, {"mlp-256", "branches-2"})
        if charts.matplotlib():
            self.assertIn("</svg>", (self.folder / "out" / "reality.svg").read_text())
        for graph in {one["graph"] for one in document["rows"]}:  # numbers do not depend on the plan
            sums = {one["checksum"] for one in document["rows"] if one["graph"] == graph and one["failed"] is None and one["checksum"]}
            self.assertEqual(len(sums), 1, graph)


if __name__ == "__main__":
    unittest.main()
