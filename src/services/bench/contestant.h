// SPDX-License-Identifier: Apache-2.0
// Contestant: who is compared on a suite: a planner, or plans in files that somebody made elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "services/bench/suite.h"
#include "services/plan/chosen_planner.h"

namespace berth {

// A file with a plan for every row, or for every row and seed: "plans/{row}.json", "plans/{row}.{seed}.csv".
class PlanFiles {
 public:
  PlanFiles() = default;
  // A folder has FOLDER/{row}.json.
  static Result<PlanFiles> of(const std::string& folder_or_pattern);

  [[nodiscard]] bool has_seeds() const;
  [[nodiscard]] std::string path(std::string_view row, std::uint64_t seed) const;
  // An error if no row has a file: the folder or the pattern is wrong then.
  [[nodiscard]] Status check(std::span<const SuiteRow> rows, std::uint64_t seed) const;

 private:
  std::string pattern_;
};

struct Contestant {
  using PlannerFor = std::function<ChosenPlanner(const SuiteRow&, std::shared_ptr<const LoadedProblem>)>;

  std::string name;
  std::optional<ChosenPlanner> planner = {};
  PlannerFor planner_for = {};  // instead: one that wants to know which problem it is for
  PlanFiles plans = {};         // if there is no planner

  [[nodiscard]] bool plans_itself() const { return planner || planner_for; }
  [[nodiscard]] bool uses_seed() const {
    if (planner) return planner->uses_seed;
    return planner_for || plans.has_seeds();
  }
};

// "NAME=FOLDER" or "NAME=PATTERN".
Result<Contestant> parse_plans(const std::string& text);

// Names are in tables, files and folders: at least one contestant, each with a name of its own that is fit for that.
Status check_names(std::span<const Contestant> contestants);

}  // namespace berth
