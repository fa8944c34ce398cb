// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace berth {

// For GraphBuilder::set_source_counts(), and what holds until it is called: nodes or edges as the graph has them.
inline constexpr std::size_t kAsCounted = static_cast<std::size_t>(-1);

}  // namespace berth
