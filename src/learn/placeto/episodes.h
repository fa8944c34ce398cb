// SPDX-License-Identifier: Apache-2.0
// Episodes: several walks over the groups of one problem in step with each other. In its turn a group is given a
// device, the plan is judged at once, and what came of it is part of what the next decision sees. The plans of one step
// are measured together.
//
// What was seen and decided is kept (placements and start times, not tensors), so that gradients can be computed
// afterwards, many steps at a time, when the later rewards are known.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "learn/placeto/network.h"
#include "learn/placeto/state.h"
#include "learn/train/environment.h"

namespace berth::learn {

// A problem that Placeto learns from, or serves.
struct PlacetoLesson {
  PlacetoLesson(std::unique_ptr<Environment> measured_by, Grouping grouping, const PlacetoOptions& options,
                at::Device device);
  std::unique_ptr<Environment> environment;
  GroupGraph graph;
  StateFeatures features;
  NetworkGraph network;
};

struct PlacetoStep {
  std::size_t turn = 0;              // the group
  std::vector<float> done;           // how often each group has had its turn before, per sweep
  std::vector<Moment> seen;          // of every episode, without Moment::end
  std::vector<float> pairs;          // [episodes, devices, pair width]
  std::vector<std::int64_t> chosen;  // device, of every episode
  Tensor log_then;                   // [episodes]: log-probability of what was chosen, when it was
};

struct PlacetoTrace {
  std::vector<PlacetoStep> steps;
  // Of every episode: what the start and each step's plan came to.
  std::vector<std::vector<Measurement>> measured;
  double entropy = 0.0, most_entropy = 0.0;  // per decision
  double network_s = 0.0, wait_s = 0.0;
};

using PerChoice = std::vector<std::vector<std::int64_t>>;  // [episode][step]

struct EpisodeRun {
  int episodes = 1, sweeps = 1;
  bool greedy = false;                     // the most likely device always, instead of a sample
  PerChoice forced = {};                   // devices to choose, whatever the policy says; empty: as it says
  std::uint64_t most = 0;                  // plans that may be judged; 0: as many as it takes
  Measurement illegal{100.0, false, 1.0};  // what stands for a plan that breaks a limit of the user's
  std::function<bool()> should_stop = {};
  // Every plan that was judged, those that stayed as they were too; and every plan that breaks a limit.
  std::function<void(const Plan&, const Score&)> on_plan = {};
  std::function<void()> on_illegal = {};
};

// From one start for all of them. Nothing if it had to stop, or was not allowed as many plans.
std::optional<PlacetoTrace> run_episodes(PlacetoLesson& lesson, const PlacetoNetwork& network,
                                         const std::vector<std::uint8_t>& start, const EpisodeRun& run, Rng& rng);

// Those steps as one batch, columns step by step; what was chosen comes as [columns, 1].
struct PlacetoBatch {
  NetworkInput input;
  Tensor chosen, log_then;
};
PlacetoBatch batch_of(const PlacetoLesson& lesson, std::span<const PlacetoStep> steps, at::Device device);

}  // namespace berth::learn
