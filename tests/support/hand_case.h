// SPDX-License-Identifier: Apache-2.0
// A simulation small enough for paper, and what must come out of it. Both simulators must agree with the paper.
#pragma once

#include <string_view>

namespace berth {

struct HandCase {
  std::string_view graph, machine, plan;  // as in toy.h
  std::string_view timeline;              // to_text()
  std::string_view peaks = {};            // peaks_text(); left out: not looked at
  std::string_view queues = {};           // queues_text(); left out: not looked at
};

void expect_on_paper(const HandCase& hand_case);

}  // namespace berth
