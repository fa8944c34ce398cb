// SPDX-License-Identifier: Apache-2.0
#include "plan/construct/favourite_children.h"

#include <algorithm>
#include <numeric>

#include "base/sole_number.h"
#include "base/text.h"
#include "plan/construct/schedule_program.h"
#include "plan/order/ranks.h"
#include "plan/search/unloaded_times.h"

namespace berth {
namespace {

constexpr double kThreshold = 0.5;             // x below it: a favourite
constexpr std::size_t kLargestProgram = 8000;  // edges after chains are drawn together
constexpr double kShareOfTime = 0.5;           // of what is left, for the linear program
constexpr std::uint32_t kNoNode = 0xffffffffU;

// Parameters, constants, inputs, and views of them have no start that matters.
std::vector<std::uint8_t> flow_ops(const Graph& graph) {
  std::vector<std::uint8_t> flow(graph.num_ops(), 0);
  for (const OpId op : graph.topological_order()) {
    flow[index(op)] = graph.role(op) == Role::kCompute ||
                      (graph.role(op) == Role::kView && flow[index(graph.producer(graph.inputs(op).front()))] != 0);
  }
  return flow;
}

// Ops of the flow, chains drawn together, and what goes between them.
class FlowGraph {
 public:
  explicit FlowGraph(const Problem& problem)
      : problem_(problem), graph_(problem.graph()), flow_(flow_ops(graph_)), node_of_(graph_.num_ops(), kNoNode) {
    find_neighbours();
    number_chains();
    add_edges();
  }

  [[nodiscard]] const ScheduleProgram& program() const { return program_; }

  // Favourites by x, smallest first; each end of an edge is claimed once.
  [[nodiscard]] std::vector<OpId> favourites(std::span<const double> transferred) const {
    std::vector<OpId> child(graph_.num_ops(), kNoOp);
    for (std::uint32_t op = 0; op < only_next_.size(); ++op) {
      if (continues_chain(OpId{op})) child[op] = OpId{only_next_[op].number()};
    }
    std::vector<std::size_t> order(program_.edges.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t e) { return transferred[e]; });
    std::vector<std::uint8_t> has_parent(program_.durations.size(), 0);
    for (const std::size_t e : order) {
      if (transferred[e] >= kThreshold) break;
      const ScheduleProgram::Edge& edge = program_.edges[e];
      OpId& favourite = child[index(last_of_node_[edge.from])];
      if (favourite != kNoOp || has_parent[edge.to] != 0) continue;
      favourite = first_of_node_[edge.to];
      has_parent[edge.to] = 1;
    }
    return child;
  }

 private:
  template <typename Visit>
  void for_each_edge(OpId op, const Visit& visit) const {
    for (const TensorId tensor : graph_.distinct_inputs(op)) {
      if (flow_[index(graph_.producer(tensor))] != 0) visit(graph_.producer(tensor), graph_.bytes(tensor), true);
    }
    for (const OpId before : graph_.control_inputs(op)) {
      if (flow_[index(before)] != 0) visit(before, Bytes{0}, false);
    }
  }

  void find_neighbours() {
    only_next_.resize(graph_.num_ops());
    only_before_.resize(graph_.num_ops());
    for (const OpId op : graph_.ops()) {
      if (flow_[index(op)] == 0) continue;
      for_each_edge(op, [&](OpId before, Bytes, bool) {
        only_next_[index(before)].see(static_cast<std::uint32_t>(index(op)));
        only_before_[index(op)].see(static_cast<std::uint32_t>(index(before)));
      });
    }
  }

  [[nodiscard]] bool continues_chain(OpId op) const {  // into its only successor
    const SoleNumber& next = only_next_[index(op)];
    return next.exists() && only_before_[next.number()].is(static_cast<std::uint32_t>(index(op)));
  }

