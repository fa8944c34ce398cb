#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""berth pipeline: the answer as text and as JSON, its file out and in again, and what it refuses. Usage: pipeline_test.py BERTH."""
import json
import pathlib

from command_line import CommandLineTest, berth, main

GPT = "zoo:gpt2,layers=4,seq=64,vocab=1000"
ON = ["pipeline", GPT, "-m", "a100-v100", "--budget", "10min"]  # it ends by itself; no budget cuts it short on a slow computer


class Pipeline(CommandLineTest):
    def test_a_plan_is_found_written_and_read_again(self):
        file = self.folder / "pipeline.json"
        answer = self.json_of(*ON, "--microbatches", "4", "--schedule", "1f1b", "-o", file)
        best = answer["best"]
        self.assertEqual((best["schedule"], best["microbatches"]), ("1f1b", 4))
        document = json.loads(file.read_text())
        self.assertEqual(document["format"], "berth-pipeline/1")
        self.assertEqual(document["stages"], best["stages"])
        judged = self.json_of(*ON, "--plan", file)["best"]
        for member in ("step_time_s", "bubble", "stages", "devices", "links", "bounds"):
            self.assertEqual(judged[member], best[member], member)
        self.assertEqual([len(layer) > 0 for stage in best["stages"] for layer in stage["layers"]], [True] * 7)

    def test_no_other_row_is_faster(self):
        answer = self.json_of(*ON)
        times = [row["step_time_s"] for row in answer["others"] if row["feasible"]]
        self.assertGreaterEqual(len(times), 5)
        self.assertEqual(times, sorted(times))
        self.assertLessEqual(answer["best"]["step_time_s"], times[0])

    def test_the_timeline_has_every_action_and_update(self):
        best = self.json_of(*ON, "--microbatches", "2", "--schedule", "gpipe", "--timeline")["best"]
        stages = len(best["stages"])
        kinds = [action["kind"] for action in best["timeline"]]
        self.assertEqual([kinds.count(kind) for kind in ("forward", "backward", "update")], [2 * stages, 2 * stages, stages])
        self.assertEqual(max(action["end_s"] for action in best["timeline"]), best["step_time_s"])
        for before, after in zip(best["timeline"], best["timeline"][1:]):
            if before["device"] == after["device"]:
                self.assertLessEqual(before["end_s"], after["start_s"])

    def test_text_says_what_bounds_it_and_what_else_there_is(self):
        text = self.text_of(*ON, "--one-more")
        for part in ("bubble", "works", "equal layers", "data parallel", "one device", "one more a100-pcie", "one more v100-pcie"):
            self.assertIn(part, text)

    def test_what_does_not_fit(self):
        answer = self.json_of(*ON, "--set", "gpu.memory=2MiB", code=1)
        self.assertFalse(answer["feasible"])
        self.assertIsNone(answer["best"])
        self.assertTrue(all(row["step_time_s"] is None for row in answer["others"]))

    def test_a_file_that_does_not_fit(self):
        file = self.folder / "pipeline.json"
        self.text_of(*ON, "--microbatches", "2", "-o", file)
        self.assert_one_line_error(berth(*ON, "--plan", file, "--set", "gpu.memory=2MiB"), "out of memory: 'gpu", "without --plan", code=1)

    def test_recomputation_where_memory_is_short(self):
        on = ["pipeline", "zoo:gpt2,layers=8,vocab=1000", "-m", "a100-v100", "--budget", "10min", "--microbatches", "4", "--schedule", "1f1b"]
        wide, short = (self.json_of(*on, "--set", f"gpu.memory={size}")["best"] for size in ("9GiB", "2.5GiB"))
        self.assertFalse(any(stage["recompute"] for stage in wide["stages"]))
        self.assertTrue(any(stage["recompute"] for stage in short["stages"]))
        self.assertGreater(short["step_time_s"], wide["step_time_s"])
        self.assertFalse(self.json_of(*on, "--set", "gpu.memory=2.5GiB", "--no-recompute", code=1)["feasible"])

    def test_what_is_refused(self):
        file = self.folder / "pipeline.json"
        self.text_of(*ON, "--microbatches", "2", "--schedule", "1f1b", "--no-share", "-o", file)
        document = json.loads(file.read_text())
        document["stages"][0]["layers"][0] = "elsewhere"
        wrong = self.write("wrong.json", json.dumps(document))
        for args, parts in [
            ([*ON, "--schedule", "1f2b"], ["did you mean '1f1b'?"]),
            ([*ON, "--microbatches", "0"], ["from 1 to 4096"]),
            ([*ON, "--plan", wrong], ["wrong.json", "elsewhere"]),
            ([*ON, "--plan", self.folder / "missing.json"], ["missing.json"]),
            (["pipeline", "zoo:rnnlm,batch=4,unroll=3", "-m", "a100-v100", "--plan", file], ["another graph"]),
            (["pipeline", "zoo:gpt2,layers=2,mode=infer", "-m", "a100-v100"], ["updates no parameters"]),
            (["pipeline", GPT, "-m", "core-ultra", "--objective", "pipeline"], ["objective"]),
            ([*ON, "-o", ""], ["-o"]),
            ([*ON, "--plan", file, "--microbatches", "4"], ["--plan", "--microbatches"]),
            ([*ON, "--plan", file, "--schedule", "gpipe"], ["--plan", "--schedule"]),
            ([*ON, "--plan", file, "--timeline"], ["--timeline", "--json"]),
        ]:
            with self.subTest(args):
                self.assert_refused(args, *parts)

    def test_a_file_of_its_own_is_not_overwritten(self):
        file = self.folder / "pipeline.json"
        self.text_of(*ON, "--microbatches", "2", "-o", file)
        self.assert_refused([*ON, "--plan", file, "-o", file], "pipeline.json")
        self.assertIn("berth-pipeline/1", pathlib.Path(file).read_text())


main()
