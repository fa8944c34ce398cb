// SPDX-License-Identifier: Apache-2.0
#include "app/catalog.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace berth::app {
namespace {

constexpr std::array kLearned{
    PlannerInfo{"colocrl", "recurrent policy over colocation groups (2017)", nullptr, true},
    PlannerInfo{"hierarchical", "grouper and placer trained together (2018)", nullptr, true},
    PlannerInfo{"placeto", "policy that improves a placement op by op (2019)", nullptr, true},
    PlannerInfo{"go", "graph network and transformer, one shot (2020)", nullptr, true},
    PlannerInfo{"hsdag", "graph parsing and placement learned jointly (2024)", nullptr, true},
};

std::vector<PlannerInfo> built_planners(bool classical, bool learned) {
  std::vector<PlannerInfo> result;
  for (const CatalogEntry& entry : planner_catalog()) {
    if (entry.built() && (entry.learned ? learned : classical)) result.push_back(entry.info);
  }
  return result;
}

// One word of a list: a group, or a planner.
Result<std::vector<PlannerInfo>> planners_of(std::string_view word) {
  if (word == "all") return built_planners(true, true);
  if (word == "classical") return built_planners(true, false);
  if (word == "learned") {
    std::vector<PlannerInfo> learned = built_planners(false, true);
    if (learned.empty()) return bad_input("this build has no learned planners; berth planners lists those it has");
    return learned;
  }
  BERTH_TRY(const PlannerInfo info, find_planner(word));
  return std::vector<PlannerInfo>{info};
}

}  // namespace

std::vector<CatalogEntry> planner_catalog() {
  std::vector<CatalogEntry> catalog;
  for (const PlannerInfo& info : classical_planners()) catalog.push_back({info, false});
  // `auto`, the last of the classical table, stays last.
  const auto end = catalog.empty() ? catalog.end() : catalog.end() - 1;
  std::vector<CatalogEntry> learned;
  for (const PlannerInfo& info : kLearned) learned.push_back({info, true});
  catalog.insert(end, learned.begin(), learned.end());
  return catalog;
}

Result<PlannerInfo> find_planner(std::string_view name) {
  std::vector<std::string_view> names;
  for (const CatalogEntry& entry : planner_catalog()) {
    names.push_back(entry.info.name);
    if (entry.info.name != name) continue;
    if (!entry.built())
      return bad_input("planner '{}' is not in this build; berth planners lists those that are", name);
    return entry.info;
  }
  return bad_input("no planner named '{}'{} (berth planners lists all)", name, did_you_mean(name, names));
}

Result<std::vector<PlannerInfo>> find_planners(std::string_view list) {
  std::vector<PlannerInfo> result;
  for (const std::string_view part : split(list, ',')) {
    BERTH_TRY(const std::vector<PlannerInfo> found, planners_of(trim(part)));
    for (const PlannerInfo& info : found) {
      const bool seen = std::ranges::any_of(result, [&](const PlannerInfo& other) { return other.name == info.name; });
      if (!seen) result.push_back(info);
    }
  }
  return result;
}

}  // namespace berth::app
