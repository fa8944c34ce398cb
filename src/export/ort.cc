// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime, one session: every node gets the annotation `layer_ann` with the name of its device, and the session
// option `session.layer_assignment_settings` says which device that is (ONNX Runtime 1.25 and later).
#include <algorithm>

#include "base/text.h"
#include "export/device_names.h"
#include "export/formats.h"
#include "export/lost.h"
#include "export/onnx_placement.h"
#include "files/json/json_writer.h"
#include "files/mapped_file.h"
#include "files/protobuf/wire_parts.h"
#include "import/onnx/onnx_writer.h"
#include "import/plans/ort_settings.h"

namespace berth {
namespace {

constexpr std::string_view kModelName = "model.onnx";

// "gpu:0(=gpu0); cpu(=cpu)": exact matches, since a prefix would take gpu10 for gpu1.
std::string settings_text(const ExportRequest& request, const std::vector<DeviceId>& devices) {
  std::vector<std::pair<std::string, std::string>> rules;  // a name of the user's may stand for several devices
  for (const DeviceId device : devices) {
    const std::string designator = runtime_name(Runtime::kOnnxRuntime, request, device);
    const std::string pattern = fmt::format("={}", request.problem.machine().device(device).name);
    const auto rule = std::ranges::find(rules, designator, &std::pair<std::string, std::string>::first);
    if (rule != rules.end()) {
      rule->second += fmt::format(", {}", pattern);
    } else {
      rules.emplace_back(designator, pattern);
    }
  }
  std::vector<std::string> words;
  for (const auto& [designator, patterns] : rules) words.push_back(fmt::format("{}({})", designator, patterns));
  return join(words, "; ");
}

std::string options_json(const ExportRequest& request, const std::vector<DeviceId>& devices) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("model").value(kModelName);
  json.key(kLayerSettings).value(settings_text(request, devices));
  json.key("devices").begin_array(JsonLayout::kLines);
  for (const DeviceId device : devices) {
    const Device& described = request.problem.machine().device(device);
    json.begin_object().key("name").value(described.name).key("kind").value(name_of(described.kind));
    json.key("index").value(number_of_kind(request.problem.machine(), device)).end_object();
  }
  json.end_array().end_object();
  return std::move(json).take();
}

// A session has one execution provider of each kind, so one GPU.
void note_several_gpus(const ExportRequest& request, const OnnxSource& source, const std::vector<DeviceId>& devices,
                       const std::vector<DeviceId>& device_of, Exported& exported) {
  const Machine& machine = request.problem.machine();
  std::vector<DeviceId> seen;
  for (const DeviceId device : devices) {
    const DeviceKind kind = machine.device(device).kind;
    const auto first = std::ranges::find_if(seen, [&](DeviceId other) { return machine.device(other).kind == kind; });
    if (first == seen.end()) {
      seen.push_back(device);
      continue;
    }
    NamedSome nodes;
    for (std::size_t i = 0; i < device_of.size(); ++i) {
      if (device_of[i] == device) nodes.add(source.nodes[i].label);
    }
    exported.notes.push_back(fmt::format(
        "a session of ONNX Runtime has one {}: {} of '{}' will run on '{}' or where they can; export with "
        "--to ort-stages to use both",
        name_of(kind), nodes.text("node", "nodes"), machine.device(device).name, machine.device(*first).name));
  }
}

// load.py, for people to use and to read: a session with the options of the export. The tests run it.
constexpr std::string_view kOrtLoadScript =
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

}  // namespace

Result<Exported> export_ort(const ExportRequest& request) {
  BERTH_TRY(const MappedFile file, MappedFile::open(request.source));
  auto source = read_onnx_source(file.bytes());
  if (!source) return in_file(request.source, source.error());
  auto placement = place_onnx_nodes(request, file.bytes(), *source);
  if (!placement) return in_file(request.source, placement.error());
  const std::vector<DeviceId>& device_of = placement->placed.device_of;

  std::size_t next = 0;
  const auto annotate = [&](const OnnxNode&) {
    const std::string& name = request.problem.machine().device(device_of[next++]).name;
    return OnnxNodeEdit{.metadata = {{std::string(kLayerAnnotation), name}}};
  };
  const OnnxLocations locations = data_locations(*source);
  auto parts = edit_onnx_model(file.bytes(), annotate, locations);
  if (!parts) return in_file(request.source, parts.error());
  if (size_of(*parts) > kMostMessageBytes) {
    return bad_input("{}: annotated it would be larger than the 2 GiB that protobuf reads; move its weights out of it",
                     request.source);
  }
  const std::vector<DeviceId> devices =
      devices_in_use(request.problem.machine(), Plan{.device_of = device_of, .priority = {}, .fusions = {}});
  Exported exported{.files = {}, .notes = placement->notes};
  exported.files.push_back({.name = std::string(kModelName), .source = request.source, .parts = *std::move(parts)});
  exported.files.push_back({.name = "session_options.json", .text = options_json(request, devices)});
  exported.files.push_back({.name = "load.py", .text = std::string(kOrtLoadScript)});
  note_several_gpus(request, *source, devices, device_of, exported);
  note_order_and_fusions(request.plan, "ONNX Runtime, which orders and fuses by itself", exported.notes);
  add_data_files(request, *source, locations, exported);
  return exported;
}

}  // namespace berth
