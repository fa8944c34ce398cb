#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts a generated table into a page, between <!-- NAME:begin --> and <!-- NAME:end -->; the rest stays as it is.

build/release/bench/auto_ablation | bench/put_section.py ablation              into docs/results.md
bench/exact_gaps.py build/release/berth | bench/put_section.py exact-gaps
"""
import argparse
import os
import pathlib
import sys

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "results.md"


def put(page, name, text):
    """The page with the section's text replaced. Raises ValueError unless the page has the markers once, in order."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        raise ValueError(f"needs '{begin}' and '{end}' once each, in this order")
    before, rest = page.split(begin)
    return f"{before}{begin}\n{text.strip()}\n{end}{rest.split(end)[1]}"


def put_into(path, name, text):
    """The same for a file, written whole or not at all."""
    try:
        page = put(path.read_text(), name, text)
    except (OSError, ValueError) as error:
        sys.exit(f"{path.name}: {error}")
    half = path.with_name(path.name + ".part")
    half.write_text(page)
    os.replace(half, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of the section")
    parser.add_argument("page", nargs="?", type=pathlib.Path, default=RESULTS, help="default: docs/results.md")
    options = parser.parse_args()
    text = sys.stdin.read()
    if not text.strip():
        sys.exit("nothing on stdin, so the page stays as it is")
    put_into(options.page, options.name, text)


if __name__ == "__main__":
    main()
