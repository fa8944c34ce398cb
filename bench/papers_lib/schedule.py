# SPDX-License-Identifier: Apache-2.0
"""Runs the jobs of several tables, in the order of the tables, a few at a time, and writes a table once it has all of its own."""
import concurrent.futures
import sys
import time

from planners_lib import runs


def say(line):
    print(line, file=sys.stderr, flush=True)


def unique(jobs):
    """Each once, the runs whose policies are used before those that use them."""
    return list(dict.fromkeys(part for job in jobs for part in ((job.policy, job) if job.policy else (job,))))


class Schedule:
    """Tables have name, jobs(papers), which may grow as answers come in, and write(papers)."""

    def __init__(self, papers, tables, processes, minutes=None):
        self.papers, self.store, self.tables = papers, papers.store, tables
        self.processes = processes
        self.end = time.monotonic() + 60 * minutes if minutes is not None else None
        self.begun, self.written = set(), []

    def open_jobs(self):
        found = unique(job for table in self.tables for job in table.jobs(self.papers))
        return [job for job in found if job not in self.begun and not self.store.is_settled(job)]

    def is_ready(self, job):
        return job.policy is None or self.store.answer(job.policy) is not None

    def seconds_left(self):
        return sum(job.expected_s for job in self.open_jobs()) / self.processes

    def has_time_for(self, job):
        return self.end is None or time.monotonic() + job.expected_s <= self.end

    def next_job(self, alone):
        job = next((job for job in self.open_jobs() if job.alone == alone and self.is_ready(job) and self.has_time_for(job)), None)
        if job is not None:
            self.begun.add(job)
        return job

    def run(self):
        """True if all tables were written."""
        say(f"{len(self.open_jobs())} runs to make, about {self.seconds_left() / 60:.1f} min, {self.processes} at a time")
        self.write_finished()
        while True:
            before = len(self.begun)
            self.run_side_by_side()
            if job := self.next_job(alone=True):  # may open others
                self.finish(job, self.store.run(job))
            elif len(self.begun) == before:
                break
        for table in self.tables:
            if table.name not in self.written:
                say(f"not written: {table.name}, which lacks runs")
        return len(self.written) == len(self.tables)

    def run_side_by_side(self):
        own = {"initializer": runs.keep_to_own_core, "initargs": (runs.cores_for(self.processes),)} if self.processes > 1 else {}
        pool = concurrent.futures.ThreadPoolExecutor(self.processes, **own)
        running = {}
        try:
            while True:
                while len(running) < self.processes and (job := self.next_job(alone=False)):
                    running[pool.submit(self.store.run, job)] = job
                if not running:
                    return
                done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    self.finish(running.pop(future), future.result())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def finish(self, job, answer):
        result = f"FAILED: {self.store.failures[job]}" if answer is None else runs.summary(answer)
        say(f"[{self.seconds_left() / 60:.1f} min left] {job.label}: {result}")
        self.write_finished()

    def write_finished(self):
        for table in self.tables:
            if table.name not in self.written and all(map(self.store.is_settled, table.jobs(self.papers))):
                table.write(self.papers)
                self.written.append(table.name)
                say(f"written: {table.name}")
