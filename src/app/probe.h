// SPDX-License-Identifier: Apache-2.0
// The flags of `berth probe`.
#pragma once

#include <cstdint>
#include <string>

namespace berth::app {

struct ProbeFlags {
  std::uint64_t split = 1, split_gpus = 1;
  bool thorough = false, json = false;
  std::string output;
};

}  // namespace berth::app
