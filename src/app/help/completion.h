// SPDX-License-Identifier: Apache-2.0
// Scripts that complete the command line in shells, made from the command tree. They hold all names, so that a key
// press starts no program.
#pragma once

#include <string>
#include <string_view>

#include "app/help/command_tree.h"
#include "base/result.h"

namespace berth::app {

std::string bash_completion(const CommandFacts& program);
std::string zsh_completion(const CommandFacts& program);
std::string fish_completion(const CommandFacts& program);

// Of what says what a flag or a command does.
inline std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Result<std::string> completion_for(std::string_view shell, const CommandFacts& program);

}  // namespace berth::app
