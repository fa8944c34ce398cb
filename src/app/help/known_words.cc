// SPDX-License-Identifier: Apache-2.0
#include "app/help/known_words.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "app/catalog.h"
#include "app/help/documentation.h"
#include "base/text.h"
#include "machine/devices.h"
#include "machine/library.h"
#include "plan/fuse/fusion.h"
#include "plan/order/schedule.h"
#include "services/export/export_formats.h"
#include "serving/presets.h"
#include "zoo/zoo.h"

namespace berth::app {
namespace {

template <typename Rows>
std::vector<std::string> row_names(const Rows& rows, std::string_view prefix = "") {
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(std::string(prefix) + std::string(row.name));
  return names;
}

std::vector<std::string> planners() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : planner_catalog()) names.emplace_back(entry.info.name);
  return names;
}

std::vector<std::string> learned_planners() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : planner_catalog()) {
    if (entry.learned) names.emplace_back(entry.info.name);
  }
  return names;
}

std::vector<std::string> planner_lists() {
  std::vector<std::string> names = planners();
  names.insert(names.begin(), {"all", "classical", "learned"});
  return names;
}

std::vector<std::string> machines() { return row_names(builtin_machines()); }
std::vector<std::string> graphs() { return row_names(zoo_models(), "zoo:"); }
std::vector<std::string> models() { return row_names(zoo_models()); }
std::vector<std::string> language_models() { return row_names(llm::presets()); }
std::vector<std::string> device_names() { return row_names(device_models()); }
std::vector<std::string> formats() { return row_names(export_formats()); }
std::vector<std::string> fusions() { return row_names(fusion_methods()); }
std::vector<std::string> schedules() { return row_names(schedule_methods()); }

// One flag or argument; `in` is the command that it is for, empty for all.
struct Row {
  std::string_view name, in;
  std::vector<std::string> (*words)();
  bool or_files = false;
};

template <const std::string_view& kList>
std::vector<std::string> listed() {
  std::vector<std::string> words;
  for (const std::string_view word : split(kList, ' ')) words.emplace_back(word);
  return words;
}

constexpr std::string_view kShellNames = "bash zsh fish", kRuntimes = "llama.cpp vllm accelerate",
                           kPasted = "llama.cpp vllm accelerate table", kObjectives = "step pipeline",
                           kPhases = "decode prefill", kJudges = "simulate measure both",
                           kPresets = "default paper google released", kPlacers = "lstm transformer feed-forward",
                           kPolicyDevices = "cpu cuda", kRewards = "time sqrt log inverse log-time";

// The first row that fits counts.
constexpr std::array kRows{
    Row{"GRAPH", "", graphs, true},
    Row{"--graph", "", graphs, true},
    Row{"MODEL", "berth llm", language_models, true},
    Row{"NAME", "berth machines", machines, true},
    Row{"NAME", "berth models", models},
    Row{"TOPIC", "berth help", documentation_pages},
    Row{"SHELL", "", listed<kShellNames>},
    Row{"--machine", "", machines, true},
    Row{"--add-device", "", device_names},
    Row{"--planner", "berth train", learned_planners},
    Row{"--planner", "", planners},
    Row{"--planners", "", planner_lists},
    Row{"--options", "berth planners", learned_planners},
    Row{"--objective", "berth llm", listed<kPhases>},
    Row{"--objective", "", listed<kObjectives>},
    Row{"--to", "berth llm", listed<kPasted>},
    Row{"--to", "berth export", formats},
    Row{"--runtime", "berth llm", listed<kRuntimes>},
    Row{"--fusion", "", fusions},
    Row{"--schedule", "", schedules},
    Row{"--env", "", listed<kJudges>},
    Row{"--preset", "", listed<kPresets>},
    Row{"--placer", "", listed<kPlacers>},
    Row{"--policy-device", "", listed<kPolicyDevices>},
    Row{"--reward", "", listed<kRewards>},
};

constexpr std::array<std::string_view, 4> kFiles{"FILE", "FILE[@DEVICE]", "PLAN", "RUN"};

}  // namespace

KnownWords known_words(std::string_view command, std::string_view name, std::string_view value) {
  for (const Row& row : kRows) {
    if (row.name == name && (row.in.empty() || row.in == command)) return {row.words(), row.or_files};
  }
  return {{}, std::ranges::find(kFiles, value) != kFiles.end()};
}

}  // namespace berth::app
