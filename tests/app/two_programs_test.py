#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`berth` and `berth-learned`: who does what, and what happens where the other one is missing. Usage: two_programs_test.py BERTH.
Only for builds with the learned planners."""
import json
import os
import pathlib
import shutil
import subprocess

from command_line import BERTH, CommandLineTest, main

TINY = "zoo:rnnlm,batch=2,unroll=2,hidden=8,vocab=50"


class TwoPrograms(CommandLineTest):
    def test_the_light_program_needs_the_other_one_beside_it(self):
        light = self.folder / "bin" / "berth"
        light.parent.mkdir()
        shutil.copy(BERTH, light)

        def run(*args):
            return subprocess.run([light, *args], capture_output=True, text=True)
        place = ["place", TINY, "-m", "k40x2", "-p", "hierarchical", "--evaluations", "8", "--json"]
        self.assert_one_line_error(run(*place), "planner 'hierarchical' is not in this build")
        self.assert_one_line_error(run("train", TINY, "-m", "k40x2", "-o", self.folder / "run"), "berth train is not in this build")
        self.assertIn("(not in this build)", run("planners").stdout.split("hierarchical", 1)[1].splitlines()[0])
        installed = self.folder / "libexec" / "berth"
        installed.mkdir(parents=True)
        (installed / "berth-learned").symlink_to(pathlib.Path(BERTH).with_name("berth-learned"))
        self.assertEqual(json.loads(run(*place).stdout)["planner"], "hierarchical")

    def test_the_other_program_is_built_when_it_is_needed(self):
        light, builder = self.folder / "berth", self.folder / "builder"
        shutil.copy(BERTH, light)
        learned = pathlib.Path(BERTH).with_name("berth-learned")

        def run(*args):
            return subprocess.run([light, *args], capture_output=True, text=True, env={**os.environ, "BERTH_BUILD_LEARNED": str(builder)})

        def build_by(script):
            builder.write_text(f"#!/bin/sh\n{script}\n")
            builder.chmod(0o755)
        place = ["place", TINY, "-m", "k40x2", "-p", "hierarchical", "--evaluations", "8", "--json"]
        build_by("exit 1")
        self.assertEqual(run("place", TINY, "-m", "k40x2", "-p", "heft").returncode, 0)  # needs nothing built
        self.assertNotIn("(not in this build)", run("planners").stdout)
        self.assert_one_line_error(run(*place), "berth-learned could not be built")
        build_by(f"echo building; ln -s '{learned}' '{light}-learned'")
        done = run(*place)
        self.assertEqual((json.loads(done.stdout)["planner"], done.stderr.splitlines()[0]), ("hierarchical", "building"))
        build_by("exit 1")
        self.assertEqual(run(*place).returncode, 0)  # it is there now

    def test_commands_without_learning_stay_in_the_light_program(self):
        libraries = subprocess.run(["ldd", BERTH], capture_output=True, text=True).stdout
        self.assertNotIn("torch", libraries)


if __name__ == "__main__":
    main()
