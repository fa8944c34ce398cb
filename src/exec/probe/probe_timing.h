// SPDX-License-Identifier: Apache-2.0
// Timing for the probe: the best of several tries, each long enough for the clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>

namespace berth::exec {

struct ProbeEffort {
  double try_s = 0.004;  // shortest try
  int tries = 3;
};

// Seconds of one call. `finish` waits until the work of all calls is done.
inline double best_seconds(const ProbeEffort& effort, const std::function<void()>& work,
                           const std::function<void()>& finish) {
  using Clock = std::chrono::steady_clock;
  work();
  finish();
  double best = 1e30;
  long calls = 1;
  for (int i = 0; i < effort.tries; ++i) {
    while (true) {
      const Clock::time_point start = Clock::now();
      for (long call = 0; call < calls; ++call) work();
      finish();
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      best = std::min(best, seconds / static_cast<double>(calls));
      if (seconds >= effort.try_s) break;
      calls *= 2;
    }
  }
  return best;
}

}  // namespace berth::exec
