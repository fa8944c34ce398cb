# SPDX-License-Identifier: Apache-2.0
"""Random training pipelines as files (berth-pipeline/1): stages of unequal size on 2 or 4 devices, lists by schedules that people
use and by chance, recomputation here and there, replicas."""
import random

KINDS = {"F": "forward", "B": "backward", "I": "backward-input", "W": "backward-weight"}
SHAPES = ["gpipe", "1f1b", "zb-h1", "interleaved", "v", "split-v", "by-chance", "replicas"]


def place_of(shape, stage, places):
    return 2 * places - 1 - stage if shape.endswith("v") and stage >= places else stage % places


def gpipe(stage, microbatches):
    return [(kind, stage, m) for kind in "FB" for m in range(microbatches)]


def one_f_one_b(stage, stages, microbatches, split):
    """With the backward pass in two parts, weights wait as long as ZB-H1 has them wait: for as many passes as stages are before."""
    ahead = min(stages - stage - 1, microbatches)
    actions = [("F", stage, m) for m in range(ahead)]
    for m in range(microbatches):
        actions += [("F", stage, m + ahead)] * (m + ahead < microbatches) + [("I" if split else "B", stage, m)]
        actions += [("W", stage, m - stage)] * (split and m >= stage)
    return actions + [("W", stage, m) for m in range(max(microbatches - stage, 0), microbatches) if split]


class GreedyLists:
    """Every place runs one of the actions that can run, backward passes first as a rule; split ones leave weights for later."""

    def __init__(self, random, place_of_stage, microbatches, split):
        self.random, self.places, self.microbatches = random, place_of_stage, microbatches
        kinds = "FIW" if split else "FB"
        self.open = [(kind, stage, m) for stage in range(len(place_of_stage)) for m in range(microbatches) for kind in kinds]
        self.done = set()

    def can_run(self, action):
        kind, stage, m = action
        if kind == "F":
            return stage == 0 or ("F", stage - 1, m) in self.done
        if kind == "W":
            return ("I", stage, m) in self.done
        is_last = stage + 1 == len(self.places)
        return ("F", stage, m) in self.done and (is_last or {("B", stage + 1, m), ("I", stage + 1, m)} & self.done)

    def run(self):
        lists = [[] for _ in range(max(self.places) + 1)]
        while self.open:
            chosen = {}
            for action in self.open:
                if self.can_run(action):
                    chosen.setdefault(self.places[action[1]], []).append(action)
            for place, actions in chosen.items():
                urgent = [action for action in actions if action[0] in "BI"]
                action = self.random.choice(urgent if urgent and self.random.random() < 0.7 else actions)
                lists[place].append(action)
                self.open.remove(action)
                self.done.add(action)
        return lists


def lists_of(chance, shape, places, microbatches):
    """(stage of every list's place, lists)"""
    if shape in ("gpipe", "1f1b", "zb-h1"):
        lists = [gpipe(stage, microbatches) if shape == "gpipe" else one_f_one_b(stage, places, microbatches, shape == "zb-h1")
                 for stage in range(places)]
        return list(range(places)), lists
    stages = places if shape == "replicas" else 2 * places
    place = [place_of(shape, stage, places) for stage in range(stages)]
    return place, GreedyLists(chance, place, microbatches, shape.startswith("split") or chance.random() < 0.3).run()


def random_pipeline(seed, shape, layers, graph_hash, machine):
    """The file's document, and how many ranks it takes."""
    chance = random.Random(seed)
    replicas = 2 if shape == "replicas" else 1
    places = 2 if replicas == 2 else chance.choice([2, 4])
    lanes = [2, 4] if replicas == 2 else [chance.choice([4, 6, 8])]  # microbatches of each replica
    devices, stage_devices = [], None
    for lane, microbatches in enumerate(lanes):
        place, lists = lists_of(chance, shape, places, microbatches)
        stage_devices = stage_devices or [[] for _ in place]
        for stage, at in enumerate(place):
            stage_devices[stage].append(f"gpu{lane * places + at}")
        first = sum(lanes[:lane])
        devices += [{"device": f"gpu{lane * places + at}",
                     "actions": [{"stage": s, "microbatch": first + m, "kind": KINDS[kind]} for kind, s, m in actions]}
                    for at, actions in enumerate(lists)]
    stages = len(stage_devices)
    cuts = [0, *sorted(chance.sample(range(1, len(layers)), stages - 1)), len(layers)]
    document = {"format": "berth-pipeline/1", "graph": graph_hash, "title": "small", "machine": machine, "microbatches": sum(lanes),
                "schedule": shape, "cut_by": "labels", "optimizer": {"kind": "sgd", "state": "with-weights"},
                "stages": [{"layers": layers[cuts[s]:cuts[s + 1]], "devices": stage_devices[s], "recompute": chance.random() < 0.3}
                           for s in range(stages)],
                "devices": devices}
    return document, places * replicas
