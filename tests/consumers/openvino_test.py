#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Affinities for OpenVINO's HETERO, compiled and run by it on two devices: the CPU plugin under its own name and, with one
thread, under a second. Usage: openvino_test.py BERTH BUILD_FOLDER."""
import consumer

consumer.run_in_environment("openvino")

import json  # noqa: E402
import pathlib  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import unittest  # noqa: E402

import numpy as np  # noqa: E402
import openvino  # noqa: E402
import onnx_models  # noqa: E402

berth = consumer.Program(sys.argv[1])
DATA = consumer.data_folder()
RUNTIME_NAMES = {"cpu": "CPU", "gpu0": "CPU", "gpu1": "CPU2"}


def two_devices():
    core = openvino.Core()
    core.register_plugin("openvino_intel_cpu_plugin", "CPU2")
    core.set_property("CPU2", {"INFERENCE_NUM_THREADS": "1"})
    for device in ("CPU", "CPU2"):  # some CPUs take bfloat16 by default, and what is fused decides where
        core.set_property(device, {"INFERENCE_PRECISION_HINT": "f32"})
    return core


class OpenVino(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def converted(self, path):
        model = self.folder / "model.xml"
        openvino.save_model(openvino.convert_model(path), model, compress_to_fp16=False)
        return model

    def assert_placed_and_the_same(self, model, planner, inputs, *more):
        plan, out = self.folder / f"{planner}.json", self.folder / planner
        berth("place", model, "-m", "k40x2", "-p", planner, "--evaluations", 20, "-q", "-o", plan, *more)
        berth("export", model, "--plan", plan, "--to", "openvino", "-o", out, *more,
              *(word for device, name in RUNTIME_NAMES.items() for word in ("--name", f"{device}={name}")))
        script = consumer.script(out, "apply")
        core = two_devices()
        placed = core.read_model(model)
        compiled = script.compile_placed(core, placed)  # fails if one op is without affinity
        planned = {op["name"]: op["device"] for op in json.loads(plan.read_text())["ops"]}
        for op in placed.get_ops():
            affinity = op.get_rt_info()["affinity"].astype(str)
            if op.get_type_name() in ("Constant", "Parameter", "Result") or op.get_friendly_name() not in planned:
                continue
            self.assertEqual(affinity, RUNTIME_NAMES[planned[op.get_friendly_name()]], op.get_friendly_name())
        expected = core.compile_model(model, "CPU")(inputs)
        for found, wanted in zip(compiled(inputs).values(), expected.values(), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)
        return set(planned.values())

    def test_a_small_net_runs_on_two_devices(self):
        model = self.converted(onnx_models.residual_net(self.folder / "net.onnx"))
        inputs = list(onnx_models.residual_net_input().values())
        sizes = json.loads(berth("graph", "info", model, "--json"))["dims"]
        dims = ["--dim", ",".join(f"{dim['name']}=2" for dim in sizes)] if sizes else []
        for planner in ("expert-layers", "round-robin", "random"):
            with self.subTest(planner):
                used = self.assert_placed_and_the_same(model, planner, inputs, *dims)
                self.assertIn("gpu1", used)

    def test_resnet_50_runs_on_two_devices(self):
        if DATA is None:
            self.skipTest("no data folder (BERTH_DATA)")
        model = self.converted(onnx_models.real_model(DATA, "resnet50", self.folder))
        image = np.random.default_rng(3).standard_normal((1, 3, 224, 224)).astype(np.float32)
        self.assert_placed_and_the_same(model, "random", [image])

    def test_bert_runs_on_two_devices(self):
        if DATA is None:
            self.skipTest("no data folder (BERTH_DATA)")
        model = self.converted(onnx_models.real_model(DATA, "bert_base", self.folder))
        inputs = onnx_models.random_values((value.any_name, list(value.shape), value.element_type.to_dtype())
                                           for value in openvino.Core().read_model(model).inputs)
        self.assert_placed_and_the_same(model, "expert-layers", inputs)


if __name__ == "__main__":
    print(f"openvino {openvino.__version__}")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
