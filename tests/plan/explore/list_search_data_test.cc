// SPDX-License-Identifier: Apache-2.0
// The schedule search on public problems with known answers; all 720 of the task graphs: bench/stg_bench.
#include <gtest/gtest.h>

#include <array>

#include "import/parts.h"
#include "import/problems/public_problem.h"
#include "machine/library.h"
#include "plan/explore/list_search.h"

namespace berth {
namespace {

struct KnownAnswer {
  int graph, processors;
  double optimum;
};

TEST(ScheduleData, ReachesOptimaOfStandardTaskGraphs) {
  const auto files = data_files("stg/50", ".stg");
  if (files.empty()) GTEST_SKIP() << "no stg in the data folder (BERTH_DATA)";
  ASSERT_EQ(files.size(), 180U);
  constexpr std::array kAnswers{KnownAnswer{0, 2, 131},  KnownAnswer{53, 2, 136}, KnownAnswer{161, 2, 295},
                                KnownAnswer{26, 4, 128}, KnownAnswer{96, 4, 125}, KnownAnswer{109, 4, 152},
                                KnownAnswer{130, 4, 93}, KnownAnswer{53, 8, 34},  KnownAnswer{95, 8, 80},
                                KnownAnswer{26, 8, 106}, KnownAnswer{90, 16, 48}};
  for (const KnownAnswer& known : kAnswers) {
    SCOPED_TRACE(fmt::format("rand{:04} on {}", known.graph, known.processors));
    const auto machine = std::make_shared<const Machine>(*builtin_machine(fmt::format("procx{}", known.processors)));
    const auto problem = load_public_problem(files[static_cast<std::size_t>(known.graph)], {.machine = machine});
    ASSERT_TRUE(problem) << problem.error().message;
    Search search(*problem, {.evaluations = 4000});
    search_lists(search);
    EXPECT_EQ(to_seconds(search.best_score().step_time), known.optimum);
  }
}

TEST(ScheduleData, ReachesTheOptimumOfTheHeftExample) {
  const auto files = data_files("heft_example/test", "canonicalgraph_task_connectivity.csv");
  if (files.empty()) GTEST_SKIP() << "no heft_example in the data folder (BERTH_DATA)";
  const auto problem = load_public_problem(files.front());
  ASSERT_TRUE(problem) << problem.error().message;
  Search search(*problem, {.evaluations = 4000});
  search_lists(search);
  EXPECT_EQ(to_seconds(search.best_score().step_time), 73.0);  // which `exact` proves
}

}  // namespace
}  // namespace berth
