#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Help, wrong usage and the lists of planners, machines and models. Usage: usage_test.py BERTH."""
from command_line import SMALL, CommandLineTest, main


class Usage(CommandLineTest):
    def test_alone_it_helps(self):
        self.assertIn("berth place", self.text_of())
        self.assertEqual(self.text_of("--version").split()[0], "berth")

    def commands(self, command=None):
        """The words of all commands: ["graph", "info"]."""
        command = command or self.json_of("help")
        words = command["command"].split()[1:]
        return [words] * bool(words) + [below for child in command["commands"] for below in self.commands(child)]

    def test_every_command_has_help_with_an_example(self):
        commands = self.commands()
        self.assertIn(["graph", "info"], commands)
        for words in commands:
            with self.subTest(words):
                self.assertRegex(self.text_of(*words, "--help"), r"Examples?:\n(  .*\n)*?  .*berth " + words[0])

    def test_wrong_usage(self):
        place = ["place", SMALL, "-m", "k40x2"]
        for args, part in [
            (["plcae"], "did you mean 'place'?"),
            (["graph"], "info, convert, problem"),
            (["graph", "inof", SMALL], "did you mean 'info'?"),
            (["place"], "GRAPH is required"),
            (["place", SMALL], "--machine is required"),
            ([*place, "--plannr", "expert"], "did you mean '--planner'?"),
            ([*place, "surplus"], "unexpected argument 'surplus'"),
            ([*place, "--planner", "exprt"], "did you mean 'expert'?"),
            ([*place, "--budget", "soon"], "--budget"),
            ([*place, "--budget", "0"], "--budget"),
            ([*place, "--budget", "nan"], "--budget"),
            ([*place, "--budget", "-3s"], "500ms, 10s or 5min"),
            ([*place, "--seed", "-1"], "--seed: '-1' is not a whole number from 0 to 18446744073709551615"),
            ([*place, "--seed", "18446744073709551616"], "from 0 to 18446744073709551615"),
            ([*place, "--evaluations", "many"], "--evaluations: 'many' is not"),
            ([*place, "--evaluations", "1e3"], "whole number from 1 to"),
            ([*place, "--evaluations", "0"], "whole number from 1 to"),
            ([*place, "--evaluations", ""], "whole number from 1 to"),
            ([*place, "--threads", "0"], "--threads: '0' is not a whole number from 1 to 1024"),
            ([*place, "--threads"], "--threads needs a value"),
            (["place", SMALL, "-m"], "--machine needs a value"),
            ([*place, "-m", "k40x4"], "--machine is given 2 times; give it once"),
            (["graph", "convert", SMALL, "-o", "x.onnx"], "x.onnx: a graph is written as .json or .json.gz"),
            ([*place, "--objective", "pipelin"], "did you mean 'pipeline'?"),
            ([*place, "--objective", "stp"], "did you mean 'step'?"),
            (["place", SMALL, "-m", "procx65"], "procxN takes an N from 1 to 64"),
            (["place", "zoo:nmt4", "-m", "k40x2"], "did you mean 'nmt-4'?"),
            (["place", "nmt-4", "-m", "k40x2"], "did you mean 'zoo:nmt-4'?"),
            (["place", "zoo:rnnlm,bacth=3", "-m", "k40x2"], "did you mean 'batch'?"),
            (["place", SMALL, "-m", "k40x22"], "did you mean 'k40x2'?"),
            (["place", SMALL, "-m", "missing.toml"], "missing.toml"),
            (["place", "missing.json", "-m", "k40x2"], "missing.json"),
            (["compare", SMALL, "-m", "k40x2", "--planners", "single,exprt"], "did you mean 'expert'?"),
            (["machines", "k40x3"], "did you mean 'k40x"),
            (["machines", "rtx409"], "did you mean 'rtx4090'?"),
            (["models", "transformer"], "did you mean 'transformer-xl'?"),
            ([*place, "--planner", "met"], "did you mean 'metis'?"),
            ([*place, "--keep", "a"], "did you mean '--keep-together'?"),
            ([*place, "--pin", "layer.0.t1/matmul=gpu0"], "did you mean 'lstm.layer.0.t1/matmul'?"),
            ([*place, "--pin", "module:layer.0=gpu0"], "did you mean 'lstm.layer.0'?"),
            ([*place, "--add-device", "4090"], "did you mean 'rtx4090'? (berth help machines"),
            (["models", "nmt-5"], "did you mean 'nmt-"),
            (["score", SMALL, "-m", "k40x2"], "--plan is required"),
        ]:
            with self.subTest(args):
                self.assert_refused(args, part)

    def test_learned_planners_are_there_or_refused(self):
        learned = [planner["built"] for planner in self.json_of("planners")["planners"] if planner["learned"]]
        self.assertEqual(len(set(learned)), 1, "all or none")
        if not any(learned):
            self.assert_refused(["place", SMALL, "-m", "k40x2", "--planner", "go"], "not in this build")
            self.assert_refused(["compare", SMALL, "-m", "k40x2", "--planners", "learned"], "no learned planners")
            self.assert_refused(["train", SMALL, "-m", "k40x2", "-o", self.folder / "run"], "not in this build")
        for args in (["--preset", "paper"], ["--option", "groups=3"], ["--policy-device", "cuda"]):
            self.assert_refused(["place", SMALL, "-m", "k40x2", *args], args[0] + " is for learned planners")
            self.assert_refused(["compare", SMALL, "-m", "k40x2", "--planners", "single", *args], "is for learned planners")

    def test_control_characters_in_a_name_stay_on_one_line(self):
        self.assert_refused(["place", "a\nb\tc\x1b[31m", "-m", "k40x2"], "a b c?[31m")


