// SPDX-License-Identifier: Apache-2.0
// The little parsing that the toy languages share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::toy {

[[noreturn]] void fail(std::string_view what, std::string_view piece);
std::string trim(std::string_view text);
// Pieces between separators, trimmed, empty ones left out.
std::vector<std::string> split(std::string_view text, std::string_view separator);
double number(std::string_view text);
// Number before the unit: has_number_before("4B", "B", value) sets value to 4.
bool has_number_before(std::string_view text, std::string_view unit, double& value);

}  // namespace berth::toy
