// SPDX-License-Identifier: Apache-2.0
// What the commands print for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/compare_planners.h"
#include "app/costs.h"
#include "app/outcome.h"
#include "cost/problem.h"

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

// "a, b, c and 7 more": the first `most` words.
std::string some_of(const std::vector<std::string>& words, std::size_t most);
std::string percent(double share);         // "31 %", "0.4 %"
std::string bar(double share);             // "[####      ]", ten steps
std::string format_joules(double joules);  // "144 kJ"
// "20.6 ms to 33.9 ms"
std::string range_text(const StepRange& range);
std::string gap_text(Picoseconds value, Picoseconds lower_bound);  // how far above the bound, "31 %"

// "nmt-4 on k40x4: 46,600 ops, 71,234 edges, 9 units ..."
std::string headline(const Problem& problem);
// "out of memory: gpu0 is 3.20 GiB over its 12.0 GiB; its peak comes after 530 ms, at op 'softmax_3'", or that already
// what stays for the whole step does not fit. The outcome must have an overflow.
std::string overflow_text(const Problem& problem, const Outcome& outcome);
// "gpu3 9.10 GiB (81 %)": the device or pool whose memory is fullest.
std::string fullest_memory(const Problem& problem, const Score& score);

// The whole page about one plan. `single` is the best single device's outcome, when it is known.
std::string outcome_page(const Problem& problem, const Outcome& outcome, const std::optional<Outcome>& single,
                         const CostsSummary& costs = {});
// One row a planner, best first, and whether one device alone is as good.
std::string comparison_table(const Problem& problem, const Comparison& comparison, const CostsSummary& costs = {});

}  // namespace berth::app
