// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "app/help/completion.h"
#include "base/text.h"

namespace berth::app {
namespace {

std::string replaced(std::string_view text, std::string_view letters, std::string_view before) {
  std::string result;
  for (const char letter : text) {
    if (letters.find(letter) != std::string_view::npos) result += before;
    result += letter;
  }
  return result;
}

std::string in_zsh_quotes(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return result + "'";
}

std::string function_name(const CommandFacts& command) {
  std::string name = "_" + command.words;
  std::ranges::replace(name, ' ', '_');
  return name;
}

// Lists of words, each once, as functions: _berth_values_1.
class Lists {
 public:
  std::string action_for(const FlagFacts& flag) {
    if (flag.words.empty()) return flag.takes_files ? "_files" : " ";
    const auto [place, ignored] = numbers_.try_emplace({flag.words, flag.takes_files}, numbers_.size() + 1);
    return fmt::format("_berth_values_{}", place->second);
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto& [list, number] : numbers_) {
      text += fmt::format("_berth_values_{}() {{\n  compadd -- {}\n{}}}\n", number, join(list.first, " "),
                          list.second ? "  _files\n" : "");
    }
    return text;
  }

 private:
  std::map<std::pair<std::vector<std::string>, bool>, std::size_t> numbers_;
};

// '*-m[machine]:NAME:_berth_values_1', once per name: flags may come again, and the program says when they may not.
std::string flag_lines(const FlagFacts& flag, Lists& lists) {
  std::string text;
  const std::string help = replaced(first_line(flag.help), "[]\\", "\\");
  const std::string value =
      flag.value.empty() ? "" : fmt::format(":{}:{}", replaced(flag.value, ":\\", "\\"), lists.action_for(flag));
  for (const std::string& name : flag.names) {
    const bool takes_equals = !flag.value.empty() && name.starts_with("--");
    text += fmt::format(" \\\n    {}",
                        in_zsh_quotes(fmt::format("*{}{}[{}]{}", name, takes_equals ? "=" : "", help, value)));
  }
  return text;
}

std::string function_of(const CommandFacts& command, Lists& lists) {
  std::string arguments;
  for (const FlagFacts& flag : command.flags) arguments += flag_lines(flag, lists);
  if (command.commands.empty()) {
    for (const FlagFacts& argument : command.arguments) {
      arguments += fmt::format(
          " \\\n    {}", in_zsh_quotes(fmt::format("*:{}:{}", argument.names.front(), lists.action_for(argument))));
    }
    return fmt::format("{}() {{\n  _arguments{}\n}}\n", function_name(command), arguments);
  }
  std::string described, chosen;
  for (const CommandFacts& child : command.commands) {
    described += fmt::format("\n    {}", in_zsh_quotes(fmt::format("{}:{}", child.name(), first_line(child.summary))));
    chosen += fmt::format("\n        {}) {} ;;", child.name(), function_name(child));
  }
  return fmt::format(
      "{}() {{\n  local state line\n  local -a commands=({}\n  )\n  _arguments -C{} \\\n    '1: :->command' '*:: "
      ":->rest'\n"
      "  case $state in\n    command) _describe command commands ;;\n    rest)\n      case $line[1] in{}\n      esac "
      ";;\n"
      "  esac\n}}\n",
      function_name(command), described, arguments, chosen);
}

}  // namespace

std::string zsh_completion(const CommandFacts& program) {
  Lists lists;
  std::string functions;
  for (const CommandFacts* command : all_commands(program)) functions += function_of(*command, lists);
  return "#compdef berth\n# Completes berth in zsh; made by `berth completion zsh`.\n" + lists.text() + functions +
         "if [ \"$funcstack[1]\" = _berth ]; then _berth \"$@\"; else compdef _berth berth; fi\n";
}

}  // namespace berth::app
