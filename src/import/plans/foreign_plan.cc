// SPDX-License-Identifier: Apache-2.0
#include "import/plans/foreign_plan.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/text.h"
#include "files/files.h"
#include "files/json/json_reader.h"
#include "files/text_lines.h"
#include "import/plans/ort_settings.h"
#include "import/plans/readers.h"

namespace berth {
namespace {

constexpr std::string_view kReadable =
    "plans are read from berth-plan/1, device_map.json of accelerate, layer settings of ONNX Runtime, affinity JSON of "
    "OpenVINO, TensorFlow graphs with device fields (.pb .pbtxt .meta) and CSV with the columns op and device";

enum class PlanKind { kDeviceMap, kAffinity, kOrt, kCsv, kTensorFlow };

bool is_tensorflow(const std::string& path) {
  constexpr std::array<std::string_view, 3> kTensorFlowEndings{".pb", ".pbtxt", ".meta"};
  return std::ranges::any_of(kTensorFlowEndings, [&](std::string_view ending) { return path.ends_with(ending); });
}

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return trim(text);
}

Result<PlanKind> plan_kind_of(const std::string& text, const ForeignPlanRequest& request) {
  if (is_tensorflow(request.path)) return PlanKind::kTensorFlow;
  const std::string_view body = without_mark(text);
  if (body.starts_with('{')) {
    BERTH_TRY(const JsonDocument document, JsonDocument::open(text));
    if (document.has(kLayerSettings) || document.has(kNameSettings)) return PlanKind::kOrt;
    return names_ops(text, request.problem.graph()) ? PlanKind::kAffinity : PlanKind::kDeviceMap;
  }
  const std::string_view line = body.substr(0, body.find('\n'));
  if (line.find("op") != std::string_view::npos && line.find("device") != std::string_view::npos &&
      line.find(',') != std::string_view::npos && line.find('(') == std::string_view::npos) {
    return PlanKind::kCsv;
  }
  if (line.find('(') != std::string_view::npos) return PlanKind::kOrt;
  return bad_input("it is no plan; {}", kReadable);
}

struct PlanReader {
  std::string_view format;
  Result<StatedPlan> (*read)(const std::string& text, const ForeignPlanRequest& request);
};

PlanReader plan_reader_of(PlanKind kind) {
  switch (kind) {
    case PlanKind::kDeviceMap:
      return {"device_map of accelerate", read_device_map};
    case PlanKind::kAffinity:
      return {"affinities of OpenVINO", read_affinity};
    case PlanKind::kOrt:
      return {"layer settings of ONNX Runtime", read_ort_settings};
    case PlanKind::kCsv:
      return {"CSV", read_csv_plan};
    case PlanKind::kTensorFlow:
      break;
  }
  return {"device fields of TensorFlow", read_tensorflow_devices};
}

Result<ForeignPlan> read_plan_text(const std::string& text, const ForeignPlanRequest& request) {
  BERTH_TRY(const PlanKind kind, plan_kind_of(text, request));
  const PlanReader reader = plan_reader_of(kind);
  BERTH_TRY(StatedPlan stated, reader.read(text, request));
  const auto placed = static_cast<std::size_t>(
      std::ranges::count_if(stated.device_of, [](const std::string& device) { return !device.empty(); }));
  follow_readers(request.problem.graph(), stated.device_of);
  ForeignPlan plan{.format = reader.format};
  BERTH_TRY(plan.given, given_placement(request.problem, stated.device_of));
  plan.given.stated = placed;
  plan.given.plan.priority = std::move(stated.priority);
  plan.given.plan.fusions = std::move(stated.fusions);
  return plan;
}

}  // namespace

bool is_foreign_plan(const std::string& path, const std::string& text) {
  if (is_tensorflow(path) || !without_mark(text).starts_with('{')) return true;
  const auto document = JsonDocument::open(text);
  return document && !document->has("format");
}

Result<ForeignPlan> read_foreign_plan(const std::string& text, const ForeignPlanRequest& request) {
  auto plan = read_plan_text(text, request);
  if (!plan) return in_file(request.path, plan.error());
  return plan;
}

void follow_readers(const Graph& graph, OpDevices& devices) {
  for (const OpId op : graph.ops()) {
    if (!devices[index(op)].empty() || !is_resident(graph.role(op))) continue;
    for (const TensorId tensor : graph.outputs(op)) {
      for (const OpId reader : graph.consumers(tensor)) {
        if (devices[index(op)].empty()) devices[index(op)] = devices[index(reader)];
      }
    }
  }
}

void follow_inputs(const Graph& graph, OpDevices& devices) {
  for (const OpId op : graph.topological_order()) {
    if (!devices[index(op)].empty() || is_resident(graph.role(op)) || graph.role(op) == Role::kInput) continue;
    std::string first;
    for (const TensorId tensor : graph.inputs(op)) {
      const OpId from = graph.producer(tensor);
      if (first.empty()) first = devices[index(from)];
      if (is_resident(graph.role(from)) && devices[index(op)].empty()) devices[index(op)] = devices[index(from)];
    }
    if (devices[index(op)].empty()) devices[index(op)] = first;
  }
}

// The same TensorFlow graph with device fields: read as a model, since functions and colocation have a say in where an
// op is, and matched by the names of ops.
Result<StatedPlan> read_tensorflow_devices(const std::string&, const ForeignPlanRequest& request) {
  BERTH_TRY(const Lowered placed, import_model(request.path, request.import));
  if (placed.device_of.empty()) return bad_input("no node of it has a device field");
  std::unordered_map<std::string_view, const std::string*> device_of;
  for (const OpId op : placed.graph.ops()) device_of.emplace(placed.graph.name(op), &placed.device_of[index(op)]);
  const Graph& graph = request.problem.graph();
  OpDevices devices(graph.num_ops());
  std::size_t known = 0;
  for (const OpId op : graph.ops()) {
    const auto found = device_of.find(graph.name(op));
    if (found == device_of.end()) continue;
    devices[index(op)] = *found->second;
    ++known;
  }
  if (known == 0) return bad_input("none of its nodes is in '{}': it places another graph", graph.title());
  return StatedPlan{std::move(devices)};
}

}  // namespace berth
