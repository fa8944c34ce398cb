# SPDX-License-Identifier: Apache-2.0
"""Runs the jobs of several tables, in the order of the tables, and writes a table once it has all of its own."""
import time

from lib import jobs, runner
from lib.cli import say


class Schedule:
    """Tables have name, jobs(papers), which may grow as answers come in, and write(papers)."""

    def __init__(self, papers, tables, processes, minutes=None):
        self.papers, self.store, self.tables = papers, papers.store, tables
        self.processes = processes
        self.end = time.monotonic() + 60 * minutes if minutes is not None else None
        self.begun, self.written = set(), []

    def open_jobs(self):
        found = jobs.unique(job for table in self.tables for job in table.jobs(self.papers))
        return [job for job in found if job not in self.begun and not self.store.is_settled(job)]

    def is_ready(self, job):
        return job.policy is None or self.store.answer(job.policy) is not None

    def minutes_left(self):
        return sum(job.expected_s for job in self.open_jobs()) / self.processes / 60

    def has_time_for(self, job):
        return self.end is None or time.monotonic() + job.expected_s <= self.end

    def next_job(self, alone):
        job = next((job for job in self.open_jobs() if job.alone == alone and self.is_ready(job) and self.has_time_for(job)), None)
        if job is not None:
            self.begun.add(job)
        return job

    def run(self):
        """True if all tables were written."""
        say(f"{len(self.open_jobs())} runs to make, about {self.minutes_left():.1f} min, {self.processes} at a time")
        self.write_finished()
        runner.Runner(self.store, self.processes, self.next_job, self.finish).run()
        for table in self.tables:
            if table.name not in self.written:
                say(f"not written: {table.name}, which lacks runs")
        return len(self.written) == len(self.tables)

    def finish(self, job, answer):
        result = f"FAILED: {self.store.failures[job]}" if answer is None else runner.summary(answer)
        say(f"[{self.minutes_left():.1f} min left] {job.label}: {result}")
        self.write_finished()

    def write_finished(self):
        for table in self.tables:
            if table.name not in self.written and all(map(self.store.is_settled, table.jobs(self.papers))):
                table.write(self.papers)
                self.written.append(table.name)
                say(f"written: {table.name}")
