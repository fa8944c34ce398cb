#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Help by `berth help`, completion in shells and manual pages. All of them know every command and flag.
Usage: completion_test.py BERTH."""
import os
import pathlib
import shutil
import subprocess
import tempfile

from command_line import BERTH, CommandLineTest, main


def all_commands(command):
    """A command and those below it, as `berth help --json` has them."""
    yield command
    for child in command["commands"]:
        yield from all_commands(child)


def names_of_flags(command):
    return [name for flag in command["flags"] for name in flag["names"]]


class TreeTest(CommandLineTest):
    def tree(self):
        return self.json_of("help")  # with --json

    def commands(self):
        return list(all_commands(self.tree()))


class Help(TreeTest):
    def test_help_is_the_same_as_the_flag(self):
        for command in self.commands()[1:]:
            words = command["command"].split()[1:]
            with self.subTest(words):
                shown = self.text_of("help", *words)
                self.assertTrue(shown.startswith(self.text_of(*words, "--help").rstrip("\n")), shown)

    def test_help_alone_lists_commands_and_pages(self):
        text = self.text_of("help")
        for word in ("place", "completion", "constraints", "planners"):
            self.assertIn(word, text)

    def test_pages(self):
        self.assertTrue(self.text_of("help", "constraints").startswith("# Constraints"))
        self.assertIn("docs/machines.md", self.text_of("help", "machines"))  # a command, and a page about it

    def test_pages_that_words_of_the_program_name_are_there(self):
        for command in self.commands():
            text = self.text_of(*command["command"].split()[1:], "--help")
            self.assertNotIn("docs/", text)
        for page in ("constraints", "formats", "measuring", "training", "machines"):
            self.text_of("help", page)

    def test_wrong_topics(self):
        for topic, part in ((["plcae"], "did you mean 'place'?"), (["constraint"], "did you mean 'constraints'?"),
                            (["place", "more"], "berth place has no commands of its own"),
                            (["graph", "inof"], "did you mean 'info'?"), (["../README"], "no help for")):
            self.assert_refused(["help", *topic], part)
        self.assert_refused(["help", "place", "--json"], "leave TOPIC out")

    def test_hidden_commands_stay_hidden(self):
        names = [command["command"] for command in self.commands()]
        self.assertNotIn("berth write-share", names)
        self.assertNotIn("berth measure-worker", names)


class Bash(TreeTest):
    def complete(self, line):
        """COMPREPLY for the line, with the cursor at its end, as readline would call the function."""
        script = (f'source <("{BERTH}" completion bash); COMP_LINE=$1; COMP_POINT=${{#1}}; COMP_WORDBREAKS=$\' \\t\\n"\\\'><=;|&(:\'; '
                  '_berth; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", line], capture_output=True, text=True, cwd=self.folder, timeout=900)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [word for word in done.stdout.splitlines() if word]

    def test_commands(self):
        self.assertEqual(self.complete("berth pla"), ["place", "planners"])
        self.assertEqual(self.complete("berth graph "), ["info", "convert", "problem"])
        self.assertIn("place", self.complete("berth help pl"))
        self.assertIn("constraints", self.complete("berth help con"))

    def test_values(self):
        self.assertEqual(self.complete("berth place zoo:rnnlm -m k40"), ["k40x2", "k40x4", "k40x8"])
        self.assertEqual(self.complete("berth place zoo:rnnlm --machine=rtx"), ["rtx4090-3060"])
        self.assertIn("heft", self.complete("berth place zoo:rnnlm --planner h"))
        self.assertEqual(self.complete("berth place zoo:nm"), ["nmt-2", "nmt-4", "nmt-8"])  # readline keeps "zoo:"
        self.assertEqual(self.complete("berth completion "), ["bash", "zsh", "fish"])
        self.assertEqual(self.complete("berth llm llama-8b --to v"), ["vllm"])
        self.assertEqual(self.complete("berth export zoo:rnnlm --to perf"), ["perfetto"])
        self.assertEqual(self.complete("berth place zoo:rnnlm --budget "), [])  # a time: nothing to offer

    def test_files(self):
        self.write("mine.toml", "")
        self.write("mine plan.json", "")
        self.assertEqual(self.complete("berth place mi"), ["mine plan.json", "mine.toml"])
        self.assertEqual(self.complete("berth place zoo:rnnlm -m mine."), ["mine.toml"])
        self.assertEqual(self.complete("berth score zoo:rnnlm -m k40x2 --plan mine\\ "), ["mine plan.json"])

    def test_every_command_and_flag(self):
        for command in self.commands():
            with self.subTest(command["command"]):
                self.assertEqual(sorted(set(self.complete(command["command"] + " -"))), sorted(set(names_of_flags(command))))
                names = [child["command"].split()[-1] for child in command["commands"]]
                if names:
                    self.assertEqual(self.complete(command["command"] + " "), names)


class OtherShells(TreeTest):
    def check(self, shell, command, text):
        """The shell itself finds nothing wrong, where it is installed."""
        if shutil.which(shell):
            path = self.write("script", text)
            done = subprocess.run([shell, *command, path], capture_output=True, text=True, timeout=900)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_zsh(self):
        text = self.text_of("completion", "zsh")
        self.assertTrue(text.startswith("#compdef berth\n"))
        self.check("zsh", ["-n"], text)
        for command in self.commands():
            begin = text.index("_" + command["command"].replace(" ", "_") + "() {")
            body = text[begin:text.index("\n}\n", begin)]
            for name in names_of_flags(command):
                self.assertRegex(body, rf"'\*{name}=?\[")
            for child in command["commands"]:
                self.assertIn(f"\n    '{child['command'].split()[-1]}:", body)

    def test_fish(self):
        text = self.text_of("completion", "fish")
        self.check("fish", ["-n"], text)
        for command in self.commands():
            lines = [line for line in text.splitlines() if f"'__berth_is {command['command']}'" in line]
            for name in names_of_flags(command):
                flag = f"-l {name[2:]} " if name.startswith("--") else f"-s {name[1:]} "
                self.assertTrue(any(flag in line for line in lines), name)
            for child in command["commands"]:
                self.assertTrue(any(f"-a {child['command'].split()[-1]} " in line for line in lines), child["command"])

    def test_fish_completes(self):
        if not shutil.which("fish"):
            self.skipTest("no fish")
        script = self.write("berth.fish", self.text_of("completion", "fish"))
        bin_folder = os.path.dirname(BERTH)

        def complete(line):
            done = subprocess.run(["fish", "--no-config", "-c", f'source "{script}"; complete --do-complete "{line}"'], text=True,
                                  capture_output=True, timeout=900, cwd=self.folder,
                                  env={**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": str(self.folder)})
            return [word.split("\t")[0] for word in done.stdout.splitlines()]

        self.assertEqual(complete("berth pla"), ["place", "planners"])
        self.assertEqual(sorted(complete("berth graph ")), ["convert", "info", "problem"])
        self.assertEqual(complete("berth place zoo:rnnlm -m k40"), ["k40x2", "k40x4", "k40x8"])
        self.assertIn("--keep-together", complete("berth place --keep"))

    def test_zsh_completes(self):
        if not shutil.which("zsh"):
            self.skipTest("no zsh")
        # compadd and _arguments are those of a terminal; what _arguments is told is checked instead.
        script = self.write("_berth", self.text_of("completion", "zsh"))
        probe = ('compdef() {}; _arguments() { print -rl -- "$@" }; compadd() { print -rl -- "$@" }; _files() { print files }; '
                 f'source "{script}"; _berth_graph_convert; _berth_values_1')
        done = subprocess.run(["zsh", "-f", "-c", probe], capture_output=True, text=True, timeout=900)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\*--output=\[file to write.*\]:FILE:_files\n")
        self.assertRegex(done.stdout, r"\*:GRAPH:_berth_values_\d+\n")

    def test_other_words_are_refused(self):
        self.assert_refused(["completion", "bsh"], "did you mean 'bash'?")
        self.assert_refused(["completion"], "SHELL is required")


class Manual(TreeTest):
    def pages(self):
        with tempfile.TemporaryDirectory() as folder:
            self.text_of("write-share", folder)
            return {path.name: path.read_text() for path in pathlib.Path(folder, "man", "man1").iterdir()}

    def test_every_command_has_a_page_with_every_flag(self):
        pages = self.pages()
        commands = self.commands()
        self.assertEqual(sorted(pages), sorted(command["command"].replace(" ", "-") + ".1" for command in commands))
        for command in commands:
            page = pages[command["command"].replace(" ", "-") + ".1"]
            self.assertTrue(page.startswith(".TH "))
            for section in ("NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "EXAMPLES"):
                self.assertIn(f"\n.SH {section}\n", page, command["command"])
            for name in names_of_flags(command):
                self.assertIn("\\fB" + name.replace("-", "\\-") + "\\fR", page)
            for argument in command["arguments"]:
                self.assertIn("\\fI" + argument["names"][0] + "\\fR", page)

    def test_groff_has_no_complaints(self):
        if not shutil.which("groff"):
            self.skipTest("no groff")
        for name, page in self.pages().items():
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-z"], input=page, capture_output=True, text=True, timeout=900)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    def test_examples_are_kept_as_they_are(self):
        if not shutil.which("groff"):
            self.skipTest("no groff")
        page = self.pages()["berth-place.1"]
        text = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", "-rLL=200n"], input=page, capture_output=True, text=True, timeout=900).stdout
        self.assertIn("berth place zoo:nmt-4 --machine k40x4 --set 'link.*.bandwidth=2x' --add-device k40    (what if)", text)


if __name__ == "__main__":
    main()
