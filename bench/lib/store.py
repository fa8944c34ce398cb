# SPDX-License-Identifier: Apache-2.0
"""Runs, one file each, named by a hash of what was run, of the files it read and of the programs: a benchmark that was killed goes on
where it stopped, and runs of another build are made anew."""
import functools
import hashlib
import json
import os
import pathlib
import shutil

from lib import berth, files, metrics
from lib.jobs import BERTH, POLICY, RIVALS, RUN

GRACE_S = 180.0  # beyond three times what was expected: a run hangs
# Containers run as root; mpirun refuses that unless told.
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@functools.cache
def digest_of(path):
    """Of a file, which is read once; "none" if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else "none"


class Store:
    """`program`: berth, with berth-learned and bench/random_rivals beside it."""

    def __init__(self, program, folder):
        path = pathlib.Path(program.path)
        rivals = path.parent / "bench" / "random_rivals"
        self.berth = program
        self.programs = {BERTH: str(path), RIVALS: str(rivals)}
        # Both halves of berth count for every run of it: planners without learning live in the first, the others in the second.
        self.builds = {BERTH: [digest_of(path), digest_of(path.with_name("berth-learned"))], RIVALS: [digest_of(rivals)]}
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        files.forget_killed(self.folder)
        self.answers, self.failures = {}, {}

    def key(self, job):
        program = next(word for word in job.command if word in self.builds)
        # A file counts by what is in it: it may change, or come from another folder.
        words = [digest_of(pathlib.Path(word)) if word.startswith("/") else word for word in job.command]
        text = json.dumps([self.builds[program], words, *([self.key(job.policy)] if job.policy else [])])
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
        except (OSError, KeyError, ValueError, berth.Failed) as error:
            self.failures[job] = str(error)
            return None
        files.write(self.path(job), json.dumps({"label": job.label, "command": job.command, "answer": answer}))
        self.answers[job] = answer
        return answer

    def ask(self, job):
        folder = files.make_folder(self.folder)
        try:
            names = {**self.programs, RUN: str(folder / "run")}
            if job.policy:
                names[POLICY] = str(self.run_path(job.policy))
            done = berth.run([names.get(word, word) for word in job.command], 3 * job.expected_s + GRACE_S, MPI_ENVIRONMENT)
            if done.code == 2 and job.may_refuse:
                said = done.errors.strip().removeprefix("berth: ")
                return {"refused": said.replace(names[POLICY], "RUN") if job.policy else said}
            answer = done.checked().json()
            if answer.get("interrupted"):
                raise berth.Failed("interrupted")
            if job.trains:
                answer["curve"] = metrics.thinned(metrics.curve(folder / "run"))
            if job.keeps:
                shutil.rmtree(self.run_path(job), ignore_errors=True)
                os.replace(folder / "run", self.run_path(job))
            return answer
        finally:
            shutil.rmtree(folder, ignore_errors=True)
