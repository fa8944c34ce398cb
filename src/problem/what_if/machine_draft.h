// SPDX-License-Identifier: Apache-2.0
// A machine taken apart, to be changed and put together again: devices taken off it, and added to it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"

namespace berth {

struct MachineDraft {
  std::string name, description;
  std::vector<Device> devices;
  std::vector<MemoryPool> pools;
  std::vector<std::string> switches;
  std::vector<Link> links;
  Execution execution;

  explicit MachineDraft(const Machine& machine);
  [[nodiscard]] Result<Machine> make() const;
};

// Without all accelerators but the first `count`.
Status keep_accelerators(MachineDraft& draft, int count);
// One device more; `model` is of the library, "a100" or "a100*2".
Status add_device(MachineDraft& draft, std::string_view model);

}  // namespace berth