  void number_chains() {
    for (const OpId op : graph_.topological_order()) {
      if (flow_[index(op)] == 0) continue;
      const SoleNumber& before = only_before_[index(op)];
      if (before.exists() && continues_chain(OpId{before.number()})) {
        node_of_[index(op)] = node_of_[before.number()];
      } else {
        node_of_[index(op)] = static_cast<std::uint32_t>(program_.durations.size());
        program_.durations.push_back(0.0);
        first_of_node_.push_back(op);
        last_of_node_.push_back(op);
      }
      program_.durations[node_of_[index(op)]] += static_cast<double>(least_time(problem_, op));
      last_of_node_[node_of_[index(op)]] = op;
    }
  }

  void add_edges() {
    const MeanRoute route(problem_);
    std::vector<std::uint32_t> edge_from(program_.durations.size(), kNoNode);  // of the node at hand
    for (const OpId op : first_of_node_) {                                     // only here do edges enter a chain
      const std::size_t first_edge = program_.edges.size();
      for_each_edge(op, [&](OpId before, Bytes bytes, bool is_data) {
        const std::uint32_t from = node_of_[index(before)];
        const double transfer = is_data ? route.transfer_time(bytes) : route.control_latency();
        std::uint32_t& known = edge_from[from];
        if (known == kNoNode || known < first_edge) {
          known = static_cast<std::uint32_t>(program_.edges.size());
          program_.edges.push_back({from, node_of_[index(op)], transfer, is_data});
        } else if (is_data) {  // several tensors, or a control edge beside them
          ScheduleProgram::Edge& edge = program_.edges[known];
          edge.transfer = edge.may_be_saved ? edge.transfer + transfer : transfer;
          edge.may_be_saved = true;
        }
      });
    }
  }

  const Problem& problem_;
  const Graph& graph_;
  std::vector<std::uint8_t> flow_;
  std::vector<std::uint32_t> node_of_;               // per op
  std::vector<SoleNumber> only_next_, only_before_;  // per op
  std::vector<OpId> first_of_node_, last_of_node_;
  ScheduleProgram program_;
};

double seconds_for_program(const Search& search) {
  if (search.budget().evaluations > 0) return 0.0;  // must not depend on time
  return std::max(search.seconds_left() * kShareOfTime, 1e-3);
}

}  // namespace

std::vector<OpId> children_by_largest_tensor(const Problem& problem) {
  const Graph& graph = problem.graph();
  const std::vector<std::uint8_t> flow = flow_ops(graph);
  const std::vector<double> ranks = upward_ranks(problem);
  std::vector<TensorId> tensors;
  for (const OpId op : graph.topological_order()) {
    if (flow[index(op)] == 0) continue;
    for (const TensorId tensor : graph.outputs(op)) tensors.push_back(tensor);
  }
  std::ranges::stable_sort(tensors, std::greater<>(), [&](TensorId tensor) { return graph.bytes(tensor); });
  std::vector<OpId> child(graph.num_ops(), kNoOp);
  std::vector<std::uint8_t> has_parent(graph.num_ops(), 0);
  for (const TensorId tensor : tensors) {
    OpId& favourite = child[index(graph.producer(tensor))];
    if (favourite != kNoOp) continue;
    for (const OpId consumer : graph.consumers(tensor)) {
      if (has_parent[index(consumer)] != 0) continue;
      if (favourite == kNoOp || ranks[index(consumer)] > ranks[index(favourite)]) favourite = consumer;
    }
    if (favourite != kNoOp) has_parent[index(favourite)] = 1;
  }
  return child;
}

FavouriteChildren favourite_children(const Search& search) {
  const Problem& problem = search.problem();
  const FlowGraph flow(problem);
  const std::size_t edges = flow.program().edges.size();
  if (edges > kLargestProgram) {
    return {children_by_largest_tensor(problem),
            fmt::format("favourite children by largest tensor: {} edges are too many for the linear program", edges)};
  }
  const ScheduleSolution solution = solve(flow.program(), search, seconds_for_program(search));
  if (!solution.optimal) {
    return {children_by_largest_tensor(problem),
            "favourite children by largest tensor: no time for the linear program"};
  }
  return {flow.favourites(solution.transferred),
          fmt::format("favourite children by a linear program of {}", counted(edges, "edge"))};
}

}  // namespace berth
