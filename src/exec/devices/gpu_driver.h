// SPDX-License-Identifier: Apache-2.0
// NVIDIA's driver and management library, loaded at run time if they are there: names, memory and copy speed of GPUs
// that libtorch cannot use.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace berth::exec {

struct DriverGpu {
  std::string name;       // "NVIDIA H200"
  Bytes memory = 0;       // in all
  Bytes free_memory = 0;  // 0: unknown
  // Seconds for a copy of that many bytes between pinned memory and the card; empty if it could not be tried.
  struct CopyTime {
    Bytes bytes = 0;
    double to_gpu_s = 0.0, to_host_s = 0.0;
  };
  std::vector<CopyTime> copies;
};

// Empty if there is no driver or no GPU. Copies are tried by the driver's own calls.
std::vector<DriverGpu> driver_gpus(bool with_copies);

}  // namespace berth::exec
