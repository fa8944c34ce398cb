#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts a generated table into a page, between <!-- NAME:begin --> and <!-- NAME:end -->; the rest stays as it is.

build/release/bench/auto_ablation | bench/put_section.py ablation              into docs/results.md
bench/exact_gaps.py build/release/berth | bench/put_section.py exact-gaps
"""
import pathlib
import sys

from lib import cli, markdown, paths


def main():
    parser = cli.parser(__doc__, berth=False)
    parser.add_argument("name", help="of the section")
    parser.add_argument("page", nargs="?", type=pathlib.Path, default=paths.RESULTS, help="default: docs/results.md")
    options = parser.parse_args()
    text = sys.stdin.read()
    if not text.strip():
        sys.exit("nothing on stdin, so the page stays as it is")
    markdown.put_into(options.page, options.name, text)


if __name__ == "__main__":
    cli.run(main)
