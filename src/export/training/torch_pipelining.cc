// SPDX-License-Identifier: Apache-2.0
// torch.distributed.pipelining: where to cut the model, the stages of every rank, the schedule as the CSV that its
// runtime loads, and a script that trains a model of the user's by them (torch_script.cc).
#include <algorithm>

#include "base/text.h"
#include "export/device_names.h"
#include "export/training/lanes.h"
#include "export/training/schedule_csv.h"
#include "export/training/torch_script.h"
#include "export/training/training_exports.h"
#include "files/json/json_writer.h"

namespace berth {
namespace {

constexpr std::string_view kTorchFormat = "berth-torch-pipelining/1";

using ModulePaths = std::vector<std::vector<std::string>>;

std::string schedule_name(std::size_t lane, std::size_t lanes) {
  return lanes == 1 ? "schedule.csv" : fmt::format("schedule{}.csv", lane);
}

void write_ranks(JsonWriter& json, const TrainingExportRequest& request, const std::vector<PipelineLane>& lanes) {
  const Machine& machine = request.problem.machine();
  json.key("ranks").begin_array(JsonLayout::kLines);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    for (std::size_t rank = 0; rank < lanes[i].ranks.size(); ++rank) {
      const DeviceId device = lanes[i].ranks[rank];
      json.begin_object().members("device", machine.device(device).name, "torch",
                                  runtime_name(Runtime::kTorch, machine, request.names, device), "lane", i);
      json.list("stages", stages_of(lanes[i], rank)).end_object();
    }
  }
  json.end_array();
}

void write_lanes(JsonWriter& json, const std::vector<PipelineLane>& lanes) {
  std::size_t rank = 0;
  json.key("lanes").begin_array(JsonLayout::kLines);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    json.begin_object().members("schedule", schedule_name(i, lanes.size())).key("ranks").begin_array();
    for (std::size_t in_lane = 0; in_lane < lanes[i].ranks.size(); ++in_lane) json.value(rank++);
    json.end_array().list("microbatches", lanes[i].microbatches).end_object();
  }
  json.end_array();
}

std::string torch_manifest(const TrainingExportRequest& request, const ModulePaths& paths,
                           const std::vector<PipelineLane>& lanes) {
  const PipelinePlan& plan = request.plan;
  return json_document([&](JsonWriter& json) {
    json.members("format", kTorchFormat, "model", request.problem.graph().title(), "machine",
                 request.problem.machine().name(), "schedule", plan.schedule, "microbatches", plan.microbatches,
                 "optimizer", name_of(request.problem.graph().optimizer()));
    json.key("split_points").begin_array();
    for (std::size_t stage = 1; stage < paths.size(); ++stage) json.value(paths[stage].front());
    json.end_array().key("stages").begin_array(JsonLayout::kLines);
    for (std::size_t stage = 0; stage < paths.size(); ++stage) {
      json.begin_object().list("modules", paths[stage]).members("recompute", plan.stages[stage].recompute).end_object();
    }
    json.end_array();
    write_ranks(json, request, lanes);
    write_lanes(json, lanes);
  });
}

}  // namespace

Result<Exported> export_torch_pipelining(const TrainingExportRequest& request) {
  BERTH_TRY(const ModulePaths paths, module_paths(request));
  BERTH_TRY(const std::vector<PipelineLane> lanes,
            lanes_of(request.plan, request.problem.machine(), "torch.distributed.pipelining"));
  Exported exported{.files = {}, .notes = schedule_notes(request.plan)};
  exported.files.push_back({.name = "pipeline.json", .text = torch_manifest(request, paths, lanes)});
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    exported.files.push_back({.name = schedule_name(i, lanes.size()), .text = schedule_csv(lanes[i])});
  }
  exported.files.push_back({.name = "run.py", .text = std::string(kTorchPipelineScript)});
  return exported;
}

}  // namespace berth
