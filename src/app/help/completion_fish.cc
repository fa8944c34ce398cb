// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/help/completion.h"
#include "base/text.h"

namespace berth::app {
namespace {

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

std::string in_fish_quotes(std::string_view text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + "'";
}

std::string line(const CommandFacts& command, const std::string& rest, const std::string& about) {
  return fmt::format("complete -c berth -n {} {} -d {}\n", in_fish_quotes("__berth_is " + command.words), rest,
                     in_fish_quotes(first_line(about)));
}

std::string offered(const FlagFacts& flag) {
  return flag.words.empty() ? "" : fmt::format(" -a {}", in_fish_quotes(join(flag.words, " ")));
}

std::string flag_line(const CommandFacts& command, const FlagFacts& flag) {
  std::string names;
  for (const std::string& name : flag.names) {
    const bool is_long = name.starts_with("--");
    names += fmt::format("{}-{} {}", names.empty() ? "" : " ", is_long ? "l" : "s", name.substr(is_long ? 2 : 1));
  }
  const std::string value = flag.value.empty() ? "" : flag.takes_files ? " -r -F" : " -x";
  return line(command, names + value + offered(flag), flag.help);
}

std::string lines_of(const CommandFacts& command) {
  std::string text;
  for (const CommandFacts& child : command.commands) text += line(command, "-a " + child.name(), child.summary);
  for (const FlagFacts& flag : command.flags) text += flag_line(command, flag);
  for (const FlagFacts& argument : command.arguments) {
    const std::string what = (argument.takes_files ? "-F" : "") + offered(argument);
    if (!what.empty()) text += line(command, what, argument.names.front());
  }
  return text;
}

}  // namespace

std::string fish_completion(const CommandFacts& program) {
  std::vector<std::string> known;
  std::string text;
  for (const CommandFacts* command : all_commands(program)) {
    if (command != &program) known.push_back(in_fish_quotes(command->words));
    text += lines_of(*command);
  }
  return std::string(kFishHead) + join(known, " ") + std::string(kFishHeadEnd) + text;
}

}  // namespace berth::app
