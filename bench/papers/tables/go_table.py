# SPDX-License-Identifier: Apache-2.0
"""GO's placement table: from scratch, zero-shot and fine-tuned, beside the human, METIS and `hierarchical`."""
from lib import markdown, stats, units
from lib.results import OOM, over
from papers.tables import go_rows, jobs as made
from papers.tables.base import Table, published, share

RIVALS = ("random", "expert", "metis", "scotch")
TUNING = "60s"  # of fine-tuning, as the bar says
PROPOSALS = 65


def policy_without(papers, family):
    return made.pretrain(go_rows.lessons_without(family), "go", 1, papers.settings.budget("main"))


def zero_shot(papers, one):
    return [made.use(one.row, policy_without(papers, one.family), 1, made.Budget(evaluations=PROPOSALS))]


def finetuned(papers, one):
    budget = made.Budget(evaluations=papers.settings.evaluations) if papers.settings.evaluations else made.Budget(TUNING)
    return [made.use(one.row, policy_without(papers, one.family), 1, budget, finetune=True)]


def scratch(papers, one, planner="go"):
    return papers.train(one.row, planner)


def chosen(papers):
    """All rows, or those whose models are among the rows that were asked for."""
    asked = {row.graph for row in papers.rows}
    found = [one for one in go_rows.ROWS if one.row.graph in asked]
    return found or list(go_rows.ROWS)


def jobs(papers):
    for one in chosen(papers):
        for planner in RIVALS:
            yield from go_rows.place(papers, one.row, planner)
        yield from scratch(papers, one)
        yield from scratch(papers, one, "hierarchical")
        yield from zero_shot(papers, one)
        yield from finetuned(papers, one)


def lines(papers):
    for one in chosen(papers):
        medians = {name: papers.median(go_rows.place(papers, one.row, name)) for name in ("expert", "metis")}
        go, hdp = papers.median(scratch(papers, one)), papers.median(scratch(papers, one, "hierarchical"))
        yield [one.label, one.row.machine, *(papers.show(go_rows.place(papers, one.row, name)) for name in RIVALS),
               papers.show(scratch(papers, one, "hierarchical")), papers.show(scratch(papers, one)), papers.show(zero_shot(papers, one)),
               papers.show(finetuned(papers, one)), share(go, medians["expert"]), share(go, hdp)]
        yield ["", "paper", "-", published(one.human), published(one.metis), "-", published(one.hdp), published(one.go), "-", "-",
               share(one.go, one.human), share(one.go, one.hdp)]


def better_lines(papers):
    """How zero-shot does on families that the policy never saw, one row a family."""
    rows = chosen(papers)
    firsts = [one for one in rows if one == next(other for other in rows if other.family == one.family)]

    def lost(rival, found):
        return [one.label for one in found if not papers.median(zero_shot(papers, one)) < papers.median(go_rows.place(papers, one.row, rival))]

    def line(holds, rival, found, behind, aim=""):
        return (f"- {markdown.verdict(holds)}{aim}: zero-shot beats `{rival}` on {len(found) - len(behind)} of {len(found)} "
                f"{'rows' if found is rows else 'families'}{'; not ' + ', '.join(behind) if behind else ''}.\n")

    behind = lost("random", rows)
    yield line(not behind, "random", rows, behind)
    for rival in ("metis", "scotch"):
        behind = lost(rival, firsts)
        yield line(len(firsts) - len(behind) >= min(5, len(firsts)), rival, firsts, behind)
    behind = [one.label for one in rows if papers.median(zero_shot(papers, one)) > 1.001 * papers.median(go_rows.place(papers, one.row, "expert"))]
    yield (f"- {markdown.verdict(2 * len(behind) <= len(rows))} (aim): zero-shot is at least as good as `expert` on {len(rows) - len(behind)} of "
           f"{len(rows)} rows.\n")


def checks(papers):
    rows = chosen(papers)
    ratios = [over(papers.median(scratch(papers, one)), papers.median(scratch(papers, one, "hierarchical"))) for one in rows]
    mean = stats.geometric_mean(ratio for ratio in ratios if 0.0 < ratio < OOM)
    yield (f"- {markdown.verdict(mean < 1.0)}: from scratch at equal time `go` takes {mean:.3f} of the step time of `hierarchical`, geometric mean of "
           f"{len(rows)} rows (the paper: 0.82). `go` decides the order of ops too, which `hierarchical` does not; bench/go_tasks.py has the "
           "placement alone.\n")
    yield from better_lines(papers)
    near = [one for one in rows if papers.median(finetuned(papers, one)) <= 1.001 * papers.median(scratch(papers, one))]
    yield (f"- {markdown.verdict(3 * len(near) >= 2 * len(rows))} (aim): fine-tuned for a minute it is at least as good as from scratch on {len(near)} of "
           f"{len(rows)} rows.\n")


def text(papers):
    settings = papers.settings
    head = ["model", "machine", *(f"`{name}`" for name in RIVALS), "`hierarchical`", "`go`", "zero-shot", "fine-tuned", "against human",
            "against HDP"]
    return "\n".join([
        "`bench/papers/go`: seconds per training step; published (NeurIPS 2020, as reproduced in lecture slides) below each row: other sizes, "
        f"other hardware, so the last two columns are what compares. `hierarchical` and `go` from scratch: {settings.budget('learned').text} a "
        f"run on one core, {units.seeds(settings.seeds)}, median [least .. most]. Zero-shot: one policy of `go` per family, trained on the "
        f"smallest row of every other family for {settings.budget('main').text}; the best of {PROPOSALS} plans. Fine-tuned: the same "
        f"policy after {TUNING} on the row.\n",
        markdown.table(head, "ll" + "r" * (len(head) - 2), list(lines(papers))), "".join(checks(papers))])


TABLE = Table("go", "GO's placement rows: from scratch, zero-shot, fine-tuned", jobs, text)
