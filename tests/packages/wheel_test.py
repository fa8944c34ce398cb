#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wheels, in bare chroots with nothing but Python and its venv: a first plan, the report in Chromium; then berth[learn], which takes some
gigabytes of PyPI, and what it says of a torch that it was not made for. Usage: wheel_test.py [--no-learned] [RELEASE...]."""
import re
import sys

import bare

LEARN = """
import berth
plan = berth.place("{graph}", "k40x2", "hierarchical", evaluations=8)
run = berth.train("{graph}", "k40x2", "/srv/run2", updates=2)
assert plan.planner == "hierarchical" and run["updates"] == 2 and "hierarchical" in berth.planners()
print("learned: fine")
"""
PLAN = """
import berth
plan = berth.place("zoo:rnnlm", "k40x2", budget=2)
plan.report("/srv/python.html")
print(plan)
"""


def python_file(chroot, name, text):
    chroot.inside(f"tmp/{name}").write_text(text)
    return f"/env/bin/python /srv/{name}"


def check_plain(chroot):
    bare.timed(chroot, "pip install berth", "python3 -m venv /env && /env/bin/pip install -q --no-index --find-links /wheels berth")
    assert "step time" in bare.timed(chroot, "a first plan from Python", python_file(chroot, "plan.py", PLAN))
    berth = "/env/bin/berth"
    bare.check_program(chroot, berth)
    for command in ("train zoo:rnnlm -m k40x2 -o /srv/no", "probe"):
        done = chroot.run(f"{berth} {command}", check=False)
        assert done.returncode == 2 and done.stdout.count("\n") == 1 and "pip install 'berth[learn]'" in done.stdout, done.stdout
    assert "pip install 'berth[learn]'" in chroot.run(f"{berth} planners")


def check_torch(chroot):
    wheel = bare.made("wheels", "berth_learned-*.whl")[-1]
    bare.timed(chroot, "pip install berth[learn]", "/env/bin/pip install -q --find-links /wheels 'berth[learn]'")
    print(f"{chroot.release}: berth_learned {wheel.stat().st_size / 2**20:.1f} MiB; all of the environment", chroot.run("du -sh /env").split()[0], flush=True)
    bare.check_learned(chroot, "/env/bin/berth")
    graph = bare.TINY.split()[0]
    assert "fine" in bare.timed(chroot, "learned planners from Python", python_file(chroot, "learn.py", LEARN.format(graph=graph)))
    chroot.run("sed -i \"s/^__version__ = .*/__version__ = '2.1.0'/\" /env/lib/python3*/site-packages/torch/version.py")
    done = chroot.run(f"/env/bin/berth place {bare.TINY} -p hierarchical", check=False)
    assert done.returncode == 2 and re.fullmatch(r"berth: .* built for torch 2\.\d+, and there is 2\.1: pip install .*\n", done.stdout), done.stdout


def main():
    words = sys.argv[1:]
    wheels = bare.made("wheels", "berth-*.whl")[-1].parent
    for release in [word for word in words if not word.startswith("-")] or ["debian12", "debian13"]:
        with bare.chroot(release, {wheels: "/wheels"}) as chroot:
            print(f"{chroot.version()}:", flush=True)
            chroot.install("python3", "python3-venv")
            check_plain(chroot)
            if not release.startswith("ubuntu"):
                bare.check_browser(chroot)
            if "--no-learned" not in words:
                check_torch(chroot)


if __name__ == "__main__":
    main()
