#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--dim: sizes of models, and plans for several of them. Usage: dims_test.py BERTH."""
import json
import os
import pathlib

from command_line import SMALL, CommandLineTest, berth, main
from tiny_models import (TENSORFLOW, TENSORFLOW_LOOP, exported_program, onnx, onnx_node, onnx_of_branches, onnx_of_one_product, onnx_value,
                         onnx_weight)


class Sizes(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.product = self.write("m.onnx", onnx_of_one_product())

    def test_a_size_reaches_every_command(self):
        plan, copy = str(self.folder / "plan.json"), str(self.folder / "copy.json")
        self.assertEqual(self.json_of("graph", "info", self.product, "--dim", "batch=8")["flops"], 2 * 8 * 64 * 10)
        self.assertEqual(self.json_of("graph", "info", "--dim", "batch=8", self.product)["flops"], 2 * 8 * 64 * 10)
        self.text_of("graph", "convert", self.product, "--dim", "batch=8", "-o", copy)
        self.assertEqual(self.json_of("graph", "info", copy)["flops"], 2 * 8 * 64 * 10)
        self.text_of("place", self.product, "--dim", "batch=8", "-m", "k40x2", "-o", plan)
        score = ["score", self.product, "-m", "k40x2", "--plan", plan]
        self.assertTrue(self.json_of(*score, "--dim", "batch=8")["feasible"])
        self.assertIn("another graph", berth(*score).stderr, "the sizes are part of the graph")
        self.json_of("compare", self.product, "--dim", "batch=8", "-m", "k40x2", "--planners", "single")
        problem = json.loads(self.text_of("graph", "problem", self.product, "--dim", "batch=8", "-m", "k40x2"))
        self.assertEqual([op["outputs"] for op in problem["ops"] if op["name"] == "product"], [[8 * 10 * 4]])

    def test_with_all_sizes_there_is_no_warning(self):
        done = berth("place", self.product, "--dim", "batch=8", "-m", "k40x2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_makes_no_sense_is_refused(self):
        native = self.write("g.json", '{"format": "berth-graph/1", "ops": []}')
        for graph, dim, part in [
            (self.product, "bacth=8", "no dimension named 'bacth'; did you mean 'batch'? (it has batch)"),
            (self.product, "width=8", "no dimension named 'width'; it has batch"),
            (self.product, "batch", "'batch' has no size; write for example --dim batch=8"),
            (self.product, "=8", "'=8' has no name"),
            (self.product, "batch=", "--dim batch: '' is not a whole number from 1 to"),
            (self.product, "batch=0", "'0' is not a whole number from 1 to"),
            (self.product, "batch=2.5", "'2.5' is not a whole number"),
            (self.product, "batch=99999999999999", "is not a whole number"),
            (self.product, "batch=8,batch=9", "'batch' is given twice"),
            (self.product, "batch=8,16", "batch has 2 sizes; only berth place plans for several"),
            (SMALL, "batch=8", "as in zoo:rnnlm,batch=8"),
            (native, "batch=8", "the sizes of"),
        ]:
            with self.subTest(dim, graph=graph):
                self.assert_refused(["graph", "info", graph, "--dim", dim], part)

    def test_symbols_of_an_exported_program(self):
        program = self.write("net.pt2", exported_program(8))
        info = self.json_of("graph", "info", program)
        self.assertEqual([(dim["name"], dim["size"], dim["source"], dim["where"]) for dim in info["dims"]],
                         [("s77", 8, "as exported", "x[0]")])
        self.assertEqual(info["activation_bytes"], 16 * 3 * 4)
        changed = self.json_of("graph", "info", program, "--dim", "s77=5")
        self.assertEqual(changed["activation_bytes"], 10 * 3 * 4, "2*s77 follows")
        self.assertEqual(changed["unknown_shapes"], [])

    def test_unknown_sizes_of_tensorflow_are_named(self):
        graph = self.write("m.pbtxt", TENSORFLOW)
        for sizes, batch in [([], 1), (["--dim", "batch=6"], 6)]:
            info = self.json_of("graph", "info", graph, *sizes)
            self.assertEqual([(dim["name"], dim["size"]) for dim in info["dims"]], [("batch", batch)])
            self.assertEqual(info["activation_bytes"], batch * 3 * 4 * 4)

    def test_the_turns_of_a_loop_are_given_like_a_size(self):
        graph = self.write("loop.pbtxt", TENSORFLOW_LOOP)
        once, often = self.json_of("graph", "info", graph), self.json_of("graph", "info", graph, "--dim", "loop.turns=40")
        self.assertEqual(once["flops"], 2 * 8 * 8 * 8)
        self.assertEqual(often["flops"], 40 * once["flops"])
        self.assertEqual([(dim["name"], dim["size"]) for dim in often["dims"]], [("loop.turns", 40)])
        self.assertEqual([(effect["name"], effect["flops"]) for effect in once["effects_of_size_2"]], [("loop.turns", 2)])
        self.assertIn("how often 1 loop turns; one turn counts: cond; say --dim loop.turns=8",
                      berth("place", graph, "-m", "k40x2").stderr)
        self.assertEqual(berth("place", graph, "-m", "k40x2", "--dim", "loop.turns=40").stderr, "")
        self.assert_refused(["graph", "info", self.product, "--dim", "loop.turns=4"], "no loop of the model is open")

    def test_sizes_that_only_a_run_can_tell(self):
        nodes = [onnx_node("found", "NonZero", ["x"], ["at"]), onnx_node("turn", "Transpose", ["at"], ["rows"]),
                 onnx_node("take", "GatherND", ["x", "rows"], ["y"])]
        model = self.write("open.onnx", onnx([onnx_value("x", [4, 9])], [], nodes, ["y"]))
        info = self.json_of("graph", "info", model)
        self.assertEqual([(dim["name"], dim["size"], dim["source"]) for dim in info["dims"]], [("found.1", 1, "assumed")])
        self.assertEqual((info["unknown_shapes"], info["activation_bytes"]), ([], 16 + 16 + 4))
        self.assertIn("1 dimension has no size and counts as 1: found.1", berth("place", model, "-m", "k40x2").stderr)
        given = self.json_of("graph", "info", model, "--dim", "found.1=20")
        self.assertEqual([(dim["name"], dim["size"], dim["source"]) for dim in given["dims"]], [("found.1", 20, "given")])
        self.assertEqual(given["activation_bytes"], 20 * (16 + 16 + 4))
        self.assert_refused(["graph", "info", model, "--dim", "found.0=20"], "no dimension named 'found.0'")

    def test_info_says_what_an_assumed_size_does(self):
        info = self.json_of("graph", "info", self.write("b.onnx", onnx_of_branches()), "--dim", "seq=16")
        self.assertEqual([(effect["name"], effect["flops"], effect["activation_bytes"]) for effect in info["effects_of_size_2"]],
                         [("batch", 2, 2)])
        text = self.text_of("graph", "info", self.product)
        self.assertIn("batch = 1 (x[0], assumed)", text)
        self.assertIn("batch counts as 1; 2 would make 2x the flops, 2x the activations (--dim batch=2)", text)


class Buckets(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("m.onnx", onnx_of_branches())
        self.plan = str(self.folder / "plan.json")
        self.place = ["place", self.model, "-m", "k40x2", "--dim", "batch=4"]

    def test_each_size_has_a_plan_and_all_have_one(self):
        placed = self.json_of(*self.place, "--dim", "seq=4,4096", "-o", self.plan)
        self.assertEqual([bucket["dims"] for bucket in placed["buckets"]], [{"batch": 4, "seq": 4}, {"batch": 4, "seq": 4096}])
        self.assertTrue(placed["feasible"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["m.onnx", "plan.json", "plan.seq-4.json", "plan.seq-4096.json"])
        for bucket in placed["buckets"]:
            own, shared, seq = bucket["own"], bucket["shared"], bucket["dims"]["seq"]
            self.assertLessEqual(own["step_time_s"], shared["step_time_s"])
            self.assertAlmostEqual(bucket["regret"], shared["step_time_s"] / own["step_time_s"] - 1)
            sizes = ["--dim", f"batch=4,seq={seq}"]
            for outcome, file in [(own, f"plan.seq-{seq}.json"), (shared, "plan.json")]:
                scored = self.json_of("score", self.model, "-m", "k40x2", *sizes, "--plan", str(self.folder / file))
                self.assertEqual(scored["step_time_s"], outcome["step_time_s"])
        self.assertEqual(placed["worst_regret"], max(bucket["regret"] for bucket in placed["buckets"]))
        alone = self.json_of(*self.place, "--dim", "seq=4096")
        self.assertLessEqual(placed["buckets"][1]["own"]["step_time_s"], alone["step_time_s"], "as if it were planned alone")
        refused = ["score", self.model, "-m", "k40x2", "--dim", "batch=4,seq=5", "--plan", self.plan]
        self.assert_refused(refused, "another graph")

    def test_the_page(self):
        page = self.text_of(*self.place, "--dim", "seq=4,4096", "-o", self.plan)
        self.assertRegex(page, r"size +own plan +one for all +regret +fullest memory")
        self.assertRegex(page, r"seq=4096 +[0-9.]+ ms +[0-9.]+ ms ")
        self.assertRegex(page, r"one plan for all \(.*\): it costs (nothing at any size|at most .* on average)")
        self.assertIn("plan for all sizes written to " + self.plan, page)
        self.assertIn("plan.seq-4.json, ", page)

    def test_lists_go_together(self):
        placed = self.json_of("place", self.model, "-m", "k40x2", "--dim", "batch=8,4", "--dim", "seq=16,32", "-o", self.plan)
        self.assertEqual([bucket["dims"] for bucket in placed["buckets"]], [{"batch": 8, "seq": 16}, {"batch": 4, "seq": 32}])
        self.assertTrue(pathlib.Path(self.folder / "plan.batch-4.seq-32.json").exists())
        place = ["place", self.model, "-m", "k40x2"]
        self.assert_refused([*place, "--dim", "batch=8,4,2", "--dim", "seq=16,32"], "batch has 3 sizes and seq has 2")
        self.assert_refused([*place, "--dim", "seq=16,16"], "seq=16 is given twice")
        self.assert_refused([*place, "--dim", "seq=16,32", "-o", "/dev/stdout"], "give the name of a file")

    def test_the_same_seed_writes_the_same_bytes(self):
        other = str(self.folder / "other.json")
        for path in [self.plan, other]:
            self.text_of(*self.place, "--dim", "seq=4,512", "--evaluations", "60", "-o", path)
        self.assertEqual(pathlib.Path(self.plan).read_bytes(), pathlib.Path(other).read_bytes())

    def test_an_interrupt_leaves_every_size_with_a_plan(self):
        page = self.interrupted(*self.place, "--dim", "seq=4,512", "--budget", "60min", "-o", self.plan)
        self.assertIn(", interrupted)", page)
        self.assertNotIn("not run", page)
        self.assertTrue(pathlib.Path(self.folder / "plan.seq-512.json").exists())

    def small_machine(self):
        text = self.text_of("machines", "k40x2").replace("12 GiB", "15 MB").replace("128 GiB", "9 MB")
        return self.write("small.toml", text)

    def test_a_plan_for_all_fits_at_every_size(self):
        # The sum holds five tensors of 2 MiB at the larger size: with all five weights of 1 MiB too much for one card.
        machine = self.small_machine()
        placed = self.json_of("place", self.model, "-m", machine, "--dim", "batch=1,seq=16,1024", "--evaluations", "400")
        self.assertTrue(placed["feasible"], placed)
        for bucket in placed["buckets"]:
            for device in bucket["shared"]["devices"]:
                self.assertLessEqual(device["peak_bytes"], device["capacity_bytes"])

    def test_a_size_that_does_not_fit_is_named(self):
        done = berth("place", self.model, "-m", self.small_machine(), "--dim", "batch=1,seq=16,65536")
        self.assert_one_line_error(done, "seq=65536: out of memory", code=1)
        self.assertIn("does not fit in memory at every size", done.stdout)
        document = self.json_of("place", self.model, "-m", self.small_machine(), "--dim", "batch=1,seq=16,65536", code=1)
        self.assertEqual([document[key] for key in ("feasible", "worst_regret", "mean_regret")], [False, None, None])
        fits, large = document["buckets"]
        self.assertEqual(fits["regret"] is None, not fits["shared"]["feasible"])
        self.assertEqual([large["regret"], large["own"]["step_time_s"], large["shared"]["step_time_s"]], [None] * 3)

    def test_graphs_that_differ_have_no_plan_for_all(self):
        # Of one element the padding leaves less than nothing: then the sizes behind are not known, and what depends on them
        # is not folded.
        nodes = [onnx_node("grow", "ConvTranspose", ["x", "w"], ["g"], pads=[2, 2]), onnx_node("shape", "Shape", ["g"], ["s"]),
                 onnx_node("ones", "Expand", ["one", "s"], ["o"]), onnx_node("sum", "Add", ["g", "o"], ["y"])]
        model = onnx([onnx_value("x", [1, 1, "n"])], [onnx_weight("w", [1, 1, 3]), onnx_weight("one", [1])], nodes, ["y"])
        command = ["place", self.write("odd.onnx", model), "-m", "k40x2", "--dim", "n=5,1", "-o", self.plan]
        document = self.json_of(*command, code=1)
        self.assertIn("differ in more than sizes", document["error"])
        self.assertNotIn("shared", document["buckets"][0])
        self.assertGreater(document["buckets"][0]["own"]["step_time_s"], 0)
        self.assertEqual(sorted(os.listdir(self.folder)), ["m.onnx", "odd.onnx", "plan.n-1.json", "plan.n-5.json"])
        self.assertIn("no plan for all", self.text_of(*command, code=1))


if __name__ == "__main__":
    main()
