#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training run that is killed (kill -9) at random moments and resumed again and again, beside one that is left alone.

kill_resume.py BERTH                                   20 kills, a checkpoint a minute: about 40 minutes
kill_resume.py BERTH --kills 5 --interval 2            seconds instead of minutes

Bars: every resume goes on, from a checkpoint that is at most one interval old (and one update); in the end all numbers of all
updates and the best plan's time are those of the run that was left alone. Exit code 1 if one is missed.
"""
import json
import pathlib
import random
import tempfile
import time

from lib import cli, markdown, metrics
from lib.berth import Failed

TIMES = {"elapsed_s", "sample_s", "prepare_s", "wait_s", "gradient_s", "step_s"}  # of the machine, not of the run
SLACK_S = 1.0
PROBE_S = 5


def begin(flags, run, limit):
    return flags.berth.start("train", flags.graph, "--machine", flags.machine, "--planner", "hierarchical", "--seed", flags.seed,
                             "--threads", 1, "--checkpoint-every", f"{flags.interval:g}s", *limit, "-o", run, "--quiet", "--json")


def resume(flags, run, limit):
    return flags.berth.start("train", "--resume", run, "--threads", 1, "--checkpoint-every", f"{flags.interval:g}s", *limit, "--quiet", "--json")


def updates_for(flags, folder):
    """So many that all kills come before the end: half of the time between them is lost."""
    run = folder / "probe"
    begin(flags, run, ("--budget", f"{PROBE_S}s")).wait().checked()
    lines = metrics.lines(run)
    rate = len(lines) / json.loads(lines[-1])["elapsed_s"] if lines else 0.2
    return max(5, round(rate * flags.interval * flags.kills))


class Victim:
    """The run that is killed. `lost` has the seconds of training that every resume had to do again."""

    def __init__(self, flags, run, updates):
        self.flags, self.run, self.limit = flags, run, ("--updates", str(updates))
        self.kills, self.lost, self.longest_update = 0, [], 0.0
        self.before = []  # lines at the last kill that a resume has not answered yet

    def suffer(self, rng):
        """Its answer in the end."""
        begin_again = begin
        while True:
            running = begin_again(self.flags, self.run, self.limit)
            begin_again = resume
            if self.kills == self.flags.kills:
                answer = running.wait().checked().json()
                self.look_back()
                return answer
            self.wait_and_kill(running, rng.uniform(0.0, 2 * self.flags.interval))

    def wait_and_kill(self, running, seconds):
        end = time.monotonic() + seconds
        # The first kill waits for the run to exist: before that there is nothing to resume.
        while not running.has_ended() and (time.monotonic() < end or not (self.run / "config.json").exists()):
            time.sleep(0.01)
        if running.has_ended():
            running.wait().checked()
            raise Failed(f"- FAIL: the run ended after {self.kills} kills; give it more updates (--updates)")
        running.kill()
        running.wait()
        self.kills += 1
        self.look_back()
        self.before = metrics.lines(self.run)
        cli.say(f"kill {self.kills}: after update {len(self.before)}")

    def look_back(self):
        """How much the resume before had to do again: the lines that it did not keep."""
        now = metrics.lines(self.run)
        kept = sum(1 for _ in common(self.before, now))
        if self.before and now != self.before:
            times = [0.0, *(json.loads(line)["elapsed_s"] for line in self.before)]
            self.lost.append(times[-1] - times[kept])
            self.longest_update = max(self.longest_update, *(b - a for a, b in zip(times, times[1:])))


def common(one, other):
    for a, b in zip(one, other):
        if a != b:
            return
        yield a


def numbers_of(lines):
    return [{key: value for key, value in json.loads(line).items() if key not in TIMES} for line in lines]


def first_difference(reference, other):
    for update, (a, b) in enumerate(zip(reference, other), 1):
        if a != b:
            names = [key for key in a if a[key] != b.get(key)]
            return f"update {update} differs in {', '.join(names)}"
    return "" if len(reference) == len(other) else f"{len(other)} updates instead of {len(reference)}"


def run(flags, folder):
    """(What, whether it holds) of every bar."""
    updates = flags.updates or updates_for(flags, folder)
    limit = ("--updates", str(updates))
    left_alone = begin(flags, folder / "alone", limit)
    victim = Victim(flags, folder / "killed", updates)
    killed = victim.suffer(random.Random(flags.seed))
    alone = left_alone.wait().checked().json()
    yield f"{victim.kills} kills, every resume went on", victim.kills == flags.kills
    oldest, allowed = max(victim.lost, default=0.0), flags.interval + victim.longest_update + SLACK_S
    yield (f"the oldest checkpoint that was resumed was {oldest:.1f} s of training old (asked: {flags.interval:g} s, one update of "
           f"{victim.longest_update:.1f} s and {SLACK_S:g} s)"), oldest <= allowed
    difference = first_difference(numbers_of(metrics.lines(folder / "alone")), numbers_of(metrics.lines(folder / "killed")))
    yield f"all numbers of {updates:,} updates are those of a run left alone" + (f": {difference}" if difference else ""), not difference
    same = all(alone.get(key) == killed.get(key) for key in ("step_time_s", "evaluations", "feasible"))
    yield f"the best plan takes {killed.get('step_time_s')} s, left alone {alone.get('step_time_s')} s", same


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--graph", default="zoo:rnnlm", help="default zoo:rnnlm")
    parser.add_argument("--machine", default="k40x2", help="default k40x2")
    parser.add_argument("--kills", type=int, default=20, help="default 20")
    parser.add_argument("--interval", type=float, default=60.0, help="seconds between checkpoints (default 60)")
    parser.add_argument("--updates", type=int, help="of the run; default: as many as take kills x interval")
    parser.add_argument("--seed", type=int, default=1, help="of the run and of the kills (default 1)")
    flags = parser.parse_args()
    print(f"`{cli.command(parser, flags)}`: {flags.graph} on {flags.machine}, a checkpoint every {flags.interval:g} s, killed at "
          f"random within twice that, {flags.kills} times.\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        return markdown.print_bars((f"{what}.", holds) for what, holds in run(flags, pathlib.Path(folder)))


if __name__ == "__main__":
    cli.run(main)
