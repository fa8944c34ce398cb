// SPDX-License-Identifier: Apache-2.0
// What tests of the simulator on CUDA share: batches of random plans, and what a GPU must say of them.
#pragma once

#include <gtest/gtest.h>

#include "sim/batch/cuda/cuda_simulator.h"
#include "sim/simulator.h"
#include "support/nearby_plan.h"
#include "support/random_problem.h"

namespace berth {

// Plans, and the same as arrays.
struct Plans {
  std::vector<Plan> plans;
  std::vector<std::uint8_t> devices;
  std::vector<double> priorities;  // none, of all, or of each
  std::vector<std::uint16_t> small_priorities;
  std::vector<std::uint8_t> base;
  std::vector<std::uint32_t> first_move;
  std::vector<BatchMove> moves;

  void add(Plan plan) {
    for (const DeviceId device : plan.device_of) devices.push_back(static_cast<std::uint8_t>(device));
    plans.push_back(std::move(plan));
  }
  // As moves of a plan; what is moved twice counts where it went last.
  void become_moves_of(const Plan& from) {
    base.clear();
    for (const DeviceId device : from.device_of) base.push_back(static_cast<std::uint8_t>(device));
    first_move = {0};
    for (std::size_t i = 0; i < plans.size(); ++i) {
      for (std::uint32_t op = 0; op < base.size(); ++op) {
        const std::uint32_t there = devices[i * base.size() + op];
        if (there == base[op]) continue;
        moves.push_back({op, base[op]});
        moves.push_back({op, there});
      }
      first_move.push_back(static_cast<std::uint32_t>(moves.size()));
    }
  }
  [[nodiscard]] PlanBatch batch() const {
    PlanBatch batch{.size = plans.size(), .priorities = priorities, .small_priorities = small_priorities};
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

inline Plan unfused_plan_of(const Problem& problem, Rng& rng) {
  Plan plan = random_plan(problem, rng);
  plan.fusions.clear();
  return plan;
}

// With one set of priorities for all, or none.
inline Plans random_plans(const Problem& problem, Rng& rng, std::size_t count) {
  Plans made;
  while (made.plans.size() < count) {
    Plan plan = unfused_plan_of(problem, rng);
    if (made.plans.empty()) made.priorities = plan.priority;
    plan.priority = made.priorities;
    made.add(std::move(plan));
  }
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

// Runs them and compares all; nothing may be left to the processor.
inline void expect_agreement(const Problem& problem, const Plans& made, GpuSimulator& gpu) {
  BatchScores scores = scores_for(problem, made.plans.size());
  std::vector<std::uint32_t> left;
  const auto error = gpu.run(made.batch(), scores, left);
  ASSERT_FALSE(error) << error->message;
  ASSERT_TRUE(left.empty());
  expect_scores(problem, made, scores);
}

}  // namespace berth
