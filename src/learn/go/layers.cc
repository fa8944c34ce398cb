// SPDX-License-Identifier: Apache-2.0
#include "learn/go/layers.h"

#include <algorithm>
#include <cmath>

namespace berth::learn {
namespace {

// For every element the row that the maximum is in; row `rows` (of zeros) where a node has no neighbour.
Tensor rows_of_maxima(const Tensor& values, const Neighbours& neighbours) {
  const Tensor plain = values.detach().to(at::kCPU).contiguous();
  const std::int64_t rows = plain.size(0), width = plain.size(1);
  Tensor where = at::full({rows, width}, rows, at::kLong);
  std::vector<float> most(static_cast<std::size_t>(width));
  const float* const data = plain.data_ptr<float>();
  std::int64_t* found = where.data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < rows; ++row, found += width) {
    std::fill(most.begin(), most.end(), -1.0F);
    const std::uint32_t end = neighbours.begin[static_cast<std::size_t>(row) + 1];
    for (std::uint32_t i = neighbours.begin[static_cast<std::size_t>(row)]; i < end; ++i) {
      const std::int64_t other = neighbours.node[i];
      const float* const value = data + other * width;
      for (std::int64_t k = 0; k < width; ++k) {
        const bool larger = value[k] > most[static_cast<std::size_t>(k)];
        most[static_cast<std::size_t>(k)] = larger ? value[k] : most[static_cast<std::size_t>(k)];
        found[k] = larger ? other : found[k];
      }
    }
  }
  return where.to(values.device());
}

}  // namespace

Tensor max_of_neighbours(const Tensor& values, const Neighbours& neighbours) {
  const Tensor where = rows_of_maxima(values, neighbours);
  const Tensor with_zeros = at::cat({values, at::zeros({1, values.size(1)}, values.options())});
  return with_zeros.gather(0, where);
}

SageLayer::SageLayer(const std::string& name, std::int64_t width, Parameters& parameters, Rng& rng)
    : pool_(parameters.glorot(name + ".pool", width, width, rng)),
      pool_bias_(parameters.constant(name + ".pool_bias", {width}, 0.0)),
      mix_(parameters.glorot(name + ".mix", 3 * width, width, rng)),
      mix_bias_(parameters.constant(name + ".mix_bias", {width}, 0.0)) {}

Tensor SageLayer::forward(const Tensor& states, const Neighbours& before, const Neighbours& after) const {
  const Tensor pooled = at::relu(at::addmm(pool_bias_, states, pool_));
  const Tensor all = at::cat({states, max_of_neighbours(pooled, before), max_of_neighbours(pooled, after)}, 1);
  return states + at::relu(at::addmm(mix_bias_, all, mix_));
}

AttentionLayer::AttentionLayer(const std::string& name, std::int64_t width, const GoOptions& options,
                               Parameters& parameters, Rng& rng)
    : width_(width), heads_(options.heads), segment_(options.segment) {
  const std::int64_t inner = width * options.inner;
  if (options.superposition) {
    gate_ = parameters.glorot(name + ".gate", width, width, rng);
    gate_bias_ = parameters.constant(name + ".gate_bias", {width}, 0.0);
  }
  query_ = parameters.glorot(name + ".query", width, width, rng);
  key_value_ = parameters.glorot(name + ".key_value", width, 2 * width, rng);
  out_ = parameters.glorot(name + ".out", width, width, rng);
  grow_ = parameters.glorot(name + ".grow", width, inner, rng);
  grow_bias_ = parameters.constant(name + ".grow_bias", {inner}, 0.0);
  shrink_ = parameters.glorot(name + ".shrink", inner, width, rng);
  shrink_bias_ = parameters.constant(name + ".shrink_bias", {width}, 0.0);
  norm_1_ = parameters.constant(name + ".norm1", {width}, 1.0);
  norm_1_bias_ = parameters.constant(name + ".norm1_bias", {width}, 0.0);
  norm_2_ = parameters.constant(name + ".norm2", {width}, 1.0);
  norm_2_bias_ = parameters.constant(name + ".norm2_bias", {width}, 0.0);
}

// What is not there, behind the last node and before the first segment, gets no attention.
Tensor AttentionLayer::attend(const Tensor& input) const {
  const std::int64_t nodes = input.size(0), segment = std::min(segment_, nodes);
  const std::int64_t segments = (nodes + segment - 1) / segment, size = width_ / heads_;
  const std::int64_t padding = segments * segment - nodes;
  const auto segmented = [&](const Tensor& rows) {
    const Tensor full = padding == 0 ? rows : at::cat({rows, at::zeros({padding, rows.size(1)}, rows.options())});
    return full.reshape({segments, segment, rows.size(1)});
  };
  const auto with_memory = [&](const Tensor& now) {  // [segments, 2 segment, ...]
    const Tensor first = at::zeros_like(now.narrow(0, 0, 1));
    return at::cat({at::cat({first, now.detach().narrow(0, 0, segments - 1)}), now}, 1);
  };
  const auto heads = [&](const Tensor& rows) {
    return rows.reshape({segments, rows.size(1), heads_, size}).transpose(1, 2);
  };
  const Tensor query = segmented(at::mm(input, query_) / std::sqrt(static_cast<double>(size)));
  // Keys and values of the segment before are made anew from its states: their weights learn from both.
  const Tensor states = segmented(input);
  const Tensor keys_values = at::matmul(with_memory(states), key_value_);
  const Tensor absent =
      1.0 - with_memory(segmented(at::ones({nodes, 1}, input.options())));  // [segments, 2 segment, 1]
  const std::vector<Tensor> parts = keys_values.chunk(2, 2);
  Tensor scores = at::matmul(heads(query), heads(parts[0]).transpose(2, 3));
  scores = scores - (absent * 1e9).reshape({segments, 1, 1, 2 * segment});
  const Tensor mixed = at::matmul(at::softmax(scores, 3), heads(parts[1]));
  const Tensor rows = mixed.transpose(1, 2).reshape({segments * segment, width_}).narrow(0, 0, nodes);
  return at::mm(rows, out_);
}

Tensor AttentionLayer::forward(const Tensor& states, const Tensor& graph) const {
  Tensor now = states;
  // At first the gate is about one.
  if (gate_.defined()) now = now * (2.0 * at::sigmoid(at::matmul(graph, gate_) + gate_bias_));
  now = now + attend(at::layer_norm(now, {width_}, norm_1_, norm_1_bias_));
  const Tensor grown = at::relu(at::addmm(grow_bias_, at::layer_norm(now, {width_}, norm_2_, norm_2_bias_), grow_));
  return now + at::addmm(shrink_bias_, grown, shrink_);
}

}  // namespace berth::learn
