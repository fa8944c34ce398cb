# SPDX-License-Identifier: Apache-2.0
"""ColocRL's table on its machines, and the placement of Inception-V3 that was transcribed from it."""
import pathlib
import tempfile

from lib import markdown, units
from lib.results import Cell
from papers import inception_plan
from papers.tables import rows
from papers.tables.base import Table, published, share, shown
from papers.tables.main_table import BASELINES, HEAD, paper_cells, where

MODELS = ("rnnlm", "nmt-2", "inception-v3")
GPUS = (2, 4)


def all_rows(papers):
    return [(row.on(f"k80x{gpus}"), gpus) for row in papers.rows_of(MODELS) for gpus in GPUS]


def hierarchical(papers, row):
    return papers.train(row, "hierarchical", seeds=1)


def jobs(papers):
    for row, _ in all_rows(papers):
        yield from papers.train(row, "colocrl")
        for planner in BASELINES:
            yield from papers.place(row, planner)
        yield from hierarchical(papers, row)


def lines(papers):
    for row, gpus in all_rows(papers):
        best = min(papers.median(papers.place(row, planner)) for planner in BASELINES)
        mine = papers.median(papers.train(row, "colocrl"))
        yield [row.shown, "here", *(papers.show(papers.place(row, planner)) for planner in BASELINES),
               papers.show(papers.train(row, "colocrl")), share(mine, best), papers.show(hierarchical(papers, row))]
        if facts := rows.COLOCRL.get((row.model, gpus)):
            yield ["", "paper, unverified", *paper_cells(facts), published(facts.learned), facts.reduction, "-"]


def checks(papers):
    found = [row for row, _ in all_rows(papers)]
    for planner, name in (("scotch", "Scotch"), ("mincut", "min-cut")):
        lost = [row for row in found if not papers.median(papers.train(row, "colocrl")) < papers.median(papers.place(row, planner))]
        yield f"- {markdown.verdict(not lost)}: `colocrl` beats {name} on {len(found) - len(lost)} of {len(found)} rows" \
              f"{'; not' + where(lost) if lost else ''}.\n"


def text(papers):
    settings = papers.settings
    return "\n".join([
        f"`bench/papers/colocrl`: seconds per training step; `colocrl` with {settings.budget('learned').text} and "
        f"{units.seeds(settings.seeds)}, `hierarchical` beside it with the same and one seed. The published figures "
        "(Mirhoseini et al., ICML 2017, table 2) were written down from memory, no copy was at hand: "
        "**unverified**. Reduction is against the best baseline; the sizes are not the paper's (see above).\n",
        markdown.table([*HEAD, "ColocRL", "reduction", "Hierarchical"], "llrrrrrrrr", list(lines(papers))), "".join(checks(papers))])


INCEPTION_RIVALS = ("gpu-only", "expert", "anneal")


def inception_row(papers):
    """The row that the transcribed plan is for; None without Inception-V3."""
    return next((row.on("k80x4") for row in papers.rows if row.model == "inception-v3"), None)


def inception_jobs(papers):
    if row := inception_row(papers):
        yield from papers.train(row, "colocrl")
        for planner in INCEPTION_RIVALS:
            yield from papers.place(row, planner)


def transcribed_score(papers, row):
    """What the plan of bench/papers/inception_plan.py scores."""
    with tempfile.TemporaryDirectory() as folder:
        return inception_plan.write_plan(papers.store.berth, pathlib.Path(folder) / "plan.json", row.graph, row.machine)


def inception_text(papers):
    row = inception_row(papers)
    if row is None:
        return "Inception-V3 is not among the rows.\n"
    one = papers.median(papers.place(row, "gpu-only"))
    cells = {"transcribed placement": Cell([transcribed_score(papers, row)]),
             **{f"`{name}`": papers.cell(papers.place(row, name)) for name in INCEPTION_RIVALS},
             "`colocrl`": papers.cell(papers.train(row, "colocrl"))}
    lines = [[name, shown(cell) if cell else "failed", share(cell.median, one) if cell else "-"] for name, cell in cells.items()]
    return "\n".join([
        f"`bench/papers/colocrl`: {row.name}, the placement that Park's sources hold as learned, layer by layer "
        "(`bench/papers/inception_plan.py`), scored here. Presumably it is the figure of the ICML 2017 paper: the "
        "file does not say so. It was learned on another machine, so its time here says little about it.\n",
        markdown.table(["plan", "step", "against one GPU"], "lrr", lines)])


TABLE = Table("colocrl", "ColocRL on k80x2 and k80x4", jobs, text)
TRANSCRIBED = Table("inception-plan", "the transcribed placement of Inception-V3", inception_jobs, inception_text)
