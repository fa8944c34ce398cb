// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "graph/builder.h"

namespace berth {

// More views in a row than a stack holds calls.
inline constexpr int kManyViews = 1'000'000;

// Adds a chain of views behind an op's first output, each of that shape; gives the last of them.
inline OpId add_views(GraphBuilder& builder, OpId first, int count, const TensorSpec& shown) {
  OpId last = first;
  for (int i = 0; i < count; ++i) {
    const std::string name = fmt::format("view{}", i);
    last = builder.add(
        {.name = name, .type = "aten.view.default", .role = Role::kView, .inputs = {{last, 0}}, .outputs = {shown}});
  }
  return last;
}

}  // namespace berth
