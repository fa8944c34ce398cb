// SPDX-License-Identifier: Apache-2.0
#include "learn/go/network.h"

#include <cmath>

#include "learn/go/node_features.h"

namespace berth::learn {
namespace {

// Of a pair of node and device: what the graph says, then what the pass before says: the share of the neighbours that
// are there, before and behind the node, the node itself, the device's load and memory.
constexpr std::int64_t kGuessedPairs = 5, kPairs = kFixedPairs + kGuessedPairs;
constexpr double kMiddleLevel = 2.0;  // logit of the middle level at the start: few nodes leave the ranks

// Logits before anything is learned: shares by speed, slow devices less, the model cut in order, neighbours together.
std::vector<float> start_of_pairs(const GoOptions& options) {
  std::vector<float> start(kPairs);
  if (options.start_by_speed) start[0] = 1.0F, start[1] = -1.0F;
  for (const std::int64_t coordinate : {0, 2, 3})  // not time: devices would work one after the other
    start[static_cast<std::size_t>(kFirstDistance + coordinate)] = static_cast<float>(-options.stretch / 3.0);
  start[kFixedPairs] = start[kFixedPairs + 1] = static_cast<float>(options.locality / 2.0);
  return start;
}

// The mean of the neighbours' rows; `usual` where there are none.
Tensor mixed(const Mixing& mixing, const Tensor& rows, const Tensor& usual) {
  const Tensor parts = rows.index_select(0, mixing.source) * mixing.weight;
  return (mixing.none * usual).index_add(0, mixing.target, parts);
}

// A pass's chances as features of pairs [nodes, devices, kGuessedPairs], constants all.
Tensor guessed_pairs(const GoGraph& graph, const Tensor& chances) {
  const at::NoGradGuard guard;
  const Tensor even = graph.share.unsqueeze(0);
  const auto of_device = [&](const Tensor& amount, const Tensor& usual) {
    return ((chances * amount).sum(0) / usual - 1.0).clamp(-1.0, 3.0).unsqueeze(0).expand_as(chances);
  };
  const Tensor load =
      of_device(graph.seconds, (graph.share * static_cast<double>(graph.num_devices())).clamp_min(1e-2));
  const Tensor memory = of_device(graph.fill, at::ones_like(graph.share));
  return at::stack({mixed(graph.from_before, chances, even) - even, mixed(graph.from_after, chances, even) - even,
                    chances - even, load, memory},
                   2);
}

}  // namespace

GoNetwork::Head GoNetwork::make_head(const std::string& name, std::int64_t levels, std::span<const float> start,
                                     Parameters& parameters, Rng& rng) const {
  return {parameters.glorot(name, width_, levels, rng), parameters.from(name + "_bias", start, {levels})};
}

GoTasks go_tasks(const GoOptions& options) {
  return {options.tasks.placement, options.tasks.schedule, options.tasks.fusion,
          options.priorities == Priorities::kPlackettLuce, options.ties == Ties::kCriticalPath};
}

GoNetwork::GoNetwork(const GoOptions& options, Parameters& parameters, Rng& rng)
    : tasks_(go_tasks(options)),
      width_((options.hidden + options.heads - 1) / options.heads * options.heads),
      passes_(options.passes),
      task_attention_(options.task_attention) {
  in_ = parameters.glorot("go.in", node_columns(), width_, rng);
  in_bias_ = parameters.glorot("go.in_bias", 1, width_, rng);
  for (int i = 0; i < options.sage_layers; ++i)
    sage_.emplace_back("go.sage" + std::to_string(i), width_, parameters, rng);
  for (int i = 0; i < options.attention_layers; ++i)
    attention_.emplace_back("go.attention" + std::to_string(i), width_, options, parameters, rng);
  device_in_ = parameters.glorot("go.device", device_columns(), width_, rng);
  device_table_ = parameters.glorot("go.device_table", kDeviceSlots, width_, rng);
  key_ = parameters.glorot("go.key", width_, width_, rng);
  query_ = parameters.glorot("go.query", width_, width_, rng);
  pair_bias_ = parameters.from("go.pair_bias", start_of_pairs(options), {1, kPairs});
  pair_ = parameters.constant("go.pair", {width_, kPairs}, 0.0);
  std::vector<float> start(static_cast<std::size_t>(options.levels));
  start[start.size() / 2] = static_cast<float>(kMiddleLevel);
  const std::vector<float> order(1);
  if (tasks_.schedule) {
    const std::vector<float>& begin = tasks_.ordered ? order : start;
    schedule_ = make_head("go.schedule", static_cast<std::int64_t>(begin.size()), begin, parameters, rng);
  }
  if (tasks_.fusion) fusion_ = make_head("go.fusion", options.levels, start, parameters, rng);
}

Tensor GoNetwork::embed(const GoGraph& graph) const {
  Tensor states = at::tanh(at::matmul(graph.nodes, in_) + in_bias_);
  for (const SageLayer& layer : sage_) states = layer.forward(states, graph.before, graph.after);
  return states;
}

Tensor GoNetwork::keys_of(const GoGraph& graph) const {
  const Tensor states = at::tanh(at::mm(graph.machine, device_in_) + device_table_.index_select(0, graph.slots));
  return at::mm(states, key_);
}

Tensor GoNetwork::attend(Tensor states, const Tensor& whole) const {
  for (const AttentionLayer& layer : attention_) states = layer.forward(states, whole);
  return at::layer_norm(states, {width_});
}

Tensor GoNetwork::place(const GoGraph& graph, const Tensor& states, const Tensor& keys, const Tensor& before) const {
  const Tensor by_content = at::mm(at::mm(states, query_), keys.t()) / std::sqrt(static_cast<double>(width_));
  const Tensor pairs = at::cat({graph.pairs, guessed_pairs(graph, before)}, 2);  // [nodes, devices, kPairs]
  const Tensor weights = at::mm(states, pair_) + pair_bias_;                     // what a node makes of them
  return by_content + at::matmul(pairs, weights.unsqueeze(2)).squeeze(2) + graph.forbidden;
}

GoNetwork::Chances GoNetwork::chances_of(const GoLogits& logits) const {
  const auto chances = [](const Tensor& of) { return of.defined() ? at::softmax(of.detach(), 1) : Tensor(); };
  // An order has no chances per node: how early a node comes, compared with the others.
  const bool ordered = tasks_.ordered && logits.schedule.defined();
  return {chances(logits.placement), ordered ? at::tanh(logits.schedule.detach()) : chances(logits.schedule),
          chances(logits.fusion)};
}

GoLogits GoNetwork::pass(const GoGraph& graph, const Tensor& embedded, const Tensor& keys,
                         const Chances& before) const {
  const Tensor whole = embedded.mean(0);
  Tensor states = embedded + at::mm(before.placement, keys);
  if (before.schedule.defined()) states = states + schedule_.back(before.schedule);
  if (before.fusion.defined()) states = states + fusion_.back(before.fusion);
  Tensor read = attend(states, whole);
  const auto tell = [&](const Tensor& news) {  // to the tasks that follow
    if (!task_attention_) return;
    states = states + news;
    read = attend(states, whole);
  };
  GoLogits logits;
  logits.placement = place(graph, read, keys, before.placement);
  if (tasks_.schedule || tasks_.fusion) tell(at::mm(at::softmax(logits.placement, 1) - before.placement, keys));
  if (tasks_.schedule) logits.schedule = schedule_.logits(read);
  if (tasks_.schedule && tasks_.fusion) {
    const Tensor now = tasks_.ordered ? at::tanh(logits.schedule) : at::softmax(logits.schedule, 1);
    tell(schedule_.back(before.schedule.defined() ? now - before.schedule : now));
  }
  if (tasks_.fusion) logits.fusion = fusion_.logits(read);
  return logits;
}

GoLogits GoNetwork::forward(const GoGraph& graph) const {
  const Tensor embedded = embed(graph), keys = keys_of(graph);
  Chances chances;
  const Tensor start = graph.pairs.select(2, 0) - graph.pairs.select(2, 1);  // shares by speed, slow devices less
  chances.placement = at::softmax(start + graph.forbidden, 1);
  for (int i = 1; i < passes_; ++i) {
    const at::NoGradGuard guard;
    chances = chances_of(pass(graph, embedded, keys, chances));
  }
  return pass(graph, embedded, keys, chances);
}

}  // namespace berth::learn
