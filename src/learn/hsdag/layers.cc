// SPDX-License-Identifier: Apache-2.0
#include "learn/hsdag/layers.h"

#include <cmath>

namespace berth::learn {
namespace {

constexpr double kNormEpsilon = 1e-5, kSlopeBelowZero = 0.2;

Tensor indices(const std::vector<std::int64_t>& values, at::Device device) {
  return tensor_of(values, {static_cast<std::int64_t>(values.size())}).to(device);
}
Tensor numbers(const std::vector<float>& values, at::Device device) {
  return tensor_of(values, {static_cast<std::int64_t>(values.size())}).to(device);
}

}  // namespace

Tensor Dropout::operator()(const Tensor& input) {
  if (share_ <= 0.0) return input;
  std::vector<float> mask(static_cast<std::size_t>(input.numel()));
  const auto kept = static_cast<float>(1.0 / (1.0 - share_));
  for (float& value : mask) value = rng_.chance(share_) ? 0.0F : kept;
  return input * tensor_of(mask, input.sizes()).to(input.device());
}

Linear::Linear(const std::string& name, std::int64_t in, std::int64_t out, Parameters& parameters, Rng& rng)
    : weight_(parameters.glorot(name + ".weight", in, out, rng)),
      bias_(parameters.constant(name + ".bias", {out}, 0.0)) {}

LayerNorm::LayerNorm(const std::string& name, std::int64_t width, Parameters& parameters)
    : width_(width),
      weight_(parameters.constant(name + ".scale", {width}, 1.0)),
      bias_(parameters.constant(name + ".shift", {width}, 0.0)) {}

Tensor LayerNorm::operator()(const Tensor& input) const {
  return at::layer_norm(input, {width_}, weight_, bias_, kNormEpsilon);
}

GraphTensors graph_tensors(std::size_t nodes, std::span<const Pair> edges, at::Device device) {
  std::vector<std::int64_t> from, to, tail, head;
  std::vector<float> degree(nodes, 1.0F), in(nodes, 0.0F), out(nodes, 0.0F);  // the first with the loop of A + I
  for (const auto& [a, b] : edges) {
    from.insert(from.end(), {a, b});
    to.insert(to.end(), {b, a});
    tail.push_back(a);
    head.push_back(b);
    degree[a] += 1.0F;
    degree[b] += 1.0F;
    out[a] += 1.0F;
    in[b] += 1.0F;
  }
  std::vector<float> norm, self, into, out_of;
  for (const auto& [a, b] : edges) {
    norm.insert(norm.end(), 2, 1.0F / std::sqrt(degree[a] * degree[b]));
    into.push_back(1.0F / in[b]);
    out_of.push_back(1.0F / out[a]);
  }
  for (const float value : degree) self.push_back(1.0F / value);
  GraphTensors graph;
  graph.nodes = static_cast<std::int64_t>(nodes);
  graph.from = indices(from, device);
  graph.to = indices(to, device);
  graph.norm = numbers(norm, device).unsqueeze(1);
  graph.self_norm = numbers(self, device).unsqueeze(1);
  graph.tail = indices(tail, device);
  graph.head = indices(head, device);
  graph.into = numbers(into, device).unsqueeze(1);
  graph.out_of = numbers(out_of, device).unsqueeze(1);
  return graph;
}

Tensor sum_rows(const Tensor& rows, const Tensor& at, std::int64_t count) {
  return at::zeros({count, rows.size(1)}, rows.options()).index_add(0, at, rows);
}

GraphLayer::GraphLayer(GraphNetworkKind kind, bool directed, const std::string& name, std::int64_t width,
                       Parameters& parameters, Rng& rng) {
  if (kind == GraphNetworkKind::kGin) {
    kind_ = Kind::kGin;
    inner_.emplace(name + ".inner", width, width, parameters, rng);
    outer_.emplace(name + ".outer", width, width, parameters, rng);
    return;
  }
  weight_ = parameters.glorot(name + ".weight", width, width, rng);
  bias_ = parameters.constant(name + ".bias", {width}, 0.0);
  kind_ = kind == GraphNetworkKind::kGat ? Kind::kGat : directed ? Kind::kDirectedGcn : Kind::kGcn;
  if (kind_ == Kind::kGat) {
    source_ = parameters.glorot(name + ".source", width, 1, rng);
    target_ = parameters.glorot(name + ".target", width, 1, rng);
  } else if (kind_ == Kind::kDirectedGcn) {
    along_ = parameters.glorot(name + ".along", width, width, rng);
    against_ = parameters.glorot(name + ".against", width, width, rng);
  }
}

Tensor GraphLayer::operator()(const Tensor& input, const GraphTensors& graph) const {
  switch (kind_) {
    case Kind::kGcn:
      return convolve(input, graph);
    case Kind::kDirectedGcn:
      return convolve_directed(input, graph);
    case Kind::kGat:
      return attend(input, graph);
    case Kind::kGin:
      break;
  }
  return isomorphism(input, graph);
}

Tensor GraphLayer::convolve(const Tensor& input, const GraphTensors& graph) const {
  const Tensor own = at::mm(input, weight_);
  const Tensor sent = own.index_select(0, graph.from) * graph.norm;
  return sum_rows(sent, graph.to, graph.nodes) + own * graph.self_norm + bias_;
}

Tensor GraphLayer::convolve_directed(const Tensor& input, const GraphTensors& graph) const {
  const Tensor along = at::mm(input, along_).index_select(0, graph.tail) * graph.into;
  const Tensor against = at::mm(input, against_).index_select(0, graph.head) * graph.out_of;
  return at::addmm(bias_, input, weight_) + sum_rows(along, graph.head, graph.nodes) +
         sum_rows(against, graph.tail, graph.nodes);
}

// Softmax over the neighbours of a node and itself; the largest score of all is taken off, so that none overflows.
Tensor GraphLayer::attend(const Tensor& input, const GraphTensors& graph) const {
  const Tensor own = at::mm(input, weight_);
  const Tensor by_source = at::mm(own, source_), by_target = at::mm(own, target_);
  const Tensor scores =
      at::leaky_relu(by_source.index_select(0, graph.from) + by_target.index_select(0, graph.to), kSlopeBelowZero);
  const Tensor self_scores = at::leaky_relu(by_source + by_target, kSlopeBelowZero);
  Tensor largest = self_scores.max().detach();
  if (scores.numel() > 0) largest = at::maximum(largest, scores.max().detach());
  const Tensor share = (scores - largest).exp(), self_share = (self_scores - largest).exp();
  const Tensor total = sum_rows(share, graph.to, graph.nodes) + self_share;
  const Tensor sum = sum_rows(own.index_select(0, graph.from) * share, graph.to, graph.nodes) + own * self_share;
  return sum / (total + 1e-12) + bias_;
}

Tensor GraphLayer::isomorphism(const Tensor& input, const GraphTensors& graph) const {
  const Tensor sum = input + sum_rows(input.index_select(0, graph.from), graph.to, graph.nodes);
  return (*outer_)(at::relu((*inner_)(sum)));
}

}  // namespace berth::learn
