// SPDX-License-Identifier: Apache-2.0
#include "sim/sequential/circles.h"

#include <algorithm>

namespace berth {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

class ComponentFinder {
 public:
  ComponentFinder(std::size_t nodes, std::span<const std::pair<std::uint32_t, std::uint32_t>> edges)
      : begin_(nodes + 1, 0),
        targets_(edges.size()),
        found_(nodes, kNone),
        lowest_(nodes, 0),
        component_(nodes, kNone) {
    for (const auto& [from, to] : edges) ++begin_[from + 1];
    for (std::size_t i = 0; i < nodes; ++i) begin_[i + 1] += begin_[i];
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& [from, to] : edges) targets_[next[from]++] = to;
  }

  std::vector<std::uint32_t> find() {
    for (std::uint32_t node = 0; node < found_.size(); ++node) {
      if (found_[node] == kNone) visit(node);
    }
    return std::move(component_);
  }

 private:
  struct Frame {
    std::uint32_t node, next;
  };

  void enter(std::uint32_t node) {
    found_[node] = lowest_[node] = count_++;
    open_.push_back(node);
    path_.push_back({node, begin_[node]});
  }

  void visit(std::uint32_t start) {
    enter(start);
    while (!path_.empty()) {
      Frame& frame = path_.back();
      const std::uint32_t node = frame.node;
      if (frame.next < begin_[node + 1]) {
        const std::uint32_t to = targets_[frame.next++];
        if (found_[to] == kNone) {
          enter(to);
        } else if (component_[to] == kNone) {
          lowest_[node] = std::min(lowest_[node], found_[to]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) lowest_[path_.back().node] = std::min(lowest_[path_.back().node], lowest_[node]);
      if (lowest_[node] == found_[node]) close(node);
    }
  }

  void close(std::uint32_t first) {
    for (std::uint32_t node = kNone; node != first;) {
      node = open_.back();
      open_.pop_back();
      component_[node] = components_;
    }
    ++components_;
  }

  std::vector<std::uint32_t> begin_, targets_, found_, lowest_, component_, open_;
  std::vector<Frame> path_;
  std::uint32_t count_ = 0, components_ = 0;
};

}  // namespace

std::vector<std::uint32_t> find_components(std::size_t nodes,
                                           std::span<const std::pair<std::uint32_t, std::uint32_t>> edges) {
  return ComponentFinder(nodes, edges).find();
}

}  // namespace berth
