// SPDX-License-Identifier: Apache-2.0
#include "report/layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/columns.h"
#include "report/lanes.h"

namespace berth::report {
namespace {

constexpr float kGap = 0.6F;                           // rows between lanes
constexpr std::size_t kLeastRows = 4, kMostRows = 14;  // of a lane: what is stacked higher gets thinner

// A chain of single ops is as long as its ops, however little happens there: a column's width grows with the root of
// its ops, so that such chains do not take all the room.
std::vector<float> column_edges(const std::vector<std::uint32_t>& column, std::uint32_t columns) {
  std::vector<std::size_t> ops(columns, 0);
  for (const std::uint32_t at : column) ++ops[at];
  std::vector<float> edges{0.0F};
  double x = 0.0;
  for (const std::size_t count : ops) edges.push_back(static_cast<float>(x += std::sqrt(static_cast<double>(count))));
  return edges;
}

// Lanes in the order in which their work begins. The first tenth does not count: a stray op must not move a lane.
std::vector<std::uint32_t> order_of_lanes(const Lanes& lanes, const std::vector<std::uint32_t>& column) {
  std::vector<std::vector<std::uint32_t>> columns(lanes.names.size());
  for (std::size_t op = 0; op < column.size(); ++op) columns[lanes.of[op]].push_back(column[op]);
  std::vector<std::uint32_t> begin(lanes.names.size());
  for (std::size_t lane = 0; lane < columns.size(); ++lane) {
    auto& all = columns[lane];
    const auto tenth = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 10);
    if (tenth == all.end()) continue;
    std::nth_element(all.begin(), tenth, all.end());
    begin[lane] = *tenth;
  }
  std::vector<std::uint32_t> order(lanes.names.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return begin[a] != begin[b] ? begin[a] < begin[b] : lanes.names[a] < lanes.names[b];
  });
  return order;
}

// Rows of a lane: as many as nearly all of its columns need.
std::size_t rows_for(std::vector<std::uint32_t> stacks) {
  if (stacks.empty()) return kLeastRows;
  const auto most = stacks.begin() + static_cast<std::ptrdiff_t>(stacks.size() * 19 / 20);
  std::nth_element(stacks.begin(), most, stacks.end());
  return std::clamp<std::size_t>(*most, kLeastRows, kMostRows);
}

class Placer {
 public:
  Placer(const Graph& graph, const Lanes& lanes, std::vector<std::uint32_t> columns) : graph_(graph), lanes_(lanes) {
    layout_.column = std::move(columns);
    for (const std::uint32_t column : layout_.column) layout_.columns = std::max(layout_.columns, column + 1);
    layout_.column_x = column_edges(layout_.column, layout_.columns);
    for (const OpId op : graph.ops()) ops_.push_back(op);
    std::stable_sort(ops_.begin(), ops_.end(), [&](OpId a, OpId b) { return cell(a) < cell(b); });
  }

  Layout place() {
    const std::vector<std::uint32_t> order = order_of_lanes(lanes_, layout_.column);
    std::vector<std::uint32_t> position(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<std::uint32_t>(i);
    for (const std::uint32_t lane : lanes_.of) layout_.lane_of.push_back(position[lane]);
    make_lanes(order);
    layout_.top.resize(graph_.num_ops());
    layout_.height.resize(graph_.num_ops());
    for_each_stack(
        [&](std::uint32_t lane, auto first, auto last) { stack(layout_.lanes[position[lane]], first, last); });
    return std::move(layout_);
  }

 private:
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> cell(OpId op) const {
    return {lanes_.of[index(op)], layout_.column[index(op)]};
  }

  template <typename Visit>
  void for_each_stack(const Visit& visit) const {
    for (auto first = ops_.begin(); first != ops_.end();) {
      const auto last = std::find_if(first, ops_.end(), [&](OpId op) { return cell(op) != cell(*first); });
      visit(cell(*first).first, first, last);
      first = last;
    }
  }

  void make_lanes(const std::vector<std::uint32_t>& order) {
    std::vector<std::vector<std::uint32_t>> stacks(order.size());
    for_each_stack([&](std::uint32_t lane, auto first, auto last) {
      stacks[lane].push_back(static_cast<std::uint32_t>(last - first));
    });
    for (const std::uint32_t lane : order) {
      const auto height = static_cast<float>(rows_for(stacks[lane]));
      layout_.lanes.push_back({lanes_.names[lane], layout_.rows, height});
      layout_.rows += height + kGap;
    }
    layout_.rows = std::max(layout_.rows - kGap, 1.0F);
  }

  template <typename Iterator>
  void stack(const Layout::Lane& lane, Iterator first, Iterator last) {
    const float height = std::min(1.0F, lane.height / static_cast<float>(last - first));
    float top = lane.top + (lane.height - height * static_cast<float>(last - first)) / 2;
    for (; first != last; ++first, top += height) {
      layout_.top[index(*first)] = top;
      layout_.height[index(*first)] = height;
    }
  }

  const Graph& graph_;
  const Lanes& lanes_;
  std::vector<OpId> ops_;  // by lane, then column, then id
  Layout layout_;
};

}  // namespace

Layout lay_out(const Graph& graph) {
  std::vector<std::uint32_t> column = find_columns(graph);
  const Lanes lanes = find_lanes(graph);
  return Placer(graph, lanes, std::move(column)).place();
}

}  // namespace berth::report
