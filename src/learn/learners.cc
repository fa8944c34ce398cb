// SPDX-License-Identifier: Apache-2.0
// Which learner a planner is.
#include <ATen/Parallel.h>

#include "learn/go/policy.h"
#include "learn/guarded.h"
#include "learn/planners.h"
#include "learn/policies.h"
#include "learn/trainer.h"

namespace berth::learn {
namespace {

using Environments = std::vector<std::unique_ptr<Environment>>;

std::vector<Lesson> go_lessons(Environments environments, const Options& options, std::uint64_t seed,
                               at::Device device) {
  std::vector<const Problem*> problems;
  for (const auto& environment : environments) problems.push_back(&environment->problem());
  std::vector<std::unique_ptr<GoPolicy>> policies = make_go_policies(problems, options, seed, device);
  std::vector<Lesson> lessons(policies.size());
  for (std::size_t i = 0; i < lessons.size(); ++i) lessons[i] = {std::move(policies[i]), std::move(environments[i])};
  return lessons;
}

}  // namespace

bool is_general(std::string_view planner) { return why_not_general(planner).empty(); }

std::string_view why_not_general(std::string_view planner) {
  if (planner == "colocrl") return "it numbers op types as that graph does and has an output for each device";
  if (planner == "hierarchical")
    return "it has a learned row for each cluster of that graph's ops and an output for each device";
  if (planner == "hsdag")
    return "it has a column for each op type and degree of that graph and an output for each device";
  return {};
}

Result<std::unique_ptr<Learner>> make_learner(std::string_view planner, Environments environments,
                                              const Options& options, std::uint64_t seed,
                                              const std::string& policy_device, Communicator& communicator) {
  if (environments.size() > 1 && !is_general(planner)) {
    return bad_input("{} learns one graph on one machine; go and placeto learn from several", planner);
  }
  if (options.epochs > 1 && options.ratio_clip <= 0.0) {
    return bad_input("epochs={} needs a ratio-clip, such as 0.2: without it the same plans may be followed only once",
                     options.epochs);
  }
  BERTH_TRY(const at::Device device, device_named(policy_device));
  at::set_num_threads(1);  // results must not depend on how many cores there are
  return guarded([&]() -> Result<std::unique_ptr<Learner>> {
    if (planner == "placeto") {
      BERTH_TRY(std::unique_ptr<Learner> learner,
                make_placeto(std::move(environments), options, seed, device, communicator));
      return learner;
    }
    if (planner == "go") {
      return std::unique_ptr<Learner>(std::make_unique<Trainer>(
          go_lessons(std::move(environments), options, seed, device), options, seed, communicator));
    }
    std::vector<Lesson> lessons(1);
    const Problem& problem = environments[0]->problem();
    if (planner == "hsdag") {
      BERTH_TRY(lessons[0].policy, make_hsdag_policy(problem, options, seed, device));
    } else {
      BERTH_TRY(lessons[0].policy, make_placement_policy(planner, problem, options, seed, device));
    }
    lessons[0].environment = std::move(environments[0]);
    return std::unique_ptr<Learner>(std::make_unique<Trainer>(std::move(lessons), options, seed, communicator));
  });
}

}  // namespace berth::learn
