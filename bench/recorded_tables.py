#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of what was measured once, on a computer that is not at hand or for hours: made of bench/recorded.

recorded_tables.py NAME | bench/put_section.py NAME PAGE.md      one table
recorded_tables.py --all                                         every table, into its page

A new measurement is a change of its record; what can be derived, such as ratios, is computed here.
"""
import json

from lib import cli, markdown, paths, stats, units

RECORDED = paths.ROOT / "bench" / "recorded"


def record(name):
    return json.loads((RECORDED / f"{name}.json").read_text())


def percent(share):
    return f"{100 * share:.1f} %"


def rough_percent(share):
    """Two digits: more would claim too much of the far end of a distribution."""
    return f"{100 * share:.0f} %" if share >= 0.1 else percent(share)


def milliseconds(seconds):
    value = 1e3 * seconds
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def step(seconds):
    return f"{seconds:.3f} s" if seconds >= 0.1 else f"{1e3 * seconds:.1f} ms"


def error_cell(facts):
    return f"{percent(facts['median_error'])}, {rough_percent(facts['p90_error'])}"


def memory_cell(facts):
    return f"{percent(facts['median_error'])}, {rough_percent(facts['p90_error'])}, {rough_percent(facts['worst_error'])}"


def near_cell(sitting):
    value = sitting["rank_correlation"]["mean_near_the_best"]
    return "too few that differ" if value is None else f"{value:.2f}"


def rank_cell(sitting):
    return f"{sitting['rank_correlation']['all']:.3f}; {sitting['rank_correlation']['mean_within_graphs']:.3f}"


def coverage_cell(sitting):
    by = sitting["interval_by"]
    return percent(sitting["interval_coverage"]) + (f", by {by}" if by else "")


def reality_gpu(found):
    sittings = found["sittings"]
    others = " and ".join(str(sitting["others"]["plans"]) for sitting in sittings)
    rows = {"step time, at least 90 % of the ops on the GPU: median error, 90th percentile": lambda one: error_cell(one["mostly_on_the_accelerator"]),
            f"step time, other plans ({others})": lambda one: error_cell(one["others"]),
            "rank correlation of all step times; mean within a graph": rank_cell,
            "among plans within 20 % of the best": near_cell,
            "regret: mean, worst": lambda one: f"{percent(one['regret']['mean'])}, {rough_percent(one['regret']['worst'])}",
            "real steps within the range of the prediction": coverage_cell,
            "peak memory of tensors by device (at least a MiB): median error, 90th percentile, worst": lambda one: memory_cell(one["peak_memory"]),
            "within 10 %": lambda one: f"{one['peak_memory']['within_a_tenth']} of {one['peak_memory']['devices']}"}
    head = ["", *(f"{one['name']}: {one['plans']} plans ({one['distinct_plans']} distinct)" for one in sittings)]
    return markdown.table(head, "lrr", [[words, *map(cell, sittings)] for words, cell in rows.items()])


def reality_gpu_graphs(found):
    lines = [[one["graph"], f"{milliseconds(one['best_s'])} to {milliseconds(one['worst_s'])} ms", ", ".join(map(percent, one["median_error"])),
              ", ".join(f"{value:.3f}" for value in one["rank_correlation"]), ", ".join(map(percent, one["regret"]))] for one in found["graphs"]]
    return markdown.table(["graph", "measured, best to worst plan", "median error, first and second", "rank correlation", "regret"], "lrrrr", lines)


def reality_cpus(found):
    rows = {"step time": "step_time", "peak memory of tensors, by device": "peak_memory"}
    return markdown.table(["", "median error", "90th percentile"], "lrr",
                          [[words, percent(found[key]["median_error"]), percent(found[key]["p90_error"])] for words, key in rows.items()])


def lead(ratio):
    """Near one the second digit says who is ahead."""
    return f"{ratio:.2f}" if ratio < 1.5 else f"{ratio:.1f}"


def capped_line(row, is_first):
    others = [row[key] for key in ("layers_s", "ops_s")]
    gains = dict.fromkeys(lead(other / row["auto_s"]) for other in others if other is not None)  # equal ones once
    predicted = f" ({step(row['predicted_s'])})" if row["predicted_s"] is not None else ""
    limit = f"{row['cap_gib']:g} GiB" + (" (all of it fits)" if row["all_fits"] else "")
    return [row["graph"] if is_first else "", limit, step(row["auto_s"]) + predicted,
            *("no such plan fits" if other is None else step(other) for other in others), f"{' and '.join(gains)} times"]


def capped(found):
    rows = found["rows"]
    lines = [capped_line(row, i == 0 or rows[i - 1]["graph"] != row["graph"]) for i, row in enumerate(rows)]
    return markdown.table(["graph", "limit", "`auto` (predicted)", "layers in order", "ops in order", "`auto` is faster"], "lrrrrr", lines)


def update_seconds(values):
    return ", ".join(f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.3f}" for value in values)


def gain(row):
    if "no_gain" in row:
        return f"no gain: {row['no_gain']}"
    ratios = [cpu / gpu for cpu, gpu in zip(row["cpu_s"], row["gpu_s"])]
    return " and ".join(f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}" for ratio in ratios) + " times as fast"


def policy_device(found):
    lines = [[row["run"], update_seconds(row["cpu_s"]), update_seconds(row["gpu_s"]), gain(row)] for row in found["rows"]]
    return markdown.table(["planner, preset, graph", "CPU", "H200", ""], "lrrl", lines)


def deleted_ideas(found):
    lines = [[row["idea"], *map(units.ratio, row["ratios"]), units.ratio(stats.geometric_mean(row["ratios"]))] for row in found["rows"]]
    return markdown.table(["`auto`", *found["graphs"], "mean"], "l" + "r" * (len(found["graphs"]) + 1), lines)


def report_page(found):
    lines = [[row["plan"], f"{row['ops']:,}", f"{row['file_mb']:.2f} MB", f"{row['first_picture_s']:.2f} s", f"{row['scripts_mb']} MB",
              f"{row['process_mb']} MB"] for row in found["rows"]]
    head = ["plan of", "ops", "size of the file", "from opening to the first picture, interactive", "memory of the page's scripts", "of its process"]
    return markdown.table(head, "lrrrrr", lines)


def words_of(row):
    return dict(word.split("=") for word in row.split(","))


RANKS = {None: "none", "shared": "one for all, all different", "ties": "one for all, with ties", "own": "of each plan, any numbers", "whole": "of each plan, whole numbers"}


def gpu_batches(found):
    lines = []
    for row in found["rows"]:
        words = words_of(row["row"])
        if "near" not in words:
            lines.append([row["graph"], f"{int(words['plans']):,}", words.get("moved", "all"), RANKS[words.get("ranks")], f"{row['plans_per_s']:,}",
                          f"{row['all_ms']:.1f}", f"{row['upload_ms']:.1f}", f"{row['rank_ms']:.1f}"])
    return markdown.table(["graph", "plans at once", "groups moved", "priorities", "plans/s", "batch, ms", "uploads", "ranking"], "lrrlrrrr", lines)


def gpu_engine(found):
    lines = []
    for graph, spent in found["engine_ms"].items():
        moved = [row for row in found["rows"] if row["graph"] == graph and "moved=50" in row["row"] and "ranks" not in row["row"]]
        fastest = max(row["plans_per_s"] for row in moved)
        before, now = (stats.median(spent[when]) for when in ("before", "now"))
        lines.append([graph, f"{fastest:,}", f"{before:.3f}", f"{fastest * before / 1e3:.0f}", f"{now:.3f}", f"{fastest * now / 1e3:.0f}"])
    head = ["graph", "plans/s on the GPU", "one core before, ms a plan", "the GPU is so many times as fast", "one core now, ms", "times"]
    return markdown.table(head, "lrrrrr", lines)


def gpu_near(found):
    rows = found["near"]
    lines = []
    for whole, near in zip(rows[::2], rows[1::2]):
        words = words_of(whole["row"])
        lines.append([whole["graph"], f"{int(words['plans']):,}", words["moved"], f"{whole['plans_per_s']:,}", f"{near['plans_per_s']:,}",
                      units.ratio(near["plans_per_s"] / whole["plans_per_s"]), f"{near['saved']:.0%}"])
    return markdown.table(["graph", "plans at once", "groups moved", "from the start, plans/s", "from moments", "times", "of the run saved"], "lrrrrrr", lines)


def gpu_auto(found):
    rows = found["rows"]
    ratios = [row["gpu_s"] / row["cpu_s"] for row in rows]
    lines = [[row["graph"], f"`{row['machine']}`", step(row["cpu_s"]), f"{row['cpu_evaluations']:,}", step(row["gpu_s"]), f"{row['gpu_evaluations']:,}",
              units.ratio(ratio)] for row, ratio in zip(rows, ratios)]
    lines.append(["geometric mean", "", "", "", "", "", units.ratio(stats.geometric_mean(ratios))])
    return markdown.table(["graph", "machine", "16 threads", "plans", "with the card", "plans", "times"], "llrrrrr", lines)


# Name of the section: its page, its record, what makes it.
TABLES = {"reality-gpu": ("reality.md", "reality_gpu", reality_gpu),
          "reality-gpu-graphs": ("reality.md", "reality_gpu", reality_gpu_graphs),
          "reality-cpus": ("reality.md", "reality_cpus", reality_cpus),
          "capped": ("reality.md", "capped", capped),
          "policy-device": ("training.md", "policy_device", policy_device),
          "gpu-batches": ("simulator.md", "gpu_batches", gpu_batches),
          "gpu-engine": ("simulator.md", "gpu_batches", gpu_engine),
          "gpu-near": ("simulator.md", "gpu_batches", gpu_near),
          "gpu-auto": ("planners.md", "gpu_auto", gpu_auto),
          "deleted-ideas": ("results.md", "deleted_ideas", deleted_ideas),
          "report-page": ("report.md", "report_page", report_page)}


def page_of(name):
    return paths.ROOT / "docs" / TABLES[name][0]


def section(name):
    """The text of a section; it begins with the command that makes it."""
    _, file, make = TABLES[name]
    found = record(file)
    return f"`bench/recorded_tables.py {name}`: {found['date']}, {found['machine']}\n\n{make(found)}"


def main():
    parser = cli.parser(__doc__, berth=False)
    parser.add_argument("name", nargs="?", choices=TABLES, help="of the section")
    parser.add_argument("--all", action="store_true", help="put all into their pages")
    flags = parser.parse_args()
    if flags.all == bool(flags.name):
        parser.error("give a name, or --all")
    if not flags.all:
        print(section(flags.name), end="")
        return
    for name in TABLES:
        markdown.put_into(page_of(name), name, section(name))


if __name__ == "__main__":
    cli.run(main)
