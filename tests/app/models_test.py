#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models of frameworks on the command line: found by their ending, warned about, refused in one line. Usage: models_test.py BERTH."""
import gzip
import json
import os
import pathlib
import subprocess

from command_line import BERTH, SMALL, CommandLineTest, berth, main
from tiny_models import TENSORFLOW, onnx_of_one_product

# What TENSORFLOW makes is saved, and one of two functions is called with it.
TENSORFLOW_WITH_MORE = TENSORFLOW + """
node { name: 'prefix' op: 'Const' attr { key: 'value' value { tensor { dtype: DT_STRING tensor_shape { } } } } }
node { name: 'save' op: 'SaveV2' input: 'prefix' input: 'prefix' input: 'prefix' }
node { name: 'test' op: 'Placeholder' attr { key: 'dtype' value { type: DT_BOOL } } attr { key: 'shape' value { shape { } } } }
node { name: 'choice' op: 'If' input: 'test' input: 'y' attr { key: 'then_branch' value { func { name: 'small' } } }
  attr { key: 'else_branch' value { func { name: 'large' } } } }
library {
  function { signature { name: 'small' input_arg { name: 'a' } output_arg { name: 'b' } } ret { key: 'b' value: 'a' } }
  function { signature { name: 'large' input_arg { name: 'a' } output_arg { name: 'b' } }
    node_def { name: 'neg' op: 'Neg' input: 'a' attr { key: 'T' value { type: DT_FLOAT } } } ret { key: 'b' value: 'neg:y:0' } }
}
"""


def saved_model(graph):
    """With two signatures: all of it, and just its first op."""
    def signature(name, tensor):
        output = f"outputs {{ key: 'result' value {{ name: '{tensor}' }} }}"
        return f"signature_def {{ key: '{name}' value {{ {output} }} }}"

    return (f"saved_model_schema_version: 1 meta_graphs {{ meta_info_def {{ tags: 'serve' }} graph_def {{ {graph} }} "
            f"{signature('serving_default', 'y:0')} {signature('flatten', 'flat:0')} }}")


