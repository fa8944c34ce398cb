#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports of models that mean harm: what a model calls its files decides nothing about the files of the export.
Usage: export_safety_test.py BERTH."""
import os
import pathlib
import resource
import shutil
import signal
import subprocess

import tiny_models
from command_line import BERTH, main
from export_case import ExportCase
from protobuf_wire import fields, number, text

WIDTH = 16
BYTES = bytes(range(256)) * (4 * WIDTH * WIDTH // 256)
HOSTILE = ["run.py", "RUN.PY", "load.py", "stage0.onnx", "Stage1.onnx", "model.onnx", "pipeline.json", "session_options.json", "numpy.py",
           "onnxruntime/__init__.py", "x.pth", "__pycache__/json.cpython-311.pyc", "data/weights1.bin", "data", "weights.bin"]


def external_weight(name, location):
    return tiny_models.onnx_weight(name, [WIDTH, WIDTH]) + text(13, text(1, "location") + text(2, location)) + number(14, 1)


def chain(locations):
    """A product after the other, each with a weight in a file of its own."""
    nodes = [tiny_models.onnx_node(f"n{i}", "MatMul", [f"h{i}", f"w{i}"], [f"h{i + 1}"]) for i in range(len(locations))]
    weights = [external_weight(f"w{i}", location) for i, location in enumerate(locations)]
    return tiny_models.onnx([tiny_models.onnx_value("h0", [4, WIDTH])], weights, nodes, [f"h{len(locations)}"])


def locations_in(path):
    graph = dict(fields(path.read_bytes()))[7]
    entries = [dict(fields(entry)) for field, tensor in fields(graph) if field == 5 for inside, entry in fields(tensor) if inside == 13]
    return [entry[2].decode() for entry in entries]


def small_files():
    """As if the disk were full when a file grows beyond half a megabyte."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, 1 << 19))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def contents(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


