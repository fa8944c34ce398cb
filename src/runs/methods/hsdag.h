// SPDX-License-Identifier: Apache-2.0
// `hsdag` (Duan et al., NeurIPS 2024): parsing of a graph into clusters, and their placement, learned jointly.
#pragma once

#include <cstdint>

#include "runs/options/network.h"
#include "runs/options/sampling.h"

namespace berth::learn {

struct MethodInfo;     // runs/methods.h
struct LearnedMethod;  // learn/methods.h

// Sets of ops that are placed together: a child with its parent where each is the other's only one (the paper), where
// the parent is the child's only one (the released code), none.
enum class Coarsening : std::uint8_t { kMutual, kSoleParent, kNone };
// How the place in topological order is seen: by sines and cosines, as a number, not at all.
enum class Position : std::uint8_t { kWaves, kIndex, kNone };
enum class GraphNetworkKind : std::uint8_t { kGcn, kGat, kGin };
// What makes clusters: learned scores of edges, random ones, METIS, nothing.
enum class Parser : std::uint8_t { kLearned, kFrozen, kMetis, kNone };
enum class PoolFactor : std::uint8_t { kMean, kSum };  // what the scores inside a cluster count as
enum class Activation : std::uint8_t { kRelu, kSilu };

// `groupings` episodes of `placements` steps make an update.
struct HsdagOptions : SamplingOptions, FeatureOptions {
  int groups = 64;  // clusters of Parser::kMetis; 0: as many as learned parsing leaves at the start
  Coarsening coarsening = Coarsening::kMutual;
  bool degrees = true, fractal = true, node_shapes = true;  // of what is seen of a set, beside types and costs
  Position position = Position::kWaves;
  int position_size = 16;     // numbers of the waves
  bool raw_features = false;  // shapes and index as plain numbers
  int hidden = 64;            // width of the network
  GraphNetworkKind gnn = GraphNetworkKind::kGcn;
  int gnn_layers = 2;
  bool directed = false;  // gcn tells edges in from edges out
  Parser parser = Parser::kLearned;
  bool self_loops = false;      // a node may prefer itself to all neighbours
  double parse_noise = 0.0;     // in drawing, of the scores of edges, in deviations of theirs
  double start_by_times = 0.0;  // devices begin with their speed at a cluster's own ops to this power; 0: not so
  double near_stretches = 0.0;  // share of the plans near the best one whose clusters are a connected stretch
  int poolings = 1;             // rounds of parsing; 0: until one cluster is left
  PoolFactor pool_factor = PoolFactor::kMean;
  double dropout = 0.0;
  Activation activation = Activation::kRelu;
  int freeze_after = 0;      // updates after which embedding and parser stay, and devices are learned anew; 0: never
  bool state_update = true;  // a step adds what it made of a cluster to the features of its nodes

  bool operator==(const HsdagOptions&) const = default;
};

HsdagOptions hsdag_default();
HsdagOptions hsdag_paper();
HsdagOptions hsdag_released();

struct Hsdag {
  using Options = HsdagOptions;
  static MethodInfo info();
  static LearnedMethod learned();  // learn/hsdag
};

}  // namespace berth::learn
