#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenVINO's own placements beside Berth's, run by OpenVINO. Usage: openvino_hetero.py BERTH BUILD_FOLDER [ROUNDS]

bench/openvino_hetero.py build/release/berth build/release 15 | bench/put_section.py hetero docs/exports.md

Two devices of one computer: the CPU plugin with all cores, and the same plugin under a second name with one thread. Each runs
the model alone, with profiling; its execution graph gives Berth the times. Then HETERO runs its automatic placements and
Berth's through the export that users get. All placements run in turn, so that what disturbs the computer disturbs all."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "consumers"))
from lib import cli, markdown, stats  # noqa: E402
from lib.berth import Berth  # noqa: E402
import consumer  # noqa: E402

consumer.run_in_environment("openvino")

import datetime  # noqa: E402
import importlib.util  # noqa: E402
import json  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
import xml.etree.ElementTree  # noqa: E402

import numpy as np  # noqa: E402
import onnx_models  # noqa: E402
import openvino  # noqa: E402

MODELS = ["resnet50", "bert_base"]
DEVICES = {"cpu": "CPU", "cpu2": "CPU2"}  # Berth's names: OpenVINO's
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 30
# Figures that matter where a layer has no measured time, and for copies, which stay in one memory.
MACHINE = """name = "two-plugins"
overlap = false
region_cost = "20 us"

[[devices]]
name = "cpu"
kind = "cpu"
memory = "16 GiB"
flops = "{both} GFLOP/s"
bandwidth = "20 GB/s"
launch = "2 us"

[[devices]]
name = "cpu2"
kind = "cpu"
memory = "16 GiB"
flops = "50 GFLOP/s"
bandwidth = "10 GB/s"
launch = "2 us"

[[links]]
from = "cpu"
to = "cpu2"
bandwidth = "5 GB/s"
latency = "5 us"
"""

berth = Berth(sys.argv[1])


def two_devices():
    core = openvino.Core()
    core.register_plugin("openvino_intel_cpu_plugin", "CPU2")
    core.set_property("CPU", {"INFERENCE_NUM_THREADS": str(os.cpu_count())})
    core.set_property("CPU2", {"INFERENCE_NUM_THREADS": "1"})
    for device in DEVICES.values():  # both compute the same
        core.set_property(device, {"INFERENCE_PRECISION_HINT": "f32"})
    return core


def execution_graphs(core, model, inputs, folder):
    """What each device made of the model, with the least time of every op in runs in turn; the flags by which Berth reads them."""
    compiled = {device: core.compile_model(model, device, {"PERF_COUNT": "YES"}) for device in DEVICES.values()}
    requests = {device: program.create_infer_request() for device, program in compiled.items()}
    least = {device: {} for device in requests}
    for _ in range(ROUNDS):
        for device, request in requests.items():
            request.infer(inputs)
            for op in request.profiling_info:
                seconds = op.real_time.total_seconds()
                least[device][op.node_name] = min(seconds, least[device].get(op.node_name, seconds))
    flags = []
    for ours, theirs in DEVICES.items():
        path = folder / f"{theirs}.xml"
        openvino.serialize(compiled[theirs].get_runtime_model(), path, path.with_suffix(".bin"))
        put_times(path, least[theirs])
        flags += ["--costs", f"{path}@{ours}"]
    return flags


def put_times(path, seconds_of):
    """The graph has the means, in which a disturbed run shows."""
    tree = xml.etree.ElementTree.parse(path)
    for layer in tree.iter("layer"):
        data = layer.find("data")
        if data is not None and layer.get("name") in seconds_of and data.get("execTimeMcs", "not_executed").isdigit():
            data.set("execTimeMcs", str(round(seconds_of[layer.get("name")] * 1e6)))
    tree.write(path)


def exported(core, model, plan, machine, folder):
    """The plan as a user applies it; the compiled model."""
    names = [word for ours, theirs in DEVICES.items() for word in ("--name", f"{ours}={theirs}")]
    berth.run("export", model, "-m", machine, "--plan", plan, "--to", "openvino", "-o", folder, *names)
    spec = importlib.util.spec_from_file_location(f"apply_{folder.name}".replace("-", "_"), folder / "apply.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script.compile_placed(core, core.read_model(model))


class Row:
    def __init__(self, name, compiled, on_second, predicted=None):
        self.name, self.compiled, self.on_second, self.predicted = name, compiled, on_second, predicted
        self.seconds = []

    def run(self, inputs):
        begin = time.perf_counter()
        outputs = self.compiled(inputs)
        self.seconds.append(time.perf_counter() - begin)
        return list(outputs.values())


def automatic_row(core, model, device):
    chosen = list(core.query_model(core.read_model(model), device).values())
    return Row(f"`{device}`, automatic", core.compile_model(model, device), on_second=chosen.count("CPU2") / len(chosen))


def planned_row(core, title, model, planner, machine, costs, folder):
    plan = folder / f"{title}.json"
    berth.run("place", model, "-m", machine, "-p", planner, "--budget", "5s", "-q", "-o", plan, *costs)
    scored = berth.ask("score", model, "-m", machine, "--plan", plan, *costs)
    placed = [op["device"] for op in json.loads(plan.read_text())["ops"]]
    return Row(f"Berth, `{title}`", exported(core, model, plan, machine, folder / title), placed.count("cpu2") / len(placed), scored["step_time_s"])


def rows_of(name, folder):
    core = two_devices()
    source = onnx_models.real_model(consumer.data_folder(), name, folder)
    model, machine = folder / f"{name}.xml", folder / "machine.toml"
    openvino.save_model(openvino.convert_model(source), model, compress_to_fp16=False)
    machine.write_text(MACHINE.format(both=50 * os.cpu_count()))
    inputs = onnx_models.random_values((value.any_name, list(value.shape), value.element_type.to_dtype())
                                       for value in core.read_model(model).inputs)
    cli.say(f"{name}: times of every op")
    costs = execution_graphs(core, model, inputs, folder)
    cli.say(f"{name}: placements")
    rows = [automatic_row(core, model, "HETERO:CPU,CPU2"), automatic_row(core, model, "HETERO:CPU2,CPU")]
    for title in ("auto", "round-robin", "random"):
        rows.append(planned_row(core, title, model, title, machine, costs, folder))
    wanted = rows[0].run(inputs)
    for row in rows:  # the first run allocates
        for found, value in zip(row.run(inputs), wanted, strict=True):
            np.testing.assert_allclose(found, value, rtol=1e-3, atol=1e-3)
        row.seconds.clear()
    cli.say(f"{name}: {ROUNDS} rounds")
    for _ in range(ROUNDS):
        for row in rows:
            row.run(inputs)
    return rows


def main():
    if consumer.data_folder() is None:
        sys.exit("no data folder (BERTH_DATA)")
    print(f"HETERO's own placements beside ours, all run by OpenVINO {openvino.__version__.split('-')[0]} on {os.cpu_count()} cores "
          f"({datetime.date.today()}; {ROUNDS} runs of each, in turn):\n")
    table = markdown.Printed(["model", "placement", "ops on the second device", "predicted", "fastest run", "median"], "llrrrr")
    for name in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            for row in rows_of(name, pathlib.Path(folder)):
                predicted = "-" if row.predicted is None else f"{row.predicted * 1e3:.1f} ms"
                table.add(f"`{name}`", row.name, f"{100 * row.on_second:.0f} %", predicted, f"{min(row.seconds) * 1e3:.1f} ms",
                          f"{stats.median(row.seconds) * 1e3:.1f} ms")


if __name__ == "__main__":
    cli.run(main)
