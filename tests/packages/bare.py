# SPDX-License-Identifier: Apache-2.0
"""What the tests of packages share: bare chroots of other releases (scripts/releases.py), and what is asked of Berth in each. Run by
./test --packages; where chroots cannot be made, a test ends with status 77 and says why."""
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import releases  # noqa: E402

SKIPPED = 77
TINY = "zoo:rnnlm,batch=2,unroll=2,hidden=8,vocab=50 -m k40x2"


def skip(why):
    print(f"skipped: {why}", flush=True)
    sys.exit(SKIPPED)


def chroot(release, binds=None):
    try:
        releases.base(release)
    except releases.Unavailable as why:
        skip(why)
    return releases.Chroot(release, binds)


def made(folder, pattern):
    """What make-packages or make-wheels has made, here or in chroots, oldest first; a test of what is not there is skipped."""
    found = [path for build in (ROOT / "build", *(ROOT / "build").glob("in-*")) for path in (build / folder).glob(pattern)]
    if not found:
        skip(f"no build/{folder}/{pattern}: scripts/make-{folder} makes it")
    return sorted(found, key=lambda path: path.stat().st_mtime)


def timed(chroot_, what, command, **more):
    """What it says; prints how long it took, for the docs."""
    begun = time.monotonic()
    said = chroot_.run(command, **more)
    print(f"{chroot_.release}: {what}: {time.monotonic() - begun:.1f} s", flush=True)
    return said


def check_program(chroot_, berth="berth"):
    """The demo, a plan with its report, documentation, every library that it needs."""
    assert re.match(r"berth \d+\.\d+\.\d+", chroot_.run(f"{berth} --version"))
    demo = timed(chroot_, "berth demo", f"{berth} demo")
    assert "lower bound" in demo and "auto" in demo, demo
    chroot_.run(f"{berth} place zoo:rnnlm -m k40x2 --evaluations 50 -o plan.json --report report.html", cwd="/srv")
    assert "<html" in chroot_.inside("tmp/report.html").read_text()[:1000]
    assert chroot_.run(f"{berth} help constraints") == (ROOT / "docs" / "constraints.md").read_text()
    planners = chroot_.run(f"{berth} planners")
    for name in ("scotch", "metis", "m-sct"):
        row, = [line for line in planners.splitlines() if line.startswith(f"{name} ")]
        assert "not in this build" not in row, row


def check_learned(chroot_, berth="berth"):
    """Learned planners, a policy that comes along, and a training run, whose files are written and read again."""
    assert "hierarchical" in timed(chroot_, "a learned planner", f"{berth} place {TINY} -p hierarchical --evaluations 8")
    chroot_.run(f"{berth} place {TINY} --policy default --evaluations 8")
    chroot_.run(f"rm -rf run && {berth} train {TINY} --updates 2 -o run -q && {berth} train --resume run --updates 3 -q && {berth} place {TINY} --policy run "
                "--evaluations 8", cwd="/srv")
    assert chroot_.inside("tmp/run/metrics.jsonl").read_text().count("\n") >= 3


def check_browser(chroot_):
    """The report, opened in Chromium; skipped where its release has none as a package."""
    chroot_.install("chromium")
    page = timed(chroot_, "the report in Chromium", "chromium --headless --no-sandbox --disable-gpu --dump-dom file:///srv/report.html 2> /dev/null")
    assert "rnnlm" in page and ("<canvas" in page or "<svg" in page), page[:500]


def check_cpp(chroot_):
    """A program of a stranger, by find_package(berth)."""
    chroot_.install("g++", "cmake", "make")
    source = chroot_.inside("tmp/plan_a_graph")
    subprocess.run(["cp", "-r", ROOT / "examples" / "plan_a_graph", source], check=True)
    timed(chroot_, "a C++ program", "cmake -S plan_a_graph -B out > /dev/null && cmake --build out > /dev/null && find out -type f -perm -1 -name plan_a_graph -exec {} ';' "
          "> said", cwd="/srv")
    assert "step time" in chroot_.inside("tmp/said").read_text()
