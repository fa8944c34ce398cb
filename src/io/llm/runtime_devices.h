// SPDX-License-Identifier: Apache-2.0
// Names that runtimes give to the devices of a machine: its GPUs in order are CUDA0, CUDA1, ... for llama.cpp and 0, 1,
// ... for PyTorch; its first CPU is CPU or "cpu".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.h"

namespace berth {

class RuntimeDevices {
 public:
  // `backend` is llama.cpp's: "CUDA", "ROCm", "Vulkan", "SYCL".
  explicit RuntimeDevices(const Machine& machine, std::string backend = "CUDA");

  [[nodiscard]] DeviceId cpu() const { return cpu_; }
  [[nodiscard]] const std::vector<DeviceId>& gpus() const { return gpus_; }
  [[nodiscard]] std::optional<std::size_t> gpu_number(DeviceId device) const;
  [[nodiscard]] std::string buffer_of(DeviceId device) const;  // "CPU", "CUDA1"
  // The device that a buffer type of llama.cpp lies on: CPU, CUDA_Host, CUDA0, and the machine's own names.
  [[nodiscard]] std::optional<DeviceId> of_buffer(std::string_view name) const;
  [[nodiscard]] std::string known() const;  // "CPU, CUDA0, CUDA1": for errors

 private:
  const Machine& machine_;
  std::string backend_;
  DeviceId cpu_ = kNoDevice;
  std::vector<DeviceId> gpus_;
};

}  // namespace berth
