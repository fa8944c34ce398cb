# SPDX-License-Identifier: Apache-2.0
"""What is asked of `auto`, checked: PASS or FAIL with the numbers. A bar that fails is printed like one that holds."""
import math

from lib import stats
from lib.markdown import table, verdict
from lib.results import EQUAL, OOM, over
from lib.units import ratio, seconds
from suite.report import spread

BASELINES = ("single", "expert", "scotch", "mincut", "metis", "heft", "m-topo", "m-etf", "m-sct", "dp")
NEAR_BEST = 1.005
BETTER_BY = 0.9  # time of `auto` over that of the best baseline
LONG_NEAR, LONG_AIM, LONG_ENOUGH = 1.05, 1.02, 0.75  # six of eight


def all_hold(text):
    """Whether a text of these checks has no bar that fails."""
    return "FAIL" not in text


def near_best(results):
    """Per row: `auto` against the best of all other planners."""
    lines, misses = [], {"median": [], "worst seed": [], "worst seed, any seed of theirs": []}
    for result in results:
        auto = result.cells.get("auto")
        others = [name for name in result.cells if name != "auto"]
        best, name = result.best_median(others)
        luckiest = min((result.cells[other].least for other in others), default=OOM)
        got = {"median": over(auto.median, best), "worst seed": over(auto.most, best),
               "worst seed, any seed of theirs": over(auto.most, luckiest)} if auto else dict.fromkeys(misses, OOM)
        for key, value in got.items():
            if value > NEAR_BEST:
                misses[key].append(result.row.name)
        lines.append([result.row.name, f"`{name}`" if name else "-", seconds(best), *map(ratio, got.values()),
                      verdict(got["worst seed"] <= NEAR_BEST)])
    said = [f"- {verdict(not rows)}: `auto` ({key}) is within 0.5 % of the best other planner on {len(results) - len(rows)} of "
            f"{len(results)} rows" + (f"; not on {'; '.join(rows)}." if rows else ".") for key, rows in misses.items()]
    head = ["row", "best other (median)", "its step", *(f"`auto` {key}" for key in misses), "worst seed within 0.5 %"]
    return "\n".join(said) + "\n", table(head, "llrrrrl", lines)


def beats_baselines(results):
    """Geometric mean of `auto` over the best of the classical baselines, where several devices pay."""
    ratios, without = [], 0
    for result in (result for result in results if result.several_pay):
        base = result.best_median(BASELINES)[0]
        auto = result.median("auto")
        if base == OOM:
            without += 1
        else:
            ratios.append(over(auto, base))
    if not ratios:
        return "- No row where several devices pay: nothing to compare with the baselines on.\n"
    if OOM in ratios:
        return f"- FAIL: `auto` has no plan on {ratios.count(OOM)} rows where a baseline has one.\n"
    mean = stats.geometric_mean(ratios)
    return (f"- {verdict(mean <= BETTER_BY)}: over {len(ratios)} rows where several devices pay, `auto` takes {mean:.3f} of the time "
            f"of the best of {' '.join(f'`{name}`' for name in BASELINES)} in geometric mean (asked: at most {BETTER_BY}; best row "
            f"{min(ratios):.3f}, worst {max(ratios):.3f})"
            + (f"; {without} rows without a baseline that fits are left out" if without else "") + ".\n")


def never_silently_worse(results):
    worse = [result.row.name for result in results
             if "auto" in result.cells and result.cells["auto"].most > result.single * (1 + EQUAL)]
    where = f"; it is on {'; '.join(worse)}" if worse else ""
    return f"- {verdict(not worse)}: `auto` is never slower than one device, any seed{where}.\n"


def checks(results):
    summary, rows = near_best(results)
    return f"{summary}{beats_baselines(results)}{never_silently_worse(results)}\n{rows}"


def long_run(short, long, budgets):
    """Rows with `auto` at its usual budget (median of the seeds) and at a long one."""
    lines, ratios = [], []
    for result in long:
        brief = next(one for one in short if one.row == result.row)
        ratios.append(over(brief.median("auto"), result.median("auto")))
        lines.append([result.row.name, spread(brief.cells["auto"]), seconds(result.median("auto")), ratio(ratios[-1])])
    near, aim = (sum(value <= bar for value in ratios) for bar in (LONG_NEAR, LONG_AIM))
    said = (f"{verdict(near >= LONG_ENOUGH * len(ratios))}: after {budgets[0]} `auto` (median of its seeds) is within 5 % of its result "
            f"after {budgets[1]} (seed 1) on {near} of {len(ratios)} rows (asked: {math.ceil(LONG_ENOUGH * len(ratios))}), and within "
            f"2 % on {aim} (the aim: all).\n")
    return f"{said}\n" + table(["row", budgets[0], budgets[1], "ratio"], "lrrr", lines)
