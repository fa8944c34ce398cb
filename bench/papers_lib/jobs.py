# SPDX-License-Identifier: Apache-2.0
"""One run of a program: what is asked, and roughly how long it takes."""
import dataclasses
import re

from planners_lib import runs

# What a program or a folder is called in a command until it runs.
BERTH, RIVALS, RUN = "{berth}", "{random_rivals}", "{run}"
POLICY = "{policy}"  # the folder of the run that `policy` made
LEARNED_START_S = 2.0  # loading libtorch and building a policy
SLOW = {"hsdag": 8.0}  # times what a plan takes elsewhere, with all that is learned from it


@dataclasses.dataclass(frozen=True)
class Budget:
    """Of one run: a time ("60s"), or a number of evaluated plans."""
    time: str = ""
    evaluations: int = 0

    @property
    def words(self):
        return ("--evaluations", str(self.evaluations)) if self.evaluations else ("--budget", self.time)

    @property
    def text(self):
        return f"{self.evaluations:,} evaluations" if self.evaluations else re.sub(r"(?<=\d)(?=[a-z])", " ", self.time)

    def seconds(self, row, learns=False):
        return self.evaluations * plan_s(row, learns) if self.evaluations else runs.seconds_of(self.time)


def plan_s(row, learns):
    """Seconds of one plan, roughly: of its evaluation, or of that and all that is learned from it."""
    return 0.003 + 20 * row.evaluation_s if learns else row.evaluation_s


@dataclasses.dataclass(frozen=True)
class Job:
    label: str = dataclasses.field(compare=False)
    command: tuple
    expected_s: float = dataclasses.field(compare=False)
    alone: bool = dataclasses.field(default=False, compare=False)  # uses all cores
    keeps: bool = dataclasses.field(default=False, compare=False)  # the folder of its run is kept, for others to use
    may_refuse: bool = dataclasses.field(default=False, compare=False)  # exit code 2 is an answer: {"refused": the line it says}
    policy: "Job | None" = None  # a run whose folder this one uses: begins when that is done

    @property
    def trains(self):
        return RUN in self.command


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
    return Job(label, command, slow * budget.seconds(row, learns=True) + LEARNED_START_S, alone=ranks > 1)


def pretrain(rows, planner, seed, budget, options=()):
    """One policy for all rows; its run is kept."""
    command = (BERTH, "train", *(f"{row.graph}@{row.machine}" for row in rows), "--planner", planner)
    for option in options:
        command += ("--option", option)
    command += (*budget.words, "--seed", str(seed), "--threads", "1", "-o", RUN, "--json")
    details = f" {' '.join(options)}" if options else ""
    label = f"{planner}{details} on {len(rows)} problems, seed {seed}"
    seconds = max(budget.seconds(row, learns=True) for row in rows)
    return Job(label, command, seconds + 2 * LEARNED_START_S, keeps=True)


def use(row, policy, seed, budget, finetune=False, flags=(), may_refuse=False):
    """`berth place --policy`: what a policy proposes for a row, or what it learns there within the budget."""
    command = (BERTH, "place", row.graph, "--machine", row.machine, "--policy", POLICY)
    command += ("--finetune", "1000000") if finetune else ("--zero-shot",)
    command += tuple(flags)
    command += (*budget.words, "--seed", str(seed), "--threads", "1", "--quiet", "--json")
    label = f"{row.name}: {' '.join(('fine-tuned' if finetune else 'zero-shot', *flags))} by {policy.label}, seed {seed}"
    return Job(label, command, budget.seconds(row, learns=finetune) + LEARNED_START_S, may_refuse=may_refuse, policy=policy)


def place(row, planner, seed, budget, objective="", searches=False, flags=()):
    command = (BERTH, "place", row.graph, "--machine", row.machine, "--planner", planner)
    command += ("--objective", objective) if objective else ()
    command += tuple(flags)
    command += (*budget.words, "--seed", str(seed), "--threads", "1", "--quiet", "--json")
    details = " ".join(filter(None, (objective, *flags)))
    label = f"{row.name}: {planner}{f' {details}' if details else ''}, seed {seed}"
    return Job(label, command, budget.seconds(row) if searches else min(2.0, 100 * row.evaluation_s))


def chance(row, kind, evaluations, seed, groups):
    """Best of so many plans by chance: kind `plans` or `groupings`."""
    command = (RIVALS, row.graph, row.machine, kind, str(evaluations), str(seed))
    command += (str(groups),) if kind == "groupings" else ()
    return Job(f"{row.name}: random {kind}, seed {seed}", command, evaluations * row.evaluation_s * 2.0)
