// SPDX-License-Identifier: Apache-2.0
// Names that runtimes give to the devices of a machine: its GPUs in order are CUDA0, CUDA1, ... for llama.cpp and 0, 1,
// ... for PyTorch; its first CPU is CPU or "cpu". GPUs behind servers of llama.cpp's RPC backend are RPC0, RPC1, ...
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.h"

namespace berth {

// How llama.cpp sees the GPUs.
struct LlamaNames {
  std::string backend = {};               // "CUDA", "ROCm", "hip", "Vulkan", "SYCL", "Metal"; empty: default_backend()
  std::vector<std::string> servers = {};  // "host:port" by DeviceId, empty for devices of this host; empty: all are
};

// "CUDA", "ROCm" for Instinct cards, "MTL" (Metal) for Apple's, "Vulkan" for Radeon and Intel cards and for cards of
// several makers.
std::string default_backend(const Machine& machine);

class RuntimeDevices {
 public:
  explicit RuntimeDevices(const Machine& machine, LlamaNames names = {});

  [[nodiscard]] DeviceId cpu() const { return cpu_; }
  [[nodiscard]] const std::vector<DeviceId>& gpus() const { return gpus_; }
  [[nodiscard]] std::optional<std::size_t> gpu_number(DeviceId device) const;
  [[nodiscard]] std::string device_name(DeviceId device) const;  // for -dev: "CUDA1", "RPC0"
  [[nodiscard]] std::string buffer_of(DeviceId device) const;    // for -ot: "CPU", "CUDA1", "RPC0[host:port]"
  [[nodiscard]] const std::vector<std::string>& servers() const { return servers_; }  // for --rpc, in order
  // The device that a buffer type of llama.cpp lies on: CPU, CUDA_Host, CUDA0, and the machine's own names.
  [[nodiscard]] std::optional<DeviceId> of_buffer(std::string_view name) const;
  [[nodiscard]] std::string known() const;  // "CPU, CUDA0, CUDA1": for errors

 private:
  struct Name {
    std::string device = "CPU", buffer = "CPU";
  };
  void name_gpus(const LlamaNames& names);

  const Machine& machine_;
  DeviceId cpu_ = kNoDevice;
  std::vector<DeviceId> gpus_;
  std::vector<Name> names_;  // indexed by DeviceId
  std::vector<std::string> servers_;
};

}  // namespace berth
