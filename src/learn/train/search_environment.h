// SPDX-License-Identifier: Apache-2.0
// SearchEnvironment: plans judged as a search judges them, which may be by real runs. One after the other on the
// calling thread: nothing else may run while a plan is measured on the same computer.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "learn/train/environment.h"
#include "plan/planner.h"

namespace berth::learn {

class SearchEnvironment final : public Environment {
 public:
  // The search's problem must outlive it. The search itself learns nothing of the plans.
  explicit SearchEnvironment(const Search& search) : fork_(search.fork()) {}

  [[nodiscard]] const Problem& problem() const override { return fork_->problem(); }
  void submit(Plan plan) override { plans_.push_back(std::move(plan)); }
  std::vector<Score> collect(const std::function<bool()>& should_stop) override {
    std::vector<Score> scores;
    for (const Plan& plan : plans_) {
      if (should_stop && should_stop()) break;
      scores.push_back(fork_->evaluate(plan));
    }
    plans_.clear();
    return scores;
  }

 private:
  std::unique_ptr<Search> fork_;
  std::vector<Plan> plans_;
};

}  // namespace berth::learn
