// SPDX-License-Identifier: Apache-2.0
// What may stand behind a flag or as an argument, for shells to offer: machines, planners, models, formats.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::app {

struct KnownWords {
  std::vector<std::string> words = {};
  bool or_files = false;
};

// `command` is "berth export", `name` a flag such as "--to" or an argument such as "GRAPH", `value` the kind of value
// that --help names, such as "FILE".
KnownWords known_words(std::string_view command, std::string_view name, std::string_view value);

}  // namespace berth::app
