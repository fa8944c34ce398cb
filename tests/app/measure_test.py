#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans on real devices, from outside: measure, calibrate, probe, --env. Usage: measure_test.py BERTH.

Two CPU sub-devices of one core each stand for two devices; with a single core most of it is skipped.
"""
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

import captures
from command_line import BERTH, PATIENCE, CommandLineTest, berth, main

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HALVES = ROOT / "examples" / "machines" / "halves.toml"
MLP = ROOT / "examples" / "mlp.train.json"
TWO = ("--devices", "cpu:0,cpu:1")
CORES = len(os.sched_getaffinity(0))
# The program with two kernels that hurt on the second core (tests/exec/hurtful_kernels.cc).
HURTFUL = os.environ.get("BERTH_HURTFUL", os.path.join(os.path.dirname(BERTH), "tests", "app", "berth-hurtful"))


def hurtful(*args):
    return subprocess.run([HURTFUL, *map(str, args)], capture_output=True, text=True, timeout=PATIENCE)


def plan_of(graph_hash, names, devices):
    return json.dumps({"format": "berth-plan/1", "graph": graph_hash, "machine": "halves",
                       "ops": [{"name": name, "device": device, "priority": 0}
                               for name, device in zip(names, devices)],
                       "fusions": [], "predicted": {}})


def wait_for_runs(process, seconds=10):
    """Until the process that runs plans has computed for so long that it must be running them, or all is over."""
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while process.poll() is None and not any(computed(pid) > seconds for pid in children.read_text().split()):
        time.sleep(0.05)


def computed(pid):
    """Seconds of processors."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@unittest.skipIf(CORES < 2, "needs two cores")
