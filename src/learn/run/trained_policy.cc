// SPDX-License-Identifier: Apache-2.0
#include "learn/run/trained_policy.h"

#include "learn/planners.h"
#include "learn/run/trained_run.h"
#include "plan/auto.h"

namespace berth::learn {
namespace {

// For a problem that the run has learned from: the best plan it has found, and what the policy proposes. For another
// one, which only a general policy can serve: what it proposes, or what it learns there.
class TrainedPolicy : public Planner {
 public:
  TrainedPolicy(const PolicyRequest& request, TrainedRun run) : request_(request), run_(std::move(run)) {}

  Result<Plan> plan(Search& search) override {
    Result<Plan> plan = own_plan(search);
    return plan && request_.is_start ? AutoPlanner().plan(search) : plan;
  }

 private:
  Result<Plan> own_plan(Search& search) {
    Trained trained;
    trained.values = run_.checkpoint.state.values;
    trained.name = run_.name();
    trained.updates = request_.finetune;
    trained.proposals = {.plans = request_.is_start ? 17U : 65U, .plain = request_.plain_samples};
    trained.fills_budget = request_.finetune == 0 && !request_.is_start;
    if (!request_.zero_shot) trained.known_plan = run_.known_plan(search.problem());
    const RunConfig& config = run_.config;
    return make_trained_planner(config.options, config.policy_device, std::move(trained))->plan(search);
  }

  PolicyRequest request_;
  TrainedRun run_;
};

}  // namespace

Result<ChosenPlanner> choose_trained(const PolicyRequest& request) {
  BERTH_TRY(TrainedRun run, load_trained(request.run));
  if (!request.policy_device.empty()) run.config.policy_device = request.policy_device;
  const auto check = [run](const Problem& problem) { return run.check(problem); };
  const std::string name = request.is_start ? "auto" : run.config.planner;
  return ChosenPlanner{name, [=] { return std::make_unique<TrainedPolicy>(request, run); }, check};
}

ChosenPlanner choose_learned(const Options& options, const std::string& policy_device, bool judged_by_search) {
  return {std::string(method_of(options).name),
          [=] { return make_learned_planner(options, policy_device, judged_by_search); }};
}

}  // namespace berth::learn
