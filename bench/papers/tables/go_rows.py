# SPDX-License-Identifier: Apache-2.0
"""The placement rows of GO's table, with what was published for them in seconds per step."""
import dataclasses

from lib.results import OOM
from papers.tables.rows import Row


@dataclasses.dataclass(frozen=True)
class GoRow:
    family: str
    label: str
    row: Row
    go: float      # published; as reproduced in lecture slides, some labels lost
    human: float
    metis: float
    hdp: float


def rnnlm(layers):
    return Row(f"zoo:rnnlm,layers={layers}", f"k40x{layers}", 0.0003 * layers)


def gnmt(layers):
    return Row(f"zoo:nmt-{layers},attention=gnmt", f"k40x{layers}", 0.0012 * layers)


def transformer(layers, gpus):
    return Row(f"zoo:transformer-xl,layers={layers}", f"k40x{gpus}", 0.0003 * gpus)


ROWS = (
    GoRow("rnnlm", "RNNLM-2", rnnlm(2), 0.173, 0.192, 0.355, 0.191),
    GoRow("rnnlm", "RNNLM-4", rnnlm(4), 0.210, 0.239, 0.503, 0.251),
    GoRow("rnnlm", "RNNLM-8", rnnlm(8), 0.320, 0.332, OOM, 0.764),
    GoRow("gnmt", "GNMT-2", gnmt(2), 0.301, 0.384, 0.344, 0.327),
    GoRow("gnmt", "GNMT-4", gnmt(4), 0.350, 0.469, 0.466, 0.432),
    GoRow("gnmt", "GNMT-8", gnmt(8), 0.440, 0.562, OOM, 0.693),
    GoRow("transformer-xl", "Transformer-XL-2", transformer(12, 2), 0.223, 0.268, 0.37, 0.262),
    GoRow("transformer-xl", "Transformer-XL-4", transformer(24, 4), 0.230, 0.27, OOM, 0.259),
    GoRow("transformer-xl", "Transformer-XL-8", transformer(48, 8), 0.350, 0.46, OOM, 0.425),
    GoRow("inception", "Inception b32", Row("zoo:inception-v3,batch=32", "k40x2", 0.0001), 0.229, 0.312, OOM, 0.301),
    GoRow("inception", "Inception b64", Row("zoo:inception-v3,batch=64", "k40x2", 0.0001), 0.423, 0.731, OOM, 0.498),
    GoRow("amoebanet", "AmoebaNet", Row("zoo:amoebanet", "k40x4", 0.0003), 0.394, 0.44, 0.426, 0.418),
    GoRow("wavenet", "WaveNet 2x18", Row("zoo:wavenet,stacks=2,layers=18", "k40x2", 0.0002), 0.317, 0.376, OOM, 0.354),
    GoRow("wavenet", "WaveNet 4x36", Row("zoo:wavenet,stacks=4,layers=36", "k40x4", 0.0006), 0.659, 0.988, OOM, 0.721),
)

ONE_SEED = ("random", "metis")  # where others that use chance have as many as the settings say
FAMILIES = tuple(dict.fromkeys(one.family for one in ROWS))


def first_of(family):
    """The row that stands for a family where one will do."""
    return next(one for one in ROWS if one.family == family)


def lessons_without(family):
    """What a policy learns from that must not see a family: the smallest row of every other one."""
    return [first_of(other).row for other in FAMILIES if other != family]


def place(papers, row, planner, flags=()):
    """The runs of a classical planner."""
    return papers.place(row, planner, flags=flags, seeds=1 if planner in ONE_SEED else None)
