// SPDX-License-Identifier: Apache-2.0
// Monitor: watches the updates of a run and says, once each, what a user can do something about.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learn/options.h"
#include "learn/trainer.h"

namespace berth::learn {

class Monitor {
 public:
  // `single_s`: step time of the best single device, if one fits.
  Monitor(const Options& options, std::optional<double> single_s) : options_(options), single_s_(single_s) {}

  // New warnings, each one line with the way out: rewards vary as much as at the start (`reward variance not falling`);
  // choices no longer vary before anything good was found (`entropy gone`); all ops are in one group (`all groups
  // collapsed`); the best plan is no better than one device; no plan fits in memory yet.
  std::vector<std::string> watch(const UpdateFacts& facts);

 private:
  Options options_;
  std::optional<double> single_s_;
  // what it remembers
  std::vector<double> first_deviations_, last_deviations_;
  bool said_variance_ = false, said_entropy_ = false, said_collapse_ = false, said_single_ = false, said_memory_ = false;
};

}  // namespace berth::learn
