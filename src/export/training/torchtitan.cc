// SPDX-License-Identifier: Apache-2.0
// torchtitan: modules of every stage and the schedule's CSV, as fields of its ParallelismConfig. It puts stages on
// ranks by the name of a schedule, in a loop or forth and back, even if a CSV says in which order they run.
#include <algorithm>

#include "base/text.h"
#include "export/training/equal_lanes.h"
#include "export/training/schedule_csv.h"
#include "export/training/training_exports.h"

namespace berth {
namespace {

constexpr std::string_view kRunner = "torchtitan";

// Children of the model, and members of its lists: all that torchtitan leaves out of a stage or keeps in it.
Status check_depth(const std::vector<std::vector<std::string>>& paths) {
  for (const std::vector<std::string>& stage : paths) {
    for (const std::string& path : stage) {
      const std::string_view list = list_of(path);
      if (path.find('.') == std::string::npos || (!list.empty() && list.find('.') == std::string_view::npos)) continue;
      return bad_input(
          "torchtitan keeps or leaves out modules like 'norm' and 'layers.3', and the pipeline cuts at '{}'; "
          "--module-prefix leaves out a wrapper's name",
          path);
    }
  }
  return {};
}

std::string python_list(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(fmt::format("\"{}\"", word));
  return fmt::format("[{}]", join(quoted, ", "));
}

std::string schedule_word(const PipelineLane& lane, StageOrder order) {
  if (order == StageOrder::kV) return "ZBVZeroBubble";
  return lane.rank_of.size() == lane.ranks.size() ? "1F1B" : "Interleaved1F1B";
}

std::string titan_module(const std::vector<std::vector<std::string>>& paths, const std::vector<PipelineLane>& lanes,
                         StageOrder order, bool recomputes) {
  std::string parts;
  for (const std::vector<std::string>& stage : paths) parts += fmt::format("        {},\n", python_list(stage));
  return fmt::format(R"PY(# A pipeline as fields of torchtitan's ParallelismConfig, for a configuration of yours:
#     config.parallelism = dataclasses.replace(config.parallelism, **PARALLELISM)
import pathlib

PARALLELISM = {{
    "pipeline_parallel_degree": {},
    "data_parallel_replicate_degree": {},
    "data_parallel_shard_degree": 1,
    "module_fqns_per_model_part": [
{}    ],
    "pipeline_parallel_schedule": "{}",  # says on which ranks stages are; the order is that of the CSV
    "pipeline_parallel_schedule_csv": str(pathlib.Path(__file__).resolve().parent / "schedule.csv"),
}}
MICROBATCHES = {}  # training.local_batch_size is so many times parallelism.pipeline_parallel_microbatch_size
ACTIVATION_CHECKPOINTING = {}  # of every layer
)PY",
                     lanes.front().ranks.size(), lanes.size(), parts, schedule_word(lanes.front(), order),
                     lanes.front().microbatches.size(), recomputes ? "True" : "False");
}

}  // namespace

Result<Exported> export_torchtitan(const TrainingExportRequest& request) {
  BERTH_TRY(const auto paths, module_paths(request));
  BERTH_RETURN_IF_ERROR(check_depth(paths));
  BERTH_TRY(const auto lanes, equal_lanes(request, kRunner));
  BERTH_TRY(const bool recomputes, recomputes_everywhere(request.plan, kRunner));
  const auto order = stage_order(lanes.front());
  if (!order) {
    return bad_input(
        "torchtitan puts stage s on rank s % p, or stages s and 2p - 1 - s on one rank; this pipeline has its "
        "stages in another order");
  }
  Exported exported{.files = {}, .notes = schedule_notes(request.plan)};
  exported.files.push_back({.name = "parallelism.py", .text = titan_module(paths, lanes, *order, recomputes)});
  exported.files.push_back({.name = "schedule.csv", .text = schedule_csv(lanes.front())});
  return exported;
}

}  // namespace berth
