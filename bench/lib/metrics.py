# SPDX-License-Identifier: Apache-2.0
"""What a training run writes of itself: a line of metrics.jsonl for every update."""
import json
import pathlib

POINTS = 300  # kept of a curve beside those where its best plan changes


def lines(run):
    """Whole lines, as texts: the last one of a run that was killed may be half."""
    try:
        text = pathlib.Path(run, "metrics.jsonl").read_text()
    except FileNotFoundError:
        return []
    return text[:text.rfind("\n") + 1].splitlines()


def updates(run):
    return [json.loads(line) for line in lines(run)]


def curve(run):
    """Points (update, evaluations, elapsed seconds, best step time or null, mean step time or null)."""
    return [[facts["update"], facts["evaluations"], facts["elapsed_s"], facts.get("best_s"),
             facts.get("mean_time_s") if facts.get("fitting", 1) else None] for facts in updates(run)]


def thinned(points):
    """The first, the last, those where the best changes, and enough of the others. Means are averaged over what is left out."""
    every = max(1, len(points) // POINTS)
    kept, best, means = [], object(), []
    for i, point in enumerate(points):
        means.append(point[4])
        if point[3] != best or i % every == every - 1 or i == len(points) - 1:
            known = [mean for mean in means if mean is not None]
            kept.append([*point[:4], sum(known) / len(known) if known else None])
            best, means = point[3], []
    return kept
