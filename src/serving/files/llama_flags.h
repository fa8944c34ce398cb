// SPDX-License-Identifier: Apache-2.0
// Flags of llama.cpp for a placement, and the placement that flags ask for (llama_flags_reader.h reads a line of them).
//
// llama.cpp deals with a placement in two steps. Layers: the last -ngl of them, the head counted in, go to the GPUs of
// -dev in order, by the proportions of -ts; the others stay on the CPU, and so do the words. Tensors: -ot moves single
// ones, by the first pattern found in the name. We give layers by exact counts in -ts, and patterns for the rest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "serving/files/runtime_devices.h"
#include "serving/files/tensor_patterns.h"
#include "serving/kv_cache.h"
#include "serving/placement.h"

namespace berth {

inline constexpr std::int64_t kUsualLogicalBatch = 2048;  // llama.cpp's -b unless told otherwise

struct LlamaFlags {
  std::optional<std::int64_t> gpu_layers;    // -ngl; the head counts as one. None: all
  std::vector<DeviceId> devices;             // -dev; empty: all GPUs
  bool has_no_devices = false;               // -dev none: prompts are computed on the CPU too
  std::vector<double> split;                 // -ts; empty: by memory
  std::vector<TensorPattern> patterns;       // -ot, -cmoe, -ncmoe, -ncffn
  std::optional<std::int64_t> cpu_experts;   // -ncmoe, where it says the same as the patterns
  std::optional<std::int64_t> context;       // -c, over all sequences
  std::optional<std::int64_t> sequences;     // -np
  std::optional<std::int64_t> prompt_batch;  // -ub
  std::string key_type, value_type;          // -ctk, -ctv; empty: f16
  std::vector<std::string> ignored = {};     // flags that say nothing of placement
  std::vector<std::string> notes = {};       // on flags that are not judged
  bool fits = true;                          // unless -fit off

  // Whether llama.cpp chooses layers and tensors itself, as it does by default.
  [[nodiscard]] bool leaves_it_open() const {
    return fits && !gpu_layers && !has_no_devices && split.empty() && patterns.empty() && devices.empty();
  }
};

// The placement's layers must be in blocks, CPU first: what placement_of(Shape) makes.
LlamaFlags llama_flags(const llm::Model& model, const RuntimeDevices& devices, const llm::Placement& placement,
                       const llm::CacheSettings& cache);
// In single quotes where a shell would read anything into it.
std::string for_shell(const std::string& text);
// "-c 8192 -ngl 33 -dev CUDA0,CUDA1 -ts 20,13 -ot 'exps=CPU'", as for a shell.
std::string flag_line(const LlamaFlags& flags, const RuntimeDevices& devices);

struct ReadPlacement {
  llm::Placement placement;
  std::vector<std::string> notes;  // what a placement of parts cannot say exactly
};
// Without -ts layers go by the memory of the GPUs.
Result<ReadPlacement> placement_of_flags(const LlamaFlags& flags, const llm::Model& model, const Machine& machine,
                                         const RuntimeDevices& devices);

}  // namespace berth
