#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans a second that Python evaluates: Problem.evaluate() on many plans at once, a row of units each.

python_speed.py [--plans 8192] [--moved 20] [--runs 3]     Markdown table, then PASS or FAIL per bar; exit code 1 if one is missed

The plans are the expert's with 20 units moved at random; the best of three calls counts. Needs the package (pip install . in this
repository, or PYTHONPATH) and NumPy. Bars, on two cores: 20,000 plans a second of zoo:inception-v3 and 4,000 of zoo:rnnlm, on k40x2.
"""
import time

from lib import cli, markdown

MACHINE = "k40x2"
BARS = {"zoo:inception-v3": 20_000, "zoo:rnnlm": 4_000}  # plans a second


def expert_by_unit(berth, numpy, problem, graph):
    """A device per unit."""
    plan = numpy.asarray(berth.place(graph, machine=MACHINE, planner="expert").to_numpy())
    devices = numpy.zeros(len(problem.units.allowed), dtype=numpy.int64)
    devices[numpy.asarray(problem.units.of_op)] = plan
    return devices


def rows_near(numpy, problem, base, flags):
    """The base with some units of every row on a device drawn among those that they may have."""
    rng = numpy.random.default_rng(1)
    rows = numpy.repeat(base[None, :], flags.plans, 0)
    choices = [numpy.flatnonzero(allowed) for allowed in problem.units.allowed]
    for row in rows:
        for unit in rng.integers(0, len(base), flags.moved):
            row[unit] = rng.choice(choices[unit])
    return rows


def best_rate(problem, rows, runs):
    best = 0.0
    for _ in range(runs):
        begin = time.perf_counter()
        problem.evaluate(rows, of=problem.units)
        best = max(best, len(rows) / (time.perf_counter() - begin))
    return best


def main():
    parser = cli.parser(__doc__, berth=False)
    parser.add_argument("--plans", type=int, default=8192, help="at once (default 8192)")
    parser.add_argument("--moved", type=int, default=20, help="units of each (default 20)")
    parser.add_argument("--runs", type=int, default=3, help="the best counts (default 3)")
    flags = parser.parse_args()
    try:
        import berth
        import numpy
    except ImportError as error:
        raise cli.Failed(f"{error.name} is missing: pip install . in this repository, or set PYTHONPATH") from None
    table = markdown.Printed(["graph, machine", "ops", "units", "plans/s"], "lrrr")
    bars = []
    for graph, bar in BARS.items():
        problem = berth.problem(graph, MACHINE)
        base = expert_by_unit(berth, numpy, problem, graph)
        rate = best_rate(problem, rows_near(numpy, problem, base, flags), flags.runs)
        table.add(f"`{graph}`, `{MACHINE}`", f"{len(problem.units.of_op):,}", f"{len(base):,}", f"{rate:,.0f}")
        bars.append((f"{graph}: {rate:,.0f} plans a second (asked: {bar:,})", rate >= bar))
    print()
    return markdown.print_bars(bars)


if __name__ == "__main__":
    cli.run(main)
