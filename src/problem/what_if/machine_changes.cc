// SPDX-License-Identifier: Apache-2.0
#include "problem/what_if/machine_changes.h"

#include "problem/what_if/machine_draft.h"
#include "problem/what_if/machine_settings.h"

namespace berth {
namespace {

constexpr std::size_t kLongestName = 120;

// "k40x4 (+ a100, link.*.bandwidth=32GB/s)"
std::string changed_name(const std::string& name, const MachineChanges& changes) {
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? "" : ", ") + word; };
  if (changes.accelerators > 0) add(fmt::format("first {}", changes.accelerators));
  for (const std::string& model : changes.added) add("+ " + model);
  for (const std::string& setting : changes.settings) add(setting);
  if (words.size() > kLongestName) words = words.substr(0, kLongestName) + " ...";
  return fmt::format("{} ({})", name, words);
}

}  // namespace

Result<Machine> changed(const Machine& machine, const MachineChanges& changes) {
  MachineDraft draft(machine);
  if (changes.accelerators > 0) BERTH_RETURN_IF_ERROR(keep_accelerators(draft, changes.accelerators));
  for (const std::string& model : changes.added) BERTH_RETURN_IF_ERROR(add_device(draft, model));
  for (const std::string& setting : changes.settings) BERTH_RETURN_IF_ERROR(apply_setting(draft, setting));
  if (!changes.empty()) draft.name = changed_name(draft.name, changes);
  return draft.make();
}

}  // namespace berth
