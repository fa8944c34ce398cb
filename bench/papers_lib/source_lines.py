# SPDX-License-Identifier: Apache-2.0
"""Lines of source code of a planner, comments and empty lines left out: its own files, and those it shares with its kind."""
from planners_lib import suite

SOURCE = suite.ROOT / "src"
PLACER = ("learn/placer.*", "learn/lstm_placer.cc", "learn/one_shot_placer.cc", "learn/placement_*", "learn/group_features.cc")
OWN = {
    "colocrl": (*PLACER, "learn/colocation.*"),
    "hierarchical": (*PLACER, "learn/grouper.*"),
    "placeto": ("learn/placeto/*",),
    "go": ("learn/go/*",),
    "hsdag": ("learn/hsdag/*", "learn/credit.*"),
    "auto": ("plan/auto.*", "plan/multilevel.*", "plan/annealer.*", "plan/level.*", "plan/schedule_search.*", "plan/crew.*", "plan/schedule/*"),
    "anneal": ("plan/anneal.*", "plan/annealer.*"),
    "genetic": ("plan/genetic.*",),
    "heft": ("plan/list/heft.*", "plan/list/idle_gaps.*"),
    "dp": ("plan/dp.*", "plan/stages/*"),
    "metis": ("plan/partition/metis*",),
    "scotch": ("plan/partition/scotch*",),
    "expert": ("plan/expert.*", "plan/layers.*", "plan/layer_names.*", "plan/recurrent.*", "plan/blocks.*", "plan/streaming.*"),
}
LEARNED = ("colocrl", "hierarchical", "placeto", "go", "hsdag")
# What all learned planners stand on: what is in learn/ itself and is no planner's own. Classical ones: what several of them use.
SHARED = {True: ("learn/*.cc", "learn/*.h", "learn/grouping/*"),
          False: ("plan/search.cc", "plan/planner.h", "plan/placement.*", "plan/grouping.*", "plan/ranks.*")}


def files_of(patterns):
    return {path for pattern in patterns for path in SOURCE.glob(pattern) if path.suffix in (".cc", ".h")}


def is_code(line):
    return bool(line.strip()) and not line.lstrip().startswith("//")


def lines_of(files):
    return sum(is_code(line) for path in files for line in path.read_text().splitlines())


def of_planner(planner):
    """(own, shared)"""
    own = files_of(OWN[planner])
    is_learned = planner in LEARNED
    of_others = {path for name in LEARNED for path in files_of(OWN[name])} if is_learned else own
    return lines_of(own), lines_of(files_of(SHARED[is_learned]) - of_others)
