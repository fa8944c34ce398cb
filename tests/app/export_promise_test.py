#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What exports say about the runtime that takes them: it streams no weights, and HETERO overlaps nothing; and foreign plans as large as
models are. Usage: export_promise_test.py BERTH."""
import json
import pathlib
import re

import tiny_models
from command_line import SMALL, main
from export_case import ExportCase

DATA = pathlib.Path(__file__).resolve().parent.parent / "data" / "openvino"
CNN, RESNET = str(DATA / "small_cnn.xml"), str(DATA / "resnet50_fp16.xml.gz")
MANY = 5000


class ExportPromise(ExportCase):
    # Weights.

    def branches(self):
        return self.write("net.onnx", tiny_models.onnx_of_branches(branches=2, width=1024)), ["--dim", "batch=2,seq=4", "-m", "k40x2"]

    def table(self, name, weight_device):
        return self.write(name, f"op,device\nstem,gpu0\nbranch0,gpu0\nbranch1,gpu1\nsum,gpu0\nw,gpu0\nw1,gpu1\nw0,{weight_device}\n")

    def test_streamed_weights_are_said_with_what_the_plan_takes_without(self):
        model, more = self.branches()
        away, home = self.table("away.csv", "gpu1"), self.table("home.csv", "gpu0")
        times = [self.json_of("score", model, *more, "--plan", plan)["step_time_s"] for plan in (away, home)]
        self.assertGreater(times[0], times[1])
        for form in ("ort", "ort-stages"):
            with self.subTest(form):
                _, document = self.export(model, away, form, *more)
                promise = document["promise"]
                self.assertEqual((promise["weights_sent"], promise["weight_bytes_sent"]), (1, 1024 * 1024 * 4))
                self.assertEqual([promise["step_time_s"], promise["resident_step_time_s"]], times)
                self.assertTrue(any(re.search(r'sends 1 weight \("w0"\), 4(\.0+)? MiB.* where they are read', note) for note in document["notes"]), document["notes"])
                _, document = self.export(model, home, form, *more)
                self.assertEqual(document["promise"]["weights_sent"], 0)
                self.assertFalse(any("the plan sends" in note for note in document["notes"]))

    def test_weights_that_several_devices_read_are_copied(self):
        nodes = [tiny_models.onnx_node("a", "MatMul", ["x", "w"], ["h"]), tiny_models.onnx_node("b", "MatMul", ["h", "w"], ["y"])]
        model = self.write("shared.onnx", tiny_models.onnx([tiny_models.onnx_value("x", [8, 64])], [tiny_models.onnx_weight("w", [64, 64])], nodes, ["y"]))
        plan = self.write("shared.csv", "op,device\na,gpu0\nb,gpu1\nw,cpu\n")
        _, document = self.export(model, plan, "ort-stages", "-m", "k40x2")
        self.assertEqual(document["promise"]["weight_bytes_sent"], 2 * 64 * 64 * 4)
        self.assertTrue(any("several devices read 1 of them" in note for note in document["notes"]), document["notes"])

    def test_formats_that_nothing_runs_promise_nothing(self):
        plan = self.plan(SMALL)
        for form in ("csv", "dot", "perfetto"):
            self.assertNotIn("promise", self.export(SMALL, plan, form)[1])
        self.assertIn("promise", self.export(SMALL, plan, "accelerate")[1])

    # HETERO.

    def hetero(self, plan, machine="flex170", out="hetero"):
        """The export of what an earlier export has made HETERO's own: constants with their readers, inputs with the first."""
        first, _ = self.export(CNN, plan, "openvino", "-m", machine, out=str(self.folder / f"{out}-first"))
        affinity = str(pathlib.Path(first) / "affinity.json")
        return affinity, self.export(CNN, affinity, "openvino", "-m", machine, out=str(self.folder / out))[1]

    def test_hetero_is_judged_without_overlap(self):
        affinity, document = self.hetero(self.plan(CNN, "flex170", "round-robin"))
        judged = document["promise"]["hetero"]
        scored = self.json_of("score", CNN, "-m", "flex170-hetero", "--plan", affinity)
        self.assertEqual(judged["step_time_s"], scored["step_time_s"])
        self.assertEqual(judged["best_single_device"]["step_time_s"], scored["best_single_device"]["step_time_s"])
        self.assertEqual((judged["overlap"], judged["region_cost_s"]), (False, 20e-6))
        self.assertLess(document["promise"]["step_time_s"], judged["step_time_s"])

    def test_a_plan_that_loses_under_hetero_is_warned_of(self):
        _, document = self.hetero(self.plan(CNN, "flex170", "round-robin"))
        self.assertTrue(document["promise"]["hetero"]["is_slower_than_single_device"])
        note = next(note for note in document["notes"] if note.startswith("HETERO runs one region"))
        self.assertIn("slower than the best single device", note)
        self.assertIn("compile the model for that device alone", note)
        _, document = self.hetero(self.plan(CNN, "flex170", "single"), out="single")
        self.assertFalse(document["promise"]["hetero"]["is_slower_than_single_device"])
        self.assertFalse(any("compile the model for" in note for note in document["notes"]))

    def test_a_machine_without_overlap_keeps_its_own_cost_of_a_region(self):
        text = self.text_of("machines", "flex170-hetero").replace("20 us", "50 us").replace("20us", "50us")
        self.assertIn("50", text)
        machine = self.write("slow.toml", text)
        _, document = self.hetero(self.plan(CNN, machine, "round-robin"), machine)
        self.assertAlmostEqual(document["promise"]["hetero"]["region_cost_s"], 50e-6)

    # Large plans of others.

    def test_our_own_affinities_of_a_large_model_are_read_back(self):
        plan = self.plan(RESNET, "flex170", "round-robin")
        out, _ = self.export(RESNET, plan, "openvino", "-m", "flex170")
        affinity = pathlib.Path(out) / "affinity.json"
        self.assertGreater(len(json.loads(affinity.read_text())), 300)
        self.assertIn("affinities of OpenVINO", self.json_of("score", RESNET, "-m", "flex170", "--plan", str(affinity))["note"])

    def test_a_device_map_of_thousands_of_modules(self):
        placed = {"": 1, **{f"not.there.{i}": 0 for i in range(MANY)}}
        scored = self.json_of("score", SMALL, "-m", "k40x2", "--plan", self.write("map.json", json.dumps(placed)))
        self.assertEqual({device["name"] for device in scored["devices"] if device["busy_s"] > 0}, {"gpu1"})

    def test_plans_of_thousands_of_nodes_in_every_format(self):
        names = [f"node{i}" for i in range(MANY)]
        nodes = [tiny_models.onnx_node(name, "Tanh", [f"h{i}"], [f"h{i + 1}"]) for i, name in enumerate(names)]
        model = self.write("long.onnx", tiny_models.onnx([tiny_models.onnx_value("h0", [4, 4])], [], nodes, [f"h{MANY}"]))
        device_of = {name: i % 2 for i, name in enumerate(names)}
        plans = {
            "affinity.json": json.dumps({name: f"GPU.{device}" for name, device in device_of.items()}),
            "table.csv": "op,device\n" + "".join(f"{name},gpu{device}\n" for name, device in device_of.items()),
            "names.json": json.dumps({"session.name_based_layer_assignment": "gpu:0(node); " + "; ".join(
                f"gpu:{device}({name})" for name, device in device_of.items())}),
        }
        times = {self.json_of("score", model, "-m", "k40x2", "--plan", self.write(name, text))["step_time_s"] for name, text in plans.items()}
        self.assertEqual(len(times), 1, "all say the same")

    def test_a_name_that_is_there_twice_is_found_among_thousands(self):
        entries = "".join(f'\n"m{i}": 0,' for i in range(MANY))
        twice = self.write("twice.json", "{" + entries + '\n"m17": 1}')
        self.assert_refused(["score", SMALL, "-m", "k40x2", "--plan", twice], '"m17" is there twice', f"line {MANY + 2}")


if __name__ == "__main__":
    main()
