// SPDX-License-Identifier: Apache-2.0
#include "format/plan_file.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/text.h"
#include "files/files.h"
#include "files/json/json_reader.h"
#include "files/json/json_writer.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 7> kMembers{"format", "graph",   "also_for", "machine",
                                                   "ops",    "fusions", "predicted"};
enum Field : std::size_t { kName, kDevice, kPriority };
constexpr std::array<std::string_view, 3> kFields{"name", "device", "priority"};
constexpr std::size_t kMostCandidates = 100'000;  // names among which a near miss is looked for

class PlanReader {
 public:
  PlanReader(const Graph& graph, const Machine& machine) : graph_(graph), machine_(machine) {
    for (const OpId op : graph.ops()) op_of_name_.emplace(graph.name(op), op);
    plan_.device_of.assign(graph.num_ops(), kNoDevice);
    plan_.priority.assign(graph.num_ops(), 0.0);
  }

  Result<Plan> read(JsonDocument document) {
    BERTH_RETURN_IF_ERROR(check_format(document, kPlanFormat));
    BERTH_RETURN_IF_ERROR(document.check_members(kMembers));
    BERTH_RETURN_IF_ERROR(check_graph(document));
    BERTH_RETURN_IF_ERROR(document.for_each("ops", [&](const JsonValue& op) { return read_op(op); }));
    BERTH_RETURN_IF_ERROR(check_all_placed());
    if (document.has("fusions")) {
      is_fused_.assign(graph_.num_ops(), false);
      BERTH_RETURN_IF_ERROR(document.for_each("fusions", [&](const JsonValue& group) { return read_fusion(group); }));
    }
    const bool all_equal = std::all_of(plan_.priority.begin(), plan_.priority.end(), [](double p) { return p == 0.0; });
    if (all_equal) plan_.priority.clear();  // means the same, and is faster to simulate
    return std::move(plan_);
  }

 private:
  Status check_graph(JsonDocument& document) const {
    BERTH_TRY(const std::string hash, document.string("graph"));
    if (hash == graph_.structure_hash()) return {};
    bool is_listed = false;
    if (document.has("also_for")) {
      BERTH_RETURN_IF_ERROR(document.for_each("also_for", [&](const JsonValue& other) -> Status {
        BERTH_TRY(const std::string_view text, other.string());
        is_listed = is_listed || text == graph_.structure_hash();
        return {};
      }));
    }
    if (is_listed) return {};
    return bad_input(
        "the plan was made for another graph (structure hash {}), or for other sizes of this one (say the same --dim); "
        "'{}' has {}",
        in_quotes(hash), graph_.title(), graph_.structure_hash());
  }

  Status read_op(const JsonValue& entry) {
    OpId op = kNoOp;
    DeviceId device = kNoDevice;
    double priority = 0.0;
    const auto read_field = [&](std::size_t field, const JsonValue& value) -> Status {
      if (field == kName) {
        BERTH_TRY(op, read_name(value));
      } else if (field == kDevice) {
        BERTH_TRY(device, read_device(value));
      } else {
        BERTH_TRY(priority, value.number());
      }
      return {};
    };
    BERTH_TRY(const std::uint32_t seen, entry.fields(kFields, UnknownFields::kRefuse, read_field));
    for (const Field required : {kName, kDevice}) {
      if ((seen >> required & 1U) == 0) return entry.error(fmt::format("\"{}\" is missing", kFields[required]));
    }
    if (plan_.device(op) != kNoDevice) {
      return entry.error(fmt::format("the op '{}' has been placed already", graph_.name(op)));
    }
    plan_.device_of[index(op)] = device;
    plan_.priority[index(op)] = priority;
    return {};
  }

  [[nodiscard]] Result<OpId> read_name(const JsonValue& value) const {
    BERTH_TRY(const std::string_view name, value.string());
    if (const auto found = op_of_name_.find(name); found != op_of_name_.end()) return found->second;
    std::vector<std::string_view> candidates;
    if (graph_.num_ops() <= kMostCandidates) {
      for (const OpId op : graph_.ops()) candidates.push_back(graph_.name(op));
    }
    return value.error(fmt::format("the graph has no op {}{}", in_quotes(name),
                                   did_you_mean(name, std::span<const std::string_view>(candidates))));
  }

  [[nodiscard]] Result<DeviceId> read_device(const JsonValue& value) const {
    BERTH_TRY(const std::string_view name, value.string());
    if (const auto device = machine_.find_device(name)) return *device;
    std::vector<std::string> names;
    for (const Device& device : machine_.devices()) names.push_back(device.name);
    const std::string hint = did_you_mean(name, std::span<const std::string>(names));
    return value.error(fmt::format("machine '{}' has no device {}{}", machine_.name(), in_quotes(name),
                                   hint.empty() ? fmt::format("; it has {}", join(names, ", ")) : hint));
  }

