# SPDX-License-Identifier: Apache-2.0
"""`hierarchical` where its paper did not look: under the objective of the partitioners, and on machines with unequal devices."""
from lib import markdown, units
from lib.results import over
from papers.tables import rows
from papers.tables.base import Table, share
from papers.tables.main_table import where

PIPELINE_MODELS = ("inception-v3", "rnnlm", "nmt-2", "nmt-4")
PIPELINE_RIVALS = ("gpu-only", "expert", "scotch", "mincut", "dp")
UNEQUAL_MODELS = ("inception-v3", "rnnlm", "nmt-2")
UNEQUAL_MACHINES = ("rtx4090-3060", "a100-v100")
UNEQUAL_RIVALS = ("gpu-only", "expert", "scotch", "mincut", "anneal")


def pipeline_runs(papers, row):
    return papers.train(row, objective="pipeline")


def pipeline_jobs(papers):
    for row in papers.rows_of(PIPELINE_MODELS):
        yield from pipeline_runs(papers, row)
        for planner in PIPELINE_RIVALS:
            yield from papers.place(row, planner, "pipeline")


def pipeline_text(papers):
    lines, lost = [], {"scotch": [], "mincut": []}
    for row in papers.rows_of(PIPELINE_MODELS):
        medians = {planner: papers.median(papers.place(row, planner, "pipeline")) for planner in PIPELINE_RIVALS}
        mine = papers.median(pipeline_runs(papers, row))
        for planner, found in lost.items():
            if not mine < medians[planner]:
                found.append(row)
        lines.append([row.shown, *(papers.show(papers.place(row, planner, "pipeline")) for planner in PIPELINE_RIVALS),
                      papers.show(pipeline_runs(papers, row)), share(mine, min(medians["scotch"], medians["mincut"]))])
    said = "".join(f"- {markdown.verdict(not found)}: trained for it, `hierarchical` beats `{planner}` under the objective `pipeline` on "
                   f"{len(lines) - len(found)} of {len(lines)} rows{'; not' + where(found) if found else ''}.\n"
                   for planner, found in lost.items())
    head = ["row", *(f"`{planner}`" for planner in PIPELINE_RIVALS), "hierarchical", "reduction against Scotch and min-cut"]
    return "\n".join([
        "`bench/papers/hierarchical`: the partitioners balance loads and cut bytes, which is what a full pipeline "
        "is limited by, so the paper's comparison by the time of one step was not their game. Here all are judged "
        "by `--objective pipeline`, the time per sample, and `hierarchical` is trained for it: "
        f"{papers.settings.budget('learned').text}, {units.seeds(papers.settings.seeds)}. `dp` is built for this "
        "objective and stands for what is possible.\n",
        markdown.table(head, "l" + "r" * (len(PIPELINE_RIVALS) + 2), lines), said])


def unequal_rows(papers):
    return [row.on(machine) for machine in UNEQUAL_MACHINES for row in papers.rows_of(UNEQUAL_MODELS)]


def unequal_jobs(papers):
    for row in unequal_rows(papers):
        yield from papers.train(row)
        for planner in UNEQUAL_RIVALS:
            yield from papers.place(row, planner)


def unequal_text(papers):
    lines, blind = [], []
    for row in unequal_rows(papers):
        mine = papers.median(papers.train(row))
        one = papers.median(papers.place(row, "gpu-only"))
        if over(mine, one) > 1.001:
            blind.append(row)
        lines.append([row.shown, *(papers.show(papers.place(row, planner)) for planner in UNEQUAL_RIVALS), papers.show(papers.train(row)),
                      share(mine, one), share(mine, papers.median(papers.place(row, "expert")))])
    said = (f"- {markdown.verdict(not blind)}: at least as good as the faster GPU alone on {len(lines) - len(blind)} of {len(lines)} rows"
            f"{'; not' + where(blind) if blind else ''}.\n")
    head = ["row", *(f"`{planner}`" for planner in UNEQUAL_RIVALS), "hierarchical", "against one GPU", "against expert"]
    return "\n".join([
        "`bench/papers/hierarchical`: a fast and a slow GPU. `gpu-only` is the fast one; `hierarchical` has "
        f"{papers.settings.budget('learned').text}, `anneal` {papers.settings.classical}, "
        f"{units.seeds(papers.settings.seeds)}. {rows.TUNED_NOTE.replace('Rows', 'Models')}\n",
        markdown.table(head, "l" + "r" * (len(UNEQUAL_RIVALS) + 3), lines), said])


PIPELINE = Table("pipeline", "trained for the pipeline objective", pipeline_jobs, pipeline_text)
UNEQUAL = Table("unequal", "two machines with unequal devices", unequal_jobs, unequal_text)
