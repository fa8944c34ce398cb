# SPDX-License-Identifier: Apache-2.0
"""What tests of `berth train` share: a tiny problem, its run, and what a run has written."""
import json

from command_line import CommandLineTest

TINY = "zoo:rnnlm,batch=2,unroll=2,hidden=8,vocab=50"
BEGIN = ["train", TINY, "-m", "k40x2", "--threads", "1"]
SMALL = {"groups": 8, "hidden": 8}
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

    def learned_planners(self):
        return [planner["name"] for planner in self.json_of("planners")["planners"] if planner["learned"]]

    def train_small(self, planner):
        """One update of any planner, small where it has an option for that."""
        own = {option["name"] for option in self.json_of("planners", "--options", planner)["options"]}
        sizes = [word for name, size in SMALL.items() if name in own for word in ("--option", f"{name}={size}")]
        return self.json_of(*BEGIN, *sizes, "-p", planner, "--updates", 1, "-o", self.run)
