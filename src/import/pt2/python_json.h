// SPDX-License-Identifier: Apache-2.0
// What Python's json module writes and JSON does not know.
#pragma once

#include <string>
#include <string_view>

namespace berth {

// Puts NaN, Infinity and -Infinity, which Python writes as bare words, into quotes: "nan", "inf" and "-inf", cut to the
// room that the words leave. Text inside strings stays as it is. Newer versions of torch write strings themselves.
void quote_non_finite_numbers(std::string& text);

// The number that such a string, cut or not, stands for.
double non_finite_number(std::string_view quoted);

}  // namespace berth
