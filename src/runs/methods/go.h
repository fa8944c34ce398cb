// SPDX-License-Identifier: Apache-2.0
// `go` (Zhou et al., 2019 and 2020: GDP and GO): a graph network and a transformer that decide on all nodes at once.
#pragma once

#include <cstdint>

#include "runs/options/sampling.h"

namespace berth::learn {

struct MethodInfo;     // runs/methods.h
struct LearnedMethod;  // learn/methods.h

// What is decided; at least one of them.
struct TaskSet {
  bool placement = true, schedule = false, fusion = false;

  bool operator==(const TaskSet&) const = default;
};
// Of the schedule: a level for each node, or an order of all nodes (Plackett-Luce).
enum class Priorities : std::uint8_t { kLevels, kPlackettLuce };
// Inside a level: by critical path, or as ops become ready.
enum class Ties : std::uint8_t { kCriticalPath, kFifo };

struct GoOptions : SamplingOptions {
  int nodes = 0;  // most nodes that are decided on; 0: every unit
  TaskSet tasks;
  int levels = 8;  // of the priorities of schedule and fusion
  Priorities priorities = Priorities::kLevels;
  Ties ties = Ties::kCriticalPath;
  int hidden = 64;  // width of the network
  int sage_layers = 2, attention_layers = 2, heads = 4;
  int segment = 64;            // nodes of a segment of attention
  int inner = 2;               // of the feed-forward parts, in widths
  int passes = 2;              // K: how often the network reads its own output, and once more
  bool superposition = true;   // the graph modulates the features of every layer
  bool task_attention = true;  // a task reads what the tasks before it decided
  double locality = 2.0;       // logit of being with all neighbours, at the start
  double stretch = 2.0;        // logit of a device's own stretch of the model against the next, at the start

  bool operator==(const GoOptions&) const = default;
};

GoOptions go_default();
GoOptions go_paper();

struct Go {
  using Options = GoOptions;
  static MethodInfo info();
  static LearnedMethod learned();  // learn/go
};

}  // namespace berth::learn
