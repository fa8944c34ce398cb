// SPDX-License-Identifier: Apache-2.0
// Monitor: watches the updates of a run and says, once each, what a user can do something about.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "learn/train/learner.h"
#include "runs/methods.h"

namespace berth::learn {

class Monitor {
 public:
  // `single_s`: step time of the best single device, if one fits.
  Monitor(const Options& options, std::optional<double> single_s)
      : options_(training_of(options)), hints_(method_of(options).hints(options)), single_s_(single_s) {}

  // New warnings, each one line with the way out: rewards vary as much as at the start (`reward variance not falling`);
  // choices no longer vary before anything good was found (`entropy gone`); all ops are in one group (`all groups
  // collapsed`); the best plan is no better than one device; no plan fits in memory yet.
  std::vector<std::string> watch(const UpdateFacts& facts);

 private:
  struct Rewards {  // of one update
    double mean, deviation;
  };
  void remember(const UpdateFacts& facts);
  // Each says its line, or nothing. Called until it has said it.
  [[nodiscard]] std::optional<std::string> about_variance(const UpdateFacts& facts) const;
  [[nodiscard]] std::optional<std::string> about_entropy(const UpdateFacts& facts) const;
  [[nodiscard]] std::optional<std::string> about_groups(const UpdateFacts& facts) const;
  [[nodiscard]] std::optional<std::string> about_single(const UpdateFacts& facts) const;
  [[nodiscard]] std::optional<std::string> about_memory(const UpdateFacts& facts) const;
  [[nodiscard]] bool found_something(const UpdateFacts& facts) const;
  static double deviation_of(const std::deque<Rewards>& window);

  TrainingOptions options_;
  Hints hints_;
  std::optional<double> single_s_;
  std::deque<Rewards> first_, last_;  // of the first and last updates that were watched
  std::uint64_t watched_ = 0;
  int collapsed_ = 0;  // updates in a row
  std::array<bool, 5> said_{};
};

}  // namespace berth::learn
