// SPDX-License-Identifier: Apache-2.0
// What every learned method can be told about its training.
#pragma once

#include <vector>

#include "runs/options/field.h"
#include "runs/reward.h"

namespace berth::learn {

struct TrainingOptions {
  bool start_by_speed = true;  // devices begin with the share of their speed, capped by memory, not all alike
  int lessons = 0;             // of an update, where a method learns from several problems; 0: all of them
  int epochs = 1;              // steps by the same plans; more than one needs a ratio clip (PPO)
  double ratio_clip = 0.0;     // of PPO; 0: plain policy gradient
  double rate = 0.005, rate_decay = 1.0;
  int decay_after = 0, decay_every = 50;  // updates
  double clip = 1.0;
  double entropy = 0.0, entropy_end = 0.0;  // weight of the entropy bonus: from, to, straight over entropy_updates
  int entropy_updates = 500;
  double baseline_decay = 0.9;
  bool scale_advantage = true;  // divided by the moving average of the rewards' deviation
  RewardRule reward;
  double env_noise = 0.0;

  bool operator==(const TrainingOptions&) const = default;
};

// All but lessons.
std::vector<FieldOf<TrainingOptions>> training_fields();
// For methods whose policies are for any graph and machine.
std::vector<FieldOf<TrainingOptions>> lessons_field();

}  // namespace berth::learn
