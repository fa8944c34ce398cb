#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of bench/questions.py that need no program. Usage: bench_questions_test.py."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import questions  # noqa: E402

DEVICES = [{"name": "cpu", "kind": "cpu"}, {"name": "gpu0", "kind": "gpu"}, {"name": "gpu1", "kind": "gpu"}]


def op(time, *inputs, control=(), size=8, colocate=None):
    return {"inputs": [[one, 0] for one in inputs], "control": list(control), "outputs": [size], "colocate": colocate,
            "allowed": ["cpu", "gpu0", "gpu1"], "time_s": [10 * time, time, time]}


class Colouring(unittest.TestCase):
    def test_levels_count_what_takes_time(self):
        ops = [op(0), op(2, 0), op(1, 0), op(0, 1), op(3, 3, 2), op(1, control=[4])]
        self.assertEqual(questions.levels_of(ops), [0, 1, 1, 1, 2, 3])

    def test_what_could_run_at_once_is_apart(self):
        ops = [op(0), op(2, 0), op(2, 0), op(1, 1), op(1, 2)]
        devices = questions.coloured({"ops": ops, "devices": DEVICES}, by_inputs=False)
        self.assertNotEqual(devices[1], devices[2])
        self.assertNotEqual(devices[3], devices[4])
        self.assertEqual(devices[0], devices[1], "a weight is with its first reader")
        self.assertNotIn("cpu", devices)

    def test_inputs_decide_where_there_is_room(self):
        ops = [op(2), op(1), op(1, 1), op(1, 0)]
        devices = questions.coloured({"ops": ops, "devices": DEVICES}, by_inputs=True)
        self.assertEqual((devices[2], devices[3]), (devices[1], devices[0]))

    def test_units_stay_together(self):
        ops = [op(1, colocate="w"), op(1, colocate="w"), op(0, colocate="w"), op(0, 0)]
        devices = questions.coloured({"ops": ops, "devices": DEVICES}, by_inputs=False)
        self.assertEqual(len(set(devices[:3])), 1)


class Balance(unittest.TestCase):
    def test_rows_come_from_the_page(self):
        rows = dict(questions.rows_of_the_suite())
        self.assertIn("rnnlm on k40x2", rows)
        for name, found in rows.items():
            planners = {planner for planner, _, _ in found}
            self.assertIn("auto", planners, name)
            self.assertNotIn("single", planners, name)
            self.assertTrue(all(step > 0 and uneven >= 0 for _, step, uneven in found), name)


class Regret(unittest.TestCase):
    def test_of_the_best_it_is_nothing(self):
        self.assertEqual((questions.regret(1.0), questions.regret(1.25), questions.regret(float("inf"))), ("0.0 %", "25.0 %", "OOM"))


if __name__ == "__main__":
    unittest.main()
