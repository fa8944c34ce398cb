#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""place, score and compare. Usage: plans_test.py BERTH."""
import json
import os
import pathlib

from command_line import SMALL, CommandLineTest, berth, main


OUTCOME = ("planner objective objective_value_s step_time_s feasible lower_bound_s lower_bound_by search_s evaluations seed ops edges devices "
           "links").split()


class Plans(CommandLineTest):
    def assert_outcome(self, outcome):
        for key in OUTCOME:
            self.assertIn(key, outcome)
        self.assertEqual(outcome["objective"], "step")
        self.assertEqual(outcome["objective_value_s"], outcome["step_time_s"])
        if outcome["feasible"]:
            self.assertGreaterEqual(outcome["step_time_s"], outcome["lower_bound_s"])
            self.assertGreater(outcome["joules"], 0)
        else:
            self.assertEqual([outcome[key] for key in ("step_time_s", "vs_single", "joules")], [None] * 3)
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
        self.assertRegex(auto["note"], "refined from|has it")
        for row in self.json_of("compare", SMALL, "-m", "k40x4", "--planners", "single,expert,round-robin")["rows"]:
            self.assertLessEqual(auto["step_time_s"], row["step_time_s"])

    def test_a_long_chain_of_views_is_no_trouble(self):
        small, large = ([{"dtype": "f32", "shape": shape}] for shape in ([4], [2048, 2048]))
        ops = [{"name": "x", "type": "input", "role": "input", "outputs": small}, {"name": "y", "type": "input", "role": "input", "outputs": large},
               {"name": "begin", "type": "Relu", "inputs": [[0, 0]], "outputs": small}]
        ops += [{"name": f"view{i}", "type": "Reshape", "role": "view", "inputs": [[i + 2, 0]], "outputs": small} for i in range(150_000)]
        ops.append({"name": "other", "type": "Relu", "inputs": [[3, 0]], "outputs": small})
        ops.append({"name": "end", "type": "Relu", "inputs": [[len(ops) - 2, 0]], "outputs": small})
        outputs = [len(ops) - 2, len(ops) - 1]
        for layer in range(8):  # what is worth a search
            before = [len(ops) - 1 - i for i in range(4)] if layer else [1] * 4
            ops += [{"name": f"m{layer}.{i}", "type": "MatMul", "inputs": [[before[i], 0], [before[(i + 1) % 4], 0]], "outputs": large} for i in range(4)]
        outputs += [len(ops) - 1 - i for i in range(4)]
        graph = self.write("views.json", json.dumps({"format": "berth-graph/1", "title": "views", "outputs": [[op, 0] for op in outputs], "ops": ops}))
        placed = self.json_of("place", graph, "-m", "k40x2", "--evaluations", 200, "--threads", 1)
        self.assertEqual(placed["ops"], len(ops))
        self.assertGreater(placed["step_time_s"], placed["lower_bound_s"], "else nothing was searched, and this test shows nothing")

    def test_small_gains_do_not_count_on_a_measured_machine(self):
        ops = [{"name": name, "type": "relu", "inputs": [], "outputs": [{"dtype": "f32", "shape": [2]}]} for name in "ab"]
        graph = self.write("graph.json", json.dumps({"format": "berth-graph/1", "ops": ops}))
        costs = self.write("costs.csv", "op,device,microseconds\n" + "".join(
            f"{op},{device},{time}\n" for device in ("cpu0", "cpu1") for op, time in (("a", 9700), ("b", 300))))
        device = '[[devices]]\nname = "{}"\nkind = "cpu"\nmemory = "1 GiB"\nflops = 1e12\nbandwidth = 1e12\n'
        rest = device.format("cpu0") + device.format("cpu1") + '[[links]]\nfrom = "cpu0"\nto = "cpu1"\nbandwidth = 1e12\n'
        plain = self.write("plain.toml", f'name = "box"\n{rest}')
        measured = self.write("measured.toml", f'name = "box"\naccuracy = [0.5, 2]\n{rest}')
        best = self.json_of("place", graph, "-m", plain, "--costs", costs, "--evaluations", "100")
        self.assertAlmostEqual(best["step_time_s"], 9.7e-3)
        self.assertNotIn("step_time_range_s", best)
        surer = self.json_of("place", graph, "-m", measured, "--costs", costs, "--evaluations", "100")
        self.assertAlmostEqual(surer["step_time_s"], 10e-3)
        for got, wanted in zip(surer["step_time_range_s"], (5e-3, 20e-3)):
            self.assertAlmostEqual(got, wanted)
        self.assertIn("which is surer: 3.0 % less is predicted", surer["note"])
        self.assertFalse(surer["best_single_device"]["is_best_found"])
        page = self.text_of("place", graph, "-m", measured, "--costs", costs, "--evaluations", "100")
        self.assertIn("as fast as the best single device, 10.0 ms", page)
        both = ("compare", graph, "-m", measured, "--costs", costs, "--evaluations", "100", "--planners", "single,auto")
        self.assertFalse(self.json_of(*both)["best_single_device"]["is_best_found"])
        self.assertIn("9 of 10 real steps of the best take 5.00 ms to 20.0 ms", self.text_of(*both))

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

    def test_a_pipeline_uses_direct_links_and_says_what_limits_it(self):
        asked = [SMALL, "-m", "v100x8", "--objective", "pipeline", "-p", "round-robin"]
        placed = self.json_of("place", *asked)
        self.assertTrue(any(link["bytes"] > 0 for link in placed["links"] if link["name"].startswith("gpu")))
        self.assertEqual(placed["limit"]["load_s"], placed["step_time_s"])
        loads = {**placed["loads_s"], **{link["name"]: link["busy_s"] for link in placed["links"]}}
        limit = placed["limit"].get("device") or placed["limit"]["link"]
        self.assertEqual(loads[limit], max(loads.values()))
        self.assertIn(f"limited by       {limit}: " if "device" in placed["limit"] else f"limited by       link {limit}: ",
                      berth("place", *asked).stdout)

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
            self.assertNotIn("energy", done.stdout)
            outcome = self.json_of(*command, code=1)
            self.assert_outcome(outcome)
            self.assertFalse(outcome["feasible"])
            self.assertGreater(outcome["overflow"]["bytes_over"], 0)
            self.assertIsNone(outcome["best_single_device"]["step_time_s"], "one device does not hold it either")
        predicted = json.loads(pathlib.Path(plan).read_text())["predicted"]
        self.assertEqual([predicted[key] for key in ("objective_value_s", "step_time_s", "feasible")], [None, None, False])

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
        nearest = done.stdout.splitlines()[2].split()[0]  # of the table's first row, the least over
        self.assert_one_line_error(done, f"no planner found a plan that fits in memory; nearest is '{nearest}': out of memory: ",
                                   "a larger machine", code=1)

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
        page = self.interrupted("place", "zoo:nmt-8,unroll=150", "-m", "k40x8", "--budget", "60min", "-o", str(plan))
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
        self.assertNotIn("one device", text.split("\n", 2)[2])

    def test_one_device_is_proved_best(self):
        command = [self.stg(chain=True), "-m", "procx2"]
        document = self.json_of("compare", *command, "--planners", "single,round-robin")
        self.assertTrue(document["best_single_device"]["is_proved_best"])
        self.assertTrue(all(row["vs_single"] == 1 for row in document["rows"]))
        self.assertIn("no plan can be faster than one device (all on p0): it meets the lower bound", self.text_of("compare", *command, "--planners", "single,round-robin"))
        self.assertIn("no plan can be faster than one device", self.text_of("place", *command, "-p", "single"))
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
        self.assertRegex(text, "(no plan can be|nothing) faster than one device (was found )?\\(all on gpu0\\)(: it|; its gap)")

    def test_the_yardstick_tries_every_device(self):
        def device(name, launch):
            return (f'[[devices]]\nname = "{name}"\nkind = "gpu"\nmemory = "1 GiB"\nflops = "1 TFLOP/s"\nbandwidth = "100 GB/s"\n'
                    f'launch = "{launch}"\n')
        link = '[[links]]\nfrom = "slow"\nto = "quick"\nbandwidth = "1 GB/s"\n'
        machine = self.write("two.toml", 'name = "two"\n' + device("slow", "1 ms") + device("quick", "1 us") + link)
        for command in [["compare", SMALL, "--planners", "single"], ["place", SMALL, "-p", "single"]]:
            document = self.json_of(*command, "-m", machine, "--evaluations", "1")  # enough for the first device
            row = document["rows"][0] if "rows" in document else document
            self.assertEqual((row["evaluations"], row["slower_than_single"]), (1, True))
            self.assertLess(document["best_single_device"]["step_time_s"], row["step_time_s"])

    def test_place_says_that_one_device_is_best(self):
        # Round-robin puts each task and the dummies at both ends elsewhere than the one before: three copies of 1 s.
        device = 'kind = "gpu"\nmemory = "1 GiB"\nflops = "1 TFLOP/s"\nbandwidth = "1 GB/s"\nlaunch = "0 s"\n'
        devices = "".join(f'[[devices]]\nname = "p{i}"\n{device}' for i in range(2))
        links = '[[links]]\nfrom = "p0"\nto = "p1"\nbandwidth = "1 GB/s"\nlatency = "1 s"\n'
        machine = self.write("slow.toml", f'name = "slow"\n{devices}{links}')
        page = self.text_of("place", self.stg(chain=True), "-m", machine, "-p", "round-robin")
        self.assertRegex(page, r"43 % slower than the best single device, 7(\.0+)? s \(all on p0\), and no plan can be faster than that\n")
        page = self.text_of("place", SMALL, "-m", "k40x2", "-p", "round-robin")
        self.assertRegex(page, r"compared +[0-9]+ % slower than the best single device, [^,]* \(all on gpu0\)")

    def test_score_claims_no_search(self):
        problem, plan = self.stg(chain=False), self.folder / "plan.json"  # 7 s on one processor, 4 s on two
        self.text_of("place", problem, "-m", "procx2", "-p", "single", "-o", plan)
        page = self.text_of("score", problem, "-m", "procx2", "--plan", plan)
        self.assertRegex(page, r"compared +as fast as the best single device, 7(\.0+)? s \(all on p0\)\n")
        self.assertNotIn("found", page)
        self.assertFalse(self.json_of("score", problem, "-m", "procx2", "--plan", plan)["best_single_device"]["is_best_found"])

    def test_nearly_as_fast_is_said_in_percent(self):
        tasks = "".join(f"{i} 1000 1 {i - 1}\n" for i in range(1, 1000))
        problem = self.write("long.stg", f"1000\n0 0 0\n{tasks}1000 3000 1 0\n1001 0 2 999 1000\n")
        page = self.text_of("place", problem, "-m", "procx2", "-p", "heft")
        self.assertIn("0.3 % faster than the best single device", page)

    def test_a_plan_that_does_not_fit_has_no_time(self):
        machine = self.write("tiny.toml", self.text_of("machines", "k40x2").replace("12 GiB", "60 kB"))
        text = self.text_of("compare", SMALL, "-m", machine, "--planners", "cpu-only,round-robin")
        line = next(line for line in text.splitlines() if line.startswith("round-robin"))
        self.assertRegex(line, r"^round-robin +OOM +- +- ")
        self.assertNotIn("take", line)
        self.assertRegex(berth("place", SMALL, "-m", machine, "-p", "round-robin").stdout, "step time +OOM: ")


if __name__ == "__main__":
    main()
