#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training runs that are killed, interrupted and go on. Usage: train_resume_test.py BERTH. Only for builds with the learned planners."""
import json
import os
import pty
import random
import shutil
import signal
import subprocess
import time

from command_line import BERTH, PATIENCE, berth, main
from train_case import OFTEN, TINY, TRAIN, TrainTest, metrics


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

    def test_a_config_that_somebody_sorted_is_that_of_the_same_run(self):
        self.train()
        path = self.run / "config.json"
        config = json.loads(path.read_text())
        config["options"] = dict(sorted(config["options"].items()))
        path.write_text(json.dumps(config, sort_keys=True))
        self.assertEqual(self.json_of("train", "--resume", self.run, "--updates", 6)["updates"], 6)

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


if __name__ == "__main__":
    main()