class MeasureTest(CommandLineTest):
    def place(self, graph, *args):
        plan = str(self.folder / "plan.json")
        self.text_of("place", graph, "--machine", HALVES, "-o", plan, "-q", *args)
        return plan

    def plan(self, graph, device_of):
        """A plan by a function of the op's number and type."""
        ops = json.loads(pathlib.Path(graph).read_text())["ops"]
        info = self.json_of("graph", "info", graph)
        return self.write("plan.json", plan_of(info["hash"], [op["name"] for op in ops],
                                               [device_of(i, op) for i, op in enumerate(ops)]))

    def measure(self, graph, plan, *args, code=0):
        return self.json_of("measure", graph, "--machine", HALVES, "--plan", plan, *TWO, "--runs", "4", *args, code=code)

    def test_measures_beside_the_prediction(self):
        trace = self.folder / "trace.json"
        result = self.measure(MLP, self.place(MLP), "--trace", trace)
        self.assertGreater(result["measured_step_s"], 0)
        self.assertGreater(result["predicted_step_s"], 0)
        self.assertEqual(len(result["runs_s"]), 2)  # the last half
        self.assertAlmostEqual(result["error"], result["predicted_step_s"] / result["measured_step_s"] - 1)
        self.assertEqual(len(result["ops"]), 18)
        self.assertTrue(all(op["measured_s"] >= 0 for op in result["ops"]))
        events = json.loads(trace.read_text())["traceEvents"]
        self.assertEqual(sum(event["ph"] == "X" and event["tid"] < 2 for event in events), 18)

    def test_every_placement_has_the_same_outputs(self):
        checksums = set()
        for split in (lambda i, op: "cpu0", lambda i, op: "cpu1" if i in (6, 7, 12, 22) else "cpu0",
                      lambda i, op: "cpu1" if op["type"].startswith("aten.mm") else "cpu0"):
            result = self.measure(MLP, self.plan(MLP, split))
            checksums.add(result["checksum"])
        self.assertEqual(len(checksums), 1)
        self.assertTrue(result["links"])

    def test_plans_of_one_call_have_checksums_too(self):
        graph = str(self.folder / "branches.json")
        captures.branches(graph)
        split = str(self.folder / "split.json")
        os.rename(self.place(graph, "--planner", "round-robin"), split)
        whole = self.plan(graph, lambda i, op: "cpu0")
        both = self.json_of("measure", graph, "--machine", HALVES, "--plan", split, "--plan", whole, *TWO, "--runs", "2")["plans"]
        self.assertEqual(len({one["checksum"] for one in both}), 1)
        self.assertTrue(both[0]["checksum"])

    def test_pins_hold_here_too(self):
        plan = self.place(MLP, "--pin", "*=cpu1", "--planner", "single")
        self.assert_one_line_error(berth("measure", MLP, "--machine", HALVES, "--plan", plan, *TWO), "may not be on cpu1")
        self.assertGreater(self.measure(MLP, plan, "--pin", "*=cpu1")["measured_step_s"], 0)

    def test_peak_memory_is_counted(self):
        result = self.measure(MLP, self.plan(MLP, lambda i, op: "cpu0"))
        first = result["devices"][0]
        self.assertEqual(first["peak_bytes"] - first["tensor_peak_bytes"], first["workspace_bytes"])
        self.assertLess(abs(first["tensor_peak_bytes"] / first["predicted_peak_bytes"] - 1), 0.1)

    def test_a_plan_over_its_memory_fails(self):
        plan = self.plan(MLP, lambda i, op: "cpu0")
        done = berth("measure", MLP, "--machine", HALVES, "--plan", plan, "--devices", "cpu:0=5KiB,cpu:1")
        self.assert_one_line_error(done, "the plan failed", "out of memory", code=1)

    def test_a_crash_or_an_endless_op_is_a_failed_plan(self):
        for kind, limit, words in (("crash", "300s", "crashed: signal 6"), ("endless", "3s", "no end after 3.00 s")):
            graph = str(self.folder / f"{kind}.json")
            captures.hurt(graph, kind)
            bad = self.plan(graph, lambda i, op: "cpu1" if op["type"] == captures.HURTFUL[kind] else "cpu0")
            done = hurtful("measure", graph, "--machine", HALVES, "--plan", bad, *TWO, "--limit", limit, "--json")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(words, json.loads(done.stdout)["failed"])
            good = self.plan(graph, lambda i, op: "cpu0")
            done = hurtful("measure", graph, "--machine", HALVES, "--plan", good, *TWO, "--runs", "4", "--limit", "300s", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(json.loads(done.stdout)["measured_step_s"], 0)

    def time_of_a_good_plan(self, graph):
        begin = time.monotonic()
        done = hurtful("measure", graph, "--machine", HALVES, "--plan", self.plan(graph, lambda i, op: "cpu0"), *TWO, "--runs", "2", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return time.monotonic() - begin

    def test_planners_go_on_after_failed_plans(self):
        for kind, words in (("crash", "crashed"), ("endless", "no end after")):
            graph = str(self.folder / f"{kind}.json")
            captures.hurt(graph, kind)
            # An endless plan must be given up, a good one must not, however slow and busy the computer is.
            limit = f"{min(max(5, 4 * self.time_of_a_good_plan(graph)), PATIENCE / 10):.0f}s" if kind == "endless" else "300s"
            done = hurtful("place", graph, "--machine", HALVES, "--planner", "single", "--pin", f"type:{captures.HURTFUL[kind]}=cpu1",
                           "--env", "measure", *TWO, "--runs", "2", "--limit", limit)
            self.assert_one_line_error(done, "none could be run", words, code=1)
            done = hurtful("place", graph, "--machine", HALVES, "--planner", "anneal", "--env", "measure", *TWO,
                           "--evaluations", "8", "--runs", "2", "--limit", limit, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            anneal = json.loads(done.stdout)
            self.assertTrue(anneal["feasible"])
            self.assertIn("failed", anneal["note"])

    def test_the_program_itself_has_no_such_ops(self):
        for kind in ("crash", "endless"):
            net = captures.Capture(kind, "infer")
            x = net.add("input", [[4]])
            net.save(self.folder / "graph.json", net.add(f"berth.{kind}.default", [[4]], [x, "cpu:0"]))
            done = berth("place", self.folder / "graph.json", "--machine", HALVES, "--env", "measure")
            self.assert_one_line_error(done, f"'berth.{kind}.default' is no operator of ATen")

    def test_simulated_first_then_measured(self):
        graph = str(self.folder / "branches.json")
        captures.branches(graph)
        result = self.json_of("place", graph, "--machine", HALVES, "--planner", "anneal", "--env", "both", *TWO,
                              "--shortlist", "3", "--runs", "4")
        self.assertIn("simulated, then", result["note"])
        self.assertTrue(result["feasible"])

    def test_learned_planners_learn_from_real_runs(self):
        graph = str(self.folder / "branches.json")
        captures.branches(graph, count=2, depth=2, side=512)
        result = self.json_of("place", graph, "--machine", HALVES, "--planner", "hierarchical", "--env", "measure", *TWO,
                              "--evaluations", "48", "--runs", "4", "--measurements", self.folder / "runs.csv")
        self.assertTrue(result["feasible"])
        self.assertEqual(result["evaluations"], 48)
        runs = (self.folder / "runs.csv").read_text().splitlines()[1:]
        self.assertGreater(len(runs), 4, "plans that it drew were run")

    # How well they predict is for bench/reality; what the arithmetic makes of recorded runs, for tests/measure.
    def test_calibrated_costs_are_taken_up(self):
        graph = str(self.folder / "branches.json")
        captures.branches(graph, side=512)
        costs, machine = str(self.folder / "costs.csv"), str(self.folder / "tuned.toml")
        result = self.json_of("calibrate", graph, "--machine", HALVES, *TWO, "-o", costs, "--machine-output", machine)
        self.assertEqual(len(result["runs"]), 6)
        self.assertTrue(all(run["before_s"] > 0 and run["after_s"] > 0 and run["measured_s"] > 0 for run in result["runs"]))
        plan = str(self.folder / "plan.json")
        self.text_of("place", graph, "--machine", machine, "--costs", costs, "-o", plan, "-q")
        scored = self.json_of("score", graph, "--machine", machine, "--costs", costs, "--plan", plan)
        low, high = scored["step_time_range_s"]
        self.assertLess(low, scored["step_time_s"])
        self.assertGreater(high, scored["step_time_s"])
        page = self.text_of("score", graph, "--machine", machine, "--costs", costs, "--plan", plan)
        self.assertIn(", 9 of 10 real steps take ", page)
        measured = self.json_of("measure", graph, "--machine", machine, "--costs", costs, "--plan", plan, *TWO, "--runs", "4")
        self.assertEqual(measured["predicted_range_s"], [low, high])

    def test_probe_writes_a_machine(self):
        path = str(self.folder / "host.toml")
        points = {(point["device"], point["what"]): point["value"] for point in self.json_of("probe", "--split", "2", "-o", path)["points"]}
        self.assertIn(("cpu0", "product f32"), points)
        shown = self.json_of("machines", path)
        self.assertAlmostEqual(points["cpu0", "launch"], shown["devices"][0]["launch_s"], delta=1e-9)  # what is said is what is written
        self.assertLess(points["cpu0", "launch"], points["cpu0", "smallest op"])
        self.assertEqual([device["name"] for device in shown["devices"]], ["cpu0", "cpu1"])
        self.assertEqual(len(shown["accuracy"]), 2)
        placed = self.json_of("place", MLP, "--machine", path, "-q")
        self.assertLess(placed["step_time_range_s"][0], placed["step_time_range_s"][1])

    def test_bad_words_are_one_line(self):
        plan = self.place(MLP)
        for args, words in (
                (("--devices", "cpu:0"), "--devices names 1 device, but halves has 2"),
                (("--devices", "cpu:0,cpu:0"), "share cores"),
                (("--devices", "cpu:0,cuda:0"), "cuda:0 stands for cpu1"),
                (("--limit", "soon"), "is no time"),
                (("--memory-limit", "much"), "is no size")):
            self.assert_one_line_error(berth("measure", MLP, "--machine", HALVES, "--plan", plan, *args), words)
        self.assert_one_line_error(berth("measure", MLP, "--machine", HALVES, "--plan", plan, "--objective", "pipeline"), "only steps")
        self.assert_one_line_error(berth("place", MLP, "--machine", HALVES, "--env", "measur"), "did you mean 'measure'?")
        runs = str(self.folder / "runs.csv")
        self.assert_one_line_error(berth("place", MLP, "--machine", HALVES, "--measurements", runs), "--env measure")
        self.assert_one_line_error(berth("place", MLP, "--machine", HALVES, "--env", "measure", "--measurements", f"{runs}/x"),
                                   "cannot write")

    def test_measurements_have_a_line_for_every_run(self):
        runs = self.folder / "runs.csv"
        answer = self.json_of("place", MLP, "--machine", HALVES, "--env", "measure", "--planner", "random", "--evaluations", "5", "--runs", "2",
                              "--measurements", str(runs))
        lines = runs.read_text().splitlines()
        self.assertEqual(lines[0], "elapsed_s,step_time_s,over_memory_bytes,failed")
        times = [float(line.split(",")[1]) for line in lines[1:]]
        self.assertGreaterEqual(len(times), 2, "different plans, and the best single device")
        self.assertTrue(any(abs(time - answer["step_time_s"]) < 1e-9 for time in times), f"{answer['step_time_s']} in {times}")
        self.assertNotIn("proved", self.json_of("place", MLP, "--machine", HALVES, "--env", "measure", "--planner", "exact", "--evaluations", "9",
                                                "--runs", "2")["note"])

    def test_an_interrupted_shortlist_leaves_the_simulated_plan(self):
        graph, plan = str(self.folder / "branches.json"), self.folder / "plan.json"
        captures.branches(graph, side=1024, depth=8)
        process = subprocess.Popen([BERTH, "place", graph, "--machine", str(HALVES), "--planner", "single", "--env", "both", *TWO, "--runs", "100000", "--limit", "60min",
                                    "-o", str(plan), "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        wait_for_runs(process)
        process.send_signal(signal.SIGINT)
        result = json.loads(process.communicate(timeout=PATIENCE)[0])
        self.assertTrue(result["interrupted"])
        self.assertTrue(plan.exists())

    def test_only_captures_can_be_run(self):
        zoo = "zoo:rnnlm,batch=4,unroll=3,hidden=16,vocab=100"
        self.assert_one_line_error(berth("place", zoo, "--machine", HALVES, "--env", "measure"), "only captures")
        native = str(self.folder / "graph.json")
        self.text_of("graph", "convert", MLP, "-o", native)
        self.assert_one_line_error(berth("place", native, "--machine", HALVES, "--env", "measure"), "only captures")

    def refused(self, net, *words, commands=None):
        """Every command that runs captures says no, before anything has run."""
        graph, plan = self.folder / "hostile.json", self.folder / "plan.json"
        net.save(graph, {"op": len(net.document["ops"]) - 1})
        self.text_of("place", graph, "--machine", HALVES, "--planner", "single", "-o", plan, "-q")
        on = (graph, "--machine", HALVES)
        for command in commands or (("measure", *on, "--plan", plan), ):
            self.assert_one_line_error(berth(*command), "hostile.json", *words)

    def test_a_capture_opens_no_file(self):
        target = self.folder / "made.bin"
        net = captures.Capture("hostile", "infer")
        net.add("aten.from_file.default", [[16]], [str(target), True, 16])
        on = (self.folder / "hostile.json", "--machine", HALVES)
        self.refused(net, "'aten.from_file.default'", "berth help measuring", commands=(
            ("measure", *on, "--plan", self.folder / "plan.json"), ("calibrate", *on, "-o", self.folder / "costs.csv"),
            ("place", *on, "--env", "measure"), ("place", *on, "--env", "both"), ("compare", *on, "--env", "measure")))
        self.assertFalse(target.exists())
        self.assertFalse((self.folder / "costs.csv").exists())

    def test_a_capture_only_computes(self):
        for type, args, words in (
                ("aten.add_.Tensor", [1.0], "writes into its argument 'self'"),
                ("aten.add.out", [1.0], "writes into its argument 'out'"),
                ("aten.gelu.default", [], '"/etc/passwd" is no word that \'approximate\' may be'),
                ("aten.sum.dim_DimnameList", [["a"]], "takes 'dim'"),
                ("aten.set_.source_Storage", [], "not among the operators that captures may call"),
                ("mine.add.default", [1.0], "'mine.add.default' is no operator of ATen"),
                ("prim.Print.default", [], "'prim.Print.default' is no operator of ATen"),
                ("aten.native_batch_norm.default", [None, None], "writes its running statistics in place")):
            with self.subTest(type=type):
                net = captures.Capture("hostile", "infer")
                x = net.add("input", [[4, 4]])
                fields = {}
                if "add.out" in type:
                    fields = {"kwargs": {"out": x}}
                elif "gelu" in type:
                    fields = {"kwargs": {"approximate": {"s": "/etc/passwd"}}}
                elif "batch_norm" in type:
                    mean = net.add("buffer", [[4]])
                    args = [None, None, mean, mean, True, 0.1, 1e-5]
                shapes = [[4, 4], [4], [4]] if "batch_norm" in type else [[4, 4]]
                net.add(type, shapes, [x, *args], **fields)
                self.refused(net, type, words)

    def test_an_update_writes_the_parameter_that_it_names(self):
        net = captures.Capture("hostile")
        weight = net.parameter([4], "w")
        x = net.add("input", [[4]])
        y = net.add("aten.mul.Tensor", [[4]], [x, weight])
        net.add("sgd_update", [], [y, x], updates=weight["op"])
        net.save(self.folder / "hostile.json", y)
        done = berth("place", self.folder / "hostile.json", "--machine", HALVES, "--env", "measure")
        self.assert_one_line_error(done, "an sgd_update needs the args [parameter, gradient]")

    def test_constants_of_the_code_run_like_buffers(self):
        net = captures.Capture("constants", "infer")
        x = net.add("input", [[4, 8]])
        scaled = net.add("aten.mul.Tensor", [[4, 8]], [x, net.add("get_attr", [[8]])])
        net.save(self.folder / "graph.json", net.add("aten.add.Tensor", [[4, 8]], [scaled, net.add("constant", [[8]])]))
        result = self.measure(self.folder / "graph.json", self.place(self.folder / "graph.json"))
        self.assertEqual(len(result["ops"]), 2, "they take no time")
        info = self.json_of("graph", "info", self.folder / "graph.json")
        self.assertEqual(info["unknown_ops"], {})

    def test_an_op_that_libtorch_lacks_is_named(self):
        net = captures.Capture("odd", "infer")
        odd = net.add("aten.no_such_op.default", [[4]], [net.add("input", [[4]])])
        net.save(self.folder / "odd.json", odd)
        done = berth("place", self.folder / "odd.json", "--machine", HALVES, "--env", "measure")
        self.assert_one_line_error(done, "no operator 'aten.no_such_op.default'", "odd.json")


if __name__ == "__main__":
    main()
