# SPDX-License-Identifier: Apache-2.0
"""Node, Chromium, playwright-core and TypeScript, where they can be had. npm fetches the last two, once, into the build folder."""
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
    """The folder that has node_modules/playwright-core and node_modules/typescript."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "package.json").read_text()
    done = folder / "package.json"
    has_all = all((folder / "node_modules" / name).is_dir() for name in ("playwright-core", "typescript"))
    if has_all and done.is_file() and done.read_text() == wanted:
        return folder
    done.write_text(wanted)
    install = subprocess.run([command("npm"), "install", "--ignore-scripts", "--no-audit", "--no-fund",
                              "--no-package-lock"], cwd=folder, capture_output=True, text=True, timeout=1800)
    if install.returncode != 0:
        done.unlink()
        reasons = [line for line in install.stderr.splitlines() if line.strip() and "complete log" not in line]
        reason = next((line for line in reasons if "reason" in line), reasons[-1] if reasons else "it does not say why")
        raise Missing(f"npm could not install playwright-core and typescript: {reason}")
    return folder


def run(script, folder, *args, timeout=3000):
    """Runs a script of this folder: SCRIPT MODULES CHROMIUM ARGS."""
    words = [command("node", "nodejs"), HERE / script, driver(folder), chromium(), *args]
    return subprocess.run([str(word) for word in words], timeout=timeout)
