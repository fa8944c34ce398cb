#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build into an empty folder, then builds and runs examples/plan_a_graph against it, as a stranger would."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

OPS = ["x", "a", "b", "left1", "right1", "left2", "right2", "left3", "right3", "sum"]


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def check_installed(prefix):
    """The program runs, public headers are there, and nothing points back at the source or build folder."""
    assert re.fullmatch(r"berth \d+\.\d+\.\d+\n?", run(prefix / "bin" / "berth", "--version"))
    for header in ("plan/planner.h", "graph/builder.h", "sim/simulator.h", "import/graph_file.h", "zoo/zoo.h"):
        assert (prefix / "include" / "berth" / header).is_file(), header
    assert not list((prefix / "include").rglob("*.cc"))


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


def check_output(text):
    lines = text.splitlines()
    placed = dict(line.split() for line in lines[:-1])
    assert list(placed) == OPS, text
    assert placed["x"] == "cpu", text
    products = {placed[f"{tower}{layer}"] for tower in ("left", "right") for layer in (1, 2, 3)}
    assert products == {"gpu0", "gpu1"}, text
    seconds = re.fullmatch(r"step time (\d+(?:\.\d+)?) ms", lines[-1])
    # Three products of 137 GFLOP in a row at 4.29 TFLOP/s take 96 ms at the very least; all six on one GPU twice that.
    assert seconds and 96 < float(seconds[1]) < 192, text


def main():
    parser = argparse.ArgumentParser()
    for name in ("cmake", "source", "build", "generator", "compiler"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--build-type", default="Release")
    parser.add_argument("--flags", default="")
    args = parser.parse_args()
    source = pathlib.Path(args.source)
    with tempfile.TemporaryDirectory() as folder:
        prefix, build = pathlib.Path(folder, "prefix"), pathlib.Path(folder, "example")
        run(args.cmake, "--install", args.build, "--prefix", prefix)
        check_installed(prefix)
        check_share(prefix, source)
        check_learned(prefix, pathlib.Path(args.build))
        check_package(prefix, pathlib.Path(args.build), source)
        run(args.cmake, "-S", source / "examples" / "plan_a_graph", "-B", build, "-G", args.generator,
            f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={args.compiler}",
            f"-DCMAKE_BUILD_TYPE={args.build_type}", f"-DCMAKE_CXX_FLAGS={args.flags} -Wall -Wextra -Werror")
        run(args.cmake, "--build", build)
        check_output(run(build / "plan_a_graph"))


if __name__ == "__main__":
    main()
