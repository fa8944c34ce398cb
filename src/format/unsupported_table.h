// SPDX-License-Identifier: Apache-2.0
// Tables of op types that devices cannot run, such as a runtime's own query gives: lines of "device,type[,reason]", '#'
// begins a comment, and the first line may be a header. docs/constraints.md describes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "problem/demands/demand.h"

namespace berth {

inline constexpr std::size_t kMaxTableBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxTableRows = 100'000;

// One demand of the kind kUnsupported per line. Errors begin with the path.
Result<std::vector<Demand>> load_unsupported(const std::string& path);
Result<std::vector<Demand>> parse_unsupported(std::string_view text, const std::string& path);

}  // namespace berth
