#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MSR, STG, HEFT and PipeDream problems. Usage: public_problems_test.py BERTH."""
import json
import pathlib

from command_line import SMALL, CommandLineTest, berth, main


MSR = json.dumps({
    "maxSizePerFPGA": 100.0, "maxFPGAs": 2, "maxCPUs": 1,
    "nodes": [{"id": 5, "name": "a", "supportedOnFpga": 1, "cpuLatency": 40, "fpgaLatency": 4, "isBackwardNode": 0, "size": 60.0},
              {"id": 7, "name": "b", "supportedOnFpga": 1, "cpuLatency": 20, "fpgaLatency": 2, "isBackwardNode": 0, "size": 50.0}],
    "edges": [{"sourceId": 5, "destId": 7, "cost": 0.5, "size": 1}]})
PROFILE = ("a -- Linear(3, 4) -- forward_compute_time=1.000, backward_compute_time=2.000, activation_size=100.0, parameter_size=8.000\n"
           "b -- Softmax() -- forward_compute_time=3.000, backward_compute_time=4.000, activation_size=0.0, parameter_size=0.000\n"
           "\ta -- b\n")


class PublicProblems(CommandLineTest):
    def heft(self):
        self.write("x_task_exe_time.csv", "TP,p,q\nt0,1,5\nt1,7,2\n")
        self.write("x_resource_BW.csv", "P,p,q\np,0,2\nq,2,0\n")
        return self.write("x_task_connectivity.csv", "T,t0,t1\nt0,0,6\nt1,0,0\n")

    def files(self):
        """(file, objective, machine, value of round-robin)"""
        return [(self.write("x.json", MSR), "pipeline", "2acc+1cpu", 0.0045), (self.heft(), "step", "processors", 6),
                (self.write("x.stg", "1\n0 0 0\n1 3 1 0\n2 0 1 1\n"), "step", "procx4", 3),
                (self.write("x.txt", PROFILE), "pipeline", "p100x4", None)]

    def test_they_bring_machine_and_objective(self):
        plan = str(self.folder / "plan.json")
        for file, objective, machine, value in self.files():
            with self.subTest(file):
                outcome = self.json_of("place", file, "-p", "round-robin", "-o", plan)
                self.assertEqual((outcome["objective"], outcome["machine"]), (objective, machine))
                if value is not None:
                    self.assertAlmostEqual(outcome["objective_value_s"], value)
                predicted = json.loads(pathlib.Path(plan).read_text())["predicted"]
                self.assertEqual(predicted["objective"], objective)
                score = self.json_of("score", file, "--plan", plan)
                self.assertEqual(score["objective_value_s"], outcome["objective_value_s"])
                self.assertEqual(self.json_of("graph", "info", file)["objective"], objective)
                self.assertEqual(self.json_of("graph", "problem", file)["objective"], objective)
                self.assertEqual(self.json_of("compare", file, "--planners", "single")["objective"], objective)
                word = "time per sample" if objective == "pipeline" else "step time"
                self.assertIn(word, self.text_of("place", file, "-p", "single"))

    def test_what_does_not_suit_them_is_refused(self):
        msr, heft, stg, profile = [file for file, *_ in self.files()]
        for args, part in [
            (["place", msr, "-m", "k40x2"], "leave --machine out"),
            (["place", heft, "-m", "k40x2"], "leave --machine out"),
            (["place", msr, "--objective", "step"], "leave --objective out or say pipeline"),
            (["place", stg, "--objective", "pipeline"], "leave --objective out or say step"),
            (["graph", "convert", stg, "-o", "x.json"], "times and memory would be lost"),
        ]:
            with self.subTest(args):
                self.assert_refused(args, part)
        self.assertEqual(self.json_of("place", stg, "-m", "procx7", "-p", "single")["machine"], "procx7")
        self.assertEqual(self.json_of("place", profile, "-m", "a100x8", "-p", "single")["machine"], "a100x8")

    def test_a_pipeline_has_no_timeline(self):
        msr, plan = self.write("x.json", MSR), str(self.folder / "plan.json")
        self.text_of("place", msr, "-p", "round-robin", "-o", plan)
        self.assert_refused(["score", msr, "--plan", plan, "--timeline"], "--timeline")

    def test_memory_of_a_pipeline(self):
        done = berth("place", self.write("x.json", MSR), "-p", "gpu-only")
        self.assert_one_line_error(done, "out of memory: what the ops hold is", "acc0", code=1)

    def test_graphs_take_the_objective(self):
        outcome = self.json_of("place", SMALL, "-m", "k40x2", "--objective", "pipeline", "-p", "round-robin")
        self.assertEqual(outcome["objective"], "pipeline")
        self.assertLess(0, outcome["objective_value_s"])

    def test_damaged_files(self):
        for name, content in [("x.json", MSR[:-40]), ("x.stg", "5\n0 0 0\n"), ("x.txt", PROFILE + "\tb -- c"),
                              ("x.csv", "T,a\na,0"), ("odd", "hello"), ("empty", "")]:
            with self.subTest(name):
                self.assert_refused(["place", self.write(name, content)], name)


if __name__ == "__main__":
    main()
