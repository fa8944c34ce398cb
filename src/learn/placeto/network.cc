// SPDX-License-Identifier: Apache-2.0
#include "learn/placeto/network.h"

#include <algorithm>
#include <string>

#include "learn/nn/logits.h"
#include "learn/placeto/state.h"

namespace berth::learn {
namespace {

using Lists = std::vector<std::vector<GroupGraph::Neighbour>>;

Tensor sparse_of(const Lists& neighbours, bool mean, at::Device device) {
  std::vector<std::int64_t> to, from;
  std::vector<float> values;
  for (std::size_t group = 0; group < neighbours.size(); ++group) {
    for (const GroupGraph::Neighbour& other : neighbours[group]) {
      to.push_back(static_cast<std::int64_t>(group));
      from.push_back(other.group);
      values.push_back(mean ? 1.0F / static_cast<float>(neighbours[group].size()) : 1.0F);
    }
  }
  const auto edges = static_cast<std::int64_t>(values.size()), count = static_cast<std::int64_t>(neighbours.size());
  const Tensor places = at::stack({tensor_of(to, {edges}), tensor_of(from, {edges})});
  return at::sparse_coo_tensor(places, tensor_of(values, {edges}), {count, count}).to(device).coalesce();
}

Tensor has_any(const Lists& neighbours, at::Device device) {
  std::vector<float> has;
  for (const auto& list : neighbours) has.push_back(list.empty() ? 0.0F : 1.0F);
  return tensor_of(has, {static_cast<std::int64_t>(has.size()), 1, 1}).to(device);
}

}  // namespace

NetworkGraph::NetworkGraph(const GroupGraph& graph, const PlacetoOptions& options, at::Device device)
    : groups(static_cast<std::int64_t>(graph.size())),
      from_earlier(sparse_of(graph.earlier, options.messages == Messages::kMean, device)),
      from_later(sparse_of(graph.later, options.messages == Messages::kMean, device)),
      has_earlier(has_any(graph.earlier, device)),
      has_later(has_any(graph.later, device)),
      pool_scale(options.messages == Messages::kMean ? 1.0 / static_cast<double>(std::max<std::int64_t>(groups, 1))
                                                     : 1.0) {}

PlacetoNetwork::PlacetoNetwork(const PlacetoOptions& options, std::size_t devices, Parameters& parameters, Rng& rng)
    : options_(options) {
  const auto in = static_cast<std::int64_t>(StateFeatures::group_width(options, devices));
  width_ = options.message_width > 0 ? options.message_width : in;
  const auto layer = [&](const std::string& name, std::int64_t rows, std::int64_t columns) {
    return Layer{parameters.glorot("placeto." + name, rows, columns, rng),
                 parameters.constant("placeto." + name + "_bias", {columns}, 0.0)};
  };
  const auto pair = [&](const std::string& name, std::int64_t width) {
    return Pair{layer(name + ".first", width, width), layer(name + ".second", width, width)};
  };
  embed_ = {layer("embed.first", in, width_), layer("embed.second", width_, width_),
            layer("embed.third", width_, width_)};
  along_ = {pair("along.send", width_), pair("along.receive", width_)};
  against_ = {pair("against.send", width_), pair("against.receive", width_)};
  for (std::size_t i = 0; i < to_pool_.size(); ++i) {
    const std::string name = std::array{"ancestors", "descendants", "peers"}[i];
    to_pool_[i] = pair(name + ".to_pool", 2 * width_);
    of_pool_[i] = pair(name + ".of_pool", 2 * width_);
  }
  const bool fixed = options.device_head == DeviceHead::kFixed;
  const std::int64_t wide = fixed ? 16 * width_ : 4 * width_, narrow = wide / 2;
  head_[0] = layer("head.first", 8 * width_, wide);
  head_[1] = layer("head.second", wide, narrow);
  if (fixed) {
    head_[2] = layer("head.third", narrow, static_cast<std::int64_t>(devices));
    return;
  }
  constexpr auto kPairs = static_cast<std::int64_t>(StateFeatures::pair_width());
  pair_weights_ = parameters.glorot("placeto.head.pairs", kPairs, wide, rng);
  // All devices begin alike, but for the prior.
  pair_direct_ = parameters.constant("placeto.head.direct", {kPairs, 1}, 0.0);
  head_[2] = {parameters.constant("placeto.head.third", {narrow, 1}, 0.0), Tensor()};
}

// y <- start + receive(sum over neighbours of send(y)), a few times.
Tensor PlacetoNetwork::pass(const Way& way, const Tensor& start, const Tensor& neighbours, const Tensor& has,
                            std::int64_t columns) const {
  const std::int64_t groups = has.size(0);
  Tensor state = start;
  for (int round = 0; round < options_.rounds; ++round) {
    const Tensor sent = way.send(state).view({groups, columns * width_});
    const Tensor received = way.receive(at::mm(neighbours, sent).view({groups * columns, width_}));
    state = start + (received.view({groups, columns, width_}) * has).view({groups * columns, width_});
  }
  return state;
}

Tensor PlacetoNetwork::logits(const Tensor& state, const NetworkInput& input) const {
  const Tensor common = head_[0](state);
  if (!pair_weights_.defined()) return head_[2](at::relu(head_[1](at::relu(common))));
  const std::int64_t devices = input.pairs.size(1), pairs = input.pairs.size(2);
  const Tensor rows = input.pairs.reshape({input.columns * devices, pairs});
  Tensor hidden = at::mm(rows, pair_weights_).view({input.columns, devices, -1}) + common.unsqueeze(1);
  hidden = at::relu(head_[1](at::relu(hidden).view({input.columns * devices, -1})));
  return (at::mm(hidden, head_[2].weights) + at::mm(rows, pair_direct_)).view({input.columns, devices});
}

Tensor PlacetoNetwork::log_probabilities(const NetworkGraph& graph, const NetworkInput& input) const {
  const Tensor start = embed_[2](at::relu(embed_[1](at::relu(embed_[0](input.groups)))));
  const Tensor states = at::cat({pass(along_, start, graph.from_earlier, graph.has_earlier, input.columns),
                                 pass(against_, start, graph.from_later, graph.has_later, input.columns)},
                                1);
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < to_pool_.size(); ++i) {
    const Tensor sent = to_pool_[i](states).view({graph.groups, input.columns, 2 * width_});
    parts.push_back(of_pool_[i]((sent * input.pools[i]).sum(0) * graph.pool_scale));
  }
  parts.push_back(states.index_select(0, input.turn));
  const Tensor scores = bounded(logits(at::cat(parts, 1), input), options_);
  return at::log_softmax(scores + input.offset, 1);
}

}  // namespace berth::learn
