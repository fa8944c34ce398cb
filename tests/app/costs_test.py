#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measured costs and the placement in a model's file, on the command line. Usage: costs_test.py BERTH."""
import csv
import json
import os
import pathlib

from command_line import CommandLineTest, berth, main

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("BERTH_DATA", ROOT / ".." / "shared" / "data")) / "baechi_tf"
MACHINE = ROOT / "examples" / "machines" / "baechi_4gpu.toml"


def node(name, op, inputs=(), device="", attributes=""):
    inputs = " ".join(f"input: '{i}'" for i in inputs)
    return f"node {{ name: '{name}' op: '{op}' {inputs} device: '{device}' {attributes} }}\n"


def node_of_floats(name, op, inputs, device="", attributes=""):
    return node(name, op, inputs, device, "attr { key: 'T' value { type: DT_FLOAT } }" + attributes)


FLOATS = "attr { key: 'dtype' value { type: DT_FLOAT } }"
SHAPE = "attr { key: 'shape' value { shape { dim { size: 64 } dim { size: 64 } } } }"
# x on the CPU, a on GPU 0 by default, b and c on GPU 1, d too, since it must be with b.
MODEL = (node("x", "Placeholder", attributes=FLOATS + SHAPE)
         + node_of_floats("a", "MatMul", ("x", "x"))
         + node_of_floats("b", "Tanh", ("a",), "/device:GPU:1")
         + node_of_floats("c", "Relu", ("b",), "/job:localhost/device:GPU:1")
         + node_of_floats("d", "Tanh", ("c",), "/gpu:0", "attr { key: '_class' value { list { s: 'loc:@b' } } }"))


class CostsTest(CommandLineTest):
    def json_of(self, *args, stderr=""):
        done = berth(*args, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, stderr))
        return json.loads(done.stdout)


