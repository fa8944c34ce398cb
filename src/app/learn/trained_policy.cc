// SPDX-License-Identifier: Apache-2.0
// `berth place --policy RUN`: a trained policy as a planner.
#include <algorithm>

#include "app/learn/fingerprint.h"
#include "app/learn/run_folder.h"
#include "app/learned.h"
#include "base/text.h"
#include "learn/checkpoint.h"
#include "learn/guarded.h"
#include "learn/planners.h"

namespace berth::app {
namespace {

constexpr std::uint64_t kSamples = 16;  // without --evaluations

// The best of what the run has found, the most likely plan, and a few samples of the policy. A policy of this kind
// knows one graph on one machine, so check_hashes() comes first.
class TrainedPolicy : public Planner {
 public:
  TrainedPolicy(std::string run, RunConfig config, learn::Checkpoint checkpoint)
      : run_(std::move(run)), config_(std::move(config)), checkpoint_(std::move(checkpoint)) {}

  Result<Plan> plan(Search& search) override {
    return learn::guarded([&]() -> Result<Plan> { return sampled(search); });
  }

 private:
  Result<Plan> sampled(Search& search) {
    const Problem& problem = search.problem();
    BERTH_TRY(const std::unique_ptr<learn::Policy> policy,
              learn::make_policy(config_.planner, problem, config_.options, config_.seed, config_.policy_device));
    const learn::TrainState& state = checkpoint_.state;
    if (policy->parameters().values().size() != state.values.size()) {
      return bad_input("{}/checkpoint: the policy in it has another size; it comes from another version of berth",
                       run_);
    }
    policy->parameters().set_values(state.values);
    std::string origin;
    const auto try_plan = [&](const Plan& plan, std::string_view from) {
      if (verify(problem, plan)) return;  // a limit on crossings, say, is not the policy's to keep
      const bool had_best = search.has_best();
      const Score before = had_best ? search.best_score() : Score();
      search.evaluate(plan);
      if (!had_best || better(search.best_score(), before)) origin = from;
    };
    if (state.best_plan) try_plan(*state.best_plan, "the best plan of the run");
    if (!search.should_stop()) try_plan(policy->greedy(), "the most likely plan");
    draw(search, *policy, try_plan);
    if (!search.has_best()) return infeasible("{}: the policy draws no plan that meets the constraints", run_);
    search.set_note(fmt::format("policy of {} after {}: {}", run_, counted(state.updates, "update"), origin));
    return search.best_plan();
  }

  template <typename TryPlan>
  void draw(Search& search, learn::Policy& policy, const TryPlan& try_plan) const {
    const std::uint64_t limit = search.budget().evaluations;
    std::uint64_t left = limit == 0 ? kSamples : limit - std::min(limit, search.evaluations());
    Rng rng(search.budget().seed);
    while (left > 0 && !search.should_stop()) {
      const auto count = static_cast<int>(std::min(left, kSamples));
      const std::unique_ptr<learn::Batch> batch = policy.sample({1, count, 0.0}, rng);
      for (const Plan& plan : batch->plans()) {
        if (search.has_best() && search.should_stop()) return;
        try_plan(plan, "a sample of the policy");
      }
      left -= static_cast<std::uint64_t>(count);
    }
  }

  std::string run_;
  RunConfig config_;
  learn::Checkpoint checkpoint_;
};

}  // namespace

Result<ChosenPlanner> choose_trained(const std::string& run, const LearnedFlags& flags) {
  if (!flags.preset.empty() || !flags.options.empty()) {
    return bad_input("{} cannot be changed by --policy: the policy was trained with what {}/config.json says",
                     flags.given(), run);
  }
  BERTH_TRY(RunConfig config, load_config(run));
  if (!flags.policy_device.empty()) config.policy_device = flags.policy_device;
  BERTH_TRY(const learn::Checkpoint checkpoint,
            learn::read_checkpoint(fmt::format("{}/checkpoint", run), config.fingerprint()));
  const auto check = [run, config](const Problem& problem) { return check_hashes(config, problem, run); };
  return ChosenPlanner{config.planner, [=] { return std::make_unique<TrainedPolicy>(run, config, checkpoint); }, check};
}

}  // namespace berth::app
