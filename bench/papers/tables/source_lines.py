# SPDX-License-Identifier: Apache-2.0
"""Lines of source code of a planner, comments and empty lines left out: its own files, and those it shares with its kind."""
import pathlib

from lib import paths
from lib.berth import Failed

SOURCE = paths.ROOT / "src"
PLACER = tuple(f"learn/hierarchical/{name}" for name in ("*placer.*", "placement_*", "group_features.*"))
OWN = {
    "colocrl": (*PLACER, "learn/colocrl/*", "learn/grouping/fixed.*"),
    "hierarchical": ("learn/hierarchical/*",),
    "placeto": ("learn/placeto/*",),
    "go": ("learn/go/*",),
    "hsdag": ("learn/hsdag/*",),
    "auto": ("plan/auto.*", "plan/portfolio.*", "plan/refine/*", "plan/coarsen/level.*", "plan/search/walkers.*", "plan/explore/list_*", "plan/explore/task_table.*"),
    "anneal": ("plan/refine/*", "plan/coarsen/level.*"),
    "genetic": ("plan/explore/genetic.*",),
    "heft": ("plan/construct/heft.*", "plan/construct/idle_gaps.*"),
    "dp": ("plan/pipeline/dp.*", "plan/pipeline/stage_*", "plan/pipeline/down_sets.*", "plan/pipeline/linear_orders.*"),
    "metis": ("plan/partition/metis*",),
    "scotch": ("plan/partition/scotch*",),
    "expert": ("plan/baselines/expert.*", "plan/baselines/balanced_blocks.*", "plan/layers/layer*", "plan/weights/streaming.*"),
}
# What all learned planners stand on: what is in learn/ and is no planner's own. Classical ones: what several of them use.
SHARED = {True: ("learn/**/*",),
          False: ("plan/planner.h", "plan/search/search.*", "plan/search/placement.*", "plan/coarsen/grouping.*", "plan/order/ranks.*")}


def files_of(patterns):
    """Ends the bench where a pattern finds nothing: a count without it would look like less code."""
    found = set()
    for pattern in patterns:
        files = {path for path in SOURCE.glob(pattern) if path.suffix in (".cc", ".h")}
        if not files:
            raise Failed(f"{pathlib.Path(__file__).name}: nothing in src/ is called {pattern}; name the files of today")
        found |= files
    return found


def is_code(line):
    return bool(line.strip()) and not line.lstrip().startswith("//")


def lines_of(files):
    return sum(is_code(line) for path in files for line in path.read_text().splitlines())


def of_planner(planner, planners):
    """(own, shared); `planners`: what the program says of them."""
    own = files_of(OWN[planner])
    is_learned = planners[planner].learned
    of_others = {path for name in OWN if planners[name].learned for path in files_of(OWN[name])} if is_learned else own
    return lines_of(own), lines_of(files_of(SHARED[is_learned]) - of_others)
