// SPDX-License-Identifier: Apache-2.0
#include "format/pipeline_file.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "files/files.h"
#include "files/json/json_reader.h"
#include "files/json/json_writer.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 10> kPipelineMembers{
    "format", "graph", "title", "machine", "cut_by", "microbatches", "schedule", "stages", "devices", "predicted"};
constexpr std::array<std::string_view, 3> kStageFields{"layers", "devices", "recompute"};
constexpr std::array<std::string_view, 3> kActionFields{"stage", "microbatch", "kind"};
constexpr std::array<std::string_view, 2> kCutBy{"modules", "labels"};

class PipelineReader {
 public:
  PipelineReader(const Graph& graph, const Machine& machine) : graph_(graph), machine_(machine) {
    plan_.actions.resize(machine.num_devices());
    is_listed_.assign(machine.num_devices(), false);
  }

  Result<PipelinePlan> read(JsonDocument document) {
    BERTH_RETURN_IF_ERROR(check_format(document, kPipelineFormat));
    BERTH_RETURN_IF_ERROR(check_known(document));
    BERTH_RETURN_IF_ERROR(read_facts(document));
    BERTH_RETURN_IF_ERROR(document.for_each("stages", [&](const JsonValue& stage) { return read_stage(stage); }));
    if (plan_.stages.empty()) return bad_input("there are no stages");  // actions name theirs
    BERTH_RETURN_IF_ERROR(document.for_each("devices", [&](const JsonValue& list) { return read_list(list); }));
    BERTH_RETURN_IF_ERROR(check_lists(plan_, machine_));
    BERTH_RETURN_IF_ERROR(check_order(plan_));
    return std::move(plan_);
  }

 private:
  static Status check_known(const JsonDocument& document) {
    std::vector<std::string_view> known(kPipelineMembers.begin(), kPipelineMembers.end());
    known.emplace_back("optimizer");
    return document.check_members(known);
  }

  Status read_facts(JsonDocument& document) {
    BERTH_TRY(const std::string hash, document.string("graph"));
    if (hash != graph_.structure_hash()) {
      return bad_input(
          "the pipeline was made for another graph (structure hash {}), or for other sizes of this one; '{}' has {}",
          in_quotes(hash), graph_.title(), graph_.structure_hash());
    }
    BERTH_TRY(const JsonValue count, document.member("microbatches"));
    BERTH_TRY(const std::int64_t microbatches, count.integer(1, kMostMicrobatches));
    plan_.microbatches = static_cast<std::uint32_t>(microbatches);
    BERTH_TRY(plan_.schedule, document.string("schedule"));
    BERTH_TRY(const JsonValue word, document.member("cut_by"));
    BERTH_TRY(const std::string_view cut_by, word.string());
    if (std::ranges::find(kCutBy, cut_by) == kCutBy.end()) return word.expected("modules or labels");
    return {};
  }

  Status read_stage(const JsonValue& entry) {
    if (plan_.stages.size() == kMostStages)
      return entry.error(fmt::format("there are more than {} stages", kMostStages));
    PipelineStage& stage = plan_.stages.emplace_back();
    const auto read_field = [&](std::size_t field, const JsonValue& value) -> Status {
      if (field == 2) {
        BERTH_TRY(stage.recompute, value.boolean());
        return {};
      }
      return value.for_each([&](const JsonValue& element) -> Status {
        if (field == 1) {
          BERTH_TRY(const DeviceId device, read_device(element));
          stage.devices.push_back(device);
          return {};
        }
        BERTH_TRY(const std::string_view layer, element.string());
        stage.layers.emplace_back(layer);
        return {};
      });
    };
    BERTH_TRY(const std::uint32_t seen, entry.fields(kStageFields, UnknownFields::kRefuse, read_field));
    if ((seen & 3U) != 3U) return entry.error("a stage has \"layers\" and \"devices\"");
    if (stage.layers.empty()) return entry.error("a stage has at least one layer");
    return {};
  }

  Status read_list(const JsonValue& entry) {
    const std::optional<JsonValue> name = entry.find("device"), actions = entry.find("actions");
    if (!name || !actions) return entry.error("a device has \"device\" and \"actions\"");
    BERTH_TRY(const DeviceId device, read_device(*name));
    if (is_listed_[index(device)]) return name->error("this device has a list already");
    is_listed_[index(device)] = true;
    return actions->for_each(
        [&](const JsonValue& action) { return read_action(action, plan_.actions[index(device)]); });
  }

  Status read_action(const JsonValue& entry, std::vector<PipelineAction>& list) const {
    PipelineAction action;
    const auto read_field = [&](std::size_t field, const JsonValue& value) -> Status {
      if (field == 2) {
        BERTH_TRY(const std::string_view name, value.string());
        const auto kind = action_kind_from_name(name);
        if (!kind) return value.expected("forward, backward, backward-input or backward-weight");
        action.kind = *kind;
        return {};
      }
      const auto most = static_cast<std::int64_t>(field == 0 ? plan_.stages.size() : plan_.microbatches) - 1;
      BERTH_TRY(const std::int64_t number, value.integer(0, most));
      (field == 0 ? action.stage : action.microbatch) = static_cast<std::uint32_t>(number);
      return {};
    };
    BERTH_TRY(const std::uint32_t seen, entry.fields(kActionFields, UnknownFields::kRefuse, read_field));
    if (seen != 7U) return entry.error("an action has \"stage\", \"microbatch\" and \"kind\"");
    list.push_back(action);
    return {};
  }

