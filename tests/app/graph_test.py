#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""graph info, convert and problem. Usage: graph_test.py BERTH."""
import json

from command_line import SMALL, CommandLineTest, main


class Graphs(CommandLineTest):
    def test_info(self):
        info = self.json_of("graph", "info", SMALL)
        for key in "ops edges flops parameter_bytes unknown_ops source_nodes source_edges".split():
            self.assertIn(key, info)
        self.assertEqual(info["unknown_ops"], {})
        self.assertEqual(info["ops"], sum(info["roles"].values()))
        self.assertIn("parameters", self.text_of("graph", "info", SMALL))

    def test_info_says_how_parallel_a_graph_is(self):
        inputs = {"a": [], "b": [[0, 0]], "c": [[0, 0]], "d": [[1, 0], [2, 0]]}
        ops = [{"name": name, "type": "relu", "inputs": tensors, "outputs": [{"dtype": "f32", "shape": [2]}]}
               for name, tensors in inputs.items()]
        diamond = self.write("diamond.json", json.dumps({"format": "berth-graph/1", "ops": ops}))
        info = self.json_of("graph", "info", diamond)
        self.assertEqual((info["depth"], info["width"], info["activation_bytes"]), (3, 4 / 3, 32))
        self.assertIn("3 compute ops on the longest path, 1.33 side by side", self.text_of("graph", "info", diamond))

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
