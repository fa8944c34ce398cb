// SPDX-License-Identifier: Apache-2.0
#include "learn/hsdag/policy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/features/devices.h"
#include "learn/features/features.h"
#include "learn/grouping/fixed.h"
#include "learn/hsdag/near_plan.h"
#include "learn/hsdag/node_features.h"
#include "learn/nn/random.h"
#include "plan/search/placement.h"

namespace berth::learn {
namespace {

// Of every item on every of these devices.
std::vector<float> seconds_of(const Problem& problem, const Items& items, std::span<const DeviceId> devices) {
  std::vector<float> seconds;
  for (const std::vector<OpId>& ops : ops_of_items(problem, items)) {
    for (const DeviceId device : devices) {
      double sum = 0.0;
      for (const OpId op : ops) sum += seconds_on(problem, op, device);
      seconds.push_back(static_cast<float>(sum));
    }
  }
  return seconds;
}

// Items that take time, or hand on what others computed: that may have to be sent. The rest are constants and their
// like.
std::vector<bool> which_matter(const Problem& problem, const Items& items) {
  const Graph& graph = problem.graph();
  std::vector<bool> op_matters(graph.num_ops()), item_matters(items.size());
  for (const OpId op : graph.topological_order()) {
    bool matters = false;
    for (const DeviceId device : problem.machine().device_ids()) matters |= seconds_on(problem, op, device) > 0.0;
    for (const TensorId input : graph.inputs(op)) matters |= op_matters[index(graph.producer(input))];
    op_matters[index(op)] = matters;
    const std::int64_t item = items.position[items.grouping.of(problem, op)];
    if (matters && item >= 0) item_matters[static_cast<std::size_t>(item)] = true;
  }
  return item_matters;
}

// Cluster of every item where the parser is none of this network's: its own, or that of its first unit in a grouping.
std::vector<std::uint32_t> given_clusters(const Problem& problem, const Items& items, const HsdagOptions& options,
                                          const std::optional<Grouping>& grouping) {
  std::vector<std::uint32_t> label;
  if (options.parser == Parser::kNone) {
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

Tensor total_entropy(const Tensor& log_probabilities) { return -(log_probabilities.exp() * log_probabilities).sum(); }

}  // namespace

HsdagPolicy::HsdagPolicy(const Problem& problem, const HsdagOptions& options, const std::optional<Grouping>& clusters,
                         std::uint64_t seed, at::Device device)
    : problem_(problem),
      options_(options),
      items_(make_items(problem, coarsen(problem, options.coarsening))),
      devices_(devices_to_use(problem, items_)),
      parameters_(device) {
  if (items_.size() == 0) return;
  features_ = as_tensor(node_features(problem, items_, options)).to(device);
  NetworkShape shape;
  shape.nodes = items_.size();
  for (const Items::Edge& edge : items_.edges) shape.edges.emplace_back(edge.from, edge.to);
  shape.features = features_.size(1);
  shape.devices = static_cast<std::int64_t>(devices_.size());
  const std::vector<float> seconds = seconds_of(problem, items_, devices_);
  matters_ = which_matter(problem, items_);
  if (options.start_by_times > 0.0) {
    shape.seconds = seconds;
  } else if (options.start_by_speed) {
    shape.start_logits = log_start_shares(problem, devices_);
  }
  shape.clusters = given_clusters(problem, items_, options, clusters);
  Rng rng(seed);
  network_.emplace(std::move(shape), options, parameters_, rng);
  if (options.freeze_after > 0) first_values_ = parameters_.values();
}

// Embedding and parser stay as they are by then, and what gives clusters their devices begins anew.
void HsdagPolicy::begin_update(std::uint64_t updates) {
  const auto last = static_cast<std::uint64_t>(options_.freeze_after);
  if (first_values_.empty() || updates < last) return;
  for (const std::string& name : parameters_.names()) {
    const bool places = name.starts_with("hsdag.out") || name.starts_with("hsdag.choose") || name == "hsdag.start";
    if (!places) parameters_.freeze(name);
  }
  if (updates == last) parameters_.set_values(first_values_);
}

Plan HsdagPolicy::plan_of(const HsdagNetwork::Pass& pass, std::span<const std::uint32_t> device_of_cluster) const {
  std::vector<std::uint32_t> devices(items_.size());
  for (std::size_t i = 0; i < devices.size(); ++i)
    devices[i] = device_of_cluster[static_cast<std::size_t>(pass.cluster[i])];
  return plan_of_nodes(devices);
}

Plan HsdagPolicy::plan_of_nodes(std::span<const std::uint32_t> device_of_node) const {
  std::vector<DeviceId> devices;
  for (const std::uint32_t number : device_of_node) devices.push_back(devices_[number]);
  return plan_of_items(problem_, items_, devices);
}

std::vector<std::uint32_t> HsdagPolicy::devices_in(const Plan& plan) const {
  std::vector<std::uint32_t> numbers;
  for (const std::vector<OpId>& ops : ops_of_items(problem_, items_)) {
    const auto found = std::ranges::find(devices_, plan.device(ops.front()));
    numbers.push_back(found == devices_.end() ? 0U : static_cast<std::uint32_t>(found - devices_.begin()));
  }
  return numbers;
}

std::unique_ptr<Batch> HsdagPolicy::sample(const Sampling& sampling, Rng& rng) {
  return std::make_unique<HsdagBatch>(*this, sampling, rng);
}

Plan HsdagPolicy::greedy() {
  if (!network_) return plan_of_items(problem_, items_, {});
  const at::NoGradGuard guard;
  const HsdagNetwork::Pass pass = network_->run(features_, HsdagNetwork::kMostLikely);
  const Tensor most = pass.logits.argmax(1).to(at::kCPU).contiguous();
  const std::vector<std::uint32_t> devices(most.data_ptr<std::int64_t>(), most.data_ptr<std::int64_t>() + most.numel());
  return plan_of(pass, devices);
}

Beliefs HsdagPolicy::beliefs() {
  const at::NoGradGuard guard;
  if (!network_) return make_beliefs(problem_, devices_, {}, at::zeros({0}), greedy());
  const HsdagNetwork::Pass pass = network_->run(features_, HsdagNetwork::kMostLikely);
  std::vector<std::vector<OpId>> ops(pass.clusters());
  for (const OpId op : problem_.graph().topological_order()) {
    const std::int64_t item = items_.position[items_.grouping.of(problem_, op)];
    if (item >= 0) ops[static_cast<std::size_t>(pass.cluster[static_cast<std::size_t>(item)])].push_back(op);
  }
  return make_beliefs(problem_, devices_, std::move(ops), at::softmax(pass.logits, 1), greedy());
}

Result<std::unique_ptr<HsdagPolicy>> make_hsdag_policy(const Problem& problem, const HsdagOptions& options,
                                                       std::uint64_t seed, at::Device device) {
  std::optional<Grouping> clusters;
  if (options.parser == Parser::kMetis) {
    const std::size_t quarter = std::max<std::size_t>(1, coarsen(problem, options.coarsening).size() / 4);
    const std::size_t groups = options.groups > 0 ? static_cast<std::size_t>(options.groups) : quarter;
    BERTH_TRY(clusters, fixed_grouping(problem, {GroupingRule::Kind::kMetis}, groups, seed));
  }
  return std::make_unique<HsdagPolicy>(problem, options, clusters, seed, device);
}

HsdagBatch::HsdagBatch(HsdagPolicy& policy, const Sampling& sampling, Rng& rng)
    : policy_(policy), should_stop_(sampling.should_stop) {
  const at::NoGradGuard guard;
  entropies_.most_placing = std::log(static_cast<double>(policy.num_devices()));
  if (sampling.near != nullptr) near_ = policy.devices_in(*sampling.near);
  for (int episode = 0; episode < sampling.groupings; ++episode) draw_episode(sampling.placements, rng);
  const auto count = std::max(1.0, static_cast<double>(plans_.size()));
  entropies_.placing /= count;
  used_groups_ /= count;
}

void HsdagBatch::draw_episode(int steps, Rng& rng) {
  Tensor state = policy_.features_;
  for (int step = 0; step < steps && (plans_.empty() || !gives_up()); ++step) state = draw_step(state, rng);
}

// Draws one plan; returns the features of the next step.
Tensor HsdagBatch::draw_step(const Tensor& features, Rng& rng) {
  Step step{features, rng.next(), {}, {}, {}, {}};
  HsdagNetwork::Pass pass = policy_.network_->run(features, step.seed);
  const Tensor log_chances = at::log_softmax(pass.logits, 1);
  const Tensor chances = log_chances.exp().to(at::kCPU).contiguous();
  if (near_.empty()) {
    draw_all(pass, chances, step, rng);
  } else {
    draw_near(pass, chances, step, rng);
  }
  step.log_then = log_chances.gather(1, step.choice).squeeze(1);
  const auto clusters = static_cast<double>(pass.clusters());
  entropies_.placing += total_entropy(log_chances).item<double>() / clusters;
  used_groups_ += clusters;
  step.parsings = std::move(pass.parsings);
  steps_.push_back(std::move(step));
  if (!policy_.options_.state_update) return features;
  const Tensor cluster =
      tensor_of(pass.cluster, {static_cast<std::int64_t>(pass.cluster.size())}).to(features.device());
  return features + pass.state.index_select(0, cluster);
}

void HsdagBatch::keep_choice(const std::vector<std::uint32_t>& drawn, Step& step) const {
  const std::vector<std::int64_t> choice(drawn.begin(), drawn.end());
  step.choice = tensor_of(choice, {static_cast<std::int64_t>(choice.size()), 1}).to(step.features.device());
}

void HsdagBatch::draw_all(const HsdagNetwork::Pass& pass, const Tensor& chances, Step& step, Rng& rng) {
  const std::vector<std::uint32_t> drawn = draw_rows(chances, rng);
  keep_choice(drawn, step);
  plans_.push_back(policy_.plan_of(pass, drawn));
}

// The plan with a few clusters elsewhere. What is learned is learned of those few.
void HsdagBatch::draw_near(const HsdagNetwork::Pass& pass, const Tensor& chances, Step& step, Rng& rng) {
  const auto cluster_of = [&](std::size_t node) { return static_cast<std::uint32_t>(pass.cluster[node]); };
  Surroundings known;
  known.chances = {chances.data_ptr<float>(), static_cast<std::size_t>(chances.numel())};
  known.device.resize(pass.clusters());  // where the last of its nodes is
  known.matters.resize(pass.clusters());
  for (std::size_t node = 0; node < near_.size(); ++node) {
    known.device[cluster_of(node)] = near_[node];
    if (policy_.matters_[node]) known.matters[cluster_of(node)] = true;
  }
  for (const Items::Edge& edge : policy_.items_.edges) {
    if (cluster_of(edge.from) != cluster_of(edge.to))
      known.edges.emplace_back(cluster_of(edge.from), cluster_of(edge.to));
  }
  const Changes changes = change_a_few(known, policy_.options_.near_stretches, rng);
  std::vector<std::uint32_t> device_of_node = near_;
  for (std::size_t node = 0; node < near_.size(); ++node) {
    if (changes.changed[cluster_of(node)]) device_of_node[node] = changes.device[cluster_of(node)];
  }
  const std::vector<float> counts(changes.changed.begin(), changes.changed.end());
  keep_choice(changes.device, step);
  step.counts = tensor_of(counts, {static_cast<std::int64_t>(counts.size())}).to(step.features.device());
  plans_.push_back(policy_.plan_of_nodes(device_of_node));
}

// Choices near a plan were not drawn by their chances: they have no ratio, and what hardly happens is made no rarer.
Tensor HsdagBatch::gain(const Step& step, const Tensor& log_now, double weight, double ratio_clip) {
  const Tensor weights = at::full_like(log_now, weight);
  if (!step.counts.defined()) return surrogate(log_now, step.log_then, weights, ratio_clip).sum();
  Tensor counts = step.counts;
  if (weight < 0.0) counts = counts * log_now.detach().gt(std::log(kLeastDoubt));
  return (weights * counts * log_now).sum();
}

Tensor HsdagBatch::loss(const LossTerms& terms) {
  double total = 0.0;
  const auto count = static_cast<double>(steps_.size());
  for (std::size_t i = 0; i < steps_.size() && !gives_up(); ++i) {
    const Step& step = steps_[i];
    const HsdagNetwork::Pass pass = policy_.network_->run(step.features, step.seed, &step.parsings);
    const Tensor log_chances = at::log_softmax(pass.logits, 1);
    const Tensor log_now = log_chances.gather(1, step.choice).squeeze(1);
    Tensor loss = -gain(step, log_now, terms.weights[i], terms.ratio_clip);
    if (terms.entropy_weight > 0.0) loss = loss - total_entropy(log_chances) * (terms.entropy_weight / count);
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