class ExportSafety(ExportCase):
    def hostile_model(self, locations):
        folder = self.folder / "model"
        for location in locations:
            file = folder / location
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.is_dir():
                file.write_bytes(b"raise SystemExit('run')\n" + BYTES)
                file.chmod(0o755)
        model = folder / "net.onnx"
        model.write_bytes(chain(locations))
        return str(model)

    def exported_files(self, locations, form):
        model = self.hostile_model(locations)
        plan = self.plan(model, "k40x2", "round-robin")
        out, document = self.export(model, plan, form)
        return pathlib.Path(out), document

    def test_weights_outside_the_model_replace_and_hide_nothing(self):
        for form, own in [("ort-stages", {"run.py", "pipeline.json"}), ("ort", {"load.py", "session_options.json", "model.onnx"})]:
            with self.subTest(form):
                out, document = self.exported_files(HOSTILE, form)
                self.assertEqual(len(document["files"]), len(set(document["files"])))
                at_top = {path.name for path in out.iterdir() if path.is_file()}
                own = own | {name for name in at_top if name.startswith("stage") and name.endswith(".onnx")}
                self.assertEqual(at_top, own, "nothing of the model's author beside the scripts")
                self.assertEqual({path.name for path in out.iterdir() if path.is_dir()}, {"data"})
                for name in own:
                    self.assertNotIn(b"raise SystemExit", (out / name).read_bytes(), name)
                copies = list((out / "data").iterdir())
                self.assertTrue(copies)
                for copy in copies:
                    self.assertRegex(copy.name, r"^weights\d+\.bin$")
                    self.assertFalse(copy.stat().st_mode & 0o111, "no copy can be run")

    def test_models_find_their_weights_under_the_new_names(self):
        out, document = self.exported_files(["first.bin", "sub/second.bin", "./first.bin"], "ort-stages")
        named = [location for stage in sorted(out.glob("stage*.onnx")) for location in locations_in(stage)]
        self.assertEqual(len(named), 3)
        self.assertEqual(set(named), {"data/weights0.bin", "data/weights1.bin"}, "one file, spelt in two ways, is one file")
        self.assertEqual({str(path.relative_to(out)) for path in out.glob("data/*")}, set(named))
        self.assertFalse(document["notes"] and any("weights is not" in note for note in document["notes"]))

    def test_external_tensors_are_found_in_bodies_and_attributes(self):
        folder = self.folder / "model"
        folder.mkdir()
        (folder / "run.py").write_bytes(BYTES)
        constant = tiny_models.onnx_node("c", "Constant", [], ["c"]) + text(5, text(1, "value") + text(5, external_weight("", "run.py")) + number(20, 4))
        node = tiny_models.onnx_node("product", "MatMul", ["x", "c"], ["y"])
        (folder / "net.onnx").write_bytes(tiny_models.onnx([tiny_models.onnx_value("x", [4, WIDTH])], [], [constant, node], ["y"]))
        for form, name in [("ort-stages", "stage0.onnx"), ("ort", "model.onnx")]:
            with self.subTest(form):
                model = str(folder / "net.onnx")
                out, _ = self.export(model, self.plan(model), form)
                written = (pathlib.Path(out) / name).read_bytes()
                self.assertIn(b"data/weights0.bin", written)
                self.assertNotIn(b"run.py", written)
                self.assertEqual((pathlib.Path(out) / "data" / "weights0.bin").read_bytes(), BYTES)

    def test_files_outside_the_folder_are_left_alone(self):
        secret = self.folder / "secret"
        secret.write_bytes(BYTES)
        model = self.folder / "model" / "net.onnx"
        model.parent.mkdir()
        model.write_bytes(chain(["../secret", str(secret), "here/../../secret"]))
        out, document = self.export(str(model), self.plan(str(model)), "ort-stages")
        self.assertFalse((pathlib.Path(out) / "data").exists())
        self.assertEqual(sum("outside its folder" in note for note in document["notes"]), 3, document["notes"])

    def test_links_in_the_target_lead_nowhere(self):
        model = self.hostile_model(["weights.bin"])
        plan = self.plan(model)
        prized = self.folder / "prized"
        prized.write_text("prized")
        for name, target in [("run.py", prized), ("data", self.folder), ("data/weights0.bin", prized), ("stage0.onnx", self.folder / "new")]:
            with self.subTest(name):
                out = self.folder / f"linked-{name.replace('/', '-')}"
                (out / name).parent.mkdir(parents=True)
                os.symlink(target, out / name)
                before = sorted(out.rglob("*"))
                self.assert_refused(["export", model, "--plan", plan, "--to", "ort-stages", "-o", str(out)], "it is a link", name)
                self.assertEqual(sorted(out.rglob("*")), before, "nothing is written")
                self.assertEqual(prized.read_text(), "prized")
                self.assertFalse((self.folder / "new").exists())
                self.assertFalse((self.folder / "weights0.bin").exists())

    def test_an_export_does_not_replace_what_it_is_made_of(self):
        for form, name in [("ort-stages", "stage0.onnx"), ("ort", "model.onnx")]:
            with self.subTest(form):
                folder = self.folder / form
                (folder / "data").mkdir(parents=True)
                (folder / "weights.bin").write_bytes(BYTES)
                model = folder / name
                model.write_bytes(chain(["weights.bin"]))
                before = model.read_bytes()
                plan = self.plan(str(model))
                command = ["export", str(model), "--plan", plan, "--to", form, "-o"]
                self.assert_refused([*command, str(folder)], "would replace this file", name)
                self.assertEqual(model.read_bytes(), before)
                self.assertFalse((folder / "run.py").exists())
        model = self.folder / "swapped" / "net.onnx"
        (model.parent / "data").mkdir(parents=True)
        for number_ in (0, 1):
            (model.parent / "data" / f"weights{number_}.bin").write_bytes(BYTES)
        model.write_bytes(chain(["data/weights1.bin", "data/weights0.bin"]))
        self.assert_refused(["export", str(model), "--plan", self.plan(str(model)), "--to", "ort", "-o", str(model.parent)], "would replace")

    def test_a_full_disk_leaves_everything_as_it_was(self):
        model = self.hostile_model([f"w{number_}.bin" for number_ in range(6)])
        plan = self.plan(model, "k40x2", "round-robin")
        for form in ("ort-stages", "ort"):
            self.with_a_full_disk(model, plan, form)

    def with_a_full_disk(self, model, plan, form):
        """The disk is full when the weights come, the last files of all: into no folder, an empty one, and one of before."""
        big = self.folder / "model" / "w3.bin"
        big.write_bytes(bytes(1 << 20))
        before, (old, _) = self.folder / f"before-{form}", self.export(model, plan, form)
        shutil.copytree(old, before)
        (before / "mine.txt").write_text("mine")
        (before / "data" / "weights0.bin").write_bytes(b"older")
        (self.folder / f"empty-{form}").mkdir()
        for out in (self.folder / f"new-{form}" / "inside", self.folder / f"empty-{form}", before):
            with self.subTest(form, out=out.name):
                seen = contents(self.folder)
                done = subprocess.run([BERTH, "export", model, "--plan", plan, "--to", form, "-o", str(out)], capture_output=True, text=True,
                                      preexec_fn=small_files)
                self.assert_one_line_error(done, f"{out}/data/weights", "cannot write it")
                self.assertEqual(contents(self.folder), seen)

    def test_what_is_replaced_keeps_its_permissions_and_the_rest_stays(self):
        model = self.hostile_model(["weights.bin"])
        plan = self.plan(model)
        out, document = self.export(model, plan, "ort-stages")
        kept = pathlib.Path(out) / "mine.txt"
        kept.write_text("mine")
        (pathlib.Path(out) / "run.py").write_text("old")
        (pathlib.Path(out) / "run.py").chmod(0o700)
        _, again = self.export(model, plan, "ort-stages")
        self.assertEqual(again["files"], document["files"])
        self.assertIn("onnxruntime", (pathlib.Path(out) / "run.py").read_text())
        self.assertEqual((pathlib.Path(out) / "run.py").stat().st_mode & 0o777, 0o700)
        self.assertEqual(kept.read_text(), "mine")
        found = {str(path) for path in pathlib.Path(out).rglob("*") if path.is_file()}
        self.assertEqual(found, set(document["files"]) | {str(kept)}, "nothing else is left")

    def test_what_is_in_the_way_is_named(self):
        model = self.hostile_model(["weights.bin"])
        plan = self.plan(model)
        for name, is_folder, words in [("run.py", True, "it is a folder, and the export has a file of this name"),
                                       ("data", False, "it is a file, and the export has a folder of this name")]:
            with self.subTest(name):
                out = self.folder / f"blocked-{name}"
                out.mkdir()
                (out / name).mkdir() if is_folder else (out / name).write_text("x")
                self.assert_refused(["export", model, "--plan", plan, "--to", "ort-stages", "-o", str(out)], str(out / name), words)
                self.assertEqual([path.name for path in out.iterdir()], [name], "nothing is written")

    def test_a_file_with_two_graphs_is_refused(self):
        plan = self.plan(self.write("once.onnx", chain(["weights.bin"])))
        twice = self.write("twice.onnx", chain(["weights.bin"]) + chain(["weights.bin"]))
        self.assert_refused(["export", twice, "--plan", plan, "--to", "ort", "-o", str(self.folder / "out")], "two graphs")


if __name__ == "__main__":
    main()
