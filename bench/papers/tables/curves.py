# SPDX-License-Identifier: Apache-2.0
"""Learning curves: what the metrics of a run (lib/metrics.py) say about its best plan, at every moment."""
import math

from lib import stats
from lib.results import OOM


def best_steps(points, x_of):
    """(x, best) of the points that have a best plan."""
    return [(x_of(point), point[3]) for point in points if point[3] is not None]


def best_at(steps, x):
    """Best at x of a curve of (x, best); OOM before its first."""
    return min((best for at, best in steps if at <= x), default=OOM)


def by_evaluations(points):
    return best_steps(points, lambda point: point[1])


def by_time(points):
    return best_steps(points, lambda point: point[2])


def by_wall(points, delay_s, workers):
    """As if every plan were measured on a machine for `delay_s`, on so many machines at once: the policy's own time, and
    one delay for every round of measurements of an update."""
    if not points:
        return []
    per_update = points[-1][1] / max(1, points[-1][0])
    rounds = math.ceil(per_update / workers - 1e-9)
    return best_steps(points, lambda point: point[2] + point[0] * rounds * delay_s)


def median_curve(curves):
    """(x, least, median, most) of several curves wherever that changes, and at the end; OOM where a seed has none yet."""
    found, at = [], sorted({x for curve in curves for x, _ in curve})
    for x in at:
        values = [best_at(curve, x) for curve in curves]
        point = (x, min(values), stats.upper_median(values), max(values))
        if not found or point[1:] != found[-1][1:] or x == at[-1]:
            found.append(point)
    return found
