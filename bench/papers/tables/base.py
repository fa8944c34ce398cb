# SPDX-License-Identifier: Apache-2.0
"""What all tables of the papers share: settings, the runs on file, and how a result is shown."""
import dataclasses
import pathlib
import re

from lib import markdown, paths, stats, units
from lib.results import OOM, Cell
from papers.tables import jobs, rows

SEARCHERS = ("anneal", "dp")  # may use their whole budget


@dataclasses.dataclass
class Settings:
    """Budgets of one run by kind, and how often things run. `evaluations` replaces every budget: for small trials."""
    main: str = "60s"       # `hierarchical` in the main table
    learned: str = "30s"    # every other learned run outside the ablations
    ablation: str = "30s"
    classical: str = "5s"
    evaluations: int = 0
    seeds: int = 3
    random_runs: int = 3    # of random grouping
    ablation_seeds: int = 2
    many_rows_seeds: int = 1  # of ablations on six rows
    rank_evaluations: int = 2048
    delay_s: float = 5.0    # of one measurement, for curves against wall time
    groups: int = 64        # of random groupings
    rows: tuple = rows.SIX
    only: tuple = ()        # variants of ablations whose names contain one of these
    page: pathlib.Path = paths.RESULTS
    images: pathlib.Path = paths.RESULTS.parent / "images"

    def flags(self):
        """What a command must be given for these settings: a table says how it is made again."""
        names = {"main": "main-budget", "learned": "learned-budget", "ablation": "ablation-budget", "classical": "classical-budget"}
        counts = ("evaluations", "seeds", "random_runs", "ablation_seeds", "many_rows_seeds", "rank_evaluations")
        names.update((name, name.replace("_", "-")) for name in counts)
        usual = type(self)()
        return "".join(f" --{flag} {getattr(self, name)}" for name, flag in names.items() if getattr(self, name) != getattr(usual, name))

    def budget(self, kind):
        return jobs.Budget(evaluations=self.evaluations) if self.evaluations else jobs.Budget(getattr(self, kind))

    def chosen(self, names):
        """Those of some names that `only` asks for."""
        return tuple(name for name in names if not self.only or any(word in name for word in self.only))

    def plans(self, evaluations):
        return jobs.Budget(evaluations=self.evaluations or evaluations)


def with_flags(text, table, flags):
    """The command in front of a table's text, with the flags that it was given."""
    tables = f" --tables {table}" if flags else ""
    return re.sub(r"^`(bench/papers/\w+)( --tables \S+)?`:", lambda found: f"`{found[1]}{found[2] or tables}{flags}`:", text, count=1)


class Papers:
    """`planners`: what the program says of them."""

    def __init__(self, settings, runs_store, planners):
        self.settings, self.store, self.planners = settings, runs_store, planners

    @property
    def rows(self):
        return self.settings.rows

    @property
    def own_rows(self):
        """Those that the user has given instead of the papers'."""
        return [row for row in self.rows if row not in rows.SIX]

    def rows_of(self, models):
        """Those of the settings' rows that are of these models, or all if none is: rows of the user's own."""
        return [row for row in self.rows if row.model in models] or list(self.rows)

    def seeds(self, count=None):
        return range(1, (count or self.settings.seeds) + 1)

    def train(self, row, planner="hierarchical", kind="learned", seeds=None, **rest):
        return [jobs.train(row, planner, seed, self.settings.budget(kind), **rest) for seed in self.seeds(seeds)]

    def learned(self):
        """Names of the learned planners, in the order of the program."""
        return self.settings.chosen(name for name, one in self.planners.items() if one.learned)

    def place(self, row, planner, objective="", flags=(), seeds=None):
        count = seeds or self.settings.seeds if self.planners[planner].uses_seed else 1
        return [jobs.place(row, planner, seed, jobs.Budget(self.settings.classical), objective, planner in SEARCHERS, flags)
                for seed in self.seeds(count)]

    def answers(self, wanted):
        return [answer for job in wanted if (answer := self.store.answer(job)) is not None]

    def cell(self, wanted):
        """All seeds of one thing; None if every run failed."""
        answers = self.answers(wanted)
        return Cell(answers) if answers else None

    def median(self, wanted):
        cell = self.cell(wanted)
        return cell.median if cell else OOM

    def show(self, wanted):
        cell = self.cell(wanted)
        return shown(cell) if cell else "failed"

    def curves(self, wanted):
        return [answer["curve"] for answer in self.answers(wanted)]

    def evaluations(self, wanted):
        """Median over the seeds."""
        return stats.upper_median(answer.get("evaluations") or 0 for answer in self.answers(wanted)) or 0


def shown(cell):
    """Median, and the range of the seeds where they differ."""
    return units.spread(cell.median, cell.least, cell.most)


def published(value):
    return "-" if value is None else "OOM" if value == OOM else f"{value:g} s"


def share(value, base):
    """What `value` saves of `base`, as the papers count it: negative is a loss."""
    if base == OOM or value == OOM:
        return "-" if base == OOM else "no plan"
    return f"{100 * (1 - value / base):.1f} %"


@dataclasses.dataclass(frozen=True)
class Table:
    """A section of the page: what it needs, and its text once all of that is there."""
    name: str
    what: str
    jobs: object  # papers -> jobs; more of them as answers come in
    text: object  # papers -> Markdown
    unknown_s: object = lambda papers: 0.0  # about how long those take that depend on results: core seconds

    def write(self, papers):
        markdown.put_into(papers.settings.page, f"papers-{self.name}", with_flags(self.text(papers), self.name, papers.settings.flags()))
