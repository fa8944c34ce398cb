#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `berth train` refuses: flags, folders, and files of runs that are damaged or made up. Usage: train_refused_test.py BERTH.

Only for builds with the learned planners."""
import fcntl
import resource
import shutil
import signal
import subprocess

from command_line import BERTH, main
from train_case import BEGIN, TINY, TRAIN, TrainTest, files


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
            ([*TRAIN, "-o", self.folder / "x", "-p", "colocrl", "--option", "clusters=4"], ["'clusters' belongs to hierarchical"]),
            ([*BEGIN, "-o", self.folder / "x", "-p", "placeto", "--option", "grouping=learned"], ["expected one of none, random", "'learned'"]),
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


if __name__ == "__main__":
    main()
