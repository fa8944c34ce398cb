// SPDX-License-Identifier: Apache-2.0
// OpenVINO's HETERO: the affinity of every layer by its friendly name. An IR cannot carry it (docs/exports.md), so it
// is a file of its own with a script that sets it.
#include <unordered_map>

#include "base/text.h"
#include "export/device_names.h"
#include "export/formats.h"
#include "export/lost.h"
#include "export/source_nodes.h"
#include "files/json/json_writer.h"
#include "import/openvino/ir_links.h"
#include "import/openvino/ir_net.h"

namespace berth {
namespace {

using openvino::IrLayer;
using openvino::IrLinks;
using openvino::IrNet;

// Layers as nodes; a Parameter has an op like all others, so that no layer reads an input by itself.
std::vector<SourceNode> nodes_of(const ExportRequest& request, const IrNet& net, const IrLinks& links) {
  const Graph& graph = request.problem.graph();
  std::unordered_map<std::string_view, OpId> op_of;
  for (const OpId op : graph.ops()) op_of.emplace(graph.name(op), op);
  std::vector<SourceNode> nodes(net.layers.size());
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    for (const openvino::IrSource& source : links.sources[i]) nodes[i].inputs.push_back(source.layer);
    // A constant follows what reads it: HETERO gives every reader a copy of its own.
    if (openvino::is_constant(net.layers[i])) continue;
    nodes[i].reads_input = net.layers[i].type == "Parameter" || net.layers[i].type == "ReadValue";
    const auto op = op_of.find(net.layers[i].name);
    if (op != op_of.end()) nodes[i].device = request.plan.device(op->second);
  }
  return nodes;
}

// An input goes with the first layer that reads it: HETERO makes a subgraph of whatever is alone on a device, and a
// subgraph of nothing but an input is none that a plugin compiles.
void move_inputs(const IrNet& net, std::vector<SourceNode>& nodes) {
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    if (net.layers[i].type == "Parameter") nodes[i].device = kNoDevice;
  }
}

std::string affinity_json(const ExportRequest& request, const IrNet& net, const std::vector<DeviceId>& device_of) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    if (net.layers[i].type == "Result") continue;  // its name need not be its own; the script places it
    json.key(net.layers[i].name).value(runtime_name(Runtime::kOpenVino, request, device_of[i]));
  }
  json.end_object();
  return std::move(json).take();
}

void add_notes(const ExportRequest& request, const IrNet& net, const std::vector<DeviceId>& device_of,
               Exported& exported) {
  const Graph& graph = request.problem.graph();
  std::unordered_map<std::string_view, DeviceId> planned;
  for (const OpId op : graph.ops()) planned.emplace(graph.name(op), request.plan.device(op));
  NamedSome moved;
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    const auto found = planned.find(net.layers[i].name);
    if (found != planned.end() && found->second != device_of[i]) moved.add(net.layers[i].name);
  }
  if (moved.count() > 0) {
    exported.notes.push_back(
        fmt::format("{} elsewhere than in the plan: HETERO copies a constant to whoever reads it, and "
                    "an input starts with the first op that does",
                    moved.text("constant or input", "constants or inputs")));
  }
  note_order_and_fusions(request.plan, "OpenVINO, which orders and fuses by itself", exported.notes);
  for (const DeviceId device : request.problem.machine().device_ids()) {
    const Device& described = request.problem.machine().device(device);
    const bool is_second_cpu =
        described.kind == DeviceKind::kCpu && number_of_kind(request.problem.machine(), device) > 0;
    if (is_second_cpu && !request.names.contains(described.name)) {
      exported.notes.push_back(
          fmt::format("OpenVINO has one CPU; give '{}' a name by --name {}=...", described.name, described.name));
    }
  }
}

// apply.py, for people to use and to read: affinities on a model, compiled for HETERO. The tests run it.
constexpr std::string_view kOpenVinoScript =
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

}  // namespace

Result<Exported> export_openvino(const ExportRequest& request) {
  BERTH_TRY(const std::string text, read_file(request.source));
  auto net = openvino::parse_model_ir(text);
  if (!net) return in_file(request.source, net.error());
  auto links = openvino::link_layers(*net);
  if (!links) return in_file(request.source, links.error());
  std::vector<SourceNode> nodes = nodes_of(request, *net, *links);
  move_inputs(*net, nodes);
  PlacedNodes placed = place_source_nodes(nodes);
  const DeviceId fallback = request.problem.machine().first_of(DeviceKind::kCpu).value_or(DeviceId(0));
  for (DeviceId& device : placed.device_of) device = device == kNoDevice ? fallback : device;
  Exported exported;
  exported.files.push_back({.name = "affinity.json", .text = affinity_json(request, *net, placed.device_of)});
  exported.files.push_back({.name = "apply.py", .text = std::string(kOpenVinoScript)});
  add_notes(request, *net, placed.device_of, exported);
  return exported;
}

}  // namespace berth
