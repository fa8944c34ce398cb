// SPDX-License-Identifier: Apache-2.0
#include "manual/completion_scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"

namespace berth::manual {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// bash.
// Words are taken from the line, since readline cuts them at ':' and '=', which stand in many of ours.
constexpr std::string_view kBashHead = R"(# Completes berth in bash; made by `berth completion bash`.
_berth() {
  local line=${COMP_LINE:0:COMP_POINT} command=berth offered= files= i
  local -a words
  read -a words <<< "$line"  # a blank behind a backslash is part of a word
  [[ $line == *[[:space:]] && $line != *\\[[:space:]] ]] && words+=("")
  local last=$((${#words[@]} - 1))
  local word=${words[last]} flag=${words[last - 1]}
  for ((i = 1; i < last; i++)); do
    case "$command ${words[i]}" in
      )";

constexpr std::string_view kBashFlag = R"() command="$command ${words[i]}" ;;
    esac
  done
  [[ $word == --*=* ]] && flag=${word%%=*} word=${word#*=}
  case "$command $flag" in
)";

constexpr std::string_view kBashRest = R"(    *)
      if [[ $word == -* ]]; then
        case $command in
)";

constexpr std::string_view kBashArguments = R"(        esac
      else
        case $command in
)";

constexpr std::string_view kBashTail = R"(        esac
      fi
      ;;
  esac
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$offered" -- "$word")
  if [[ -n $files && ${#COMPREPLY[@]} -eq 0 ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word")
    compopt -o filenames 2> /dev/null
  fi
  # readline replaces only what stands behind the last colon.
  local kept=${word%"${word##*:}"}
  if [[ $COMP_WORDBREAKS == *:* ]]; then COMPREPLY=("${COMPREPLY[@]#"$kept"}"); fi
}
complete -F _berth berth
)";

std::string bash_in_quotes(const std::string& text) { return fmt::format("\"{}\"", text); }

std::string bash_offers(const std::vector<std::string>& words, bool files) {
  return fmt::format(") offered=\"{}\"{} ;;\n", join(words, " "), files ? " files=yes" : "");
}

// What is offered, and behind which flags of which commands.
std::string bash_values(const std::vector<const CommandFacts*>& commands) {
  std::map<std::string, std::vector<std::string>> places;
  for (const CommandFacts* command : commands) {
    for (const FlagFacts& flag : command->flags) {
      if (flag.value.empty()) continue;
      for (const std::string& name : flag.names) {
        places[bash_offers(flag.words, flag.takes_files)].push_back(bash_in_quotes(command->words + " " + name));
      }
    }
  }
  std::string text;
  for (const auto& [offer, where] : places) text += fmt::format("    {}{}", join(where, " | "), offer);
  return text;
}

std::vector<std::string> bash_names_of_flags(const CommandFacts& command) {
  std::vector<std::string> names;
  for (const FlagFacts& flag : command.flags) names.insert(names.end(), flag.names.begin(), flag.names.end());
  return names;
}

// The commands below it, or its arguments.
std::string bash_arguments(const CommandFacts& command) {
  std::vector<std::string> words;
  bool files = false;
  for (const CommandFacts& child : command.commands) words.push_back(child.name());
  for (const FlagFacts& argument : command.arguments) {
    words.insert(words.end(), argument.words.begin(), argument.words.end());
    files |= argument.takes_files;
  }
  return words.empty() && !files
             ? ""
             : fmt::format("          {}{}", bash_in_quotes(command.words), bash_offers(words, files));
}

// fish.
constexpr std::string_view kFishHead = R"(# Completes berth in fish; made by `berth completion fish`.
# Whether the line names this command so far.
function __berth_is
    set -l command berth
    for word in (commandline -opc)[2..-1]
        switch "$command $word"
            case )";

constexpr std::string_view kFishHeadEnd = R"(
                set command "$command $word"
        end
    end
    test "$command" = "$argv"
end
complete -c berth -f
)";

std::string fish_in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + "'";
}

std::string fish_line(const CommandFacts& command, const std::string& rest, const std::string& about) {
  return fmt::format("complete -c berth -n {} {} -d {}\n", fish_in_quotes("__berth_is " + command.words), rest,
                     fish_in_quotes(first_line(about)));
}

std::string fish_offered(const FlagFacts& flag) {
  return flag.words.empty() ? "" : fmt::format(" -a {}", fish_in_quotes(join(flag.words, " ")));
}

std::string fish_flag_line(const CommandFacts& command, const FlagFacts& flag) {
  std::string names;
  for (const std::string& name : flag.names) {
    const bool is_long = name.starts_with("--");
    names += fmt::format("{}-{} {}", names.empty() ? "" : " ", is_long ? "l" : "s", name.substr(is_long ? 2 : 1));
  }
  const std::string value = flag.value.empty() ? "" : flag.takes_files ? " -r -F" : " -x";
  return fish_line(command, names + value + fish_offered(flag), flag.help);
}

