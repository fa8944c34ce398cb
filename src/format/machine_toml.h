// SPDX-License-Identifier: Apache-2.0
// Machine files: TOML with human units. docs/machines.md describes the format.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/machine.h"

namespace berth {

inline constexpr std::string_view kMachineFormat = "berth-machine/1";

// Reads the text of a machine file; `where` names it in errors: "box.toml:12: devices.memory: '12 GB/s' is no size;
// ...". Files above kMaxTomlBytes are refused.
Result<Machine> read_machine_toml(std::string_view text, std::string_view where);

// The machine as a commented file (machine_toml_writer.cc), every figure spelled out. Stable, and read_machine_toml() gives the same machine
// back.
std::string write_machine_toml(const Machine& machine);

}  // namespace berth
