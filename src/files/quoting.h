// SPDX-License-Identifier: Apache-2.0
// Texts as other syntaxes take them.
#pragma once

#include <string>
#include <string_view>

namespace berth {

// A cell of comma-separated values, in quotes where it must be.
std::string csv_cell(std::string_view text);

// Text, or a value of an attribute, in HTML and SVG; control characters become blanks, since XML has none.
std::string markup_text(std::string_view text);

}  // namespace berth
