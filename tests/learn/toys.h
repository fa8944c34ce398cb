// SPDX-License-Identifier: Apache-2.0
// Small problems and options that the tests of several methods use.
#pragma once

#include "runs/methods/hsdag.h"
#include "runs/options/sampling.h"
#include "support/toy.h"

namespace berth::learn {

inline constexpr const char* kTwoDevices = "device p; device q; link p q latency=5";

inline Problem three_ops() {
  return toy_problem("a:3/5:1B -> b:4/2:1B; a -> c:6/7:1B", "device p; device q; link p q latency=1");
}

inline Problem lopsided() { return toy_problem("a:1/5; b:5/1; c:1/5; d:5/1", "2 devices"); }

inline SamplingOptions quick_options() {
  SamplingOptions options;
  options.rate = 0.05;
  options.groupings = 1;
  options.placements = 4;
  return options;
}

inline HsdagOptions small_hsdag() {
  HsdagOptions options = hsdag_default();
  options.hidden = 8;
  return options;
}

}  // namespace berth::learn
