#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Device maps of accelerate, written and read back. Usage: device_map_test.py BERTH."""
import json
import pathlib

import tiny_models
from command_line import SMALL, main
from export_case import ExportCase


def tied_model():
    """Two embeddings, added by the module around them; a block; a head with a bias of its own and the first embedding's weight."""
    tensor = [{"dtype": "f32", "shape": [8, 8]}]
    ops = [{"name": "x", "type": "input", "role": "input", "outputs": tensor}]
    at = {"x": 0}

    def add(name, type_, inputs=(), **more):
        at[name] = len(ops)
        ops.append({"name": name, "type": type_, "inputs": [[at[i], 0] for i in inputs], "outputs": tensor, **more})

    for name, label in [("w0", "embeddings.words.weight"), ("w1", "embeddings.places.weight"), ("w2", "layer.0.weight"), ("b", "head.bias")]:
        add(name, "parameter", role="parameter", label=label)
    add("words", "embedding", ["w0", "x"], module="embeddings.words")
    add("places", "embedding", ["w1", "x"], module="embeddings.places")
    add("sum", "add", ["words", "places"], module="embeddings")
    add("block", "matmul", ["sum", "w2"], module="layer.0")
    add("head", "addmm", ["b", "block", "w0"], module="head")
    return json.dumps({"format": "berth-graph/1", "title": "tied", "outputs": [[at["head"], 0]], "ops": ops})


def model_of(ops, title="net"):
    """Ops as (name, type, inputs, rest), all of one shape; the last is the output."""
    at, document = {name: i for i, (name, *_) in enumerate(ops)}, []
    for name, type_, inputs, rest in ops:
        document.append({"name": name, "type": type_, "inputs": [[at[i], 0] for i in inputs], "outputs": [{"dtype": "f32", "shape": [8, 8]}], **rest})
    return json.dumps({"format": "berth-graph/1", "title": title, "outputs": [[len(ops) - 1, 0]], "ops": document})


def weight(name, label):
    return name, "parameter", [], {"role": "parameter", "label": label}


def head_with_a_bias():
    """An embedding; a head of two parts, the second with the weight of the embedding and the bias of the head."""
    return model_of([
        ("x", "input", [], {"role": "input"}), weight("w0", "words.weight"), weight("b", "head.bias"), weight("w1", "head.inner.weight"),
        ("words", "embedding", ["w0", "x"], {"module": "words"}), ("inner", "matmul", ["words", "w1"], {"module": "head.inner"}),
        ("out", "addmm", ["b", "inner", "w0"], {"module": "head.out"})])


def patches_with_a_token():
    """A module with a parameter of its own, read by an op of its own, beside a part that has more inside."""
    return model_of([
        ("x", "input", [], {"role": "input"}), weight("token", "patches.token"), weight("w0", "patches.cut.conv.weight"), weight("w1", "head.weight"),
        ("conv", "matmul", ["x", "w0"], {"module": "patches.cut.conv"}), ("sum", "add", ["conv", "token"], {"module": "patches"}),
        ("head", "matmul", ["sum", "w1"], {"module": "head"})])


def exported_with_unused_weights():
    """A program that reads two weights; a third is tied to the second, and nothing reads the last."""
    sizes = tiny_models.exported_sizes(8, 8)
    def linear(name, module, source, weight_):
        stack = f"L__self__,,net.Net;L__self___{module},{module},torch.nn.modules.linear.Linear"
        return tiny_models.exported_node("linear.default", name, {"nn_module_stack": stack}, input=source, weight=weight_)
    parameters = ["first.weight", "head.weight", "head.out.weight", "spare.weight"]
    return tiny_models.exported_archive(
        [linear("a", "first", "x", "first.weight"), linear("b", "head.inner", "a", "first.weight"), linear("y", "head.out", "b", "head.out.weight")],
        {name: sizes for name in [*parameters, "x", "a", "b", "y"]}, parameters,
        contents={"first.weight": "w0", "head.weight": "w1", "head.out.weight": "w1", "spare.weight": "w2"})


