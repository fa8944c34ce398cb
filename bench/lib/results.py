# SPDX-License-Identifier: Apache-2.0
"""Step times of answers.

A plan that is out of memory has no time: it ranks behind every plan that fits. So the median of three seeds is a time only if two
of them fit.
"""
import dataclasses
import math

from lib import stats

OOM = math.inf
EQUAL = 1e-9  # step times that differ by less are the same


def step_of(answer):
    return answer["step_time_s"] if answer.get("feasible") else OOM


def over(value, base):
    """Ratio of two times of which either may be out of memory; both: nobody is worse than anybody."""
    if base == OOM:
        return 1.0 if value == OOM else 0.0
    return value / base


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
        return stats.median(answer.get("search_s") or 0.0 for answer in self.answers)
