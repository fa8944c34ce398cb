#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line seen from outside: exit codes, JSON, one-line errors, bad files. Usage: cli_test.py BERTH."""
import gzip
import json
import os
import pathlib
import pty
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

BERTH = ""
SMALL = "zoo:rnnlm,batch=4,unroll=3,hidden=16,vocab=100"  # a few hundred ops
MEMORY_LIMIT = 3 << 30  # bytes; a hostile file must end in an error well below it


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


def sanitized():
    """AddressSanitizer reserves terabytes of address space, so that limits on it make no sense."""
    return b"__asan_init" in pathlib.Path(BERTH).read_bytes()


def berth(*args, limited=False, env=None, timeout=120):
    searches = args and args[0] in ("place", "compare")
    if searches and not any(arg in ("--budget", "--evaluations", "--help") for arg in args):
        args = (args[0], "--evaluations", "100", *args[1:])  # enough to see that it works, and quick
    return subprocess.run([BERTH, *args], capture_output=True, text=True, timeout=timeout, env=env,
                          preexec_fn=limit_memory if limited and not sanitized() else None)


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def json_of(self, *args, code=0):
        done = berth(*args, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def text_of(self, *args, code=0):
        done = berth(*args)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def assert_one_line_error(self, done, *parts, code=2):
        self.assertEqual(done.returncode, code, done.stderr or done.stdout)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("berth: "), lines[0])
        self.assertLess(len(lines[0]), 600)
        for part in parts:
            self.assertIn(part, lines[0])

    def assert_refused(self, args, *parts, limited=False):
        done = berth(*args, limited=limited)
        self.assertEqual(done.stdout, "")
        self.assert_one_line_error(done, *parts)


class Usage(CommandLineTest):
    def test_alone_it_helps(self):
        self.assertIn("berth place", self.text_of())
        self.assertEqual(self.text_of("--version").split()[0], "berth")

    def test_every_command_has_help_with_an_example(self):
        for command in ["place", "compare", "score", "graph", "graph info", "graph convert", "graph problem", "planners",
                        "machines", "models", "demo"]:
            with self.subTest(command):
                text = self.text_of(*command.split(), "--help")
                self.assertIn("Example:\n  berth " + command.split()[0], text)

    def test_wrong_usage(self):
        place = ["place", SMALL, "-m", "k40x2"]
        for args, part in [
            (["plcae"], "did you mean 'place'?"),
            (["graph"], "info, convert, problem"),
            (["graph", "inof", SMALL], "did you mean 'info'?"),
            (["place"], "GRAPH is required"),
            (["place", SMALL], "--machine is required"),
            ([*place, "--plannr", "expert"], "did you mean '--planner'?"),
            ([*place, "surplus"], "unexpected argument 'surplus'"),
            ([*place, "--planner", "exprt"], "did you mean 'expert'?"),
            ([*place, "--planner", "placeto"], "not in this build"),
            ([*place, "--budget", "soon"], "--budget"),
            ([*place, "--budget", "0"], "--budget"),
            ([*place, "--budget", "nan"], "--budget"),
            ([*place, "--budget", "-3s"], "500ms, 10s or 5min"),
            ([*place, "--seed", "-1"], "--seed: '-1' is not a whole number from 0 to 18446744073709551615"),
            ([*place, "--seed", "18446744073709551616"], "from 0 to 18446744073709551615"),
            ([*place, "--evaluations", "many"], "--evaluations: 'many' is not"),
            ([*place, "--evaluations", "1e3"], "whole number from 1 to"),
            ([*place, "--evaluations", "0"], "whole number from 1 to"),
            ([*place, "--evaluations", ""], "whole number from 1 to"),
            ([*place, "--threads", "0"], "--threads: '0' is not a whole number from 1 to 1024"),
            ([*place, "--threads"], "--threads needs a value"),
            (["place", SMALL, "-m"], "--machine needs a value"),
            ([*place, "-m", "k40x4"], "--machine is given 2 times; give it once"),
            (["graph", "convert", SMALL, "-o", "x.onnx"], "x.onnx: a graph is written as .json or .json.gz"),
            ([*place, "--objective", "pipelin"], "did you mean 'pipeline'?"),
            ([*place, "--objective", "stp"], "did you mean 'step'?"),
            (["place", SMALL, "-m", "procx65"], "procxN takes an N from 1 to 64"),
            (["place", "zoo:nmt4", "-m", "k40x2"], "did you mean 'nmt-4'?"),
            (["place", "nmt-4", "-m", "k40x2"], "did you mean 'zoo:nmt-4'?"),
            (["place", "zoo:rnnlm,bacth=3", "-m", "k40x2"], "did you mean 'batch'?"),
            (["place", SMALL, "-m", "k40x22"], "did you mean 'k40x2'?"),
            (["place", SMALL, "-m", "missing.toml"], "missing.toml"),
            (["place", "missing.json", "-m", "k40x2"], "missing.json"),
            (["compare", SMALL, "-m", "k40x2", "--planners", "single,exprt"], "did you mean 'expert'?"),
            (["compare", SMALL, "-m", "k40x2", "--planners", "learned"], "no learned planners"),
            (["machines", "k40x3"], "did you mean 'k40x"),
            (["models", "nmt-5"], "did you mean 'nmt-"),
            (["score", SMALL, "-m", "k40x2"], "--plan is required"),
        ]:
            with self.subTest(args):
                self.assert_refused(args, part)

    def test_control_characters_in_a_name_stay_on_one_line(self):
        self.assert_refused(["place", "a\nb\tc\x1b[31m", "-m", "k40x2"], "a b c?[31m")


