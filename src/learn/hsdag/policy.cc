// SPDX-License-Identifier: Apache-2.0
#include "learn/hsdag/policy.h"

#include <algorithm>
#include <cmath>

#include "learn/grouper.h"
#include "learn/hsdag/node_features.h"
#include "plan/placement.h"

namespace berth::learn {
namespace {

// Every device that something may be on, unless the user limits their number.
std::vector<DeviceId> devices_of(const Problem& problem, const Items& items) {
  if (problem.constraints().max_devices) return worker_devices(problem);
  DeviceSet some = 0;
  for (const std::uint32_t item : items.decided) some |= items.grouping.allowed[item];
  std::vector<DeviceId> devices;
  for (const DeviceId device : problem.machine().device_ids()) {
    if ((some & device_bit(device)) != 0) devices.push_back(device);
  }
  return devices;
}

// Cluster of every item where the parser is none of this network's: its own, or that of its first unit in a grouping.
std::vector<std::uint32_t> given_clusters(const Problem& problem, const Items& items, const Options& options,
                                          const std::optional<Grouping>& grouping) {
  std::vector<std::uint32_t> label;
  if (options.parser == "none") {
    for (std::uint32_t item = 0; item < items.size(); ++item) label.push_back(item);
  }
  if (!grouping) return label;
  const std::vector<std::vector<OpId>> ops = ops_of_items(problem, items);
  std::vector<std::int64_t> first(grouping->size(), -1);  // item that a group was seen at
  for (std::uint32_t item = 0; item < items.size(); ++item) {
    std::int64_t& seen = first[grouping->of(problem, ops[item].front())];
    if (seen < 0) seen = item;
    label.push_back(static_cast<std::uint32_t>(seen));
  }
  return label;
}

Tensor entropy_of(const Tensor& log_probabilities) { return -(log_probabilities.exp() * log_probabilities).sum(); }

}  // namespace

HsdagPolicy::HsdagPolicy(const Problem& problem, const Options& options, const std::optional<Grouping>& clusters,
                         std::uint64_t seed, at::Device device)
    : problem_(problem),
      options_(options),
      items_(make_items(problem, coarsen(problem, options.coarsening))),
      devices_(devices_of(problem, items_)),
      parameters_(device) {
  if (items_.size() == 0) return;
  features_ = as_tensor(node_features(problem, items_, options)).to(device);
  NetworkShape shape;
  shape.nodes = items_.size();
  for (const Items::Edge& edge : items_.edges) shape.edges.emplace_back(edge.from, edge.to);
  shape.features = features_.size(1);
  shape.devices = static_cast<std::int64_t>(devices_.size());
  if (options.start_by_speed) shape.start_logits = log_start_shares(problem, devices_);
  shape.clusters = given_clusters(problem, items_, options, clusters);
  Rng rng(seed);
  network_.emplace(std::move(shape), options, parameters_, rng);
}

Plan HsdagPolicy::plan_of(const HsdagNetwork::Pass& pass, std::span<const std::uint32_t> device_of_cluster) const {
  std::vector<DeviceId> devices(items_.size());
  for (std::size_t i = 0; i < devices.size(); ++i)
    devices[i] = devices_[device_of_cluster[static_cast<std::size_t>(pass.cluster[i])]];
  return plan_of_items(problem_, items_, devices);
}

std::unique_ptr<Batch> HsdagPolicy::sample(const Sampling& sampling, Rng& rng) {
  return std::make_unique<HsdagBatch>(*this, sampling, rng);
}

Plan HsdagPolicy::greedy() {
  if (!network_) return plan_of_items(problem_, items_, {});
  const at::NoGradGuard guard;
  const HsdagNetwork::Pass pass = network_->run(features_, 0);
  const Tensor most = pass.logits.argmax(1).to(at::kCPU).contiguous();
  const std::vector<std::uint32_t> devices(most.data_ptr<std::int64_t>(), most.data_ptr<std::int64_t>() + most.numel());
  return plan_of(pass, devices);
}

Beliefs HsdagPolicy::beliefs() {
  const at::NoGradGuard guard;
  if (!network_) return make_beliefs(problem_, devices_, {}, at::zeros({0}), greedy());
  const HsdagNetwork::Pass pass = network_->run(features_, 0);
  std::vector<std::vector<OpId>> ops(pass.clusters());
  for (const OpId op : problem_.graph().topological_order()) {
    const std::int64_t item = items_.position[items_.grouping.of(problem_, op)];
    if (item >= 0) ops[static_cast<std::size_t>(pass.cluster[static_cast<std::size_t>(item)])].push_back(op);
  }
  return make_beliefs(problem_, devices_, std::move(ops), at::softmax(pass.logits, 1), greedy());
}

HsdagBatch::HsdagBatch(HsdagPolicy& policy, const Sampling& sampling, Rng& rng)
    : policy_(policy), should_stop_(sampling.should_stop) {
  const at::NoGradGuard guard;
  entropies_.most_placing = std::log(static_cast<double>(policy.num_devices()));
  for (int episode = 0; episode < sampling.groupings; ++episode) draw_episode(sampling.placements, rng);
  const auto count = std::max(1.0, static_cast<double>(plans_.size()));
  entropies_.placing /= count;
  used_groups_ /= count;
}

void HsdagBatch::draw_episode(int steps, Rng& rng) {
  Tensor state = policy_.features_;
  for (int step = 0; step < steps && !gives_up(); ++step) state = draw_step(state, rng);
}

// Draws one plan; returns the features of the next step.
Tensor HsdagBatch::draw_step(const Tensor& features, Rng& rng) {
  Step step{features, rng.next(), {}, {}, {}};
  HsdagNetwork::Pass pass = policy_.network_->run(features, step.seed);
  const Tensor log_chances = at::log_softmax(pass.logits, 1);
  const std::vector<std::uint32_t> drawn = draw_rows(log_chances.exp().to(at::kCPU), rng);
  const std::vector<std::int64_t> choice(drawn.begin(), drawn.end());
  step.choice = tensor_of(choice, {static_cast<std::int64_t>(choice.size()), 1}).to(features.device());
  step.log_then = log_chances.gather(1, step.choice).squeeze(1);
  plans_.push_back(policy_.plan_of(pass, drawn));
  const auto clusters = static_cast<double>(pass.clusters());
  entropies_.placing += entropy_of(log_chances).item<double>() / clusters;
  used_groups_ += clusters;
  step.parsings = std::move(pass.parsings);
  steps_.push_back(std::move(step));
  if (!policy_.options_.state_update) return features;
  const Tensor cluster =
      tensor_of(pass.cluster, {static_cast<std::int64_t>(pass.cluster.size())}).to(features.device());
  return features + pass.state.index_select(0, cluster);
}

Tensor HsdagBatch::loss(const LossTerms& terms) {
  double total = 0.0;
  const auto count = static_cast<double>(steps_.size());
  for (std::size_t i = 0; i < steps_.size() && !gives_up(); ++i) {
    const Step& step = steps_[i];
    const HsdagNetwork::Pass pass = policy_.network_->run(step.features, step.seed, &step.parsings);
    const Tensor log_chances = at::log_softmax(pass.logits, 1);
    const Tensor log_now = log_chances.gather(1, step.choice).squeeze(1);
    const Tensor weight = at::full_like(log_now, terms.weights[i]);
    Tensor loss = -surrogate(log_now, step.log_then, weight, terms.ratio_clip).sum();
    if (terms.entropy_weight > 0.0) loss = loss - entropy_of(log_chances) * (terms.entropy_weight / count);
    loss.backward();
    total += loss.item<double>();
  }
  Tensor value = at::full({}, total);
  value.set_requires_grad(true);
  return value;
}

std::vector<double> HsdagBatch::log_probabilities() const {
  std::vector<double> logs;
  for (const Step& step : steps_) logs.push_back(step.log_then.sum().item<double>());
  return logs;
}

}  // namespace berth::learn
