#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What packages are made with, as far as it can be told without making one: versions, choices of packages, the line about another torch,
the bill of materials. tests/packages tries packages themselves (./test --packages)."""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def script(name):
    """One of scripts/ as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(ROOT / "scripts" / name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path


class Versions(InAFolder):
    def test_all_places_agree(self):
        version = subprocess.run([ROOT / "scripts" / "version"], capture_output=True, text=True, check=True).stdout.strip()
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        project = (ROOT / "pyproject.toml").read_text()
        self.assertIn(f'\nversion = "{version}"\n', project)
        self.assertIn(f'"berth-learned=={version}"', project)
        self.assertRegex((ROOT / "CHANGELOG.md").read_text(), rf"(?m)^## {re.escape(version)} \(")

    def test_a_release_sets_them(self):
        (self.folder / "scripts").mkdir()
        for name in ("CMakeLists.txt", "pyproject.toml", "CHANGELOG.md", "scripts/release", "scripts/version"):
            shutil.copy(ROOT / name, self.folder / name)
        release = self.folder / "scripts" / "release"
        refused = subprocess.run([release, "1.2"], capture_output=True, text=True)
        self.assertEqual((refused.returncode, refused.stderr), (1, "berth: '1.2' is no version like 1.2.3\n"))
        subprocess.run([release, "7.8.9"], check=True, capture_output=True)
        self.assertIn("project(berth VERSION 7.8.9 ", (self.folder / "CMakeLists.txt").read_text())
        self.assertIn('"berth-learned==7.8.9"', (self.folder / "pyproject.toml").read_text())
        self.assertRegex((self.folder / "CHANGELOG.md").read_text(), r"(?m)^## 7\.8\.9 \(\d{4}-\d\d-\d\d\)$")
        again = subprocess.run([release, "7.9.0"], capture_output=True, text=True)  # nothing new is written yet
        self.assertIn("CHANGELOG.md: 0 lines", again.stderr)


FAKE_APT = """#!/bin/sh
case "$1" in
  policy) case "$2" in new|plain) echo "  Candidate: 1.0" ;; gone) echo "  Candidate: (none)" ;; esac ;;
  install) for word in "$@"; do echo "$word" >> "{log}"; done ;;
esac
"""


class Dependencies(InAFolder):
    def install(self, rows):
        tree, bin = self.folder / "tree", self.folder / "bin"
        (tree / "scripts").mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "scripts" / "install-dependencies", tree / "scripts")
        (tree / "dependencies.txt").write_text(rows)
        for name in ("apt-get", "apt-cache", "sudo"):
            self.program(bin / name, FAKE_APT.format(log=self.folder / "log"))
        self.program(bin / "sudo", '#!/bin/sh\nexec "$@"\n')
        self.program(bin / "dpkg-query", "#!/bin/sh\nfor word in \"$@\"; do [ \"$word\" = there ] && echo 'install ok installed'; done; exit 0\n")
        done = subprocess.run([tree / "scripts" / "install-dependencies", "build"], capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{bin}:{os.environ['PATH']}"})
        log = self.folder / "log"
        return done, [word for word in log.read_text().split() if not word.startswith("-") and word != "install"] if log.exists() else []

    def test_the_first_that_a_release_has(self):
        done, installed = self.install("build gone|new why\nbuild plain why\nbuild there|gone why\nother gone why\n")
        self.assertEqual((done.returncode, installed), (0, ["new", "plain"]), done.stderr)

    def test_none_where_that_will_do(self):
        done, installed = self.install("build gone|- why\n")
        self.assertEqual((done.returncode, installed), (0, []), done.stderr)
        self.assertEqual(done.stderr, "berth: this release has no gone: going on without it\n")

    def test_the_list_has_three_columns_and_known_groups(self):
        for line in (ROOT / "dependencies.txt").read_text().splitlines():
            if not line.startswith("#"):
                group, packages, why = line.split(maxsplit=2)
                self.assertIn(group, ("build", "test", "browser", "python", "bench", "fuzz", "packages"))
                self.assertRegex(packages, r"^[a-z0-9.+-]+(\|[a-z0-9.+-]+)*$")
                self.assertTrue(why)


class Launcher(InAFolder):
    """What stands in front of berth-learned in its wheel."""

    def run_beside(self, torch, **environment):
        site = self.folder / "site"
        shutil.rmtree(site, ignore_errors=True)
        programs = site / "berth" / "libexec" / "berth"
        self.program(programs / "berth-learned-program", '#!/bin/sh\necho "ran $@ with $LD_LIBRARY_PATH"\n')
        launcher = self.program(programs / "berth-learned", script("make-wheels").LAUNCHER.replace("@MINOR@", "2.15"))
        if torch:
            (site / "torch").mkdir()
            (site / "torch" / "version.py").write_text(f"__version__ = '{torch}'\n")
        clean = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "BERTH_TORCH_PACKAGE")}
        return subprocess.run([launcher, "train", "a b"], capture_output=True, text=True, env={**clean, **environment})

    def test_the_torch_that_it_was_built_for(self):
        self.assertEqual(self.run_beside("2.15.1+cu130").stdout, "ran train a b with \n")

    def test_another_one_gets_a_line(self):
        for torch, there in (("2.14.0", "2.14"), ("2.1.5", "2.1"), (None, "none")):
            done = self.run_beside(torch)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
            self.assertIn(f"built for torch 2.15, and there is {there}: pip install 'torch==2.15.*'", done.stderr)

    def test_a_torch_elsewhere(self):
        elsewhere = self.folder / "elsewhere" / "torch"
        elsewhere.mkdir(parents=True)
        (elsewhere / "version.py").write_text("__version__ = '2.15.0'\n")
        self.assertEqual(self.run_beside(None, BERTH_TORCH_PACKAGE=str(elsewhere)).stdout, f"ran train a b with {elsewhere}/lib\n")