  [[nodiscard]] Result<DeviceId> read_device(const JsonValue& value) const {
    BERTH_TRY(const std::string_view name, value.string());
    if (const auto device = machine_.find_device(name)) return *device;
    return value.error(fmt::format("machine '{}' has no device {}", machine_.name(), in_quotes(name)));
  }

  const Graph& graph_;
  const Machine& machine_;
  std::vector<bool> is_listed_;
  PipelinePlan plan_;
};

// Runs the lists, as far as they go.
class ListRun {
 public:
  explicit ListRun(const PipelinePlan& plan)
      : plan_(plan), next_(plan.actions.size(), 0), done_(plan.stages.size() * plan.microbatches, 0) {}

  Status run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t device = 0; device < next_.size(); ++device) moved = advance(device) || moved;
    }
    for (std::size_t device = 0; device < next_.size(); ++device) {
      if (next_[device] == plan_.actions[device].size()) continue;
      const PipelineAction& action = plan_.actions[device][next_[device]];
      return bad_input("the lists wait for each other in a circle: the {} of microbatch {} in stage {} can never begin",
                       name_of(action.kind), action.microbatch, action.stage);
    }
    return {};
  }

 private:
  bool advance(std::size_t device) {
    const std::size_t before = next_[device];
    const std::vector<PipelineAction>& list = plan_.actions[device];
    for (; next_[device] < list.size() && may_begin(list[next_[device]]); ++next_[device]) {
      const PipelineAction& action = list[next_[device]];
      state(action.stage, action.microbatch) |= action.kind == ActionKind::kForward ? 1U : 2U;
    }
    return next_[device] > before;
  }
  bool may_begin(const PipelineAction& action) {
    if (action.kind == ActionKind::kBackwardWeight) return true;
    if (action.kind == ActionKind::kForward)
      return action.stage == 0 || (state(action.stage - 1, action.microbatch) & 1U);
    return action.stage + 1 == plan_.stages.size() || (state(action.stage + 1, action.microbatch) & 2U);
  }
  // Bit 0: forward; bit 1: what the stage before waits for.
  std::uint8_t& state(std::size_t stage, std::size_t microbatch) {
    return done_[stage * plan_.microbatches + microbatch];
  }

  const PipelinePlan& plan_;
  std::vector<std::size_t> next_;
  std::vector<std::uint8_t> done_;
};

Result<PipelinePlan> read_pipeline(std::string text, const Graph& graph, const Machine& machine) {
  BERTH_TRY(JsonDocument document, JsonDocument::open(std::move(text)));
  return PipelineReader(graph, machine).read(std::move(document));
}

void write_pipeline_prediction(JsonWriter& json, const PipelinePrediction& prediction) {
  json.members("step_time_s", prediction.step_time_s, "feasible", prediction.feasible, "bubble", prediction.bubble);
  json.objects("devices", prediction.devices, [&](const PipelinePrediction::Device& device) {
    json.members("name", device.name, "busy_s", device.busy_s, "peak_bytes", device.peak_bytes, "capacity_bytes",
                 device.capacity_bytes);
  });
}

void write_stages(JsonWriter& json, const Machine& machine, const PipelinePlan& plan) {
  json.objects("stages", plan.stages, [&](const PipelineStage& stage) {
    json.list("layers", stage.layers).key("devices").begin_array();
    for (const DeviceId device : stage.devices) json.value(machine.device(device).name);
    json.end_array().members("recompute", stage.recompute);
  });
}

void write_lists(JsonWriter& json, const Machine& machine, const PipelinePlan& plan) {
  json.key("devices").begin_array(JsonLayout::kLines);
  for (std::size_t device = 0; device < plan.actions.size(); ++device) {
    if (plan.actions[device].empty()) continue;
    json.begin_object().members("device", machine.device(DeviceId(device)).name);
    json.objects("actions", plan.actions[device], [&](const PipelineAction& action) {
      json.members("stage", action.stage, "microbatch", action.microbatch, "kind", name_of(action.kind));
    });
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Status check_order(const PipelinePlan& plan) { return ListRun(plan).run(); }

Result<PipelinePlan> parse_pipeline(std::string text, std::string_view file_name, const Graph& graph,
                                    const Machine& machine) {
  auto plan = read_pipeline(std::move(text), graph, machine);
  if (!plan) return in_file(file_name, plan.error());
  return plan;
}

Result<PipelinePlan> load_pipeline_file(const std::string& path, const Graph& graph, const Machine& machine) {
  BERTH_TRY(std::string text, read_file(path));
  return parse_pipeline(std::move(text), path, graph, machine);
}

std::string write_pipeline_json(const Graph& graph, const Machine& machine, const PipelinePlan& plan,
                                std::string_view cut_by, const PipelinePrediction& prediction) {
  return json_document([&](JsonWriter& json) {
    json.members("format", kPipelineFormat, "graph", graph.structure_hash(), "title", graph.title(), "machine",
                 machine.name(), "microbatches", plan.microbatches, "schedule", plan.schedule, "cut_by", cut_by);
    json.object("optimizer", [&] { json.members("kind", name_of(graph.optimizer()), "state", "with-weights"); });
    write_stages(json, machine, plan);
    write_lists(json, machine, plan);
    json.object("predicted", [&] { write_pipeline_prediction(json, prediction); });
  });
}

}  // namespace berth
