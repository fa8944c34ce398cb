// SPDX-License-Identifier: Apache-2.0
// The small vocabulary of graphs: roles of ops and optimisers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/kinds.h"

namespace berth {

enum class Role : std::uint8_t {
  kCompute,    // takes time, makes new tensors; update ops are compute ops
  kParameter,  // resident on its device for the whole step; trained if an update op names it
  kBuffer,     // resident state that is not trained
  kConstant,   // resident value fixed at build time
  kInput,      // arrives from outside at time 0
  kView,       // its outputs alias its first input: no time, no storage
};

std::string_view name_of(Role role);
std::optional<Role> role_from_name(std::string_view name);
constexpr bool is_resident(Role role) {
  return role == Role::kParameter || role == Role::kBuffer || role == Role::kConstant;
}

enum class Optimizer : std::uint8_t { kSgd, kMomentum, kAdam };  // resident copies of a trained parameter: 1, 2, 3
std::string_view name_of(Optimizer optimizer);
std::optional<Optimizer> optimizer_from_name(std::string_view name);
constexpr int resident_copies(Optimizer optimizer) { return static_cast<int>(optimizer) + 1; }

}  // namespace berth
