// SPDX-License-Identifier: Apache-2.0
#include "learn/go/policy.h"

#include <algorithm>

#include "learn/go/batch.h"
#include "plan/order/ranks.h"
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

PlanMaker::PlanMaker(const Problem& problem, const Items& items, std::span<const DeviceId> devices,
                     const GoTasks& tasks)
    : problem_(problem), items_(items), devices_(devices), tasks_(tasks) {
  if (tasks.fusion) fuser_.emplace(problem);
}

// The rank of an op's node; inside a rank the longest way to the end of the step, which is less than one rank.
std::vector<double> PlanMaker::priorities(const Plan& plan, std::span<const std::int64_t> rank) const {
  std::vector<double> priority(problem_.graph().num_ops());
  if (tasks_.critical_path) {
    priority = upward_ranks(problem_, plan);
    const double most = priority.empty() ? 0.0 : *std::ranges::max_element(priority);
    for (double& each : priority) each = most > 0.0 ? 0.5 * each / most : 0.0;
  }
  for (const OpId op : problem_.graph().ops()) {
    const std::int64_t node = items_.position[items_.grouping.of(problem_, op)];
    priority[index(op)] += static_cast<double>(rank[static_cast<std::size_t>(node)]);
  }
  return priority;
}

Plan PlanMaker::plan(std::span<const std::int64_t> device, std::span<const std::int64_t> rank,
                     std::span<const std::int64_t> fusion) const {
  std::vector<DeviceId> devices(device.size());
  for (std::size_t v = 0; v < devices.size(); ++v) devices[v] = devices_[static_cast<std::size_t>(device[v])];
  Plan plan = plan_of_items(problem_, items_, devices);
  if (tasks_.schedule) plan.priority = priorities(plan, rank);
  if (fuser_) {
    std::vector<double> priority(problem_.graph().num_ops());
    for (const OpId op : problem_.graph().ops()) {
      const std::int64_t node = items_.position[items_.grouping.of(problem_, op)];
      const std::int64_t level = fusion[static_cast<std::size_t>(node)];
      priority[index(op)] = level == 0 ? -1.0 : static_cast<double>(level);  // the lowest: not at all
    }
    plan.fusions = fuser_->by_priority(plan, priority, Joining::kAnyLegal);
  }
  return plan;
}

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
