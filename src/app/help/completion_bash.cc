// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "app/help/completion.h"
#include "base/text.h"

namespace berth::app {
namespace {

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

constexpr std::string_view kFlag = R"() command="$command ${words[i]}" ;;
    esac
  done
  [[ $word == --*=* ]] && flag=${word%%=*} word=${word#*=}
  case "$command $flag" in
)";

constexpr std::string_view kRest = R"(    *)
      if [[ $word == -* ]]; then
        case $command in
)";

constexpr std::string_view kArguments = R"(        esac
      else
        case $command in
)";

constexpr std::string_view kTail = R"(        esac
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

std::string in_double_quotes(const std::string& text) { return fmt::format("\"{}\"", text); }

std::string offers(const std::vector<std::string>& words, bool files) {
  return fmt::format(") offered=\"{}\"{} ;;\n", join(words, " "), files ? " files=yes" : "");
}

// What is offered, and behind which flags of which commands.
std::string values(const std::vector<const CommandFacts*>& commands) {
  std::map<std::string, std::vector<std::string>> places;
  for (const CommandFacts* command : commands) {
    for (const FlagFacts& flag : command->flags) {
      if (flag.value.empty()) continue;
      for (const std::string& name : flag.names) {
        places[offers(flag.words, flag.takes_files)].push_back(in_double_quotes(command->words + " " + name));
      }
    }
  }
  std::string text;
  for (const auto& [offer, where] : places) text += fmt::format("    {}{}", join(where, " | "), offer);
  return text;
}

std::vector<std::string> names_of_flags(const CommandFacts& command) {
  std::vector<std::string> names;
  for (const FlagFacts& flag : command.flags) names.insert(names.end(), flag.names.begin(), flag.names.end());
  return names;
}

// The commands below it, or its arguments.
std::string arguments(const CommandFacts& command) {
  std::vector<std::string> words;
  bool files = false;
  for (const CommandFacts& child : command.commands) words.push_back(child.name());
  for (const FlagFacts& argument : command.arguments) {
    words.insert(words.end(), argument.words.begin(), argument.words.end());
    files |= argument.takes_files;
  }
  return words.empty() && !files ? ""
                                 : fmt::format("          {}{}", in_double_quotes(command.words), offers(words, files));
}

}  // namespace

std::string bash_completion(const CommandFacts& program) {
  const std::vector<const CommandFacts*> commands = all_commands(program);
  std::vector<std::string> known;
  for (const CommandFacts* command : commands) {
    if (command != &program) known.push_back(in_double_quotes(command->words));
  }
  std::string text =
      std::string(kBashHead) + join(known, " | ") + std::string(kFlag) + values(commands) + std::string(kRest);
  for (const CommandFacts* command : commands) {
    text += fmt::format("          {}{}", in_double_quotes(command->words), offers(names_of_flags(*command), false));
  }
  text += kArguments;
  for (const CommandFacts* command : commands) text += arguments(*command);
  return text + std::string(kTail);
}

}  // namespace berth::app
