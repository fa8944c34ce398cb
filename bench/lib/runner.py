# SPDX-License-Identifier: Apache-2.0
"""Runs jobs, a few at a time, each on a core of its own; those that use all cores one after the other."""
import concurrent.futures
import os
import queue

from lib.results import step_of
from lib import units


class Runner:
    """`next_job(alone)`: a job to begin now, or None; more of them may come as others end. `finished(job, answer)` is told of each."""

    def __init__(self, store, processes, next_job, finished):
        self.store, self.processes = store, processes
        self.next_job, self.finished = next_job, finished

    def run(self):
        while self.run_side_by_side() + self.run_alone():
            pass

    def run_alone(self):
        """One of them: it may open others that need not be alone. How many were run."""
        job = self.next_job(True)
        if job is None:
            return 0
        self.finished(job, self.store.run(job))
        return 1

    def run_side_by_side(self):
        own = {"initializer": keep_to_own_core, "initargs": (cores_for(self.processes),)} if self.processes > 1 else {}
        pool = concurrent.futures.ThreadPoolExecutor(self.processes, **own)
        running, count = {}, 0
        try:
            while True:
                while len(running) < self.processes and (job := self.next_job(False)):
                    running[pool.submit(self.store.run, job)] = job
                    count += 1
                if not running:
                    return count
                done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    self.finished(running.pop(future), future.result())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def cores_for(processes):
    allowed = sorted(os.sched_getaffinity(0))
    cores = queue.SimpleQueue()
    for i in range(processes):
        cores.put(allowed[i % len(allowed)])
    return cores


def keep_to_own_core(cores):
    """For this thread and the programs it starts."""
    os.sched_setaffinity(0, {cores.get()})


def summary(answer):
    """Of a run that has ended, for who waits."""
    if "refused" in answer:
        return f"refused: {answer['refused']}"
    if "lessons" in answer:
        return "; ".join(map(summary, answer["lessons"]))
    took = f"in {answer['search_s']:.2f} s" if answer.get("search_s") is not None else "at once"
    return f"{units.seconds(step_of(answer))}, {took}" if answer.get("feasible") else f"no plan that fits, {took}"
