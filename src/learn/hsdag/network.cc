// SPDX-License-Identifier: Apache-2.0
#include "learn/hsdag/network.h"

#include <numeric>

namespace berth::learn {
namespace {

constexpr double kShortest = 1e-12;  // seconds: a cluster that takes no time anywhere begins with equal chances
constexpr int kPoolingLayers = 1;    // of the graph network that feeds pooling, as in the released code

Tensor index_tensor(std::span<const std::int64_t> values, at::Device device) {
  return tensor_of(values, {static_cast<std::int64_t>(values.size())}).to(device);
}

}  // namespace

HsdagNetwork::HsdagNetwork(NetworkShape shape, const HsdagOptions& options, Parameters& parameters, Rng& rng)
    : shape_(std::move(shape)),
      parser_(options.parser),
      gnn_(options.gnn),
      factor_(options.pool_factor),
      directed_(options.directed),
      loops_(options.self_loops),
      poolings_(options.poolings),
      dropout_(options.dropout),
      noise_(options.parse_noise),
      by_times_(options.start_by_times),
      smooth_(options.activation == Activation::kSilu),
      hidden_(options.hidden),
      parameters_(parameters),
      level_(make_level(shape_.nodes, shape_.edges)),
      in_one_("hsdag.in.1", shape_.features, hidden_, parameters, rng),
      in_two_("hsdag.in.2", hidden_, hidden_, parameters, rng),
      in_norm_one_("hsdag.in.norm.1", hidden_, parameters),
      in_norm_two_("hsdag.in.norm.2", hidden_, parameters),
      to_score_(make_graph_network("hsdag.score", options.gnn_layers, rng)),
      to_pool_(make_graph_network("hsdag.pool", kPoolingLayers, rng)),
      score_one_("hsdag.edge.1", hidden_, hidden_, parameters, rng),
      score_norm_("hsdag.edge.norm", hidden_, parameters),
      score_two_("hsdag.edge.2", hidden_, 1, parameters, rng),
      before_{{"hsdag.before", hidden_, hidden_, parameters, rng}, {"hsdag.before.norm", hidden_, parameters}},
      after_{{"hsdag.after", hidden_, hidden_, parameters, rng}, {"hsdag.after.norm", hidden_, parameters}},
      out_one_("hsdag.out.1", hidden_, hidden_, parameters, rng),
      out_two_("hsdag.out.2", hidden_, shape_.features, parameters, rng),
      choose_one_("hsdag.choose.1", shape_.features, hidden_, parameters, rng),
      choose_two_("hsdag.choose.2", hidden_, shape_.devices, parameters, rng) {
  if (!shape_.start_logits.empty()) start_ = parameters.from("hsdag.start", shape_.start_logits, {1, shape_.devices});
  if (parser_ == Parser::kFrozen) {
    const auto random_scores = [&](std::size_t count) {
      std::vector<float> scores(count);
      for (float& score : scores) score = static_cast<float>(rng.uniform());
      return tensor_of(scores, {static_cast<std::int64_t>(count), 1}).to(parameters.device());
    };
    frozen_scores_.pairs = random_scores(level_.pairs.size());
    if (loops_) frozen_scores_.loops = random_scores(shape_.nodes);
  }
  if (!shape_.seconds.empty()) {
    seconds_ = tensor_of(shape_.seconds, {static_cast<std::int64_t>(shape_.nodes), shape_.devices});
    seconds_ = seconds_.to(parameters.device());
  }
}

HsdagNetwork::GraphNetwork HsdagNetwork::make_graph_network(const std::string& name, int layers, Rng& rng) {
  std::vector<GraphLayer> list;
  for (int i = 0; i < layers; ++i)
    list.emplace_back(gnn_, directed_, name + "." + std::to_string(i), hidden_, parameters_, rng);
  return {std::move(list), LayerNorm(name + ".norm", hidden_, parameters_)};
}

HsdagNetwork::Level HsdagNetwork::make_level(std::size_t nodes, std::vector<Pair> edges) const {
  Level level;
  level.edges = std::move(edges);
  level.pairs = without_direction(level.edges);
  level.tensors = graph_tensors(nodes, directed_ ? level.edges : level.pairs, parameters_.device());
  std::vector<std::int64_t> first, second;
  for (const auto& [a, b] : level.pairs) {
    first.push_back(a);
    second.push_back(b);
  }
  level.first = index_tensor(first, parameters_.device());
  level.second = index_tensor(second, parameters_.device());
  return level;
}

Tensor HsdagNetwork::embed(const GraphNetwork& network, const Tensor& input, const GraphTensors& graph,
                           Dropout& dropout) const {
  Tensor embedded = input;
  for (const GraphLayer& layer : network.layers) embedded = dropout(activate(layer(embedded, graph)));
  return network.norm(input + embedded);
}

// One number between 0 and 1 per row, a product of what two nodes are.
Tensor HsdagNetwork::score(const Tensor& products, Dropout& dropout) const {
  return at::sigmoid(score_two_(dropout(activate(score_norm_(score_one_(products))))));
}

// Of every pair of neighbours, the same both ways, and of every node with itself.
HsdagNetwork::Scores HsdagNetwork::score_level(const Tensor& embedded, const Level& level, Dropout& dropout) const {
  Scores scores;
  scores.pairs = score(embedded.index_select(0, level.first) * embedded.index_select(0, level.second), dropout);
  if (loops_) scores.loops = score(embedded * embedded, dropout);
  return scores;
}

Parsing HsdagNetwork::parse_level(const Level& level, const Scores& scores, std::uint64_t seed) const {
  std::vector<float> pairs = floats_of(scores.pairs.detach());
  std::vector<float> loops = loops_ ? floats_of(scores.loops.detach()) : std::vector<float>();
  if (noise_ > 0.0 && seed != kMostLikely) {
    Rng rng(seed);
    add_noise(pairs, loops, noise_, rng);
  }
  return parse(static_cast<std::size_t>(level.tensors.nodes), level.pairs, pairs, loops);
}

// What the sum over a cluster is multiplied by: the scores inside it, both ways, or their mean; 1 where there are none.
// A loop is inside, and has one way.
Tensor HsdagNetwork::factor(const Level& level, const Parsing& parsing, const Scores& scores) const {
  std::vector<std::int64_t> inside, cluster;
  std::vector<float> count(parsing.clusters, 0.0F), alone(parsing.clusters, 1.0F);
  for (std::size_t i = 0; i < level.pairs.size(); ++i) {
    const auto& [a, b] = level.pairs[i];
    const std::uint32_t own = parsing.cluster[a];
    if (own != parsing.cluster[b]) continue;
    inside.push_back(static_cast<std::int64_t>(i));
    cluster.push_back(own);
    count[own] += 1.0F;
    alone[own] = 0.0F;
  }
  const auto clusters = static_cast<std::int64_t>(parsing.clusters);
  const at::Device device = scores.pairs.device();
  Tensor sums =
      sum_rows(scores.pairs.index_select(0, index_tensor(inside, device)), index_tensor(cluster, device), clusters) *
      2.0;
  Tensor counts = tensor_of(count, {clusters, 1}).to(device) * 2.0;
  if (scores.loops.defined()) {
    const std::vector<std::int64_t> own(parsing.cluster.begin(), parsing.cluster.end());
    const Tensor at = index_tensor(own, device);
    sums = sums + sum_rows(scores.loops, at, clusters);
    counts = counts + sum_rows(at::ones_like(scores.loops), at, clusters);
    return factor_ == PoolFactor::kSum ? sums : sums / counts;
  }
  const Tensor scaled = factor_ == PoolFactor::kSum ? sums : sums / counts.clamp_min(1.0);
  return scaled + tensor_of(alone, {clusters, 1}).to(device);
}

// Where devices begin: with what they are worth in general, or with how fast each is at the cluster's own ops.
Tensor HsdagNetwork::start_of(const std::vector<std::int64_t>& cluster, std::int64_t clusters) const {
  if (!seconds_.defined()) return start_;
  const Tensor seconds = sum_rows(seconds_, index_tensor(cluster, seconds_.device()), clusters);
  return at::log_softmax(seconds.clamp_min(kShortest).log() * -by_times_, 1);
}

Tensor HsdagNetwork::pool(const Tensor& input, const Level& level, const Parsing& parsing, const Scores& scores) const {
  const std::vector<std::int64_t> cluster(parsing.cluster.begin(), parsing.cluster.end());
  const Tensor sums = sum_rows(apply(before_, input), index_tensor(cluster, input.device()),
                               static_cast<std::int64_t>(parsing.clusters));
  const Tensor pooled = apply(after_, sums);
  return scores.pairs.defined() ? pooled * factor(level, parsing, scores) : pooled;
}

HsdagNetwork::Pass HsdagNetwork::run(const Tensor& features, std::uint64_t seed,
                                     const std::vector<Parsing>* known) const {
  Dropout dropout(dropout_, seed);
  Tensor x = dropout(activate(in_norm_one_(in_one_(features))));
  x = dropout(activate(in_norm_two_(in_two_(x))));
  Pass pass;
  pass.cluster.resize(shape_.nodes);
  std::iota(pass.cluster.begin(), pass.cluster.end(), std::int64_t{0});
  Level pooled_level;
  const Level* level = &level_;
  // Clusters that are given, or frozen, are those of the graph itself.
  const int rounds = is_learned() ? poolings_ : 1;
  for (int round = 0;; ++round) {
    const std::size_t before = static_cast<std::size_t>(level->tensors.nodes);
    if (round > 0 && (before == 1 || level->pairs.empty())) break;
    Scores scores = frozen_scores_;
    if (is_learned()) scores = score_level(embed(to_score_, x, level->tensors, dropout), *level, dropout);
    Parsing parsing;
    if (known != nullptr) {
      parsing = (*known)[static_cast<std::size_t>(round)];
    } else if (!shape_.clusters.empty()) {
      parsing = numbered_clusters(shape_.clusters);
    } else {
      parsing = parse_level(*level, scores, seed);
    }
    x = pool(embed(to_pool_, x, level->tensors, dropout), *level, parsing, scores);
    for (std::int64_t& cluster : pass.cluster) cluster = parsing.cluster[static_cast<std::size_t>(cluster)];
    // With loops a round may join nothing, and so may all after it.
    const bool joined = parsing.clusters < before;
    const bool goes_on = is_learned() && joined && (rounds == 0 || round + 1 < rounds);
    if (goes_on) {
      pooled_level = make_level(parsing.clusters, edges_between(parsing, level->edges));
      level = &pooled_level;
    }
    pass.parsings.push_back(std::move(parsing));
    if (!goes_on) break;
  }
  pass.state = dropout(activate(out_two_(dropout(activate(out_one_(x))))));
  pass.logits = choose_two_(activate(choose_one_(pass.state)));
  const Tensor start = start_of(pass.cluster, pass.logits.size(0));
  if (start.defined()) pass.logits = pass.logits + start;
  return pass;
}

}  // namespace berth::learn
