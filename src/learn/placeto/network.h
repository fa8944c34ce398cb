// SPDX-License-Identifier: Apache-2.0
// Network of Placeto (Addanki et al., 2019): messages along the edges of the graph of groups and against them, a few
// rounds each; pools over the ancestors, descendants and peers of the group whose turn it is; a device for that group.
//
// A batch is made of columns, each one moment of one episode. Everything is laid out group by group (rows
// group * columns + column), so that a round of messages is one product with a sparse matrix.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/nn/parameters.h"
#include "learn/placeto/group_graph.h"
#include "runs/methods/placeto.h"

namespace berth::learn {

// The graph as the network needs it: sums (or means) over neighbours as sparse matrices.
struct NetworkGraph {
  NetworkGraph(const GroupGraph& graph, const PlacetoOptions& options, at::Device device);
  std::int64_t groups = 0;
  Tensor from_earlier, from_later;  // [groups, groups], sparse
  Tensor has_earlier, has_later;    // [groups, 1, 1]: 1 where there are any
  double pool_scale = 1.0;
};

struct NetworkInput {
  std::int64_t columns = 0;
  Tensor groups;                // [groups * columns, width]
  std::array<Tensor, 3> pools;  // [groups, columns, 1]: 1 for ancestors, descendants, peers
  Tensor turn;                  // [columns]: row of the group whose turn it is
  Tensor pairs;                 // [columns, devices, pair width]
  Tensor offset;                // [columns, devices]: added to logits; very low where the group may not be
};

class PlacetoNetwork {
 public:
  // `devices` counts only for device_head=fixed, which has an output per device.
  PlacetoNetwork(const PlacetoOptions& options, std::size_t devices, Parameters& parameters, Rng& rng);
  // Log-probability of every device [columns, devices].
  [[nodiscard]] Tensor log_probabilities(const NetworkGraph& graph, const NetworkInput& input) const;

 private:
  struct Layer {
    Tensor weights, bias;
    [[nodiscard]] Tensor operator()(const Tensor& rows) const { return at::addmm(bias, rows, weights); }
  };
  struct Pair {  // two layers, each with a rectifier behind it
    Layer first, second;
    [[nodiscard]] Tensor operator()(const Tensor& rows) const { return at::relu(second(at::relu(first(rows)))); }
  };
  struct Way {  // of messages
    Pair send, receive;
  };

  [[nodiscard]] Tensor pass(const Way& way, const Tensor& start, const Tensor& neighbours, const Tensor& has,
                            std::int64_t columns) const;
  [[nodiscard]] Tensor logits(const Tensor& state, const NetworkInput& input) const;

  PlacetoOptions options_;
  std::int64_t width_;
  std::array<Layer, 3> embed_;
  Way along_, against_;
  std::array<Pair, 3> to_pool_, of_pool_;
  std::array<Layer, 3> head_;
  Tensor pair_weights_, pair_direct_;  // of device_head=scored
};

}  // namespace berth::learn
