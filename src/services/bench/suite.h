// SPDX-License-Identifier: Apache-2.0
// Suite: a fixed list of problems with a name and a version, which come with the program and on which planners are
// compared (docs/leaderboard.md).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "services/problem/problem_request.h"

namespace berth {

struct SuiteRow {
  std::string name;     // also the name of files about it
  std::string graph;    // as every command takes it: "zoo:nmt-2", "exact:zoo-moe-rtx"
  std::string machine;  // empty: the problem brings its own
  std::string setting;  // what is changed about the machine, as in --set; empty: nothing
  std::string why;
  std::optional<Picoseconds> optimum = {};  // that is proved

  [[nodiscard]] ProblemRequest request() const;
};

struct Suite {
  std::string name;
  int version = 1;  // rises when a problem comes, goes or changes: leaderboards of two versions cannot be compared
  std::string summary;
  std::vector<SuiteRow> rows;
  bool is_whole = true;  // no row was left out

  [[nodiscard]] std::string full_name() const {  // "quick/1"
    return fmt::format("{}/{}{}", name, version, is_whole ? "" : " in part");
  }
};

const std::vector<Suite>& suites();  // the first one is the default
Result<Suite> find_suite(std::string_view name);
// The same with those rows alone whose names contain one of the words; with no words, all.
Result<Suite> with_rows(Suite suite, std::span<const std::string> words);

}  // namespace berth
