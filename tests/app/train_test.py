#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`berth train`, and what is made of its runs. Usage: train_test.py BERTH. Only for builds with the learned planners."""
import fcntl
import json
import os
import pathlib
import pty
import random
import re
import resource
import shutil
import signal
import subprocess
import time

from command_line import BERTH, PATIENCE, SMALL, CommandLineTest, berth, main

TINY = "zoo:rnnlm,batch=2,unroll=2,hidden=8,vocab=50"
BEGIN = ["train", TINY, "-m", "k40x2", "--threads", "1"]
SIZES = {"placeto": ["--option", "groups=8"], "go": ["--option", "hidden=8"], "hsdag": ["--option", "hidden=8"]}
TRAIN = [*BEGIN, "--option", "groups=8", "--option", "hidden=8"]
OFTEN = ["--checkpoint-every", "0s"]


CLOCKS = {"elapsed_s", "sample_s", "prepare_s", "wait_s", "gradient_s", "step_s"}  # of this computer, not of the run


def metrics(run):
    """What a run has written, less the times it took."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key not in CLOCKS} for line in lines]


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class TrainTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.run = self.folder / "run"

    def train(self, *flags, run=None, updates=4):
        return self.json_of(*TRAIN, "--updates", updates, *flags, "-o", run or self.run)

    def train_small(self, planner):
        """One update of any planner, with the options it has."""
        return self.json_of(*(BEGIN + SIZES[planner] if planner in SIZES else TRAIN), "-p", planner, "--updates", 1, "-o", self.run)


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
        document = self.json_of(*TRAIN, "--budget", "5s", "-o", self.folder / "budget")  # within the patience of json_of
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


class Resuming(TrainTest):
    def lines(self):
        path = self.run / "metrics.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def killed(self, *command, after, seconds=0.0):
        """Kills the command once its run has so many lines of metrics, or that many seconds later."""
        process = subprocess.Popen([BERTH, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and self.lines() < after:
            time.sleep(0.001)
        time.sleep(seconds)
        process.kill()
        return process.wait() == -signal.SIGKILL  # else it had ended by itself

    def test_a_killed_run_gives_the_numbers_of_one_that_was_not(self):
        rng = random.Random(1)
        command = [*TRAIN, "--updates", 10**9, "-o", self.run]  # never ends by itself, however late the kill comes
        for _ in range(6):
            after = self.lines() + rng.randint(1, 30)
            self.assertTrue(self.killed(*command, *OFTEN, after=after, seconds=rng.uniform(0, 0.02)))
            command = ["train", "--resume", self.run]
        updates = self.lines() + 20
        self.assertEqual(self.json_of(*command, "--updates", updates)["updates"], updates)
        self.train(run=self.folder / "whole", updates=updates)
        self.assertEqual(metrics(self.run), metrics(self.folder / "whole"))
        self.assertEqual((self.run / "plan.json").read_bytes(), (self.folder / "whole" / "plan.json").read_bytes())

    def test_killed_at_its_start_it_can_be_resumed_or_begun_again(self):
        for seconds in (0.05, 0.35, 0.5):
            self.killed(*TRAIN, "--updates", 5, "-o", self.run, after=0, seconds=seconds)
            if (self.run / "config.json").exists():
                self.json_of("train", "--resume", self.run, "--updates", 6)
            else:
                self.train()
            shutil.rmtree(self.run)

    def test_killed_before_the_first_checkpoint(self):
        self.assertTrue(self.killed(*TRAIN, "--updates", 10**9, "-o", self.run, after=3))
        (self.run / "checkpoint").unlink()
        self.json_of("train", "--resume", self.run, "--updates", 6)
        self.train(run=self.folder / "whole", updates=6)
        self.assertEqual(metrics(self.run), metrics(self.folder / "whole"))

    def test_a_run_goes_on_with_larger_limits_from_any_folder(self):
        self.train()
        done = subprocess.run([BERTH, "train", "--resume", os.path.relpath(self.run, "/usr"), "--updates", "7", "--json"],
                              cwd="/usr", capture_output=True, text=True)
        self.assertEqual(json.loads(done.stdout)["updates"], 7)
        self.train(run=self.folder / "whole", updates=7)
        self.assertEqual(metrics(self.run), metrics(self.folder / "whole"))
        done = berth("train", "--resume", self.run, "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["updates"]), (0, 7))
        self.assertIn("nothing was left to do", done.stderr)

    def test_ctrl_c_ends_it_well(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([BERTH, *TRAIN, "--budget", "10min", "--json", "-o", str(self.run)],
                                   stdout=subprocess.PIPE, stderr=theirs, text=True)
        os.close(theirs)
        shown = b""
        while b"gap" not in shown:
            shown += os.read(ours, 1000)
        self.assertRegex(shown.decode(), r"update \d+ .* updates/s .* plans/s .*best")
        process.send_signal(signal.SIGINT)
        document = json.loads(process.communicate(timeout=PATIENCE)[0])
        os.close(ours)
        self.assertEqual(process.returncode, 0)
        self.assertTrue(document["interrupted"])
        self.assertTrue((self.run / "checkpoint").exists())
        self.json_of("train", "--resume", self.run, "--updates", document["updates"] + 2)
        self.assertEqual(len(metrics(self.run)), document["updates"] + 2)


    def test_the_first_update_is_saved_and_then_less_and_less_often(self):
        self.assertTrue(self.killed(*TRAIN, "--updates", 10**9, "-o", self.run, after=40))
        self.json_of("train", "--resume", self.run, "--updates", 41)
        self.assertEqual([line["update"] for line in metrics(self.run)], list(range(1, 42)))
        self.assertTrue((self.run / "plan.json").exists())

    def test_a_budget_that_is_too_short_for_an_update(self):
        go = ["train", TINY, "-m", "k40x2", "-p", "go", "--preset", "paper", "--threads", "1"]
        done = berth(*go, "--budget", "1ms", "-o", self.run)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"its 1\.00 ms were over before update 1, of 16 plans, was done; give it more time: berth train --resume ")
        self.assertIn("0 updates", done.stdout)
        self.text_of("score", TINY, "-m", "k40x2", "--plan", self.run / "plan.json")
        again = berth("train", "--resume", self.run)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("give it more time", again.stderr)
        self.assertEqual(self.json_of("train", "--resume", self.run, "--updates", 1)["updates"], 1)


# How checkpoints are framed, so that one can be made up: three sections, each behind its length, and a checksum.
def made_up(checkpoint, change):
    header, behind = checkpoint.split(b"\n", 1)
    contents, sections = behind[8:-8], []
    while contents:
        length = int.from_bytes(contents[:8], "little")
        sections.append(bytearray(contents[8:8 + length]))
        contents = contents[8 + length:]
    change(*sections)
    contents = b"".join(len(part).to_bytes(8, "little") + part for part in sections)
    file = header + b"\n" + len(contents).to_bytes(8, "little") + contents
    checksum = 0xcbf29ce484222325
    for byte in file:
        checksum = (checksum ^ byte) * 0x100000001b3 % 2**64
    return file + checksum.to_bytes(8, "little")


def shorter_plan(run, policy, lessons):
    plan = 8 + 9 + 9 + 1  # behind their number, two averages and a yes
    ops = int.from_bytes(lessons[plan:plan + 8], "little")
    lessons[plan:plan + 8 + 2 * ops] = (1).to_bytes(8, "little") + lessons[plan + 8:plan + 10]


def other_device(run, policy, lessons):
    lessons[8 + 9 + 9 + 1 + 8:8 + 9 + 9 + 1 + 10] = b"\x07\x00"


def other_counts(run, policy, lessons):
    at = 8 + int.from_bytes(run[:8], "little") + 8  # behind the fingerprint and the seconds
    run[at + 8:at + 16] = (9999).to_bytes(8, "little")


class Refused(TrainTest):
    def test_checkpoints_that_somebody_made_up(self):
        self.train()
        checkpoint = self.run / "checkpoint"
        good = checkpoint.read_bytes()
        self.assertEqual(made_up(good, lambda *sections: None), good)
        resume, policy = ["train", "--resume", self.run, "--updates", 9], ["place", TINY, "-m", "k40x2", "--policy", self.run]
        for change, words in [(shorter_plan, "places 1 ops"), (other_device, "is on no device")]:
            checkpoint.write_bytes(made_up(good, change))
            before = files(self.run)
            self.assert_refused(resume, str(checkpoint), words)
            self.assert_refused(policy, str(checkpoint), words)
            self.assertEqual(files(self.run), before)
        checkpoint.write_bytes(made_up(good, other_counts))
        before = files(self.run)
        self.assert_refused(resume, "metrics.jsonl: line 4 counts")
        self.assertEqual(files(self.run), before)
        checkpoint.write_bytes(good)
        self.json_of(*resume)

    def test_folders(self):
        self.run.mkdir()
        (self.run / "precious.txt").write_text("mine")
        before = files(self.run)
        self.assert_refused([*TRAIN, "-o", self.run], str(self.run), "precious.txt")
        self.assert_refused(["train", "--resume", self.run], "no run")
        self.assertEqual(files(self.run), before)
        self.assert_refused([*TRAIN, "-o", self.run / "precious.txt"], "is a file")
        self.assert_refused([*TRAIN, "-o", self.folder / "no" / "run"], "no folder")
        self.assert_refused(["train", "--resume", self.folder / "none"], "no run")

    def test_a_run_is_not_begun_twice(self):
        self.train()
        before = files(self.run)
        self.assert_refused([*TRAIN, "-o", self.run], "--resume")
        self.assertEqual(files(self.run), before)

    def test_an_empty_folder_is_taken(self):
        self.run.mkdir()
        self.train()

    def test_what_a_killed_writer_left_goes_away(self):
        self.run.mkdir()
        (self.run / "config.json.123-0.tmp").write_text("{")
        (self.run / "lock").touch()
        self.train()
        (self.run / "checkpoint.123-0.tmp").write_text("half")
        (self.run / "notes.tmp").write_text("mine")
        self.json_of("train", "--resume", self.run, "--updates", 5)
        self.assertFalse((self.run / "checkpoint.123-0.tmp").exists())
        self.assertTrue((self.run / "notes.tmp").exists())

    def test_two_trainers_on_one_run(self):
        self.train()
        before = files(self.run)
        with open(self.run / "lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assert_refused(["train", "--resume", self.run, "--updates", 9], "another berth is training there")
        self.assertEqual(files(self.run), before)

    def test_checkpoints(self):
        self.train()
        checkpoint = self.run / "checkpoint"
        good = checkpoint.read_bytes()
        resume, policy = ["train", "--resume", self.run, "--updates", 9], ["place", TINY, "-m", "k40x2", "--policy", self.run]
        changed = bytearray(good)
        changed[len(good) // 2] ^= 1
        for bad in [good[:-9], good[:10], b"", bytes(changed), b"something else\n"]:
            checkpoint.write_bytes(bad)
            before = files(self.run)
            self.assert_refused(resume, str(checkpoint))
            self.assert_refused(policy, str(checkpoint))
            self.assertEqual(files(self.run), before)
        other = self.folder / "other"
        self.train("--seed", 2, run=other)
        shutil.copy(other / "checkpoint", checkpoint)
        self.assert_refused(resume, str(checkpoint), "another run")
        checkpoint.write_bytes(good)
        self.json_of(*resume)

    def test_configs(self):
        self.train()
        config = self.run / "config.json"
        good = config.read_text()
        for bad, part in [("{", "config.json"), (good.replace("berth-run/2", "berth-run/9"), "berth-run/9"),
                          (good.replace('"hierarchical"', '"hierarchy"'), "hierarchy"),
                          (good.replace('"groups": "8"', '"groups": "many"'), "groups")]:
            config.write_text(bad)
            self.assert_refused(["train", "--resume", self.run], str(config), part)

    def test_a_graph_that_changed(self):
        graph = self.folder / "graph.json"
        self.text_of("graph", "convert", TINY, "-o", graph)
        self.json_of("train", graph, "-m", "k40x2", "--updates", 2, "-o", self.run)
        self.text_of("graph", "convert", TINY.replace("unroll=2", "unroll=3"), "-o", graph)
        self.assert_refused(["train", "--resume", self.run], "another graph")
        graph.unlink()
        self.assert_refused(["train", "--resume", self.run], "graph.json")

    def test_flags(self):
        self.train()
        resume = ["train", "--resume", self.run]
        for args, parts in [
            ([*resume, "--seed", "2"], ["--seed cannot be changed"]),
            ([*resume, "--machine", "k40x4"], ["--machine"]),
            ([*resume, "--option", "groups=4"], ["--option"]),
            ([*resume, TINY], ["GRAPH"]),
            ([*resume, "-o", self.folder / "x"], ["--output"]),
            ([*resume, "--pin", "a=gpu0"], ["--pin"]),
            (["train"], ["GRAPH is required"]),
            (["train", TINY, "-m", "k40x2"], ["--output is required"]),
            ([*TRAIN, "-o", self.folder / "x", "-p", "heft"], ["'heft'", "learns nothing"]),
            ([*TRAIN, "-o", self.folder / "x", "--preset", "papr"], ["paper"]),
            ([*TRAIN, "-o", self.folder / "x", "--option", "grops=4"], ["did you mean 'groups'?"]),
            ([*TRAIN, "-o", self.folder / "x", "--option", "hidden=-1"], ["hidden"]),
            ([*TRAIN, "-o", self.folder / "x", "--option", "heads=8"], ["'heads' belongs to go"]),
            ([*TRAIN, "-o", self.folder / "x", "--reward", "fame"], ["time, sqrt, log, inverse"]),
            ([*TRAIN, "-o", self.folder / "x", "--env-noise", "-1"], ["--env-noise"]),
            ([*TRAIN, "-o", self.folder / "x", "--policy-device", "tpu"], ["tpu"]),
            ([*TRAIN, "-o", self.folder / "x", "--rank-timeout", "soon"], ["--rank-timeout"]),
            ([*TRAIN, "-o", self.folder / "x", "--budget", "0s"], ["--budget"]),
            ([*TRAIN, "-o", self.folder / "x", "--updates", "0"], ["--updates"]),
            ([*TRAIN, "-o", self.folder / "x", "--async"], ["mpirun"]),
        ]:
            with self.subTest(args):
                self.assert_refused(args, *parts)
        self.assertFalse((self.folder / "x").exists())

    def test_a_full_disk_leaves_the_old_checkpoint(self):
        self.train()
        before = (self.run / "checkpoint").read_bytes()

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, len(before) // 2))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        done = subprocess.run([BERTH, "train", "--resume", self.run, "--updates", "6"], capture_output=True, text=True,
                              preexec_fn=small_files)
        self.assert_one_line_error(done, str(self.run))
        self.assertEqual((self.run / "checkpoint").read_bytes(), before)


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
        for planner in ("hierarchical", "colocrl", "placeto", "go", "hsdag"):
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


class Options(TrainTest):
    def test_place_and_compare_take_options(self):
        place = ["place", TINY, "-m", "k40x2", "-p", "hierarchical", "--option", "groups=4", "--option", "hidden=8"]
        self.assertEqual(self.json_of(*place, "--evaluations", 12)["evaluations"], 12)
        self.assert_refused(["place", TINY, "-m", "k40x2", "--preset", "paper"], "--preset is for learned planners")
        self.assert_refused([*place, "--option", "grops=3"], "did you mean 'groups'?")
        compare = ["compare", TINY, "-m", "k40x2", "--option", "groups=4", "--evaluations", 12, "--planners"]
        names = {row["planner"] for row in self.json_of(*compare, "single,learned")["rows"]}
        self.assertEqual(names, {"single", "colocrl", "hierarchical", "placeto", "go", "hsdag"})
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
