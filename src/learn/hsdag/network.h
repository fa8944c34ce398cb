// SPDX-License-Identifier: Apache-2.0
// The network of HSDAG (Duan et al., NeurIPS 2024): a graph network embeds nodes, a second look scores edges, parsing
// draws nodes together along the best of them (parsing.h), and a small network gives every cluster a device.
//
// A hard assignment to clusters has no gradient. The scores learn all the same, because what a cluster is worth is
// multiplied by the scores of the edges inside it (Song et al., ICLR 2024).
#pragma once

#include <vector>

#include "learn/hsdag/layers.h"
#include "learn/hsdag/parsing.h"
#include "runs/methods/hsdag.h"

namespace berth::learn {

struct NetworkShape {
  std::size_t nodes = 0;
  std::vector<Pair> edges;  // distinct, as they point
  std::int64_t features = 0, devices = 0;
  std::vector<float> start_logits;      // of every device
  std::vector<float> seconds;           // [nodes, devices] on each device; empty unless HsdagOptions::start_by_times
  std::vector<std::uint32_t> clusters;  // of every node where they are not parsed (HsdagOptions::parser), else empty
};

class HsdagNetwork {
 public:
  HsdagNetwork(NetworkShape shape, const HsdagOptions& options, Parameters& parameters, Rng& rng);

  static constexpr std::uint64_t kMostLikely = 0;  // a seed: the parser has no noise
  struct Pass {
    std::vector<Parsing> parsings;      // round by round
    std::vector<std::int64_t> cluster;  // of every node after the last of them
    Tensor logits;                      // [clusters, devices]
    Tensor state;                       // [clusters, features]: what is added to the features of its nodes
    [[nodiscard]] std::size_t clusters() const { return static_cast<std::size_t>(logits.size(0)); }
  };
  // With `known` the nodes are drawn together as in that pass. The seed is that of dropout and of the parser's noise.
  [[nodiscard]] Pass run(const Tensor& features, std::uint64_t seed, const std::vector<Parsing>* known = nullptr) const;

 private:
  struct Level {  // the graph of one round
    std::vector<Pair> edges, pairs;
    GraphTensors tensors;
    Tensor first, second;  // of every pair
  };
  struct Scores {  // none where the clusters are given
    Tensor pairs;  // [pairs, 1]
    Tensor loops;  // [nodes, 1], where there are some
  };
  struct GraphNetwork {  // layers, and a norm over input and output
    std::vector<GraphLayer> layers;
    LayerNorm norm;
  };
  struct Residual {  // norm(x + linear x)
    Linear linear;
    LayerNorm norm;
  };

  [[nodiscard]] GraphNetwork make_graph_network(const std::string& name, int layers, Rng& rng);
  [[nodiscard]] Level make_level(std::size_t nodes, std::vector<Pair> edges) const;
  [[nodiscard]] Tensor embed(const GraphNetwork& network, const Tensor& input, const GraphTensors& graph,
                             Dropout& dropout) const;
  [[nodiscard]] Tensor score(const Tensor& products, Dropout& dropout) const;
  [[nodiscard]] Scores score_level(const Tensor& embedded, const Level& level, Dropout& dropout) const;
  [[nodiscard]] Parsing parse_level(const Level& level, const Scores& scores, std::uint64_t seed) const;
  [[nodiscard]] Tensor pool(const Tensor& input, const Level& level, const Parsing& parsing,
                            const Scores& scores) const;
  [[nodiscard]] Tensor factor(const Level& level, const Parsing& parsing, const Scores& scores) const;
  [[nodiscard]] Tensor start_of(const std::vector<std::int64_t>& cluster, std::int64_t clusters) const;
  [[nodiscard]] Tensor activate(const Tensor& input) const { return smooth_ ? at::silu(input) : at::relu(input); }
  [[nodiscard]] bool is_learned() const { return parser_ == Parser::kLearned; }
  static Tensor apply(const Residual& layer, const Tensor& input) { return layer.norm(input + layer.linear(input)); }

  NetworkShape shape_;
  Parser parser_;
  GraphNetworkKind gnn_;
  PoolFactor factor_;
  bool directed_, loops_;
  int poolings_;
  double dropout_, noise_, by_times_;
  bool smooth_;
  std::int64_t hidden_;
  Parameters& parameters_;
  Level level_;           // of the graph as it is
  Scores frozen_scores_;  // where the parser is frozen
  Linear in_one_, in_two_;
  LayerNorm in_norm_one_, in_norm_two_;
  GraphNetwork to_score_, to_pool_;
  Linear score_one_;
  LayerNorm score_norm_;
  Linear score_two_;
  Residual before_, after_;  // of the sum over a cluster
  Linear out_one_, out_two_, choose_one_, choose_two_;
  Tensor start_;
  Tensor seconds_;  // NetworkShape::seconds
};

}  // namespace berth::learn
