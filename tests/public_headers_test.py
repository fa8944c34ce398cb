#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The public headers, as src/public_headers.txt lists them: they are there, include nothing that is not public, each compiles alone,
and each is used by an example, which for its part includes nothing else, and is named in docs/library.md.

public_headers_test.py SOURCE COMPILER [FLAG...]: the flags are for the compiler.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
LINE = re.compile(r"(\+ )?([a-z0-9_/]+\.h)")


def read_list(text):
    """(chosen, needed): headers that people are meant to include, and those that are there for their sake."""
    chosen, needed = [], []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        match = LINE.fullmatch(line)
        if not match:
            raise ValueError(f"public_headers.txt: '{line}' is neither a header, nor '+ ' and a header, nor a comment")
        (needed if match[1] else chosen).append(match[2])
    return chosen, needed


def public_headers(source):
    return read_list((source / "src" / "public_headers.txt").read_text())


def includes(text):
    """Ours, as paths below src/, and those of others."""
    found = INCLUDE.findall(text)
    return [name for kind, name in found if kind == '"'], [name for kind, name in found if kind == "<"]


def is_known_outside(name):
    """Of the standard library, or of fmt: all that a public header may ask of who includes it."""
    return re.fullmatch(r"[a-z_]+", name) or name.startswith("fmt/")


def examples_of(source):
    """Headers of ours that each file of the examples includes."""
    prefix = "berth/"
    return {file: [name.removeprefix(prefix) for name in includes(file.read_text())[1] if name.startswith(prefix)]
            for file in sorted((source / "examples").rglob("*")) if file.suffix in (".h", ".cc")}


class PublicHeaders(unittest.TestCase):
    def setUp(self):
        self.chosen, self.needed = public_headers(SOURCE)
        self.all = self.chosen + self.needed
        self.text = {name: (SOURCE / "src" / name).read_text() for name in self.all if (SOURCE / "src" / name).is_file()}

    def test_each_is_there_and_listed_once(self):
        self.assertEqual([name for name in self.all if name not in self.text], [], "listed, but not in src/")
        self.assertEqual(sorted(self.all), sorted(set(self.all)), "listed twice")

    def test_each_includes_public_headers_alone(self):
        private = [f"{name} includes {other}" for name, text in self.text.items() for other in includes(text)[0] if other not in self.all]
        self.assertEqual(private, [], "declare what is needed of it, or add it to src/public_headers.txt behind a +")
        foreign = [f"{name} includes <{other}>" for name, text in self.text.items() for other in includes(text)[1]
                   if not is_known_outside(other)]
        self.assertEqual(foreign, [])

    def test_those_behind_a_plus_are_needed(self):
        used = {other for text in self.text.values() for other in includes(text)[0]}
        self.assertEqual([name for name in self.needed if name not in used], [], "no public header includes it any more")

    def test_the_face_stays_small(self):
        self.assertLessEqual(len(self.chosen), 48)
        self.assertLessEqual(len(self.all), 72)

    def test_examples_use_every_chosen_header_and_no_other(self):
        examples = examples_of(SOURCE)
        self.assertGreaterEqual(len(examples), 4)
        other = [f"{file.parent.name} includes {name}" for file, names in examples.items() for name in names if name not in self.chosen]
        self.assertEqual(other, [], "not chosen as public")
        used = {name for names in examples.values() for name in names}
        self.assertEqual([name for name in self.chosen if name not in used], [], "public, but no example shows what for")

    def test_the_page_shows_what_is_compiled(self):
        page = (SOURCE / "docs" / "library.md").read_text()
        code = "\n".join(file.read_text() for file in examples_of(SOURCE))
        blocks = re.findall(r"```cpp\n(.*?)```", page, re.DOTALL)
        self.assertGreaterEqual(len(blocks), 3)
        self.assertEqual([block for block in blocks if block not in code], [], "docs/library.md: in no example")
        named = set(re.findall(r"`([a-z0-9_]+/[a-z0-9_/]+\.h)`", page))
        self.assertEqual(sorted(named.difference(self.chosen)), [], "docs/library.md: not chosen as public")
        self.assertEqual(sorted(set(self.chosen) - named), [], "docs/library.md does not say what for")

    def test_each_compiles_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            installed = pathlib.Path(folder, "berth")
            for name in self.text:
                (installed / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(SOURCE / "src" / name, installed / name)

            def compile_alone(name):
                command = [*COMPILER, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-x", "c++",
                           f"-I{folder}", f"-I{installed}", "-"]
                done = subprocess.run(command, input=f"#include <berth/{name}>\n", capture_output=True, text=True)
                return None if done.returncode == 0 else f"{name}: {done.stderr}"

            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                broken = [words for words in pool.map(compile_alone, self.text) if words]
        self.assertEqual(broken, [], "\n".join(broken))


class Rules(unittest.TestCase):
    """What the rules above make of small texts."""

    def test_list(self):
        self.assertEqual(read_list("# face\n\nplan/planner.h\n+ base/check.h\n"), (["plan/planner.h"], ["base/check.h"]))
        for line in ("plan/planner.cc", "+plan/planner.h", "plan/planner.h # a planner", "../planner.h"):
            with self.assertRaises(ValueError):
                read_list(line)

    def test_includes(self):
        self.assertEqual(includes('#include <vector>\n  # include "base/ids.h"\n// #include "no.h"\n'), (["base/ids.h"], ["vector"]))

    def test_known_outside(self):
        self.assertTrue(all(map(is_known_outside, ("vector", "string_view", "fmt/format.h"))))
        self.assertFalse(any(map(is_known_outside, ("simdjson.h", "CLI/CLI.hpp", "torch/torch.h", "unistd.h"))))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    SOURCE, COMPILER = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