  [[nodiscard]] Status check_all_placed() const {
    std::size_t missing = 0;
    OpId first = kNoOp;
    for (const OpId op : graph_.ops()) {
      if (plan_.device(op) != kNoDevice) continue;
      if (missing++ == 0) first = op;
    }
    if (missing == 0) return {};
    return bad_input("{} of {} ops are not placed, the first is '{}'", missing, graph_.num_ops(), graph_.name(first));
  }

  Status read_fusion(const JsonValue& group) {
    std::vector<OpId> members;
    BERTH_RETURN_IF_ERROR(group.for_each([&](const JsonValue& name) -> Status {
      BERTH_TRY(const OpId op, read_name(name));
      if (is_fused_[index(op)]) return name.error(fmt::format("the op '{}' is fused already", graph_.name(op)));
      is_fused_[index(op)] = true;
      members.push_back(op);
      return {};
    }));
    if (members.size() < 2) return group.error("a fusion needs at least two ops");
    plan_.fusions.push_back(std::move(members));
    return {};
  }

  const Graph& graph_;
  const Machine& machine_;
  std::unordered_map<std::string_view, OpId> op_of_name_;
  std::vector<bool> is_fused_;
  Plan plan_;
};

Result<Plan> read_plan(std::string text, const Graph& graph, const Machine& machine) {
  BERTH_TRY(JsonDocument document, JsonDocument::open(std::move(text)));
  return PlanReader(graph, machine).read(std::move(document));
}

void write_ops(JsonWriter& json, const Graph& graph, const Machine& machine, const Plan& plan) {
  json.key("ops").begin_array(JsonLayout::kLines);
  for (const OpId op : graph.ops()) {
    json.begin_object().key("name").value(graph.name(op)).key("device").value(machine.device(plan.device(op)).name);
    json.key("priority").value(plan.priority_of(op)).end_object();
  }
  json.end_array();
}

void write_fusions(JsonWriter& json, const Graph& graph, const Plan& plan) {
  json.key("fusions").begin_array(JsonLayout::kLines);
  for (const std::vector<OpId>& group : plan.fusions) {
    json.begin_array();
    for (const OpId op : group) json.value(graph.name(op));
    json.end_array();
  }
  json.end_array();
}

void write_prediction(JsonWriter& json, const PlanPrediction& prediction) {
  json.key("predicted").begin_object(JsonLayout::kLines);
  json.key("planner").value(prediction.planner);
  json.key("objective").value(prediction.objective);
  json.key("objective_value_s").value(prediction.objective_value_s);
  json.key("step_time_s").value(prediction.step_time_s);
  json.key("lower_bound_s").value(prediction.lower_bound_s);
  json.key("feasible").value(prediction.feasible);
  json.key("devices").begin_array(JsonLayout::kLines);
  for (const PlanPrediction::Device& device : prediction.devices) {
    json.begin_object().key("name").value(device.name).key("busy_s").value(device.busy_s);
    json.key("peak_bytes").value(device.peak_bytes).key("capacity_bytes").value(device.capacity_bytes).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

Result<Plan> parse_plan(std::string text, std::string_view file_name, const Graph& graph, const Machine& machine) {
  auto plan = read_plan(std::move(text), graph, machine);
  if (!plan) return in_file(file_name, plan.error());
  return plan;
}

Result<Plan> load_plan_file(const std::string& path, const Graph& graph, const Machine& machine) {
  BERTH_TRY(std::string text, read_file(path));
  return parse_plan(std::move(text), path, graph, machine);
}

std::string write_plan_json(const Graph& graph, const Machine& machine, const Plan& plan,
                            const PlanPrediction& prediction, std::span<const std::string> also_for) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("format").value(kPlanFormat);
  json.key("graph").value(graph.structure_hash());
  if (!also_for.empty()) {
    json.key("also_for").begin_array();
    for (const std::string& hash : also_for) json.value(hash);
    json.end_array();
  }
  json.key("machine").value(machine.name());
  write_ops(json, graph, machine, plan);
  write_fusions(json, graph, plan);
  write_prediction(json, prediction);
  json.end_object();
  return std::move(json).take();
}

Status save_plan_file(const std::string& path, const Graph& graph, const Machine& machine, const Plan& plan,
                      const PlanPrediction& prediction, std::span<const std::string> also_for) {
  return write_file_atomically(path, write_plan_json(graph, machine, plan, prediction, also_for));
}

}  // namespace berth
