# SPDX-License-Identifier: Apache-2.0
"""What the runs on a row say together. A planner "has" a row only if the median of its seeds is a time."""
from lib import stats
from lib.results import EQUAL, OOM, Cell, step_of

PAYS = 0.01   # several devices pay on a row if the best plan found is at least this much faster than one device


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


def mean_to_best(results, planner):
    """Geometric mean of median over best found, on the rows that the planner has, and how many it lacks."""
    ratios = [result.median(planner) / result.best for result in results if result.median(planner) < OOM]
    return stats.geometric_mean(ratios), len(results) - len(ratios)


def common_rows(results, planners):
    """Rows that all of these planners have."""
    return [result for result in results if all(result.median(planner) < OOM for planner in planners)]
