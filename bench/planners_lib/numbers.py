# SPDX-License-Identifier: Apache-2.0
"""What many runs say together.

A plan that is out of memory has no time: it ranks behind every plan that fits. So the median of three seeds is a time only if two
of them fit, and a planner "has" a row only if its median is a time.
"""
import dataclasses
import math
import statistics

OOM = math.inf
EQUAL = 1e-9  # step times that differ by less are the same
PAYS = 0.01   # several devices pay on a row if the best plan found is at least this much faster than one device


def step_of(answer):
    return answer["step_time_s"] if answer.get("feasible") else OOM


@dataclasses.dataclass
class Cell:
    """One planner on one row: all its seeds."""
    answers: list

    def __post_init__(self):
        self.answers = sorted(self.answers, key=step_of)
        self.steps = [step_of(answer) for answer in self.answers]
        self.median_answer = self.answers[len(self.answers) // 2]  # the worse of the two middle ones if they are even
        self.median = step_of(self.median_answer)

    @property
    def fits(self):
        return self.median < OOM

    @property
    def least(self):
        return self.steps[0]

    @property
    def most(self):
        return self.steps[-1]

    @property
    def search_s(self):
        return statistics.median(answer.get("search_s") or 0.0 for answer in self.answers)


class RowResult:
    """All planners on one row. Planners whose runs failed are not in `cells`."""

    def __init__(self, row, cells):
        self.row = row
        self.cells = cells
        every = [answer for cell in cells.values() for answer in cell.answers]
        self.ops = max((answer.get("ops") or 0 for answer in every), default=0)
        self.lower_bound = max((answer.get("lower_bound_s") or 0.0 for answer in every), default=0.0)
        self.best = min((step_of(answer) for answer in every), default=OOM)  # of all planners and seeds
        self.single = min((step_of(answer.get("best_single_device", {})) for answer in every), default=OOM)

    def median(self, planner):
        return self.cells[planner].median if planner in self.cells else OOM

    def best_median(self, planners):
        """Least median of these planners, and whose it is; (OOM, None) if none of them has the row."""
        medians = [(self.median(planner), planner) for planner in planners if self.median(planner) < OOM]
        return min(medians, default=(OOM, None), key=lambda pair: pair[0])

    @property
    def one_device(self):
        """"proved": one device meets the lower bound; "found": nothing better was found; "nearly": nothing better by
        1 %; "" where several devices pay; "no fit": no device holds it."""
        if self.single == OOM:
            return "no fit"
        if self.single <= self.lower_bound * (1 + EQUAL):
            return "proved"
        if self.single <= self.best * (1 + EQUAL):
            return "found"
        return "nearly" if self.best > self.single * (1 - PAYS) else ""

    @property
    def several_pay(self):
        return self.best < OOM and self.one_device in ("", "no fit")


def row_results(answers):
    """Results per row, in the order of the runs, from run to answer."""
    cells = {}
    for run, answer in answers.items():
        cells.setdefault(run.row, {}).setdefault(run.planner, []).append(answer)
    return [RowResult(row, {name: Cell(found) for name, found in planners.items()}) for row, planners in cells.items()]


def geometric_mean(values):
    values = list(values)
    return math.exp(statistics.fmean(map(math.log, values))) if values else math.nan


def mean_to_best(results, planner):
    """Geometric mean of median over best found, on the rows that the planner has, and how many it lacks."""
    ratios = [result.median(planner) / result.best for result in results if result.median(planner) < OOM]
    return geometric_mean(ratios), len(results) - len(ratios)


def common_rows(results, planners):
    """Rows that all of these planners have."""
    return [result for result in results if all(result.median(planner) < OOM for planner in planners)]
