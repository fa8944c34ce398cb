// SPDX-License-Identifier: Apache-2.0
// The two workloads of serving a language model, as graphs of one step each:
//
//   decode   one new token for each sequence, `depth` tokens in each cache: reads every weight once, bound by memory
//   prefill  `prompt_batch` tokens of one prompt behind `depth` others: bound by arithmetic (what llama-bench calls
//            pp512, and pp512 @ d4096)
//
// Per layer: qkv (norms, projections), attend (cache), out, route (mixtures: the router), shared, gate, up, down, join
// (residual). Every tensor is a parameter op under its GGUF name, every cache a buffer "blk.N.cache". A mixture's
// product reads only the experts that the tokens of a step are expected to touch. The types of products say how many
// bits their weights have (problem/cost/streamed_op.h).
#pragma once

#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "serving/kv_cache.h"
#include "serving/model.h"

namespace berth::llm {

enum class Phase : std::uint8_t { kDecode, kPrefill };

struct Workload {
  Phase phase = Phase::kDecode;
  CacheSettings cache = {};
  std::int64_t depth = -1;  // tokens in each cache; -1: when decoding it is full, when prefilling empty

  [[nodiscard]] std::int64_t tokens() const {  // of a step
    return phase == Phase::kDecode ? cache.sequences : cache.prompt_batch;
  }
};

// What an op belongs to: its layer (-1: none) and part decide where a placement puts it.
struct Berth {
  std::int32_t layer = -1;
  Part part = Part::kInput;
  std::int32_t tensor = -1;  // index into Model::tensors for parameters
};

struct ServingGraph {
  Graph graph;
  std::vector<Berth> berths;  // indexed by OpId
};

// Refuses models whose sums are beyond what a graph may hold.
Result<ServingGraph> build_serving_graph(const Model& model, const Workload& workload);

// Experts that `tokens` tokens touch together when each picks `used` of `experts` at random: E (1 - (1 -
// used/E)^tokens).
double expected_experts(std::int64_t experts, std::int64_t used, std::int64_t tokens);

}  // namespace berth::llm
