// SPDX-License-Identifier: Apache-2.0
// What tests of the simulator on CUDA share: batches of random plans, and what a GPU must say of them.
#pragma once

#include <gtest/gtest.h>

#include "sim/batch/cuda/cuda_simulator.h"
#include "sim/simulator.h"
#include "support/batch_plans.h"
#include "support/nearby_plan.h"
#include "support/random_problem.h"

namespace berth {

// Plans, and the same as arrays.
struct Plans {
  std::vector<Plan> plans;
  std::vector<std::uint8_t> devices;
  std::vector<double> priorities;  // none, of all, or of each
  std::vector<std::uint8_t> base;
  std::vector<std::uint32_t> first_move;
  std::vector<BatchMove> moves;

  void add(Plan plan) {
    const std::vector<std::uint8_t> row = device_bytes(plan);
    devices.insert(devices.end(), row.begin(), row.end());
    plans.push_back(std::move(plan));
  }
  // Plans near a base as moves of it, some of which touch nothing.
  static Plans near(const Problem& problem, const Plan& base, std::size_t count, Rng& rng) {
    Plans made;
    made.priorities = base.priority;
    for (std::size_t i = 0; i < count; ++i) made.add(i % 5 == 0 ? base : nearby_plan(problem, base, rng));
    made.become_moves_of(base);
    return made;
  }
  // priority_of(plan, op) for every plan by itself.
  template <typename PriorityOf>
  void rank_each(std::size_t ops, PriorityOf priority_of) {
    priorities.clear();
    for (std::size_t i = 0; i < plans.size(); ++i) {
      plans[i].priority.clear();
      for (std::size_t op = 0; op < ops; ++op) plans[i].priority.push_back(priority_of(i, op));
      priorities.insert(priorities.end(), plans[i].priority.begin(), plans[i].priority.end());
    }
  }
  // As moves of a plan; what is moved twice counts where it went last.
  void become_moves_of(const Plan& from) {
    base = device_bytes(from);
    first_move = {0};
    for (std::size_t i = 0; i < plans.size(); ++i) {
      for (std::uint32_t op = 0; op < base.size(); ++op) {
        const std::uint32_t there = devices[i * base.size() + op];
        if (there == base[op] && op != i % base.size()) continue;  // one may stay where it is
        moves.push_back({op, base[op]});
        moves.push_back({op, there});
      }
      first_move.push_back(static_cast<std::uint32_t>(moves.size()));
    }
  }
  [[nodiscard]] PlanBatch batch() const {
    PlanBatch batch{.size = plans.size(), .priorities = priorities};
    if (base.empty()) {
      batch.devices = devices;
    } else {
      batch.base = base;
      batch.first_move = first_move;
      batch.moves = moves;
    }
    return batch;
  }
};

// With one set of priorities for all, or none.
inline Plans random_plans(const Problem& problem, Rng& rng, std::size_t count) {
  Plans made;
  while (made.plans.size() < count) {
    Plan plan = unfused_plan(problem, rng);
    if (made.plans.empty()) made.priorities = plan.priority;
    plan.priority = made.priorities;
    made.add(std::move(plan));
  }
  return made;
}

// With priorities of their own: none, tied or all different.
inline Plans random_ranked_plans(const Problem& problem, Rng& rng, std::size_t count) {
  Plans made = random_plans(problem, rng, count);
  const std::size_t ops = problem.graph().num_ops();
  std::vector<std::vector<double>> rows;
  while (rows.size() < count) {
    rows.push_back(unfused_plan(problem, rng).priority);
    rows.back().resize(ops);
  }
  made.rank_each(ops, [&](std::size_t plan, std::size_t op) { return rows[plan][op]; });
  return made;
}

inline BatchScores scores_for(const Problem& problem, std::size_t plans) {
  BatchScores scores;
  scores.num_places = problem.machine().num_devices() + problem.machine().pools().size();
  scores.resize(plans);
  return scores;
}

inline void expect_scores(const Problem& problem, const Plans& made, const BatchScores& scores) {
  for (std::size_t i = 0; i < made.plans.size(); ++i) {
    const Score expected = simulate(problem, made.plans[i]);
    ASSERT_EQ(scores.step_time[i], expected.step_time) << "plan " << i << "\n" << describe(problem, made.plans[i]);
    ASSERT_EQ(scores.over[i], expected.overflow ? expected.overflow->over : 0);
    for (std::size_t k = 0; k < expected.devices.size(); ++k) {
      ASSERT_EQ(scores.peaks[i * scores.num_places + k], expected.devices[k].peak);
    }
    for (std::size_t k = 0; k < expected.pool_peaks.size(); ++k) {
      ASSERT_EQ(scores.peaks[i * scores.num_places + expected.devices.size() + k], expected.pool_peaks[k]);
    }
  }
}

// Runs the batch and compares all; nothing may be left to the processor.
inline void expect_agreement(const Problem& problem, const Plans& made, const PlanBatch& batch, GpuSimulator& gpu) {
  BatchScores scores = scores_for(problem, made.plans.size());
  std::vector<std::uint32_t> left;
  const auto error = gpu.run(batch, scores, left);
  ASSERT_FALSE(error) << error->message;
  ASSERT_TRUE(left.empty());
  expect_scores(problem, made, scores);
}
inline void expect_agreement(const Problem& problem, const Plans& made, GpuSimulator& gpu) {
  expect_agreement(problem, made, made.batch(), gpu);
}

// body(problem, random numbers, GPU) for that many random problems.
template <typename Body>
void for_problems(std::uint64_t count, Body body) {
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(40));
    const auto gpu = make_cuda_simulator(problem, {.threads = 2, .least_near_ops = 1, .least_saved = 0});
    if (!gpu.ok() && gpu.error().message == "no CUDA device answers") GTEST_SKIP() << gpu.error().message;
    ASSERT_TRUE(gpu.ok()) << gpu.error().message;
    ASSERT_NO_FATAL_FAILURE(body(problem, rng, **gpu));
  }
}

}  // namespace berth
