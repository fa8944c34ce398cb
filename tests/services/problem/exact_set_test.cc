// SPDX-License-Identifier: Apache-2.0
#include "services/problem/exact_set.h"

#include <gtest/gtest.h>

#include "files/files.h"
#include "services/listening_caller.h"
#include "services/problem/problem_request.h"
#include "support/folders.h"

namespace berth {
namespace {

TEST(EmbeddedExactSet, HoldsTheFilesOfTheRepository) {
  ASSERT_EQ(exact_set_files().size(), 31U);  // thirty problems and their optima
  for (const EmbeddedFile& file : exact_set_files()) {
    const std::string path = (source_folder() / "problems" / "exact" / file.name).string();
    ProblemOverrides nothing;
    if (file.name == "optima.json") {
      EXPECT_EQ(std::string(file.bytes), read_file(path).value());
      continue;
    }
    const std::string name(file.name.substr(0, file.name.find('.')));
    const auto from_program = load_exact_problem(name, nothing), from_file = load_public_problem(path, nothing);
    ASSERT_TRUE(from_program) << from_program.error().message;
    EXPECT_EQ(from_program->graph().structure_hash(), from_file->graph().structure_hash()) << name;
    EXPECT_EQ(from_program->graph().title(), name);
  }
}

TEST(EmbeddedExactSet, EveryProblemHasAnOptimum) {
  ASSERT_EQ(exact_problems().size() + 1, exact_set_files().size());
  for (const ExactProblem& problem : exact_problems()) {
    EXPECT_TRUE(load_exact_problem(problem.name, {})) << problem.name;
    EXPECT_GT(problem.optimum, 0);
  }
}

TEST(EmbeddedExactSet, IsAGraphArgument) {
  ListeningCaller caller;
  EXPECT_EQ(load_problem({.graph = "exact:zoo-moe-rtx"}, caller).value().problem.graph().num_ops(), 74U);
  const auto misspelt = load_problem({.graph = "exact:zoo-moe-rx"}, caller);
  ASSERT_FALSE(misspelt);
  EXPECT_NE(misspelt.error().message.find("did you mean 'zoo-moe-rtx'?"), std::string::npos);
  const auto machine = load_problem({.graph = "exact:zoo-moe-rtx", .machine = "k40x2"}, caller);
  ASSERT_FALSE(machine);
  EXPECT_NE(machine.error().message.find("leave --machine out"), std::string::npos) << machine.error().message;
}

}  // namespace
}  // namespace berth
