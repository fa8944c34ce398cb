// SPDX-License-Identifier: Apache-2.0
#include "services/serving/llm_curves.h"

#include <algorithm>
#include <array>

namespace berth {
namespace {

constexpr std::array<std::int64_t, 4> kSequences{1, 2, 4, 8};
constexpr std::int64_t kDepths = 8;
constexpr std::int64_t kLeastContext = 1024;
constexpr std::size_t kMostContexts = 10;

// Doubled from 1,024 to twice what is asked for, or what the model was trained for, and what is asked for itself.
std::vector<std::int64_t> contexts_of(const LlmAnswer& answer) {
  const std::int64_t asked = answer.options.cache.context;
  const std::int64_t last = std::max(2 * asked, std::min(answer.model->config.context, 16 * asked));
  std::vector<std::int64_t> contexts{asked};
  for (std::int64_t context = kLeastContext; context <= last; context *= 2) contexts.push_back(context);
  std::ranges::sort(contexts);
  contexts.erase(std::ranges::unique(contexts).begin(), contexts.end());
  if (contexts.size() > kMostContexts) {
    contexts.erase(contexts.begin(), contexts.end() - static_cast<std::ptrdiff_t>(kMostContexts));
  }
  return contexts;
}

Result<llm::Serving> serving_with(const LlmAnswer& answer, const llm::ServingOptions& options) {
  return llm::Serving::make(answer.model, answer.machine, options);
}

Status add_memory(const LlmAnswer& answer, LlmCurves& curves) {
  for (const std::int64_t context : curves.contexts) {
    llm::ServingOptions options = answer.options;
    options.cache.context = context;
    BERTH_TRY(const llm::Serving serving, serving_with(answer, options));
    const auto loads = serving.loads(answer.placement());
    for (const DeviceId id : answer.machine->device_ids()) {
      const llm::Serving::Load& load = loads[index(id)];
      if (load.sum() == 0) continue;
      auto curve = std::ranges::find(curves.memory, id, &MemoryCurve::device);
      if (curve == curves.memory.end()) {
        const Bytes limit = answer.machine->device(id).pool_limit;
        curves.memory.push_back({id, limit > 0 ? limit : answer.machine->capacity(id), {}, {}, {}});
        curve = curves.memory.end() - 1;
      }
      curve->weights.push_back(load.weights);
      curve->cache.push_back(load.cache);
      curve->runtime.push_back(serving.reserved(id) + load.copies + serving.activations());
    }
  }
  return {};
}

Status add_speeds(const LlmAnswer& answer, LlmCurves& curves) {
  for (const std::int64_t sequences : kSequences) {
    SpeedCurve curve{.sequences = sequences, .tokens_per_s = {}};
    for (const std::int64_t depth : curves.depths) {
      llm::ServingOptions options = answer.options;
      options.cache.sequences = sequences;
      options.depth = depth;
      BERTH_TRY(llm::Serving serving, serving_with(answer, options));
      const llm::Verdict verdict = serving.judge(answer.placement());
      curve.tokens_per_s.push_back(static_cast<double>(sequences) / verdict.decode_s);
    }
    curves.speeds.push_back(std::move(curve));
  }
  return {};
}

}  // namespace

Result<LlmCurves> curves_of(const LlmAnswer& answer) {
  LlmCurves curves{.contexts = contexts_of(answer), .depths = {}, .memory = {}, .speeds = {}};
  for (std::int64_t i = 0; i <= kDepths; ++i) curves.depths.push_back(answer.options.cache.context * i / kDepths);
  BERTH_RETURN_IF_ERROR(add_memory(answer, curves));
  BERTH_RETURN_IF_ERROR(add_speeds(answer, curves));
  return curves;
}

}  // namespace berth
