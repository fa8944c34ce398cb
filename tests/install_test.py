#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build into an empty folder, then builds the examples against it and runs them, as a stranger would."""
import argparse
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from public_headers_test import public_headers

OPS = ["x", "a", "b", "left1", "right1", "left2", "right2", "left3", "right3", "sum"]


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def check_installed(prefix, source):
    """The program runs, and of the headers the public ones are there and no other."""
    assert re.fullmatch(r"berth \d+\.\d+\.\d+\n?", run(prefix / "bin" / "berth", "--version"))
    include = prefix / "include"
    installed = {file.relative_to(include).as_posix() for file in include.rglob("*") if file.is_file()}
    chosen, needed = public_headers(source)
    public = {f"berth/{header}" for header in chosen + needed}
    assert installed == public, f"missing: {sorted(public - installed)}, not public: {sorted(installed - public)}"


def check_share(prefix, source):
    """Manual pages, completions and documentation are where programs look for them, and the program finds the latter."""
    share = prefix / "share"
    for file in ("man/man1/berth.1", "man/man1/berth-place.1", "man/man1/berth-graph-info.1", "bash-completion/completions/berth",
                 "zsh/site-functions/_berth", "fish/vendor_completions.d/berth.fish", "doc/berth/LICENSE", "doc/berth/CHANGELOG.md"):
        assert (share / file).is_file(), file
    for page in (source / "docs").glob("*.md"):
        assert (share / "doc" / "berth" / page.name).read_text() == page.read_text(), page.name
    assert run(prefix / "bin" / "berth", "help", "constraints") == (source / "docs" / "constraints.md").read_text()
    assert f"{share}/doc/berth/machines.md" in run(prefix / "bin" / "berth", "help", "machines")  # and not the source's
    assert run(prefix / "bin" / "berth", "completion", "bash") == (share / "bash-completion" / "completions" / "berth").read_text()


def check_learned(prefix, build):
    """The second program is where the first one looks for it, if this build has it."""
    learned = prefix / "libexec" / "berth" / "berth-learned"
    assert learned.is_file() == (build / "berth-learned").is_file(), learned
    if learned.is_file():
        place = ["place", "zoo:rnnlm,batch=2,unroll=2,hidden=8,vocab=50", "-m", "k40x2", "--evaluations", "4"]
        assert "hierarchical" in run(prefix / "bin" / "berth", *place, "-p", "hierarchical")


def check_package(prefix, build, source):
    package = list(prefix.glob("lib*/**/cmake/berth/*.cmake"))
    assert len(package) >= 3, package
    for file in package:
        text = file.read_text()
        assert str(build) not in text and f"{source}/src" not in text, f"{file.name} names a folder of the build"


def seconds_of(text):
    """A time as people read it: "1.57 s", "23.4 ms", "850 us"."""
    number, unit = text.split()
    return float(number) * {"s": 1.0, "ms": 1e-3, "us": 1e-6}[unit]


def check_plan_a_graph(text, _folder):
    lines = text.splitlines()
    placed = dict(line.split() for line in lines[:-1])
    assert list(placed) == OPS, text
    assert placed["x"] == "cpu", text
    products = {placed[f"{tower}{layer}"] for tower in ("left", "right") for layer in (1, 2, 3)}
    assert products == {"gpu0", "gpu1"}, text
    seconds = re.fullmatch(r"step time (\d+(?:\.\d+)?) ms", lines[-1])
    # Three products of 137 GFLOP in a row at 4.29 TFLOP/s take 96 ms at the very least; all six on one GPU twice that.
    assert seconds and 96 < float(seconds[1]) < 192, text


def check_own_planner(text, _folder):
    """A table of three planners, best first, and below it the best single device and the bound of all. Then two on a suite."""
    table, board = text.split("\n\n")
    assert board.startswith("exact/1 in part: 3 problems, 100 evaluations a run, seeds 1 to 2\n"), text
    above = {name: float(ratio) for name, ratio in re.findall(r"^(\S+) +has 3 of 3, takes ([\d.]+)x of what is known$", board, re.MULTILINE)}
    assert set(above) == {"mine", "heft"} and min(above.values()) >= 1, text
    rows = [re.split(r"  +", line) for line in table.splitlines()[1:]]
    seconds = {row[0]: seconds_of(row[1]) for row in rows}
    names = list(seconds)
    assert set(names[:3]) == {"hill-climber", "auto", "heft"} and names[3:] == ["one device", "lower bound"], text
    assert names[:3] == sorted(names[:3], key=seconds.get), text
    assert seconds["lower bound"] <= seconds["auto"] <= seconds["one device"], text
    assert seconds["hill-climber"] < 0.9 * seconds["one device"], text
    evaluations = {row[0]: int(row[2]) for row in rows[:3]}
    assert evaluations["hill-climber"] == 3001 and evaluations["heft"] == 1, text  # the last plan is judged once more


