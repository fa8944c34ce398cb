# SPDX-License-Identifier: Apache-2.0
"""Which conclusions flip when every efficiency or every bandwidth is halved or doubled."""
import itertools

from lib import stats
from lib.markdown import table
from lib.results import OOM
from lib.units import ratio
from suite import results as row_results
from suite.rows import Scale

PLANNERS = ("single", "expert", "scotch", "mincut", "metis", "heft", "m-topo", "m-etf", "m-sct", "dp", "anneal", "auto")
VARIANTS = {
    "as it is": Scale(),
    "efficiency x 0.5": Scale(efficiency=0.5),
    "efficiency x 2": Scale(efficiency=2.0),
    "bandwidth x 0.5": Scale(bandwidth=0.5),
    "bandwidth x 2": Scale(bandwidth=2.0),
}
CLEAR = 0.02  # two means or times have an order only if they differ by this much: less may be chance in a short search


def order_of(first, second):
    """-1 or 1 if one is clearly less, else 0."""
    if first == second or (first < OOM and second < OOM and abs(first / second - 1) < CLEAR):
        return 0
    return -1 if first < second else 1


def pair_flips(base, other, planners):
    """Pairs of planners that change places by geometric mean, on the rows that both have in both cases."""
    flips = []
    for one, two in itertools.combinations(planners, 2):
        rows = [(a, b) for a, b in zip(base, other) if max(a.median(one), a.median(two), b.median(one), b.median(two)) < OOM]
        if not rows:
            continue
        means = [stats.geometric_mean(pair[side].median(one) / pair[side].median(two) for pair in rows) for side in (0, 1)]
        if order_of(means[0], 1.0) * order_of(means[1], 1.0) < 0:
            flips.append(f"`{one}` to `{two}` {means[0]:.3f}, then {means[1]:.3f} ({len(rows)} rows)")
    return flips


def one_device_flips(base, other):
    """Rows where several devices pay in one case and not in the other."""
    return [f"{b.row.name}: {'several devices no longer pay' if a.several_pay else 'several devices pay now'}"
            for a, b in zip(base, other) if a.several_pay != b.several_pay]


def winner_flips(base, other, planners):
    """Rows where the best planner is another one, and the former best is clearly behind it."""
    flips = []
    for a, b in zip(base, other):
        before, now = a.best_median(planners), b.best_median(planners)
        if before[1] and now[1] and before[1] != now[1] and order_of(now[0], b.median(before[1])) < 0:
            flips.append(f"{b.row.name}: `{before[1]}`, now `{now[1]}`")
    return flips


def markdown(by_variant, planners, intro):
    names = list(by_variant)
    base = by_variant[names[0]]
    means = [[f"`{planner}`", *(mean_text(by_variant[name], planner) for name in names)] for planner in planners]
    parts = [intro, table(["planner: geometric mean to the best found (rows it lacks)", *names], "l" + "r" * len(names), means)]
    paying = [str(sum(result.several_pay for result in by_variant[name])) for name in names]
    parts.append(f"Rows where several devices pay, of {len(base)}: " + ", ".join(f"{n} {name}" for n, name in zip(paying, names)) + ".\n")
    for name in names[1:]:
        parts.append(f"**{name}**\n")
        parts.append(bullet("planners that change places", pair_flips(base, by_variant[name], planners)))
        parts.append(bullet("one device or several", one_device_flips(base, by_variant[name])))
        parts.append(bullet("best planner of a row", winner_flips(base, by_variant[name], planners)))
        parts.append("")
    return "\n".join(parts)


def mean_text(results, planner):
    mean, lacks = row_results.mean_to_best(results, planner)
    return ratio(mean) + (f" ({lacks})" if lacks else "")


def bullet(what, flips):
    return f"- {what}: " + ("; ".join(flips) + "." if flips else "no flip.")
