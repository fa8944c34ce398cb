#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that README.md and docs/*.md show, and compares what they show below them. Usage: docs_test.py BERTH [PAGE.md...]

Every line "$ berth ..." or "$ ./run ..." of a ```console block runs in bash and must end with status 0, or with the one it
states: "$ berth ...  # exit 1". The blocks of one file run in order in one empty folder. Other commands are not run.

Lines below a command are its output, first stdout, then stderr; without any nothing is compared. How wide columns are does
not matter. What may differ is marked:
- "..." stands for whatever is there: as a line of its own for any number of lines, within a line for any text;
- below a comment <!-- numbers of a search --> every number, with its unit, stands for any number, and lines stand in any order: what a
  search finds in its time, and so who comes first in a table, depends on the computer and on what else it does.
A block that shows commands of berth and is no console block is not run, so it shows no output.
"""
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BERTH, only = "", []
SEARCHED = "<!-- numbers of a search -->"
BLOCK = re.compile(r"^(<!--[^\n]*-->\n)?```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:berth|\./run)(?: .*)?")
STATED = re.compile(r"#.*\bexit (\d)\b")
NUMBER = re.compile(r"\d[\d,.]*\d|\d")
UNITS = re.compile(r"# ?(?:[num]?s|min|h|[KMGT]iB|B|%)(?![\w])")
LEFT_OUT = "..."


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


class Shown:
    """A command of a block with the lines below it."""

    def __init__(self, command, is_searched):
        self.command, self.is_searched, self.lines = command, is_searched, []


def shown_in(text):
    """Commands of all console blocks, lines that end in a backslash joined, each with the output shown."""
    commands = []
    for comment, language, block in BLOCK.findall(text):
        if language != "console":
            continue
        shown = None
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("$ "):
                shown = Shown(line[2:], comment.strip() == SEARCHED)
                commands.append(shown)
            elif shown is not None:
                shown.lines.append(line)
    return [shown for shown in commands if COMMAND.fullmatch(shown.command)]


def stated_status(command):
    stated = STATED.search(command)
    return int(stated.group(1)) if stated else 0


def in_words(line, is_searched):
    """A line without what does not matter."""
    if is_searched:
        line = UNITS.sub("#", NUMBER.sub("#", line))
    return " ".join(line.split())


def same_line(shown, real):
    if shown.endswith(" " + LEFT_OUT) and same_line(shown[:-len(LEFT_OUT)].rstrip(), real):
        return True  # nothing at all was left out
    return re.fullmatch(".*".join(map(re.escape, shown.split(LEFT_OUT))), real) is not None


def same_output(shown, real):
    """Whether the lines are those shown, where "..." stands for any number of them."""
    if not shown:
        return not real
    if shown[0] == LEFT_OUT:
        return any(same_output(shown[1:], real[skipped:]) for skipped in range(len(real) + 1))
    return bool(real) and same_line(shown[0], real[0]) and same_output(shown[1:], real[1:])


def same_lines(shown, real):
    """The same in any order: every line that is shown is one of the others, and without "..." there are no more."""
    left = list(real)
    for line in sorted(shown, key=lambda line: line.count(LEFT_OUT)):  # what says least takes what is left
        if line == LEFT_OUT:
            continue
        found = next((other for other in left if same_line(line, other)), None)
        if found is None:
            return False
        left.remove(found)
    return LEFT_OUT in shown or not left


def difference(shown, output):
    """None if the output is as shown, else both."""
    expected = [in_words(line, shown.is_searched) for line in shown.lines]
    real = [in_words(line, shown.is_searched) for line in output.splitlines()]
    if (same_lines if shown.is_searched else same_output)(expected, real):
        return None
    return "\n".join(difflib.unified_diff(shown.lines, output.splitlines(), "shown", "real", lineterm=""))


class DocsTest(unittest.TestCase):
    def test_every_command_does_what_it_says(self):
        files = pages()
        if not self.has_learned_planners():
            files.remove(ROOT / "docs" / "training.md")
        if not self.has_learned_planners() or len(os.sched_getaffinity(0)) < 2:
            files.remove(ROOT / "docs" / "measuring.md")  # needs libtorch, and two cores for two devices
        for path in files:
            if only and path.name not in only:
                continue
            with tempfile.TemporaryDirectory() as folder:
                self.prepare(pathlib.Path(folder))
                for shown in shown_in(path.read_text()):
                    with self.subTest(file=path.name, command=shown.command):
                        self.run_command(shown, folder)

    def has_learned_planners(self):
        planners = json.loads(subprocess.run([BERTH, "planners", "--json"], capture_output=True, text=True).stdout)["planners"]
        return any(planner["learned"] and planner["built"] for planner in planners)

    def prepare(self, folder):
        """A `berth` in the path, a `run` that behaves like the project's without building, and the examples."""
        (folder / ".bin").mkdir()
        (folder / ".bin" / "berth").symlink_to(BERTH)
        run = folder / "run"
        run.write_text(f'#!/bin/sh\n[ $# -gt 0 ] || set -- demo\nexec "{BERTH}" "$@"\n')
        run.chmod(0o755)
        (folder / "examples").symlink_to(ROOT / "examples")

    def run_command(self, shown, folder):
        env = {**os.environ, "PATH": f"{folder}/.bin:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-o", "pipefail", "-c", shown.command], cwd=folder, env=env, capture_output=True, text=True,
                              timeout=1800)
        self.assertEqual(done.returncode, stated_status(shown.command), done.stderr)
        if shown.lines:
            differs = difference(shown, done.stdout + done.stderr)
            self.assertIsNone(differs, f"\n{differs}")

    def test_blocks_that_are_not_run_show_no_output(self):
        for path in pages():
            for comment, language, block in BLOCK.findall(path.read_text()):
                lines = block.replace("\\\n", " ").splitlines()
                if language != "console" and any(line.startswith("$ ") for line in lines):
                    self.assertEqual([line for line in lines if not line.startswith("$ ")], [], f"{path.name}: {block}")

    def test_comments_above_blocks_are_known(self):
        for path in pages():
            for comment, language, block in BLOCK.findall(path.read_text()):
                if comment and language == "console":
                    self.assertEqual(comment.strip(), SEARCHED, path.name)


