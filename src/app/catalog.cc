// SPDX-License-Identifier: Apache-2.0
#include "app/catalog.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "runs/methods.h"

namespace berth::app {
namespace {

std::vector<CatalogEntry> built_planners(bool classical, bool learned) {
  std::vector<CatalogEntry> result;
  for (const CatalogEntry& entry : planner_catalog()) {
    if (entry.built && (entry.learned ? learned : classical)) result.push_back(entry);
  }
  return result;
}

Result<CatalogEntry> find_entry(std::string_view name) {
  std::vector<std::string_view> names;
  for (const CatalogEntry& entry : planner_catalog()) {
    names.push_back(entry.info.name);
    if (entry.info.name != name) continue;
    if (!entry.built) return bad_input("planner '{}' is not in this build; berth planners lists those that are", name);
    return entry;
  }
  return bad_input("no planner named '{}'{} (berth planners lists all)", name, did_you_mean(name, names));
}

// One word of a list: a group, or a planner.
Result<std::vector<CatalogEntry>> entries_of(std::string_view word) {
  if (word == "all") return built_planners(true, true);
  if (word == "classical") return built_planners(true, false);
  if (word == "learned") {
    std::vector<CatalogEntry> learned = built_planners(false, true);
    if (learned.empty()) return bad_input("this build has no learned planners; berth planners lists those it has");
    return learned;
  }
  BERTH_TRY(const CatalogEntry entry, find_entry(word));
  return std::vector<CatalogEntry>{entry};
}

Result<ChosenPlanner> choose(const CatalogEntry& entry, const LearnedFlags& flags) {
  if (entry.learned) return choose_learned(entry.info.name, flags);
  return chosen(entry.info);
}

// Of several planners each is given the options it has; one that none of them has is given to all, for one to refuse
// it.
LearnedFlags flags_for(const CatalogEntry& entry, std::span<const CatalogEntry> all, LearnedFlags flags) {
  std::erase_if(flags.options, [&](const std::string& assignment) {
    const std::string_view option = trim(std::string_view(assignment).substr(0, assignment.find('=')));
    const auto has_it = [&](const CatalogEntry& one) {
      return one.learned && learn::find_method(one.info.name)->find(option) != nullptr;
    };
    return !has_it(entry) && std::ranges::any_of(all, has_it);
  });
  return flags;
}

}  // namespace

std::vector<CatalogEntry> planner_catalog() {
  std::vector<CatalogEntry> catalog;
  for (const PlannerInfo& info : classical_planners()) catalog.push_back({info, false, info.make != nullptr});
  // `auto`, the last of the classical table, stays last.
  const auto end = catalog.empty() ? catalog.end() : catalog.end() - 1;
  std::vector<CatalogEntry> learned;
  const bool can_learn = has_learned_planners();
  for (const learn::MethodInfo& method : learn::methods())
    learned.push_back({PlannerInfo{method.name, method.summary, nullptr, true, true}, true, can_learn});
  catalog.insert(end, learned.begin(), learned.end());
  return catalog;
}

Result<ChosenPlanner> find_planner(std::string_view name, const LearnedFlags& flags) {
  BERTH_TRY(const CatalogEntry entry, find_entry(name));
  if (!entry.learned && !flags.given().empty()) {
    return bad_input("{} is for learned planners; '{}' is none (berth planners lists them)", flags.given(), name);
  }
  return choose(entry, flags);
}

Status check_learned(std::string_view name) {
  BERTH_TRY(const CatalogEntry entry, find_entry(name));
  if (!entry.learned) return bad_input("planner '{}' learns nothing, so it has no options to learn with", name);
  return {};
}

Result<std::vector<ChosenPlanner>> find_planners(std::string_view list, const LearnedFlags& flags) {
  // All words are looked up before any is chosen: a slip is found before another program starts.
  std::vector<CatalogEntry> entries;
  for (const std::string_view part : split(list, ',')) {
    BERTH_TRY(const std::vector<CatalogEntry> found, entries_of(trim(part)));
    for (const CatalogEntry& entry : found) {
      const auto is_same = [&](const CatalogEntry& other) { return other.info.name == entry.info.name; };
      if (std::ranges::none_of(entries, is_same)) entries.push_back(entry);
    }
  }
  if (!flags.given().empty() && std::ranges::none_of(entries, &CatalogEntry::learned)) {
    return bad_input("{} is for learned planners; there is none in --planners {}", flags.given(), list);
  }
  std::vector<ChosenPlanner> result;
  for (const CatalogEntry& entry : entries) {
    BERTH_TRY(ChosenPlanner planner, choose(entry, flags_for(entry, entries, flags)));
    result.push_back(std::move(planner));
  }
  return result;
}

}  // namespace berth::app
