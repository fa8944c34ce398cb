# SPDX-License-Identifier: Apache-2.0
"""Runs, one file each, named by what was run and with which programs: a benchmark that was killed goes on where it stopped, and
runs of another build are made anew."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from papers_lib import curves, jobs

GRACE_S = 180.0  # beyond three times what was expected: a run hangs
# Containers run as root; mpirun refuses that unless told.
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def digest_of(paths):
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes() if path.exists() else b"none")
    return digest.hexdigest()[:16]


class Store:
    def __init__(self, berth, folder):
        berth = pathlib.Path(berth).resolve()
        if not os.access(berth, os.X_OK):
            sys.exit(f"{berth.name}: no such program; build it, or name it by --berth")
        rivals = berth.parent / "bench" / "random_rivals"
        self.programs = {jobs.BERTH: str(berth), jobs.RIVALS: str(rivals)}
        # Both halves of berth count for every run of it: planners without learning live in the first, the others in the second.
        self.builds = {jobs.BERTH: digest_of([berth, berth.with_name("berth-learned")]), jobs.RIVALS: digest_of([rivals])}
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.answers, self.failures = {}, {}

    def key(self, job):
        program = next(word for word in job.command if word in self.builds)
        text = json.dumps([self.builds[program], job.command, *([self.key(job.policy)] if job.policy else [])])
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def path(self, job):
        return self.folder / f"{self.key(job)}.json"

    def run_path(self, job):
        """Where the folder of its run is kept."""
        return self.folder / f"{self.key(job)}.run"

    def answer(self, job):
        """What the program printed, with the member `curve` of a run that trained; None if it has not run, or failed."""
        if job in self.answers:
            return self.answers[job]
        try:
            stored = json.loads(self.path(job).read_text())
        except (OSError, ValueError):
            return None
        self.answers[job] = stored["answer"]
        return stored["answer"]

    def is_settled(self, job):
        """Whether there is nothing more to do about it."""
        return job in self.failures or self.answer(job) is not None

    def run(self, job):
        """Runs it and keeps the answer; what fails is remembered until the program ends, and tried again by the next."""
        try:
            answer = self.ask(job)
        except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
            self.failures[job] = str(error)
            return None
        half = self.path(job).with_suffix(".part")
        half.write_text(json.dumps({"label": job.label, "command": job.command, "answer": answer}))
        os.replace(half, self.path(job))
        self.answers[job] = answer
        return answer

    def ask(self, job):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=self.folder))
        try:
            names = {**self.programs, jobs.RUN: str(folder / "run")}
            if job.policy:
                names[jobs.POLICY] = str(self.run_path(job.policy))
            command = [names.get(word, word) for word in job.command]
            done = subprocess.run(command, capture_output=True, text=True, timeout=3 * job.expected_s + GRACE_S, check=False,
                                  env={**os.environ, **MPI_ENVIRONMENT})
            if done.returncode == 2 and job.may_refuse:
                return {"refused": done.stderr.strip().removeprefix("berth: ").replace(names.get(jobs.POLICY, ""), "RUN")}
            if done.returncode not in (0, 1):  # 1: nothing fits, which is an answer too
                raise ValueError(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
            answer = json.loads(done.stdout)
            if answer.get("interrupted"):
                raise ValueError("interrupted")
            if job.trains:
                answer["curve"] = curves.thinned(curves.read_metrics(folder / "run" / "metrics.jsonl"))
            if job.keeps:
                shutil.rmtree(self.run_path(job), ignore_errors=True)
                os.replace(folder / "run", self.run_path(job))
            return answer
        finally:
            shutil.rmtree(folder, ignore_errors=True)
