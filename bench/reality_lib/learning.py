# SPDX-License-Identifier: Apache-2.0
"""Learning curves on real devices: the best step measured so far, from what `berth place --measurements` wrote."""
import csv

from papers_lib import curves, svg


def best_so_far(path):
    """(plans run, best step in ms) at every improvement by a plan that fits, and at the end; nothing if none fits."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    found = []
    for number, row in enumerate(rows, 1):
        fits = row["step_time_s"] and int(row["over_memory_bytes"]) == 0
        if fits and (not found or 1e3 * float(row["step_time_s"]) < found[-1][1]):
            found.append((number, 1e3 * float(row["step_time_s"])))
    return found + [(len(rows), found[-1][1])] if found else []


def chart(title, paths, levels):
    """SVG of the curves in these files, one for every seed; levels are (name, step in s) of other plans."""
    found = [curve for curve in map(best_so_far, paths) if curve]
    series = svg.Series("hierarchical, learning from real runs: median and range of seeds", svg.COLOURS[0], curves.median_curve(found))
    panel = svg.Panel("best step so far", "plans run", "ms", [series], [(name, 1e3 * step_s) for name, step_s in levels])
    return svg.chart(title, [panel])
