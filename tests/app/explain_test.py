#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""explain, diff and report. Usage: explain_test.py BERTH."""
import json
import pathlib
import time

from command_line import PATIENCE, SMALL, CommandLineTest, berth, main

ON = [SMALL, "-m", "k40x2"]


class Explained(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.plan = self.placed("plan.json", "round-robin")

    def placed(self, name, planner, problem=ON):
        path = str(self.folder / name)
        done = berth("place", *problem, "-p", planner, "-o", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def with_ops_on(self, ops, device):
        """The plan with these ops, and nothing else, on another device."""
        document = json.loads(pathlib.Path(self.plan).read_text())
        for entry in document["ops"]:
            if entry["name"] in ops:
                entry["device"] = device
        return self.write("moved.json", json.dumps(document))

    def reported(self, page):
        """What a report says, without its arrays."""
        return json.loads(pathlib.Path(page).read_text().split('id="report">')[1].split("</script>")[0])

    def ops(self):
        return json.loads(pathlib.Path(self.plan).read_text())["ops"]


class Explain(Explained):
    def test_the_claimed_cost_of_a_move_is_that_of_the_moved_plan(self):
        checked = 0
        for op in [entry["name"] for entry in self.ops()][::17]:
            why = self.json_of("explain", *ON, "--plan", self.plan, "--op", op)
            self.assertEqual(why["op"], op)
            for other in why["alternatives"]:
                if why["companions"] > 0 or "refused" in other:
                    continue  # the score of a plan file cannot have what may not be
                moved = [] if other["device"] == why["device"] else [op, *why["weights_along"]]
                scored = self.json_of("score", *ON, "--plan", self.with_ops_on(moved, other["device"]))
                self.assertEqual(other["feasible"], scored["feasible"])
                self.assertEqual(other["step_time_s"], scored["step_time_s"], (op, other))
                checked += 1
        self.assertGreater(checked, 10)

    def test_the_path_adds_up(self):
        why = self.json_of("explain", *ON, "--plan", self.plan)
        path = why["critical_path"]
        self.assertAlmostEqual(path["time_s"], why["step_time_s"], 9)
        self.assertAlmostEqual(path["for_data_s"] + path["for_device_s"] + path["for_link_s"], path["time_s"], 9)
        self.assertLessEqual(sum(path["devices_s"].values()) + sum(path["links_s"].values()), path["time_s"] + 1e-9)
        self.assertAlmostEqual(sum(path["classes_s"].values()), sum(path["devices_s"].values()), 9)
        self.assertIn(f"({why['lower_bound_by']})", why["limits"][-1])
        self.assertIn(why["lower_bound_reason"], why["limits"][-1])

    def test_busy_and_idle_time_add_up_to_the_step(self):
        why = self.json_of("explain", *ON, "--plan", self.plan)
        self.assertEqual([device["device"] for device in why["idle"]], ["cpu", "gpu0", "gpu1"])
        causes = ("busy_s", "results_s", "transfers_s", "links_s", "devices_s", "done_s")
        for device in why["idle"]:
            self.assertAlmostEqual(sum(device[cause] for cause in causes), why["step_time_s"], 9)
        self.assertGreater(why["idle"][1]["transfers_s"], 0)

    def test_crossings_are_the_costliest_with_what_they_buy(self):
        crossings = self.json_of("explain", *ON, "--plan", self.plan)["crossings"]
        self.assertEqual(len(crossings), 10)
        costs = [(crossing["critical_s"], crossing["sending_s"]) for crossing in crossings]
        self.assertEqual(costs, sorted(costs, reverse=True))
        self.assertTrue(any(crossing["without"] for crossing in crossings))
        for crossing in crossings:
            self.assertNotEqual(crossing["from"], crossing["to"])
            self.assertGreater(crossing["users"], 0)

    def test_people_read_sentences(self):
        page = self.text_of("explain", *ON, "--plan", self.plan)
        for words in ("what bounds the step", "critical path:", "by device", "waiting for", "idle device", "costliest crossings",
                      "it buys"):
            self.assertIn(words, page)
        op = self.ops()[40]
        page = self.text_of("explain", *ON, "--plan", self.plan, "--op", op["name"])
        for words in (f"is on {op['device']}", "with it on", "here"):
            self.assertIn(words, page)

    def test_inputs_say_what_holds_them(self):
        graph = json.loads(berth("graph", "problem", *ON).stdout)
        name = next(op["name"] for op in graph["ops"] if op["role"] == "input")
        why = self.json_of("explain", *ON, "--plan", self.plan, "--op", name)
        self.assertTrue(any("unless --pin says otherwise" in reason for reason in why["reasons"]), why["reasons"])
        self.assertEqual([other["device"] for other in why["alternatives"] if "refused" in other], ["gpu0", "gpu1"])

    def test_constraints_hold(self):
        op = self.ops()[60]
        pin = ["--pin", f"{op['name']}={op['device']}"]
        why = self.json_of("explain", *ON, "--plan", self.plan, "--op", op["name"], *pin)
        self.assertTrue(any("constraints" in reason for reason in why["reasons"]), why["reasons"])
        self.assertTrue(all("refused" in other for other in why["alternatives"] if other["device"] != op["device"]))

    def test_mistakes(self):
        self.assert_refused(["explain", *ON, "--plan", self.plan, "--op", "lstm"], "lstm")
        self.assert_refused(["explain", *ON, "--plan", self.plan, "--op", "*"], "stands for", "name one")
        self.assert_refused(["explain", *ON, "--plan", "none.json"], "none.json")
        self.assert_refused(["explain", *ON], "--plan")

    def test_a_large_plan_is_explained_before_long(self):
        large = ["zoo:nmt-8", "-m", "k40x8"]
        plan = self.placed("large.json", "expert", large)
        begin = time.monotonic()
        self.text_of("explain", *large, "--plan", plan)
        elapsed = time.monotonic() - begin
        print(f"explain of zoo:nmt-8 on k40x8: {elapsed:.2f} s")
        self.assertLess(elapsed, PATIENCE)  # generous: the computer may be busy; docs/cli.md has the figure of a quiet one


class Pipelines(Explained):
    def setUp(self):
        super().setUp()
        self.plan = str(self.folder / "pipeline.json")
        done = berth("place", *ON, "--objective", "pipeline", "-p", "dp", "-o", self.plan)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_follows_a_timeline_names_the_way_out(self):
        asked = [*ON, "--objective", "pipeline"]
        self.assert_refused(["explain", *asked, "--plan", self.plan], "'pipeline'", "leave --objective out")

    def test_a_report_has_the_loads_that_score_has(self):
        asked = [*ON, "--objective", "pipeline"]
        scored = self.json_of("score", *asked, "--plan", self.plan)
        for command in (["place", *asked, "-p", "dp", "--report"], ["report", *asked, "--plan", self.plan, "-o"]):
            page = self.folder / f"{command[0]}.html"
            self.text_of(*command, page)
            head = self.reported(page)
            plan = head["plans"][0]
            self.assertEqual(plan["step_s"], scored["step_time_s"])
            self.assertEqual(plan["pipeline"]["loads_s"], list(scored["loads_s"].values()))
            device, link = (plan["pipeline"].get(f"limiting_{what}") for what in ("device", "queue"))
            limit = head["queues"][link] if device is None else head["devices"][device]["name"]
            self.assertIn(limit, scored["limit"].values())

    def test_the_way_out_leads_to_one_step_of_the_plan(self):
        why = self.json_of("explain", *ON, "--plan", self.plan)
        self.assertEqual(why["step_time_s"], self.json_of("score", *ON, "--plan", self.plan)["step_time_s"])
        page = self.folder / "r.html"
        self.text_of("report", *ON, "--plan", self.plan, "-o", page)
        self.assertIn("</html>", page.read_text())

    def test_a_problem_that_is_a_pipeline_has_its_loads(self):
        problem = self.write("msr.json", json.dumps({
            "maxSizePerFPGA": 100.0, "maxFPGAs": 2, "maxCPUs": 1,
            "nodes": [{"id": i, "name": name, "supportedOnFpga": 1, "cpuLatency": 40, "fpgaLatency": 4, "isBackwardNode": 0,
                       "size": 60.0} for i, name in enumerate("ab")],
            "edges": [{"sourceId": 0, "destId": 1, "cost": 0.5, "size": 1}]}))
        plan = str(self.folder / "msr.plan.json")
        self.text_of("place", problem, "-o", plan)
        self.assert_refused(["explain", problem, "--plan", plan], "its objective is 'pipeline'", "berth score")
        self.text_of("score", problem, "--plan", plan)
        page = self.folder / "msr.html"
        self.text_of("report", problem, "--plan", plan, "-o", page)
        self.assertEqual(self.reported(page)["objective"], "pipeline")


class Diff(Explained):
    def test_what_moved_and_what_it_did(self):
        other = self.placed("other.json", "expert-layers")
        before, after = (json.loads(pathlib.Path(path).read_text()) for path in (self.plan, other))
        moved = [a["name"] for a, b in zip(before["ops"], after["ops"]) if a["device"] != b["device"]]
        diff = self.json_of("diff", self.plan, other)
        self.assertEqual(diff["moved_ops"], moved)
        self.assertEqual(sum(way["ops"] for way in diff["ways"]), len(moved))
        self.assertEqual(diff["step_time_before_s"], before["predicted"]["step_time_s"])
        simulated = self.json_of("diff", self.plan, other, "--graph", SMALL, "--machine", "k40x2")
        self.assertEqual(simulated["step_time_after_s"], after["predicted"]["step_time_s"])
        self.assertEqual(sum(part["ops"] for part in simulated["parts"]), len(moved))
        page = self.text_of("diff", self.plan, other, "--graph", SMALL, "--machine", "k40x2")
        for words in ("are on another device", "step time", "parts of the model", "peak memory"):
            self.assertIn(words, page)
        self.assertRegex(page, r"step time [\d.]+ \w+ before, [\d.]+ \w+ after", "words, no inequality")

    def test_a_plan_is_like_itself(self):
        self.assertEqual(self.json_of("diff", self.plan, self.plan)["moved"], 0)
        self.assertIn("0 of", self.text_of("diff", self.plan, self.plan))

    def test_mistakes(self):
        other = self.placed("small.json", "expert", ["zoo:rnnlm,batch=4,unroll=2,hidden=16,vocab=100", "-m", "k40x2"])
        self.assert_refused(["diff", self.plan, other], "different graphs")
        self.assert_refused(["diff", self.plan, self.write("x.json", "{}")], "x.json")
        self.assert_refused(["diff", self.plan, self.plan, "--machine", "k40x2"], "--graph")


class Report(Explained):
    def test_a_report_is_written_whole(self):
        html = self.folder / "report.html"
        said = self.text_of("place", *ON, "-p", "expert", "--report", html)
        if "no HTML report" in said:
            self.skipTest("this build has no report")
        self.assertIn("report written to", said)
        text = html.read_text()
        self.assertTrue(text.startswith("<!doctype html>") and text.rstrip().endswith("</html>"))
        self.assertNotIn("http://", text.replace("http://www.w3.org/2000/svg", ""))
        self.assertNotIn("https://", text)
        head = self.reported(html)
        self.assertEqual(head["format"], "berth-report/1")
        self.assertEqual([y["name"] for y in head["yardsticks"]], ["best single device", "human expert's rule"])
        scored = self.json_of("place", *ON, "-p", "expert")
        self.assertAlmostEqual(head["plans"][0]["step_s"], scored["step_time_s"], 12)
        self.assertEqual([d["peak"] for d in head["plans"][0]["devices"]], [d["peak_bytes"] for d in scored["devices"]])

    def test_a_search_that_was_interrupted_is_marked(self):
        html = self.folder / "cut.html"
        self.interrupted("place", "zoo:nmt-4", "-m", "k40x4", "--budget", "60min", "--report", str(html))
        head = json.loads(html.read_text().split('id="report">')[1].split("</script>")[0])
        self.assertTrue(head["plans"][0]["interrupted"])

    def test_a_name_of_another_format_is_refused_with_the_way_out(self):
        for name in ("x.pdf", "x.json", "x.PNG"):
            path = self.folder / name
            way_out = f"write '{path.with_suffix('.html')}', which a browser prints or saves as PDF"
            self.assert_refused(["report", *ON, "--plan", self.plan, "-o", path], "a report is an HTML page", way_out)
            self.assert_refused(["place", *ON, "-p", "expert", "--report", path], "a report is an HTML page", way_out)
            self.assertFalse(path.exists())
        for name in ("page", "page.HTM", "page.html"):
            self.text_of("report", *ON, "--plan", self.plan, "-o", self.folder / name)

    def test_plans_side_by_side(self):
        html = str(self.folder / "two.html")
        other = self.placed("other.json", "expert")
        done = self.json_of("report", *ON, "--plan", self.plan, "--plan", other, "-o", html)
        self.assertEqual((done["report"], done["plans"]), (html, 2))
        self.assertEqual(done["bytes"], pathlib.Path(html).stat().st_size)

    def test_mistakes_lose_nothing(self):
        old = self.write("old.html", "precious")
        self.assert_refused(["report", *ON, "--plan", "none.json", "-o", old], "none.json")
        self.assertEqual(pathlib.Path(old).read_text(), "precious")
        nowhere = str(self.folder / "no" / "r.html")
        self.assert_refused(["report", *ON, "--plan", self.plan, "-o", nowhere], "there is no folder")
        self.assert_refused(["report", *ON, "-o", old], "--plan")


if __name__ == "__main__":
    main()
