// SPDX-License-Identifier: Apache-2.0
// What stands for a device of the machine when a plan is run for real: `cpu` (all cores), `cpu:0-3` (a sub-device: some
// of the cores), `cuda:1`, `cuda:0/64` (64 of its multiprocessors), each with an optional limit of memory:
// `cuda:0=16GiB`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "machine/machine.h"

namespace berth {

struct DeviceSpec {
  std::string text = {};  // "cpu:0-1+4", without the limit
  bool is_cuda = false;
  int number = 0;               // of a CUDA device
  int multiprocessors = 0;      // a part of a CUDA device; 0: all of it
  std::vector<int> cores = {};  // of a CPU, ascending
  Bytes memory = 0;             // limit; 0: none
};

// "cpu:0-3,cpu:4-7,cuda:0=16GiB". Cores of different items must be disjoint, CUDA devices different or parts;
// `cores_here` says how many cores there are (0 to cores_here - 1).
Result<std::vector<DeviceSpec>> parse_device_specs(std::string_view list, int cores_here);

// For a machine without further words: its CPUs share the cores equally in order, its GPUs are cuda:0, cuda:1, ...
// Beside GPUs two cores stay free, if there are at least eight: somebody must start their work. Limits of memory are
// those of the machine for GPUs, none for CPUs. An error for devices that cannot be run here (tpu, npu, fpga).
Result<std::vector<DeviceSpec>> default_device_specs(const Machine& machine, int cores_here);

// Every device of the machine has its item, of the kind it is.
Status check_device_specs(const std::vector<DeviceSpec>& specs, const Machine& machine);

// Cores that this process may use.
int cores_here();

}  // namespace berth