class Lists(CommandLineTest):
    def test_planners_lists_all_names_of_the_contract(self):
        names = ("single cpu-only gpu-only random round-robin expert expert-layers scotch mincut metis heft m-topo m-etf m-sct "
                 "dp exact anneal genetic colocrl hierarchical placeto go hsdag auto").split()
        planners = self.json_of("planners")["planners"]
        self.assertEqual([planner["name"] for planner in planners], names)
        text = self.text_of("planners")
        for planner in planners:
            line = next(line for line in text.splitlines() if line.split()[0] == planner["name"])
            self.assertEqual("not in this build" in line, not planner["built"])
            self.assertEqual(line.split()[1:3], ["used" if planner["uses_seed"] else "-",
                                                 "all" if planner["uses_threads"] else "one"])

    def test_machines(self):
        names = [machine["name"] for machine in self.json_of("machines")["machines"]]
        for name in ["k40x2", "k40x4", "k40x8", "h200", "core-ultra", "2xhost"]:
            self.assertIn(name, names)
        self.assertEqual([family["name"] for family in self.json_of("machines")["families"]], ["procxN"])
        self.assertIn("procxN", self.text_of("machines"))
        for name in [*names, "procx3"]:
            with self.subTest(name):
                copy = self.write("copy.toml", self.text_of("machines", name))
                self.assertEqual(self.json_of("machines", name), self.json_of("machines", copy))

    def test_models(self):
        names = [model["name"] for model in self.json_of("models")["models"]]
        for name in ("inception-v3 resnet-50 resnet-152 rnnlm nmt-2 nmt-4 nmt-8 bert-base transformer-xl wavenet amoebanet gpt2 "
                     "gpt3-175b llama-8b moe").split():
            self.assertIn(name, names)
        self.assertIn("batch", [parameter["name"] for parameter in self.json_of("models", "nmt-4")["parameters"]])
        self.assertIn("batch", self.text_of("models", "zoo:nmt-4"))


OUTCOME = ("planner objective objective_value_s step_time_s feasible lower_bound_s search_s evaluations seed ops edges devices "
           "links").split()


