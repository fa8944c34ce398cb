# SPDX-License-Identifier: Apache-2.0
"""One run of a program: what is asked, and roughly how long it takes."""
import dataclasses
import re

from lib import units

# What a program or a folder is called in a command until it runs.
BERTH, RIVALS = "{berth}", "{random_rivals}"
RUN = "{run}"        # the folder that a training run makes
POLICY = "{policy}"  # the folder of the run that `policy` made


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

    def seconds(self, plan_s):
        """If one plan takes so long."""
        return self.evaluations * plan_s if self.evaluations else units.duration(self.time)


def unique(jobs):
    """Each once, the runs whose policies are used before those that use them."""
    return list(dict.fromkeys(part for job in jobs for part in ((job.policy, job) if job.policy else (job,))))
