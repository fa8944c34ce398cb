#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md is true: its table of modules has those that there are, and what it says is somewhere is there. So is the list of decisions.

architecture_test.py [ROOT]"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUOTED = re.compile(r"`([^`]+)`")


def rows_of(text, heading):
    """Cells of the table whose first cell of the head is `heading`."""
    table = re.search(rf"^\| {re.escape(heading)} \|.*\n\|[ -|]*\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


def is_defined(function, text):
    """Whether the body of a function of that name stands in the text: a type before it, arguments and a brace behind it."""
    name = r"::".join(re.escape(part) for part in function.split("::"))
    body = rf"^[ \t]*(?!return\b|else\b)[\w:<>,&*\[\] ]*[\w>&*] ?[&*]?(?:\w+::)*\b{name}\([^;{{}}]*\)[^;(){{}}]*\{{"
    return re.search(body, text, re.MULTILINE) is not None


class Architecture(unittest.TestCase):
    def setUp(self):
        self.page = (ROOT / "docs" / "architecture.md").read_text()

    def test_modules_are_those_that_there_are(self):
        named = [QUOTED.search(row[0])[1] for row in rows_of(self.page, "module")]
        self.assertEqual(sorted(named), sorted(path.name for path in (ROOT / "src").iterdir() if path.is_dir()))

    def test_where_to_start_reading_is_there(self):
        for row in rows_of(self.page, "module"):
            folder = ROOT / "src" / QUOTED.search(row[0])[1]
            for name in QUOTED.findall(row[2]):
                self.assertTrue(list(folder.glob(name)), f"{folder.name}/{name}")

    def test_functions_are_where_the_page_says(self):
        rows = rows_of(self.page, "question")
        self.assertGreaterEqual(len(rows), 8)
        for question, files, functions in rows:
            files, functions = QUOTED.findall(files), QUOTED.findall(functions)
            self.assertEqual(len(files), len(functions), question)
            for file, function in zip(files, functions):
                self.assertTrue(is_defined(function, (ROOT / file).read_text()), f"{question} {file}: {function}")

    def test_folders_are_those_that_there_are(self):
        for module in ("plan", "learn"):
            section = self.page.split(f"## The folders of `{module}`")[1].split("\n## ")[0]
            named = {name.strip("/") for row in rows_of(section, "folder") for name in QUOTED.findall(row[0])}
            there = {path.name for path in (ROOT / "src" / module).iterdir() if path.is_dir()}
            self.assertEqual(named, there)

    def test_decisions_are_listed_by_number_and_title(self):
        folder = ROOT / "docs" / "decisions"
        rows = rows_of((folder / "README.md").read_text(), "number")
        self.assertEqual([int(number) for number, _ in rows], list(range(1, len(rows) + 1)), "a number without a page says why")
        listed = [text for _, text in rows if text.startswith("[")]
        pages = sorted(folder.glob("0*.md"))
        titles = [page.read_text().splitlines()[0] for page in pages]
        self.assertEqual(listed, [f"[{re.fullmatch(r'# [0-9]+[.] (.*)', title)[1]}]({page.name})" for title, page in zip(titles, pages)])
        self.assertEqual([int(title[2:].split(".")[0]) for title in titles], [int(page.name[:4]) for page in pages])

    def test_a_name_that_is_not_there_is_found(self):
        self.assertTrue(is_defined("price", "OpCost price(const Graph& graph,\n             OpId op) const {"))
        self.assertTrue(is_defined("run", "Result<Plan> Search::run() {"))
        self.assertTrue(is_defined("Search::run", "Result<Plan> Search::run() {"))
        for other in ("// price of an op\nint prices(int a) {", "OpCost price(const Graph& graph);", "  return price(graph, op);\n", "  use(price(a));\n}\nint f() {"):
            self.assertFalse(is_defined("price", other), other)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
