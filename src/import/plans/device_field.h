// SPDX-License-Identifier: Apache-2.0
// Devices as the files of models name them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/kinds.h"
#include "base/result.h"

namespace berth {

struct DeviceField {
  std::optional<DeviceKind> kind = {};  // none: any
  std::uint32_t number = 0;             // among the devices of that kind; 0 where the field leaves it open
  std::string task = {};                // "/job:worker/task:1", empty if it names none
};

// TensorFlow: ("/" constraint)*, a constraint being job:NAME, replica:N, task:N, device:KIND:N, cpu:N or gpu:N, where N
// may be *. Others: KIND, KIND.N or KIND:N. Kinds are those of machines in any case, with or without "XLA_" in front,
// and "cuda" for gpu.
Result<DeviceField> parse_device_field(std::string_view text);

}  // namespace berth
