// SPDX-License-Identifier: Apache-2.0
#include "services/serving/llm_export.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "serving/files/device_map.h"
#include "serving/files/llama_flags.h"

namespace berth {
namespace {

constexpr double kVllmShare = 0.9;  // of a GPU's memory that vLLM takes by default

// The largest share of a GPU's memory that the plan takes, without what the user reserves, in whole hundredths.
double memory_share(const LlmAnswer& answer) {
  const llm::Serving& serving = *answer.serving;
  const std::vector<llm::Serving::Load> loads = serving.loads(answer.placement());
  double most = 0.0;
  for (const DeviceId gpu : serving.accelerators()) {
    const llm::Serving::Load& load = loads[index(gpu)];
    if (load.sum() == 0) continue;
    const Bytes theirs = answer.options.reserve.empty() ? 0 : answer.options.reserve[index(gpu)];
    const Bytes used = load.sum() + serving.reserved(gpu) - theirs + serving.activations();
    most = std::max(most, static_cast<double>(used) / static_cast<double>(answer.machine->capacity(gpu)));
  }
  return std::min(1.0, std::ceil(100.0 * most) / 100.0);
}

std::string vllm_line(const LlmAnswer& answer, const RuntimeDevices& devices) {
  const StagePartition stages = stage_partition(devices, answer.placement());
  std::vector<std::string> layers, gpus;
  for (const std::int64_t count : stages.layers) layers.push_back(fmt::format("{}", count));
  for (const std::size_t gpu : stages.gpus) gpus.push_back(fmt::format("{}", gpu));
  std::string line = fmt::format(
      "CUDA_VISIBLE_DEVICES={} VLLM_PP_LAYER_PARTITION={} vllm serve MODEL --pipeline-parallel-size {} "
      "--max-model-len {}",
      join(gpus, ","), join(layers, ","), stages.layers.size(), answer.options.cache.context);
  if (answer.options.cache.sequences > 1) line += fmt::format(" --max-num-seqs {}", answer.options.cache.sequences);
  const double share = memory_share(answer);
  if (share > kVllmShare) line += fmt::format(" --gpu-memory-utilization {:.2f}", share);
  return line + "\n";
}

bool is_plan_of(llm::Runtime form, llm::Runtime runtime) {
  const bool has_any_layers = form == llm::Runtime::kAccelerate;  // stages of vLLM are a device_map too
  return has_any_layers ? runtime != llm::Runtime::kLlamaCpp : runtime == form;
}

LlamaFlags flags_of(const LlmAnswer& answer, const RuntimeDevices& devices) {
  return llama_flags(*answer.model, devices, answer.placement(), answer.options.cache);
}

std::string llama_line(const LlmAnswer& answer, const RuntimeDevices& devices) {
  std::string line = flag_line(flags_of(answer, devices), devices);
  if (!answer.projector.empty()) line += fmt::format(" --mmproj {}", for_shell(answer.projector));
  return line + "\n";
}

}  // namespace

Result<std::string> text_to_paste(const LlmAnswer& answer, llm::Runtime form) {
  if (!is_plan_of(form, answer.options.runtime)) {
    return bad_input("--to {0}: plan with --runtime {0} too, since another runtime's plan may not be one of its own",
                     name_of(form));
  }
  const RuntimeDevices devices(*answer.machine, answer.names);
  switch (form) {
    case llm::Runtime::kLlamaCpp:
      return llama_line(answer, devices);
    case llm::Runtime::kVllm:
      return vllm_line(answer, devices);
    case llm::Runtime::kAccelerate:
      break;
  }
  return write_device_map(*answer.model, devices, answer.placement());
}

std::vector<MovedTensors> moved_tensors(const LlmAnswer& answer) {
  std::vector<MovedTensors> moved;
  if (answer.options.runtime != llm::Runtime::kLlamaCpp) return moved;
  const RuntimeDevices devices(*answer.machine, answer.names);
  for (const TensorPattern& pattern : flags_of(answer, devices).patterns) {
    moved.push_back({pattern.regex, devices.buffer_of(pattern.device)});
  }
  return moved;
}

}  // namespace berth
