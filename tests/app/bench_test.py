#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Leaderboards and datasets on the command line. Usage: bench_test.py BERTH."""
import csv
import json
import math
import pathlib
import signal
import subprocess
import time

from command_line import BERTH, PATIENCE, SMALL, CommandLineTest, berth, main
from npz_reader import Arrays

TWO = ["--suite", "exact", "--rows", "zoo-moe-rtx", "--rows", "zoo-rnnlm-k40x2"]
FEW = ["--evaluations", "20", "--seeds", "2", "-q"]


class Leaderboard(CommandLineTest):
    def test_planners_and_plans_stand_in_one_table(self):
        plans, page, runs = self.folder / "plans", self.folder / "l.html", self.folder / "runs.csv"
        first = self.json_of("bench", *TWO, *FEW, "-p", "anneal", "-p", "heft,gpu-only", "--save-plans", plans, "--csv", runs, "--html", page)
        self.assertEqual([first["suite"], first["evaluations"], first["budget_s"], first["runs"], first["interrupted"]],
                         ["exact/1 in part", 20, None, 8, False])
        self.assertEqual({one["planner"]: one["has"] for one in first["standings"]}, {"anneal": 2, "heft": 2, "gpu-only": 1})
        self.assertEqual(first["standings"][-1]["failed_runs"], 1)
        for problem in first["problems"]:
            for cell in problem["planners"]:
                if cell["median_s"] is not None:
                    self.assertGreaterEqual(cell["median_s"], problem["optimum_s"])
        # Plans that were handed in are worth what they were worth where they were made.
        again = self.json_of("bench", *TWO, *FEW, "-p", "heft", "--plan", f"mine={plans}/anneal/{{row}}.{{seed}}.json", "--plan", f"other={plans}/heft")
        mine = [[run["step_time_s"] for run in cell["runs"]] for problem in again["problems"] for cell in problem["planners"] if cell["planner"] == "mine"]
        made = [[run["step_time_s"] for run in cell["runs"]] for problem in first["problems"] for cell in problem["planners"] if cell["planner"] == "anneal"]
        self.assertEqual(mine, made)
        with runs.open(newline="") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(len(lines), 8)
        self.assertEqual([line["state"] for line in lines if line["planner"] == "gpu-only"], ["OOM", "fits"])
        self.assertIn("<h1>Leaderboard exact/1 in part</h1>", page.read_text())

    def test_a_page_for_people(self):
        text = self.text_of("bench", *TWO, *FEW, "-p", "heft,gpu-only")
        self.assertIn("exact/1 in part: 2 problems, 20 evaluations a run, seeds 1 to 2\n", text)
        self.assertRegex(text, r"zoo-moe-rtx +74 +optimum 779 ms +2\.00 s, \+157 % +OOM\n")
        self.assertIn("\ngpu-only on zoo-moe-rtx: out of memory: gpu0 is", text)

    def test_equal_seconds(self):
        board = self.json_of("bench", *TWO, "-p", "heft", "--budget", "1s", "--seeds", "1", "-q")
        self.assertEqual([board["evaluations"], board["budget_s"]], [None, 1])
        self.assert_one_line_error(berth("bench", "--budget", "1s", "--evaluations", "5"), "--evaluations")
        self.assert_one_line_error(berth("bench", "--budget", "soon"), "'soon' is no time to search")

    def test_the_suites_are_listed(self):
        text = self.text_of("bench", "--list", "--suite", "exact", "--rows", "moe-rtx")
        self.assertRegex(text, r"exact/1 +30 ")
        self.assertRegex(text, r"zoo-moe-rtx +74 +204 +3 +779 ms +359 ms  exact:zoo-moe-rtx\n")
        listed = self.json_of("bench", "--list", "--suite", "exact", "--rows", "moe-rtx")
        self.assertEqual([listed["format"], listed["whole"], len(listed["problems"])], ["berth-suite/1", False, 1])

    def test_nobody_has_a_plan(self):
        done = berth("bench", "--suite", "exact", "--rows", "zoo-moe-rtx", *FEW, "-p", "gpu-only")
        self.assertIn("OOM", done.stdout)
        self.assert_one_line_error(done, "nobody found a plan that fits in memory", code=1)

    def test_what_is_wrong_is_said_before_anything_runs(self):
        for args, words in ((["--suite", "quik"], "did you mean 'quick'?"), (["--rows", "nothing"], "no problem of the suite quick"),
                            (["-p", "hefft"], "did you mean 'heft'?"), (["--plan", "mine"], "NAME=FOLDER"), (["--plan", "mine=no"], "no folder 'no'"),
                            (["--plan", f"mine={self.folder}"], "none of the 8 problems has a plan there"),
                            (["--plan", f"heft={self.folder}/{{row}}", "-p", "heft"], "two contestants"), (["--seeds", "0"], "--seeds"),
                            (["--html", self.folder / "no" / "l.html"], "there is no folder"), (["--preset", "paper"], "--preset")):
            with self.subTest(args):
                done = berth("bench", *FEW[:2], *args)
                self.assert_one_line_error(done, words)

    def test_ctrl_c_prints_what_there_is(self):
        with subprocess.Popen([BERTH, "bench", *TWO, "-p", "heft,anneal", "--budget", f"{PATIENCE}s", "-q"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            time.sleep(2)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, err)
        self.assertRegex(out, r"interrupted: \d of 8 runs are done")
        self.assertIn("not run", out)


class Dataset(CommandLineTest):
    def problem(self, *words):
        """A problem as arrays, and the same as JSON."""
        path = self.folder / "problem.npz"
        self.text_of("graph", "problem", *words, "-o", path)
        return Arrays(path), json.loads(self.text_of("graph", "problem", *words))

    def test_every_problem_of_a_suite_has_a_file(self):
        folder = self.folder / "new" / "dataset"
        self.text_of("bench", *TWO, "--export", folder)
        index = json.loads((folder / "suite.json").read_text())
        self.assertEqual([problem["name"] for problem in index["problems"]], ["zoo-moe-rtx", "zoo-rnnlm-k40x2"])
        for problem in index["problems"]:
            arrays = Arrays(folder / f"{problem['name']}.npz")
            self.assertEqual([arrays["format"], arrays["title"], arrays["optimum_s"], arrays["lower_bound_s"]],
                             ["berth-arrays/1", problem["name"], problem["optimum_s"], problem["lower_bound_s"]])
            self.assertEqual(len(arrays["op_names"]), problem["ops"])
            self.assertEqual(arrays.shape("edges.ends"), (problem["edges"], 2))

    def test_arrays_are_the_problem(self):
        for words in (["exact:zoo-moe-rtx"], [SMALL, "-m", "core-ultra"], [SMALL, "-m", "2xhost"]):
            with self.subTest(words):
                arrays, problem = self.problem(*words)
                self.assertTrue(math.isnan(arrays["optimum_s"]))
                self.check_ops(arrays, problem)
                self.check_tensors(arrays, problem)
                self.check_machine(arrays, problem)

    def check_ops(self, arrays, problem):
        ops, devices = problem["ops"], [device["name"] for device in problem["devices"]]
        self.assertEqual(arrays["op_names"], [op["name"] for op in ops])
        self.assertEqual([arrays["ops.roles"][role] for role in arrays["ops.role_of"]], [op["role"] for op in ops])
        self.assertEqual(arrays["ops.resident_bytes"], [op["resident_bytes"] for op in ops])
        self.assertEqual(arrays["ops.allowed"], [[name in op["allowed"] for name in devices] for op in ops])
        for array, member in (("ops.times", "time_s"), ("ops.compute_times", "compute_s")):
            for times, op in zip(arrays[array], ops):
                self.assertEqual([time for time, stated in zip(times, op[member]) if stated is not None],
                                 [stated for stated in op[member] if stated is not None])
        groups = {}
        for op, unit in zip(ops, arrays["ops.unit_of"]):
            groups.setdefault(unit, set()).add(op["colocate"])
        self.assertTrue(all(len(names) == 1 for names in groups.values()))
        place = {op: i for i, op in enumerate(arrays["ops.order"])}
        self.assertTrue(all(place[begin] < place[end] for begin, end in arrays["edges.ends"] + arrays["edges.control"]))

    def check_tensors(self, arrays, problem):
        ops = problem["ops"]
        first = [0]
        for op in ops:
            first.append(first[-1] + len(op["outputs"]))
        self.assertEqual(arrays["tensors.bytes"], [size for op in ops for size in op["outputs"]])
        self.assertEqual(arrays["tensors.producer"], [i for i, op in enumerate(ops) for _ in op["outputs"]])
        read = sorted({(first[op] + output, reader) for reader, one in enumerate(ops) for op, output in one["inputs"]})
        self.assertEqual(list(zip(arrays["edges.tensor"], [end for _, end in arrays["edges.ends"]])), read)
        self.assertEqual([begin for begin, _ in arrays["edges.ends"]], [arrays["tensors.producer"][tensor] for tensor, _ in read])
        self.assertEqual(arrays["edges.bytes"], [arrays["tensors.bytes"][tensor] for tensor, _ in read])
        self.assertEqual(sorted(map(tuple, arrays["edges.control"])), sorted((before, i) for i, op in enumerate(ops) for before in op["control"]))
        aliases = [-1 if op["alias_of"] is None else first[op["alias_of"][0]] + op["alias_of"][1] for op in ops]
        self.assertEqual(arrays["ops.alias_of"], aliases)
        outputs = {first[op] + output for op, output in problem["outputs"]}
        self.assertEqual(arrays["tensors.is_output"], [tensor in outputs for tensor in range(first[-1])])
        for tensor, size in enumerate(arrays["tensors.bytes"]):
            dims = arrays["tensors.dims"][arrays["tensors.dims_begin"][tensor]:arrays["tensors.dims_begin"][tensor + 1]]
            self.assertTrue(size == 0 or math.prod(dims) > 0)

    def check_machine(self, arrays, problem):
        devices, links = problem["devices"], problem["links"]
        for array, member in (("devices.names", "name"), ("devices.kinds", "kind"), ("devices.memory", "memory_bytes"), ("devices.lanes", "lanes"),
                              ("devices.streaming_bytes_per_s", "bytes_per_s"), ("devices.is_async", "async")):
            self.assertEqual(arrays[array], [device[member] for device in devices], array)
        pools = [None if pool < 0 else arrays["devices.pools"][pool] for pool in arrays["devices.pool_of"]]
        self.assertEqual(pools, [device["pool"] for device in devices])
        ends = arrays["devices.names"] + arrays["links.switches"]
        self.assertEqual([[ends[begin], ends[end]] for begin, end in arrays["links.ends"]], [[link["from"], link["to"]] for link in links])
        for array, member in (("links.names", "name"), ("links.link_latency_s", "latency_s"), ("links.link_bytes_per_s", "bytes_per_s")):
            self.assertEqual(arrays[array], [link[member] for link in links], array)
        queues = [None if queue < 0 else arrays["links.queues"][queue] for queue in arrays["links.queue_of"]]
        self.assertEqual(queues, [link["queue"] for link in links])
        begin, route, count = arrays["links.route_begin"], arrays["links.route"], len(devices)
        for way in problem["routes"]:
            pair = arrays["devices.names"].index(way["from"]) * count + arrays["devices.names"].index(way["to"])
            self.assertEqual([arrays["links.names"][link] for link in route[begin[pair]:begin[pair + 1]]], way["links"])
        self.assertEqual(arrays["overlap"], problem.get("overlap", True))


if __name__ == "__main__":
    main()
