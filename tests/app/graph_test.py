#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""graph info, convert and problem. Usage: graph_test.py BERTH."""
import json

from command_line import SMALL, CommandLineTest, main
from tiny_models import onnx, onnx_node, onnx_of_a_choice, onnx_of_one_product, onnx_value


class Graphs(CommandLineTest):
    def test_inference_has_no_optimiser(self):
        self.assertIn("with the optimiser's copies", self.text_of("graph", "info", SMALL))
        self.assertRegex(self.text_of("graph", "info", SMALL + ",mode=infer"), r"resident +\S+ \S+ of parameters, buffers and constants\n")

    def test_info(self):
        info = self.json_of("graph", "info", SMALL)
        for key in "ops edges flops parameter_bytes unknown_ops source_nodes source_edges".split():
            self.assertIn(key, info)
        self.assertEqual(info["unknown_ops"], {})
        self.assertEqual(info["ops"], sum(info["roles"].values()))
        self.assertIn("parameters", self.text_of("graph", "info", SMALL))

    def test_info_names_inputs_outputs_and_counts_parameters(self):
        model = self.write("m.onnx", onnx_of_one_product())
        info = self.json_of("graph", "info", model)
        self.assertEqual(info["inputs"], [{"name": "x", "dtype": "f32", "shape": [1, 64]}])
        self.assertEqual(info["outputs"], [{"name": "y", "dtype": "f32", "shape": [1, 10]}])
        self.assertEqual((info["parameters"], info["parameter_tensors"], info["parameter_bytes"]), (640, 1, 2560))
        self.assertEqual((info["source_nodes"], info["source_edges"], info["edges"]), (1, 0, 2))
        text = self.text_of("graph", "info", model)
        self.assertRegex(text, r"inputs +x f32\[1,64\]\n")
        self.assertRegex(text, r"outputs +y f32\[1,10\]\n")
        self.assertRegex(text, r"parameters +640 in 1 tensor, 2.50 KiB\n")
        self.assertRegex(text, r"edges +2, one per tensor and reader; the source has 1 node and 0 edges by its own count\n")
        nodes = [onnx_node(f"n{i}", "Neg", [f"x{i}"], [f"y{i}"]) for i in range(43)]
        wide = self.write("wide.onnx", onnx([onnx_value(f"x{i}", [2]) for i in range(43)], [], nodes, [f"y{i}" for i in range(43)]))
        self.assertRegex(self.text_of("graph", "info", wide), r"outputs +y0 f32\[2\], .* and 37 more\n")
        self.assertEqual([output["name"] for output in self.json_of("graph", "info", wide)["outputs"]], [f"y{i}" for i in range(43)])

    def graph_of(self, inputs, **more):
        """Relus of 8 bytes each; `inputs` has the numbers of the ops that each reads, `more` further members of some."""
        ops = [{"name": name, "type": "relu", "inputs": [[op, 0] for op in reads], "outputs": [{"dtype": "f32", "shape": [2]}],
                **more.get(name, {})} for name, reads in inputs.items()]
        return self.write("graph.json", json.dumps({"format": "berth-graph/1", "ops": ops}))

    def test_info_says_how_parallel_a_graph_is(self):
        diamond = self.graph_of({"a": [], "b": [0], "c": [0], "d": [1, 2]})
        info = self.json_of("graph", "info", diamond)
        self.assertEqual((info["depth"], info["width"], info["max_width"]), (3, 4 / 3, 2))
        self.assertEqual(info["parallelism"]["device"], "h200")
        self.assertAlmostEqual(info["parallelism"]["work_over_path"], 4 / 3)
        self.assertIn("3 compute ops on the longest path, 1.33 side by side on average, 2 at most; on h200 the work is 1.33x",
                      self.text_of("graph", "info", diamond))

    def test_one_of_a_kind_is_counted_as_one(self):
        alone = self.graph_of({"a": []}, a={"allowed": ["cpu"]})
        page = self.text_of("graph", "info", alone)
        self.assertRegex(page, r"parallelism +1 compute op on the longest path, 1 side by side")
        self.assertRegex(page, r"h200 +not 1 op\b")
        plan = str(self.folder / "plan.json")
        pair = self.graph_of({"a": [], "b": [0]})
        self.text_of("place", pair, "-m", "k40x2", "-p", "single", "-o", plan)
        self.assertRegex(self.text_of("explain", pair, "-m", "k40x2", "--plan", plan, "--op", "a"), r"the one user of its results is on \w+\n")
        self.assertRegex(self.text_of("explain", pair, "-m", "k40x2", "--plan", plan, "--op", "b"), r"its one input is made on \w+ \(8 B\)\n")
        self.assertNotRegex(self.text_of("place", pair, "-m", "k40x2", "-p", "m-sct"), r"\b1 edges")

    def test_info_says_how_much_memory_a_step_takes(self):
        info = self.json_of("graph", "info", self.graph_of({"a": [], "b": [0], "c": [0], "d": [1, 2]}))
        self.assertEqual((info["activation_bytes"], info["peak_bytes"]), (32, 24))  # c while a and b are there, d with b and c

    def test_info_estimates_the_time_on_every_device(self):
        info = self.json_of("graph", "info", self.graph_of({"a": [], "b": [0]}, b={"allowed": ["cpu"]}))
        estimates = {estimate["device"]: estimate for estimate in info["estimates"]}
        self.assertEqual((estimates["h200"]["kind"], estimates["h200"]["unsupported_ops"]), ("gpu", 1))
        self.assertEqual((estimates["xeon-16c"]["kind"], estimates["xeon-16c"]["unsupported_ops"]), ("cpu", 0))
        self.assertGreaterEqual(estimates["xeon-16c"]["time_s"], 2 * 3.5e-6, "two launches")
        small = {estimate["device"]: estimate for estimate in self.json_of("graph", "info", SMALL)["estimates"]}
        self.assertGreater(small["k40"]["time_s"], 0)
        self.assertGreater(small["core-ultra-npu"]["unsupported_ops"], 0, "it trains nothing")
        large = self.json_of("graph", "info", "zoo:gpt3-175b")
        self.assertFalse(any(estimate["fits"] for estimate in large["estimates"] if estimate["device"] == "k40"))
        self.assertRegex(self.text_of("graph", "info", "zoo:gpt3-175b"), r"k40 +[0-9.]+ \w+\*")

    def test_info_of_a_problem_has_the_times_of_its_devices(self):
        stg = self.write("x.stg", "1\n0 0 0\n1 3 1 0\n2 0 1 1\n")
        info = self.json_of("graph", "info", stg)
        self.assertEqual([estimate["time_s"] for estimate in info["estimates"]], [3, 3, 3, 3])
        self.assertEqual(info["parallelism"]["work_s"], 3)

    def test_info_says_what_unknown_types_weigh(self):
        info = self.json_of("graph", "info", self.graph_of({"a": [], "b": [0]}, b={"type": "mystery"}))
        self.assertEqual(info["unknown_ops"], {"mystery": 1})
        self.assertAlmostEqual(info["unknown_work_share"], 0.5)

    def test_info_says_which_branch_counts(self):
        model = self.write("choice.onnx", onnx_of_a_choice())
        info = self.json_of("graph", "info", model)
        self.assertEqual(info["open_branches"], [{"node": "choice", "taken": "else"}])
        self.assertEqual(sorted(info["types"]), ["Abs", "Neg"])
        self.assertRegex(self.text_of("graph", "info", model), r"branches +the file does not say which one runs; .*: choice \(else\)")
        self.assertNotIn("branches", self.text_of("graph", "info", self.write("m.onnx", onnx_of_one_product())))

    def test_info_fits_on_a_screen(self):
        for graph in [SMALL, "zoo:inception-v3", "zoo:moe"]:
            self.assertLess(len(self.text_of("graph", "info", graph).splitlines()), 45)

    def test_names_from_a_file_do_not_reach_the_terminal_raw(self):
        op = {"args": [], "type": "ty\x1b[31mpe\u009b", "outputs": [{"dtype": "f32", "shape": [1]}]}
        graph = {"format": "aten-graph/1", "name": "ti\ntle\x1b[2J\x7f", "mode": "infer", "outputs": [],
                 "ops": [{**op, "name": "a\x07\nb"}]}
        path, plan = self.write("g.json", json.dumps(graph)), str(self.folder / "plan.json")
        text = self.text_of("graph", "info", path) + self.text_of("place", path, "-m", "k40x2", "-o", plan)
        text += self.text_of("compare", path, "-m", "k40x2")
        text += self.text_of("score", path, "-m", "k40x2", "--plan", plan, "--timeline")
        for part in ["ti tle?[2J?", "ty?[31mpe?", "a? b"]:
            self.assertIn(part, text)
        self.assertEqual([c for c in text if c != "\n" and (c < " " or "\x7f" <= c < "\xa0")], [])

    def test_convert_keeps_the_graph(self):
        for name in ["copy.json", "copy.json.gz"]:
            copy = str(self.folder / name)
            self.text_of("graph", "convert", SMALL, "-o", copy)
            original, converted = self.json_of("graph", "info", SMALL), self.json_of("graph", "info", copy)
            for key in ["hash", "ops", "edges", "flops", "parameter_bytes", "roles"]:
                self.assertEqual(original[key], converted[key])

    def test_problem(self):
        path = self.folder / "problem.json"
        self.text_of("graph", "problem", SMALL, "-m", "k40x2", "-o", str(path))
        problem = json.loads(path.read_text())
        self.assertEqual(problem["format"], "berth-problem/1")
        self.assertEqual(len(problem["ops"]), self.json_of("graph", "info", SMALL)["ops"])
        self.assertEqual(json.loads(self.text_of("graph", "problem", SMALL, "-m", "k40x2")), problem)


if __name__ == "__main__":
    main()
