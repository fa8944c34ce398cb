#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`berth train`: what a run leaves, and the options of learned planners. Usage: train_test.py BERTH. Only for builds with the learned planners."""
import json
import re

from command_line import berth, main
from train_case import TINY, TRAIN, TrainTest, files, metrics


class Runs(TrainTest):
    def test_a_run_leaves_config_metrics_checkpoint_and_the_best_plan(self):
        document = self.train(updates=5)
        self.assertEqual(sorted(files(self.run)), ["checkpoint", "config.json", "lock", "metrics.jsonl", "plan.json"])
        self.assertEqual([line["update"] for line in metrics(self.run)], [1, 2, 3, 4, 5])
        for key, value in {"planner": "hierarchical", "preset": "default", "updates": 5, "run": str(self.run),
                           "feasible": True, "seed": 1, "interrupted": False}.items():
            self.assertEqual(document[key], value, key)
        self.assertEqual(document["evaluations"], metrics(self.run)[-1]["evaluations"])
        self.assertEqual(document["best_s"], metrics(self.run)[-1]["best_s"])
        score = self.json_of("score", TINY, "-m", "k40x2", "--plan", self.run / "plan.json")
        self.assertEqual(score["step_time_s"], document["best_s"])
        config = json.loads((self.run / "config.json").read_text())
        self.assertEqual((config["format"], config["planner"], config["options"]["groups"]), ("berth-run/2", "hierarchical", "8"))

    def test_text_says_what_was_found_and_what_to_do_next(self):
        text = self.text_of(*TRAIN, "--updates", 3, "-o", self.run)
        for part in ["step time", "lower bound", "3 updates", f"plan written to {self.run}/plan.json"]:
            self.assertIn(part, text)
        commands = re.findall(r"berth (score .*|place .*|train .*)", text)
        self.assertEqual([command.split()[0] for command in commands], ["score", "place", "train"])
        for command in commands:
            self.text_of(*command.split())

    def test_a_seed_gives_a_run_and_another_seed_another(self):
        for name, seed in [("a", 1), ("b", 1), ("c", 2)]:
            self.train("--seed", seed, run=self.folder / name)
        self.assertEqual(metrics(self.folder / "a"), metrics(self.folder / "b"))
        self.assertNotEqual(metrics(self.folder / "a"), metrics(self.folder / "c"))

    def test_threads_change_nothing_but_speed(self):
        self.train(run=self.folder / "one")
        done = berth(*[word for word in TRAIN if word not in ("--threads", "1")], "--threads", 3, "--updates", 4, "-q", "-o",
                     self.folder / "three")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(metrics(self.folder / "one"), metrics(self.folder / "three"))

    def test_colocrl_presets_rewards_and_noise(self):
        document = self.train("-p", "colocrl", "--reward", "log", "--env-noise", 0.1, "--preset", "default")
        self.assertEqual(document["planner"], "colocrl")
        options = json.loads((self.run / "config.json").read_text())["options"]
        self.assertEqual((options["reward"], options["env-noise"]), ("log", "0.1"))

    def test_limits(self):
        document = self.train("--evaluations", 20, run=self.folder / "evaluations", updates=1000)
        self.assertLessEqual(document["evaluations"], 20)
        self.assertGreater(document["updates"], 0)
        for budget in ("5s", "50s", "500s"):  # the first is plenty, unless the computer is very busy
            document = self.json_of(*TRAIN, "--budget", budget, "-o", self.folder / budget)
            if document["updates"] > 0:
                break
        self.assertGreater(document["updates"], 0)
        self.assert_refused([*TRAIN, "--evaluations", 1, "-o", self.run], "one update takes")
        self.assertFalse(self.run.exists())

    def test_tensorboard(self):
        self.train("--tensorboard")
        events = list(self.run.glob("events.out.tfevents.*"))
        self.assertEqual(len(events), 1)
        self.assertGreater(events[0].stat().st_size, 100)

    def test_constraints_hold_and_come_back(self):
        pin = ["--pin", "type:matmul=gpu1"]
        self.train(*pin)
        self.json_of("train", "--resume", self.run, "--updates", 6)
        plan = json.loads((self.run / "plan.json").read_text())
        graph = json.loads(berth("graph", "problem", TINY, "-m", "k40x2").stdout)
        self.assertEqual(len(plan["ops"]), len(graph["ops"]))
        self.assertEqual(berth("score", TINY, "-m", "k40x2", *pin, "--plan", self.run / "plan.json").returncode, 0)
        self.assert_refused(["place", TINY, "-m", "k40x2", "--policy", self.run], "constraints")

    def test_no_plan_that_fits_is_exit_code_1(self):
        machine = self.write("tiny.toml", self.text_of("machines", "k40x2").replace("memory = \"12 GiB\"", "memory = \"1 KiB\"")
                             .replace("memory = \"128 GiB\"", "memory = \"1 KiB\""))
        done = berth("train", TINY, "-m", machine, "--updates", 2, "-o", self.run, "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIsNone(json.loads(done.stdout)["best_s"])
        self.assertTrue((self.run / "plan.json").exists())


class Options(TrainTest):
    def test_place_and_compare_take_options(self):
        place = ["place", TINY, "-m", "k40x2", "-p", "hierarchical", "--option", "groups=4", "--option", "hidden=8"]
        self.assertEqual(self.json_of(*place, "--evaluations", 12)["evaluations"], 12)
        self.assert_refused(["place", TINY, "-m", "k40x2", "--preset", "paper"], "--preset is for learned planners")
        self.assert_refused([*place, "--option", "grops=3"], "did you mean 'groups'?")
        compare = ["compare", TINY, "-m", "k40x2", "--option", "groups=4", "--evaluations", 12, "--planners"]
        names = {row["planner"] for row in self.json_of(*compare, "single,learned")["rows"]}
        self.assertEqual(names, {"single", *self.learned_planners()})
        self.assert_refused([*compare, "single,heft"], "--option is for learned planners")

    def test_placer_is_short_for_an_option(self):
        self.train("--placer", "transformer")
        self.assertEqual(json.loads((self.run / "config.json").read_text())["options"]["placer"], "transformer")

    def test_the_table_of_options(self):
        text = self.text_of("planners", "--options", "hierarchical")
        self.assertEqual(text.split()[:4], ["option", "default", "paper", "google"])
        self.assertIn("tanh-constant", text)
        options = self.json_of("planners", "--options", "colocrl")["options"]
        groups = next(option for option in options if option["name"] == "groups")
        self.assertEqual(list(groups["presets"]), ["default", "paper"])
        self.assertNotIn("heads", [option["name"] for option in options])
        self.assertNotIn("near-best", self.text_of("planners", "--options", "hierarchical"))
        self.assert_refused(["planners", "--options", "heft"], "'heft'")
        self.assert_refused(["planners", "--options", "hierarchicl"], "did you mean 'hierarchical'?")


if __name__ == "__main__":
    main()
