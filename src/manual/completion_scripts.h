// SPDX-License-Identifier: Apache-2.0
// Scripts that complete the command line in shells, made from the command tree. They hold all names, so that a key
// press starts no program.
#pragma once

#include <string>

#include "manual/command_facts.h"

namespace berth::manual {

std::string bash_completion(const CommandFacts& program);
std::string zsh_completion(const CommandFacts& program);
std::string fish_completion(const CommandFacts& program);

}  // namespace berth::manual
