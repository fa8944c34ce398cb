# SPDX-License-Identifier: Apache-2.0
"""All learned planners on a few rows with the same number of plans: how many plans each needs, `auto` beside them at equal plans and at
equal time, and learned and classical planners in one table."""
from lib import markdown, stats, units
from lib.results import OOM
from papers.tables import go_rows, jobs as made, source_lines
from papers.tables.base import Table
from papers.tables.rows import Row

CLASSICAL = ("auto", "anneal", "genetic", "heft", "dp", "metis", "scotch", "expert")
SEARCHERS = ("auto", "anneal", "genetic", "dp")  # may use all plans
# At most 1,700 ops each: `hsdag` takes a minute of a core for a thousand plans of that size.
ROWS = (Row("zoo:rnnlm,layers=2,unroll=8", "k40x2", 0.0002), go_rows.first_of("inception").row,
        Row("zoo:wavenet,stacks=1,layers=9", "k40x2", 0.0001))
PLANS, SEEDS, TIME = 1_040, 1, made.Budget("10s")  # two updates of `placeto`
NEAR = 0.95  # of its own best speed

# A word each, and why.
EXPLAINS = {
    "colocrl": ("little", "chances per group, and which groups the decoder looked at"),
    "hierarchical": ("little", "chances per group and device; no reason for a group"),
    "placeto": ("some", "a walk of single moves, each with its gain"),
    "go": ("little", "chances per node; order and devices from one network"),
    "hsdag": ("some", "clusters follow scores of edges that can be shown"),
    "auto": ("well", "every plan is a start and moves, each with its simulated gain"),
    "anneal": ("well", "accepted moves with their gains"),
    "genetic": ("some", "which parents a plan is mixed from"),
    "heft": ("fully", "a rank and an earliest finish per op, by hand if need be"),
    "dp": ("fully", "the optimum of a stated objective over contiguous stages"),
    "metis": ("fully", "a cut of stated weights"),
    "scotch": ("fully", "a mapping of stated weights"),
    "expert": ("fully", "a rule in words"),
}


def rows(papers):
    return papers.own_rows or list(ROWS)


def label(row):
    return next((one.label for one in go_rows.ROWS if one.row == row), row.name)


def learned(papers, row, planner):
    return [made.train(row, planner, seed, papers.settings.plans(PLANS)) for seed in range(1, SEEDS + 1)]


def classical(papers, row, planner):
    if planner not in SEARCHERS:
        return go_rows.place(papers, row, planner)
    count = 1 if planner == "dp" else SEEDS
    return [made.place(row, planner, seed, papers.settings.plans(PLANS), searches=True) for seed in range(1, count + 1)]


def by_time(papers, row, planner):
    """The same with a time to search."""
    budget = made.Budget(evaluations=papers.settings.evaluations) if papers.settings.evaluations else TIME
    if papers.planners[planner].learned:
        return [made.train(row, planner, seed, budget) for seed in range(1, SEEDS + 1)]
    return [made.place(row, planner, seed, budget, searches=True) for seed in range(1, SEEDS + 1)]


def runs(papers, row, planner):
    return learned(papers, row, planner) if papers.planners[planner].learned else classical(papers, row, planner)


def learned_jobs(papers):
    for row in rows(papers):
        for planner in papers.learned():
            yield from learned(papers, row, planner)


# How many plans each needs.

def needed(points, bound):
    """(plans, seconds) until the best is at most `bound`; None if it never is."""
    return next(((point[1], point[2]) for point in points if point[3] is not None and point[3] <= bound), None)


def to_own_best(papers, row, planner):
    """(plans, seconds), geometric means of the seeds; None if no plan fits."""
    found = [needed(points, points[-1][3] / NEAR) for points in papers.curves(learned(papers, row, planner)) if points and points[-1][3] is not None]
    if not found:
        return None
    return tuple(stats.geometric_mean([max(pair[i], 1e-3) for pair in found]) for i in (0, 1))


def sample_lines(papers):
    for planner in papers.learned():
        found = [to_own_best(papers, row, planner) for row in rows(papers)]
        cells = [f"{pair[0]:,.0f} ({pair[1]:.2g} s)" if pair else "no plan" for pair in found]
        known = [pair for pair in found if pair]
        means = [stats.geometric_mean([pair[i] for pair in known]) if known else OOM for i in (0, 1)]
        yield [f"`{planner}`", *cells, f"{means[0]:,.0f} ({means[1]:.2g} s)"]


def against_hierarchical(papers):
    """(row, what `hierarchical` needed for its best, what `go` needs for as good a plan), both (plans, seconds) or None: a run each."""
    for row in rows(papers):
        for mine, theirs in zip(papers.curves(learned(papers, row, "go")), papers.curves(learned(papers, row, "hierarchical"))):
            goal = theirs[-1][3] if theirs else None
            if goal is None:
                continue
            there, here = needed(theirs, goal * 1.0000001), needed(mine, goal * 1.0000001)
            yield row, there, here


