// SPDX-License-Identifier: Apache-2.0
// DeepSpeed: a PipelineModule whose parts are those of the pipeline. It has no argument for parts of one's own, but a
// method that finds them, which a class of the export's replaces. Stage s is on rank s, the order is 1F1B.
#include "base/text.h"
#include "export/training/equal_lanes.h"
#include "export/training/training_exports.h"

namespace berth {
namespace {

constexpr std::string_view kDeepSpeed = "DeepSpeed";

constexpr std::string_view kPipelineModule = R"PY("""A PipelineModule with the parts of a pipeline of Berth's.

    from pipeline_module import BerthPipelineModule
    model = BerthPipelineModule(layers, loss_fn=loss)      # layers: one for each of LAYERS, in this order"""
from deepspeed.runtime.pipe.module import PipelineModule

{}

class BerthPipelineModule(PipelineModule):
    def __init__(self, layers, **named):
        layers = list(layers)
        if len(layers) != len(LAYERS):
            raise ValueError(f"the pipeline has {{len(LAYERS)}} layers and the model {{len(layers)}}: {{', '.join(LAYERS)}}")
        super().__init__(layers, num_stages=len(PARTS) - 1, **named)
        if RECOMPUTE[self.stage_id]:
            self.activation_checkpoint_interval = self._local_stop - self._local_start

    def _partition_layers(self, method="parameters"):
        self.parts = PARTS
        stage = self._topo.get_coord(self.global_rank).pipe
        self._set_bounds(start=PARTS[stage], stop=PARTS[stage + 1])
)PY";

std::string constants(const PipelinePlan& plan) {
  std::string layers, recompute;
  std::vector<std::string> parts{"0"};
  std::size_t count = 0;
  for (const PipelineStage& stage : plan.stages) {
    count += stage.layers.size();
    for (const std::string& layer : stage.layers) layers += fmt::format("    \"{}\",\n", layer);
    parts.push_back(std::to_string(count));
    recompute += fmt::format("{}{}", recompute.empty() ? "" : ", ", stage.recompute ? "True" : "False");
  }
  return fmt::format(
      "LAYERS = [\n{}]\nPARTS = [{}]  # stage s has LAYERS[PARTS[s]:PARTS[s + 1]]\nRECOMPUTE = [{}]  # by stage\n",
      layers, join(parts, ", "), recompute);
}

}  // namespace

Result<Exported> export_deepspeed(const TrainingExportRequest& request) {
  const PipelinePlan& plan = request.plan;
  BERTH_RETURN_IF_ERROR(check_layer_names(plan));
  BERTH_TRY(const auto lanes, equal_lanes(request, kDeepSpeed));
  const PipelineLane& lane = lanes.front();
  if (lane.ranks.size() != lane.rank_of.size()) {
    return bad_input("DeepSpeed has one stage on every rank, and this pipeline has {} stages on {} ranks",
                     lane.rank_of.size(), lane.ranks.size());
  }
  BERTH_RETURN_IF_ERROR(needs_1f1b(plan, lane, kDeepSpeed));
  Exported exported;
  exported.files.push_back({.name = "pipeline_module.py", .text = fmt::format(kPipelineModule, constants(plan))});
  exported.files.push_back({.name = "ds_config.json",
                            .text = fmt::format("{{\n  \"train_micro_batch_size_per_gpu\": 1,\n  "
                                                "\"gradient_accumulation_steps\": {}\n}}\n",
                                                lane.microbatches.size())});
  exported.notes.emplace_back(
      "train_micro_batch_size_per_gpu of ds_config.json is 1: put the samples of a microbatch there");
  return exported;
}

}  // namespace berth
