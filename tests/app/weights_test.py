#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Weights live with their readers, on a network like ViT-B as ONNX exporters write it. Usage: weights_test.py BERTH."""
import json
import pathlib

from command_line import CommandLineTest, berth, main
from tiny_models import onnx, onnx_node, onnx_value, onnx_weight, text

WIDTH, TOKENS, BLOCKS = 768, 197, 12
WEIGHT_BYTES = BLOCKS * 14 * WIDTH * WIDTH * 4
DESKTOP = ["-m", "rtx4090-3060"]


class VisionTransformer:
    """12 encoder blocks named encoder_layer_N; weights have names that say nothing and no modules."""

    def __init__(self):
        self.nodes, self.weights, self.reader = [], [], {}
        x = self.product("conv_proj", "pixels", WIDTH, WIDTH)
        for block in range(BLOCKS):
            x = self.block(f"encoder.layers.encoder_layer_{block}", x)
        self.output = self.product("heads.head", x, WIDTH, 1000)

    def block(self, module, x):
        qkv = self.product(module + ".self_attention", x, WIDTH, 3 * WIDTH)
        attended = self.product(module + ".self_attention.out_proj", qkv, 3 * WIDTH, WIDTH)
        x = self.node(module, "Add", [x, attended])
        hidden = self.node(module + ".mlp.1", "Relu", [self.product(module + ".mlp.0", x, WIDTH, 4 * WIDTH)])
        return self.node(module, "Add", [x, self.product(module + ".mlp.3", hidden, 4 * WIDTH, WIDTH)])

    def product(self, module, x, rows, columns):
        weight = f"val_{len(self.weights)}"
        self.weights.append(onnx_weight(weight, [rows, columns]))
        self.reader[weight] = f"node_MatMul_{len(self.nodes)}"
        return self.node(module, "MatMul", [x, weight])

    def node(self, module, kind, inputs):
        name, result = f"node_{kind}_{len(self.nodes)}", f"t{len(self.nodes)}"
        scope = f"VisionTransformer/{module}: torch.nn.Module/{name}: aten.op"
        metadata = text(9, text(1, "namespace") + text(2, scope))
        self.nodes.append(onnx_node(name, kind, inputs, [result]) + metadata)
        return result

    def file(self):
        return onnx([onnx_value("pixels", [1, TOKENS, WIDTH])], self.weights, self.nodes, [self.output])


