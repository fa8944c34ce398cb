#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`berth train` under mpirun: ranks together and at their own pace, ranks that die, ranks that hang.

Usage: mpi_test.py BERTH; MPIRUN in the environment names another mpirun."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

from command_line import BERTH, PATIENCE, SMALL, CommandLineTest, berth, main

MPIRUN = os.environ.get("MPIRUN", "mpirun")
# Open MPI refuses root unless told twice; two ranks of a small machine share a core.
ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
TINY = ["--option", "groups=8", "--option", "hidden=16", "--threads", "1", "--seed", "3"]
LONG = ["--updates", "1000000", "--checkpoint-every", "1s"]


def under_mpirun(ranks, *args):
    return [MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", str(ranks), BERTH, *map(str, args)]


def train(run, *args):
    return ["train", SMALL, "--machine", "k40x2", "--planner", "hierarchical", *TINY, "-o", run, *args]


def descendants(pid):
    """Of /proc: the pids of all processes below one."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found, new = set(), {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new}
        found |= new
    return found


def rank_of(pid):
    with contextlib.suppress(OSError):
        for variable in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            if variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                return int(variable.partition(b"=")[2])
    return None


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {PATIENCE} s")
        time.sleep(0.05)


def our_errors(text):
    """The lines of stderr that are neither of mpirun nor warnings."""
    lines = [line for line in text.splitlines() if line.startswith("berth: ")]
    return [line for line in lines if not line.startswith("berth: warning: ")]


class MpiTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.assertIsNotNone(shutil.which(MPIRUN), "mpirun is missing")
        self.run_folder = self.folder / "run"

    def done(self, ranks, *args):
        return subprocess.run(under_mpirun(ranks, *args), env=ENV, capture_output=True, text=True, timeout=PATIENCE)

    def metrics(self):
        """The lines of the run that are whole."""
        path = self.run_folder / "metrics.jsonl"
        if not path.exists():
            return []
        return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def assert_updates(self, count):
        self.assertEqual([line["update"] for line in self.metrics()], list(range(1, count + 1)))

    def assert_run_is_whole(self):
        for name in ("config.json", "plan.json"):
            json.loads((self.run_folder / name).read_text())
        self.assertGreater((self.run_folder / "checkpoint").stat().st_size, 0)

    @contextlib.contextmanager
    def under_way(self, ranks, *args):
        """A run that has trained for a while and has a checkpoint; whatever is left of it is killed in the end."""
        process = subprocess.Popen(under_mpirun(ranks, *args), env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        try:
            until(lambda: process.poll() is not None or
                  ((self.run_folder / "checkpoint").exists() and len(self.metrics()) >= 5))
            self.assertIsNone(process.poll(), "it ended too early")
            yield process
        finally:
            left = descendants(process.pid)
            process.kill()
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.communicate()

    def pid_of(self, process, rank):
        pids = [pid for pid in descendants(process.pid) if rank_of(pid) == rank]
        self.assertEqual(len(pids), 1, pids)
        return pids[0]

    def end_of(self, process):
        """Its exit code, what all ranks printed to stderr, and our errors in it."""
        errors = process.communicate(timeout=PATIENCE)[1]
        return process.returncode, errors, our_errors(errors)


class Trains(MpiTest):
    def test_together(self):
        done = self.done(2, *train(self.run_folder, "--updates", "6"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_updates(6)
        self.assert_run_is_whole()
        alone = self.folder / "alone"
        self.assertEqual(berth(*train(alone, "--updates", "6")).returncode, 0)
        of_one = json.loads((alone / "metrics.jsonl").read_text().splitlines()[-1])["evaluations"]
        self.assertEqual(self.metrics()[-1]["evaluations"], 2 * of_one)
        one = berth(*train(self.folder / "again", "--updates", "6")).stdout
        self.assertEqual(len(done.stdout.splitlines()), len(one.splitlines()), "one rank speaks")
        self.assertNotIn("\x1b", done.stdout + done.stderr, "mpirun's own output is no terminal")

    def test_at_their_own_pace(self):
        done = self.done(3, *train(self.run_folder, "--updates", "9", "--async"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_updates(9)
        self.assert_run_is_whole()

    def test_a_controller_needs_a_server(self):
        self.assert_one_line_error(berth(*train(self.run_folder, "--updates", "2", "--async")), "mpirun -n 2")

    def test_one_rank_under_mpirun_is_a_plain_run(self):
        done = self.done(1, *train(self.run_folder, "--updates", "3"))
        self.assertEqual(done.returncode, 0, done.stderr)
        plain = self.folder / "plain"
        self.assertEqual(berth(*train(plain, "--updates", "3")).returncode, 0)
        rewards = [json.loads(line)["mean_reward"] for line in (plain / "metrics.jsonl").read_text().splitlines()]
        self.assertEqual([line["mean_reward"] for line in self.metrics()], rewards)

    def test_bad_input_is_said_once(self):
        done = self.done(2, "train", "missing.onnx", "--machine", "k40x2", "-o", self.run_folder)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(our_errors(done.stderr)), 1, done.stderr)


class Dies(MpiTest):
    def check_death_and_resume(self, rank, *flags):
        with self.under_way(2, *train(self.run_folder, *LONG, *flags)) as process:
            os.kill(self.pid_of(process, rank), signal.SIGKILL)
            code, errors, _ = self.end_of(process)
        self.assertNotEqual(code, 0)
        self.assertIn("signal 9", errors, "mpirun says who died")
        self.check_resume()

    def check_resume(self):
        updates = len(self.metrics()) + 5  # some of them may be done anew: they were behind the checkpoint
        done = self.done(2, "train", "--resume", self.run_folder, "--updates", str(updates))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_updates(updates)
        self.assert_run_is_whole()

    def test_an_interrupt_is_no_death(self):
        """mpirun passes it on; how much time it leaves the ranks is its own affair, so only what must hold is checked."""
        with self.under_way(2, *train(self.run_folder, *LONG)) as process:
            process.send_signal(signal.SIGINT)
            _, _, ours = self.end_of(process)
        self.assertEqual(ours, [])
        self.check_resume()

    def test_a_worker(self):
        self.check_death_and_resume(1)

    def test_the_root(self):
        self.check_death_and_resume(0)

    def test_a_worker_without_asking_for_checkpoints(self):
        with self.under_way(2, *train(self.run_folder, "--updates", "1000000")) as process:
            os.kill(self.pid_of(process, 1), signal.SIGKILL)
            self.end_of(process)
        self.assert_run_is_whole()
        self.check_resume()

    def test_a_controller(self):
        self.check_death_and_resume(1, "--async")

    def test_the_server(self):
        self.check_death_and_resume(0, "--async")


class Hangs(MpiTest):
    def patience(self, ranks, *flags):
        """Seconds after which a rank is called silent: several times what a whole short run takes here and now."""
        begin = time.monotonic()
        done = self.done(ranks, *train(self.folder / "short", "--updates", "6", *flags))
        self.assertEqual(done.returncode, 0, done.stderr)
        return min(max(10, 5 * (time.monotonic() - begin)), PATIENCE / 4)

    def check_hang(self, rank, ranks, *flags):
        patience = f"{self.patience(ranks, *flags):.0f}s"
        with self.under_way(ranks, *train(self.run_folder, *LONG, "--rank-timeout", patience, *flags)) as process:
            os.kill(self.pid_of(process, rank), signal.SIGSTOP)
            code, errors, ours = self.end_of(process)
        self.assertNotEqual(code, 0)
        self.assertEqual(len(ours), 1, errors)
        self.assertIn(f"rank {rank} did not answer within ", ours[0])
        self.assert_run_is_whole()

    def test_a_worker(self):
        self.check_hang(1, 2)

    def test_one_worker_of_two(self):
        self.check_hang(2, 3)

    def test_the_root(self):
        self.check_hang(0, 2)

    def test_a_controller(self):
        self.check_hang(2, 3, "--async")

    def test_the_server(self):
        self.check_hang(0, 2, "--async")


if __name__ == "__main__":
    main()
