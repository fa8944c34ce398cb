# SPDX-License-Identifier: Apache-2.0
"""Runs of `berth place`, one file each, so that a benchmark that was killed goes on where it stopped."""
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import time

from planners_lib import suite

SEARCHERS = ("auto", "anneal", "genetic", "exact")  # use their whole budget as a rule: for estimates of time alone
GRACE = 120.0  # seconds beyond three budgets after which a run is ended: it hangs


def seconds_of(budget):
    found = re.fullmatch(r"([0-9.]+)(ms|s|min)", budget)
    if not found:
        sys.exit(f"--budget: '{budget}' is no time; write for example 500ms, 10s or 5min")
    return float(found[1]) * {"ms": 0.001, "s": 1, "min": 60}[found[2]]


@dataclasses.dataclass(frozen=True)
class Run:
    row: suite.Row
    planner: str
    seed: int
    budget: str
    scale: suite.Scale = suite.Scale()

    @property
    def label(self):
        factors = {"efficiency": self.scale.efficiency, "bandwidth": self.scale.bandwidth}
        scaled = "".join(f", {key} x {value:g}" for key, value in factors.items() if value != 1)
        return f"{self.row.name}{scaled}: {self.planner}, seed {self.seed}"

    def file_in(self, folder):
        figures = f"e{self.scale.efficiency:g}b{self.scale.bandwidth:g}"
        return folder / self.budget / figures / self.row.file_name / f"{self.planner}-{self.seed}.json"

    def expected_seconds(self):
        return seconds_of(self.budget) * (1.0 if self.planner in SEARCHERS else 0.1)


class Bench:
    """Runs things, and keeps their answers below `folder`. Answers of another build of the program are not used."""

    def __init__(self, berth, folder, jobs, threads, say=lambda line: print(line, file=sys.stderr, flush=True)):
        self.berth = str(pathlib.Path(berth).resolve())
        if not os.access(self.berth, os.X_OK):
            sys.exit(f"{berth}: no such program; build it, or name it by --berth")
        self.build = hashlib.sha256(pathlib.Path(self.berth).read_bytes()).hexdigest()[:16]
        self.folder = folder
        self.runs_folder = folder / "runs" / f"threads-{threads}"
        self.jobs = jobs
        self.threads = threads
        self.say = say
        self.failures = []

    def planners(self):
        """The classical planners of this build: name to whether it uses the seed."""
        return {one["name"]: one["uses_seed"] for one in self.listed() if one["built"] and not one["learned"]}

    def listed(self):
        done = subprocess.run([self.berth, "planners", "--json"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)["planners"]

    def answers(self, runs):
        """Run to answer, for all that did not fail. Those with an answer on file are not run again."""
        known = {run: answer for run in runs if (answer := self.on_file(run))}
        # Long ones first, so that both processes end at about the same time.
        open_runs = sorted((run for run in runs if run not in known), key=lambda run: -run.expected_seconds())
        self.say(f"{len(runs)} runs, {len(known)} of them on file; the others take about "
                 f"{sum(run.expected_seconds() for run in open_runs) / self.jobs / 60:.1f} min, {self.jobs} at a time")
        # Before any process starts, so that none reads a machine half written.
        machines = {case: suite.machine_argument(self.berth, *case, self.folder) for case in {(run.row, run.scale) for run in open_runs}}
        # Planners that use one thread run side by side, those that use all cores one after the other.
        on_all_cores = {one["name"] for one in self.listed() if one["uses_threads"]} if self.threads > 1 else set()
        for jobs, names in ((self.jobs, lambda name: name not in on_all_cores), (1, lambda name: name in on_all_cores)):
            known.update(self.run_all([run for run in open_runs if names(run.planner)], machines, jobs))
        return known

    def on_file(self, run):
        try:
            stored = json.loads(run.file_in(self.runs_folder).read_text())
        except (OSError, ValueError):
            return None
        return stored["answer"] if stored["build"] == self.build and stored["graph"] == run.row.graph else None

    def run_all(self, runs, machines, jobs):
        begin, done, found = time.monotonic(), 0.0, {}
        total = sum(run.expected_seconds() for run in runs)
        own = {"initializer": keep_to_own_core, "initargs": (cores_for(jobs),)} if jobs > 1 else {}
        pool = concurrent.futures.ThreadPoolExecutor(jobs, **own)
        futures = {pool.submit(self.run_one, run, machines[run.row, run.scale]): run for run in runs}
        try:
            for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
                run, answer = futures[future], future.result()
                if answer is not None:
                    found[run] = answer
                done += run.expected_seconds()
                left = (time.monotonic() - begin) * (total / done - 1)
                self.say(f"[{count}/{len(runs)}, {left / 60:.1f} min left] {run.label}: {summary(answer)}")
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return found

    def run_one(self, run, machine):
        try:
            command = [self.berth, "place", run.row.graph_argument(), "--machine", machine, "--planner", run.planner,
                       "--budget", run.budget, "--seed", str(run.seed), "--threads", str(self.threads), "--quiet", "--json"]
            answer = self.ask(command, 3 * seconds_of(run.budget) + GRACE)
        except (subprocess.SubprocessError, ValueError) as error:
            self.failures.append(f"{run.label}: {error}")
            return None
        path = run.file_in(self.runs_folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".part")
        half.write_text(json.dumps({"build": self.build, "graph": run.row.graph, "answer": answer}))
        os.replace(half, path)
        return answer

    def ask(self, command, timeout):
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        if done.returncode not in (0, 1):  # 1: nothing fits, which is an answer too
            raise ValueError(f"exit code {done.returncode}: {done.stderr.strip()[:300]}")
        answer = json.loads(done.stdout)
        if answer.get("interrupted"):
            raise ValueError("interrupted")
        return answer


def cores_for(jobs):
    allowed = sorted(os.sched_getaffinity(0))
    cores = queue.SimpleQueue()
    for i in range(jobs):
        cores.put(allowed[i % len(allowed)])
    return cores


def keep_to_own_core(cores):
    """For this thread and the programs it starts."""
    os.sched_setaffinity(0, {cores.get()})


def summary(answer):
    if answer is None:
        return "FAILED"
    if "refused" in answer:
        return f"refused: {answer['refused']}"
    if "lessons" in answer:
        return "; ".join(summary(lesson) for lesson in answer["lessons"])
    took = f"in {answer['search_s']:.2f} s" if answer.get("search_s") is not None else "at once"
    return f"{answer['step_time_s']:.4g} s, {took}" if answer.get("feasible") else f"no plan that fits, {took}"