class Lists(CommandLineTest):
    def test_planners_lists_all_names_of_the_contract(self):
        names = ("single cpu-only gpu-only random round-robin expert expert-layers scotch mincut metis heft m-topo m-etf m-sct "
                 "dp exact mincut-exact anneal genetic colocrl hierarchical placeto go hsdag auto").split()
        planners = self.json_of("planners")["planners"]
        self.assertEqual([planner["name"] for planner in planners], names)
        text = self.text_of("planners")
        for planner in planners:
            line = next(line for line in text.splitlines() if line.split()[0] == planner["name"])
            self.assertEqual("not in this build" in line, not planner["built"])
            self.assertEqual(line.split()[1:3], ["used" if planner["uses_seed"] else "-",
                                                 "all" if planner["uses_threads"] else "one"])

    def test_machines(self):
        names = [machine["name"] for machine in self.json_of("machines")["machines"]]
        for name in ["k40x2", "k40x4", "k40x8", "h200", "core-ultra", "2xhost"]:
            self.assertIn(name, names)
        self.assertEqual([family["name"] for family in self.json_of("machines")["families"]], ["CARDxN", "procxN"])
        self.assertIn("procxN", self.text_of("machines"))
        for name in [*names, "procx3"]:
            with self.subTest(name):
                copy = self.write("copy.toml", self.text_of("machines", name))
                self.assertEqual(self.json_of("machines", name), self.json_of("machines", copy))

    def test_models(self):
        names = [model["name"] for model in self.json_of("models")["models"]]
        for name in ("inception-v3 resnet-50 resnet-152 rnnlm nmt-2 nmt-4 nmt-8 bert-base transformer-xl wavenet amoebanet gpt2 "
                     "gpt3-175b llama-8b moe").split():
            self.assertIn(name, names)
        self.assertIn("batch", [parameter["name"] for parameter in self.json_of("models", "nmt-4")["parameters"]])
        self.assertIn("batch", self.text_of("models", "zoo:nmt-4"))


if __name__ == "__main__":
    main()
