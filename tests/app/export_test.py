#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""berth export, and plans of other programs read back. Usage: export_test.py BERTH.

Real consumers of the formats are in tests/consumers; here are strict readers of our own. Device maps are in device_map_test.py."""
import collections
import csv
import json
import pathlib
import re

import tiny_models
from command_line import SMALL, berth, main
from export_case import ExportCase
from protobuf_wire import fields, number, text

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MLP = str(ROOT / "examples" / "mlp.train.json")
CNN = str(ROOT / "tests" / "data" / "openvino" / "small_cnn.xml")
FORMATS = re.findall(r"^  ([a-z-]+) {2,}", berth("export", "--help").stdout.partition("Formats:")[2], re.MULTILINE)
ANY_GRAPH = ["accelerate", "chrome", "csv", "dot", "model-explorer", "perfetto"]
PIPELINES = ["deepspeed", "megatron", "torch-pipelining", "torchtitan"]


def tensorflow_node(name, op, inputs=(), device=""):
    attribute = text(5, text(1, "T") + text(2, number(6, 1)))
    return text(1, text(1, name) + text(2, op) + b"".join(text(3, i) for i in inputs) + (text(4, device) if device else b"") + attribute)


def tensorflow_graph(device_of=None):
    """x and w of 64 x 64 multiplied, and two branches of it added."""
    shape = text(5, text(1, "shape") + text(2, text(7, text(2, number(1, 64)) * 2)))
    dtype = text(5, text(1, "dtype") + text(2, number(6, 1)))

    def leaf(name, op):
        return text(1, text(1, name) + text(2, op) + dtype + shape + (text(4, (device_of or {})[name]) if device_of else b""))

    def node(name, op, *inputs):
        return tensorflow_node(name, op, inputs, (device_of or {}).get(name, ""))

    return (leaf("x", "Placeholder") + leaf("w", "VariableV2") + node("product", "MatMul", "x", "w") + node("left", "Relu", "product") +
            node("right", "Tanh", "product") + node("sum", "Add", "left", "right") + text(4, number(1, 27)))


class Exports(ExportCase):
    # What every format has in common.

    def test_help_lists_all_formats(self):
        self.assertEqual(FORMATS, sorted(FORMATS))
        self.assertEqual(set(FORMATS), {*ANY_GRAPH, *PIPELINES, "openvino", "ort", "ort-stages", "tensorflow"})

    def test_the_same_plan_gives_the_same_bytes(self):
        plan = self.plan(SMALL)
        for form in ANY_GRAPH:
            with self.subTest(form):
                first, second = (self.export(SMALL, plan, form, out=str(self.folder / f"{form}{i}"))[1]["files"] for i in (1, 2))
                for a, b in zip(first, second, strict=True):
                    self.assertEqual(pathlib.Path(a).read_bytes(), pathlib.Path(b).read_bytes())
        self.assertFalse(list(self.folder.rglob("*.tmp")), "no temporary files are left")

    def test_mistakes_are_refused_and_nothing_is_written(self):
        plan = self.plan(SMALL)
        out = str(self.folder / "out")
        command = ["export", SMALL, "--plan", plan, "-o", out, "--to"]
        self.assert_refused([*command, "perfeto"], "no export format named 'perfeto'", "did you mean 'perfetto'")
        self.assert_refused([*command, "ort"], "--to ort", "ends in .onnx", SMALL)
        self.assert_refused([*command, "csv", "--name", "gpu7=cuda:1"], "no device \"gpu7\"", "gpu0")
        self.assert_refused([*command, "csv", "--name", "gpu0"], "DEVICE=NAME")
        self.assert_refused([*command, "csv", "--module-prefix", "m"], "--module-prefix is for --to accelerate, torch-pipelining and torchtitan")
        self.assert_refused([*command, "accelerate", "--module-prefix", "nowhere"], "no parameter is inside", "nowhere")
        self.assert_refused([*command, "chrome", "--objective", "pipeline"], "no timeline")
        self.assert_refused(["export", "zoo:rnnlm", "--plan", plan, "--to", "csv", "-o", out], "made for another graph")
        self.assertFalse(pathlib.Path(out).exists())
        self.assert_refused(["export", SMALL, "--plan", plan, "--to", "csv", "-o", str(self.folder / "no" / "x")], "no folder")
        self.assert_refused(["export", SMALL, "--plan", plan, "--to", "model-explorer", "-o", plan], "writes a folder")
        self.assert_refused(["export", SMALL, "--plan", plan, "--to", "csv", "-o", str(self.folder)], "is a folder")

    def test_the_machine_is_that_of_the_plan(self):
        plan = self.plan(SMALL, "k40x4")
        self.export(SMALL, plan, "csv")
        machine = self.write("own.toml", self.text_of("machines", "k40x2").replace('name = "k40x2"', 'name = "own"'))
        plan = self.plan(SMALL, machine)
        self.assert_refused(["export", SMALL, "--plan", plan, "--to", "csv", "-o", str(self.folder / "x")], "--machine is required")

    # Pipelines, made here by hand; what torch makes of them is tested in tests/consumers/pipelining_test.py.

    def pipeline(self, **changed):
        graph_hash = json.loads(pathlib.Path(self.plan(MLP)).read_text())["graph"]

        def device(name, stage):
            return {"device": name, "actions": [{"stage": stage, "microbatch": m, "kind": kind} for m in (0, 1) for kind in ("forward", "backward")]}
        return self.write("pipeline.json", json.dumps({
            "format": "berth-pipeline/1", "graph": graph_hash, "title": "mlp", "machine": "k40x2", "microbatches": 2, "schedule": "in turn",
            "cut_by": "labels", "optimizer": {"kind": "sgd", "state": "with-weights"},
            "stages": [{"layers": ["first"], "devices": ["gpu0"], "recompute": False}, {"layers": ["second"], "devices": ["gpu1"], "recompute": False}],
            "devices": [device("gpu0", 0), device("gpu1", 1)], **changed}))

    def test_pipelines_have_their_own_formats(self):
        pipeline = self.pipeline()
        out, document = self.export(MLP, pipeline, "torch-pipelining", out=str(self.folder / "torch"))
        folder = pathlib.Path(out)
        self.assertEqual(sorted(pathlib.Path(file).name for file in document["files"]), ["pipeline.json", "run.py", "schedule.csv"])
        self.assertEqual((folder / "schedule.csv").read_text(), "0F0,0B0,0F1,0B1\n1F0,1B0,1F1,1B1\n")
        manifest = json.loads((folder / "pipeline.json").read_text())
        self.assertEqual((manifest["format"], manifest["split_points"]), ("berth-torch-pipelining/1", ["second"]))
        self.assertEqual([rank["torch"] for rank in manifest["ranks"]], ["cuda:0", "cuda:1"])
        compile((folder / "run.py").read_text(), "run.py", "exec")
        out, _ = self.export(MLP, pipeline, "torchtitan", out=str(self.folder / "titan"))
        titan = {"__file__": str(pathlib.Path(out) / "parallelism.py")}
        exec((pathlib.Path(out) / "parallelism.py").read_text(), titan)
        self.assertEqual(titan["PARALLELISM"]["module_fqns_per_model_part"], [["first"], ["second"]])
        self.assertTrue(pathlib.Path(titan["PARALLELISM"]["pipeline_parallel_schedule_csv"]).is_file())
        out = str(self.folder / "x")
        for form, words in [("deepspeed", "in turn (1f1b), and this pipeline's lists are others (in turn)"), ("megatron", "this model has none"),
                            ("csv", "berth-pipeline/1")]:
            self.assert_refused(["export", MLP, "--plan", pipeline, "--to", form, "-o", out], words)
        self.assert_refused(["export", MLP, "--plan", self.plan(MLP), "--to", "torchtitan", "-o", out], "berth-plan/1")
        self.assert_refused(["export", MLP, "--plan", pipeline, "--to", "torchtitan", "-o", out, "--module-prefix", "m"], "is not inside 'm'")
        stages = [{"layers": ["second"], "devices": ["gpu0"]}, {"layers": ["first"], "devices": ["gpu1"]}]
        self.assert_refused(["export", MLP, "--plan", self.pipeline(stages=stages), "--to", "torchtitan", "-o", out],
                            "pipeline.json: the stages have 'second' where the graph's next layer is 'first'")
        self.assertFalse(pathlib.Path(out).exists())

    # Tables and pictures.

    def test_csv_is_the_plan_and_reads_back(self):
        plan = self.plan(SMALL)
        out, document = self.export(SMALL, plan, "csv")
        rows = list(csv.DictReader(open(out, newline="")))
        self.assertEqual({row["op"]: row["device"] for row in rows}, self.devices_of(plan))
        busy = collections.Counter()
        for row in rows:
            busy[row["device"]] += float(row["seconds"]) if row["role"] == "compute" else 0
        for device in self.json_of("score", SMALL, "-m", "k40x2", "--plan", plan)["devices"]:
            self.assertAlmostEqual(device["busy_s"], busy[device["name"]], places=9)
        self.placed_like(SMALL, out, plan)

    def test_csv_reads_back_order_and_fusions(self):
        plan = self.plan(SMALL, "k40x2", "expert-layers", "--fusion", "best", "--schedule", "search")
        wanted = json.loads(pathlib.Path(plan).read_text())
        self.assertTrue(wanted["fusions"])
        self.assertGreater(len({op["priority"] for op in wanted["ops"]}), 2)
        out, _ = self.export(SMALL, plan, "csv")
        again, _ = self.export(SMALL, out, "csv", "-m", "k40x2", out=str(self.folder / "again.csv"))
        self.assertEqual(pathlib.Path(again).read_text(), pathlib.Path(out).read_text())
        rows = {row["op"]: row for row in csv.DictReader(open(again, newline=""))}
        self.assertEqual({op: float(row["priority"]) for op, row in rows.items()}, {op["name"]: op["priority"] for op in wanted["ops"]})
        groups = collections.defaultdict(set)
        for op, row in rows.items():
            if row["fusion"]:
                groups[row["fusion"]].add(op)
        self.assertEqual(sorted(map(sorted, groups.values())), sorted(map(sorted, wanted["fusions"])))
        first, second = (self.json_of("score", SMALL, "-m", "k40x2", "--plan", path)["step_time_s"] for path in (plan, out))
        self.assertEqual(first, second)

    def test_csv_with_bad_priorities_and_fusions_is_refused(self):
        names = list(self.devices_of(self.plan(SMALL)))[:2]
        command = ["score", SMALL, "-m", "k40x2", "--plan"]
        for cells, words in [("nan,", "the priority is"), ("high,", "expected a number"), ("1,-1", "the fusion is"), ("1,x", "whole number"),
                             ("1,7", "fusion 7 has one op")]:
            table = self.write("bad.csv", f"op,device,priority,fusion\n{names[0]},cpu,,\n{names[1]},cpu,{cells}\n")
            self.assert_refused([*command, table], words, "bad.csv")
        twice = self.write("twice.csv", f"op,device\n{names[0]},cpu\n{names[0]},cpu\n")
        self.assert_refused([*command, twice], "placed already", "line 3")

    def test_dot_has_a_cluster_per_device_and_every_op_once(self):
        out, _ = self.export(SMALL, self.plan(SMALL), "dot")
        dot = pathlib.Path(out).read_text()
        self.assertEqual(set(re.findall(r'label="(cpu|gpu\d)"; node', dot)), {"cpu", "gpu0", "gpu1"})
        ops = sum(int(count.replace(",", "")) for count in re.findall(r"\\n([\d,]+) ops?,", dot))
        self.assertEqual(ops, self.json_of("graph", "info", SMALL)["ops"])
        self.assertLessEqual(len(re.findall(r"^    b\d+ \[", dot, re.MULTILINE)), 200)
        blocks = set(re.findall(r"^    (b\d+) \[", dot, re.MULTILINE))
        for a, b in re.findall(r"^  (b\d+) -> (b\d+)", dot, re.MULTILINE):
            self.assertTrue({a, b} <= blocks)

    def test_model_explorer_has_three_overlays(self):
        plan = self.plan(SMALL)
        out, document = self.export(SMALL, plan, "model-explorer")
        overlays = {pathlib.Path(file).stem: json.loads(pathlib.Path(file).read_text())["main"] for file in document["files"]}
        self.assertEqual(sorted(overlays), ["bytes", "device", "microseconds"])
        self.assertEqual({name: node["value"] for name, node in overlays["device"]["results"].items()}, self.devices_of(plan))
        self.assertTrue(all(re.fullmatch("#[0-9a-f]{6}", node["bgColor"]) for node in overlays["device"]["results"].values()))
        self.assertTrue(all(node["value"] >= 0 for node in overlays["microseconds"]["results"].values()))

    # Traces.

    def test_chrome_has_the_timeline(self):
        plan = self.plan(SMALL)
        out, _ = self.export(SMALL, plan, "chrome")
        events = json.loads(pathlib.Path(out).read_text())["traceEvents"]
        scored = self.json_of("score", SMALL, "-m", "k40x2", "--plan", plan, "--timeline")
        names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
        slices = [event for event in events if event["ph"] == "X"]
        ops = {(event["name"], names[event["pid"]]): event for event in slices if event["cat"] == "op"}
        self.assertEqual(len(ops), len(scored["events"]))
        for event in scored["events"]:
            slice_ = ops[event["op"], event["device"]]
            self.assertAlmostEqual(slice_["ts"], event["start_s"] * 1e6, places=5)
            self.assertAlmostEqual(slice_["ts"] + slice_["dur"], event["end_s"] * 1e6, places=5)
        self.assertEqual(sum(event["cat"] == "transfer" for event in slices), len(scored["transfers"]))
        flows = collections.Counter(event["ph"] for event in events if event["ph"] in "sf")
        self.assertEqual(flows["s"], flows["f"])
        self.assertGreater(flows["s"], 0)
        self.assert_tracks_do_not_overlap([(event["tid"], event["ts"], event["ts"] + event["dur"]) for event in slices])
        for device in scored["devices"]:
            held = [event["args"]["bytes"] for event in events if event["ph"] == "C" and event["name"] == "memory" and
                    names[event["pid"]] == device["name"]]
            self.assertEqual(max(held, default=0), device["peak_bytes"])
        under_way = [event for event in events if event["ph"] == "C" and event["name"].endswith("under way")]
        self.assertEqual(under_way[-1]["args"]["bytes"], 0)

    def assert_tracks_do_not_overlap(self, slices):
        end_of = collections.defaultdict(float)
        for track, start, end in sorted(slices, key=lambda slice_: slice_[1]):
            self.assertGreaterEqual(start, end_of[track] - 1e-6)
            end_of[track] = end

    def test_perfetto_has_the_same(self):
        plan = self.plan(SMALL)
        out, _ = self.export(SMALL, plan, "perfetto")
        packets = [dict(fields(packet)) for field, packet in fields(pathlib.Path(out).read_bytes()) if field == 1]
        tracks = [dict(fields(packet[60])) for packet in packets if 60 in packet]
        self.assertEqual(len({track[1] for track in tracks}), len(tracks), "numbers of tracks are unique")
        processes = [dict(fields(track[3]))[6].decode() for track in tracks if 3 in track]
        self.assertEqual(processes, ["cpu", "gpu0", "gpu1", "links"])
        known, open_slices, last, begun, flows = {track[1] for track in tracks}, collections.Counter(), 0, 0, collections.Counter()
        for packet in packets:
            if 11 not in packet:
                continue
            self.assertGreaterEqual(packet[8], last, "in the order of time")
            last = packet[8]
            event = list(fields(packet[11]))
            kind, track = dict(event)[9], dict(event)[11]
            self.assertIn(track, known)
            open_slices[track] += {1: 1, 2: -1, 4: 0}[kind]
            self.assertIn(open_slices[track], (0, 1, 2))
            begun += kind == 1
            flows.update(field for field, _ in event if field in (47, 48))
        self.assertFalse(any(open_slices.values()), "every slice that begins ends")
        scored = self.json_of("score", SMALL, "-m", "k40x2", "--plan", plan, "--timeline")
        self.assertEqual(begun, len(scored["events"]) + len(scored["transfers"]))
        self.assertAlmostEqual(last / 1e9, scored["step_time_s"], delta=2e-9)
        self.assertGreaterEqual(flows[47], flows[48])
        self.assertGreater(flows[48], 0)

    # Runtimes.

    def onnx(self, name="net.onnx"):
        return self.write(name, tiny_models.onnx_of_branches(branches=4, width=64))

    def test_ort_annotates_every_node_and_reads_back(self):
        model = self.onnx()
        dims = ["--dim", "batch=2,seq=4"]
        plan = self.plan(model, "rtx4090-3060", "round-robin", *dims)
        out, document = self.export(model, plan, "ort", "-m", "rtx4090-3060", *dims)
        files = {pathlib.Path(file).name for file in document["files"]}
        self.assertEqual(files, {"model.onnx", "session_options.json", "load.py"})
        graph = dict(fields((pathlib.Path(out) / "model.onnx").read_bytes()))[7]
        annotation = {}
        for field, node in fields(graph):
            if field != 1:
                continue
            entries = [dict(fields(entry)) for number_, entry in fields(node) if number_ == 9]
            annotation[dict(fields(node))[3].decode()] = {entry[1].decode(): entry[2].decode() for entry in entries}["layer_ann"]
        devices = self.devices_of(plan)
        self.assertEqual(annotation, {name: devices[name] for name in annotation})
        self.assertEqual(len(annotation), 6)
        settings = json.loads((pathlib.Path(out) / "session_options.json").read_text())["session.layer_assignment_settings"]
        self.assertRegex(settings, r"gpu:0\(=gpu0\); gpu:1\(=gpu1\)")
        self.assertTrue(any("one gpu" in note and "ort-stages" in note for note in document["notes"]), document["notes"])
        # Weights follow what reads them, as they do in this plan.
        annotated = str(pathlib.Path(out) / "model.onnx")
        plan_again = self.write("settings.txt", settings)
        self.assertIn("layer settings", self.json_of("score", annotated, "-m", "rtx4090-3060", "--plan", plan_again, *dims)["note"])
        for source in (plan_again, str(pathlib.Path(out) / "session_options.json")):
            table = str(self.folder / "ort.csv")
            self.text_of("export", annotated, "-m", "rtx4090-3060", "--plan", source, "--to", "csv", "-o", table, *dims)
            again = {row["op"]: row["device"] for row in csv.DictReader(open(table, newline=""))}
            self.assertEqual({name: again[name] for name in annotation}, annotation)

    def test_settings_by_name_take_the_longest_match(self):
        model = self.onnx()
        settings = self.write("names.json", json.dumps({"session.name_based_layer_assignment": "gpu:1(branch); cpu(branch3); gpu:0(s)"}))
        table = str(self.folder / "names.csv")
        self.text_of("export", model, "-m", "k40x2", "--plan", settings, "--to", "csv", "-o", table, "--dim", "batch=2,seq=4")
        placed = {row["op"]: row["device"] for row in csv.DictReader(open(table, newline=""))}
        self.assertEqual([placed[name] for name in ("stem", "branch0", "branch2", "branch3", "sum")],
                         ["gpu0", "gpu1", "gpu1", "cpu", "gpu0"])
        for text_, words in [("gpu(", "is no rule"), ("(a)", "names no device"), ("gpu()", "empty pattern"), ("gpu(zzz)", "no rule matches")]:
            self.assert_refused(["score", model, "-m", "k40x2", "--dim", "batch=2,seq=4", "--plan", self.write("bad.txt", text_)], words)

    def test_stages_hold_every_node_and_hand_on_what_is_read(self):
        model = self.onnx()
        dims = ["--dim", "batch=2,seq=4"]
        plan = self.plan(model, "k40x2", "round-robin", *dims)
        out, document = self.export(model, plan, "ort-stages", *dims)
        manifest = json.loads((pathlib.Path(out) / "pipeline.json").read_text())
        self.assertEqual((manifest["format"], manifest["inputs"], manifest["outputs"]), ("berth-ort-stages/1", ["x"], ["y"]))
        devices, seen, have = self.devices_of(plan), [], set(manifest["inputs"])
        for stage in manifest["stages"]:
            self.assertTrue(set(stage["inputs"]) <= have, "earlier stages make what a stage reads")
            have |= set(stage["outputs"])
            graph = dict(fields((pathlib.Path(out) / stage["file"]).read_bytes()))[7]
            names = [dict(fields(node))[3].decode() for field, node in fields(graph) if field == 1]
            self.assertTrue(all(devices[name] == stage["device"] for name in names))
            weights = {dict(fields(weight))[8].decode() for field, weight in fields(graph) if field == 5}
            reads = {value.decode() for field, node in fields(graph) if field == 1 for number_, value in fields(node) if number_ == 1}
            self.assertTrue(weights <= reads, "only the weights that it reads")
            seen += names
        self.assertEqual(sorted(seen), ["branch0", "branch1", "branch2", "branch3", "stem", "sum"])
        self.assertIn("y", have)

    def stage_types(self, model, devices):
        """Types of the inputs of all stages, as the numbers of TensorProto.DataType, by name."""
        plan = self.write("types.csv", "op,device\n" + "".join(f"{op},{device}\n" for op, device in devices.items()))
        out, _ = self.export(model, plan, "ort-stages", "-m", "k40x2")
        types = {}
        for stage in pathlib.Path(out).glob("stage*.onnx"):
            values = [dict(fields(value)) for field, value in fields(dict(fields(stage.read_bytes()))[7]) if field == 11]
            types.update({value[1].decode(): dict(fields(dict(fields(value[2]))[1]))[1] for value in values})
        return types

    def test_types_between_stages_are_those_of_onnx(self):
        def cast(name, kind, inputs, outputs):
            return tiny_models.onnx_node(name, "Cast", inputs, outputs) + text(5, text(1, "to") + number(3, kind) + number(20, 2))

        twice = text(25, text(1, "Twice") + text(4, "v") + text(5, "w") + text(7, tiny_models.onnx_node("add", "Add", ["v", "v"], ["w"])) + text(10, "local"))
        for kind in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23):
            nodes = [cast("a", kind, ["x"], ["h"]), tiny_models.onnx_node("b", "Twice", ["h"], ["i"]) + text(7, "local"), cast("c", 1, ["i"], ["y"])]
            model = self.write("types.onnx", tiny_models.onnx([tiny_models.onnx_value("x", [4, 4])], [], nodes, ["y"]) + twice)
            types = self.stage_types(model, {"a": "gpu0", "b/add": "gpu1", "c": "gpu0"})
            self.assertEqual(types, {"x": 1, "h": kind, "i": kind}, f"type {kind}")

    def test_a_type_that_is_not_known_is_refused_by_the_node(self):
        nodes = [tiny_models.onnx_node("odd", "Strange", ["x"], ["h"]) + text(7, "mine"), tiny_models.onnx_node("after", "Tanh", ["h"], ["y"])]
        model = self.write("odd.onnx", tiny_models.onnx([tiny_models.onnx_value("x", [4, 4])], [], nodes, ["y"]))
        plan = self.write("odd.csv", "op,device\nodd,gpu0\nafter,gpu1\n")
        out = self.folder / "out"
        done = berth("export", model, "-m", "k40x2", "--plan", plan, "--to", "ort-stages", "-o", str(out))
        self.assertEqual(done.returncode, 2)
        self.assertIn("node 'odd' makes 'h'", done.stderr)
        self.assertFalse(out.exists())

    def test_openvino_places_every_layer(self):
        plan = self.plan(CNN, "k40x2", "round-robin")
        out, document = self.export(CNN, plan, "openvino")
        affinity = json.loads((pathlib.Path(out) / "affinity.json").read_text())
        layers = dict(re.findall(r'<layer id="\d+" name="([^"]+)" type="([^"]+)"', pathlib.Path(CNN).read_text()))
        self.assertEqual(set(affinity), {name for name, kind in layers.items() if kind != "Result"})
        self.assertTrue(set(affinity.values()) <= {"CPU", "GPU.0", "GPU.1"})
        again = self.export(CNN, str(pathlib.Path(out) / "affinity.json"), "openvino", "-m", "k40x2", out=str(self.folder / "again"))[0]
        self.assertEqual(json.loads((pathlib.Path(again) / "affinity.json").read_text()), affinity)
        scored = self.json_of("score", CNN, "-m", "k40x2", "--plan", str(pathlib.Path(out) / "affinity.json"))
        self.assertIn("affinities of OpenVINO", scored["note"])
        named, _ = self.export(CNN, plan, "openvino", "--name", "gpu1=CPU2", out=str(self.folder / "named"))
        self.assertIn("CPU2", (pathlib.Path(named) / "affinity.json").read_text())

    def test_tensorflow_gets_device_fields_and_keeps_the_rest(self):
        model = self.write("net.pb", tensorflow_graph())
        plan = self.plan(model, "k40x2", "round-robin")
        out, _ = self.export(model, plan, "tensorflow", out=str(self.folder / "placed.pb"))
        original, placed = (list(fields(pathlib.Path(path).read_bytes())) for path in (model, out))
        self.assertEqual([field for field, _ in original], [field for field, _ in placed])
        devices = self.devices_of(plan)
        kinds = {"cpu": "/device:CPU:0", "gpu0": "/device:GPU:0", "gpu1": "/device:GPU:1"}
        for (field, before), (_, after) in zip(original, placed, strict=True):
            if field != 1:
                self.assertEqual(before, after)
                continue
            name = dict(fields(after))[1].decode()
            self.assertEqual(dict(fields(after))[4].decode(), kinds[devices[name]])
            self.assertEqual(sorted(map(str, fields(before))), sorted(str(entry) for entry in fields(after) if entry[0] != 4))
        scored = self.placed_like(model, out, plan)
        self.assertIn("device fields of TensorFlow", scored["note"])
        self.assertEqual(self.json_of("score", out, "-m", "k40x2")["step_time_s"], scored["step_time_s"], "as the file's own placement")

    def test_placements_in_saved_models_are_written_too(self):
        meta = text(1, text(4, "serve")) + text(2, tensorflow_graph())
        model = self.write("saved.pb", number(1, 1) + text(2, meta))
        plan = self.plan(model, "k40x2", "round-robin")
        out, _ = self.export(model, plan, "tensorflow", out=str(self.folder / "saved_placed.pb"))
        self.placed_like(model, out, plan)
        self.assertIn(b"serve", pathlib.Path(out).read_bytes())

    def test_what_no_runtime_takes_is_noted(self):
        model = self.write("net.pb", tensorflow_graph())
        onnx, dims = self.onnx(), ["--dim", "batch=2,seq=4"]
        for graph, form, who, more in [(SMALL, "accelerate", "PyTorch", []), (model, "tensorflow", "TensorFlow", []), (CNN, "openvino", "OpenVINO", []),
                                       (onnx, "ort", "ONNX Runtime", dims), (onnx, "ort-stages", "ONNX Runtime", dims)]:
            with self.subTest(form):
                plan = pathlib.Path(self.plan(graph, "k40x2", "round-robin", *more))
                notes = self.export(graph, str(plan), form, *more)[1]["notes"]
                self.assertFalse(any("priorities" in note for note in notes), notes)
                document = json.loads(plan.read_text())
                for number_, op in enumerate(document["ops"]):
                    op["priority"] = number_
                plan.write_text(json.dumps(document))
                notes = self.export(graph, str(plan), form, *more)[1]["notes"]
                count = len(document["ops"])
                self.assertTrue(any(f"priorities of {count:,} ops are left to {who}" in note for note in notes), notes)

    # Plans of others, judged beside ours.

    def test_compare_has_a_row_for_every_plan(self):
        plan = self.plan(SMALL)
        table, _ = self.export(SMALL, plan, "csv", out=str(self.folder / "table.csv"))
        rows = self.json_of("compare", SMALL, "-m", "k40x2", "--planners", "single", "--plan", plan, "--plan", table)["rows"]
        by_name = {row["planner"]: row for row in rows}
        self.assertEqual(len(by_name), 3)
        self.assertEqual(by_name["table.csv"]["step_time_s"], by_name[pathlib.Path(plan).name]["step_time_s"])

    def test_diff_takes_them_too(self):
        plan = self.plan(SMALL)
        placed, _ = self.export(SMALL, plan, "accelerate", out=str(self.folder / "map.json"))
        table, _ = self.export(SMALL, plan, "csv", out=str(self.folder / "table.csv"))
        both = ["--graph", SMALL, "--machine", "k40x2"]
        self.assertEqual(self.json_of("diff", plan, table, *both)["moved"], 0)
        moved = self.json_of("diff", plan, placed, *both)
        self.assertEqual(moved["step_time_after_s"], self.json_of("score", SMALL, "-m", "k40x2", "--plan", placed)["step_time_s"])
        self.assert_refused(["diff", plan, table], "--graph and --machine", "table.csv")

    def test_what_is_no_plan_is_refused(self):
        command = ["score", SMALL, "-m", "k40x2", "--plan"]
        for content, words in [("hello", "it is no plan"), ("", "it is no plan"), ("op,device\nnowhere,gpu0\n", "no op \"nowhere\""),
                               ("op,device\n", "no op below the header"), (b"\xff\xfe\x00", "it is no plan"), ("{", ""), ("[]", "it is no plan")]:
            path = self.write("bad", content)
            self.assert_refused([*command, path], words, "bad")
        self.assert_refused(["score", SMALL, "-m", "k40x2", "--plan", self.write("ort.txt", "gpu(a)")], "for models in ONNX")


if __name__ == "__main__":
    main()
