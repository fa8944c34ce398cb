// SPDX-License-Identifier: Apache-2.0
#include "services/plan/chosen_planner.h"

#include <utility>

#include "base/check.h"

namespace berth {
namespace {

class StartedPlanner : public Planner {
 public:
  StartedPlanner(std::unique_ptr<Planner> planner, Plan start)
      : planner_(std::move(planner)), start_(std::move(start)) {}

  Result<Plan> plan(Search& search) override {
    search.evaluate(start_);
    return planner_->plan(search);
  }

 private:
  std::unique_ptr<Planner> planner_;
  Plan start_;
};

}  // namespace

ChosenPlanner starting_at(const ChosenPlanner& planner, Plan start) {
  BERTH_CHECK(planner.takes_start && start.fusions.empty());
  ChosenPlanner started = planner;
  started.make = [make = planner.make, start = std::move(start)] {
    return std::make_unique<StartedPlanner>(make(), start);
  };
  return started;
}

}  // namespace berth
