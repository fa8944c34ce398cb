// SPDX-License-Identifier: Apache-2.0
// Layers of the graph parsing network: linear with or without normalisation, and graph convolutions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learn/hsdag/parsing.h"
#include "learn/nn/parameters.h"
#include "runs/methods/hsdag.h"

namespace berth::learn {

// Drops a share of the numbers and scales the rest up. Seeded, so that the same pass can be made again for its
// gradients; none without a seed.
class Dropout {
 public:
  Dropout(double share, std::uint64_t seed) : share_(share), rng_(seed) {}
  [[nodiscard]] Tensor operator()(const Tensor& input);

 private:
  double share_;
  Rng rng_;
};

class Linear {
 public:
  Linear(const std::string& name, std::int64_t in, std::int64_t out, Parameters& parameters, Rng& rng);
  [[nodiscard]] Tensor operator()(const Tensor& input) const { return at::addmm(bias_, input, weight_); }

 private:
  Tensor weight_, bias_;
};

class LayerNorm {
 public:
  LayerNorm(const std::string& name, std::int64_t width, Parameters& parameters);
  [[nodiscard]] Tensor operator()(const Tensor& input) const;

 private:
  std::int64_t width_;
  Tensor weight_, bias_;
};

// A graph as index tensors, on the device of the parameters.
struct GraphTensors {
  std::int64_t nodes = 0;
  Tensor from, to;         // every edge both ways
  Tensor norm, self_norm;  // D^-1/2 (A + I) D^-1/2, off and on the diagonal
  Tensor tail, head;       // every edge as it points
  Tensor into, out_of;     // 1 / in-degree of its head, 1 / out-degree of its tail
};
// Distinct edges as they point.
GraphTensors graph_tensors(std::size_t nodes, std::span<const Pair> edges, at::Device device);

// gcn: Kipf and Welling, 2017; gat: Velickovic et al., 2018, one head; gin: Xu et al., 2019. `directed` adds weights of
// its own for what comes along the edges and what comes against them (gcn alone).
class GraphLayer {
 public:
  GraphLayer(GraphNetworkKind kind, bool directed, const std::string& name, std::int64_t width, Parameters& parameters,
             Rng& rng);
  [[nodiscard]] Tensor operator()(const Tensor& input, const GraphTensors& graph) const;

 private:
  [[nodiscard]] Tensor convolve(const Tensor& input, const GraphTensors& graph) const;
  [[nodiscard]] Tensor convolve_directed(const Tensor& input, const GraphTensors& graph) const;
  [[nodiscard]] Tensor attend(const Tensor& input, const GraphTensors& graph) const;
  [[nodiscard]] Tensor isomorphism(const Tensor& input, const GraphTensors& graph) const;

  enum class Kind : std::uint8_t { kGcn, kDirectedGcn, kGat, kGin } kind_;
  Tensor weight_, bias_, along_, against_, source_, target_;
  std::optional<Linear> inner_, outer_;
};

// rows[k] added onto row `at[k]` of `count` rows of zeros.
Tensor sum_rows(const Tensor& rows, const Tensor& at, std::int64_t count);

}  // namespace berth::learn
