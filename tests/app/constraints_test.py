#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Constraints on the command line: plans obey them, clashes are named. Usage: constraints_test.py BERTH."""
import json
import pathlib

from command_line import SMALL, CommandLineTest, berth, main

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLANNERS = ["auto", "round-robin", "heft"]


class ConstraintsTest(CommandLineTest):
    def graph(self, name=SMALL):
        path = self.folder / "graph.json"
        self.text_of("graph", "convert", name, "-o", path)
        return json.loads(path.read_text())["ops"]

    def place(self, *flags, graph=SMALL, machine="k40x4", planner="auto"):
        """Where every op is, by name."""
        plan = self.folder / "plan.json"
        machine = ["-m", machine] if machine else []
        self.text_of("place", graph, *machine, "-p", planner, "-o", plan, *flags)
        return {op["name"]: op["device"] for op in json.loads(plan.read_text())["ops"]}


class Obeyed(ConstraintsTest):
    """Each constraint, with several planners: the written plan is as demanded, and it was not so by chance."""

    def each_plan(self, *flags):
        return [self.place(*flags, planner=planner) for planner in PLANNERS]

    def devices(self, plan, fits):
        return {plan[op["name"]] for op in self.graph() if fits(op)}

    def test_pin(self):
        def tanh(op):
            return op["type"] == "tanh"
        for plan in self.each_plan("--pin", "type:tanh=gpu2"):
            self.assertEqual(self.devices(plan, tanh), {"gpu2"})
        for plan in self.each_plan("--pin", "type:tanh=cpu", "--pin", "lstm.layer.0.t0/matmul=gpu1"):
            self.assertEqual(self.devices(plan, tanh), {"cpu"})
            self.assertEqual(plan["lstm.layer.0.t0/matmul"], "gpu1")

    def test_pin_to_a_kind(self):
        free = self.place(planner="cpu-only")
        self.assertEqual(set(free.values()), {"cpu"})
        bound = self.place("--pin", "module:lstm=gpu", planner="cpu-only")
        lstm = self.devices(bound, lambda op: op.get("module", "").startswith("lstm"))
        self.assertTrue(lstm and lstm <= {"gpu0", "gpu1", "gpu2", "gpu3"}, lstm)

    def test_inputs_go_where_they_are_pinned(self):
        self.assertEqual(self.place()["embedding.words"], "cpu")
        self.assertEqual(self.place("--pin", "role:input=gpu1")["embedding.words"], "gpu1")

    def test_forbid(self):
        for plan in self.each_plan("--forbid", "lstm.layer.1*=gpu0", "--forbid", "lstm.layer.1*=gpu3"):
            devices = self.devices(plan, lambda op: op["name"].startswith("lstm.layer.1"))
            self.assertFalse(devices & {"gpu0", "gpu3"}, devices)

    def test_colocate(self):
        spread = self.devices(self.place(planner="round-robin"), lambda op: op["type"] == "sigmoid")
        self.assertGreater(len(spread), 1)
        for plan in self.each_plan("--colocate", "type:sigmoid,softmax.weight"):
            together = self.devices(plan, lambda op: op["type"] == "sigmoid" or op["name"] == "softmax.weight")
            self.assertEqual(len(together), 1)

    def test_keep_together(self):
        for plan in self.each_plan("--keep-together", "lstm.layer.*"):
            for layer in ("lstm.layer.0", "lstm.layer.1"):
                inside = self.devices(plan, lambda op: (op.get("module", "") + ".").startswith(layer + "."))
                self.assertEqual(len(inside), 1, layer)

    def test_reserve(self):
        done = self.text_of("place", SMALL, "-m", "k40x2", "--reserve", "gpu=2GiB", "--reserve", "gpu1=1 GiB", "--json")
        capacity = {device["name"]: device["capacity_bytes"] >> 30 for device in json.loads(done)["devices"]}
        self.assertEqual((capacity["gpu0"], capacity["gpu1"]), (10, 9))
        tight = self.write("tight.toml", self.text_of("machines", "k40x2").replace("12 GiB", "60 kB"))
        plan = self.place("--reserve", "gpu0=60kB", machine=tight)
        self.assertNotIn("gpu0", self.devices(plan, lambda op: op.get("role") == "parameter"))

    def test_max_devices(self):
        for most in (1, 2):
            for plan in self.each_plan("--max-devices", most, "--pin", "softmax.t0/matmul=gpu3"):
                computing = self.devices(plan, lambda op: op.get("role", "compute") == "compute")
                self.assertLessEqual(len(computing), most)
                self.assertIn("gpu3", computing)

    def crossings(self, plan):
        ops = self.graph()
        sent = {(tuple(tensor), plan[op["name"]]) for op in ops for tensor in op.get("inputs", [])}
        return sum(plan[ops[tensor[0]]["name"]] != device for tensor, device in sent)

    def test_max_crossings(self):
        self.assertGreater(self.crossings(self.place(planner="round-robin")), 10)
        self.assertLessEqual(self.crossings(self.place("--max-crossings", 10)), 10)
        self.assertEqual(self.crossings(self.place("--max-crossings", 0)), 0)

    def test_a_planner_that_cannot_says_why(self):
        flags = ["compare", SMALL, "-m", "k40x2", "--max-crossings", 10, "--planners", "auto,round-robin"]
        rows = {row["planner"]: row for row in json.loads(self.text_of(*flags, "--json"))["rows"]}
        self.assertTrue(rows["auto"]["feasible"])
        self.assertIsNone(rows["round-robin"]["step_time_s"])
        self.assertIn("at most 10 are allowed", rows["round-robin"]["error"])
        line = next(line for line in self.text_of(*flags).splitlines() if line.startswith("round-robin"))
        self.assertIn("cannot meet the constraints", line)
        done = berth("compare", SMALL, "-m", "k40x2", "--max-crossings", 10, "--planners", "round-robin")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no planner found a plan: planner 'round-robin' cannot meet the constraints", done.stderr)

    def test_unsupported(self):
        table = self.write("gpu.csv", "device,type,reason\nGPU,sigmoid*,not written yet\nnpu,matmul\n")
        for plan in self.each_plan("--unsupported", table):
            self.assertEqual(self.devices(plan, lambda op: op["type"].startswith("sigmoid")), {"cpu"})

    def test_flags_add_to_the_file(self):
        self.write("gpu.csv", "gpu,tanh\n")
        file = self.write("c.toml", 'pin = "type:sigmoid=gpu1"\nunsupported = "gpu.csv"\nmax-devices = 3\n')
        for plan in self.each_plan("--constraints", file, "--pin", "type:dropout=gpu2"):
            self.assertEqual(self.devices(plan, lambda op: op["type"] == "sigmoid"), {"gpu1"})
            self.assertEqual(self.devices(plan, lambda op: op["type"] == "dropout"), {"gpu2"})
            self.assertEqual(self.devices(plan, lambda op: op["type"] == "tanh"), {"cpu"})
            self.assertLessEqual(len(self.devices(plan, lambda op: op.get("role", "compute") == "compute")), 3)

    def test_score_says_what_a_plan_breaks(self):
        plan = self.folder / "p.json"
        self.text_of("place", SMALL, "-m", "k40x2", "-p", "gpu-only", "-o", plan)
        score = ["score", SMALL, "-m", "k40x2", "--plan", plan]
        self.text_of(*score, "--pin", "type:tanh=gpu0", "--max-devices", "1")
        self.assert_refused([*score, "--pin", "type:tanh=gpu1"], "p.json: '--pin type:tanh=gpu1' does not hold: op '",
                            "is on gpu0")
        self.assert_refused([*score, "--max-crossings", "0"], "p.json: ", "at most 0 are allowed")


