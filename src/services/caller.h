// SPDX-License-Identifier: Apache-2.0
// Caller: whoever asked for something that takes time. It is told what there is to say while the work goes on, and asked
// whether to go on: the command line shows a line and watches Ctrl-C, Python calls a function, a test just listens.
#pragma once

#include <atomic>
#include <string>

#include "plan/search/search.h"

namespace berth {

class Caller {
 public:
  virtual ~Caller() = default;

  // What may mislead about the input: "warning: ...", "note: ...".
  virtual void note(const std::string& /*text*/) {}
  // From now on a wish to stop is answered with the best that was found.
  virtual void work_begins() {}
  // How far the work is, now and then.
  virtual void show(const SearchState& /*state*/) {}
  virtual void show(const std::string& /*text*/) {}
  // Nothing more is shown about this part of the work.
  virtual void part_ends() {}
  // Raised, from a signal handler or another thread, when the work should end; never null.
  [[nodiscard]] virtual const std::atomic<bool>* stop_flag() const { return &never_; }

  [[nodiscard]] bool wants_to_stop() const { return stop_flag()->load(); }

 private:
  std::atomic<bool> never_ = false;
};

// For a part of the work that nobody need hear of: it stops when the caller wants to stop, and says nothing.
class Silent : public Caller {
 public:
  explicit Silent(const Caller& caller) : stop_flag_(caller.stop_flag()) {}
  [[nodiscard]] const std::atomic<bool>* stop_flag() const override { return stop_flag_; }

 private:
  const std::atomic<bool>* stop_flag_;
};

}  // namespace berth
