// SPDX-License-Identifier: Apache-2.0
// What an installation has beside the program: completions where shells look for them, and manual pages.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "manual/command_facts.h"

namespace berth::manual {

// The script for bash, zsh or fish.
Result<std::string> completion_for(std::string_view shell, const CommandFacts& program);
// All of them and all pages, into a folder such as share/.
Status write_share(const std::filesystem::path& folder, const CommandFacts& program, std::string_view version);

}  // namespace berth::manual
