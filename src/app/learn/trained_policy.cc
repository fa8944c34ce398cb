// SPDX-License-Identifier: Apache-2.0
// `berth place --policy RUN`: a trained policy as a planner.
#include "app/learn/fingerprint.h"
#include "app/learn/policy_library.h"
#include "app/learn/run_folder.h"
#include "app/learned.h"
#include "base/text.h"
#include "learn/checkpoint.h"
#include "learn/planners.h"
#include "plan/auto.h"

namespace berth::app {
namespace {

// For a problem that the run has learned from: the best plan it has found, and what the policy proposes. For another
// one, which only a general policy can serve: what it proposes, or what it learns there.
class TrainedPolicy : public Planner {
 public:
  TrainedPolicy(PolicyFlags flags, RunConfig config, learn::Checkpoint checkpoint)
      : flags_(std::move(flags)), config_(std::move(config)), checkpoint_(std::move(checkpoint)) {}

  Result<Plan> plan(Search& search) override {
    Result<Plan> plan = own_plan(search);
    return plan && flags_.is_start ? AutoPlanner().plan(search) : plan;
  }

 private:
  Result<Plan> own_plan(Search& search) {
    learn::Trained trained;
    trained.values = checkpoint_.state.values;
    trained.name = fmt::format("{} after {}", flags_.run, counted(checkpoint_.state.updates, "update"));
    trained.updates = flags_.finetune;
    trained.fills_budget = flags_.finetune == 0 && !flags_.is_start;
    const std::optional<std::size_t> lesson = lesson_of(config_, search.problem());
    if (lesson && !flags_.zero_shot) trained.known_plan = checkpoint_.state.lessons[*lesson].best_plan;
    return learn::make_trained_planner(config_.planner, config_.options, config_.policy_device, std::move(trained))
        ->plan(search);
  }

  PolicyFlags flags_;
  RunConfig config_;
  learn::Checkpoint checkpoint_;
};

}  // namespace

Result<ChosenPlanner> choose_trained(const PolicyFlags& policy, const LearnedFlags& flags) {
  if (!flags.preset.empty() || !flags.options.empty()) {
    return bad_input("{} cannot be changed by --policy: the policy was trained with what {}/config.json says",
                     flags.given(), policy.run);
  }
  const std::string folder = policy_folder(policy.run);
  BERTH_TRY(RunConfig config, load_config(folder));
  if (!flags.policy_device.empty()) config.policy_device = flags.policy_device;
  BERTH_TRY(const learn::Checkpoint checkpoint,
            learn::read_checkpoint(fmt::format("{}/checkpoint", folder), config.fingerprint()));
  if (checkpoint.state.lessons.size() != config.lessons.size()) {
    return bad_input("{}/checkpoint: it does not belong to {}/config.json", folder, folder);
  }
  const auto check = [policy, config](const Problem& problem) -> Status {
    if (learn::is_general(config.planner) || lesson_of(config, problem)) return {};
    return check_hashes(config.lessons.front(), problem, policy.run);
  };
  const std::string name = policy.is_start ? "auto" : config.planner;
  return ChosenPlanner{name, [=] { return std::make_unique<TrainedPolicy>(policy, config, checkpoint); }, check};
}

}  // namespace berth::app
