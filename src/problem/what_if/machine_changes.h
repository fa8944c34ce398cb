// SPDX-License-Identifier: Apache-2.0
// What if the machine were different? Changes as people write them, applied to a machine that exists.
//
//   gpu0.memory=24GiB         a device by its name, "gpu" or "k40" for all of a kind or model, "gpu:1" for the second
//   of a kind gpu.flops=2x              twice as much; without x the new value. Of a device: memory, bandwidth, flops,
//   launch, lanes, watts link.*.bandwidth=32GB/s   every link; of a link: bandwidth, latency link.gpu0.bandwidth=2x
//   those that begin or end at a device, a kind, or are on a bus of that name; "gpu0-gpu1" for one
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/machine.h"
#include "problem/problem.h"

namespace berth {

struct MachineChanges {
  std::vector<std::string> settings = {};  // "gpu0.memory=24GiB"
  std::vector<std::string> added = {};     // device models: "a100", "a100*2"
  int accelerators = 0;                    // keep the first so many, with every CPU; 0: all

  [[nodiscard]] bool empty() const { return settings.empty() && added.empty() && accelerators == 0; }
};

// First devices are dropped, then added, then settings applied in their order. A new device is linked as the first one
// of its kind is (the first accelerator, if there is none of its kind), and named "gpuN" after the others. The
// machine's name says what was changed.
Result<Machine> changed(const Machine& machine, const MachineChanges& changes);

// The same problem with the same times on a machine with the same devices, of which only links and memory differ.
Result<Problem> on_machine(Problem problem, std::shared_ptr<const Machine> machine);

}  // namespace berth
