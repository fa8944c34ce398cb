// SPDX-License-Identifier: Apache-2.0
// The command line as plain data, from the same descriptions as --help.
#pragma once

#include <string>
#include <vector>

#include "manual/command_facts.h"

namespace CLI {
class App;
}

namespace berth::app {

// Without what is hidden.
manual::CommandFacts command_tree(const CLI::App& program);

std::vector<std::string> names_of_commands(const CLI::App& command);  // of those below it that are not hidden

}  // namespace berth::app
