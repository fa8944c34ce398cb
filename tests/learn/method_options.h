// SPDX-License-Identifier: Apache-2.0
// For tests of every method, and of options by their words.
#pragma once

#include <gtest/gtest.h>

#include "runs/methods.h"

namespace berth::learn {

inline std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.emplace_back(method.name);
  return names;
}

// Options of one method with one of them set by its words.
template <typename Own>
Own with(const Own& own, std::string_view assignment) {
  Options options = own;
  EXPECT_TRUE(set_option(options, assignment)) << assignment;
  return std::get<Own>(options);
}

}  // namespace berth::learn