class MeasuredCosts(CostsTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("m.pbtxt", MODEL)
        self.place = ["place", self.model, "-m", "k40x2", "--planner", "gpu-only"]

    def test_times_replace_estimates(self):
        costs = self.write("t.csv", "op,device,microseconds\n" + "".join(f"{op},gpu,1000\n" for op in "abcd"))
        placed = self.json_of(*self.place, "--costs", costs)
        self.assertEqual(next(d for d in placed["devices"] if d["name"] == "gpu0")["busy_s"], 0.004)
        self.assertEqual(placed["costs"], {"ops": 4, "files": [{
            "file": str(costs), "names": 4, "matched": 4, "timeless": 0, "other_devices": 0, "not_in_graph": []}]})
        self.assertNotIn("costs", self.json_of(*self.place))
        self.assertIn("measured times for 4 of 4 compute ops", berth(*self.place, "--costs", costs).stdout)

    def test_what_does_not_fit_is_counted_and_shown(self):
        rows = "".join(f"stranger{i},gpu,1\n" for i in range(7))
        costs = self.write("t.csv", f"op,device,microseconds\na,gpu,5\na,v100,5\nx,gpu,5\n{rows}")
        warnings = (f"berth: warning: {costs}: 2 of 9 names matched; not in the graph: stranger0, stranger1, stranger2, "
                    f"stranger3, stranger4, ...\nberth: warning: {costs}: 1 time is for devices that the machine does "
                    "not have\n")
        placed = self.json_of(*self.place, "--costs", costs, stderr=warnings)
        self.assertEqual("".join(f"berth: {line}\n" for line in placed["warnings"]), warnings)
        report = placed["costs"]["files"][0]
        self.assertEqual((report["names"], report["matched"], report["timeless"], report["other_devices"]), (9, 2, 1, 1))
        self.assertEqual(len(report["not_in_graph"]), 5)

    def test_several_files_and_formats(self):
        table = self.write("t.csv", "op,microseconds\na,1000\n")
        events = [{"cat": "Node", "ph": "X", "name": "b_kernel_time", "dur": us, "ts": us, "pid": 1, "tid": 1,
                   "args": {"provider": "CUDAExecutionProvider"}} for us in (2000, 9000, 3000)]
        profile = self.write("p.json", json.dumps(events))
        args = ["score", self.model, "-m", "k40x2", "--costs", f"{table}@gpu0", "--costs", f"{profile}@gpu1"]
        scored = self.json_of(*args, "--timeline")
        self.assertEqual(scored["costs"]["ops"], 2)
        lasts = {event["op"]: event["end_s"] - event["start_s"] for event in scored["events"]}
        self.assertAlmostEqual(lasts["a"], 1e-3)
        self.assertAlmostEqual(lasts["b"], 3e-3)

    def test_an_execution_graph_that_openvino_wrote(self):
        files = ROOT / "tests" / "data" / "openvino"
        costs = files / "small_cnn_cpu_graph.xml"
        placed = self.json_of("place", files / "small_cnn.xml", "-m", "h200", "--planner", "cpu-only", "--costs", f"{costs}@cpu")
        # The bias and the rectifier share the convolution's time; nothing is left for the reshape; layouts are nobody's.
        self.assertAlmostEqual(placed["step_time_s"], (24 + 7 + 28 + 2) * 1e-6)
        self.assertEqual(placed["costs"], {"ops": 6, "files": [{
            "file": str(costs), "names": 6, "matched": 6, "timeless": 0, "other_devices": 0, "not_in_graph": []}]})

    def test_a_name_with_an_at_sign(self):
        costs = self.write("t@home.csv", "op,device,microseconds\na,gpu,5\n")
        self.assertEqual(self.json_of(*self.place, "--costs", costs)["costs"]["ops"], 1)

    def test_refused(self):
        table = self.write("t.csv", "op,microseconds\na,5\n")
        stranger = self.write("s.csv", "op,device,microseconds\nq,gpu,5\n")
        broken = self.write("b.csv", "op,device,microseconds\na,gpu,-5\n")
        for costs, part in [(table, f"write {table}@DEVICE"), (f"{table}@tpu", "machine 'k40x2' has no such device"),
                            (f"{table}@", "no device stands behind the @"), (stranger, "none of its 1 names"),
                            (broken, "b.csv: line 2: microseconds is"), (self.folder / "none.csv", "none.csv"),
                            (self.folder / "none.csv@gpu", "none.csv")]:
            with self.subTest(costs=costs):
                self.assert_refused([*self.place, "--costs", costs], part)
        self.assert_refused([*self.place, "--costs"], "--costs")
        stg = self.write("t.stg", "1\n0 0 0\n1 5 1 0\n2 0 1 1\n")
        self.assert_refused(["place", stg, "--costs", stranger], "brings its own times; leave --costs out")


class GivenPlacement(CostsTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("m.pbtxt", MODEL)

    def test_score_judges_the_placement_in_the_file(self):
        scored = self.json_of("score", self.model, "-m", "k40x2")
        self.assertEqual(scored["planner"], "given")
        self.assertEqual(scored["note"], "the file places 3 of 5 ops; 1 moved to be with ops it shares a device with")
        self.assertEqual([device["ops"] for device in scored["devices"]], [1, 1, 3])
        self.assertIn("given (the file places 3 of 5 ops", berth("score", self.model, "-m", "k40x2").stdout)

    def test_compare_has_a_row_for_it(self):
        rows = self.json_of("compare", self.model, "-m", "k40x2", "--planners", "single", "--evaluations", 10)["rows"]
        self.assertEqual(sorted(row["planner"] for row in rows), ["given", "single"])

    def test_a_machine_without_its_devices(self):
        self.assert_refused(["score", self.model, "-m", "h200"], "has 1 device of the kind gpu")
        rows = self.json_of("compare", self.model, "-m", "h200", "--planners", "single", "--evaluations", 10)["rows"]
        self.assertIn("has 1 device of the kind gpu", next(row["error"] for row in rows if row["planner"] == "given"))


class Gnmt(CostsTest):
    """The graph that Baechi's authors measured, on their link law; nodes without a cost took no time."""
    def setUp(self):
        super().setUp()
        if not DATA.exists():
            self.skipTest("no baechi_tf in the data folder (BERTH_DATA)")
        self.costs = self.folder / "gnmt.csv"
        nodes = json.loads((DATA / "gnmt_forward_costs.json").read_text())["nodes"]
        with self.costs.open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["op", "device", "microseconds"])
            for entry in nodes:
                table.writerow([entry["name"], "gpu", entry.get("cost", {}).get("compute_us", 0)])

    def test_auto_beats_the_hand_placement(self):
        done = berth("compare", DATA / "gnmt_forward_graphdef.pb", "--machine", MACHINE, "--costs", self.costs, "--planners",
                     "auto,single", "--evaluations", "2000", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        compared = json.loads(done.stdout)
        rows = {row["planner"]: row for row in compared["rows"]}
        given, auto = rows["given"], rows["auto"]
        self.assertTrue(given["feasible"] and auto["feasible"])
        self.assertEqual(compared["costs"]["files"][0]["names"], 2828)
        gpus = [device for device in given["devices"] if device["name"].startswith("gpu")]
        self.assertTrue(all(device["busy_s"] > 0 for device in gpus), "the hand placement uses all four")
        self.assertLess(auto["step_time_s"], given["step_time_s"])
        scored = json.loads(berth("score", DATA / "gnmt_forward_graphdef.pb", "--machine", MACHINE, "--costs", self.costs,
                                  "--json").stdout)
        self.assertEqual(scored["step_time_s"], given["step_time_s"])


if __name__ == "__main__":
    main()
