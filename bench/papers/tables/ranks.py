# SPDX-License-Identifier: Apache-2.0
"""Training on several ranks: the same quality with proportionally fewer updates of each."""
import math

from lib import charts, markdown, stats, units
from lib.results import OOM, over
from papers.tables import jobs as made
from papers.tables.base import Table, shown

RANKS = (1, 2, 4)
MODELS = ("rnnlm", "nmt-2")
SEEDS = 2
NEAR = 1.02  # of the best that one rank has in the end: what counts as the same quality
SAME = 1.05


def runs(papers, row, ranks):
    budget = made.Budget(evaluations=papers.settings.evaluations or papers.settings.rank_evaluations)
    count = min(SEEDS, papers.settings.seeds)
    return [made.train(row, "hierarchical", seed, budget, ranks=ranks) for seed in papers.seeds(count)]


def jobs(papers):
    for row in papers.rows_of(MODELS):
        for ranks in RANKS:
            yield from runs(papers, row, ranks)


def updates_to(curve, time):
    """The update after which the best plan is at least as good; None if never."""
    return next((point[0] for point in curve if point[3] is not None and point[3] <= time), None)


def lines(papers, row):
    goal = NEAR * papers.median(runs(papers, row, 1))
    for ranks in RANKS:
        found = [curve for curve in papers.curves(runs(papers, row, ranks)) if curve]
        cell = papers.cell(runs(papers, row, ranks))
        reached = [update for curve in found if (update := updates_to(curve, goal)) is not None]
        yield [row.shown, str(ranks), f"{updates_of(papers, row, ranks):,}",
               f"{papers.evaluations(runs(papers, row, ranks)):,}", shown(cell) if cell else "failed",
               f"{stats.upper_median(reached):,} ({len(reached)} of {len(found)})" if reached else "never"]


def updates_of(papers, row, ranks):
    return stats.upper_median(curve[-1][0] for curve in papers.curves(runs(papers, row, ranks)) if curve) or 0


def checks(papers):
    for row in papers.rows_of(MODELS):
        one, all_updates = papers.median(runs(papers, row, 1)), updates_of(papers, row, 1)
        for ranks in RANKS[1:]:
            several, updates = papers.median(runs(papers, row, ranks)), updates_of(papers, row, ranks)
            holds = several < OOM and several <= SAME * one and updates <= all_updates / ranks + 1
            yield (f"- {markdown.verdict(holds)}: {row.name}: {ranks} ranks end within {100 * (SAME - 1):.0f} % of one (ratio {over(several, one):.3f}) "
                   f"with {updates:,} updates each, one with {all_updates:,}.\n")


def smoothed(points):
    """Means of what lies within a tenth of the x axis's factor of e: a curve of single updates is a cloud."""
    found = {}
    for x, y in points:
        found.setdefault(round(10 * math.log(x)), []).append((x, y))
    return [tuple(stats.mean(values) for values in zip(*part)) for part in found.values()]


def panel(papers, row, which, label):
    """Curves against updates of a rank; which: 3 the best plan, 4 the mean of what is sampled."""
    series = []
    for ranks, colour in zip(RANKS, charts.APART):
        found = papers.curves(runs(papers, row, ranks))[:1]  # one seed: means of several have other updates
        points = [(point[0], point[which]) for curve in found for point in curve if point[which] is not None]
        points = [(x, y, y, y) for x, y in (smoothed(points) if which == 4 else points)]
        series.append(charts.Series(f"{ranks} rank{'s' if ranks > 1 else ''}", colour, points))
    return charts.Panel(row.name, "updates of a rank", label, series)


def text(papers):
    rows = papers.rows_of(MODELS)
    panels = [panel(papers, row, which, label) for row in rows for which, label in ((3, "best step, s"), (4, "mean sampled step, s"))]
    charts.write(papers.settings.images / "curves-ranks.svg", charts.curves("Training on 1, 2 and 4 ranks", panels, columns=2))
    head = ["row", "ranks", "updates of a rank", "evaluations of all", "best plan", f"updates to within {100 * (NEAR - 1):.0f} % of one rank's"]
    return "\n".join([
        "`bench/papers/hierarchical`: `mpirun -n N berth train` with the same number of evaluated plans in all, "
        f"gradients of all ranks averaged, {units.seeds(min(SEEDS, papers.settings.seeds))} (the chart shows the "
        "first). All ranks share two cores here, so this is about updates, not about time.\n",
        markdown.table(head, "lrrrrr", [line for row in rows for line in lines(papers, row)]), "".join(checks(papers)),
        "![best plan and mean of the sampled plans against updates of a rank, for 1, 2 and 4 "
        "ranks](images/curves-ranks.svg)\n"])


TABLE = Table("ranks", "mpirun with 1, 2 and 4 ranks", jobs, text)
