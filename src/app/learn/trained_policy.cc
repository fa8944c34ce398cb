// SPDX-License-Identifier: Apache-2.0
// `berth place --policy RUN`: a trained policy as a planner.
#include "app/learn/trained_run.h"
#include "app/learned.h"
#include "learn/planners.h"
#include "plan/auto.h"

namespace berth::app {
namespace {

// For a problem that the run has learned from: the best plan it has found, and what the policy proposes. For another
// one, which only a general policy can serve: what it proposes, or what it learns there.
class TrainedPolicy : public Planner {
 public:
  TrainedPolicy(const PolicyFlags& flags, TrainedRun run) : flags_(flags), run_(std::move(run)) {}

  Result<Plan> plan(Search& search) override {
    Result<Plan> plan = own_plan(search);
    return plan && flags_.is_start ? AutoPlanner().plan(search) : plan;
  }

 private:
  Result<Plan> own_plan(Search& search) {
    learn::Trained trained;
    trained.values = run_.checkpoint.state.values;
    trained.name = run_.name();
    trained.updates = flags_.finetune;
    trained.proposals = {.plans = flags_.is_start ? 17U : 65U, .plain = flags_.plain_samples};
    trained.fills_budget = flags_.finetune == 0 && !flags_.is_start;
    if (!flags_.zero_shot) trained.known_plan = run_.known_plan(search.problem());
    const RunConfig& config = run_.config;
    return learn::make_trained_planner(config.options, config.policy_device, std::move(trained))->plan(search);
  }

  PolicyFlags flags_;
  TrainedRun run_;
};

}  // namespace

Result<ChosenPlanner> choose_trained(const PolicyFlags& policy, const LearnedFlags& flags) {
  if (!flags.preset.empty() || !flags.options.empty()) {
    return bad_input("{} cannot be changed by --policy: the policy was trained with what {}/config.json says",
                     flags.given(), policy.run);
  }
  BERTH_TRY(TrainedRun run, load_trained(policy.run));
  if (!flags.policy_device.empty()) run.config.policy_device = flags.policy_device;
  const auto check = [run](const Problem& problem) { return run.check(problem); };
  const std::string name = policy.is_start ? "auto" : run.config.planner;
  return ChosenPlanner{name, [=] { return std::make_unique<TrainedPolicy>(policy, run); }, check};
}

}  // namespace berth::app
