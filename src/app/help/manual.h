// SPDX-License-Identifier: Apache-2.0
// Manual pages, made from the command tree.
#pragma once

#include <string>

#include "app/help/command_tree.h"

namespace berth::app {

std::string manual_name(const CommandFacts& command);  // "berth-graph-info"
// The page of one command in the language of man(7). `program` is the root of the tree.
std::string manual_page(const CommandFacts& command, const CommandFacts& program);

}  // namespace berth::app
