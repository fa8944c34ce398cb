// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "graph/graph.h"

namespace berth::app {

// What --op names: one op; a pattern is fine as long as it stands for one.
Result<OpId> named_op(const Graph& graph, const std::string& text);

}  // namespace berth::app