def search_text(papers):
    found = list(against_hierarchical(papers))
    reached = [(there, here) for _, there, here in found if here]
    lacking = sorted({label(row) for row, _, here in found if not here})
    if not reached:
        return "- `go` never has what `hierarchical` ends with.\n"
    plans, time = (stats.geometric_mean([here[i] / there[i] for there, here in reached]) for i in (0, 1))
    return (f"- Search time: `go` has what `hierarchical` ends with after {plans:.3f} of its plans and {time:.3f} of its time, geometric mean of "
            f"{len(reached)} of {len(found)} runs (the paper: 1/15 of the time){'; never on ' + ', '.join(lacking) if lacking else ''}. "
            "`go` orders ops too.\n")


def samples_text(papers):
    return "\n".join([
        f"`bench/papers/go --tables go-samples`: evaluated plans (and seconds of one shared core) until the best plan of a run is within 5 % of "
        f"the best that the same run finds in {papers.settings.plans(PLANS).text}; {units.seeds(SEEDS)}, geometric means. Counted after every update; one of "
        "`placeto` takes 505 plans here.\n",
        markdown.table(["planner", *map(label, rows(papers)), "all"], "l" + "r" * (len(rows(papers)) + 1), list(sample_lines(papers))),
        search_text(papers)])


SAMPLES = Table("go-samples", "plans each learned planner needs, search time", learned_jobs, samples_text)


# `auto`, without any learned start, against each.

def auto_jobs(papers):
    yield from learned_jobs(papers)
    for row in rows(papers):
        yield from classical(papers, row, "auto")
        for planner in ("auto", *papers.learned()):
            yield from by_time(papers, row, planner)


def auto_text(papers):
    lines, lost, count = [], [], 0
    for row in rows(papers):
        for words, contest in ((papers.settings.plans(PLANS).text, runs), (TIME.text, by_time)):
            rivals = {planner: papers.median(contest(papers, row, planner)) for planner in papers.learned()}
            auto = contest(papers, row, "auto")
            mine = papers.median(auto)
            best = min(rivals, key=rivals.get)
            count += len(rivals)
            lost += [f"{label(row)}, {words}: `{planner}` {units.seconds(time)}, `auto` {units.seconds(mine)}" for planner, time in rivals.items()
                     if time < mine]
            lines.append([label(row), words, papers.show(auto), *(papers.show(contest(papers, row, planner)) for planner in rivals), units.ratio(mine / rivals[best])])
    return "\n".join([
        f"`bench/papers/go --tables go-auto`: `auto` without any learned start beside the learned planners at equal plans and at equal time (one core "
        f"that was shared with other work), {units.seeds(SEEDS)}.\n",
        markdown.table(["row", "budget", "`auto`", *(f"`{planner}`" for planner in papers.learned()), "`auto` / best of them"], "ll" + "r" * (len(lines[0]) - 2), lines),
        f"- `auto` is at least as good in {count - len(lost)} of {count} comparisons.\n", "".join(f"- `auto` loses: {one}.\n" for one in lost)])


AUTO = Table("go-auto", "`auto` against every learned planner", auto_jobs, auto_text)


# Learned and classical in one table.

def contest_jobs(papers):
    yield from auto_jobs(papers)
    for row in rows(papers):
        for planner in papers.settings.chosen(CLASSICAL):
            yield from classical(papers, row, planner)


def search_s(papers, row, planner):
    cell = papers.cell(runs(papers, row, planner))
    return max(cell.search_s, 1e-4) if cell else 1e-4


def contest_lines(papers):
    every = (*papers.learned(), *papers.settings.chosen(CLASSICAL))
    best = {row: min(papers.median(runs(papers, row, planner)) for planner in every) for row in rows(papers)}
    for planner in every:
        ratios = [papers.median(runs(papers, row, planner)) / best[row] for row in rows(papers)]
        known = [ratio for ratio in ratios if ratio < OOM]
        quality = units.ratio(stats.geometric_mean(known)) if known else "OOM"
        lacks = f" ({len(ratios) - len(known)} OOM)" if len(known) < len(ratios) else ""
        own, shared = source_lines.of_planner(planner, papers.planners)
        word, why = EXPLAINS[planner]
        yield [f"`{planner}`", quality + lacks, units.seconds(stats.geometric_mean([search_s(papers, row, planner) for row in rows(papers)])),
               f"{own:,}", f"{shared:,}", f"{word}: {why}"]


def contest_text(papers):
    return "\n".join([
        f"`bench/papers/go --tables go-classical`: quality: step time over the best of this table, geometric mean of {len(rows(papers))} rows "
        f"({', '.join(map(label, rows(papers)))}), at most {papers.settings.plans(PLANS).text} each, {units.seeds(SEEDS)} where a planner uses "
        "one. Search: time of one shared core. Lines of code without comments and empty lines, counted when the table is made: the planner's "
        "own files, and those that it shares with others of its kind (training, optimiser, checkpoints; libtorch, METIS and Scotch not counted). "
        "How well a plan can be explained is our judgement.\n",
        markdown.table(["planner", "quality", "search", "lines, own", "lines, shared", "explains itself"], "lrrrrl", list(contest_lines(papers)))])


CLASSICAL_TABLE = Table("go-classical", "learned and classical planners in one table", contest_jobs, contest_text)
