// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "services/caller.h"

namespace berth {

// A caller that keeps what it is told, and stops after so many signs of progress if it is asked to.
class ListeningCaller : public Caller {
 public:
  void note(const std::string& text) override { notes.push_back(text); }
  void work_begins() override { ++begun; }
  void show(const SearchState& /*state*/) override { ++shown; }
  void part_ends() override { ++ended; }
  [[nodiscard]] const std::atomic<bool>* stop_flag() const override { return &stop; }

  std::vector<std::string> notes;
  int begun = 0, shown = 0, ended = 0;
  std::atomic<bool> stop = false;
};

}  // namespace berth
