#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports to ONNX Runtime, run by it. Usage: onnxruntime_test.py BERTH BUILD_FOLDER."""
import consumer

consumer.run_in_environment("onnxruntime")

import csv  # noqa: E402
import json  # noqa: E402
import pathlib  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import unittest  # noqa: E402

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import onnx_models  # noqa: E402

berth = consumer.Program(sys.argv[1])
DATA = consumer.data_folder()


def options(level):
    chosen = onnxruntime.SessionOptions()
    chosen.graph_optimization_level = level
    chosen.log_severity_level = 3
    return chosen


class OnnxRuntime(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def plan(self, model, machine, planner, *more):
        path = self.folder / f"{machine}-{planner}.json"
        berth("place", model, "-m", machine, "-p", planner, "--evaluations", 20, "-q", "-o", path, *more)
        return path

    def assert_stages_compute_the_same(self, model, plan, inputs, stages, *more):
        """Bit for bit without optimisations, which see less of the model inside a stage; closely with them."""
        out = self.folder / f"stages-{pathlib.Path(plan).stem}"
        berth("export", model, "--plan", plan, "--to", "ort-stages", "-o", out, *more)
        manifest = json.loads((out / "pipeline.json").read_text())
        if stages:
            self.assertEqual(len(manifest["stages"]), stages)
        for stage in manifest["stages"]:
            onnx.checker.check_model(str(out / stage["file"]))
        for level in (onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL):
            whole = onnxruntime.InferenceSession(model, options(level), providers=["CPUExecutionProvider"])
            expected = dict(zip([value.name for value in whole.get_outputs()], whole.run(None, inputs)))
            del whole
            outputs = consumer.script(out, "run").Pipeline(options=options(level)).run(inputs)
            self.assertEqual(set(outputs), set(expected))
            for name, values in expected.items():
                self.assertTrue(np.isfinite(values).all())
                self.assertGreater(np.abs(values).max(), 0)
                if level == onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL:
                    np.testing.assert_array_equal(outputs[name], values)
                else:
                    np.testing.assert_allclose(outputs[name], values, rtol=1e-3, atol=1e-4)
        return manifest

    def test_stages_of_a_small_net(self):
        model = onnx_models.residual_net(self.folder / "net.onnx")
        inputs = onnx_models.residual_net_input()
        for machine, planner in [("k40x2", "expert-layers"), ("k40x4", "expert-layers"), ("k40x4", "random"), ("k40x2", "round-robin")]:
            with self.subTest(machine=machine, planner=planner):
                plan = self.plan(model, machine, planner, "--dim", "batch=2")
                self.assert_stages_compute_the_same(model, plan, inputs, 0, "--dim", "batch=2")

    def test_annotated_nodes_are_assigned(self):
        model = onnx_models.residual_net(self.folder / "net.onnx")
        plan = self.plan(model, "k40x2", "round-robin", "--dim", "batch=2")
        out = self.folder / "annotated"
        # A machine without GPU: all devices of the plan are its CPU, so that all rules match.
        berth("export", model, "--plan", plan, "--to", "ort", "-o", out, "--dim", "batch=2", "--name", "gpu0=cpu",
              "--name", "gpu1=cpu")
        onnx.checker.check_model(str(out / "model.onnx"))
        nodes = onnx.load(out / "model.onnx").graph.node
        annotations = [[entry.value for entry in node.metadata_props if entry.key == "layer_ann"] for node in nodes]
        self.assertTrue(all(len(values) == 1 for values in annotations), annotations)
        self.assertEqual(len(nodes), len(onnx.load(model).graph.node))
        session = consumer.script(out, "load").open_session(options=options(onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL))
        assigned = {node.name for graph in session.get_provider_graph_assignment_info() for node in graph.get_nodes()}
        self.assertTrue({node.name for node in nodes if node.name and node.op_type != "Constant"} <= assigned, assigned)
        inputs = onnx_models.residual_net_input()
        whole = onnxruntime.InferenceSession(model, options(onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL),
                                             providers=["CPUExecutionProvider"])
        np.testing.assert_array_equal(session.run(None, inputs)[0], whole.run(None, inputs)[0])

    def contiguous_plan(self, model, stages):
        """The nodes in their order, as many on each GPU: written as a table, with weights left to what reads them."""
        table = self.folder / "all.csv"
        berth("export", model, "--plan", self.plan(model, "k40x4", "gpu-only"), "--to", "csv", "-o", table)
        with open(table, newline="") as file:
            names = [row["op"] for row in csv.DictReader(file) if row["role"] in ("compute", "view")]
        path = self.folder / f"contiguous{stages}.csv"
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["op", "device"])
            writer.writerows([name, f"gpu{i * stages // len(names)}"] for i, name in enumerate(names))
        return path

    def real(self, name):
        if DATA is None:
            self.skipTest("no data folder (BERTH_DATA)")
        model = onnx_models.real_model(DATA, name, self.folder)
        inputs = onnx_models.random_inputs(onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]))
        for stages in (2, 4):
            with self.subTest(stages=stages):
                plan = self.contiguous_plan(model, stages)
                manifest = self.assert_stages_compute_the_same(model, plan, inputs, stages, "-m", "k40x4")
                self.assertEqual([stage["device"] for stage in manifest["stages"]], [f"gpu{i}" for i in range(stages)])

    def test_stages_of_resnet_50(self):
        self.real("resnet50")

    def test_stages_of_bert(self):
        self.real("bert_base")


if __name__ == "__main__":
    print(f"onnxruntime {onnxruntime.__version__}, onnx {onnx.__version__}")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