class Refused(ConstraintsTest):
    def test_clashes_are_named(self):
        file = self.write("c.toml", "\n\nforbid = [\n  'type:embedding=gpu0',\n]\n")
        place = ["place", SMALL, "-m", "k40x2"]
        for flags, message in [
            (["--pin", "embedding/embedding=gpu0", "--constraints", file],
             "'--pin embedding/embedding=gpu0' and 'c.toml:4 forbid type:embedding=gpu0' clash: no device is left for op "
             "'embedding/embedding'"),
            (["--pin", "softmax.t0/matmul=gpu0", "--pin", "loss/ones=gpu1", "--colocate", "softmax.t0/matmul,loss/ones"],
             "'--pin softmax.t0/matmul=gpu0', '--pin loss/ones=gpu1' and '--colocate softmax.t0/matmul,loss/ones' clash: "),
            (["--reserve", "gpu0=13GiB"], "'--reserve gpu0=13GiB' cannot be met: 13.0 GiB are reserved on gpu0, which has 12.0"),
            (["--max-devices", "1", "--pin", "type:tanh=gpu0", "--pin", "type:sigmoid=gpu1"],
             "'--pin type:tanh=gpu0', '--pin type:sigmoid=gpu1' and '--max-devices 1' clash: no device alone may run all ops"),
            (["--keep-together", "lstm", "--pin", "type:tanh=gpu0", "--pin", "type:sigmoid=gpu1"],
             "'--pin type:tanh=gpu0', '--pin type:sigmoid=gpu1' and '--keep-together lstm' clash: "),
            (["--max-crossings", "0", "--pin", "type:embedding=gpu0"], "inputs are on the first CPU unless they are pinned"),
        ]:
            with self.subTest(flags):
                self.assert_refused([*place, *flags], "berth: " + message if message.startswith("'") else message)
                self.assert_refused([*place, *flags, "--json"])
        table = self.write("none.csv", "cpu,tanh\ngpu,tanh,why not\n")
        self.assert_refused([*place, "--unsupported", table],
                            "'none.csv:1 cpu,tanh' and 'none.csv:2 gpu,tanh (why not)' clash: no device is left for op '")

    def test_what_is_not_there(self):
        for flags, part in [
            (["--pin", "type:tahn=gpu0"], "--pin type:tahn=gpu0: no op of the type 'tahn' in 'rnnlm"),
            (["--pin", "type:tahn=gpu0"], "did you mean 'tanh'?"),
            (["--pin", "tanh=gpu0"], "did you mean 'type:tanh'?"),
            (["--pin", "lost/ones=gpu0"], "did you mean 'loss/ones'?"),
            (["--forbid", "*=gpu2"], "has no device 'gpu2'; did you mean 'gpu0'? (it has cpu, gpu0, gpu1)"),
            (["--keep-together", "lstn"], "did you mean 'lstm'?"),
            (["--colocate", "loss/ones"], "it names only op 'loss/ones'; give two or more"),
            (["--pin", "loss/ones"], "expected OP=DEVICE, for example emb=gpu0"),
            (["--pin", ""], "expected OP=DEVICE"),
            (["--reserve", "gpu0=a lot"], "'a lot' is no size"),
            (["--max-devices", "0"], "expected N from 1 to 64"),
            (["--max-crossings", "few"], "expected N, for example 100"),
            (["--pin", "a=b", "--pin", "c=d", "--pin"], "--pin needs a value"),
            (["--constraint", "x.toml"], "did you mean '--constraints'?"),
            (["--constraints", "missing.toml"], "missing.toml: "),
            (["--unsupported", "missing.csv"], "missing.csv: "),
            (["--constraints", self.write("bad.toml", "pin = [\n'a=gpu0'\npim = 3")], "bad.toml:3: "),
            (["--constraints", self.write("odd.toml", "pim = 3")], "odd.toml:1: pim: no such key; did you mean 'pin'?"),
            (["--unsupported", self.write("t.csv", "npu,a\nnup,b\n")], "t.csv:2 nup,b: machine 'k40x2' has no device 'nup'"),
        ]:
            with self.subTest(flags):
                self.assert_refused(["place", SMALL, "-m", "k40x2", *flags], part)

    def test_memory_that_cannot_suffice_is_a_warning(self):
        machine = self.write("tight.toml", self.text_of("machines", "k40x2").replace("12 GiB", "20 kB"))
        done = berth("place", SMALL, "-m", machine, "--pin", "role:parameter=gpu0", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("warning: no plan will fit in memory: '--pin role:parameter=gpu0' cannot be met: what must be on gpu0 "
                      "holds", done.stderr)
        self.assertIn("out of memory", done.stderr)
        self.assertFalse(json.loads(done.stdout)["feasible"])


class PublicProblems(ConstraintsTest):
    MSR = json.dumps({
        "maxSizePerFPGA": 100.0, "maxFPGAs": 2, "maxCPUs": 1,
        "nodes": [{"id": 5, "name": "a", "supportedOnFpga": 1, "cpuLatency": 40, "fpgaLatency": 4, "isBackwardNode": 0, "size": 6},
                  {"id": 7, "name": "b", "supportedOnFpga": 0, "cpuLatency": 20, "fpgaLatency": 2, "isBackwardNode": 0, "size": 5}],
        "edges": [{"sourceId": 5, "destId": 7, "cost": 0.5, "size": 1}]})

    def test_constraints_add_to_them(self):
        msr = self.write("x.json", self.MSR)
        self.assertEqual(self.place("--pin", "a=acc1", graph=msr, machine=None), {"a": "acc1", "b": "cpu0"})
        self.assert_refused(["place", msr, "--pin", "b=acc1"],
                            "'--pin b=acc1' cannot be met: no device is left for op 'b' (op 'b' runs on cpu0 only)")
        stg = self.write("x.stg", "2\n0 0 0\n1 3 1 0\n2 4 1 0\n3 0 2 1 2\n")
        self.assertEqual(len(set(self.place("--max-devices", 1, graph=stg, machine=None).values())), 1)

    def test_problems_of_ours(self):
        problem = str(self.folder / "problem.json")
        self.text_of("graph", "problem", SMALL, "-m", "k40x2", "-o", problem)
        plan = self.place("--pin", "lstm.layer.0.t0/tanh=gpu1", graph=problem, machine=None)
        self.assertEqual(plan["lstm.layer.0.t0/tanh"], "gpu1")
        self.assert_refused(["place", problem, "--pin", "embedding.words=gpu0"], "(op 'embedding.words' runs on cpu only)")


class Documented(ConstraintsTest):
    def test_help_points_to_the_page(self):
        for command in ("place", "compare", "score"):
            text = self.text_of(command, "--help")
            for part in ("--pin OP=DEVICE", "--keep-together MODULE", "--max-crossings N", "--constraints FILE",
                         "berth help constraints"):
                self.assertIn(part, text)

    def test_the_page_shows_the_example(self):
        page = (ROOT / "docs" / "constraints.md").read_text()
        for name in ("constraints.toml", "npu.csv"):
            lines = (ROOT / "examples" / name).read_text().splitlines()
            body = "\n".join(line for line in lines if "SPDX" not in line).strip()
            self.assertIn(body, page)

    def test_the_example_is_obeyed(self):
        model = "zoo:bert-base,mode=infer"
        plan = self.place("--constraints", ROOT / "examples" / "constraints.toml", graph=model, machine="core-ultra")
        for op in self.graph(model):
            module, device = op.get("module", ""), plan[op["name"]]
            if module.startswith("embedding") and op.get("role") != "input":
                self.assertEqual(device, "cpu", op["name"])
            if op["type"] in ("embedding", "softmax", "layer_norm"):
                self.assertNotEqual(device, "npu0", op["name"])
            if module.startswith("pooler"):
                self.assertNotEqual(device, "npu0", op["name"])


if __name__ == "__main__":
    main()
