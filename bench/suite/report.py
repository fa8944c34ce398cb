# SPDX-License-Identifier: Apache-2.0
"""The tables of the main benchmark: CSV for programs, Markdown for people."""
import csv
import math

from lib import stats
from lib.markdown import table
from lib.results import EQUAL, OOM
from lib.units import byte_count, duration, percent, ratio, seconds
from suite import results as row_results

CSV_COLUMNS = ("row", "graph", "machine", "memory_factor", "ops", "planner", "seeds", "step_s_median", "step_s_min", "step_s_max",
               "lower_bound_s", "gap", "search_s", "joules", "imbalance", "bytes_crossed", "one_device")
ONE_DEVICE = {"proved": "best, proved", "found": "best found", "nearly": "within 1 %", "no fit": "too small", "": "slower"}


def write_csv(path, results):
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(CSV_COLUMNS)
        for result in results:
            for planner, cell in result.cells.items():
                out.writerow(csv_line(result, planner, cell))


def csv_line(result, planner, cell):
    row, median = result.row, cell.median_answer
    times = [value if value < OOM else "OOM" for value in (cell.median, cell.least, cell.most)]
    rest = [cell.median / result.lower_bound - 1] if cell.fits and result.lower_bound else [""]
    plan = [median["joules"], median["imbalance"], median["bytes_crossed"]] if cell.fits else ["", "", ""]
    return [row.name, row.graph, row.machine, row.memory, result.ops, planner, len(cell.answers), *times, result.lower_bound, *rest,
            cell.search_s, *plan, result.one_device]


def means_table(results, planners):
    """Planners by geometric mean. Each mean is over the rows that a planner has, so the count of those it lacks stands beside it."""
    paying = [result for result in results if result.several_pay]
    common = row_results.common_rows(results, planners)
    lines = []
    for name in planners:
        mean, lacks = row_results.mean_to_best(results, name)
        mean_paying, lacks_paying = row_results.mean_to_best(paying, name)
        mean_common = row_results.mean_to_best(common, name)[0]
        cells = [result.cells[name] for result in results if name in result.cells]
        best = sum(result.median(name) <= result.best * 1.001 for result in results)
        worse = sum(result.single * (1 + EQUAL) < result.median(name) < OOM for result in results)
        lines.append((lacks, mean, [f"`{name}`", ratio(mean), str(lacks), ratio(mean_paying), str(lacks_paying), ratio(mean_common),
                                    str(best), str(worse), seconds(stats.median(cell.search_s for cell in cells)) if cells else "-"]))
    # Those who have all rows first: a mean over fewer rows may look better than it is.
    lines.sort(key=lambda line: (line[0], line[1] if not math.isnan(line[1]) else OOM))
    head = ["planner", "mean, its rows", "lacks", f"mean, {len(paying)} rows where several pay", "lacks",
            f"mean, {len(common)} rows all have", "best", "worse than one device", "search, median"]
    return table(head, "lrrrrrrrr", [line[2] for line in lines])


def rows_table(results):
    lines = []
    for result in results:
        best = result.best_median(result.cells)[1]
        auto = result.cells.get("auto")
        gap = percent(result.best / result.lower_bound - 1) if result.lower_bound and result.best < OOM else "-"
        lines.append([result.row.name, f"{result.ops:,}", seconds(result.single), ONE_DEVICE[result.one_device], seconds(result.best),
                      f"`{best}`" if best else "-", spread(auto) if auto else "-", seconds(result.lower_bound), gap])
    return table(["row", "ops", "one device", "which is", "best found", "best median", "`auto`", "lower bound", "gap of best"],
                 "lrrlrlrrr", lines)


def spread(cell):
    """Median, and the range of the seeds where they differ."""
    if cell.least == cell.most:
        return seconds(cell.median)
    return f"{seconds(cell.median)} ({seconds(cell.least)} to {seconds(cell.most)})"


def ratios_table(results, planners):
    lines = [[result.row.name, *(ratio(result.median(name) / result.best) if name in result.cells else "failed" for name in planners)]
             for result in results]
    return table(["row", *(f"`{name}`" for name in planners)], "l" + "r" * len(planners), lines)


def details(result):
    """Everything about one row, folded away."""
    lines = []
    for name, cell in sorted(result.cells.items(), key=lambda pair: pair[1].median):
        plan = cell.median_answer
        if cell.fits:
            gap = percent(cell.median / result.lower_bound - 1) if result.lower_bound else "-"
            rest = [gap, seconds(cell.search_s), f"{plan['joules']:.4g}", f"{plan['imbalance']:.2f}", byte_count(plan["bytes_crossed"])]
        else:
            rest = ["-", seconds(cell.search_s), "-", "-", "-"]
        span = f"{seconds(cell.least)} to {seconds(cell.most)}" if cell.least != cell.most else ""
        lines.append([f"`{name}`", seconds(cell.median) if "error" not in plan else "none", span, *rest])
    head = ["planner", "step", "seeds", "gap to bound", "search", "J per step", "imbalance", "crossed"]
    return (f"<details><summary>{result.row.name}: {result.row.why}</summary>\n\n{table(head, 'lrrrrrrr', lines)}\n</details>\n")


def late_runs(answers):
    """Runs that took longer than their budget, 5 % and 100 ms."""
    return [run for run, answer in answers.items() if (answer.get("search_s") or 0.0) > 1.05 * duration(run.budget) + 0.1]


def markdown(results, planners, intro, checks, notes):
    parts = [intro, "### By planner\n", means_text(results), means_table(results, planners), "### By row\n", rows_table(results),
             "Median of the seeds over the best found by anybody with any seed:\n", ratios_table(results, planners),
             "### What was asked of `auto`\n", checks, *notes, "### Every number\n", *map(details, results)]
    return "\n".join(parts)


def means_text(results):
    kinds = [result.one_device for result in results]
    return (f"Geometric means of step time over the best plan that any planner found with any seed on the row (1.000: always the best). "
            f"A plan out of memory has no time; with three seeds the median counts, and it is OOM if two are. A mean covers the rows "
            f"that a planner has a plan for, and `lacks` counts the others, so compare means only where that is alike, or over the "
            f"rows that all planners have. Several devices pay where the best plan found is at least "
            f"{percent(row_results.PAYS)} faster than the best single device, or no device holds the graph: "
            f"{sum(result.several_pay for result in results)} of {len(results)} rows. On the others one device is proved best "
            f"({kinds.count('proved')}), the best found ({kinds.count('found')}) or within {percent(row_results.PAYS)} of it "
            f"({kinds.count('nearly')}). `best`: rows where the median is within 0.1 % of the best found. Search time is that of one run.\n")
