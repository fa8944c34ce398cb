// SPDX-License-Identifier: Apache-2.0
// What a batch is refused for is what verify() says of its plans one by one, whatever form they come in.
#include "sim/batch/batch_check.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/thread_pool.h"
#include "support/random_problem.h"

namespace berth {
namespace {

// Of a plan without priorities.
std::optional<Error> verify_row(const Problem& problem, std::span<const std::uint8_t> row) {
  Plan plan;
  for (const std::uint8_t device : row) plan.device_of.push_back(DeviceId{device});
  return verify(problem, plan);
}

std::vector<std::uint8_t> random_row(const Problem& problem, Rng& rng) {
  std::vector<std::uint8_t> row;
  for (const DeviceId device : random_plan(problem, rng).device_of) row.push_back(static_cast<std::uint8_t>(device));
  return row;
}

struct Rows {
  std::vector<std::uint8_t> devices;
  std::optional<std::size_t> first_illegal;
  std::string why;
};

// Legal ones, every fifth with an op that stands anywhere at all.
Rows rows_with_mistakes(const Problem& problem, Rng& rng, std::size_t count) {
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint8_t> row = random_row(problem, rng);
    if (rng.below(5) == 0) {
      row[rng.below(row.size())] = static_cast<std::uint8_t>(rng.below(problem.machine().num_devices()));
    }
    if (const auto error = verify_row(problem, row); error && !rows.first_illegal) {
      rows.first_illegal = i;
      rows.why = error->message;
    }
    rows.devices.insert(rows.devices.end(), row.begin(), row.end());
  }
  return rows;
}

TEST(BatchCheck, SaysWhatVerifySaysOfTheFirstPlanThatIsNotLegal) {
  int illegal = 0;
  ThreadPool pool(3);
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(30));
    const Rows rows = rows_with_mistakes(problem, rng, 1 + rng.below(40));
    const std::size_t count = rows.devices.size() / problem.graph().num_ops();
    const auto error = BatchChecker(problem).check({.size = count, .devices = rows.devices}, pool, 100);
    ASSERT_EQ(error.has_value(), rows.first_illegal.has_value()) << rows.why;
    if (!error) continue;
    ++illegal;
    EXPECT_EQ(error->message, "plan " + std::to_string(100 + *rows.first_illegal) + ": " + rows.why);
  }
  EXPECT_GT(illegal, 15);
  EXPECT_LT(illegal, 110);
}

// One op of every plan is moved: alone, it may leave its unit.
TEST(BatchCheck, SaysTheSameOfMovesOfABase) {
  int illegal = 0;
  ThreadPool pool(2);
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(30));
    const std::vector<std::uint8_t> base = random_row(problem, rng);
    std::vector<BatchMove> moves;
    std::vector<std::uint32_t> first_move{0};
    std::string expected;
    for (std::uint32_t i = 0; i < 3; ++i) {
      const auto op = static_cast<std::uint32_t>(rng.below(base.size()));
      const auto device = static_cast<std::uint32_t>(rng.below(problem.machine().num_devices()));
      moves.push_back({op, device});
      first_move.push_back(static_cast<std::uint32_t>(moves.size()));
      std::vector<std::uint8_t> row = base;
      row[op] = static_cast<std::uint8_t>(device);
      const auto error = verify_row(problem, row);
      if (error && expected.empty()) expected = "plan " + std::to_string(i) + ": " + error->message;
    }
    const PlanBatch plans{.size = 3, .base = base, .first_move = first_move, .moves = moves};
    const auto error = BatchChecker(problem).check(plans, pool);
    EXPECT_EQ(error ? error->message : "", expected);
    illegal += error ? 1 : 0;
  }
  EXPECT_GT(illegal, 15);
  EXPECT_LT(illegal, 110);
}

