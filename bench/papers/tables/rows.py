# SPDX-License-Identifier: Apache-2.0
"""The rows of the papers' tables, and what was published for them, in seconds per step."""
import dataclasses

from lib.results import OOM

# Rows that were looked at while the defaults of the learned planners were chosen; all others are untouched.
TUNED = ("nmt-4",)


@dataclasses.dataclass(frozen=True)
class Row:
    graph: str
    machine: str
    evaluation_s: float = 0.001  # of one plan, roughly: to say beforehand how long things take

    @property
    def model(self):
        return self.graph.removeprefix("zoo:")

    @property
    def name(self):
        return f"{self.model} on {self.machine}"

    @property
    def tuned(self):
        return self.model in TUNED

    @property
    def shown(self):
        """As tables show it: rows that were tuned on are marked."""
        return self.name + (" (t)" if self.tuned else "")

    def on(self, machine):
        return dataclasses.replace(self, machine=machine)


SIX = (
    Row("zoo:inception-v3", "k40x2", 0.0001),
    Row("zoo:resnet-152", "k40x2", 0.0002),
    Row("zoo:rnnlm", "k40x2", 0.0006),
    Row("zoo:nmt-2", "k40x2", 0.002),
    Row("zoo:nmt-4", "k40x4", 0.004),
    Row("zoo:nmt-8", "k40x8", 0.01),
)

TUNED_NOTE = ("Rows marked (t) were used to choose the defaults; each of the others was run once with them for 30 or 60 s before "
              "the tables, and no default was changed for it.")


@dataclasses.dataclass(frozen=True)
class Published:
    """None: the paper has no number."""
    cpu: float | None
    gpu: float | None
    expert: float | None
    scotch: float | None
    mincut: float | None
    learned: float
    reduction: str


# ICLR 2018, table 1.
HIERARCHICAL = {
    "inception-v3": Published(0.61, 0.15, 0.15, 0.93, 0.82, 0.13, "16.3 %"),
    "resnet-152": Published(None, 1.18, 1.18, 6.27, 2.92, 1.18, "0 %"),
    "rnnlm": Published(6.89, 1.57, 1.57, 5.62, 5.21, 1.57, "0 %"),
    "nmt-2": Published(6.46, OOM, 2.13, 3.21, 5.34, 0.84, "60.6 %"),
    "nmt-4": Published(10.68, OOM, 3.64, 11.18, 11.63, 1.69, "53.7 %"),
    "nmt-8": Published(11.52, OOM, 3.88, 17.85, 19.01, 4.07, "-4.9 %"),
}

# ICLR 2018, table 2: best, median and worst of random grouping with a learned Placer, and the gain of the learned Grouper over the best.
RANDOM_GROUPING = {
    "inception-v3": (0.22, 0.51, 0.65, "40.9 %"),
    "resnet-152": (1.18, 1.18, 1.18, "0 %"),
    "rnnlm": (1.57, 1.57, 1.57, "0 %"),
    "nmt-2": (2.25, 3.72, 4.45, "62.7 %"),
    "nmt-4": (3.20, 3.42, 6.91, "47.2 %"),
    "nmt-8": (6.35, 6.86, 7.23, "35.9 %"),
}

# ICML 2017, table 2, from memory alone: unverified. By model and number of GPUs.
COLOCRL = {
    ("rnnlm", 2): Published(6.89, 1.57, 3.81, 13.43, 11.94, 1.57, "0 %"),
    ("rnnlm", 4): Published(6.89, 1.57, 4.46, 11.52, 10.44, 1.57, "0 %"),
    ("nmt-2", 2): Published(10.72, OOM, 4.99, 14.19, 11.54, 4.04, "23.5 %"),
    ("nmt-2", 4): Published(10.72, OOM, 4.73, 11.23, 11.78, 3.92, "20.6 %"),
    ("inception-v3", 2): Published(26.21, 4.60, 11.22, 25.24, 22.88, 4.60, "0 %"),
    ("inception-v3", 4): Published(26.21, 4.60, 10.65, 23.41, 24.52, 3.85, "19.0 %"),
}
