#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trained policies that place graphs and are explained: `--policy RUN`. Usage: policy_test.py BERTH. Only for builds with the learned planners."""
import json

from command_line import SMALL, berth, main
from train_case import TINY, TrainTest


class Policies(TrainTest):
    def test_a_trained_policy_places_its_graph(self):
        trained = self.train(updates=6)
        place = ["place", TINY, "-m", "k40x2", "--policy", self.run]
        placed = self.json_of(*place, "--evaluations", 10)
        self.assertEqual((placed["planner"], placed["evaluations"]), ("hierarchical", 10))
        self.assertLessEqual(placed["step_time_s"], trained["best_s"])
        self.assertIn("after 6 updates", placed["note"])
        self.assertEqual(self.json_of(*place, "--budget", "600s")["evaluations"], 66)

    def test_auto_begins_with_its_plan(self):
        trained = self.train(updates=6)
        placed = self.json_of("place", TINY, "-m", "k40x2", "--policy", self.run, "--planner", "auto", "--evaluations", 300)
        self.assertEqual(placed["planner"], "auto")
        self.assertLessEqual(placed["step_time_s"], trained["best_s"])
        self.assertNotIn("policy of", placed["note"])  # it left something for auto to do

    def test_a_policy_comes_with_berth(self):
        place = ["place", "zoo:rnnlm,batch=8,unroll=4", "-m", "k80x2", "--policy", "default"]
        placed = self.json_of(*place, "--zero-shot", "--evaluations", 9)
        self.assertIn("policy of default after 4,000 updates", placed["note"])
        self.assertEqual(placed["evaluations"], 9)
        plain = self.json_of(*place, "--zero-shot", "--evaluations", 9, "--plain-samples")
        self.assertEqual(plain["evaluations"], 9)
        self.assert_refused([*place[:-2], "--plain-samples"], "--plain-samples requires --policy")
        self.assert_refused([*place[:-1], "defualt"], "defualt: there is no run", "default comes with berth")

    def test_policies_and_learned_planners_stand_on_the_leaderboard(self):
        board = self.json_of("bench", "--suite", "exact", "--rows", "rnnlm-rtx", "-p", "heft,hierarchical", "--option", "groups=8", "--policy", "ours=default",
                             "--evaluations", "20", "--seeds", "1", "--quiet")
        cells = {cell["planner"]: cell["runs"][0] for cell in board["problems"][0]["planners"]}
        self.assertEqual(set(cells), {"heft", "hierarchical", "ours"})
        self.assertEqual([cells[name]["evaluations"] for name in ("hierarchical", "ours")], [20, 20])
        self.assert_one_line_error(berth("bench", "--policy", "default"), "write NAME=RUN")
        self.assert_one_line_error(berth("bench", "--policy", "ours=nowhere"), "nowhere: there is no run")

    def test_learning_on_makes_no_plan_worse(self):
        trained = self.train(updates=3)
        placed = self.json_of("place", TINY, "-m", "k40x2", "--policy", self.run, "--finetune", 4, "--budget", "600s")
        self.assertIn("4 updates", placed["note"])
        self.assertLessEqual(placed["step_time_s"], trained["best_s"])
        self.assert_refused(["place", TINY, "-m", "k40x2", "--finetune", 4], "--policy")

    def test_other_problems_are_refused(self):
        self.train()
        policy = ["--policy", self.run]
        for args, part in [
            (["place", SMALL, "-m", "k40x2", *policy], "another graph"),
            (["place", SMALL, "-m", "k40x2", *policy], "output for each device; go and placeto train policies for any"),
            (["place", TINY, "-m", "k40x4", *policy], "another machine"),
            (["place", TINY, "-m", "k40x2", "--objective", "pipeline", *policy], "objective"),
            (["place", TINY, "-m", "k40x2", "-p", "heft", *policy], "only auto"),
            (["place", TINY, "-m", "k40x2", "--option", "groups=3", *policy], "--option"),
            (["place", TINY, "-m", "k40x2", "--policy", self.folder], "no run"),
        ]:
            with self.subTest(args):
                self.assert_refused(args, part)


