// SPDX-License-Identifier: Apache-2.0
// The command line as plain data, for those who write about it: manual pages and the completions of shells. It comes
// from the same descriptions as --help.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace berth::app {

struct FlagFacts {
  std::vector<std::string> names;  // "-o", "--output"; an argument has one, "GRAPH"
  std::string value;               // "FILE"; empty if it takes none
  std::string help, fallback;
  std::string group;                    // its heading in --help
  std::vector<std::string> words = {};  // what may stand there, as far as it is known
  bool takes_files = false;             // or a file
  bool is_required = false;
};

struct CommandFacts {
  std::string words;  // "berth graph info"
  std::string summary, footer;
  std::vector<FlagFacts> arguments = {}, flags = {};
  std::vector<CommandFacts> commands = {};

  [[nodiscard]] std::string name() const { return words.substr(words.rfind(' ') + 1); }
};

// Without what is hidden.
CommandFacts command_tree(const CLI::App& program);

std::vector<std::string> names_of_commands(const CLI::App& command);  // of those below it that are not hidden

// All commands below one, each before those below it, and first the one itself.
std::vector<const CommandFacts*> all_commands(const CommandFacts& from);

}  // namespace berth::app
