// SPDX-License-Identifier: Apache-2.0
// Node data for Google's Model Explorer: three overlays, device (with colours), time and bytes, for every op. The
// viewer shows the user's model and lays them over it by the names of its nodes.
#include <functional>

#include "export/colours.h"
#include "export/formats.h"
#include "files/json/json_writer.h"

namespace berth {
namespace {

// The graph inside the viewer: files of torch.export have one of this name.
constexpr std::string_view kGraphId = "main";

std::string overlay(const ExportRequest& request, const std::function<void(JsonWriter&, OpId)>& write_value,
                    bool has_gradient) {
  const Graph& graph = request.problem.graph();
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key(kGraphId).begin_object(JsonLayout::kLines);
  json.key("results").begin_object(JsonLayout::kLines);
  for (const OpId op : graph.ops()) {
    json.key(graph.name(op)).begin_object();
    write_value(json, op);
    json.end_object();
  }
  json.end_object();
  if (has_gradient) {
    json.key("gradient").begin_array();
    json.begin_object().key("stop").value(0).key("bgColor").value("#ffffff").end_object();
    json.begin_object().key("stop").value(1).key("bgColor").value("#d55e00").end_object();
    json.end_array();
  }
  json.end_object().end_object();
  return std::move(json).take();
}

}  // namespace

Result<Exported> export_model_explorer(const ExportRequest& request) {
  const Problem& problem = request.problem;
  const auto device = [&](JsonWriter& json, OpId op) {
    const DeviceId id = request.plan.device(op);
    json.key("value").value(problem.machine().device(id).name).key("bgColor").value(colour_of(index(id)));
  };
  const auto microseconds = [&](JsonWriter& json, OpId op) {
    constexpr double kPerSecond = 1e6;
    json.key("value").value(to_seconds(problem.duration(op, request.plan.device(op))) * kPerSecond);
  };
  const auto bytes = [&](JsonWriter& json, OpId op) {
    Bytes sum = problem.resident_bytes(op);
    if (sum == 0 && problem.graph().role(op) == Role::kCompute) {
      for (const TensorId tensor : problem.graph().outputs(op)) sum += problem.graph().bytes(tensor);
    }
    json.key("value").value(sum);
  };
  Exported exported;
  exported.files.push_back({.name = "device.json", .text = overlay(request, device, false)});
  exported.files.push_back({.name = "microseconds.json", .text = overlay(request, microseconds, true)});
  exported.files.push_back({.name = "bytes.json", .text = overlay(request, bytes, true)});
  return exported;
}

}  // namespace berth
