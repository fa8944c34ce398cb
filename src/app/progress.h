// SPDX-License-Identifier: Apache-2.0
// What happens while a planner works: the progress line and Ctrl-C.
#pragma once

#include <atomic>
#include <string>

#include "plan/planner.h"

namespace berth::app {

// While one lives, SIGINT and SIGTERM raise the flag instead of ending the program; a second signal ends it. A command
// holds one from the start of its search until its plan is written.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static const std::atomic<bool>& flag();
};

// One line on stderr that is rewritten in place and erased at the end. Silent unless stderr is a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const SearchState& state);
  void show(const std::string& text);
  void clear();

 private:
  bool enabled_;
  bool shown_ = false;
};

// "3.2 s  1.20 k plans/s  best 1.57 s  gap 31 %"
std::string progress_text(const SearchState& state);

}  // namespace berth::app
