// SPDX-License-Identifier: Apache-2.0
// The device_map of Hugging Face accelerate: JSON of module names (a module stands for all it contains) and devices:
// the number of a GPU, "cuda:1", "cpu". And vLLM's layers per stage.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "serving/files/runtime_devices.h"
#include "serving/placement.h"

namespace berth {

// Whole layers only: what a placement moves apart goes with its layer. Layers are not merged, so that every module is
// named, as accelerate wants it.
std::string write_device_map(const llm::Model& model, const RuntimeDevices& devices, const llm::Placement& placement);

// Every layer must be covered; finer names than layers are refused.
Result<llm::Placement> read_device_map(std::string text, const llm::Model& model, const RuntimeDevices& devices);

// Layers per stage and the GPUs of the stages, as in VLLM_PP_LAYER_PARTITION and CUDA_VISIBLE_DEVICES.
struct StagePartition {
  std::vector<std::int64_t> layers;
  std::vector<std::size_t> gpus;
};
StagePartition stage_partition(const RuntimeDevices& devices, const llm::Placement& placement);
// "16,16" on the machine's GPUs in order.
Result<llm::Placement> read_partition(std::string_view text, const llm::Model& model, const RuntimeDevices& devices);

}  // namespace berth
