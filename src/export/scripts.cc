// SPDX-License-Identifier: Apache-2.0
#include "export/scripts.h"

namespace berth {

const std::string_view kOrtLoadScript =
    R"PY("""Opens the annotated model in one session of ONNX Runtime (1.25 or later).

    from load import open_session
    session = open_session()                      # in this folder
    print(session.run(None, {...}))

`python load.py` prints where ONNX Runtime has put the nodes."""
import json
import pathlib

import onnxruntime

HERE = pathlib.Path(__file__).resolve().parent
PROVIDERS = {  # the first that this installation has, by kind of device
    "gpu": ["CUDAExecutionProvider", "MIGraphXExecutionProvider", "ROCMExecutionProvider", "DmlExecutionProvider"],
    "npu": ["QNNExecutionProvider", "VitisAIExecutionProvider"],
    "cpu": ["CPUExecutionProvider"],
}


def providers(devices):
    chosen, available = [], onnxruntime.get_available_providers()
    for device in devices:
        found = [name for name in PROVIDERS.get(device["kind"], []) if name in available]
        if not found:
            print(f"no execution provider for '{device['name']}' here; its nodes go elsewhere")
        elif all(found[0] != name for name, _ in chosen):
            chosen.append((found[0], {} if device["kind"] == "cpu" else {"device_id": str(device["index"])}))
    chosen.sort(key=lambda provider: provider[0] == "CPUExecutionProvider")  # the CPU takes what is left
    return chosen or [("CPUExecutionProvider", {})]


def open_session(folder=HERE, options=None):
    settings = json.loads((pathlib.Path(folder) / "session_options.json").read_text())
    options = options or onnxruntime.SessionOptions()
    key = "session.layer_assignment_settings"
    options.add_session_config_entry(key, settings[key])
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    model = pathlib.Path(folder) / settings["model"]
    return onnxruntime.InferenceSession(model, options, providers=providers(settings["devices"]))


if __name__ == "__main__":
    for subgraph in open_session().get_provider_graph_assignment_info():
        for node in subgraph.get_nodes():
            print(subgraph.ep_name, node.name, sep="\t")
)PY";

const std::string_view kOpenVinoScript =
    R"PY("""Puts the affinities of affinity.json on a model and compiles it for HETERO.

    import openvino
    from apply import compile_placed
    compiled = compile_placed(openvino.Core(), "model.xml")      # in this folder

`python apply.py model.xml` compiles it and says how many ops are where."""
import collections
import json
import pathlib
import sys

import openvino

HERE = pathlib.Path(__file__).resolve().parent


def apply(model, folder=HERE):
    """Sets the affinity of every op; returns the devices. HETERO takes a placement only if no op is left out."""
    affinity = json.loads((pathlib.Path(folder) / "affinity.json").read_text())
    missing = []
    for op in model.get_ops():
        device = affinity.get(op.get_friendly_name())
        if device is None and op.get_type_name() == "Result":  # goes with what it returns
            device = affinity.get(op.input_value(0).get_node().get_friendly_name())
        if device is None:
            missing.append(op.get_friendly_name())
        else:
            op.get_rt_info()["affinity"] = device
    if missing:
        raise ValueError(f"{len(missing)} ops have no affinity, the first is '{missing[0]}': is this the model of the plan?")
    return list(dict.fromkeys(affinity.values()))


def compile_placed(core, model, config=None, folder=HERE):
    model = model if isinstance(model, openvino.Model) else core.read_model(model)
    devices = apply(model, folder)
    return core.compile_model(model, "HETERO:" + ",".join(devices), config or {})


if __name__ == "__main__":
    core = openvino.Core()
    placed = core.read_model(sys.argv[1])
    compile_placed(core, placed)
    print(dict(collections.Counter(str(op.get_rt_info()["affinity"].astype(str)) for op in placed.get_ops())))
)PY";

}  // namespace berth
