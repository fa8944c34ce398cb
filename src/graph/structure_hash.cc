// SPDX-License-Identifier: Apache-2.0
#include "graph/structure_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace berth {
namespace {

// Two independent 64-bit lanes of multiply and rotate. Not cryptographic: it guards against mix-ups, not against
// malice.
class Hasher {
 public:
  void add(std::uint64_t word) {
    a_ = std::rotl((a_ ^ word) * 0x9e3779b97f4a7c15ULL, 29);
    b_ = std::rotl((b_ + word) * 0xc2b2ae3d27d4eb4fULL, 31) ^ word;
  }
  void add(std::string_view text) {
    add(text.size());
    for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(8, text.size()))) {
      std::uint64_t word = 0;
      for (std::size_t i = 0; i < 8 && i < text.size(); ++i) {  // byte by byte: the same on every platform
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
      }
      add(word);
    }
  }
  [[nodiscard]] std::string hex() const { return fmt::format("{:016x}{:016x}", finish(a_), finish(b_)); }

 private:
  static std::uint64_t finish(std::uint64_t x) {
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
    return x ^ (x >> 32);
  }
  std::uint64_t a_ = 0x243f6a8885a308d3ULL, b_ = 0x13198a2e03707344ULL;
};

}  // namespace

std::string structure_hash_of(const Graph& graph) {
  Hasher hasher;
  hasher.add(graph.num_ops());
  for (const OpId op : graph.ops()) {
    hasher.add(graph.name(op));
    hasher.add(graph.type(op));
    hasher.add(static_cast<std::uint64_t>(graph.role(op)));
    hasher.add(graph.inputs(op).size());
    for (const TensorId tensor : graph.inputs(op)) hasher.add(index(tensor));
    hasher.add(graph.control_inputs(op).size());
    for (const OpId before : graph.control_inputs(op)) hasher.add(index(before));
    hasher.add(graph.outputs(op).size());
    for (const TensorId tensor : graph.outputs(op)) {
      hasher.add(static_cast<std::uint64_t>(graph.dtype(tensor)));
      hasher.add(graph.shape(tensor).size());
      for (const std::int64_t dim : graph.shape(tensor)) hasher.add(static_cast<std::uint64_t>(dim));
    }
  }
  return hasher.hex();
}

std::optional<std::string> difference_of_ops(const Graph& a, const Graph& b) {
  if (a.num_ops() != b.num_ops()) return fmt::format("one has {} ops, the other {}", a.num_ops(), b.num_ops());
  for (const OpId op : a.ops()) {
    if (a.name(op) != b.name(op)) return fmt::format("op {} is '{}' or '{}'", index(op), a.name(op), b.name(op));
    if (a.type(op) != b.type(op)) {
      return fmt::format("op '{}' is of type '{}' or '{}'", a.name(op), a.type(op), b.type(op));
    }
    const bool same_edges = std::ranges::equal(a.inputs(op), b.inputs(op)) &&
                            std::ranges::equal(a.control_inputs(op), b.control_inputs(op)) &&
                            a.outputs(op).size() == b.outputs(op).size();
    if (!same_edges) return fmt::format("op '{}' has other inputs or outputs", a.name(op));
  }
  return std::nullopt;
}

}  // namespace berth