class Models(CommandLineTest):
    def test_an_onnx_model_is_read_and_what_it_leaves_open_is_said(self):
        info = self.json_of("graph", "info", self.write("m.onnx", onnx_of_one_product()))
        self.assertEqual((info["flops"], info["parameter_bytes"], info["source_nodes"]), (2 * 64 * 10, 4 * 64 * 10, 1))
        self.assertEqual([(dim["name"], dim["size"], dim["source"]) for dim in info["dims"]], [("batch", 1, "assumed")])

    def test_it_can_be_placed(self):
        model = self.write("m.onnx", onnx_of_one_product())
        self.assertTrue(self.json_of("place", model, "--machine", "k40x2")["feasible"])
        self.assertIn("1 dimension has no size and counts as 1: batch; say --dim batch=8",
                      berth("place", model, "--machine", "k40x2").stderr)

    def test_every_document_carries_what_was_assumed(self):
        model, plan = self.write("m.onnx", onnx_of_one_product()), self.folder / "plan.json"
        given = [model, "--machine", "k40x2"]
        self.text_of("place", *given, "-p", "gpu-only", "-o", plan)
        for command in (["place", *given], ["score", *given, "--plan", plan], ["compare", *given, "--planners", "single"],
                        ["explain", *given, "--plan", plan], ["sweep", *given, "--over", "devices=1", "--evaluations", "9"],
                        ["explain", *given, "--plan", plan, "--op", "w"]):
            with self.subTest(command[0]):
                done = berth(*command, "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                document = json.loads(done.stdout)
                document = document["rows"][0] if command[0] == "sweep" else document
                self.assertEqual(document["assumed_sizes"], {"batch": 1})
                self.assertEqual([f"berth: {line}" for line in document["warnings"]], done.stderr.splitlines())
                self.assertIn("1 dimension has no size and counts as 1: batch", document["warnings"][0])
        stated = self.json_of("place", *given, "--dim", "batch=8")
        self.assertEqual((stated["warnings"], stated["assumed_sizes"]), ([], {}))
        self.assertEqual(self.json_of("place", *given, "--dim", "batch=8,16")["warnings"], [])

    def test_damaged_files_end_in_one_line(self):
        whole = onnx_of_one_product()
        for name, contents in (("cut.onnx", whole[:-9]), ("empty.onnx", b""), ("no.pt2", b"PK\3\4"), ("no.xml", b"<net>"),
                               ("no.pb", b"\xff\xff"), ("no.pbtxt", b"node {")):
            with self.subTest(name):
                self.assert_refused(["graph", "info", self.write(name, contents)], name)

    def test_the_content_decides_not_the_name(self):
        model = onnx_of_one_product()
        for name, contents in (("m", model), ("m.pt2", model), ("m.onnx.gz", gzip.compress(model)), ("packed", gzip.compress(model)),
                               ("t.onnx", TENSORFLOW)):
            with self.subTest(name):
                self.assertGreater(self.json_of("graph", "info", self.write(name, contents))["ops"], 1)
        for name, contents in (("page.html", "<html></html>"), ("no.tflite", b"\x1c\0\0\0TFL3"), ("x.json", '{"a": 1}')):
            with self.subTest(name):
                self.assert_refused(["graph", "info", self.write(name, contents)], name, ".onnx", ".gguf", "pipedream")

    def test_a_pipe_is_read_if_somebody_writes_and_never_waited_for(self):
        pipe = str(self.folder / "pipe")
        os.mkfifo(pipe)
        self.assert_refused(["graph", "info", pipe], "it is a pipe that nobody writes to, not a regular file")
        os.rename(pipe, pipe + ".onnx")
        self.assert_refused(["graph", "info", pipe + ".onnx"], "it is no regular file")
        graph = self.write("g.json", '{"format": "berth-graph/1", "ops": [{"name": "a", "type": "t", "outputs": []}]}')
        done = subprocess.run(["bash", "-c", '"$1" graph info --json <(sleep 0.2; cat "$2")', "-", BERTH, graph], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(graph) as opened:
            done = subprocess.run([BERTH, "graph", "info", "/dev/stdin"], stdin=opened, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_help_names_every_ending(self):
        for command in (["place"], ["compare"], ["score"], ["graph", "info"], ["graph", "convert"], ["graph", "problem"]):
            text = " ".join(self.text_of(*command, "--help").split())
            self.assertIn(".onnx .pt2 .xml .pb .pbtxt .meta", text)
            self.assertIn("loop.turns=8", text)
            self.assertEqual("seq=128,512" in text, command == ["place"], "only place takes lists of sizes")


class TensorFlowSteps(CommandLineTest):
    def test_what_is_left_out_and_which_branch_counts_is_said(self):
        model = self.write("m.pbtxt", TENSORFLOW_WITH_MORE)
        info = self.json_of("graph", "info", model)
        self.assertEqual(info["left_out"]["saving and restoring"], 1)
        self.assertEqual(info["open_branches"], [{"node": "choice", "taken": "large"}])
        self.assertIn("1 saving and restoring", self.text_of("graph", "info", model))
        done = berth("place", model, "-m", "k40x2", "--dim", "batch=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("it does not say which branch of 1 node runs; the larger one counts: choice", done.stderr)
        self.assertRegex(done.stderr, r"note: .*m.pbtxt: some of its nodes are no part of the step: .*1 saving and restoring")

    def test_output_nodes_are_the_step(self):
        model = self.write("m.pbtxt", TENSORFLOW_WITH_MORE)
        names = {tuple(flags): sorted(self.json_of("graph", "info", model, *flags)["types"])
                 for flags in ([], ["--output-node", "flat"], ["--output-node", "y"], ["--output-node", "y:0", "--output-node", "flat"])}
        self.assertEqual(list(names.values()), [["Neg", "Relu"], [], ["Relu"], ["Relu"]])
        plan = self.folder / "plan.json"
        self.text_of("place", model, "-m", "k40x2", "--output-node", "y", "--dim", "batch=2", "-o", plan)
        self.assertTrue(self.json_of("score", model, "-m", "k40x2", "--output-node", "y", "--dim", "batch=2", "--plan", plan)["feasible"])
        copy = self.folder / "copy.json"
        self.text_of("graph", "convert", model, "--output-node", "y", "-o", copy)
        self.assertEqual(list(self.json_of("graph", "info", copy)["types"]), ["Relu"])

    def test_a_folder_is_a_saved_model_with_signatures(self):
        folder = self.folder / "net"
        folder.mkdir()
        (folder / "saved_model.pbtxt").write_text(saved_model(TENSORFLOW))
        for path in (folder, f"{folder}/", folder / "saved_model.pbtxt"):
            self.assertEqual(list(self.json_of("graph", "info", path)["types"]), ["Relu"])
        self.assertEqual(self.json_of("graph", "info", folder)["title"], "net")
        self.assertEqual(self.json_of("graph", "info", folder, "--signature", "flatten")["types"], {})
        self.assertEqual(list(self.json_of("graph", "info", folder, "--tag", "serve")["types"]), ["Relu"])
        self.assert_refused(["graph", "info", folder, "--signature", "flaten"], "saved_model.pbtxt", "did you mean 'flatten'?")
        self.assert_refused(["graph", "info", folder, "--tag", "train"], "no graph of the saved model has the tag 'train'")

    def test_other_folders_are_refused(self):
        self.assert_refused(["graph", "info", self.folder], "is a folder, and no SavedModel", "give the file of a model (.onnx")
        self.write("m.pbtxt", TENSORFLOW)
        self.assert_refused(["place", self.folder, "-m", "k40x2"], "give one of its files: m.pbtxt")

    def test_what_makes_no_sense_is_refused(self):
        graph = self.write("m.pbtxt", TENSORFLOW)
        other = self.write("m.onnx", onnx_of_one_product())
        native = self.write("g.json", '{"format": "berth-graph/1", "ops": []}')
        for model, flags, part in [
            (graph, ["--output-node", "falt"], "did you mean 'flat'?"),
            (graph, ["--output-node", "y", "--signature", "all"], "excludes"),
            (graph, ["--signature", "all"], "the file is a bare graph; name its output nodes instead"),
            (other, ["--output-node", "y"], "can be chosen in TensorFlow graphs only (.pb .pbtxt .meta)"),
            (native, ["--output-node", "y"], "--output-node, --signature and --tag are for TensorFlow graphs"),
            (SMALL, ["--signature", "y"], "--output-node, --signature and --tag are for TensorFlow graphs"),
        ]:
            with self.subTest(pathlib.Path(model).name, flags=flags):
                self.assert_refused(["graph", "info", model, *flags], part)


if __name__ == "__main__":
    main()
