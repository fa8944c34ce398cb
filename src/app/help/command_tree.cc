// SPDX-License-Identifier: Apache-2.0
#include "app/help/command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "app/learned.h"
#include "base/text.h"
#include "machine/devices.h"
#include "machine/library.h"
#include "manual/documentation.h"
#include "plan/fuse/fusion.h"
#include "plan/order/schedule.h"
#include "services/export/export_plan.h"
#include "serving/presets.h"
#include "zoo/zoo.h"

namespace berth::app {
namespace {

// What may stand behind a flag or as an argument, for shells to offer.
struct KnownWords {
  std::vector<std::string> words = {};
  bool or_files = false;
};

template <typename Rows>
std::vector<std::string> row_names(const Rows& rows, std::string_view prefix = "") {
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(std::string(prefix) + std::string(row.name));
  return names;
}

std::vector<std::string> planners() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : planner_catalog().entries()) names.emplace_back(entry.info.name);
  return names;
}

std::vector<std::string> learned_planners() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : planner_catalog().entries()) {
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

constexpr std::string_view kShells = "bash zsh fish", kRuntimes = "llama.cpp vllm accelerate",
                           kPasted = "llama.cpp vllm accelerate table", kObjectives = "step pipeline",
                           kPhases = "decode prefill", kJudges = "simulate measure both",
                           kPresets = "default paper google released", kPlacers = "lstm transformer feed-forward",
                           kPolicyDevices = "cpu cuda", kSimulators = "auto cpu cuda",
                           kRewards = "time sqrt log inverse log-time";

// The first row that fits counts.
constexpr std::array kRows{
    Row{"GRAPH", "", graphs, true},
    Row{"--graph", "", graphs, true},
    Row{"MODEL", "berth llm", language_models, true},
    Row{"NAME", "berth machines", machines, true},
    Row{"NAME", "berth models", models},
    Row{"TOPIC", "berth help", manual::documentation_pages},
    Row{"SHELL", "", listed<kShells>},
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
    Row{"--simulate-on", "", listed<kSimulators>},
    Row{"--reward", "", listed<kRewards>},
};

constexpr std::array<std::string_view, 4> kFiles{"FILE", "FILE[@DEVICE]", "PLAN", "RUN"};

// `command` is "berth export", `name` a flag such as "--to" or an argument such as "GRAPH", `value` the kind of value
// that --help names, such as "FILE".
KnownWords known_words(std::string_view command, std::string_view name, std::string_view value) {
  for (const Row& row : kRows) {
    if (row.name == name && (row.in.empty() || row.in == command)) return {row.words(), row.or_files};
  }
  return {{}, std::ranges::find(kFiles, value) != kFiles.end()};
}

std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.get_positional()) return {option.get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

manual::FlagFacts facts_of(const CLI::Option& option, const std::string& command) {
  manual::FlagFacts facts{names_of(option), option.get_items_expected_max() == 0 ? "" : option.get_type_name(),
                          option.get_description(), option.get_default_str(), option.get_group()};
  facts.is_required = option.get_required();
  const KnownWords known = known_words(command, facts.names.back(), facts.value);
  facts.words = known.words;
  facts.takes_files = known.or_files;
  return facts;
}

manual::CommandFacts facts_of(const CLI::App& command, const std::string& words) {
  manual::CommandFacts facts{words, command.get_description(), command.get_footer()};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? facts.arguments : facts.flags).push_back(facts_of(*option, words));
  }
  for (const CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!child->get_group().empty()) facts.commands.push_back(facts_of(*child, words + " " + child->get_name()));
  }
  return facts;
}

}  // namespace

manual::CommandFacts command_tree(const CLI::App& program) {
  manual::CommandFacts tree = facts_of(program, program.get_name());
  const auto help = std::ranges::find(tree.commands, "help", &manual::CommandFacts::name);
  if (help == tree.commands.end()) return tree;
  std::vector<std::string>& topics = help->arguments.front().words;  // so far the pages; commands have help too
  for (const manual::CommandFacts& command : tree.commands) topics.push_back(command.name());
  std::ranges::sort(topics);
  topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
  return tree;
}

std::vector<std::string> names_of_commands(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!child->get_group().empty()) names.push_back(child->get_name());
  }
  return names;
}

}  // namespace berth::app
