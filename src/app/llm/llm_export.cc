// SPDX-License-Identifier: Apache-2.0
// What `berth llm` writes for runtimes.
#include <algorithm>
#include <cmath>

#include "app/llm/llm_request.h"
#include "app/output/output.h"
#include "base/text.h"
#include "serving/files/device_map.h"
#include "serving/files/llama_flags.h"

namespace berth::app {
namespace {

constexpr double kVllmShare = 0.9;  // of a GPU's memory that vLLM takes by default

// The largest share of a GPU's memory that the plan takes, without what the user reserves, in whole hundredths.
double memory_share(const LlmAnswer& answer) {
  const llm::Serving& serving = *answer.serving;
  const std::vector<llm::Serving::Load> loads = serving.loads(answer.search.best.placement);
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
  const StagePartition stages = stage_partition(devices, answer.search.best.placement);
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

// One row per tensor.
std::string tensor_table(const LlmAnswer& answer) {
  using enum Table::Align;
  Table table({kLeft, kLeft, kRight});
  table.add({"tensor", "device", "bytes"});
  const llm::Placement& placement = answer.search.best.placement;
  for (const llm::Tensor& tensor : answer.model->tensors) {
    const DeviceId device = placement.device_of(tensor.layer, tensor.part);
    table.add({tensor.name, answer.machine->device(device).name, fmt::format("{}", tensor.bytes)});
  }
  return table.text();
}

Error wrong_runtime(std::string_view form) {
  return bad_input("--to {}: plan with --runtime {} too, since another runtime's plan may not be one of its own", form,
                   form);
}

}  // namespace

Result<std::string> exported(const LlmAnswer& answer, const std::string& form) {
  const llm::Runtime runtime = answer.options.runtime;
  const RuntimeDevices devices(*answer.machine, answer.names);
  const std::string wanted = form.empty() ? std::string(name_of(runtime)) : form;
  if (wanted == "table") return tensor_table(answer);
  if (wanted == "llama.cpp") {
    if (runtime != llm::Runtime::kLlamaCpp) return wrong_runtime(wanted);
    const LlamaFlags flags = llama_flags(*answer.model, devices, answer.search.best.placement, answer.options.cache);
    return flag_line(flags, devices) + "\n";
  }
  if (wanted == "vllm") {
    if (runtime != llm::Runtime::kVllm) return wrong_runtime(wanted);
    return vllm_line(answer, devices);
  }
  if (wanted == "accelerate") {
    if (runtime == llm::Runtime::kLlamaCpp) return wrong_runtime(wanted);
    return write_device_map(*answer.model, devices, answer.search.best.placement);
  }
  return bad_input("--to: there is no form '{}'; there are llama.cpp, vllm, accelerate and table", form);
}

}  // namespace berth::app
