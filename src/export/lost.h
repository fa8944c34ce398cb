// SPDX-License-Identifier: Apache-2.0
// What a runtime cannot express of a plan, in words for the notes of an export.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "problem/plan.h"

namespace berth {

// How many there are and which, for a line: the first names stand for the rest.
class NamedSome {
 public:
  void add(std::string_view name);
  std::uint64_t count() const { return count_; }
  std::string text(std::string_view one, std::string_view many) const;  // "5 ops ('a', 'b', 'c', ...)"

 private:
  std::uint64_t count_ = 0;
  std::array<std::string, 3> first_;
};

// A note that the plan's priorities and fusions, if it has any, are left to the runtime: `who` and how, "X, which ...".
void note_order_and_fusions(const Plan& plan, std::string_view who, std::vector<std::string>& notes);

}  // namespace berth
