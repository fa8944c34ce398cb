// SPDX-License-Identifier: Apache-2.0
// The built-in machines. docs/machines.md says where their figures come from and what is simplified.
#pragma once

#include <span>
#include <string_view>

#include "machine/machine.h"

namespace berth {

struct MachineInfo {
  std::string_view name;     // "k40x4"
  std::string_view summary;  // one line
  Machine (*make)();
};

std::span<const MachineInfo> builtin_machines();  // the only list

// The machine of that name, or an error that names the nearest one.
Result<Machine> builtin_machine(std::string_view name);

}  // namespace berth
