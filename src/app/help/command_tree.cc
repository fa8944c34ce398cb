// SPDX-License-Identifier: Apache-2.0
#include "app/help/command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/help/known_words.h"

namespace berth::app {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.get_positional()) return {option.get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

FlagFacts facts_of(const CLI::Option& option, const std::string& command) {
  FlagFacts facts{names_of(option), option.get_items_expected_max() == 0 ? "" : option.get_type_name(),
                  option.get_description(), option.get_default_str(), option.get_group()};
  facts.is_required = option.get_required();
  const KnownWords known = known_words(command, facts.names.back(), facts.value);
  facts.words = known.words;
  facts.takes_files = known.or_files;
  return facts;
}

CommandFacts facts_of(const CLI::App& command, const std::string& words) {
  CommandFacts facts{words, command.get_description(), command.get_footer()};
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

CommandFacts command_tree(const CLI::App& program) {
  CommandFacts tree = facts_of(program, program.get_name());
  const auto help = std::ranges::find(tree.commands, "help", &CommandFacts::name);
  if (help == tree.commands.end()) return tree;
  std::vector<std::string>& topics = help->arguments.front().words;  // so far the pages; commands have help too
  for (const CommandFacts& command : tree.commands) topics.push_back(command.name());
  std::ranges::sort(topics);
  topics.erase(std::ranges::unique(topics).begin(), topics.end());
  return tree;
}

std::vector<std::string> names_of_commands(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!child->get_group().empty()) names.push_back(child->get_name());
  }
  return names;
}

std::vector<const CommandFacts*> all_commands(const CommandFacts& from) {
  std::vector<const CommandFacts*> all{&from};
  for (const CommandFacts& child : from.commands) {
    const std::vector<const CommandFacts*> below = all_commands(child);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

}  // namespace berth::app
