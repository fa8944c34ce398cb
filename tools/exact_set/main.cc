// SPDX-License-Identifier: Apache-2.0
// berth-exact-set DATA OUT [ROW]: writes the set of small real problems, or one of them, as berth-problem/1 files into
// OUT. DATA holds the captured graphs. docs/exact-set.md says what the set is for and how its optima are proved.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "exact_set/coarse_problem.h"
#include "exact_set/rows.h"
#include "format/problem_file.h"
#include "import/graph_file.h"
#include "machine/library.h"
#include "plan/layers/layers.h"
#include "plan/search/placement.h"
#include "sim/simulator.h"
#include "zoo/zoo.h"

namespace berth {
namespace {

constexpr std::string_view kZoo = "zoo:";

Result<Graph> load(const Row& row, const std::filesystem::path& data) {
  if (row.graph.starts_with(kZoo)) return build_zoo_model(row.graph.substr(kZoo.size()));
  return load_graph_file(data / row.graph);
}

bool is_working(const Problem& problem, std::uint32_t unit) {
  const auto ops = problem.unit_ops(unit);
  return std::any_of(ops.begin(), ops.end(), [&](OpId op) { return problem.graph().role(op) == Role::kCompute; });
}

// Groups that take time: what has to be placed, parameters and inputs on their own left aside.
std::size_t count_working(const Problem& problem) {
  std::size_t count = 0;
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) count += is_working(problem, unit) ? 1 : 0;
  return count;
}

// Layers, joined along heavy tensors up to a share of the work.
Result<CoarseProblem> join_layers(const Problem& fine, const Layers& layers, double share) {
  Grouping grouping = join_equal_labels(fine, one_group_per_unit(fine), layers.of_op);
  Picoseconds work = 0;
  for (const Picoseconds part : weigh_groups(fine, grouping).work) work += part;
  grouping = join_heavy_tensors(fine, grouping, {.work = static_cast<Picoseconds>(static_cast<double>(work) * share)});
  return make_coarse_problem(fine, grouping);
}

// The groups of a coarse problem, as a grouping of the fine one.
Grouping groups_of(const Problem& fine, const CoarseProblem& coarse) {
  Grouping grouping;
  grouping.allowed.assign(coarse.problem.num_units(), ~DeviceSet{0});
  for (std::uint32_t unit = 0; unit < fine.num_units(); ++unit) {
    const OpId stands_for = coarse.op_of[index(fine.unit_ops(unit).front())];
    grouping.of_unit.push_back(coarse.problem.unit(stands_for));
    grouping.allowed[grouping.of_unit.back()] &= fine.unit_allowed(unit);
  }
  return grouping;
}

// Units that exchange the most bytes with one of them, at most three, the heaviest first.
std::vector<std::uint32_t> heaviest_neighbours(const Problem& problem, std::uint32_t unit) {
  std::map<std::uint32_t, Bytes> bytes;
  for (const TensorId tensor : problem.graph().tensors()) {
    const std::uint32_t from = problem.unit(problem.graph().producer(tensor));
    for (const OpId consumer : problem.graph().consumers(tensor)) {
      const std::uint32_t to = problem.unit(consumer);
      if (from != to && (from == unit || to == unit))
        bytes[from == unit ? to : from] += problem.graph().bytes(tensor) + 1;
    }
  }
  std::vector<std::pair<Bytes, std::uint32_t>> order;
  for (const auto& [other, sum] : bytes) {
    if (is_working(problem, other)) order.emplace_back(-sum, other);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> neighbours;
  for (const auto& [sum, other] : order) neighbours.push_back(other);
  neighbours.resize(std::min<std::size_t>(neighbours.size(), 3));
  return neighbours;
}

// Joins the working group with the least work to a neighbour, the one that draws the fewest other groups in.
Result<CoarseProblem> join_smallest(const Problem& fine, const CoarseProblem& coarse) {
  const Grouping groups = groups_of(fine, coarse);
  const std::vector<Picoseconds> work = weigh_groups(fine, groups).work;
  std::vector<std::uint32_t> order;
  for (std::uint32_t unit = 0; unit < coarse.problem.num_units(); ++unit) {
    if (is_working(coarse.problem, unit)) order.push_back(unit);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) { return work[x] < work[y]; });
  for (const std::uint32_t smallest : order) {
    std::optional<CoarseProblem> best;
    for (const std::uint32_t neighbour : heaviest_neighbours(coarse.problem, smallest)) {
      if ((groups.allowed[smallest] & groups.allowed[neighbour]) == 0) continue;
      std::vector<std::uint32_t> labels;
      for (const OpId op : fine.graph().ops()) {
        const std::uint32_t group = groups.of(fine, op);
        labels.push_back(group == smallest ? neighbour : group);
      }
      Result<CoarseProblem> joined =
          make_coarse_problem(fine, join_equal_labels(fine, one_group_per_unit(fine), labels));
      if (!joined) continue;
      if (!best || count_working(joined->problem) > count_working(best->problem)) best = *std::move(joined);
    }
    if (best) return *std::move(best);
  }
  return infeasible("no two of {} groups can be joined", order.size());
}

// The finest joining of layers with at most that many groups.
Result<CoarseProblem> coarsen_layers(const Problem& fine, const Row& row) {
  const auto layers = find_layers(fine.graph());
  if (!layers) return bad_input("the graph has no layers");
  std::optional<CoarseProblem> best;
  for (double share = 0.5; share > 0.002; share *= 0.93) {
    BERTH_TRY(CoarseProblem coarse, join_layers(fine, *layers, share));
    const std::size_t count = count_working(coarse.problem);
    if (count <= row.groups && (!best || count > count_working(best->problem))) best = std::move(coarse);
  }
  if (!best) return infeasible("no joining of layers has at most {} groups", row.groups);
  return *std::move(best);
}

// Ops with their only consumers up to a share of the work, then the smallest group joined to a neighbour until few
// enough are left.
Result<CoarseProblem> coarsen_ops(const Problem& fine, const Row& row) {
  const Grouping units = one_group_per_unit(fine);
  Picoseconds work = 0;
  for (const Picoseconds part : weigh_groups(fine, units).work) work += part;
  const GroupLimits limits{.work = work / static_cast<Picoseconds>(2 * row.groups)};
  BERTH_TRY(CoarseProblem coarse, make_coarse_problem(fine, join_only_consumers(fine, units, limits)));
  while (count_working(coarse.problem) > row.groups) {
    BERTH_TRY(coarse, join_smallest(fine, coarse));
  }
  return coarse;
}

Result<CoarseProblem> coarsen_to(const Problem& fine, const Row& row) {
  return row.by_layers ? coarsen_layers(fine, row) : coarsen_ops(fine, row);
}

// A built-in machine cut down to its first devices and the links between them.
Result<Machine> first_devices(std::string_view name, std::size_t count) {
  BERTH_TRY(const Machine whole, builtin_machine(std::string(name)));
  const std::vector<Device> devices(whole.devices().begin(),
                                    whole.devices().begin() + static_cast<std::ptrdiff_t>(count));
  const auto is_gone = [&](const std::string& end) {
    const auto device = whole.find_device(end);
    return device && index(*device) >= count;
  };
  std::vector<Link> links;
  for (const Link& link : whole.links()) {
    if (!is_gone(link.from) && !is_gone(link.to)) links.push_back(link);
  }
  return Machine::make(whole.name(), whole.description(), devices, {whole.pools().begin(), whole.pools().end()},
                       {whole.switches().begin(), whole.switches().end()}, std::move(links), whole.execution());
}

// What everything takes on the first accelerator.
Bytes peak_on_one(const Problem& problem) {
  const DeviceId device = worker_devices(problem).front();
  return simulate(problem, plan_on_one_device(problem, device)).devices[index(device)].peak;
}

Result<Problem> make_row(const Row& row, const std::filesystem::path& data) {
  BERTH_TRY(Graph loaded, load(row, data));
  BERTH_TRY(Machine built, first_devices(row.machine, row.devices));
  const auto graph = std::make_shared<const Graph>(std::move(loaded));
  const auto machine = std::make_shared<const Machine>(std::move(built));
  BERTH_TRY(const Problem roomy, make_problem(graph, machine));
  BERTH_TRY(CoarseProblem coarse, coarsen_to(roomy, row));
  if (row.memory == 0.0) return std::move(coarse.problem);
  Constraints constraints;
  constraints.reserve.assign(machine->num_devices(), 0);
  const Bytes wanted = static_cast<Bytes>(static_cast<double>(peak_on_one(coarse.problem)) * row.memory);
  for (const DeviceId device : machine->accelerators())
    constraints.reserve[index(device)] = std::max<Bytes>(0, machine->capacity(device) - wanted);
  BERTH_TRY(const Problem tight, make_problem(graph, machine, std::move(constraints)));
  BERTH_TRY(coarse, coarsen_to(tight, row));
  return std::move(coarse.problem);
}

Status write_set(const std::filesystem::path& data, const std::filesystem::path& out, std::string_view only) {
  for (const Row& row : rows()) {
    if (!only.empty() && row.name != only) continue;
    const Result<Problem> made = make_row(row, data);
    if (!made) return within(row.name, made.error());
    const Problem& problem = *made;
    BERTH_RETURN_IF_ERROR(save_problem_file(out / fmt::format("{}.json", row.name), problem));
    fmt::print("{:<28} {:>3} groups {:>4} ops\n", row.name, count_working(problem), problem.graph().num_ops());
  }
  return {};
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    fmt::print(stderr, "usage: berth-exact-set DATA OUT [ROW]\n");
    return 2;
  }
  const berth::Status status = berth::write_set(argv[1], argv[2], argc > 3 ? argv[3] : "");
  if (status) return 0;
  fmt::print(stderr, "{}\n", status.error().message);
  return 2;
}
