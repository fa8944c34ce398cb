// SPDX-License-Identifier: Apache-2.0
// `auto` against the known optima of the Standard Task Graphs; bench/cpp/stg_bench.cc looks at all of them.
#include <gtest/gtest.h>

#include "base/text.h"
#include "files/files.h"
#include "import/parts.h"
#include "import/problems/public_problem.h"
#include "machine/library.h"
#include "plan/auto.h"
#include "sim/simulator.h"

namespace berth {
namespace {

constexpr std::size_t kEvery = 30;  // problem of a table

// Lines are "file,processors,optimum"; those with one more cell have a bound and the best schedule known instead.
void expect_optimum(const std::filesystem::path& folder, std::string_view line) {
  const auto cells = split(trim(line), ',');
  SCOPED_TRACE(line);
  const auto machine = std::make_shared<const Machine>(*builtin_machine(fmt::format("procx{}", trim(cells[1]))));
  const auto problem = load_public_problem(folder / cells[0], {.machine = machine});
  ASSERT_TRUE(problem) << problem.error().message;
  Search search(*problem, {.evaluations = 10'000});
  const Result<Plan> plan = AutoPlanner().plan(search);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(to_seconds(simulate(*problem, *plan).step_time), std::stod(std::string(cells[2])));
}

TEST(StgOptima, AreReachedByAutoInFewEvaluations) {
  const auto tables = data_files("stg/Optimal_values", "_OPT.csv");
  if (tables.empty()) GTEST_SKIP() << "no stg in the data folder (BERTH_DATA)";
  std::size_t tried = 0;
  for (const std::string& table : tables) {
    const std::string text = *read_file(table);
    std::size_t known = 0;
    for (const std::string_view line : split(text, '\n')) {
      if (split(trim(line), ',').size() != 3 || known++ % kEvery != 0) continue;
      expect_optimum(std::filesystem::path(table).parent_path().parent_path(), line);
      ++tried;
    }
  }
  EXPECT_GE(tried, 20U);
}

}  // namespace
}  // namespace berth
