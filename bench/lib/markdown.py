# SPDX-License-Identifier: Apache-2.0
"""Tables, verdicts and sections of pages in Markdown."""
import pathlib
import sys

from lib import files


def line(cells):
    """A bar within a cell would begin another one."""
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def rule(align):
    """`align`: a letter for each column, l or r."""
    return line("---:" if side == "r" else "---" for side in align)


def table(head, align, lines):
    return "\n".join([line(head), rule(align), *map(line, lines)]) + "\n"


class Printed:
    """A table that is printed while it is made."""

    def __init__(self, head, align):
        self.width = len(align)
        print(line(head), rule(align), sep="\n", flush=True)

    def add(self, *cells):
        if len(cells) != self.width:
            raise ValueError(f"{len(cells)} cells for {self.width} columns")
        print(line(cells), flush=True)


def verdict(holds):
    return "PASS" if holds else "FAIL"


def print_bars(bars, file=None):
    """What was asked, (what, whether it holds) each, and the exit code: 1 if one is missed."""
    missed = False
    for what, holds in bars:
        print(f"- {verdict(holds)}: {what}", file=file or sys.stdout, flush=True)
        missed = missed or not holds
    return 1 if missed else 0


def put(page, name, text):
    """The page with the text between <!-- NAME:begin --> and <!-- NAME:end --> replaced. Raises ValueError unless it has these
    markers once, in order."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        raise ValueError(f"needs '{begin}' and '{end}' once each, in this order")
    before, rest = page.split(begin)
    return f"{before}{begin}\n{text.strip()}\n{end}{rest.split(end)[1]}"


def table_of(page, name, *heads):
    """Lines of the first table of a section with all these heads, {head: cell} each; ValueError if there is none."""
    section = page.split(f"<!-- {name}:begin -->")[1].split(f"<!-- {name}:end -->")[0]
    for block in section.split("\n\n"):
        lines = [[cell.strip() for cell in one.strip().strip("|").split("|")] for one in block.strip().splitlines() if one.startswith("|")]
        if lines and set(heads) <= set(lines[0]):
            return [dict(zip(lines[0], cells)) for cells in lines[2:]]
    raise ValueError(f"section {name} has no table with {', '.join(heads)}")


def put_into(path, name, text):
    """The same for a file, written whole or not at all."""
    path = pathlib.Path(path)
    try:
        page = put(path.read_text(), name, text)
    except (OSError, ValueError) as error:
        sys.exit(f"{path.name}: {error}")
    files.write(path, page)
