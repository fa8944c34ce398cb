#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TypeScript's type check of the report's page, which esbuild does not make. Usage: types_test.py FOLDER.

FOLDER is that of browser_test.py. Exits with 77, which ctest counts as skipped, where Node or npm cannot be had."""
import pathlib
import subprocess
import sys

import browser_tools

PROJECT = browser_tools.HERE.parents[1] / "web" / "tsconfig.json"


def main():
    try:
        modules = browser_tools.driver(pathlib.Path(sys.argv[1]))
        node = browser_tools.command("node", "nodejs")
    except browser_tools.Missing as missing:
        print(f"skipped: {missing}")
        sys.exit(77)
    compiler = modules / "node_modules" / "typescript" / "bin" / "tsc"
    done = subprocess.run([node, str(compiler), "--noEmit", "--project", str(PROJECT)], timeout=1800)
    print("types are right" if done.returncode == 0 else "types are wrong", flush=True)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
