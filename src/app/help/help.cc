// SPDX-License-Identifier: Apache-2.0
// `berth help`: the same as --help, for a command, and the pages of the documentation.
#include "app/flags/command.h"
#include "app/help/command_tree.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "files/files.h"
#include "manual/documentation.h"

namespace berth::app {
namespace {

const CLI::App* find_command(const CLI::App& command, const std::string& name) {
  for (const CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (child->get_name() == name) return child;
  }
  return nullptr;
}

std::string help_of(const CLI::App& command, const std::string& words) {
  return command.get_formatter()->make_help(&command, words, CLI::AppFormatMode::Normal);
}

std::string help_of_all(const CLI::App& program) {
  const std::vector<std::string> pages = manual::documentation_pages();
  const std::string more =
      pages.empty() ? "" : fmt::format("\nberth help PAGE prints a page: {}.\n", join(pages, ", "));
  return help_of(program, program.get_name()) + more;
}

Error no_such_topic(const CLI::App& command, const std::string& words, const std::string& topic) {
  std::vector<std::string> topics = names_of_commands(command);
  if (topics.empty())
    return bad_input("{} has no commands of its own, so not '{}' (berth help lists all)", words, topic);
  const std::vector<std::string> pages = manual::documentation_pages();
  if (command.get_parent() == nullptr) topics.insert(topics.end(), pages.begin(), pages.end());
  return bad_input("no help for '{}'{} (berth help lists all)", topic, did_you_mean(topic, topics));
}

// Of a command; else of a page. Where both have a name, the help ends with where the page is.
Result<std::string> help_text(const CLI::App& program, const std::vector<std::string>& topic) {
  if (topic.empty()) return help_of_all(program);
  const std::string page = topic.size() == 1 ? manual::documentation_file(topic.front()) : "";
  const CLI::App* command = &program;
  std::string words = program.get_name();
  for (const std::string& word : topic) {
    const CLI::App* child = find_command(*command, word);
    if (child == nullptr && !page.empty()) return read_file(page);
    if (child == nullptr) return no_such_topic(*command, words, word);
    command = child;
    words += " " + word;
  }
  return help_of(*command, words) + (page.empty() ? "" : fmt::format("\nThe page about it: {}\n", page));
}

struct HelpFlags {
  std::vector<std::string> topic;
  bool json = false;
};

Result<Exit> run_help(const CLI::App& program, const HelpFlags& flags) {
  if (flags.json && !flags.topic.empty()) return bad_input("--json is for all commands at once; leave TOPIC out");
  if (flags.json) return printed(manual::commands_json(command_tree(program)));
  BERTH_TRY(const std::string text, help_text(program, flags.topic));
  return printed(text);
}

}  // namespace

void add_help_command(CLI::App& app, Exit& exit) {
  const auto run = [&app](const HelpFlags& flags) { return run_help(app, flags); };
  auto [command, flags] =
      add_command<HelpFlags>(app, exit, "help", "how a command is used, or a page of the documentation", run);
  command.add_option("TOPIC", flags.topic, "a command, such as place or graph info, or a page, such as constraints");
  add_json_flag(command, flags.json);
  command.footer("Example:\n  berth help place\n  berth help graph info\n  berth help constraints");
}

}  // namespace berth::app
