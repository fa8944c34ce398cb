// SPDX-License-Identifier: Apache-2.0
// The -ot flag of llama.cpp: regular expressions over tensor names, of which the first that is found in a name says
// where the tensor goes. Here they are made of a placement: one pattern for each device that tensors are moved to,
// which is the least there can be, each as short as we can make it, and checked against every tensor of the model.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "serving/model.h"

namespace berth {

struct TensorPattern {
  std::string regex;
  DeviceId device = kNoDevice;
};

// Both are indexed like `tensors`: `homes` says where a tensor is without patterns, `wanted` where it shall be. A
// tensor that is there already may be matched too, which makes patterns shorter.
std::vector<TensorPattern> tensor_patterns(std::span<const llm::Tensor> tensors, std::span<const DeviceId> homes,
                                           std::span<const DeviceId> wanted);

// The other way round, as llama.cpp reads them: std::regex, found anywhere in the name, first match wins.
Result<std::vector<DeviceId>> apply_patterns(std::span<const TensorPattern> patterns,
                                             std::span<const llm::Tensor> tensors);

}  // namespace berth
