# SPDX-License-Identifier: Apache-2.0
"""Runs of planners on rows of the suite, as jobs whose answers are kept."""
import dataclasses

from lib import cli, jobs, runner, store, units
from suite import rows

SEARCHERS = ("auto", "anneal", "genetic", "exact")  # use their whole budget as a rule: for estimates of time alone


@dataclasses.dataclass(frozen=True)
class Run:
    row: rows.Row
    planner: str
    seed: int
    budget: str
    scale: rows.Scale = rows.Scale()

    @property
    def label(self):
        factors = {"efficiency": self.scale.efficiency, "bandwidth": self.scale.bandwidth}
        scaled = "".join(f", {key} x {value:g}" for key, value in factors.items() if value != 1)
        return f"{self.row.name}{scaled}: {self.planner}, seed {self.seed}"

    def expected_s(self):
        return units.duration(self.budget) * (1.0 if self.planner in SEARCHERS else 0.1)


class Bench:
    """Runs things, and keeps their answers below `folder`."""

    def __init__(self, berth, folder, processes, threads):
        self.berth, self.folder, self.processes, self.threads = berth, folder, processes, threads
        self.planners = berth.planners()
        self.store = store.Store(berth, folder / "runs")

    @property
    def failures(self):
        return [f"{job.label}: {why}" for job, why in self.store.failures.items()]

    def job(self, run, machine):
        command = (jobs.BERTH, "place", run.row.graph_argument(), "--machine", machine, "--planner", run.planner, "--budget", run.budget,
                   "--seed", str(run.seed), "--threads", str(self.threads), "--quiet", "--json")
        return jobs.Job(run.label, command, run.expected_s(), alone=self.threads > 1 and self.planners[run.planner].uses_threads)

    def answers(self, runs):
        """Run to answer, for all that did not fail. Those with an answer on file are not run again."""
        # Before any process starts, so that none reads a machine half written.
        machines = {case: rows.machine_argument(self.berth, *case, self.folder) for case in {(run.row, run.scale) for run in runs}}
        wanted = {run: self.job(run, machines[run.row, run.scale]) for run in runs}
        todo = [job for job in wanted.values() if self.store.answer(job) is None]
        cli.say(f"{len(runs)} runs, {len(runs) - len(todo)} of them on file; the others take about {self.minutes(todo):.1f} min, "
                f"{self.processes} at a time")
        self.run_all(todo)
        return {run: answer for run, job in wanted.items() if (answer := self.store.answer(job)) is not None}

    def minutes(self, todo):
        return sum(job.expected_s / (1 if job.alone else self.processes) for job in todo) / 60

    def run_all(self, todo):
        waiting = sorted(todo, key=lambda job: -job.expected_s)  # long ones first, so that all processes end at about the same time

        def next_job(alone):
            job = next((job for job in waiting if job.alone == alone), None)
            if job is not None:
                waiting.remove(job)
            return job

        def finished(job, answer):
            result = f"FAILED: {self.store.failures[job]}" if answer is None else runner.summary(answer)
            cli.say(f"[{len(waiting)} runs, {self.minutes(waiting):.1f} min left] {job.label}: {result}")

        runner.Runner(self.store, self.processes, next_job, finished).run()
