// SPDX-License-Identifier: Apache-2.0
#include "exact_set/coarse_problem.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/disjoint_sets.h"
#include "base/strong_components.h"
#include "graph/builder.h"
#include "plan/layers/backward_ops.h"

namespace berth {
namespace {

enum class Part : std::uint8_t { kResident, kView, kInput, kForward, kBackward, kUpdate };  // kView: of residents
constexpr std::uint32_t kParts = 6;
constexpr std::string_view kPartNames[kParts] = {"resident", "view", "input", "forward", "backward", "update"};

class Coarsener {
 public:
  Coarsener(const Problem& fine, const Grouping& grouping)
      : fine_(fine), graph_(fine.graph()), grouping_(grouping), sets_(grouping.size()), builder_(graph_.title()) {}

  Result<CoarseProblem> coarsen() {
    assign_parts();
    while (join_cycles()) {
    }
    add_ops();
    BERTH_TRY(ExplicitCosts costs, sum_costs());
    connect();
    BERTH_TRY(Graph graph, std::move(builder_).build());
    Constraints constraints;
    constraints.inputs_on_first_cpu = false;  // the costs say where they may be
    constraints.reserve = fine_.constraints().reserve;
    constraints.max_devices = fine_.constraints().max_devices;
    BERTH_TRY(Problem problem,
              make_problem(std::make_shared<const Graph>(std::move(graph)),
                           std::make_shared<const Machine>(fine_.machine()), costs, std::move(constraints)));
    std::vector<OpId> op_of;
    for (const OpId op : graph_.ops()) op_of.push_back(op_of_block_[block_of(op)]);
    return CoarseProblem{std::move(problem), std::move(op_of)};
  }

 private:
  [[nodiscard]] std::uint32_t group_of(OpId op) { return sets_.root(grouping_.of(fine_, op)); }
  [[nodiscard]] std::uint32_t block_of(OpId op) {
    return group_of(op) * kParts + static_cast<std::uint32_t>(part_[index(op)]);
  }

  void assign_parts() {
    const std::vector<std::uint8_t> backward = backward_ops(graph_);
    part_.resize(graph_.num_ops());
    for (const OpId op : graph_.topological_order()) {
      Part& part = part_[index(op)];
      part = backward[index(op)] != 0 ? Part::kBackward : Part::kForward;
      if (is_resident(graph_.role(op))) part = Part::kResident;
      if (graph_.role(op) == Role::kInput) part = Part::kInput;
      if (graph_.updated_parameter(op) != kNoOp) part = Part::kUpdate;
      if (graph_.role(op) != Role::kView) continue;
      const OpId seen = graph_.producer(graph_.inputs(op).front());  // a view of a parameter is there from the start
      if (group_of(seen) != group_of(op)) continue;
      if (part_[index(seen)] <= Part::kView) part = Part::kView;
      if (part_[index(seen)] == Part::kInput) part = Part::kInput;
    }
  }

  template <typename Visit>
  void for_each_edge(Visit visit) {
    for (const OpId op : graph_.ops()) {
      for (const TensorId tensor : graph_.distinct_inputs(op)) visit(graph_.producer(tensor), op);
      for (const OpId before : graph_.control_inputs(op)) visit(before, op);
    }
  }

  // Joins the groups of every cycle of parts, and their parts if the cycle has several; true if there was one.
  bool join_cycles() {
    const auto blocks = static_cast<std::uint32_t>(grouping_.size() * kParts);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for_each_edge([&](OpId from, OpId to) {
      if (block_of(from) != block_of(to)) edges.emplace_back(block_of(from), block_of(to));
    });
    const std::vector<std::uint32_t> component = components_in_order(blocks, edges);
    constexpr std::uint32_t kNone = 0xffffffffU;
    std::vector<std::uint32_t> first(blocks, kNone);  // per component
    std::vector<std::uint8_t> is_cycle(blocks, 0), has_many_parts(blocks, 0);
    for (std::uint32_t block = 0; block < blocks; ++block) {
      std::uint32_t& lowest = first[component[block]];
      if (lowest == kNone) {
        lowest = block;
        continue;
      }
      is_cycle[component[block]] = 1;
      if (block % kParts != lowest % kParts) has_many_parts[component[block]] = 1;
    }
    if (std::ranges::count(is_cycle, 1) == 0) return false;
    for (const OpId op : graph_.ops()) {
      if (has_many_parts[component[block_of(op)]] != 0) part_[index(op)] = Part::kForward;
    }
    for (std::uint32_t block = 0; block < blocks; ++block)
      sets_.unite(block / kParts, first[component[block]] / kParts);
    return true;
  }

  void add_ops() {
    op_of_block_.assign(grouping_.size() * kParts, kNoOp);
    resident_.assign(op_of_block_.size(), 0);
    for (const OpId op : graph_.ops()) resident_[block_of(op)] += graph_.resident_bytes(op);
    std::set<std::uint32_t> blocks;
    for (const OpId op : graph_.ops()) blocks.insert(block_of(op));
    for (const std::uint32_t block : blocks) {
      op_of_block_[block] = OpId(blocks_.size());
      blocks_.push_back(block);
    }
  }

