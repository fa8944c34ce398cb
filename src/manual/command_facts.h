// SPDX-License-Identifier: Apache-2.0
// The command line as plain data, for those who write about it: manual pages, completions of shells, other programs.
#pragma once

#include <string>
#include <vector>

namespace berth::manual {

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

// All commands below one, each before those below it, and first the one itself.
std::vector<const CommandFacts*> all_commands(const CommandFacts& from);

// The whole tree, for programs.
std::string commands_json(const CommandFacts& program);

}  // namespace berth::manual