class DeviceMaps(ExportCase):
    def test_they_are_short_whole_and_read_back(self):
        plan = self.plan(SMALL)
        out, document = self.export(SMALL, plan, "accelerate")
        placed = json.loads(pathlib.Path(out).read_text())
        self.assertTrue(set(placed.values()) <= {0, 1, "cpu"})
        for module, device in placed.items():  # short: no module says what one around it says
            around = [other for other in placed if other != module and module.startswith(other + ".")]
            self.assertTrue(all(placed[other] != device for other in around), module)
        # The map, read and written again, is the same; so is the plan that it stands for.
        table = str(self.folder / "map.csv")
        self.text_of("export", SMALL, "-m", "k40x2", "--plan", out, "--to", "csv", "-o", table)
        again, _ = self.export(SMALL, table, "accelerate", "-m", "k40x2", out=str(self.folder / "again.json"))
        self.assertEqual(json.loads(pathlib.Path(again).read_text()), placed)
        scored = self.json_of("score", SMALL, "-m", "k40x2", "--plan", out)
        self.assertIn("device_map of accelerate", scored["note"])

    def test_they_that_miss_something_are_refused(self):
        plan = self.plan(SMALL)
        out, _ = self.export(SMALL, plan, "accelerate")
        placed = json.loads(pathlib.Path(out).read_text())
        command = ["score", SMALL, "-m", "k40x2", "--plan"]
        last = list(placed)[-1]
        short = self.write("short.json", json.dumps({key: value for key, value in placed.items() if key != last}))
        self.assert_refused([*command, short], "gives no device to", "parameter")
        for text_, words in [({**placed, last: "disk"}, "disk"), ({**placed, last: 7}, "2 devices of the kind gpu"),
                             ({"nowhere": 0}, "no module of the graph"), ({}, "empty"), ({**placed, last: [1]}, "expected")]:
            self.assert_refused([*command, self.write("bad.json", json.dumps(text_))], words)
        whole = self.write("whole.json", '{"": 1}')
        self.assertEqual(self.json_of(*command, whole)["feasible"], True)

    def test_they_keep_joined_and_tied_modules_together(self):
        model = self.write("tied.json", tied_model())
        placed = {"w0": "gpu0", "w1": "gpu1", "words": "gpu0", "places": "gpu1", "sum": "gpu1", "w2": "gpu1", "block": "gpu1", "b": "gpu1", "head": "gpu1"}
        table = self.write("split.csv", "op,device\n" + "".join(f"{op},{device}\n" for op, device in {"x": "gpu0", **placed}.items()))
        out, document = self.export(model, table, "accelerate", "-m", "k40x2")
        # As many bytes of the embeddings on each GPU: the first one has them. The head goes with its weight.
        self.assertEqual(json.loads(pathlib.Path(out).read_text()), {"embeddings": 0, "layer": 1, "head": 0})
        self.assertTrue(any('1 module ("embeddings") on several devices' in note for note in document["notes"]), document["notes"])

    def map_of(self, model, devices):
        table = self.write("table.csv", "op,device\n" + "".join(f"{op},{device}\n" for op, device in devices.items()))
        out, document = self.export(model, table, "accelerate", "-m", "k40x2")
        return out, json.loads(pathlib.Path(out).read_text()), document["notes"]

    def test_they_have_no_module_inside_another(self):
        model = self.write("head.json", head_with_a_bias())
        out, placed, notes = self.map_of(model, {"w0": "gpu0", "words": "gpu0", "b": "gpu1", "w1": "gpu1", "inner": "gpu1", "out": "gpu1"})
        # The second part goes with its weight and takes the bias along, which the head, on two devices, cannot be listed for.
        self.assertEqual(placed, {"words": 0, "head.bias": 0, "head.inner": 1, "head.out": 0})
        self.assertTrue(any('1 parameter ("head.bias") listed by name' in note for note in notes), notes)
        again, _ = self.export(model, out, "accelerate", "-m", "k40x2", out=str(self.folder / "again.json"))
        self.assertEqual(json.loads(pathlib.Path(again).read_text()), placed)

    def test_they_keep_modules_whole_that_read_parameters_of_their_own(self):
        model = self.write("patches.json", patches_with_a_token())
        _, placed, _ = self.map_of(model, {"token": "gpu0", "w0": "gpu1", "conv": "gpu1", "sum": "gpu0", "w1": "gpu1", "head": "gpu1"})
        self.assertEqual(placed, {"patches": 0, "head": 1})

    def test_they_cover_what_the_step_does_not_read(self):
        model = self.write("unused.pt2", exported_with_unused_weights())
        _, placed, _ = self.map_of(model, {"first.weight": "gpu0", "head.out.weight": "gpu1"})
        self.assertEqual(placed, {"first": 0, "head.inner": 0, "head.weight": 1, "head.out": 1, "spare": 1})


if __name__ == "__main__":
    main()
