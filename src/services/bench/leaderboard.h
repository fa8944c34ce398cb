// SPDX-License-Identifier: Apache-2.0
// What the runs on a suite say together: who stands where, and in words the tables that every front shows alike.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "services/bench/bench.h"

namespace berth {

inline constexpr double kAsGoodAsBest = 1.001;  // a median that is farther above the best is not best any more

// A contestant over the problems that everybody has run. It "has" one if the median of its seeds is a time; means are
// over those, so they compare only where `has` is equal.
struct Standing {
  std::size_t contestant = 0;  // in BenchAnswer::contestants
  std::size_t has = 0, lacks = 0;
  double to_known = 0.0, to_best = 0.0;    // geometric means over optimum or bound, over the best median; 0: has none
  std::size_t best_on = 0;                 // problems where nobody is more than 0.1 % ahead
  std::size_t optimal_on = 0, optima = 0;  // of the problems whose optimum is proved
  std::optional<std::size_t> worst = {};   // the row where it is farthest behind the best ...
  double worst_to_best = 0.0;              // ... and how far
  std::uint64_t evaluations = 0;           // median over its runs
  double search_s = 0.0;                   // the same
  std::size_t failed_runs = 0, late_runs = 0;
};

// Those that have most problems first, then by the mean.
std::vector<Standing> standings(const BenchAnswer& answer);

// Cells of text; a name that begins with '>' stands to the right, as all below it do.
struct TextTable {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> lines = {};
};

// "quick/1: 8 problems, 1,000 evaluations a run, 3 seeds"
std::string headline(const BenchAnswer& answer);
TextTable standings_table(const BenchAnswer& answer);
// A problem a line, a contestant a column, in the order of the standings.
TextTable problems_table(const BenchAnswer& answer);
// What the tables leave open: how far an interrupted contest came, and why runs have no time.
std::vector<std::string> remarks(const BenchAnswer& answer);

// A cell of the second table, in its parts.
struct CellWords {
  std::string time;      // "1.77 s [1.70-1.82]": median and range; empty if there is no median
  std::string gap;       // "+12 %", "optimal": how far above the optimum or bound
  std::string failures;  // "1 OOM": runs without a time; "OOM" if all are
};
CellWords words_about(const BenchRow& row, std::size_t contestant);

std::string ratio_words(double ratio);  // "1.09x"; "-" for 0

}  // namespace berth
