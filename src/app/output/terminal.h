// SPDX-License-Identifier: Apache-2.0
// The terminal: what goes to stdout and stderr, and in which colours.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::app {

enum class Exit : int { kDone = 0, kInfeasible = 1, kBadInput = 2, kBug = 3 };

// Text from outside, fit for one line of a terminal: line breaks and tabs become blanks, other control characters and
// bytes that are not UTF-8 become '?'.
std::string clean(std::string_view text);
// The same for text that may hold what bold() and alarm() add: those codes stay.
std::string clean_coloured(std::string_view text);

// Writes to stdout. A reader that went away is no error (the rest is dropped); a full disk is.
Status print(std::string_view text);
Result<Exit> printed(std::string_view text);  // the same, as the end of a command
// One line on stderr, "berth: message", whatever newlines and control characters the message carries.
void print_error(std::string_view message);

// The same for what is no error: warnings and notes, without which a user might be misled.
void print_note(std::string_view message);

bool stderr_is_terminal();

// Cleaned text, in colour if stdout is a terminal and NO_COLOR is not set.
std::string bold(std::string_view text);
std::string alarm(std::string_view text);

}  // namespace berth::app