class Program(InAFolder):
    """What pip puts on PATH."""

    def start(self, *words, torch=False):
        site = self.folder / "site"
        self.program(site / "berth" / "bin" / "berth", '#!/bin/sh\necho "$@ torch in $BERTH_TORCH_PACKAGE"\n')
        (site / "berth" / "__init__.py").write_text("raise SystemExit('the package was loaded')\n")
        if torch:
            (site / "torch").mkdir()
            (site / "torch" / "__init__.py").write_text("raise SystemExit('torch was loaded')\n")
        (site / "berth_program").symlink_to(ROOT / "python" / "berth_program")
        clean = {name: value for name, value in os.environ.items() if name != "BERTH_TORCH_PACKAGE"}
        return subprocess.run([sys.executable, "-S", "-m", "berth_program", *words], capture_output=True, text=True,
                              env={**clean, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}, cwd=self.folder)

    def test_it_becomes_the_program_of_the_package(self):
        done = self.start("place", "a b")
        self.assertEqual((done.stdout, done.stderr), ("place a b torch in \n", ""))

    def test_it_says_where_torch_is(self):
        self.assertEqual(self.start("train", torch=True).stdout, f"train torch in {self.folder}/site/torch\n")


class Bill(InAFolder):
    def wheel(self, *libraries):
        path = self.folder / "berth-0.1.0-cp311-cp311-linux_x86_64.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name in ("berth/__init__.py", "berth/bin/berth", *(f"berth.libs/{library}" for library in libraries)):
                archive.writestr(name, "")
        return path

    def test_it_lists_what_a_wheel_carries(self):
        gather = script("gather-artefacts")
        bill = gather.bill([self.wheel("libfmt-0a1b2c3d.so.9.1.0", "libscotch-7-1234abcd.0.so")], "0.1.0", "2026-01-01T00:00:00Z")
        by_key = {row["SPDXID"]: row for row in bill["packages"]}
        carried = {by_key[row["relatedSpdxElement"]]["name"]: by_key[row["relatedSpdxElement"]]["licenseDeclared"]
                   for row in bill["relationships"] if row["relationshipType"] == "CONTAINS"}
        self.assertEqual(carried, {"libfmt.so.9.1.0": "MIT", "libscotch-7.0.so": "CECILL-C"})
        self.assertEqual(bill, json.loads(json.dumps(bill)))

    def test_a_library_of_unknown_licence_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "no licence is known of libmystery.so.1"):
            script("gather-artefacts").bill([self.wheel("libmystery-0a1b2c3d.so.1")], "0.1.0", "2026-01-01T00:00:00Z")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
