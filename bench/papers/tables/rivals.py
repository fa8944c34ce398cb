# SPDX-License-Identifier: Apache-2.0
"""Cheap rivals at the same number of evaluated plans, and learning curves."""
from lib import charts, markdown, units
from lib.results import OOM, Cell
from papers.tables import curves, jobs as made, main_table
from papers.tables.base import Table, share, shown

PARTS = (64, 8, 1)  # compared at the whole number of evaluations and at these parts of it
LEAST = 16          # one or two updates
KINDS = ("plans", "groupings")
WORKERS = (1, 4)


def whole(papers, row):
    """The largest power of two that every seed of `hierarchical` has reached; 0 if that is not known yet."""
    answers = [papers.store.answer(job) for job in main_table.learned(papers, row)]
    counts = [answer.get("evaluations") or 0 for answer in answers if answer is not None]
    settled = all(map(papers.store.is_settled, main_table.learned(papers, row)))
    return 1 << (min(counts).bit_length() - 1) if settled and counts and min(counts) > 0 else 0


def counts(papers, row):
    n = whole(papers, row)
    return sorted({max(min(n, LEAST), n // part) for part in PARTS}) if n else []


def chance(papers, row, kind):
    return [made.chance(row, kind, whole(papers, row), seed, papers.settings.groups) for seed in papers.seeds()]


def anneal(papers, row, n):
    return [made.place(row, "anneal", seed, made.Budget(evaluations=n), searches=True) for seed in papers.seeds()]


def jobs(papers):
    for row in papers.rows:
        yield from main_table.learned(papers, row)
    for row in papers.rows:
        yield from papers.place(row, "expert")
        if whole(papers, row):
            for kind in KINDS:
                yield from chance(papers, row, kind)
            for n in counts(papers, row):
                yield from anneal(papers, row, n)


def cell_at(found, n):
    """The seeds of curves (evaluations, best) after n."""
    if not found:
        return None
    times = [curves.best_at(curve, n) for curve in found]
    return Cell([{"feasible": time < OOM, "step_time_s": time if time < OOM else None} for time in times])


def learned_curves(papers, row):
    return [curves.by_evaluations(curve) for curve in papers.curves(main_table.learned(papers, row))]


def chance_curves(papers, row, kind):
    """With their ends, for charts; empty where no plan fitted."""
    return [[*map(tuple, one["curve"]), *([(one["evaluations"], one["step_time_s"])] if one["feasible"] else [])]
            for one in papers.answers(chance(papers, row, kind))]


def cells_at(papers, row, n):
    """Contestant to its seeds at n evaluations; None for what failed."""
    return {"hierarchical": cell_at(learned_curves(papers, row), n),
            **{f"random {kind}": cell_at(chance_curves(papers, row, kind), n) for kind in KINDS},
            "anneal": papers.cell(anneal(papers, row, n))}


def lines(papers):
    for row in papers.rows:
        for n in counts(papers, row):
            cells = cells_at(papers, row, n)
            rivals = [cell.median for name, cell in cells.items() if cell and name != "hierarchical"]
            mine = cells["hierarchical"].median if cells["hierarchical"] else OOM
            yield [row.shown, f"{n:,}", *(shown(cell) if cell else "failed" for cell in cells.values()),
                   share(mine, min(rivals, default=OOM))]


def checks(papers):
    text = ""
    rows = [row for row in papers.rows if whole(papers, row)]
    for name in ("random plans", "random groupings", "anneal"):
        lost = []
        for row in rows:
            cells = cells_at(papers, row, whole(papers, row))
            rival, mine = cells[name], cells["hierarchical"]
            if not mine or (rival and mine.median >= rival.median and rival.median < OOM):
                lost.append(row)
        text += f"- {markdown.verdict(not lost)}: learning beats {name} on {len(rows) - len(lost)} of {len(rows)} rows" \
                f"{'; it loses' + main_table.where(lost) if lost else ''}.\n"
    return text


def text(papers):
    head = ["row", "evaluations", "hierarchical", "random plans", "random groupings", "anneal", "reduction against the best rival"]
    return "\n".join([
        "`bench/papers/hierarchical`: the best plan after the same number of evaluated plans, "
        f"{units.seeds(papers.settings.seeds)}, median [least .. most]: the runs of the main table, read off their "
        "metrics; the best of n plans that put every op on a random GPU; the best of n random groupings "
        f"({papers.settings.groups} groups, every op in a random one, every group on a random GPU); `anneal "
        "--evaluations n`, which begins with the best of one GPU and the layer rule, so it knows the expert's plan. "
        "`hierarchical` begins without a plan, but not from nothing: its first groups join what heavy tensors join, and its "
        "first devices follow speed and memory (`start`, `start-by-speed`). The largest n is the largest power of two that all "
        "of its seeds reached.\n",
        markdown.table(head, "lrrrrrr", list(lines(papers))), checks(papers)])


def panel(papers, row, series, x_label):
    """One row of curves; the expert's step as a line across."""
    expert = papers.median(papers.place(row, "expert"))
    return charts.Panel(row.name, x_label, "best step, s", series, [("expert", expert)] if expert < OOM else [])


def evaluation_series(papers, row):
    series = [charts.Series("hierarchical", charts.COLOURS[0], curves.median_curve(learned_curves(papers, row)))]
    for colour, kind in zip(charts.COLOURS[1:], KINDS):
        series.append(charts.Series(f"random {kind}", colour, curves.median_curve(chance_curves(papers, row, kind))))
    points = [(n, cell.least, cell.median, cell.most) for n in counts(papers, row)
              if (cell := papers.cell(anneal(papers, row, n)))]
    return [*series, charts.Series("anneal (one run per dot)", charts.COLOURS[3], points, dots=True)]


def wall_series(papers, row):
    found = papers.curves(main_table.learned(papers, row))
    delay = papers.settings.delay_s
    return [charts.Series(f"hierarchical, {workers} worker{'s' if workers > 1 else ''}", colour,
                       curves.median_curve([[(x / 60, best) for x, best in curves.by_wall(curve, delay, workers)] for curve in found]))
            for workers, colour in zip(WORKERS, charts.APART)]


def curves_text(papers):
    delay = f"{papers.settings.delay_s:g} s"
    wanted = {"curves-evaluations.svg": ("evaluated plans", evaluation_series, "Best plan against evaluated plans"),
              "curves-wall.svg": (f"minutes, {delay} per plan", wall_series, f"Best plan against time with {delay} per measured plan")}
    for name, (x_label, series, title) in wanted.items():
        panels = [panel(papers, row, series(papers, row), x_label) for row in papers.rows]
        charts.write(papers.settings.images / name, charts.curves(title, panels))
    return "\n".join([
        "`bench/papers/hierarchical`: the runs of the tables above, median of the seeds and their range; a curve "
        "begins with the first plan that fits.\n",
        "![best plan against evaluated plans, hierarchical and its rivals](images/curves-evaluations.svg)\n",
        f"The same as if every plan had to be measured on a machine for {delay}, with one such machine and with "
        f"four: the time of the policy as it was, and {delay} for every round of measurements of an update "
        "(computed, not waited for). The papers measured ten steps of every plan.\n",
        "![best plan against time with a delay per measured plan, 1 and 4 workers](images/curves-wall.svg)\n"])


def unknown_s(papers):
    """Before `hierarchical` has run, how often it will evaluate can only be guessed."""
    waiting = [row for row in papers.rows if not all(map(papers.store.is_settled, main_table.learned(papers, row)))]
    budget = papers.settings.budget("main")
    counts = {row: budget.evaluations or made.seconds(budget, row) / made.plan_s(row, learns=True) for row in waiting}
    return sum(6 * row.evaluation_s * count for row, count in counts.items()) * papers.settings.seeds


TABLE = Table("rivals", "cheap rivals at the same number of evaluations", jobs, text, unknown_s)
CURVES = Table("curves", "learning curves", jobs, curves_text)
