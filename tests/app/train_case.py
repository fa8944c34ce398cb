# SPDX-License-Identifier: Apache-2.0
"""What tests of `berth train` share: a tiny problem, its run, and what a run has written."""
import json

from command_line import CommandLineTest

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
