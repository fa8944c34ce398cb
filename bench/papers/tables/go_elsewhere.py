# SPDX-License-Identifier: Apache-2.0
"""Every learned planner trained on one problem and used on another: what it makes of it, or why it refuses."""
from lib import markdown
from papers.tables import jobs as made, rows
from papers.tables.base import Table

HOME = rows.Row("zoo:inception-v3,batch=32", "k40x2", 0.0001)
OTHER_GRAPH = rows.Row("zoo:rnnlm,layers=2", "k40x2", 0.0006)
OTHER_MACHINE = "p100x4"
HOME_PLANS, PROPOSALS = 520, 65  # an update of `placeto`
SERVES = "sees ops and devices by what they cost and how they are joined, which means the same everywhere"


def places(papers):
    """Where it learns, another graph, another machine."""
    home, other = papers.own_rows[:2] if len(papers.own_rows) > 1 else (HOME, OTHER_GRAPH)
    return home, other, home.on(OTHER_MACHINE)


def policy(papers, planner):
    return made.pretrain([places(papers)[0]], planner, 1, papers.settings.plans(HOME_PLANS))


def used(papers, planner, row):
    return [made.use(row, policy(papers, planner), 1, papers.settings.plans(PROPOSALS), may_refuse=True)]


def scratch(papers, planner, row):
    return [made.place(row, planner, 1, papers.settings.plans(PROPOSALS), searches=True)]


def jobs(papers):
    for planner in papers.learned():
        for row in places(papers):
            yield from used(papers, planner, row)
        for row in places(papers)[1:]:
            yield from scratch(papers, planner, row)


def refusal(papers, planner, row):
    answers = papers.answers(used(papers, planner, row))
    return answers[0].get("refused") if answers else None


def shown(papers, planner, row):
    return "refused" if refusal(papers, planner, row) else papers.show(used(papers, planner, row))


def lines(papers):
    home, other, moved = places(papers)
    for planner in papers.learned():
        why = refusal(papers, planner, other)
        yield [f"`{planner}`", shown(papers, planner, home), shown(papers, planner, other), papers.show(scratch(papers, planner, other)),
               shown(papers, planner, moved), papers.show(scratch(papers, planner, moved)), why or SERVES]


def text(papers):
    home, other, moved = places(papers)
    head = ["planner", home.name, other.name, "from scratch", moved.name, "from scratch", "why"]
    serve = [f"`{planner}`" for planner in papers.learned() if not refusal(papers, planner, other)]
    return "\n".join([
        f"`bench/papers/go --tables go-elsewhere`: each planner trained on {home.name} with {papers.settings.plans(HOME_PLANS).text}, one seed; then "
        f"`berth place --policy RUN --zero-shot --evaluations {PROPOSALS}` there, on another graph and on another machine, beside as many plans "
        "from scratch. The reason is the line that `berth` says, with exit code 2.\n",
        markdown.table(head, "lrrrrrl", list(lines(papers))),
        f"- Of use elsewhere without a change: {' and '.join(serve)}; the others are as wide as the problem they were trained on.\n"])


TABLE = Table("go-elsewhere", "all learned planners trained on one problem, used on another", jobs, text)
