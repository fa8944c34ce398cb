// SPDX-License-Identifier: Apache-2.0
// Paths of modules, "encoder.layer.3.attention", and the blocks that they belong to.
#pragma once

#include <optional>
#include <string_view>

#include "graph/graph.h"

namespace berth {

// The path up to the first part that is a number, "encoder.layer.3": one of the layers that a model repeats. Without a
// number, the whole path.
std::string_view block_of(std::string_view path);

// "a.b" is around "a.b" and "a.b.c", and "" is around all.
bool is_around(std::string_view module, std::string_view path);

// The path inside the module `prefix`; nothing if it is outside. An empty prefix is the whole model.
std::optional<std::string_view> below(std::string_view prefix, std::string_view path);

std::string_view parent_of(std::string_view path);  // "a.b" of "a.b.c", "" of "a"

// The path of an op: its module, else that of the parameter that it is.
std::string_view path_of(const Graph& graph, OpId op);

}  // namespace berth