std::string fish_lines_of(const CommandFacts& command) {
  std::string text;
  for (const CommandFacts& child : command.commands) text += fish_line(command, "-a " + child.name(), child.summary);
  for (const FlagFacts& flag : command.flags) text += fish_flag_line(command, flag);
  for (const FlagFacts& argument : command.arguments) {
    const std::string what = (argument.takes_files ? "-F" : "") + fish_offered(argument);
    if (!what.empty()) text += fish_line(command, what, argument.names.front());
  }
  return text;
}

// zsh.
std::string zsh_replaced(std::string_view text, std::string_view letters, std::string_view before) {
  std::string result;
  for (const char letter : text) {
    if (letters.find(letter) != std::string_view::npos) result += before;
    result += letter;
  }
  return result;
}

std::string zsh_in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return result + "'";
}

std::string zsh_function_name(const CommandFacts& command) {
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
std::string zsh_flag_lines(const FlagFacts& flag, Lists& lists) {
  std::string text;
  const std::string help = zsh_replaced(first_line(flag.help), "[]\\", "\\");
  const std::string value =
      flag.value.empty() ? "" : fmt::format(":{}:{}", zsh_replaced(flag.value, ":\\", "\\"), lists.action_for(flag));
  for (const std::string& name : flag.names) {
    const bool takes_equals = !flag.value.empty() && name.starts_with("--");
    text += fmt::format(" \\\n    {}",
                        zsh_in_quotes(fmt::format("*{}{}[{}]{}", name, takes_equals ? "=" : "", help, value)));
  }
  return text;
}

std::string zsh_function_of(const CommandFacts& command, Lists& lists) {
  std::string arguments;
  for (const FlagFacts& flag : command.flags) arguments += zsh_flag_lines(flag, lists);
  if (command.commands.empty()) {
    for (const FlagFacts& argument : command.arguments) {
      arguments += fmt::format(
          " \\\n    {}", zsh_in_quotes(fmt::format("*:{}:{}", argument.names.front(), lists.action_for(argument))));
    }
    return fmt::format("{}() {{\n  _arguments{}\n}}\n", zsh_function_name(command), arguments);
  }
  std::string described, chosen;
  for (const CommandFacts& child : command.commands) {
    described += fmt::format("\n    {}", zsh_in_quotes(fmt::format("{}:{}", child.name(), first_line(child.summary))));
    chosen += fmt::format("\n        {}) {} ;;", child.name(), zsh_function_name(child));
  }
  return fmt::format(
      "{}() {{\n  local state line\n  local -a commands=({}\n  )\n  _arguments -C{} \\\n    '1: :->command' '*:: "
      ":->rest'\n"
      "  case $state in\n    command) _describe command commands ;;\n    rest)\n      case $line[1] in{}\n      esac "
      ";;\n"
      "  esac\n}}\n",
      zsh_function_name(command), described, arguments, chosen);
}

}  // namespace

std::string bash_completion(const CommandFacts& program) {
  const std::vector<const CommandFacts*> commands = all_commands(program);
  std::vector<std::string> known;
  for (const CommandFacts* command : commands) {
    if (command != &program) known.push_back(bash_in_quotes(command->words));
  }
  std::string text = std::string(kBashHead) + join(known, " | ") + std::string(kBashFlag) + bash_values(commands) +
                     std::string(kBashRest);
  for (const CommandFacts* command : commands) {
    text += fmt::format("          {}{}", bash_in_quotes(command->words),
                        bash_offers(bash_names_of_flags(*command), false));
  }
  text += kBashArguments;
  for (const CommandFacts* command : commands) text += bash_arguments(*command);
  return text + std::string(kBashTail);
}

std::string fish_completion(const CommandFacts& program) {
  std::vector<std::string> known;
  std::string text;
  for (const CommandFacts* command : all_commands(program)) {
    if (command != &program) known.push_back(fish_in_quotes(command->words));
    text += fish_lines_of(*command);
  }
  return std::string(kFishHead) + join(known, " ") + std::string(kFishHeadEnd) + text;
}

std::string zsh_completion(const CommandFacts& program) {
  Lists lists;
  std::string functions;
  for (const CommandFacts* command : all_commands(program)) functions += zsh_function_of(*command, lists);
  return "#compdef berth\n# Completes berth in zsh; made by `berth completion zsh`.\n" + lists.text() + functions +
         "if [ \"$funcstack[1]\" = _berth ]; then _berth \"$@\"; else compdef _berth berth; fi\n";
}

}  // namespace berth::manual
