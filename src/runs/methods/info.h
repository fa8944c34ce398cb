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
  const auto add = [&](const auto& part) {
    for (const auto& field : part) {
      all.push_back(
          {field.name, field.help,
           [set = field.set](Options& options, std::string_view text) { return set(std::get<Own>(options), text); },
           [get = field.get](const Options& options) { return get(std::get<Own>(options)); }});
    }
  };
  (add(parts), ...);
  return all;
}

inline std::string more_placements(const SamplingOptions& options) {
  return fmt::format("--option placements={}", std::min(4 * options.placements, 4096));
}

// Of `hierarchical` and `colocrl`.
template <typename Own>
std::vector<Field> fields_of_placement() {
  return fields_of<Own>(grouper_fields(), feature_fields(), surroundings_fields(), placer_fields(), bound_fields(),
                        plans_fields("m: groupings sampled for an update", "k: placements sampled for each of them"),
                        noise_fields(), baseline_fields(), training_fields());
}

template <typename Own>
std::function<Hints(const Options&)> hints_of_placement() {
  return [](const Options& options) {
    const PlacementOptions& own = std::get<Own>(options);
    return Hints{more_placements(own), apart_hint(own), "--option groups=256"};
  };
}

}  // namespace berth::learn
