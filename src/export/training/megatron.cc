// SPDX-License-Identifier: Apache-2.0
// Megatron-LM: flags. --pipeline-model-parallel-layout has a word for every stage, "Ett|tt|L": E what comes before the
// blocks that repeat, t a block, L what comes after them. Stages go around the ranks, the order is 1F1B, interleaved if
// a rank has several stages.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "export/training/equal_lanes.h"
#include "export/training/training_exports.h"

namespace berth {
namespace {

constexpr std::string_view kMegatron = "Megatron-LM";

// The list with most members.
std::string main_list(const PipelinePlan& plan) {
  std::map<std::string, std::size_t> members;
  for (const PipelineStage& stage : plan.stages) {
    for (const std::string& layer : stage.layers) ++members[std::string(list_of(layer))];
  }
  members.erase("");
  if (members.empty()) return "";
  return std::ranges::max_element(members, {}, [](const auto& entry) { return entry.second; })->first;
}

struct Layout {
  std::string text = {};
  std::size_t blocks = 0, most_in_a_stage = 0;
};

Error split_end(std::string_view what, std::string_view layer) {
  return bad_input("Megatron-LM keeps what comes {} the blocks together, and this pipeline has '{}' in another stage",
                   what, layer);
}

Result<Layout> layout_of(const PipelinePlan& plan) {
  const std::string list = main_list(plan);
  if (list.empty())
    return bad_input("Megatron-LM cuts between blocks that repeat, like h.0 and h.1; this model has none");
  std::size_t total = 0;
  for (const PipelineStage& stage : plan.stages) {
    total += static_cast<std::size_t>(std::ranges::count(stage.layers, list, list_of));
  }
  Layout layout;
  bool has_head = false, has_tail = false;
  for (const PipelineStage& stage : plan.stages) {
    std::string word;
    for (const std::string& layer : stage.layers) {
      const bool is_block = list_of(layer) == list, is_tail = !is_block && layout.blocks == total;
      layout.blocks += is_block ? 1 : 0;
      const char letter = is_block ? 't' : is_tail ? 'L' : 'E';
      if (letter == 'E' && layout.blocks > 0) {
        return bad_input("Megatron-LM has nothing between its blocks, and this model has '{}' there", layer);
      }
      if (!is_block && word.ends_with(letter)) continue;
      bool& is_there = is_tail ? has_tail : has_head;
      if (!is_block && is_there) return split_end(is_tail ? "after" : "before", layer);
      if (!is_block) is_there = true;
      word += letter;
    }
    layout.most_in_a_stage = std::max<std::size_t>(layout.most_in_a_stage, std::ranges::count(word, 't'));
    layout.text += layout.text.empty() ? word : "|" + word;
  }
  if (!has_head) layout.text.insert(0, 1, 'E');
  if (!has_tail) layout.text += 'L';
  return layout;
}

}  // namespace

Result<Exported> export_megatron(const TrainingExportRequest& request) {
  const PipelinePlan& plan = request.plan;
  BERTH_TRY(const Layout layout, layout_of(plan));
  BERTH_TRY(const auto lanes, equal_lanes(request, kMegatron));
  BERTH_RETURN_IF_ERROR(needs_1f1b(plan, lanes.front(), kMegatron));
  BERTH_TRY(const bool recomputes, recomputes_everywhere(plan, kMegatron));
  const std::size_t ranks = lanes.front().ranks.size(), microbatches = lanes.front().microbatches.size();
  std::string flags =
      fmt::format("--pipeline-model-parallel-size {}\n--pipeline-model-parallel-layout {}\n--num-layers {}\n", ranks,
                  layout.text, layout.blocks);
  if (recomputes) {
    flags += fmt::format("--recompute-granularity full\n--recompute-method uniform\n--recompute-num-layers {}\n",
                         std::max<std::size_t>(layout.most_in_a_stage, 1));
  }
  std::vector<std::string> notes{
      fmt::format("--global-batch-size is {} times --micro-batch-size ({}{})", microbatches * lanes.size(),
                  fmt::format("{} microbatches", microbatches),
                  lanes.size() == 1 ? "" : fmt::format(" for each of {} replicas", lanes.size()))};
  return one_file(std::move(flags), std::move(notes));
}

}  // namespace berth