  Result<ExplicitCosts> sum_costs() {
    std::vector<std::vector<Picoseconds>> sums(blocks_.size());
    const std::size_t devices = fine_.machine().num_devices();
    for (auto& row : sums) row.assign(devices, 0);
    std::vector<DeviceSet> allowed(grouping_.size(), ~DeviceSet{0});
    for (std::uint32_t group = 0; group < grouping_.size(); ++group)
      allowed[sets_.root(group)] &= grouping_.allowed[group];
    for (const OpId op : graph_.ops()) {
      for (const DeviceId device : fine_.machine().device_ids())
        sums[index(op_of_block_[block_of(op)])][index(device)] += fine_.duration(op, device);
    }
    ExplicitCosts costs;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const DeviceSet places = allowed[blocks_[i] / kParts];
      if (places == 0) return infeasible("groups that depend on each other both ways have no device in common");
      auto& row = costs.time_s.emplace_back();
      for (std::size_t device = 0; device < devices; ++device)
        row.push_back(((places >> device) & 1) != 0 ? to_seconds(sums[i][device]) : -1.0);
    }
    return costs;
  }

  struct Net {  // all that a part sends to the same parts goes as one tensor
    std::vector<std::uint32_t> readers;
    bool is_output;
    auto operator<=>(const Net&) const = default;
  };
  using Nets = std::map<Net, Bytes>;

  std::vector<Nets> find_nets() {
    std::vector<Nets> nets(blocks_.size());
    for (const TensorId tensor : graph_.tensors()) {
      const std::uint32_t from = block_of(graph_.producer(tensor));
      std::set<std::uint32_t> readers;
      for (const OpId consumer : graph_.consumers(tensor)) readers.insert(block_of(consumer));
      readers.erase(from);
      const bool is_output = graph_.is_graph_output(tensor);
      if (readers.empty() && !is_output) continue;
      Nets& sent = nets[index(op_of_block_[from])];
      sent[Net{{readers.begin(), readers.end()}, is_output}] += graph_.bytes(tensor);
    }
    return nets;
  }

  void connect() {
    const std::vector<Nets> nets = find_nets();
    std::vector<OpSpec> specs(blocks_.size());
    std::vector<OutputRef> kept;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      Bytes sent = 0;
      for (const auto& [net, bytes] : nets[i]) {
        const OutputRef ref{OpId(i), static_cast<int>(specs[i].outputs.size())};
        specs[i].outputs.push_back({DType::kU8, {bytes}});
        sent += bytes;
        for (const std::uint32_t reader : net.readers) specs[index(op_of_block_[reader])].inputs.push_back(ref);
        if (net.is_output) kept.push_back(ref);
      }
      const Bytes rest = resident_[blocks_[i]] - sent;
      if (blocks_[i] % kParts == static_cast<std::uint32_t>(Part::kResident) && rest > 0)
        specs[i].outputs.push_back({DType::kU8, {rest}});
    }
    add_control(specs);
    for (std::size_t i = 0; i < blocks_.size(); ++i) name_and_add(specs[i], blocks_[i]);
    for (const OutputRef& ref : kept) builder_.mark_output(ref);
  }

  void add_control(std::vector<OpSpec>& specs) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const OpId op : graph_.ops()) {
      for (const OpId before : graph_.control_inputs(op)) {
        if (block_of(before) != block_of(op)) pairs.insert({block_of(before), block_of(op)});
      }
    }
    for (const auto& [from, to] : pairs) {
      OpSpec& spec = specs[index(op_of_block_[to])];
      const OpId before = op_of_block_[from];
      const bool waits_already =
          std::ranges::any_of(spec.inputs, [&](const OutputRef& ref) { return ref.op == before; });
      if (!waits_already) spec.control_inputs.push_back(before);
    }
  }

  void name_and_add(OpSpec spec, std::uint32_t block) {
    const auto part = static_cast<Part>(block % kParts);
    const std::string group = fmt::format("g{}", block / kParts);
    const std::string name = fmt::format("{}.{}", group, kPartNames[block % kParts]);
    spec.name = name;
    spec.type = kPartNames[block % kParts];
    spec.colocate = group;
    spec.role = part == Part::kResident ? Role::kParameter : part == Part::kInput ? Role::kInput : Role::kCompute;
    if (part == Part::kView) {
      spec.role = Role::kView;
      spec.inputs.resize(1);
    }
    if (spec.role != Role::kCompute && spec.role != Role::kView) spec.inputs.clear();
    builder_.add(spec);
  }

  const Problem& fine_;
  const Graph& graph_;
  const Grouping& grouping_;
  DisjointSets sets_;
  GraphBuilder builder_;
  std::vector<Part> part_;             // per op
  std::vector<std::uint32_t> blocks_;  // block of every coarse op: group * kParts + part
  std::vector<OpId> op_of_block_;
  std::vector<Bytes> resident_;  // per block
};

}  // namespace

Result<CoarseProblem> make_coarse_problem(const Problem& fine, const Grouping& grouping) {
  return Coarsener(fine, grouping).coarsen();
}

}  // namespace berth
