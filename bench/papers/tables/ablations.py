# SPDX-License-Identifier: Apache-2.0
"""What the parts of the learned planners are worth: the variants of every table of bench/papers/ablations."""
from lib import markdown
from papers.tables.variants import DEFAULT, Ablation, Variant

TWO_ROWS = ("rnnlm", "nmt-2")


def values(option, *wanted, shown="{}"):
    """A variant per value of one option."""
    return tuple(Variant(shown.format(value), (f"{option}={value}",)) for value in wanted)


GROUPINGS = Ablation(
    "ablation-grouping", "who forms the groups, on the six rows", DEFAULT,
    (("grouping", (Variant("none: a device for every op", ("grouping=none", "placer=feed-forward")),
                   Variant("random, stays", ("grouping=random",)),
                   Variant("METIS, stays", ("grouping=metis",)),
                   Variant("modules, stays", ("grouping=modules",)),
                   Variant("heavy tensors, stays", ("grouping=heavy",)))),),
    seeds="many_rows_seeds", said="The first line learns its grouping; the Placer learns in all.")

COLOCRL = Ablation(
    "ablation-colocrl", "colocation heuristics of ColocRL", Variant("default heuristics", planner="colocrl"),
    (("groups by", tuple(Variant(name, (f"grouping={grouping}",), planner="colocrl") for name, grouping in (
        ("framework alone", "framework"), ("framework and sole consumer", "framework+sole"), ("recurrent cells", "cells"),
        ("METIS", "metis"), ("none: a device for every op", "none")))),),
    seeds="many_rows_seeds", said="Without groups a feed-forward network decides for every op by itself.")

EMBEDDING = (
    Variant("type as one number", ("type-feature=index",)),
    Variant("without type", ("type-feature=none",)),
    Variant("without output shapes", ("outputs=0", "dims=0")),
    Variant("groups without types", ("group-types=off",)),
    Variant("groups without shapes", ("group-shapes=off",)),
    Variant("groups without adjacency", ("adjacency=none",)),
    Variant("groups with binary adjacency", ("adjacency=binary",)),
)
SENSITIVITY = Ablation(
    "ablation-options", "groups, C, T, m, k, embeddings, features, Placers", DEFAULT,
    (("groups", values("groups", 16, 32, 64, 128, 256, 512)),
     ("C", values("tanh-constant", 1, 2, 5, 10)),
     ("T", values("temperature", 1, 3, 10, 30)),
     ("m (groupings per update)", values("groupings", 1, 2, 4)),
     ("k (placements per grouping)", values("placements", 2, 4, 8, 16)),
     ("embedding", EMBEDDING),
     ("neighbours of an op", (Variant("six in and six out, as in the paper", ("neighbours=slots", "neighbour-slots=6")),
                              Variant("ten signed, as in Google's code", ("neighbours=signed", "neighbour-slots=10")),
                              Variant("all, aggregated", ("neighbours=aggregate",)),
                              Variant("none", ("neighbours=none",)))),
     ("features", (Variant("without costs of ops", ("cost-features=off",)),
                   Variant("without devices", ("device-features=off",)),
                   Variant("without both", ("cost-features=off", "device-features=off")))),
     ("start", (Variant("Grouper anywhere", ("start=none",)),
                Variant("single ops, not joined first", ("clusters=0",)),
                Variant("devices all alike", ("start-by-speed=off",)))),
     ("rewards", (Variant("against a moving average", ("baseline=moving",)),
                  Variant("not scaled", ("scale-advantage=off",)),
                  Variant("constant failing signal", ("failing=constant",)))),
     ("Placer", (Variant("transformer", ("placer=transformer",)),
                 Variant("LSTM whose decoder does not see the group it places", ("aligned=off",)),
                 Variant("LSTM whose decoder does not see what is placed", ("placed-features=off",)),
                 Variant("feed-forward", ("placer=feed-forward",))))),
    models=TWO_ROWS, said="Values equal to the default are run again, which shows how much is chance of timing.")

NOISES = (0, 0.05, 0.2)
REWARDS = Ablation(
    "ablation-rewards", "four rewards at three levels of noise", DEFAULT,
    tuple((f"noise {100 * noise:g} %", tuple(Variant(reward, (f"reward={reward}", f"env-noise={noise}"))
                                             for reward in ("time", "sqrt", "log", "inverse"))) for noise in NOISES),
    models=TWO_ROWS, said="Noise multiplies every time that the policy sees; the best plan is judged without.")


def presets_note(papers):
    wins = [row.name for row in PRESETS.rows(papers)
            if papers.median(PRESETS.runs(papers, row, DEFAULT)) <= min(papers.median(PRESETS.runs(papers, row, variant))
                                                                       for variant in PRESETS.parts[0][1])]
    rows = PRESETS.rows(papers)
    return f"- {markdown.verdict(len(wins) == len(rows))}: `default` is the best preset on {len(wins)} of {len(rows)} rows.\n"


PRESETS = Ablation(
    "ablation-presets", "presets default, paper and google", DEFAULT,
    (("preset", (Variant("paper", preset="paper"), Variant("google", preset="google"))),),
    models=TWO_ROWS, kind="learned", note=presets_note,
    said="The papers trained for hours on many machines; here every preset has the same time.")

ALL = (GROUPINGS, COLOCRL, PRESETS, SENSITIVITY, REWARDS)
TABLES = tuple(one.table() for one in ALL)
