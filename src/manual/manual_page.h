// SPDX-License-Identifier: Apache-2.0
// Manual pages, made from the command tree.
#pragma once

#include <string>
#include <string_view>

#include "manual/command_facts.h"

namespace berth::manual {

std::string manual_name(const CommandFacts& command);  // "berth-graph-info"
// The page of one command in the language of man(7). `program` is the root of the tree, `version` its version.
std::string manual_page(const CommandFacts& command, const CommandFacts& program, std::string_view version);

}  // namespace berth::manual
