# SPDX-License-Identifier: Apache-2.0
"""The paper's second table: a random grouping that stays, with a learned Placer, against a learned Grouper."""
from lib import markdown, stats, units
from lib.results import EQUAL, OOM
from papers.tables import curves, main_table, rows
from papers.tables.base import Table, published, share, shown

DIFFER = 0.001


def random_runs(papers, row):
    return papers.train(row, seeds=papers.settings.random_runs, options=("grouping=random",))


def jobs(papers):
    for row in papers.rows:
        yield from random_runs(papers, row)
        yield from main_table.learned(papers, row)


def same_time(papers, row):
    """Median of `hierarchical` after the time that random grouping had."""
    budget = papers.settings.budget("learned")
    found = [curves.best_at(curves.by_time(curve), units.duration(budget.time)) if budget.time else
             curves.best_at(curves.by_evaluations(curve), budget.evaluations)
             for curve in papers.curves(main_table.learned(papers, row))]
    return stats.upper_median(found) if found else OOM


def lines(papers):
    for row in papers.rows:
        cell, mine = papers.cell(random_runs(papers, row)), papers.cell(main_table.learned(papers, row))
        spread = [units.seconds(value) for value in (cell.least, cell.median, cell.most)] if cell else ["failed"] * 3
        yield [row.shown, "here", *spread, units.seconds(same_time(papers, row)), shown(mine) if mine else "failed",
               share(mine.median, cell.least) if cell and mine else "-"]
        if facts := rows.RANDOM_GROUPING.get(row.model):
            best, median, worst, gain = facts
            yield ["", "paper", *map(published, (best, median, worst)), "-",
                   published(rows.HIERARCHICAL[row.model].learned), gain]


def compare(papers):
    """Rows where `hierarchical` is better than the median of random grouping, equal, and worse; all by their own budgets and by the
    same time."""
    for name, time_of in (("after its own budget", lambda row: papers.median(main_table.learned(papers, row))),
                          ("after the same time", lambda row: same_time(papers, row))):
        worse, equal = [], []
        for row in papers.rows:
            chance, mine = papers.median(random_runs(papers, row)), time_of(row)
            if chance == mine or abs(chance - mine) <= DIFFER * min(chance, mine) + EQUAL:
                equal.append(row)
            elif mine > chance:
                worse.append(row)
        better = len(papers.rows) - len(worse) - len(equal)
        yield (f"- {markdown.verdict(not worse)}: {name} `hierarchical` is better than the median of random grouping on {better} rows, the same "
               f"on {len(equal)}, worse on {len(worse)}{main_table.where(worse)}.\n")


def text(papers):
    settings = papers.settings
    head = ["row", "", "best", "median", "worst", "hierarchical, same time", "hierarchical", "gain of the Grouper over best"]
    return "\n".join([
        f"`bench/papers/hierarchical`: `--option grouping=random`, {settings.random_runs} runs of "
        f"{settings.budget('learned').text}, each with a grouping of its own that stays and a Placer that learns, "
        f"beside `hierarchical` of the main table ({settings.budget('main').text}) and what that had after the same "
        "time. Published: ICLR 2018, table 2.\n",
        markdown.table(head, "llrrrrrr", list(lines(papers))), "".join(compare(papers))])


TABLE = Table("random-grouping", "random grouping with a learned Placer", jobs, text)
