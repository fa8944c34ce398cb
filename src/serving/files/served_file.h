// SPDX-License-Identifier: Apache-2.0
// What runs of language models have shown of a machine's devices, as a file: TOML, a table per device.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "problem/cost/streaming.h"

namespace berth {

inline constexpr std::string_view kServedFormat = "berth-served/1";
inline constexpr double kLeastServed = 0.01, kMostServed = 100.0;  // shares of what is expected

// By device; what the file leaves out is as expected. It must name devices of this machine; `where` names it in errors.
Result<std::vector<ServedShares>> read_served(std::string_view text, std::string_view where, const Machine& machine);
std::string write_served(const Machine& machine, const std::vector<ServedShares>& served);

}  // namespace berth
