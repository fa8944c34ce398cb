// SPDX-License-Identifier: Apache-2.0
// `placeto` (Addanki et al., NeurIPS 2019): a policy that improves a placement group by group.
#pragma once

#include <cstdint>

#include "runs/options/grouping.h"
#include "runs/options/network.h"
#include "runs/options/training.h"

namespace berth::learn {

struct MethodInfo;     // runs/methods.h
struct LearnedMethod;  // learn/methods.h

enum class Messages : std::uint8_t { kMean, kSum };  // over neighbours and pools
// An output that any machine's devices are scored by, or one for every device of one machine.
enum class DeviceHead : std::uint8_t { kScored, kFixed };
enum class FirstPlacement : std::uint8_t { kRandom, kSingle, kBest, kTurns };  // turns: random and best
// What counts for a step: all that is yet gained, the best yet to come, the end.
enum class Returns : std::uint8_t { kDrop, kBest, kFinal };

struct PlacetoOptions : TrainingOptions, LogitBound {
  GroupingRule grouping;   // of what it places
  int groups = 64;         // 0: min(256, 20 x devices)
  int rounds = 4;          // of messages, each way
  int message_width = 16;  // of messages and states; 0: as many numbers as a group's features
  Messages messages = Messages::kMean;
  DeviceHead device_head = DeviceHead::kScored;
  int episodes = 8, sweeps = 1;  // of an update, side by side; over the groups, in each of them
  FirstPlacement first_placement = FirstPlacement::kRandom;  // of an episode
  Returns returns = Returns::kDrop;
  double discount = 1.0;  // of later rewards, for Returns::kDrop

  bool operator==(const PlacetoOptions&) const = default;
};

PlacetoOptions placeto_default();
PlacetoOptions placeto_paper();

struct Placeto {
  using Options = PlacetoOptions;
  static MethodInfo info();
  static LearnedMethod learned();  // learn/placeto
};

}  // namespace berth::learn
