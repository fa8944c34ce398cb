// SPDX-License-Identifier: Apache-2.0
#include "graph/types.h"

#include <array>

namespace berth {
namespace {

constexpr std::array<std::string_view, 6> kRoles{"compute", "parameter", "buffer", "constant", "input", "view"};
constexpr std::array<std::string_view, 3> kOptimizers{"sgd", "momentum", "adam"};

template <typename Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Role role) { return kRoles[static_cast<std::size_t>(role)]; }
std::optional<Role> role_from_name(std::string_view name) { return find<Role>(kRoles, name); }
std::string_view name_of(Optimizer optimizer) { return kOptimizers[static_cast<std::size_t>(optimizer)]; }
std::optional<Optimizer> optimizer_from_name(std::string_view name) { return find<Optimizer>(kOptimizers, name); }

}  // namespace berth
