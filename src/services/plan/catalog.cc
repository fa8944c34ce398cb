// SPDX-License-Identifier: Apache-2.0
#include "services/plan/catalog.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "runs/methods.h"

namespace berth {
namespace {

std::vector<CatalogEntry> built_planners(const Catalog& catalog, bool classical, bool learned) {
  std::vector<CatalogEntry> result;
  for (const CatalogEntry& entry : catalog.entries()) {
    if (entry.built && (entry.learned ? learned : classical)) result.push_back(entry);
  }
  return result;
}

// Of several planners each is given the options it has; one that none of them has is given to all, for one to refuse
// it.
LearningRequest learning_for(const CatalogEntry& entry, std::span<const CatalogEntry> all, LearningRequest learning) {
  std::erase_if(learning.options, [&](const std::string& assignment) {
    const std::string_view option = trim(std::string_view(assignment).substr(0, assignment.find('=')));
    const auto has_it = [&](const CatalogEntry& one) {
      return one.learned && learn::find_method(one.info.name)->find(option) != nullptr;
    };
    return !has_it(entry) && std::ranges::any_of(all, has_it);
  });
  return learning;
}

}  // namespace

std::string_view LearningRequest::given() const {
  if (!preset.empty()) return "--preset";
  if (!options.empty()) return "--option";
  return policy_device.empty() ? "" : "--policy-device";
}

std::vector<CatalogEntry> Catalog::entries() const {
  std::vector<CatalogEntry> catalog;
  for (const PlannerInfo& info : classical_planners()) catalog.push_back({info, false, info.make != nullptr});
  // `auto`, the last of the classical table, stays last.
  const auto end = catalog.empty() ? catalog.end() : catalog.end() - 1;
  std::vector<CatalogEntry> learned;
  const bool can_learn = choose_learned_ != nullptr;
  for (const learn::MethodInfo& method : learn::methods())
    learned.push_back({PlannerInfo{method.name, method.summary, nullptr, true, true}, true, can_learn});
  catalog.insert(end, learned.begin(), learned.end());
  return catalog;
}

Result<CatalogEntry> Catalog::find_entry(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const CatalogEntry& entry : entries()) {
    names.push_back(entry.info.name);
    if (entry.info.name != name) continue;
    if (!entry.built) return bad_input("planner '{}' is not in this build; berth planners lists those that are", name);
    return entry;
  }
  return bad_input("no planner named '{}'{} (berth planners lists all)", name, did_you_mean(name, names));
}

// One word of a list: a group, or a planner.
Result<std::vector<CatalogEntry>> Catalog::entries_of(std::string_view word) const {
  if (word == "all") return built_planners(*this, true, true);
  if (word == "classical") return built_planners(*this, true, false);
  if (word == "learned") {
    std::vector<CatalogEntry> learned = built_planners(*this, false, true);
    if (learned.empty()) return bad_input("this build has no learned planners; berth planners lists those it has");
    return learned;
  }
  BERTH_TRY(const CatalogEntry entry, find_entry(word));
  return std::vector<CatalogEntry>{entry};
}

Result<ChosenPlanner> Catalog::choose(const CatalogEntry& entry, const LearningRequest& learning) const {
  if (entry.learned) return choose_learned_(entry.info.name, learning);
  return chosen(entry.info);
}

Result<ChosenPlanner> Catalog::find(std::string_view name, const LearningRequest& learning) const {
  BERTH_TRY(const CatalogEntry entry, find_entry(name));
  if (!entry.learned && !learning.given().empty()) {
    return bad_input("{} is for learned planners; '{}' is none (berth planners lists them)", learning.given(), name);
  }
  return choose(entry, learning);
}

Status Catalog::check_learned(std::string_view name) const {
  BERTH_TRY(const CatalogEntry entry, find_entry(name));
  if (!entry.learned) return bad_input("planner '{}' learns nothing, so it has no options to learn with", name);
  return {};
}

Result<std::vector<ChosenPlanner>> Catalog::find_all(std::string_view list, const LearningRequest& learning) const {
  // All words are looked up before any is chosen: a slip is found before another program starts.
  std::vector<CatalogEntry> asked;
  for (const std::string_view part : split(list, ',')) {
    BERTH_TRY(const std::vector<CatalogEntry> found, entries_of(trim(part)));
    for (const CatalogEntry& entry : found) {
      const auto is_same = [&](const CatalogEntry& other) { return other.info.name == entry.info.name; };
      if (std::ranges::none_of(asked, is_same)) asked.push_back(entry);
    }
  }
  if (!learning.given().empty() && std::ranges::none_of(asked, &CatalogEntry::learned)) {
    return bad_input("{} is for learned planners; there is none in --planners {}", learning.given(), list);
  }
  std::vector<ChosenPlanner> result;
  for (const CatalogEntry& entry : asked) {
    BERTH_TRY(ChosenPlanner planner, choose(entry, learning_for(entry, asked, learning)));
    result.push_back(std::move(planner));
  }
  return result;
}

}  // namespace berth
