// SPDX-License-Identifier: Apache-2.0
#include "export/training/equal_lanes.h"

#include <algorithm>

#include "export/training/one_f_one_b.h"

namespace berth {

Result<std::vector<PipelineLane>> equal_lanes(const TrainingExportRequest& request, std::string_view runtime) {
  BERTH_TRY(auto lanes, lanes_of(request.plan, request.problem.machine(), runtime));
  if (are_alike(lanes)) return lanes;
  return bad_input(
      "replicas of this pipeline do not all run the same lists, and {} has data parallelism as a number alone",
      runtime);
}

Result<bool> recomputes_everywhere(const PipelinePlan& plan, std::string_view runtime) {
  const auto differs = std::ranges::find_if(
      plan.stages, [&](const PipelineStage& stage) { return stage.recompute != plan.stages.front().recompute; });
  if (differs == plan.stages.end()) return plan.stages.front().recompute;
  return bad_input("stage {} runs its forward pass again and stage {} does not, and {} has one setting for all stages",
                   plan.stages.front().recompute ? 0 : differs - plan.stages.begin(),
                   plan.stages.front().recompute ? differs - plan.stages.begin() : 0, runtime);
}

Status needs_1f1b(const PipelinePlan& plan, const PipelineLane& lane, std::string_view runtime) {
  if (is_1f1b(lane)) return {};
  return bad_input(
      "{} runs one forward and one backward in turn (1f1b), and this pipeline's lists are others ({}); "
      "--to torch-pipelining takes any",
      runtime, plan.schedule.empty() ? "without a name" : plan.schedule);
}

}  // namespace berth
