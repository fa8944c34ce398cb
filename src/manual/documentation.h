// SPDX-License-Identifier: Apache-2.0
// The pages of docs/, where they are installed or in the project's folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::manual {

std::vector<std::string> documentation_pages();         // "cli", "constraints", ..., sorted; none if they are not there
std::string documentation_file(std::string_view page);  // empty if there is no such page

}  // namespace berth::manual
