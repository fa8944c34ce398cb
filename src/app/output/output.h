// SPDX-License-Identifier: Apache-2.0
// What the commands print for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/problem.h"
#include "services/compare/compare.h"
#include "services/plan/outcome.h"
#include "services/problem/costs.h"

namespace berth::app {

// Lines of columns, each as wide as its widest cell, two spaces apart; the first column to the left, the others as
// told. Cells may hold colour codes, which take no width.
class Table {
 public:
  enum class Align : std::uint8_t { kLeft, kRight };
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);  // cleaned: a cell may come from a file
  [[nodiscard]] std::string text(std::string_view indent = "") const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

std::string bar(double share);             // "[####      ]", ten steps
std::string format_joules(double joules);  // "144 kJ"
// "20.6 ms to 33.9 ms"
std::string range_text(const StepRange& range);

// "nmt-4 on k40x4: 46,600 ops, 71,234 edges, 9 units ..."
std::string headline(const Problem& problem);
// "gpu3 9.10 GiB (81 %)": the device or pool whose memory is fullest.
std::string fullest_memory(const Problem& problem, const Score& score);

// The whole page about one plan. `single` is the best single device's outcome, when it is known.
std::string outcome_page(const Problem& problem, const Outcome& outcome, const std::optional<Outcome>& single,
                         const CostsSummary& costs = {});
// One row a planner, best first, and whether one device alone is as good.
std::string comparison_table(const Problem& problem, const Comparison& comparison, const CostsSummary& costs = {});

}  // namespace berth::app
