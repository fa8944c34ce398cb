// SPDX-License-Identifier: Apache-2.0
#include "learn/planners.h"

#include <limits>
#include <tuple>

#include "base/text.h"
#include "learn/guarded.h"
#include "plan/baselines/simple_planners.h"
#include "plan/search/placement.h"
#include "plan/weights/settle.h"

namespace berth::learn {
namespace {

// Plans judged as a search judges them, which may be by real runs. One after the other on the calling thread: nothing
// else may run while a plan is measured on the same computer.
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

// Learns within the budget of a search; the search sees every plan.
class LearnedPlanner : public Planner {
 public:
  LearnedPlanner(const Options& options, std::string policy_device, std::optional<Trained> trained,
                 bool judged_by_search)
      : options_(options),
        policy_device_(std::move(policy_device)),
        trained_(std::move(trained)),
        judged_by_search_(judged_by_search) {}

  Result<Plan> plan(Search& search) override {
    return guarded([&]() -> Result<Plan> { return planned(search); });
  }

 private:
  Result<Plan> planned(Search& search) {
    const LearnedMethod& method = learned_method_of(options_);
    const std::unique_ptr<Communicator> alone = make_alone();
    Environments environments;
    if (judged_by_search_) {
      environments.push_back(std::make_unique<SearchEnvironment>(search));
    } else {
      environments.push_back(
          make_simulated_environment(search.problem(), search.budget().threads, search.budget().simulate_on));
    }
    BERTH_TRY(const std::unique_ptr<Learner> learner,
              make_learner(std::move(environments), options_, search.budget().seed, policy_device_, *alone));
    if (learner->parameters().count() == 0) return SinglePlanner().plan(search);  // nothing to decide
    std::string origin = "trained from scratch";
    std::uint64_t most_updates = std::numeric_limits<std::uint64_t>::max();
    if (trained_) {
      BERTH_TRY(origin, use_trained(search, *learner));
      most_updates = trained_->updates;
    }
    const std::optional<Score> single =
        method.tries_single_devices ? try_single_devices(search, method.info.name) : std::nullopt;
    BERTH_RETURN_IF_ERROR(learn(search, *learner, most_updates));
    if (!search.has_best()) {
      if (trained_) return infeasible("{}: the policy draws no plan that meets the constraints", trained_->name);
      return SinglePlanner().plan(search);  // no budget, or limits that no sample kept
    }
    const bool is_single = single && !better(search.best_score(), *single);
    search.set_note(is_single ? fmt::format("one device, tried before training: {} found nothing faster",
                                            counted(learner->updates(), "update"))
                              : note_of(origin, *learner));
    return search.best_plan();
  }

  static std::string note_of(const std::string& origin, Learner& learner) {
    if (learner.updates() == 0) return origin;
    return fmt::format("{}: {}, {} parameters", origin, counted(learner.updates(), "update"),
                       group_digits(static_cast<std::uint64_t>(learner.parameters().count())));
  }

  // Every single device as `single` tries them; a budget of evaluations keeps one for the policy. The best score, if
  // one of them is the best plan.
  static std::optional<Score> try_single_devices(Search& search, std::string_view name) {
    const Problem& problem = search.problem();
    const std::optional<Score> before = search.has_best() ? std::optional(search.best_score()) : std::nullopt;
    const std::uint64_t limit = search.budget().evaluations;
    for (const DeviceId device : problem.machine().device_ids()) {
      if (search.should_stop() || (limit > 0 && search.evaluations() + kEvaluationsToSettle >= limit)) break;
      std::ignore = submit_settled(search, plan_on_one_device(problem, device), name);  // illegal: counts for nothing
    }
    const bool is_best = search.has_best() && (!before || better(search.best_score(), *before));
    return is_best ? std::optional(search.best_score()) : std::nullopt;
  }

  // Which of the trained policy's plans is the best, in words.
  Result<std::string> use_trained(Search& search, Learner& learner) {
    if (static_cast<std::size_t>(learner.parameters().count()) != trained_->values.size()) {
      return bad_input("{}: the policy in it has another size; it comes from another version of berth", trained_->name);
    }
    learner.parameters().set_values(trained_->values);
    if (trained_->known_plan && !verify(search.problem(), *trained_->known_plan)) {
      search.evaluate(*trained_->known_plan);
    }
    const bool had_best = search.has_best();
    const Score known = had_best ? search.best_score() : Score();
    const std::uint64_t limit = search.budget().evaluations;
    Proposals wanted = trained_->proposals;
    if (limit > 0 && trained_->fills_budget) wanted.plans = limit - std::min(limit, search.evaluations());
    Rng rng(search.budget().seed);
    if (!had_best || !search.should_stop()) learner.propose(0, search, wanted, rng);
    const bool is_known = had_best && !better(search.best_score(), known);
    return fmt::format("policy of {}: {}", trained_->name, is_known ? "the best plan of the run" : "a plan of its own");
  }

  static Status learn(Search& search, Learner& learner, std::uint64_t most_updates) {
    learner.set_on_plan([&](std::size_t, const Plan& plan, const Score& score) { search.add(plan, score); });
    learner.set_on_illegal([&] { search.count_evaluations(1); });
    learner.set_should_stop([&] { return search.should_stop(); });
    while (learner.updates() < most_updates && !search.should_stop() && !search.at_lower_bound()) {
      const std::uint64_t limit = search.budget().evaluations;
      const std::uint64_t left = limit > search.evaluations() ? limit - search.evaluations() : 1;
      BERTH_TRY(const std::optional<UpdateFacts> facts, learner.update(limit > 0 ? left : 0));
      search.tick();
      if (!facts) break;
    }
    return {};
  }

  Options options_;
  std::string policy_device_;
  std::optional<Trained> trained_;
  bool judged_by_search_;
};

}  // namespace

std::unique_ptr<Planner> make_learned_planner(const Options& options, const std::string& policy_device,
                                              bool judged_by_search) {
  return std::make_unique<LearnedPlanner>(options, policy_device, std::nullopt, judged_by_search);
}

std::unique_ptr<Planner> make_trained_planner(const Options& options, const std::string& policy_device,
                                              Trained trained) {
  return std::make_unique<LearnedPlanner>(options, policy_device, std::move(trained), false);
}

}  // namespace berth::learn
