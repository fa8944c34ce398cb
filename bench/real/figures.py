# SPDX-License-Identifier: Apache-2.0
"""The charts of bench/reality and bench/capped."""
import csv

from lib import charts, units
from papers.tables import curves


def scatter(rows, title):
    """Predicted against measured step time of what did not fail."""
    groups = {}
    for row in rows:
        if row["failed"] is None:
            groups.setdefault(row["graph"], []).append((row["measured_s"], row["predicted_s"]))
    return charts.scatter(title, "measured step time", "predicted", groups, units.seconds)


def best_so_far(path):
    """(plans run, best step in ms) of what `berth place --measurements` wrote, at every improvement by a plan that fits, and at the end;
    nothing if none fits."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    found = []
    for number, row in enumerate(rows, 1):
        fits = row["step_time_s"] and int(row["over_memory_bytes"]) == 0
        if fits and (not found or 1e3 * float(row["step_time_s"]) < found[-1][1]):
            found.append((number, 1e3 * float(row["step_time_s"])))
    return found + [(len(rows), found[-1][1])] if found else []


def learning(title, paths, levels):
    """The curves in these files, one for every seed; levels are (name, step in s) of other plans."""
    found = [curve for curve in map(best_so_far, paths) if curve]
    series = charts.Series("hierarchical, learning from real runs: median and range of seeds", charts.COLOURS[0], curves.median_curve(found))
    panel = charts.Panel("best step so far", "plans run", "ms", [series], [(name, 1e3 * step_s) for name, step_s in levels])
    return charts.curves(title, [panel])
