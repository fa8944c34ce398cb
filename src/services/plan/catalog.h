// SPDX-License-Identifier: Apache-2.0
// All planners, classical and learned, built or not, and those that somebody asks for by name.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "services/plan/chosen_planner.h"

namespace berth {

// How a learned planner is to learn.
struct LearningRequest {
  std::string preset = {};                // empty: default
  std::vector<std::string> options = {};  // NAME=VALUE
  std::string policy_device = {};         // empty: cpu
  bool judged_by_search = false;          // plans are judged as the search's judge does, not simulated apart

  // The first that is set, as the flag "--preset"; empty if none is.
  [[nodiscard]] std::string_view given() const;
};

struct CatalogEntry {
  PlannerInfo info;
  bool learned = false;
  bool built = false;  // it can run
};

class Catalog {
 public:
  // Makes a learned planner of a name of the catalog; only programs with libtorch can, and those that start one.
  using ChooseLearned = std::function<Result<ChosenPlanner>(std::string_view name, const LearningRequest& request)>;
  // Without learned planners, unless somebody chooses them.
  explicit Catalog(ChooseLearned choose_learned = nullptr) : choose_learned_(std::move(choose_learned)) {}

  [[nodiscard]] std::vector<CatalogEntry> entries() const;  // in the order of the documentation

  // A planner that can run; errors name the nearest one, or say that it is not in this build. A way to learn is refused
  // for those that do not.
  [[nodiscard]] Result<ChosenPlanner> find(std::string_view name, const LearningRequest& learning = {}) const;

  // "a,b,c", where a word may also be a group: "all", "classical", "learned", those that are in this build. Each once.
  // The way to learn is for the learned ones among them; refused if there is none.
  [[nodiscard]] Result<std::vector<ChosenPlanner>> find_all(std::string_view list,
                                                            const LearningRequest& learning = {}) const;

  // An error unless it is a learned planner of this build.
  [[nodiscard]] Status check_learned(std::string_view name) const;

 private:
  [[nodiscard]] Result<CatalogEntry> find_entry(std::string_view name) const;
  [[nodiscard]] Result<std::vector<CatalogEntry>> entries_of(std::string_view word) const;
  [[nodiscard]] Result<ChosenPlanner> choose(const CatalogEntry& entry, const LearningRequest& learning) const;

  ChooseLearned choose_learned_;
};

}  // namespace berth
