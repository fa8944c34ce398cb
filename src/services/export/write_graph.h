// SPDX-License-Identifier: Apache-2.0
// Graphs and whole problems in files of ours.
#pragma once

#include <memory>
#include <string>

#include "services/problem/problem_request.h"

namespace berth {

// Writes a graph in the native format, .json or .json.gz. Refused for public problems, whose times would be lost.
Result<std::shared_ptr<const Graph>> convert_graph(const ProblemRequest& request, const std::string& output,
                                                   Caller& caller);

}  // namespace berth
