# SPDX-License-Identifier: Apache-2.0
"""The runs that tables are made of, each as one command."""
from lib.jobs import BERTH, POLICY, RIVALS, RUN, Budget, Job  # noqa: F401 (tables take Budget from here)

LEARNED_START_S = 2.0  # loading libtorch and building a policy
SLOW = {"hsdag": 8.0}  # times what a plan takes elsewhere, with all that is learned from it


def plan_s(row, learns):
    """Seconds of one plan, roughly: of its evaluation, or of that and all that is learned from it."""
    return 0.003 + 20 * row.evaluation_s if learns else row.evaluation_s


def seconds(budget, row, learns=False):
    return budget.seconds(plan_s(row, learns))


def train(row, planner, seed, budget, preset="", options=(), objective="", ranks=1):
    """`berth train`, under mpirun if there are several ranks. Options are "name=value"."""
    command = ("mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)) if ranks > 1 else ()
    command += (BERTH, "train", row.graph, "--machine", row.machine, "--planner", planner)
    command += ("--preset", preset) if preset else ()
    for option in options:
        command += ("--option", option)
    command += ("--objective", objective) if objective else ()
    command += (*budget.words, "--seed", str(seed), "--threads", "1", "-o", RUN, "--json")
    details = " ".join(filter(None, (preset, *options, objective, f"{ranks} ranks" if ranks > 1 else "")))
    label = f"{row.name}: {planner}{f' {details}' if details else ''}, seed {seed}"
    slow = SLOW.get(planner, 1.0) if budget.evaluations else 1.0
    return Job(label, command, slow * seconds(budget, row, learns=True) + LEARNED_START_S, alone=ranks > 1)


def pretrain(rows, planner, seed, budget, options=()):
    """One policy for all rows; its run is kept."""
    command = (BERTH, "train", *(f"{row.graph}@{row.machine}" for row in rows), "--planner", planner)
    for option in options:
        command += ("--option", option)
    command += (*budget.words, "--seed", str(seed), "--threads", "1", "-o", RUN, "--json")
    details = f" {' '.join(options)}" if options else ""
    label = f"{planner}{details} on {len(rows)} problems, seed {seed}"
    longest = max(seconds(budget, row, learns=True) for row in rows)
    return Job(label, command, longest + 2 * LEARNED_START_S, keeps=True)


def use(row, policy, seed, budget, finetune=False, flags=(), may_refuse=False):
    """`berth place --policy`: what a policy proposes for a row, or what it learns there within the budget."""
    command = (BERTH, "place", row.graph, "--machine", row.machine, "--policy", POLICY)
    command += ("--finetune", "1000000") if finetune else ("--zero-shot",)
    command += tuple(flags)
    command += (*budget.words, "--seed", str(seed), "--threads", "1", "--quiet", "--json")
    label = f"{row.name}: {' '.join(('fine-tuned' if finetune else 'zero-shot', *flags))} by {policy.label}, seed {seed}"
    return Job(label, command, seconds(budget, row, learns=finetune) + LEARNED_START_S, may_refuse=may_refuse, policy=policy)


def place(row, planner, seed, budget, objective="", searches=False, flags=()):
    command = (BERTH, "place", row.graph, "--machine", row.machine, "--planner", planner)
    command += ("--objective", objective) if objective else ()
    command += tuple(flags)
    command += (*budget.words, "--seed", str(seed), "--threads", "1", "--quiet", "--json")
    details = " ".join(filter(None, (objective, *flags)))
    label = f"{row.name}: {planner}{f' {details}' if details else ''}, seed {seed}"
    return Job(label, command, seconds(budget, row) if searches else min(2.0, 100 * row.evaluation_s))


def chance(row, kind, evaluations, seed, groups):
    """Best of so many plans by chance: kind `plans` or `groupings`."""
    command = (RIVALS, row.graph, row.machine, kind, str(evaluations), str(seed))
    command += (str(groups),) if kind == "groupings" else ()
    return Job(f"{row.name}: random {kind}, seed {seed}", command, evaluations * row.evaluation_s * 2.0)
