// SPDX-License-Identifier: Apache-2.0
// What happens while a planner works: the progress line, Ctrl-C and, of both, who asks for it all.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "services/caller.h"

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

// Somebody at a terminal: notes go to stderr at once, progress into a line, and Ctrl-C means to stop.
class TerminalCaller : public Caller {
 public:
  explicit TerminalCaller(bool progress) : line_(progress) {}

  void note(const std::string& text) override;
  void work_begins() override;
  void show(const SearchState& state) override { line_.show(state); }
  void show(const std::string& text) override { line_.show(text); }
  void part_ends() override { line_.clear(); }
  [[nodiscard]] const std::atomic<bool>* stop_flag() const override { return &InterruptGuard::flag(); }

 private:
  ProgressLine line_;
  std::optional<InterruptGuard> guard_;
};

// "3.2 s  1.20 k plans/s  best 1.57 s  gap 31 %"
std::string progress_text(const SearchState& state);

}  // namespace berth::app
