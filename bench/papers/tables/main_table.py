# SPDX-License-Identifier: Apache-2.0
"""The main table of the Hierarchical Planner's paper, with ColocRL beside it."""
from lib import markdown, stats, units
from lib.results import OOM, over
from papers.tables import rows
from papers.tables.base import Table, published, share

BASELINES = ("cpu-only", "gpu-only", "expert", "scotch", "mincut")
HEAD = ["row", "", "CPU only", "GPU only", "expert", "Scotch", "min-cut"]
EQUAL = 1.001  # times that differ by less match


def learned(papers, row):
    return papers.train(row, "hierarchical", "main")


def colocrl(papers, row):
    return papers.train(row, "colocrl", "learned")


def jobs(papers):
    for row in papers.rows:
        yield from learned(papers, row)
    for row in papers.rows:
        for planner in BASELINES:
            yield from papers.place(row, planner)
    for row in papers.rows:
        yield from colocrl(papers, row)


def baselines(papers, row):
    return {planner: papers.median(papers.place(row, planner)) for planner in BASELINES}


def paper_cells(facts):
    return [published(value) for value in (facts.cpu, facts.gpu, facts.expert, facts.scotch, facts.mincut)]


def lines(papers):
    for row in papers.rows:
        medians = baselines(papers, row)
        mine = papers.median(learned(papers, row))
        yield [row.shown, "here", *(papers.show(papers.place(row, planner)) for planner in BASELINES),
               papers.show(colocrl(papers, row)), papers.show(learned(papers, row)), share(mine, min(medians.values())),
               share(mine, medians["expert"])]
        if facts := rows.HIERARCHICAL.get(row.model):
            yield ["", "paper", *paper_cells(facts), "-", published(facts.learned), facts.reduction,
                   share(facts.learned, facts.expert)]


def where(rows_found):
    return f": {'; '.join(row.name for row in rows_found)}" if rows_found else ""


def check(what, papers, bad):
    return f"- {markdown.verdict(not bad)}: {what} on {len(papers.rows) - len(bad)} of {len(papers.rows)} rows" \
           f"{'; not' + where(bad) if bad else ''}.\n"


def checks(papers):
    mine = {row: papers.median(learned(papers, row)) for row in papers.rows}
    base = {row: baselines(papers, row) for row in papers.rows}
    text = ""
    for planner, name in (("scotch", "Scotch"), ("mincut", "min-cut")):
        bad = [row for row in papers.rows if not mine[row] < base[row][planner]]
        text += check(f"`hierarchical` beats {name}", papers, bad)
    bad = [row for row in papers.rows if mine[row] > EQUAL * min(base[row]["cpu-only"], base[row]["gpu-only"])]
    text += check("`hierarchical` matches or beats the CPU and one GPU", papers, bad)
    behind = [row for row in papers.rows if mine[row] > EQUAL * base[row]["expert"]]
    allowed = len(papers.rows) // 6
    text += (f"- {markdown.verdict(len(behind) <= allowed)} (aim): at least as good as the expert on {len(papers.rows) - len(behind)} of "
             f"{len(papers.rows)} rows (asked: "
             f"{len(papers.rows) - allowed}){'; not' + where(behind) if behind else ''}.\n")
    ahead = [row for row in papers.rows if row.model.startswith("nmt") and over(mine[row], base[row]["expert"]) <= 0.8]
    if any(row.model.startswith("nmt") for row in papers.rows):
        text += f"- {markdown.verdict(len(ahead) >= 2)} (aim): 20 % better than the expert on two NMT rows; it is on {len(ahead)}{where(ahead)}.\n"
    slower = [row for row in papers.rows if mine[row] > EQUAL * papers.median(colocrl(papers, row))]
    return text + f"- `hierarchical` is behind `colocrl` on {len(slower)} of {len(papers.rows)} rows{where(slower)}.\n"


def effort_table(papers):
    found = []
    for row in papers.rows:
        line = [row.name]
        for wanted in (learned(papers, row), colocrl(papers, row)):
            curves = [curve for curve in papers.curves(wanted) if curve]
            updates = stats.upper_median(curve[-1][0] for curve in curves)
            line += ["-" if updates is None else f"{updates:,}", f"{papers.evaluations(wanted):,}"]
        found.append(line)
    return markdown.table(["row", "`hierarchical`: updates", "evaluations", "`colocrl`: updates", "evaluations"], "lrrrr", found)


def text(papers):
    settings = papers.settings
    missing = [row.name for row in papers.rows if papers.median(learned(papers, row)) == OOM]
    return "\n".join([
        "`bench/papers/hierarchical`: seconds per training step, the same simulator for all. `hierarchical` has "
        f"{settings.budget('main').text} a run and `colocrl` {settings.budget('learned').text}, from scratch, one "
        f"thread, two runs at a time on two cores; learned and seeded planners with {units.seeds(settings.seeds)}: "
        "median [least .. most]. Reduction, as in the paper, is that of `hierarchical` against the best of the five "
        "baselines; a negative one is a loss. Published: Mirhoseini et al., ICLR 2018, table 1; its machine and "
        "sizes are not ours (see above), so compare reductions, not seconds. It has no ColocRL column of its own. "
        f"{rows.TUNED_NOTE}\n",
        markdown.table([*HEAD, "ColocRL", "Hierarchical", "reduction", "against expert"], "llrrrrrrrrr", list(lines(papers))),
        checks(papers) + (f"- No plan that fits: {'; '.join(missing)}.\n" if missing else ""),
        "How much was tried, median of the seeds:\n", effort_table(papers)])


TABLE = Table("hierarchical", "main table: baselines, ColocRL, Hierarchical", jobs, text)
