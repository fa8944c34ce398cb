#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/gpu.py with programs made on the spot in place of cuda_bench and compute-sanitizer. Usage: bench_gpu_test.py."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import gpu  # noqa: E402

# Answers every row; WRONG of the plans differ, and plans with ranks are slower by SLOW.
PROGRAM = f"""#!{sys.executable}
import os, sys
print("gpu=a card of paper")
for row in sys.argv[3:]:
    speed = 2e6 / (float(os.environ["SLOW"]) if "ranks" in row else 1)
    print(f"row={{row}} ops=100 plans_per_s={{speed}} engine_ms=1 times_engine=2000 upload_ms=1 rank_ms=1 prepare_ms=1 all_ms=3 saved=0.25 kb_a_plan=1 failed=2 "
          f"wrong={{os.environ['WRONG']}}")
sys.exit(1 if os.environ["WRONG"] != "0" else 0)
"""
SANITIZER = f"""#!{sys.executable}
import subprocess, sys
words = [word for word in sys.argv[1:] if not word.startswith("--")]
sys.exit(3 if subprocess.run(words).returncode != 0 else 0)
"""


class GpuTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.program = self.make("cuda_bench", PROGRAM)
        captured = pathlib.Path(self.folder.name, "captured")
        captured.mkdir()
        for name in gpu.SPEED:
            (captured / f"{name}.json.gz").touch()

    def make(self, name, text):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def run_gpu(self, *words, wrong=0, slow=2, program=None):
        environment = {**os.environ, "WRONG": str(wrong), "SLOW": str(slow), "BERTH_DATA": self.folder.name, "PATH": f"{self.folder.name}:{os.environ['PATH']}"}
        return subprocess.run([sys.executable, ROOT / "bench" / "gpu.py", program or self.program, *words], env=environment, capture_output=True, text=True)

    def test_all_that_is_asked_of_a_gpu_is_a_bar(self):
        self.make("compute-sanitizer", SANITIZER)
        done = self.run_gpu()
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        for bar in ("zoo:bert-base on odd: no plan differs", "nmt4.train: 100,000 plans a second", "bert_base.train: 1,000,000 plans a second",
                    "nmt8.train: 20,000 plans a second", "nmt4.train: 100 times the engine on one core", "compute-sanitizer --tool=racecheck finds no error",
                    "nmt4.train: plans=16384,moved=50,ranks=own at least a third as fast as without ranks"):
            self.assertIn(f"- PASS: {bar}", done.stdout)
        self.assertEqual(done.stdout.count("no plan differs"), len(gpu.GRAPHS) * len(gpu.MACHINES) + len(gpu.SPEED))
        self.assertIn("| captured nmt4.train, `k40x4` | `plans=65536,moved=50,near=1` | 2,000,000 | 2000 |", done.stdout)

    def test_a_plan_that_differs_is_missed(self):
        done = self.run_gpu("--only", "equal", wrong=1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("- FAIL: zoo:rnnlm on k40x4: no plan differs", done.stdout)
        self.assertNotIn("PASS", done.stdout)

    def test_slow_ranks_are_missed(self):
        done = self.run_gpu("--only", "speed", slow=4)
        self.assertEqual(done.returncode, 1)
        self.assertIn("- FAIL: nmt4.train: plans=16384,moved=50,ranks=ties at least a third as fast as without ranks", done.stdout)
        self.assertIn("- PASS: nmt4.train: 100,000 plans a second", done.stdout)

    def test_errors_of_the_sanitizer_are_missed(self):
        self.make("compute-sanitizer", SANITIZER)
        done = self.run_gpu("--only", "sanitizer", wrong=1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("- FAIL: compute-sanitizer --tool=memcheck finds no error", done.stdout)

    def test_what_stops_it_is_told_in_one_line(self):
        broken = self.make("broken", f"#!{sys.executable}\nimport sys\nsys.exit('no CUDA device answers')\n")
        for words, told in ((["--only", "speed"], "no CUDA device answers"), (["--only", "equal,fast"], "no part 'fast'; there are equal, speed, sanitizer")):
            done = self.run_gpu(*words, program=broken if words[1] == "speed" else None)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(told, done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_rows_share_the_plans(self):
        self.assertGreaterEqual(len(gpu.GRAPHS) * len(gpu.MACHINES), 12)
        rows = gpu.equal_rows(13000)
        self.assertGreater(sum(int(row.split(",")[0].removeprefix("plans=")) for row in rows), 10000)
        self.assertEqual({word for row in rows for word in row.split(",") if word.startswith("ranks=")}, {"ranks=ties", "ranks=shared", "ranks=own", "ranks=whole"})


if __name__ == "__main__":
    unittest.main()
