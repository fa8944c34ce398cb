// SPDX-License-Identifier: Apache-2.0
#include "learn/placeto/reach.h"

#include <algorithm>

#include "base/check.h"

namespace berth::learn {

Reach::Reach(std::size_t count, std::span<const Edge> edges)
    : count_(count), words_((count + 63) / 64), rows_(count * words_) {
  std::vector<Edge> last_first(edges.begin(), edges.end());
  std::ranges::sort(last_first, [](const Edge& a, const Edge& b) { return a.from > b.from; });
  for (const Edge& edge : last_first) {
    BERTH_CHECK(edge.from < edge.to && edge.to < count);
    std::uint64_t* row = &rows_[edge.from * words_];
    const std::uint64_t* further = &rows_[edge.to * words_];  // finished: all its edges begin further on
    for (std::size_t word = 0; word < words_; ++word) row[word] |= further[word];
    row[edge.to / 64] |= std::uint64_t{1} << (edge.to % 64);
  }
}

std::vector<Reach::Kin> Reach::kin_of(std::size_t node) const {
  std::vector<Kin> kin(count_, Kin::kPeer);
  for (std::size_t other = 0; other < node; ++other)
    if (reaches(other, node)) kin[other] = Kin::kAncestor;
  kin[node] = Kin::kSelf;
  for (std::size_t other = node + 1; other < count_; ++other)
    if (reaches(node, other)) kin[other] = Kin::kDescendant;
  return kin;
}

}  // namespace berth::learn
