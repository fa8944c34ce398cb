# SPDX-License-Identifier: Apache-2.0
"""What superposition and recurrent attention across tasks are worth, each on and off: the ablation that reviewers of GO missed."""
import itertools

from lib import markdown, stats, units
from lib.results import OOM, step_of
from papers.tables import go_rows, jobs as made
from papers.tables.base import Table

LESSONS, UNSEEN = ("rnnlm", "inception", "amoebanet"), ("wavenet", "transformer-xl")
LESSON_PLANS, PROPOSALS, SEEDS = 4_800, 65, 1
VARIANTS = tuple(itertools.product(("on", "off"), repeat=2))  # superposition, recurrent attention


def lessons(papers):
    return papers.own_rows or [go_rows.first_of(family).row for family in LESSONS]


def unseen(papers):
    return papers.own_rows or [go_rows.first_of(family).row for family in UNSEEN]


def policies(papers, variant):
    options = ("tasks=placement+schedule+fusion", f"superposition={variant[0]}", f"task-attention={variant[1]}")
    return [made.pretrain(lessons(papers), "go", seed, papers.settings.plans(LESSON_PLANS), options) for seed in range(1, SEEDS + 1)]


def proposed(papers, row, policy):
    return [made.use(row, policy, 1, papers.settings.plans(PROPOSALS))]


def jobs(papers):
    for variant in VARIANTS:
        for policy in policies(papers, variant):
            yield policy
            for row in unseen(papers):
                yield from proposed(papers, row, policy)


def steps_of(answer):
    """Of all lessons of a run; one lesson's answer is its own."""
    return [step_of(lesson) for lesson in answer.get("lessons", [answer])]


def learned(papers, variant):
    """Geometric means of the best plans of all lessons, a seed each."""
    means = [stats.geometric_mean(steps_of(answer)) for answer in papers.answers(policies(papers, variant)) if OOM not in steps_of(answer)]
    return stats.geometric_mean(means) if means else OOM


def at_once(papers, variant):
    steps = [papers.median(proposed(papers, row, policy)) for policy in policies(papers, variant) for row in unseen(papers)]
    return stats.geometric_mean(steps) if OOM not in steps else OOM


def text(papers):
    base = VARIANTS[0]
    lines = [[*variant, units.seconds(learned(papers, variant)), units.ratio(learned(papers, variant) / learned(papers, base)),
              units.seconds(at_once(papers, variant)), units.ratio(at_once(papers, variant) / at_once(papers, base))] for variant in VARIANTS]
    head = ["superposition", "recurrent attention", "its lessons", "ratio", "families never seen", "ratio"]
    names = ", ".join(row.name for row in lessons(papers)), ", ".join(row.name for row in unseen(papers))
    most = max((abs(float(line[i]) - 1.0) for line in lines for i in (3, 5) if line[i] not in ("-", "OOM")), default=0.0)
    return "\n".join([
        f"`bench/papers/go --tables go-parts`: one policy of `go` for all three tasks, trained on {names[0]} with "
        f"{papers.settings.plans(LESSON_PLANS).text}, {units.seeds(SEEDS)}; the geometric mean of its best plans there, and of the best of {PROPOSALS} "
        f"plans for {names[1]}, which it never saw. Ratios to both on; below 1 is better.\n",
        markdown.table(head, "llrrrr", lines),
        f"- Nothing moves by more than {100 * most:.1f} %; with {units.seeds(SEEDS)} differences of a few percent are chance.\n"])


TABLE = Table("go-parts", "superposition and recurrent attention, on and off", jobs, text)
