# SPDX-License-Identifier: Apache-2.0
"""berth llm --tune with a script in place of llama-bench: the answer as text and as JSON, what is learned, what fails, what is refused."""
import json
import os
import pathlib
import sys
import unittest.mock

from command_line import CommandLineTest, berth, main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fuzz"))
import llm_seeds  # noqa: E402

STAND_IN = """#!{python}
import json, os, sys
words = dict(zip(sys.argv[1:], sys.argv[2:]))
open(os.environ["SEEN"], "a").write(" ".join(sys.argv[1:]) + "\\n")
behind = [int(depth) for depth in words["-d"].split(",")]
batch = int(words.get("-ub", 512))
{extra}
json.dump([{{"n_prompt": int(words["-p"]), "n_gen": 0, "n_depth": behind[0], "samples_ts": [100.0 * batch]}},
           {{"n_prompt": 0, "n_gen": int(words["-n"]), "n_depth": behind[-1], "avg_ts": 10.0}}], sys.stdout)
"""
QUICK = ["--no-what-if"]
SIZES = {"layers": 32, "hidden": 4096, "ffn": 14336, "heads": 32, "kv_heads": 8, "vocab": 32000}  # headers are enough


class LlmTuneTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("tiny.gguf", llm_seeds.gguf(*llm_seeds.llama(**SIZES)))
        self.seen = self.folder / "seen"
        self.machine = self.folder / "box.toml"
        self.machine.write_text(self.text_of("machines", "rtx4090-3060"))
        path = f"{self.folder}{os.pathsep}{os.environ['PATH']}"
        patched = unittest.mock.patch.dict(os.environ, PATH=path, SEEN=str(self.seen))
        patched.start()
        self.addCleanup(patched.stop)

    def stand_in(self, extra="", name="llama-bench"):
        program = self.folder / name
        program.write_text(STAND_IN.format(python=sys.executable, extra=extra))
        program.chmod(0o755)
        return program

    def tune(self, *words):
        return berth("llm", self.model, "-m", self.machine, "--ctx", "2048", "--tune", *QUICK, *words)

    def test_the_fastest_is_kept(self):
        self.stand_in()
        done = self.tune("--json")
        answer = json.loads(done.stdout)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        tuned = answer["tuned"]
        self.assertGreater(len(tuned["plans"]), 1)
        speeds = [plan["prefill_tokens_per_s"] for plan in tuned["plans"]]
        self.assertEqual(tuned["kept"], speeds.index(max(speeds)))
        self.assertEqual(answer["prompt_batch"], 2048)
        self.assertEqual(answer["export"], tuned["plans"][tuned["kept"]]["flags"] + "\n")
        self.assertTrue(all(plan["decode_tokens_per_s"] == 10.0 and plan["failure"] is None for plan in tuned["plans"]))
        self.assertEqual([device["device"] for device in tuned["learned"]], ["cpu", "gpu0", "gpu1"])
        lines = self.seen.read_text().splitlines()
        self.assertEqual(len(lines), len(tuned["plans"]))
        self.assertTrue(all(line.startswith(f"-m {self.model} -ngl ") and line.endswith("-r 3 -o json") for line in lines), lines)

    def test_text(self):
        self.stand_in()
        text = self.tune().stdout
        self.assertIn("plans that were run", text)
        self.assertRegex(text, r"> -c 2048 -ub 2048 .* 10 ")
        self.assertIn("times what was expected", text)
        self.assertNotIn("tuned", self.json_of("llm", self.model, "-m", self.machine, *QUICK))

    def test_the_machine_learns(self):
        self.stand_in()
        learned = self.folder / "learned.toml"
        known = ["llm", self.model, "-m", self.machine, "--ctx", "2048", "--prompt-batch", "512", *QUICK]
        before = self.json_of(*known)
        files = set(self.folder.iterdir())
        self.tune("--learned", learned)
        self.assertRegex(learned.read_text(), r'name = "gpu0"\narithmetic = ')
        self.assertEqual(set(self.folder.iterdir()) - files, {learned, self.seen})
        after = self.json_of(*known, "--learned", learned)
        self.assertGreater(before["decode_tokens_per_s"], 5 * 10.0)
        self.assertLess(after["decode_tokens_per_s"], before["decode_tokens_per_s"] / 2)
        first = learned.read_text()
        self.tune("--learned", learned)  # begins with what it knows
        self.assertNotEqual(learned.read_text(), first)

    def test_who_fails_is_one_line(self):
        self.stand_in('if batch == 512: sys.exit("no room\\nfor \\x1b[31mthat")')
        done = self.tune("--json")
        answer = json.loads(done.stdout)
        failures = [plan["failure"] for plan in answer["tuned"]["plans"] if plan["failure"]]
        self.assertEqual(failures, ["it ended with exit code 1: for ?[31mthat"] * len(failures))
        self.assertEqual(len(done.stderr.splitlines()), len(failures))
        self.assertTrue(all(line.startswith("berth: note: a plan failed (-c 2048") for line in done.stderr.splitlines()), done.stderr)
        self.assertIn("failed", self.tune().stdout)

    def test_nobody_runs(self):
        for extra, why in (("import time; time.sleep(10 ** 6)", "no end after 500 ms: stopped"),
                           ("os.kill(os.getpid(), 11)", "crashed: signal 11"), ("print('garbage'); sys.exit()", "it printed no JSON list"),
                           ("print('[{}]'); sys.exit()", "tests[0]: a test needs n_prompt and n_gen"),
                           ("print('[' * 10 ** 6); sys.exit()", "JSON"), ("print('[] and more'); sys.exit()", "it printed no JSON list"), ("sys.exit(9)", "it ended with exit code 9")):
            self.stand_in(extra)
            limit = "500ms" if "sleep" in extra else "10min"
            done = self.tune("--tune-limit", limit, "--learned", self.folder / "none.toml")
            self.assertEqual((done.returncode, done.stdout), (1, ""), extra)
            last = done.stderr.splitlines()[-1]
            self.assertIn("--tune: no plan could be run: ", last)
            self.assertIn(why, last)
            self.assertFalse((self.folder / "none.toml").exists())

    def test_a_command_of_the_users(self):
        self.stand_in(name="my bench")
        injected = self.folder / "injected"
        command = f"'{self.folder}/my bench' -x '$(touch {injected})' ; -m {{model}} {{flags}} -p {{prompt}} -n {{answer}} -d {{depths}}"
        done = self.tune("--tune-command", command, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(injected.exists())
        self.assertTrue(self.seen.read_text().startswith(f"-x $(touch {injected}) ; -m {self.model} -ngl "))

    def test_refused(self):
        self.stand_in()
        known = ["llm", self.model, "-m", self.machine, *QUICK]
        self.assert_refused([*known, "--tune", "--tune-command", "no-such-bench"], "there is no program 'no-such-bench'")
        self.assert_refused([*known, "--tune", "--tune-limit", "soon"], "--tune-limit")
        self.assert_refused([*known, "--tune-limit", "5min"], "--tune-limit", "--tune")
        self.assert_refused([*known, "--tune-command", "llama-bench"], "--tune-command", "--tune")
        self.assert_refused([*known, "--tune", "--tune-limit", "0s"], "--tune-limit: '0s' is no time for a run")
        self.assert_refused([*known, "--tune", "--learned", self.model], "tiny.gguf")
        self.assert_refused([*known, "--learned", self.folder / "none.toml"], "none.toml")
        self.assert_refused([*known, "--tune", "--sequences", "2"], "llama-bench runs one sequence")
        self.assert_refused(["llm", "llama-8b", "-m", self.machine, "--tune", *QUICK], "'llama-8b' is no file")
        self.assert_refused([*known, "--tune", "--runtime", "vllm"], "only plans for llama.cpp are run")
        for text, why in (('name = "gpu0"\nmemory = 0', "learned.toml:3: devices.memory: \"0\" is no share between 0.01 and 100"),
                          ('name = "gpu7"', "learned.toml:2: devices.name: machine rtx4090-3060 has no device \"gpu7\""),
                          ('memory = 1', "devices.name"), ('name = "gpu0"\nspeed = 1', "devices.speed: no such key")):
            self.assert_refused([*known, "--learned", self.write("learned.toml", f"[[devices]]\n{text}\n")], why)
        self.assertFalse(self.seen.exists())


main()
