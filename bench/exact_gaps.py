#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gaps of planners to the proved optima of the small real problems in problems/exact (docs/exact-set.md).

exact_gaps.py BERTH                 Markdown table: mean and largest gap per planner, and how often it was optimal
exact_gaps.py BERTH --prove         proves the optima anew and writes problems/exact/optima.json
exact_gaps.py BERTH --list          Markdown table: the problems and their optima
"""
import gzip
import json
import sys

from lib import cli, files, markdown, paths, stats

SET = paths.ROOT / "problems" / "exact"
OPTIMA = SET / "optima.json"


def problems():
    return sorted(SET.glob("*.json.gz"))


def name_of(problem):
    return problem.name.removesuffix(".json.gz")


def prove(berth, budget):
    optima = {}
    for problem in problems():
        answer = berth.ask("place", problem, "--planner", "exact", "--budget", budget)
        if not answer["feasible"] or answer["lower_bound_s"] != answer["step_time_s"]:
            best = answer["step_time_s"] if answer["feasible"] else "no plan that fits"
            sys.exit(f"{name_of(problem)}: not proved within {budget}: lower bound {answer['lower_bound_s']}, best {best}")
        optima[name_of(problem)] = answer["step_time_s"]
        print(f"{name_of(problem):<34} {answer['step_time_s']:.12g} s, {answer['search_s']:.2f} s of search", flush=True)
    files.write(OPTIMA, json.dumps({"format": "berth-optima/1", "step_time_s": optima}, indent=2) + "\n")


def gaps(berth, planners, *limits):
    """Per planner: gaps over the problems where it has a plan that fits, and how many problems it has none for."""
    optima = json.loads(OPTIMA.read_text())["step_time_s"]
    found, without = {}, {}
    for problem in problems():
        optimum = optima[name_of(problem)]
        for row in berth.ask("compare", problem, "--planners", planners, *limits)["rows"]:
            found.setdefault(row["planner"], [])
            without.setdefault(row["planner"], 0)
            if row.get("feasible"):
                found[row["planner"]].append(row["step_time_s"] / optimum - 1)
            else:
                without[row["planner"]] += 1
    return found, without


def table(found, without):
    lines = []
    mean = {name: stats.mean(gaps_of) for name, gaps_of in found.items() if gaps_of}
    for name in sorted(found, key=lambda name: (without[name], mean.get(name, 0))):
        if name not in mean:
            lines.append([f"`{name}`", "-", "-", 0, without[name]])
            continue
        optimal = sum(gap < 1e-9 for gap in found[name])
        lines.append([f"`{name}`", f"{mean[name]:.2%}", f"{max(found[name]):.2%}", optimal, without[name]])
    return markdown.table(["planner", "mean gap", "largest gap", "optimal", "no plan that fits"], "lrrrr", lines)


def working_groups(problem):
    """Sets of ops that must be together and have something to do."""
    return {op["colocate"] or op["name"] for op in problem["ops"] if any(op["time_s"])}


def listed():
    optima = json.loads(OPTIMA.read_text())["step_time_s"]
    lines = []
    for file in problems():
        problem = json.loads(gzip.decompress(file.read_bytes()))
        accelerators = [device["memory_bytes"] for device in problem["devices"] if device["kind"] != "cpu"]
        lines.append([f"`{name_of(file)}`", len(working_groups(problem)), len(problem["ops"]), len(problem["devices"]),
                      f"{min(accelerators) / 2**30:.2f} GiB", f"{1e3 * optima[name_of(file)]:.3f}"])
    return markdown.table(["problem", "groups", "ops", "devices", "least memory of an accelerator", "optimum, ms"], "lrrrrr", lines)


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--list", action="store_true", help="the problems and their optima")
    parser.add_argument("--prove", action="store_true", help="prove the optima anew")
    parser.add_argument("--planners", default="classical", help="as for berth compare")
    parser.add_argument("--budget", help="per planner and problem (default 2s), or per proof (default 10min)")
    parser.add_argument("--threads", type=int, default=1, help="for planners that can use several (default 1)")
    options = parser.parse_args()
    if options.list:
        print(listed(), end="")
    elif options.prove:
        prove(options.berth, options.budget or "10min")
    else:
        limits = "--budget", options.budget or "2s", "--threads", str(options.threads)
        print(table(*gaps(options.berth, options.planners, *limits)), end="")


if __name__ == "__main__":
    cli.run(main)
