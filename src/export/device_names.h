// SPDX-License-Identifier: Apache-2.0
// What runtimes call the devices of a machine: a kind, and a number among the devices of that kind.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "export/exporter.h"

namespace berth {

enum class Runtime { kTorch, kOnnxRuntime, kOpenVino, kTensorFlow };

// "cuda:1", "gpu:1", "GPU.1", "/device:GPU:1"; where a runtime has one CPU, "cpu" or "CPU". What the user calls a
// device comes first.
std::string runtime_name(Runtime runtime, const ExportRequest& request, DeviceId device);
using DeviceNames = std::map<std::string, std::string>;  // of the user's, by their names in the machine
std::string runtime_name(Runtime runtime, const Machine& machine, const DeviceNames& names, DeviceId device);

std::size_t number_of_kind(const Machine& machine, DeviceId device);

// Devices that have ops, in the order of the machine.
std::vector<DeviceId> devices_in_use(const Machine& machine, const Plan& plan);

// Names that the user gives and the machine does not have.
Status check_names(const Machine& machine, const DeviceNames& names);

}  // namespace berth
