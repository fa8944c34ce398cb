# SPDX-License-Identifier: Apache-2.0
"""Node, Chromium and playwright-core, where they can be had. npm fetches the last, once, into the build folder."""
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


class Missing(Exception):
    """What the browser test lacks, in one line."""


def command(*names):
    for name in names:
        if shutil.which(name):
            return shutil.which(name)
    raise Missing(f"{names[0]} is not there; Debian's package of that name has it")


def chromium():
    return command("chromium", "chromium-browser", "google-chrome")


def driver(folder):
    """The folder that has node_modules/playwright-core."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "package.json").read_text()
    done = folder / "package.json"
    if (folder / "node_modules" / "playwright-core").is_dir() and done.is_file() and done.read_text() == wanted:
        return folder
    done.write_text(wanted)
    install = subprocess.run([command("npm"), "install", "--ignore-scripts", "--no-audit", "--no-fund",
                              "--no-package-lock"], cwd=folder, capture_output=True, text=True, timeout=300)
    if install.returncode != 0:
        done.unlink()
        reasons = install.stderr.strip().splitlines() or ["no reason given"]
        raise Missing(f"npm could not install playwright-core: {reasons[-1]}")
    return folder


def run(script, folder, *args, timeout=600):
    """Runs a script of this folder: SCRIPT MODULES CHROMIUM ARGS."""
    words = [command("node", "nodejs"), HERE / script, driver(folder), chromium(), *args]
    return subprocess.run([str(word) for word in words], timeout=timeout)