class NamedFilesTest(unittest.TestCase):
    """Files of the repository that pages name, whole paths and the names of tests, are there. Decisions and the changelog are history."""

    def named_in(self, text):
        for name in re.findall(r"`([\w./{},*-]+)`", text):
            begin, _, behind = name.partition("{")
            middle, _, end = behind.partition("}")
            yield from (begin + part + end for part in middle.split(","))

    def test_they_are_there(self):
        tests = {path.name for path in (ROOT / "tests").rglob("*_test.*")}
        for page in [*pages(), ROOT / "CONTRIBUTING.md"]:
            for name in self.named_in(page.read_text()):
                with self.subTest(page=page.name, name=name):
                    if re.match(r"(src|tests|bench|scripts|tools|web|python|cmake|examples|policies)/.", name) and "/x" not in name:
                        self.assertTrue(list(ROOT.glob(name.rstrip("/").replace("NAME", "*"))), "no such file or folder")
                    elif re.fullmatch(r"\w+_test\.(cc|py|mjs)", name) and name != "x_test.cc":
                        self.assertIn(name, tests)

    def test_names_are_found(self):
        self.assertEqual(list(self.named_in("`src/a/{b,c}.h` and `x_test.cc`, `not this`")), ["src/a/b.h", "src/a/c.h", "x_test.cc"])


class ConventionTest(unittest.TestCase):
    """What the rules above make of small pages."""

    def test_commands_are_found(self):
        text = "```console\n$ berth a \\\n  b\noutput\n$ ls\nother\n$ ./run\n```\n```\n$ berth not\n```\n"
        shown = shown_in(text)
        self.assertEqual([one.command for one in shown], ["berth a    b", "./run"])
        self.assertEqual([one.lines for one in shown], [["output"], []])
        self.assertEqual(stated_status("berth x  # exit 1"), 1)

    def differs(self, page, output):
        return difference(shown_in(page)[0], output) is not None

    def test_output_is_compared(self):
        page = "```console\n$ berth x\nstep time  12.5 ms\nplan a.json\n```\n"
        self.assertFalse(self.differs(page, "step time    12.5 ms\nplan a.json\n"))  # columns may be wider
        for other in ("step time 12.6 ms\nplan a.json\n", "step time 12.5 ms\n", "step time 12.5 ms\nplan a.json\nmore\n", ""):
            self.assertTrue(self.differs(page, other), other)

    def test_what_is_left_out(self):
        page = "```console\n$ berth x\nsearch ..., 5 plans\n...\nend\n```\n"
        self.assertFalse(self.differs(page, "search 3.1 ms, 5 plans\nend\n"))
        self.assertFalse(self.differs(page, "search 9 s, 5 plans\na\nb\nend\n"))
        self.assertTrue(self.differs(page, "search 3.1 ms, 6 plans\nend\n"))
        self.assertTrue(self.differs(page, "search 3.1 ms, 5 plans\na\n"))

    def test_numbers_of_a_search(self):
        page = f"{SEARCHED}\n```console\n$ berth x\nauto  1.52 s  1.00x  gpu2 6.99 GiB (58 %)\n```\n"
        self.assertFalse(self.differs(page, "auto  847 ms  1.10x  gpu1 900 MiB (100 %)\n"))
        self.assertTrue(self.differs(page, "auto  847 ms  1.10x slower  gpu1 900 MiB (100 %)\n"))
        self.assertTrue(self.differs(page, "metis  847 ms  1.10x  gpu1 900 MiB (100 %)\n"))
        self.assertTrue(self.differs(page.replace(SEARCHED, ""), "auto  847 ms  1.00x  gpu2 6.99 GiB (58 %)\n"))

    def test_lines_of_a_search_stand_in_any_order(self):
        page = f"{SEARCHED}\n```console\n$ berth x\nauto  1.52 s  ...\nmetis  3.31 s\nend\n```\n"
        self.assertFalse(self.differs(page, "metis  1.2 s\nauto  3 s  as metis has it\nend\n"))
        self.assertTrue(self.differs(page, "metis  1.2 s\nauto  3 s  as metis has it\n"))
        self.assertTrue(self.differs(page, "metis  1.2 s\nauto  3 s  as metis has it\nend\nmore\n"))
        self.assertTrue(self.differs(page.replace(SEARCHED, ""), "metis  3.31 s\nauto  1.52 s  refined\nend\n"))
        self.assertFalse(self.differs(page.replace("end\n", "...\n"), "metis  1.2 s\nmore\nauto  3 s\n"))


if __name__ == "__main__":
    BERTH = os.path.abspath(sys.argv.pop(1))
    only = [pathlib.Path(word).name for word in sys.argv[1:] if word.endswith(".md")]  # pages, if not all
    sys.argv = [word for word in sys.argv if not word.endswith(".md")]
    if missing := sorted(set(only) - {path.name for path in pages()}):
        sys.exit(f"no page named {', '.join(missing)}; there are {', '.join(path.name for path in pages())}")
    unittest.main(verbosity=1)
