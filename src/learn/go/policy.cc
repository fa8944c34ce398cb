// SPDX-License-Identifier: Apache-2.0
#include "learn/go/policy.h"

#include <algorithm>

#include "learn/go/batch.h"
#include "plan/search/placement.h"

namespace berth::learn {
namespace {

GoGraph graph_of(const Problem& problem, const GoOptions& options, const GoTasks& tasks, at::Device device) {
  const auto nodes = static_cast<std::size_t>(options.nodes);
  if (tasks.placement || problem.graph().num_ops() == 0) return make_go_graph(problem, nodes, nullptr, device);
  const Plan given = plan_on_one_device(problem, worker_devices(problem).front());
  return make_go_graph(problem, nodes, &given, device);
}

std::vector<std::int64_t> numbers_of(const Tensor& tensor) {
  const Tensor plain = tensor.to(at::kCPU).contiguous();
  return {plain.data_ptr<std::int64_t>(), plain.data_ptr<std::int64_t>() + plain.numel()};
}

}  // namespace

GoPolicy::GoPolicy(const Problem& problem, const GoOptions& options, std::shared_ptr<GoModel> model)
    : tasks_(go_tasks(options)),
      model_(std::move(model)),
      graph_(graph_of(problem, options, tasks_, model_->parameters.device())),
      maker_(problem, graph_.items, graph_.devices, tasks_) {}

bool GoPolicy::has_choice() const {
  if (graph_.size() == 0) return false;
  if (tasks_.schedule || tasks_.fusion) return true;
  return ((graph_.forbidden == 0.0).sum(1) > 1).any().item<bool>();
}

Plan GoPolicy::plan_of(const Choices& choices) const {
  if (!tasks_.schedule || !tasks_.ordered) return maker_.plan(choices.device, choices.schedule, choices.fusion);
  std::vector<std::int64_t> rank(choices.schedule.size());
  for (std::size_t i = 0; i < rank.size(); ++i)
    rank[static_cast<std::size_t>(choices.schedule[i])] = static_cast<std::int64_t>(rank.size() - i);
  return maker_.plan(choices.device, rank, choices.fusion);
}

std::unique_ptr<Batch> GoPolicy::sample(const Sampling& sampling, Rng& rng) {
  return std::make_unique<GoBatch>(*this, sampling, rng);
}

Plan GoPolicy::greedy() {
  const at::NoGradGuard guard;
  const GoLogits all = logits();
  Choices choices{numbers_of(all.placement.argmax(1)), {}, {}};
  if (all.schedule.defined()) {
    choices.schedule = numbers_of(tasks_.ordered ? all.schedule.squeeze(1).argsort(0, true) : all.schedule.argmax(1));
  }
  if (all.fusion.defined()) choices.fusion = numbers_of(all.fusion.argmax(1));
  return plan_of(choices);
}

std::vector<std::unique_ptr<GoPolicy>> make_go_policies(std::span<const Problem* const> problems,
                                                        const GoOptions& options, std::uint64_t seed,
                                                        at::Device device) {
  const auto model = std::make_shared<GoModel>(GoModel{Parameters(device), nullptr});
  std::vector<std::unique_ptr<GoPolicy>> policies;
  for (const Problem* problem : problems) policies.push_back(std::make_unique<GoPolicy>(*problem, options, model));
  if (std::ranges::any_of(policies, [](const auto& policy) { return policy->has_choice(); })) {
    Rng rng(seed);
    model->network = std::make_unique<GoNetwork>(options, model->parameters, rng);
  }
  return policies;
}

}  // namespace berth::learn
