// SPDX-License-Identifier: Apache-2.0
// What tests of services ask about: a small model on two GPUs, and plans of it in files.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "services/listening_caller.h"
#include "services/plan/place.h"

namespace berth {

inline ProblemRequest small_problem() { return {.graph = "zoo:rnnlm,unroll=3", .machine = "k40x2"}; }

inline std::string temporary_file(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

// The plan of a planner for the small problem, in a file of that name.
inline std::string plan_file(const std::string& planner, const std::string& name) {
  ListeningCaller caller;
  PlaceRequest request{.problem = small_problem(),
                       .planner = chosen(*find_classical_planner(planner)),
                       .budget = {.evaluations = 20},
                       .output = temporary_file(name)};
  const Result<PlaceAnswer> answer = place(request, caller);
  EXPECT_TRUE(answer && answer->saved.ok());
  return request.output;
}

}  // namespace berth