class ExplainedPolicies(TrainTest):
    """`berth explain --policy RUN`."""

    def explained(self, *flags):
        return self.json_of("explain", TINY, "-m", "k40x2", "--policy", self.run, *flags)

    def test_every_planner_says_what_it_holds_likely(self):
        for planner in self.learned_planners():
            with self.subTest(planner):
                self.run = self.folder / planner
                self.train_small(planner)
                why = self.explained()
                self.assertEqual((why["planner"], why["updates"]), (planner, 1))
                self.assertEqual(why["groups_used"], len(why["groups"]))
                for group in why["groups"]:
                    self.assertAlmostEqual(sum(group["chances"].values()), 1.0, 4)
                    self.assertEqual(group["chances"][group["device"]], max(group["chances"].values()))
                    self.assertEqual(bool(group["attention"]), planner in ("hierarchical", "colocrl"))
                sizes = [group["ops"] for group in why["groups"]]
                self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_an_op_is_in_its_group(self):
        self.train()
        plan = {op["name"]: op["device"] for op in json.loads((self.run / "plan.json").read_text())["ops"]}
        groups = {group["group"]: group for group in self.explained()["groups"]}
        for name in ("lstm.layer.0.t1/matmul", "softmax.t0/matmul"):
            why = self.explained("--op", name)
            self.assertEqual(why["op"], name)
            self.assertEqual(why["choice"], groups[why["choice"]["group"]])
            self.assertEqual(why["best_plan_device"], plan[name])
            self.assertTrue(0.0 < why["grouping_chance"] <= 1.0)
            page = self.text_of("explain", TINY, "-m", "k40x2", "--policy", self.run, "--op", name)
            for words in (name, f"in group {why['choice']['group']}", "the best plan of the run on", "chance", "looked at"):
                self.assertIn(words, page)
        self.assertFalse(self.explained("--op", "embedding.words")["decided"])  # an input: on the CPU, whatever is learned
        page = self.text_of("explain", TINY, "-m", "k40x2", "--policy", self.run, "--op", "embedding.words")
        self.assertIn("nothing was decided for it: it can only be on cpu", page)

    def test_people_see_the_largest_groups(self):
        self.train()
        page = self.text_of("explain", TINY, "-m", "k40x2", "--policy", self.run)
        possible = self.explained()["groups_possible"]
        self.assertGreaterEqual(possible, 8)
        for words in (f"policy of {self.run} after 4 updates: hierarchical", f"of {possible} groups in use", "mostly", "entropy"):
            self.assertIn(words, page)

    def test_a_general_policy_is_explained_for_a_graph_it_never_saw(self):
        self.train_small("go")
        why = self.json_of("explain", SMALL, "-m", "k40x4", "--policy", self.run)
        self.assertGreater(len(why["groups"]), 0)

    def test_wrong_runs(self):
        self.train(updates=1)
        policy = ["--policy", self.run]
        for args, part in [
            ([SMALL, "-m", "k40x2", *policy], "another graph"),
            ([TINY, "-m", "k40x4", *policy], "another machine"),
            ([TINY, "-m", "k40x2", "--objective", "pipeline", *policy], "objective"),
            ([TINY, "-m", "k40x2", "--policy", self.folder], "no run"),
            ([TINY, "-m", "k40x2", *policy, "--plan", self.run / "plan.json"], "--plan"),
            ([TINY, "-m", "k40x2", *policy, "--op", "no such op"], "no such op"),
            ([TINY, "-m", "k40x2"], "--policy"),
        ]:
            with self.subTest(part):
                self.assert_refused(["explain", *args], part)
        (self.run / "checkpoint").write_bytes(b"no checkpoint")
        self.assert_refused(["explain", TINY, "-m", "k40x2", *policy], str(self.run / "checkpoint"))


if __name__ == "__main__":
    main()
