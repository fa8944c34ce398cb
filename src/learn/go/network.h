// SPDX-License-Identifier: Apache-2.0
// GoNetwork: the policy network of `go`, after GDP and GO (Zhou et al., 2019 and 2020). One set of parameters for any
// graph and machine.
//
//   node features -> graph network -> segmented attention (learn/go/layers.h) -> heads
//
// Heads. Placement: a score of every (node, device), from the node's state, what the device is, and what the two are
// to each other; schedule and fusion: a row of levels for every node.
//
// Refinement: the network runs `passes` times, each time with the chances it gave before: as part of every node's
// state, and for placement as where the neighbours of a node are and how full devices would be. What was given before
// counts as a constant, so only the last pass is learned from.
//
// Tasks: after placement the same attention layers run again with the placement as part of the state, then with the
// schedule. No parameters are added for it: an output goes back through the weights of the head that made it.
#pragma once

#include <vector>

#include "learn/go/layers.h"

namespace berth::learn {

// What is decided, read from the options once.
struct GoTasks {
  bool placement = true, schedule = false, fusion = false;
  bool ordered = false;       // the schedule is an order of all nodes (Plackett-Luce), not a level for each
  bool critical_path = true;  // ops of one level by critical path, else as they become ready
};
GoTasks go_tasks(const GoOptions& options);

struct GoLogits {
  Tensor placement;  // [nodes, devices]; kForbidden where a node may not be
  Tensor schedule;   // [nodes, levels], or [nodes, 1] for an order; undefined: not decided
  Tensor fusion;     // [nodes, levels]; undefined: not decided
};

class GoNetwork {
 public:
  GoNetwork(const GoOptions& options, Parameters& parameters, Rng& rng);
  [[nodiscard]] GoLogits forward(const GoGraph& graph) const;

 private:
  // Chances of everything, of the pass before. Undefined: none yet.
  struct Chances {
    Tensor placement, schedule, fusion;
  };
  struct Head {
    Tensor weights, bias;
    [[nodiscard]] Tensor logits(const Tensor& states) const { return at::addmm(bias, states, weights); }
    [[nodiscard]] Tensor back(const Tensor& chances) const { return at::mm(chances, weights.t()); }
  };

  Head make_head(const std::string& name, std::int64_t levels, std::span<const float> start, Parameters& parameters,
                 Rng& rng) const;
  [[nodiscard]] Tensor embed(const GoGraph& graph) const;
  [[nodiscard]] Tensor keys_of(const GoGraph& graph) const;
  [[nodiscard]] Tensor attend(Tensor states, const Tensor& whole) const;
  [[nodiscard]] Tensor place(const GoGraph& graph, const Tensor& states, const Tensor& keys,
                             const Tensor& before) const;
  [[nodiscard]] GoLogits pass(const GoGraph& graph, const Tensor& embedded, const Tensor& keys,
                              const Chances& before) const;
  [[nodiscard]] Chances chances_of(const GoLogits& logits) const;

  GoTasks tasks_;
  std::int64_t width_;
  int passes_;
  bool task_attention_;
  Tensor in_, in_bias_, device_in_, device_table_, key_, query_, pair_bias_, pair_;
  std::vector<SageLayer> sage_;
  std::vector<AttentionLayer> attention_;
  Head schedule_, fusion_;
};

}  // namespace berth::learn