class Plans(CommandLineTest):
    def assert_outcome(self, outcome):
        for key in OUTCOME:
            self.assertIn(key, outcome)
        self.assertEqual(outcome["objective"], "step")
        self.assertEqual(outcome["objective_value_s"], outcome["step_time_s"])
        self.assertGreaterEqual(outcome["step_time_s"], outcome["lower_bound_s"])
        self.assertGreater(outcome["lower_bound_s"], 0)
        self.assertEqual(sum(device["ops"] for device in outcome["devices"]), outcome["ops"])
        for device in outcome["devices"]:
            self.assertEqual(sorted(device), ["busy_s", "capacity_bytes", "name", "ops", "peak_bytes"])
        for link in outcome["links"]:
            self.assertEqual(sorted(link), ["busy_s", "bytes", "name"])

    def test_place_and_score_agree(self):
        plan = str(self.folder / "plan.json")
        placed = self.json_of("place", SMALL, "-m", "k40x2", "--planner", "round-robin", "-o", plan)
        self.assert_outcome(placed)
        self.assertEqual(placed["planner"], "round-robin")
        scored = self.json_of("score", SMALL, "-m", "k40x2", "--plan", plan)
        self.assert_outcome(scored)
        for key in ["step_time_s", "feasible", "ops", "edges", "devices", "links", "pools", "overflow"]:
            self.assertEqual(placed[key], scored[key])
        self.assertIn("plan written to", self.text_of("place", SMALL, "-m", "k40x2", "-o", plan))
        self.assertEqual(sorted(os.listdir(self.folder)), ["plan.json"], "no temporary files are left")

    def test_the_same_seed_writes_the_same_bytes(self):
        plans = [self.folder / name for name in ("a.json", "b.json", "c.json")]
        for path, seed in zip(plans, ["1", "1", "2"]):
            self.text_of("place", SMALL, "-m", "k40x2", "-p", "random", "--evaluations", "5", "--seed", seed, "-o", str(path))
        self.assertEqual(plans[0].read_bytes(), plans[1].read_bytes())
        self.assertNotEqual(plans[0].read_bytes(), plans[2].read_bytes())

    def test_auto_is_the_default_and_no_worse_than_its_members(self):
        auto = self.json_of("place", SMALL, "-m", "k40x4")
        self.assertEqual(auto["planner"], "auto")
        self.assertRegex(auto["note"], "started from|has it")
        for row in self.json_of("compare", SMALL, "-m", "k40x4", "--planners", "single,expert,round-robin")["rows"]:
            self.assertLessEqual(auto["step_time_s"], row["step_time_s"])

    def test_the_largest_seed_is_taken_as_it_is(self):
        seed = 2**64 - 1
        self.assertEqual(self.json_of("place", SMALL, "-m", "k40x2", "-p", "random", "--seed", str(seed))["seed"], seed)

    def test_groups_stand_in_lists_of_planners(self):
        def planners(text):
            return sorted(row["planner"] for row in self.json_of("compare", SMALL, "-m", "k40x2", "--planners", text)["rows"])
        self.assertEqual(planners("all,expert"), planners("all"))
        self.assertEqual(planners("expert, classical,expert"), planners("classical"))

    def test_score_names_the_machine_of_the_plan(self):
        plan = str(self.folder / "plan.json")
        self.text_of("place", SMALL, "-m", "k40x2", "-o", plan)
        other, same = ["score", SMALL, "-m", "k40x4", "--plan", plan, "-q"], ["score", SMALL, "-m", "k40x2", "--plan", plan]
        self.assertEqual(self.json_of(*other)["plan_machine"], "k40x2")
        self.assertIn("k40x2, another machine", self.text_of(*other))
        self.assertNotIn("another machine", self.text_of(*same))

    def test_energy_has_a_unit_that_fits(self):
        self.assertRegex(self.text_of("place", "zoo:rnnlm", "-m", "k40x2", "-p", "cpu-only"), r"energy +[0-9.]+ k?J per step")

    def test_timeline(self):
        plan = str(self.folder / "plan.json")
        self.text_of("place", SMALL, "-m", "k40x2", "-p", "random", "-o", plan)
        scored = self.json_of("score", SMALL, "-m", "k40x2", "--plan", plan, "--timeline")
        self.assertEqual(sorted(scored["events"][0]), ["device", "end_s", "op", "start_s"])
        self.assertEqual(sorted(scored["transfers"][0]), ["bytes", "end_s", "from", "link", "op", "output", "start_s", "to"])
        self.assertEqual(max(event["end_s"] for event in scored["events"]), scored["step_time_s"])
        for device in scored["devices"]:
            busy = sum(event["end_s"] - event["start_s"] for event in scored["events"] if event["device"] == device["name"])
            self.assertAlmostEqual(busy, device["busy_s"], places=9)
        self.assertNotIn("events", self.json_of("score", SMALL, "-m", "k40x2", "--plan", plan))
        self.assertIn("gpu0", self.text_of("score", SMALL, "-m", "k40x2", "--plan", plan, "--timeline"))

    def tiny_machine(self, memory="20 kB"):
        text = self.text_of("machines", "k40x2").replace("12 GiB", memory).replace("128 GiB", memory)
        return self.write("tiny.toml", text)

    def test_out_of_memory_is_said_plainly(self):
        machine, plan = self.tiny_machine(), str(self.folder / "plan.json")
        for command in [["place", SMALL, "-m", machine, "-o", plan], ["score", SMALL, "-m", machine, "--plan", plan]]:
            done = berth(*command)
            self.assert_one_line_error(done, "out of memory", "over its", code=1)
            self.assertIn("OOM", done.stdout)
            self.assertNotIn("as fast as", done.stdout)
            self.assertNotIn("gap", done.stdout)
            outcome = self.json_of(*command, code=1)
            self.assert_outcome(outcome)
            self.assertFalse(outcome["feasible"])
            self.assertGreater(outcome["overflow"]["bytes_over"], 0)
            self.assertGreater(outcome["step_time_s"], 0)

    def test_parameters_out_of_memory(self):
        done = berth("place", SMALL, "-m", self.tiny_machine("2 kB"), "-p", "gpu-only")
        self.assert_one_line_error(done, "out of memory: the parameters alone are", "over on gpu0, which has 1.95 KiB", code=1)

    def test_activations_out_of_memory_name_the_peak(self):
        text = self.text_of("machines", "k40x2").replace("12 GiB", "60 kB")
        done = berth("place", SMALL, "-m", self.write("tight.toml", text), "-p", "round-robin")
        self.assert_one_line_error(done, "over its 58.6 KiB; its peak comes after", "at op '", code=1)
        self.assertIn("it does not fit; the best single device does", done.stdout)

    def test_compare_ranks_feasible_plans_first(self):
        graph, planners = "zoo:rnnlm,batch=64,unroll=40,hidden=2048,vocab=200000", "gpu-only,cpu-only,round-robin,random"
        document = self.json_of("compare", graph, "-m", "k40x2", "--planners", planners)
        rows = document["rows"]
        self.assertEqual({row["planner"] for row in rows}, set(planners.split(",")))
        for row in rows:
            self.assert_outcome(row)
        feasible = [row["feasible"] for row in rows]
        self.assertEqual(feasible, sorted(feasible, reverse=True))
        self.assertIn(False, feasible)
        times = [row["step_time_s"] for row in rows if row["feasible"]]
        self.assertEqual(times, sorted(times))
        self.assertIn("OOM", self.text_of("compare", graph, "-m", "k40x2", "--planners", planners))

    def test_compare_without_any_feasible_plan(self):
        done = berth("compare", SMALL, "-m", self.tiny_machine())
        self.assert_one_line_error(done, "no planner found a plan that fits", code=1)

    def interrupted(self, *args):
        """A command whose first planner is under way when the interrupt comes."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([BERTH, *args], stdout=subprocess.PIPE, stderr=theirs, text=True)
        os.close(theirs)
        shown = b""
        while b"plans/s" not in shown:  # a search is under way: its progress line is there
            shown += os.read(ours, 1000)
        process.send_signal(signal.SIGINT)
        page = process.communicate(timeout=60)[0]
        os.close(ours)
        self.assertIn(process.returncode, [0, 1], "as if the budget were over")
        return page

    def test_an_interrupt_ends_a_comparison(self):
        command = ["compare", "zoo:nmt-8,unroll=300", "-m", "k40x8", "--planners", "auto,round-robin,random"]
        table = self.interrupted(*command)
        rows = {line.split()[0]: line for line in table.splitlines() if line}
        self.assertIn("interrupted", rows["auto"])
        for planner in ["round-robin", "random"]:
            self.assertIn("not run", rows[planner])
        document = json.loads(self.interrupted(*command, "--json"))
        self.assertTrue(document["interrupted"])
        self.assertTrue(all(row["interrupted"] for row in document["rows"]))
        self.assertEqual([row["evaluations"] > 0 for row in document["rows"]], [True, False, False])
        self.assertIsNone(document["rows"][2]["step_time_s"])
        self.assertFalse(self.json_of("compare", SMALL, "-m", "k40x2")["interrupted"])

    def test_demo_ends_with_a_table_and_a_sentence(self):
        text = self.text_of("demo")
        for planner in "gpu-only expert metis m-etf auto".split():
            self.assertEqual(sum(line.startswith(planner + " ") for line in text.splitlines()), 1)
        self.assertIn("nmt-4 on k40x4", text)
        self.assertEqual(len(self.json_of("demo")["rows"]), 5)

    def test_plain_text_without_a_terminal(self):
        self.assertNotIn("\033", self.text_of("compare", SMALL, "-m", "k40x2"))

    def test_progress_on_a_terminal_and_an_interrupt_that_keeps_the_plan(self):
        plan = self.folder / "plan.json"
        page = self.interrupted("place", "zoo:nmt-8,unroll=150", "-m", "k40x8", "--budget", "60s", "-o", str(plan))
        self.assertIn("step time", page)
        self.assertIn(", interrupted", page)
        self.assertEqual(json.loads(plan.read_text())["format"], "berth-plan/1")

class SingleDevice(CommandLineTest):
    """Planners against one device alone: p0 and p1 run tasks of 3 and 4 s side by side; a chain cannot gain."""

    def stg(self, chain):
        return self.write("toy.stg", f"2\n0 0 0\n1 3 1 0\n2 4 1 {1 if chain else 0}\n3 0 2 1 2\n")

    def test_a_faster_plan_beats_it(self):
        command = ["compare", self.stg(chain=False), "-m", "procx2", "--planners", "round-robin"]
        document = self.json_of(*command)
        single = document["best_single_device"]
        self.assertEqual(single["objective_value_s"], 7)
        self.assertFalse(single["is_best_found"] or single["is_proved_best"])
        best = document["rows"][0]
        self.assertEqual((best["objective_value_s"], best["slower_than_single"]), (4, False))
        self.assertAlmostEqual(best["vs_single"], 4 / 7)
        self.assertAlmostEqual(best["imbalance"], 4 / 3.5 - 1)
        text = self.text_of(*command)
        self.assertIn("1.75x as fast", text)
        self.assertNotIn("one device is", text)

    def test_one_device_is_proved_best(self):
        command = [self.stg(chain=True), "-m", "procx2"]
        document = self.json_of("compare", *command, "--planners", "single,round-robin")
        self.assertTrue(document["best_single_device"]["is_proved_best"])
        self.assertTrue(all(row["vs_single"] == 1 for row in document["rows"]))
        self.assertIn("one device is best", self.text_of("compare", *command, "--planners", "single,round-robin"))
        self.assertIn("proved", self.text_of("place", *command, "-p", "single"))
        self.assertTrue(self.json_of("place", *command, "-p", "round-robin")["best_single_device"]["is_proved_best"])

    def test_a_planner_that_loses_says_so(self):
        command = ["compare", SMALL, "-m", "k40x2", "--planners", "single,round-robin"]
        rows = {row["planner"]: row for row in self.json_of(*command)["rows"]}
        self.assertTrue(rows["round-robin"]["slower_than_single"])
        self.assertGreater(rows["round-robin"]["vs_single"], 1)
        self.assertGreater(rows["round-robin"]["bytes_crossed"], rows["single"]["bytes_crossed"])
        self.assertFalse(rows["single"]["slower_than_single"])
        text = self.text_of(*command)
        self.assertIn(" % slower", next(line for line in text.splitlines() if line.startswith("round-robin")))
        self.assertRegex(text, "one device is (best .*, proved|the best found .*, not proved: the gap to the lower bound is)")

    def test_a_plan_that_does_not_fit_has_no_time(self):
        machine = self.write("tiny.toml", self.text_of("machines", "k40x2").replace("12 GiB", "60 kB"))
        text = self.text_of("compare", SMALL, "-m", machine, "--planners", "cpu-only,round-robin")
        line = next(line for line in text.splitlines() if line.startswith("round-robin"))
        self.assertRegex(line, r"^round-robin +OOM +- +- ")
        self.assertNotIn("take", line)
        self.assertRegex(berth("place", SMALL, "-m", machine, "-p", "round-robin").stdout, "step time +OOM: ")


MSR = json.dumps({
    "maxSizePerFPGA": 100.0, "maxFPGAs": 2, "maxCPUs": 1,
    "nodes": [{"id": 5, "name": "a", "supportedOnFpga": 1, "cpuLatency": 40, "fpgaLatency": 4, "isBackwardNode": 0, "size": 60.0},
              {"id": 7, "name": "b", "supportedOnFpga": 1, "cpuLatency": 20, "fpgaLatency": 2, "isBackwardNode": 0, "size": 50.0}],
    "edges": [{"sourceId": 5, "destId": 7, "cost": 0.5, "size": 1}]})
PROFILE = ("a -- Linear(3, 4) -- forward_compute_time=1.000, backward_compute_time=2.000, activation_size=100.0, parameter_size=8.000\n"
           "b -- Softmax() -- forward_compute_time=3.000, backward_compute_time=4.000, activation_size=0.0, parameter_size=0.000\n"
           "\ta -- b\n")


class PublicProblems(CommandLineTest):
    def heft(self):
        self.write("x_task_exe_time.csv", "TP,p,q\nt0,1,5\nt1,7,2\n")
        self.write("x_resource_BW.csv", "P,p,q\np,0,2\nq,2,0\n")
        return self.write("x_task_connectivity.csv", "T,t0,t1\nt0,0,6\nt1,0,0\n")

    def files(self):
        """(file, objective, machine, value of round-robin)"""
        return [(self.write("x.json", MSR), "pipeline", "2acc+1cpu", 0.0045), (self.heft(), "step", "processors", 6),
                (self.write("x.stg", "1\n0 0 0\n1 3 1 0\n2 0 1 1\n"), "step", "procx4", 3),
                (self.write("x.txt", PROFILE), "pipeline", "p100x4", None)]

    def test_they_bring_machine_and_objective(self):
        plan = str(self.folder / "plan.json")
        for file, objective, machine, value in self.files():
            with self.subTest(file):
                outcome = self.json_of("place", file, "-p", "round-robin", "-o", plan)
                self.assertEqual((outcome["objective"], outcome["machine"]), (objective, machine))
                if value is not None:
                    self.assertAlmostEqual(outcome["objective_value_s"], value)
                predicted = json.loads(pathlib.Path(plan).read_text())["predicted"]
                self.assertEqual(predicted["objective"], objective)
                score = self.json_of("score", file, "--plan", plan)
                self.assertEqual(score["objective_value_s"], outcome["objective_value_s"])
                self.assertEqual(self.json_of("graph", "info", file)["objective"], objective)
                self.assertEqual(self.json_of("graph", "problem", file)["objective"], objective)
                self.assertEqual(self.json_of("compare", file, "--planners", "single")["objective"], objective)
                word = "time per sample" if objective == "pipeline" else "step time"
                self.assertIn(word, self.text_of("place", file, "-p", "single"))

    def test_what_does_not_suit_them_is_refused(self):
        msr, heft, stg, profile = [file for file, *_ in self.files()]
        for args, part in [
            (["place", msr, "-m", "k40x2"], "leave --machine out"),
            (["place", heft, "-m", "k40x2"], "leave --machine out"),
            (["place", msr, "--objective", "step"], "leave --objective out or say pipeline"),
            (["place", stg, "--objective", "pipeline"], "leave --objective out or say step"),
            (["graph", "convert", stg, "-o", "x.json"], "times and memory would be lost"),
        ]:
            with self.subTest(args):
                self.assert_refused(args, part)
        self.assertEqual(self.json_of("place", stg, "-m", "procx7", "-p", "single")["machine"], "procx7")
        self.assertEqual(self.json_of("place", profile, "-m", "a100x8", "-p", "single")["machine"], "a100x8")

    def test_a_pipeline_has_no_timeline(self):
        msr, plan = self.write("x.json", MSR), str(self.folder / "plan.json")
        self.text_of("place", msr, "-p", "round-robin", "-o", plan)
        self.assert_refused(["score", msr, "--plan", plan, "--timeline"], "--timeline")

    def test_memory_of_a_pipeline(self):
        done = berth("place", self.write("x.json", MSR), "-p", "gpu-only")
        self.assert_one_line_error(done, "out of memory: what the ops hold is", "acc0", code=1)

    def test_graphs_take_the_objective(self):
        outcome = self.json_of("place", SMALL, "-m", "k40x2", "--objective", "pipeline", "-p", "round-robin")
        self.assertEqual(outcome["objective"], "pipeline")
        self.assertLess(0, outcome["objective_value_s"])

    def test_damaged_files(self):
        for name, content in [("x.json", MSR[:-40]), ("x.stg", "5\n0 0 0\n"), ("x.txt", PROFILE + "\tb -- c"),
                              ("x.csv", "T,a\na,0"), ("odd", "hello"), ("empty", "")]:
            with self.subTest(name):
                self.assert_refused(["place", self.write(name, content)], name)


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


class BadFiles(CommandLineTest):
    def refuse_graph(self, name, content, *parts):
        path = self.write(name, content)
        self.assert_refused(["graph", "info", path], name, *parts, limited=True)

    def graph_text(self):
        return berth("graph", "convert", SMALL, "-o", "/dev/stdout").stdout

    def test_truncated(self):
        copy = self.folder / "copy.json.gz"
        self.text_of("graph", "convert", SMALL, "-o", str(copy))
        whole, text = copy.read_bytes(), gzip.decompress(copy.read_bytes())
        for keep in [0, 1, 10, len(whole) // 2, len(whole) - 1]:
            self.refuse_graph("cut.json.gz", whole[:keep])
        for keep in [1, 10, len(text) // 2, len(text) - 3]:
            self.refuse_graph("cut.json", text[:keep])

    def test_deep_nesting(self):
        self.refuse_graph("deep.json", b'{"format":"berth-graph/1","ops":' + b"[" * 5_000_000)

    def test_gzip_bomb(self):
        self.refuse_graph("bomb.json.gz", gzip.compress(b" " * (1 << 30) + b" " * (1 << 20), 1))

    def test_huge_shape(self):
        op = '{"name":"a","type":"input","args":[],"outputs":[{"dtype":"float32","shape":[1000000000,1000000000,1000]}]}'
        self.refuse_graph("shape.json", f'{{"format":"aten-graph/1","name":"g","mode":"infer","outputs":[],"ops":[{op}]}}')

    def test_a_million_duplicate_names(self):
        op = '{"name":"a","type":"input","args":[],"outputs":[{"dtype":"float32","shape":[1]}]}'
        ops = ",".join([op] * 1_000_000)
        self.refuse_graph("names.json", f'{{"format":"aten-graph/1","name":"g","mode":"infer","outputs":[],"ops":[{ops}]}}', "a")

    def test_not_a_graph(self):
        for content in [b"", b"\0" * 100, b"null", b"[]", b"{}", b'{"format":"berth-plan/1"}', b"\xff\xfe", b"\x1f\x8b"]:
            with self.subTest(content):
                self.refuse_graph("odd.json", content)

    def test_bad_machines(self):
        good = self.text_of("machines", "k40x2")
        for content in ["", "name = ", good[: len(good) // 2], good.replace("12 GiB", "12 GiBB"), good.replace("GiB", "furlong"),
                        "[" * 100_000, "\0"]:
            with self.subTest(content[:40]):
                self.assert_refused(["place", SMALL, "-m", self.write("bad.toml", content)], "bad.toml", limited=True)

    def test_bad_plans(self):
        plan = self.folder / "plan.json"
        self.text_of("place", SMALL, "-m", "k40x2", "-o", str(plan))
        good = plan.read_text()
        other = "zoo:rnnlm,batch=4,unroll=4,hidden=16,vocab=100"
        self.assert_refused(["score", other, "-m", "k40x2", "--plan", str(plan)], "plan.json")
        for content in ["", "{}", good[: len(good) // 2], good.replace("gpu0", "gpu7"), good.replace("berth-plan/1", "berth-plan/9"),
                        good.replace('"name": "', '"name": "x', 1)]:
            with self.subTest(content[:40]):
                bad = self.write("bad.json", content)
                self.assert_refused(["score", SMALL, "-m", "k40x2", "--plan", bad], "bad.json", limited=True)

    def test_an_input_moved_from_the_cpu_is_refused(self):
        plan = self.folder / "plan.json"
        self.text_of("place", SMALL, "-m", "k40x2", "-p", "gpu-only", "-o", str(plan))
        moved = self.write("moved.json", plan.read_text().replace('"device": "cpu"', '"device": "gpu0"'))
        self.assert_refused(["score", SMALL, "-m", "k40x2", "--plan", moved], "moved.json")

    def test_output_that_cannot_be_written(self):
        for path in ["/nonexistent/plan.json", str(self.folder)]:
            self.assert_refused(["place", SMALL, "-m", "k40x2", "-o", path], path)
        self.assert_one_line_error(berth("place", SMALL, "-m", "k40x2", "-o", "/proc/plan.json"), "/proc/plan.json")

    def test_an_empty_output_name_is_refused(self):
        for command in [["place", SMALL, "-m", "k40x2"], ["graph", "convert", SMALL],
                        ["graph", "problem", SMALL, "-m", "k40x2"]]:
            self.assert_refused([*command, "-o", ""], "--output: the name of the file is empty")

    def test_a_plan_that_cannot_be_written_is_still_reported(self):
        command = ["place", SMALL, "-m", "k40x2", "-o", "/dev/full"]
        done = berth(*command)
        self.assert_one_line_error(done, "/dev/full")
        self.assertIn("step time", done.stdout)
        self.assertNotIn("plan written", done.stdout)
        self.assertGreater(self.json_of(*command, code=2)["step_time_s"], 0)

    def test_a_full_disk_is_an_error_and_a_closed_pipe_is_not(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([BERTH, "planners"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot write to stdout", done.stderr)
        read_end, write_end = os.pipe()
        os.close(read_end)
        done = subprocess.run([BERTH, "planners"], stdout=write_end, stderr=subprocess.PIPE, text=True)
        os.close(write_end)
        self.assertEqual(done.stderr, "")

    def test_too_little_memory_is_one_clear_line(self):
        if sanitized():
            self.skipTest("AddressSanitizer needs the address space")
        limit = 100 << 20
        done = subprocess.run([BERTH, "graph", "info", "zoo:nmt-8,unroll=200"], capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assert_one_line_error(done, "memory")


if __name__ == "__main__":
    BERTH = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