class CheckBatch : public testing::Test {
 protected:
  CheckBatch() : rng_(10), problem_(random_problem(rng_, 10)) {
    for (int i = 0; i < 3; ++i) {
      const std::vector<std::uint8_t> row = random_row(problem_, rng_);
      devices_.insert(devices_.end(), row.begin(), row.end());
    }
    priorities_.resize(devices_.size());
  }
  [[nodiscard]] std::string refusal(const PlanBatch& plans) const { return refusal_for(problem_, plans); }
  static std::string refusal_for(const Problem& problem, const PlanBatch& plans) {
    const auto error = check_batch(problem, plans);
    return error ? error->message : "";
  }
  Rng rng_;
  Problem problem_;
  std::size_t ops_ = problem_.graph().num_ops();
  std::vector<std::uint8_t> devices_;
  std::vector<double> priorities_;
};

TEST_F(CheckBatch, RefusesArraysOfTheWrongSize) {
  EXPECT_NE(refusal({.size = 4, .devices = devices_}), "");
  EXPECT_NE(refusal({.size = 3, .devices = devices_, .priorities = std::span(priorities_).first(ops_ - 1)}), "");
  const std::vector<std::uint32_t> first_move{0, 1, 0, 1};
  const std::vector<BatchMove> moves{{0, 0}};
  const auto base = std::span<const std::uint8_t>(devices_).first(ops_);
  EXPECT_NE(refusal({.size = 3, .base = base, .first_move = first_move, .moves = moves}), "") << "not in order";
  EXPECT_NE(refusal({.size = 2, .base = base, .first_move = first_move, .moves = moves}), "") << "one too many";
  EXPECT_EQ(refusal({}), "") << "no plan";
}

TEST_F(CheckBatch, NamesDevicesAndOpsThatAreNotThere) {
  devices_[ops_ + 1] = 200;
  EXPECT_EQ(refusal({.size = 3, .devices = devices_}), "plan 1: op '" + std::string(problem_.graph().name(OpId{1})) +
                                                           "' is on device 200; the machine has " +
                                                           std::to_string(problem_.machine().num_devices()));
  const std::vector<std::uint32_t> first_move{0, 1};
  const auto base = std::span<const std::uint8_t>(devices_).first(ops_);
  const std::vector<BatchMove> far{{static_cast<std::uint32_t>(ops_), 0}}, strange{{0, 64}};
  EXPECT_NE(refusal({.size = 1, .base = base, .first_move = first_move, .moves = far}).find("there are "),
            std::string::npos);
  EXPECT_NE(refusal({.size = 1, .base = base, .first_move = first_move, .moves = strange}).find("there are "),
            std::string::npos);
}

TEST_F(CheckBatch, RefusesPrioritiesThatAreNotFinite) {
  priorities_[ops_ + 2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal({.size = 3, .devices = devices_, .priorities = std::span(priorities_).first(ops_)}), "");
  const std::string own = refusal({.size = 3, .devices = devices_, .priorities = priorities_});
  EXPECT_EQ(own.find("plan 1: op '" + std::string(problem_.graph().name(OpId{2})) + "' has a priority"), 0U) << own;
  priorities_[1] = std::numeric_limits<double>::infinity();
  EXPECT_NE(refusal({.size = 3, .devices = devices_, .priorities = std::span(priorities_).first(ops_)}), "");
}

TEST_F(CheckBatch, KnowsLimitsThatNoSingleOpBreaks) {
  Constraints limits;
  limits.max_crossings = 0;
  const auto limited = constrain(problem_, limits);
  ASSERT_TRUE(limited.ok()) << limited.error().message;
  const auto row = std::span<const std::uint8_t>(devices_).first(ops_);
  const auto error = verify_row(*limited, row);
  ASSERT_TRUE(error) << "the plan crosses nothing";
  EXPECT_EQ(refusal_for(*limited, {.size = 1, .devices = row}), "plan 0: " + error->message);
}

}  // namespace
}  // namespace berth
