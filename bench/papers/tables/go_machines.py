# SPDX-License-Identifier: Apache-2.0
"""Policies of `go` on machines that they never saw: each machine left out of training once."""
from lib import markdown, stats, units
from papers.tables import go_rows, jobs as made, rows
from papers.tables.base import Table

MACHINES = ("k40x2", "p100x4", "rtx4090-3060", "a100-v100")  # 2 and 4 equal GPUs, two pairs of unequal ones
GRAPHS = (rows.Row("zoo:rnnlm,layers=2", "", 0.0006), rows.Row("zoo:inception-v3,batch=32", "", 0.0001))
LESSON_PLANS, PROPOSALS = 12_000, 65
RIVALS = ("random", "single", "metis", "expert")


def problems(papers, without=""):
    return [row.on(machine) for machine in MACHINES if machine != without for row in papers.own_rows or GRAPHS]


def policy(papers, without=""):
    return made.pretrain(problems(papers, without), "go", 1, papers.settings.plans(LESSON_PLANS))


def proposed(papers, row, without):
    return [made.use(row, policy(papers, without), 1, papers.settings.plans(PROPOSALS))]


def jobs(papers):
    for row in problems(papers):
        for planner in RIVALS:
            yield from go_rows.place(papers, row, planner)
        yield from proposed(papers, row, row.machine)
        yield from proposed(papers, row, "")


def text(papers):
    lines, ratios, found = [], [], problems(papers)
    lost = {name: [] for name in RIVALS}
    for row in found:
        unseen, seen = (papers.median(proposed(papers, row, without)) for without in (row.machine, ""))
        ratios.append(unseen / seen)
        for name in RIVALS:
            lost[name] += [] if unseen < papers.median(go_rows.place(papers, row, name)) else [row.name]
        lines.append([row.name, *(papers.show(go_rows.place(papers, row, name)) for name in RIVALS), papers.show(proposed(papers, row, row.machine)),
                      papers.show(proposed(papers, row, "")), units.ratio(unseen / seen)])
    head = ["row", *(f"`{name}`" for name in RIVALS), "never saw the machine", "saw all machines", "ratio"]
    said = "".join(
        f"- {markdown.verdict(not rows_lost) + ': ' if name == 'random' else ''}Without the machine it beats `{name}` on {len(found) - len(rows_lost)} of "
        f"{len(found)} rows{'; not ' + ', '.join(rows_lost) if rows_lost else ''}.\n" for name, rows_lost in lost.items())
    return "\n".join([
        f"`bench/papers/go --tables go-machines`: a policy of `go` for each machine left out, trained on the same graphs on the {len(MACHINES) - 1} "
        f"others ({papers.settings.plans(LESSON_PLANS).text}, one seed), then the best of {PROPOSALS} plans on the machine it never saw; beside it "
        "a policy trained as long on all of them.\n",
        markdown.table(head, "l" + "r" * (len(head) - 1), lines),
        f"{said}- Never having seen the machine costs {stats.geometric_mean(ratios):.3f} times the step, geometric mean of {len(found)} rows.\n"])


TABLE = Table("go-machines", "GO zero-shot on machines never seen", jobs, text)