def check_own_policy(text, _folder):
    """Plans become shorter while it learns, and the best is far better than that of as many random ones."""
    means = [seconds_of(mean) for mean in re.findall(r"update +\d+: mean (.*)", text)]
    assert len(means) == 5 and means[-1] < 0.6 * means[0], text
    trained, chance = (seconds_of(re.search(rf"{name} +(.*)", text)[1]) for name in ("trained", "random"))
    assert trained < 0.8 * chance, text


def check_score_a_batch(text, _folder):
    assert re.fullmatch(r"1000 plans of \d+ ops on \d+ threads: [1-9]\d* plans per second\nthe best is plan \d+: .* ms\n", text), text


def check_exchange_files(text, folder):
    assert re.search(r"^\d+ ops, hash [0-9a-f]{32}$", text, re.MULTILINE), text
    assert re.search(r"^.* is on cpu$", text, re.MULTILINE), text
    assert text.endswith("what was read is what was written\n"), text
    for file, format_name in (("graph.json.gz", "berth-graph/1"), ("problem.json.gz", "berth-problem/1"), ("plan.json", "berth-plan/1")):
        with (gzip.open if file.endswith(".gz") else open)(folder / file) as stream:
            assert json.load(stream)["format"] == format_name, file


def check_ask_for_a_plan(text, folder):
    lines = text.splitlines()
    assert re.match(r"step .*s, ", lines[0]), text
    assert any(line.startswith("- ") for line in lines), text
    assert re.search(r"^[1-9]\d* pieces on the critical path$", text, re.MULTILINE), text
    one, two = (seconds_of(re.search(rf"^devices = {count}: (.*)$", text, re.MULTILINE)[1]) for count in (1, 2))
    assert two < one, text
    assert (folder / "plan.dot").read_text().startswith("digraph"), "plan.dot"
    assert json.loads((folder / "plan.json").read_text())["format"] == "berth-plan/1"


EXAMPLES = {"plan_a_graph": check_plan_a_graph, "own_planner": check_own_planner, "own_policy": check_own_policy,
            "score_a_batch": check_score_a_batch, "exchange_files": check_exchange_files, "ask_for_a_plan": check_ask_for_a_plan}
TAKE_A_FOLDER = {"exchange_files", "ask_for_a_plan"}


def check_examples(build, source):
    """Every folder with a program among the examples is run, and says what it should."""
    page = (source / "docs" / "library.md").read_text()
    assert sorted(EXAMPLES) == sorted(file.parent.name for file in (source / "examples").glob("*/CMakeLists.txt"))
    for name, check in EXAMPLES.items():
        with tempfile.TemporaryDirectory() as folder:
            text = run(build / name / name, *([folder] if name in TAKE_A_FOLDER else []))
            check(text, pathlib.Path(folder))
            for line in text.splitlines():  # what does not depend on what a build has or how fast it is
                if line.startswith(("hill-climber", "one device")):
                    assert line in page.splitlines(), f"docs/library.md has another line than '{line}'"
                if line.startswith(("trained", "random")):
                    assert line.split(maxsplit=1)[1] in page, f"docs/library.md does not say '{line}'"


def main():
    parser = argparse.ArgumentParser()
    for name in ("cmake", "source", "build", "generator", "compiler"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--build-type", default="Release")
    parser.add_argument("--flags", default="")
    args = parser.parse_args()
    source = pathlib.Path(args.source)
    with tempfile.TemporaryDirectory() as folder:
        prefix, build = pathlib.Path(folder, "prefix"), pathlib.Path(folder, "examples")
        run(args.cmake, "--install", args.build, "--prefix", prefix)
        check_installed(prefix, source)
        check_share(prefix, source)
        check_learned(prefix, pathlib.Path(args.build))
        check_package(prefix, pathlib.Path(args.build), source)
        run(args.cmake, "-S", source / "examples", "-B", build, "-G", args.generator,
            f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={args.compiler}",
            f"-DCMAKE_BUILD_TYPE={args.build_type}", f"-DCMAKE_CXX_FLAGS={args.flags} -Wall -Wextra -Werror")
        run(args.cmake, "--build", build)
        check_examples(build, source)


if __name__ == "__main__":
    main()
