// SPDX-License-Identifier: Apache-2.0
// What the rows of methods are made of.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "runs/methods.h"

namespace berth::learn {

// The fields of a method from those of the structs that its options are made of.
template <typename Own, typename... Parts>
std::vector<Field> fields_of(const std::vector<FieldOf<Parts>>&... parts) {
  std::vector<Field> all;
  for (const FieldOf<Own>& field : joined_fields<Own>(parts...)) {
    all.push_back(
        {field.name, field.help,
         [set = field.set](Options& options, std::string_view text) { return set(std::get<Own>(options), text); },
         [get = field.get](const Options& options) { return get(std::get<Own>(options)); }});
  }
  return all;
}

inline std::string more_placements(const SamplingOptions& options) {
  return fmt::format("--option placements={}", std::min(4 * options.placements, 4096));
}

}  // namespace berth::learn
