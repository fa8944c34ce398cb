#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pipelines for torch.distributed.pipelining, run by PyTorch on CPU processes with gloo: random ones on 2 and 4 ranks give the loss
and the gradients of one process. Usage: pipelining_test.py BERTH BUILD_FOLDER. PyTorch from PyPI takes gigabytes, so this
runs only when asked for (./test --consumers)."""
import consumer

consumer.only_if_asked("torch.distributed.pipelining needs PyTorch, gigabytes from PyPI")
consumer.run_in_environment("pipelining")

import json  # noqa: E402
import os  # noqa: E402
import pathlib  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import unittest  # noqa: E402

import torch  # noqa: E402

import pipelined_models  # noqa: E402
import random_pipelines  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
program = consumer.Program(sys.argv[1])
sys.path.insert(0, str(HERE.parent.parent / "python"))

LAYERS = [f"model.{name}" for name in ("wte", "wpe", *(f"h.{i}" for i in range(pipelined_models.LAYERS)), "ln_f", "lm_head")]
MODELS = ["plain", "masked", "tied", "turned"]
MACHINE = "k40x4"
CHOSEN = ["gpipe", "1f1b", "interleaved-1f1b", "zb-h1", "zb-v", "searched"]
CLOSE = 1e-9  # of the largest entry of a gradient, in double precision


def torchrun(ranks, *command):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", ranks, *command]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment)


class Pipelining(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import berth.capture
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.graph = cls.folder / "small.train.json.gz"
        model, _, batch = pipelined_models.plain()
        inputs, target = batch(0)
        one = tuple(tensor[:4] for tensor in (*inputs, target))
        berth.capture(pipelined_models.WithLoss(model), one, train=True, path=cls.graph)
        program("place", cls.graph, "-m", MACHINE, "-p", "single", "-q", "-o", cls.folder / "plan.json")
        cls.graph_hash = json.loads((cls.folder / "plan.json").read_text())["graph"]

    def pipeline(self, seed, shape):
        """A file, and how many ranks it takes."""
        document, ranks = random_pipelines.random_pipeline(seed, shape, LAYERS, self.graph_hash, MACHINE)
        path = self.folder / f"{seed}-{shape}.json"
        path.write_text(json.dumps(document))
        return path, ranks

    def exported(self, path, machine=MACHINE):
        out = self.folder / path.stem
        program("export", self.graph, "--machine", machine, "--plan", path, "--to", "torch-pipelining", "--module-prefix", "model", "-o", out)
        return out

    def chosen(self, schedule, machine):
        """A pipeline that `berth pipeline` chooses, and how many ranks it takes."""
        path = self.folder / f"{schedule}-{machine}.json"
        program("pipeline", self.graph, "-m", machine, "--schedule", schedule, "--microbatches", 8, "--budget", "10min", "-q", "-o", path)
        return path, len(json.loads(path.read_text())["devices"])

    def assert_as_in_one_process(self, line):
        self.assertAlmostEqual(line["loss"], line["wanted_loss"], places=9)
        self.assertLess(max(rank["difference"] for rank in line["ranks"]), CLOSE)
        self.assertTrue(all(rank["lists"] for rank in line["ranks"]), "the schedule that torch has is that of the CSV")
        found = {name for rank in line["ranks"] for name in rank["names"]}
        self.assertEqual(found, set(line["parameters"]), "gradients of all parameters were compared")

    def test_random_pipelines_train_as_one_process_does(self):
        runs = {2: [], 4: []}
        for seed in range(20):
            path, ranks = self.pipeline(seed, random_pipelines.SHAPES[seed % len(random_pipelines.SHAPES)])
            runs[ranks].append(f"{MODELS[seed // len(random_pipelines.SHAPES) + seed % 2]}={self.exported(path)}")
        self.assertGreater(min(map(len, runs.values())), 4)
        self.assert_runs(runs)

    def test_pipelines_that_berth_chooses_train_as_one_process_does(self):
        runs = {}
        for schedule in CHOSEN:
            for machine in ("k40x2", "k40x4"):
                path, ranks = self.chosen(schedule, machine)
                runs.setdefault(ranks, []).append(f"plain={self.exported(path, machine)}")
        self.assert_runs(runs)

    def assert_runs(self, runs):
        for ranks, words in runs.items():
            done = torchrun(ranks, HERE / "pipelining_ranks.py", *words)
            self.assertEqual(done.returncode, 0, done.stderr[-4000:])
            lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
            self.assertEqual([f"{line['model']}={line['folder']}" for line in lines], words)
            for line in lines:
                with self.subTest(pathlib.Path(line["folder"]).name, model=line["model"]):
                    self.assert_as_in_one_process(line)

    def test_the_script_trains_and_checks_itself(self):
        path, ranks = self.pipeline(1, "1f1b")
        script = self.exported(path) / "run.py"
        done = torchrun(ranks, script, "--model", HERE / "pipelined_models.py:tied", "--steps", 2, "--check")
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        self.assertRegex(done.stdout, r"step 0: loss \d.*\n.*are those of one process\nstep 1: loss")

    def test_what_is_wrong_is_one_line(self):
        path, ranks = self.pipeline(1, "1f1b")
        script = self.exported(path) / "run.py"

        def refused(model, words, started=ranks):
            done = torchrun(started, script, "--model", model, "--check")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)
        refused(HERE / "pipelined_models.py:another_in_every_process", "not as in one process: ")
        refused(HERE / "pipelined_models.py:nothing", "is not FILE.py:FUNCTION")
        refused(HERE / "pipelined_models.py:plain", f"the plan has {ranks} ranks and {ranks - 1} were started", ranks - 1)


if __name__ == "__main__":
    print(f"torch {torch.__version__}")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