class Weights(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.model = VisionTransformer()
        self.graph = str(self.folder / "vit_b_16.onnx")
        pathlib.Path(self.graph).write_bytes(self.model.file())
        self.plan = str(self.folder / "plan.json")

    def placed(self, *options):
        return self.json_of("place", self.graph, *DESKTOP, *options, "-o", self.plan)

    def weights_sent(self, *options):
        """Bytes of weights that go over links in a step of the plan."""
        scored = self.json_of("score", self.graph, *DESKTOP, *options, "--plan", self.plan, "--timeline")
        return sum(sent["bytes"] for sent in scored["transfers"] if sent["op"].startswith("val_"))

    def rewrite_plan(self, change):
        document = json.loads(pathlib.Path(self.plan).read_text())
        device = {op["name"]: op["device"] for op in document["ops"]}
        for op in document["ops"]:
            op["device"] = change(op["name"], device)
        pathlib.Path(self.plan).write_text(json.dumps(document))

    def test_the_layer_rule_moves_no_weight(self):
        placed = self.placed("-p", "expert-layers")
        self.assertEqual(placed["note"], "14 layers in blocks over 2 devices")
        self.assertGreater(min(device["ops"] for device in placed["devices"] if device["name"] != "cpu"), 5)
        self.assertEqual(self.weights_sent(), 0)

    def test_a_device_map_splits_no_block(self):
        self.placed("-p", "expert-layers")
        device = {op["name"]: op["device"] for op in json.loads(pathlib.Path(self.plan).read_text())["ops"]}
        for block in range(BLOCKS):
            self.assertEqual(len({device[f"node_{kind}_{1 + 7 * block + i}"] for i, kind in
                                  enumerate(["MatMul", "MatMul", "Add", "MatMul", "Relu", "MatMul", "Add"])}), 1, block)

    def test_auto_streams_none_unless_that_is_faster(self):
        room = ["--set", f"gpu.memory={WEIGHT_BYTES * 2 // 3 + 16 * 2**20}B"]
        placed = self.placed("--evaluations", "1500", "--seed", "1", *room)
        self.assertTrue(placed["feasible"])
        if self.weights_sent(*room) > 0:
            self.rewrite_plan(lambda op, device: device[self.model.reader.get(op, op)])
            settled = json.loads(berth("score", self.graph, *DESKTOP, *room, "--plan", self.plan, "--json").stdout)
            self.assertTrue(not settled["feasible"] or settled["step_time_s"] > placed["step_time_s"])

    def test_one_device_with_pins_has_their_weights_with_them(self):
        pin = ["--pin", "module:encoder.layers.encoder_layer_3=gpu1"]
        single = self.placed("-p", "single", *pin)
        self.assertEqual(self.weights_sent(*pin), 0)
        best = self.placed("--evaluations", "500", *pin)
        self.assertGreaterEqual(best["step_time_s"], 0.9 * single["step_time_s"], "no gain that weights alone would make")

    def test_explain_takes_the_weight_along(self):
        self.placed("-p", "single")
        why = self.json_of("explain", self.graph, *DESKTOP, "--plan", self.plan, "--op", "node_MatMul_8")
        weight = next(weight for weight, reader in self.model.reader.items() if reader == "node_MatMul_8")
        self.assertEqual(why["weights_along"], [weight])
        self.assertTrue(any("1 weight that nothing else reads goes along" in reason for reason in why["reasons"]))
        self.rewrite_plan(lambda op, device: "gpu1" if op in (weight, "node_MatMul_8") else device[op])
        scored = self.json_of("score", self.graph, *DESKTOP, "--plan", self.plan)
        on_gpu1 = next(other for other in why["alternatives"] if other["device"] == "gpu1")
        self.assertEqual(on_gpu1["step_time_s"], scored["step_time_s"])

    def test_resident_weights_are_never_sent(self):
        for planner in ["random", "heft", "metis", "auto"]:
            self.placed("-p", planner, "--evaluations", "100", "--resident-weights")
            self.assertEqual(self.weights_sent("--resident-weights"), 0, planner)
        self.assertEqual(self.placed("-p", "random", "--resident-weights")["feasible"], True)

    def test_a_plan_that_sends_weights_is_refused_where_they_are_resident(self):
        self.placed("-p", "single")
        self.rewrite_plan(lambda op, device: "cpu" if op in ("val_3", "val_7") else device[op])
        for command in ["score", "explain"]:
            done = berth(command, self.graph, *DESKTOP, "--resident-weights", "--plan", self.plan)
            self.assertEqual(done.returncode, 2)
            self.assertIn("'--resident-weights' does not hold: 2 weights (18.0 MiB over links) are sent in every step, "
                          "'val_3' on cpu first", done.stderr)

    def test_pins_that_contradict_resident_weights_are_named(self):
        done = berth("place", self.graph, *DESKTOP, "--resident-weights", "--pin", "val_0=cpu", "--pin", "node_MatMul_0=gpu0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'--pin val_0=cpu', '--pin node_MatMul_0=gpu0' and '--resident-weights' clash", done.stderr.replace(
            "'--resident-weights', '--pin val_0=cpu' and '--pin node_MatMul_0=gpu0'",
            "'--pin val_0=cpu', '--pin node_MatMul_0=gpu0' and '--resident-weights'"))
        self.assertIn("a resident weight keeps all ops that read it on one device", done.stderr)


if __name__ == "__main__":
    main()
