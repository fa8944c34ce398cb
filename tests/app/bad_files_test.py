#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged and hostile files, full disks, too little memory. Usage: bad_files_test.py BERTH."""
import gzip
import os
import pathlib
import resource
import subprocess

from command_line import BERTH, SMALL, CommandLineTest, berth, main, sanitized


class BadFiles(CommandLineTest):
    def refuse_graph(self, name, content, *parts):
        path = self.write(name, content)
        self.assert_refused(["graph", "info", path], name, *parts, limited=True)

    def graph_text(self):
        return berth("graph", "convert", SMALL, "-o", "/dev/stdout").stdout

    def test_truncated(self):
        copy = self.folder / "copy.json.gz"
        self.text_of("graph", "convert", SMALL, "-o", str(copy))
        whole, text = copy.read_bytes(), gzip.decompress(copy.read_bytes())
        for keep in [0, 1, 10, len(whole) // 2, len(whole) - 1]:
            self.refuse_graph("cut.json.gz", whole[:keep])
        for keep in [1, 10, len(text) // 2, len(text) - 3]:
            self.refuse_graph("cut.json", text[:keep])

    def test_an_output_replaces_nothing_that_is_read(self):
        model = str(self.folder / "model.json")
        self.text_of("graph", "convert", SMALL, "-o", model)
        machine = self.write("machine.toml", berth("machines", "k40x2").stdout)
        alias, plan = self.folder / "alias", str(self.folder / "plan.json")
        alias.symlink_to(model)
        on = [model, "-m", machine]
        self.text_of("place", *on, "-p", "single", "-o", plan)
        for args in [["place", *on, "-p", "single", "-o", model], ["place", *on, "-p", "single", "-o", machine],
                     ["place", *on, "-p", "single", "-o", str(alias)], ["place", *on, "-p", "single", "--report", str(alias)],
                     ["sweep", *on, "--over", "devices=1", "--plot", model], ["graph", "convert", model, "-o", model],
                     ["graph", "problem", *on, "-o", model], ["export", *on, "--plan", plan, "--to", "csv", "-o", model],
                     ["export", *on, "--plan", plan, "--to", "csv", "-o", plan]]:
            with self.subTest(args):
                read = {path: pathlib.Path(path).read_bytes() for path in [model, machine, plan]}
                self.assert_refused(args, args[-1], "it is read here, and would be replaced")
                self.assertEqual(read, {path: pathlib.Path(path).read_bytes() for path in read})

    def test_deep_nesting(self):
        self.refuse_graph("deep.json", b'{"format":"berth-graph/1","ops":' + b"[" * 5_000_000)

    def test_gzip_bomb(self):
        self.refuse_graph("bomb.json.gz", gzip.compress(b" " * (1 << 30) + b" " * (1 << 20), 1))

    def test_huge_shape(self):
        op = '{"name":"a","type":"input","args":[],"outputs":[{"dtype":"float32","shape":[1000000000,1000000000,1000]}]}'
        self.refuse_graph("shape.json", f'{{"format":"aten-graph/1","name":"g","mode":"infer","outputs":[],"ops":[{op}]}}')

    def test_a_million_duplicate_names(self):
        op = '{"name":"a","type":"input","args":[],"outputs":[{"dtype":"float32","shape":[1]}]}'
        ops = ",".join([op] * 1_000_000)
        self.refuse_graph("names.json", f'{{"format":"aten-graph/1","name":"g","mode":"infer","outputs":[],"ops":[{ops}]}}', "a")

    def test_not_a_graph(self):
        for content in [b"", b"\0" * 100, b"null", b"[]", b"{}", b'{"format":"berth-plan/1"}', b"\xff\xfe", b"\x1f\x8b"]:
            with self.subTest(content):
                self.refuse_graph("odd.json", content)

    def test_bad_machines(self):
        good = self.text_of("machines", "k40x2")
        for content in ["", "name = ", good[: len(good) // 2], good.replace("12 GiB", "12 GiBB"), good.replace("GiB", "furlong"),
                        "[" * 100_000, "\0"]:
            with self.subTest(content[:40]):
                self.assert_refused(["place", SMALL, "-m", self.write("bad.toml", content)], "bad.toml", limited=True)

    def test_bad_plans(self):
        plan = self.folder / "plan.json"
        self.text_of("place", SMALL, "-m", "k40x2", "-o", str(plan))
        good = plan.read_text()
        other = "zoo:rnnlm,batch=4,unroll=4,hidden=16,vocab=100"
        self.assert_refused(["score", other, "-m", "k40x2", "--plan", str(plan)], "plan.json")
        for content in ["", "{}", good[: len(good) // 2], good.replace("gpu0", "gpu7"), good.replace("berth-plan/1", "berth-plan/9"),
                        good.replace('"name": "', '"name": "x', 1)]:
            with self.subTest(content[:40]):
                bad = self.write("bad.json", content)
                self.assert_refused(["score", SMALL, "-m", "k40x2", "--plan", bad], "bad.json", limited=True)

    def test_an_input_moved_from_the_cpu_is_refused(self):
        plan = self.folder / "plan.json"
        self.text_of("place", SMALL, "-m", "k40x2", "-p", "gpu-only", "-o", str(plan))
        moved = self.write("moved.json", plan.read_text().replace('"device": "cpu"', '"device": "gpu0"'))
        self.assert_refused(["score", SMALL, "-m", "k40x2", "--plan", moved], "moved.json")

    def test_output_that_cannot_be_written(self):
        for path in ["/nonexistent/plan.json", str(self.folder)]:
            self.assert_refused(["place", SMALL, "-m", "k40x2", "-o", path], path)
        self.assert_one_line_error(berth("place", SMALL, "-m", "k40x2", "-o", "/proc/plan.json"), "/proc/plan.json")

    def test_an_empty_output_name_is_refused(self):
        for command in [["place", SMALL, "-m", "k40x2"], ["graph", "convert", SMALL],
                        ["graph", "problem", SMALL, "-m", "k40x2"]]:
            self.assert_refused([*command, "-o", ""], "--output: the name of the file is empty")

    def test_a_plan_that_cannot_be_written_is_still_reported(self):
        command = ["place", SMALL, "-m", "k40x2", "-o", "/dev/full"]
        done = berth(*command)
        self.assert_one_line_error(done, "/dev/full")
        self.assertIn("step time", done.stdout)
        self.assertNotIn("plan written", done.stdout)
        self.assertGreater(self.json_of(*command, code=2)["step_time_s"], 0)

    def test_a_full_disk_is_an_error_and_a_closed_pipe_is_not(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([BERTH, "planners"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot write to stdout", done.stderr)
        read_end, write_end = os.pipe()
        os.close(read_end)
        done = subprocess.run([BERTH, "planners"], stdout=write_end, stderr=subprocess.PIPE, text=True)
        os.close(write_end)
        self.assertEqual(done.stderr, "")

    def test_too_little_memory_is_one_clear_line(self):
        if sanitized():
            self.skipTest("AddressSanitizer needs the address space")
        limit = 100 << 20
        done = subprocess.run([BERTH, "graph", "info", "zoo:nmt-8,unroll=200"], capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assert_one_line_error(done, "memory")


if __name__ == "__main__":
    main()
