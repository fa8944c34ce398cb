// SPDX-License-Identifier: Apache-2.0
#include "plan/pipeline/stage_problem.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include "base/disjoint_sets.h"
#include "base/strong_components.h"
#include "plan/layers/backward_ops.h"
#include "plan/search/placement.h"

namespace berth {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

class StageProblemMaker {
 public:
  StageProblemMaker(const PipelineModel& model, std::span<const DeviceId> devices)
      : model_(model),
        problem_(model.problem()),
        graph_(problem_.graph()),
        joined_(model.num_units()),
        usable_(set_of(devices)) {}

  StageProblem make() {
    mark_forward_units();
    fix_units();
    join_units();
    do {
      number_blocks();
      make_kinds();
      weigh_blocks();
      make_nets();
    } while (reduce());
    return std::move(stages_);
  }

 private:
  void mark_forward_units() {
    backward_ = backward_ops(graph_);
    forward_unit_.assign(model_.num_units(), 0);
    for (const OpId op : graph_.ops()) {
      if (backward_[index(op)] == 0) forward_unit_[problem_.unit(op)] = 1;
    }
  }

  void fix_units() {
    stages_.fixed.assign(model_.num_units(), kNoDevice);
    floats_.assign(model_.num_units(), 0);
    DeviceSet cpus = 0;
    for (const DeviceId id : problem_.machine().device_ids()) {
      if (problem_.machine().device(id).kind == DeviceKind::kCpu) cpus |= device_bit(id);
    }
    for (std::uint32_t unit = 0; unit < model_.num_units(); ++unit) {
      const DeviceSet allowed = problem_.unit_allowed(unit);
      const bool idle_on_cpus = (allowed & ~cpus) == 0 && works_nowhere(unit);
      if ((allowed & usable_) == 0 || idle_on_cpus)
        stages_.fixed[unit] = allowed_or_fallback(problem_, unit, fallback_device(problem_));
    }
  }

  [[nodiscard]] bool works_nowhere(std::uint32_t unit) const {
    const auto devices = problem_.machine().device_ids();
    return std::all_of(devices.begin(), devices.end(), [&](DeviceId id) { return model_.work(unit, id) == 0; });
  }

  [[nodiscard]] bool is_fixed(std::uint32_t unit) const { return stages_.fixed[unit] != kNoDevice; }
  [[nodiscard]] bool is_outside(std::uint32_t unit) const { return is_fixed(unit) || floats_[unit] != 0; }

  void join_units() {
    shared_allowed_.resize(model_.num_units());
    for (std::uint32_t unit = 0; unit < model_.num_units(); ++unit) {
      shared_allowed_[unit] = problem_.unit_allowed(unit) & usable_;
    }
    for (const OpId op : graph_.topological_order()) {
      const std::uint32_t unit = problem_.unit(op);
      if (backward_[index(op)] != 0) {
        if (forward_unit_[unit] == 0 && graph_.forward_of(op) != kNoOp)
          join(unit, problem_.unit(graph_.forward_of(op)));
      } else if (graph_.role(op) == Role::kView) {
        join(unit, problem_.unit(graph_.producer(graph_.inputs(op).front())));
      }
    }
    for (std::uint32_t unit = 0; unit < model_.num_units(); ++unit) join_first_reader(unit);
  }

  // Two units become one block if a device may hold both.
  void join(std::uint32_t a, std::uint32_t b) {
    if (is_fixed(a) || is_fixed(b)) return;
    a = joined_.root(a);
    b = joined_.root(b);
    const DeviceSet both = shared_allowed_[a] & shared_allowed_[b];
    if (a == b || both == 0) return;
    joined_.unite(a, b);
    shared_allowed_[joined_.root(a)] = both;
  }

  // For units that compute nothing in the forward pass.
  void join_first_reader(std::uint32_t unit) {
    OpId first = kNoOp;
    for (const OpId op : problem_.unit_ops(unit)) {
      if (backward_[index(op)] != 0) continue;
      if (!is_resident(graph_.role(op)) && graph_.role(op) != Role::kInput) return;
      for (const TensorId tensor : graph_.outputs(op)) {
        for (const OpId reader : graph_.consumers(tensor)) {
          if (backward_[index(reader)] == 0 && problem_.unit(reader) != unit && (first == kNoOp || reader < first))
            first = reader;
        }
      }
    }
    if (first != kNoOp) join(unit, problem_.unit(first));
  }

  // Edges between joined units, by their roots.
  [[nodiscard]] std::vector<Edge> find_edges() const {
    std::vector<Edge> edges;
    const auto connect = [&](OpId from, OpId to) {
      const std::uint32_t a = problem_.unit(from), b = problem_.unit(to);
      if (is_outside(a) || is_outside(b)) return;
      const std::uint32_t x = joined_.root(a), y = joined_.root(b);
      if (x == y) return;
      if (backward_[index(from)] == 0 && backward_[index(to)] == 0) edges.emplace_back(x, y);
      const bool orphan = forward_roots_[x] == 0 || forward_roots_[y] == 0;
      if (orphan && backward_[index(from)] != 0 && backward_[index(to)] != 0) edges.emplace_back(y, x);
    };
    for (const OpId op : graph_.ops()) {
      for (const TensorId tensor : graph_.distinct_inputs(op)) connect(graph_.producer(tensor), op);
      for (const OpId from : graph_.control_inputs(op)) connect(from, op);
    }
    return edges;
  }

  void number_blocks() {
    forward_roots_.assign(model_.num_units(), 0);
    for (std::uint32_t unit = 0; unit < model_.num_units(); ++unit) {
      if (forward_unit_[unit] != 0) forward_roots_[joined_.root(unit)] = 1;
    }
    const std::vector<Edge> edges = find_edges();
    const std::vector<std::uint32_t> component = components_in_order(model_.num_units(), edges);
    // Components of fixed units and of units that are no roots drop out.
    std::vector<std::uint32_t> block_of_component(model_.num_units(), StageProblem::kFixed);
    std::uint32_t blocks = 0;
    std::vector<std::uint8_t> used(model_.num_units(), 0);
    for (std::uint32_t unit = 0; unit < model_.num_units(); ++unit) {
      if (!is_outside(unit)) used[component[joined_.root(unit)]] = 1;
    }
    for (std::size_t c = 0; c < used.size(); ++c) {
      if (used[c] != 0) block_of_component[c] = blocks++;
    }
    block_of_.assign(model_.num_units(), StageProblem::kFixed);
    std::vector<std::vector<std::uint32_t>> members(blocks);
    for (std::uint32_t unit = 0; unit < model_.num_units(); ++unit) {
      if (is_outside(unit)) continue;
      block_of_[unit] = block_of_component[component[joined_.root(unit)]];
      members[block_of_[unit]].push_back(unit);
    }
    stages_.units = lists_of(members);
    connect_blocks(edges);
  }

  void connect_blocks(std::span<const Edge> edges) {
    std::vector<std::vector<std::uint32_t>> before(stages_.units.size()), after(stages_.units.size());
    for (const auto& [from, to] : edges) {
      const std::uint32_t a = block_of_[from], b = block_of_[to];
      if (a == b) continue;
      before[b].push_back(a);
      after[a].push_back(b);
    }
    stages_.predecessors = lists_of(before);
    stages_.successors = lists_of(after);
  }

  static Lists lists_of(std::vector<std::vector<std::uint32_t>>& rows) {
    Lists lists;
    for (auto& row : rows) {
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      lists.items.insert(lists.items.end(), row.begin(), row.end());
      lists.end_list();
    }
    return lists;
  }

  // Devices of one kind cost the same, hold the same, and are allowed to the same blocks.
  void make_kinds() {
    block_allowed_.assign(stages_.units.size(), usable_);
    for (std::size_t block = 0; block < block_allowed_.size(); ++block) {
      for (const std::uint32_t unit : stages_.units[block]) block_allowed_[block] &= problem_.unit_allowed(unit);
      // Nothing may hold the whole block, so it cannot be in one stage; its units then go where they may.
      if (block_allowed_[block] == 0) block_allowed_[block] = usable_;
    }
    stages_.kinds.clear();
    for (const DeviceId id : problem_.machine().device_ids()) {
      if ((usable_ & device_bit(id)) == 0) continue;
      const auto same =
          std::ranges::find_if(stages_.kinds, [&](const StageKind& kind) { return is_same(kind.devices.front(), id); });
      if (same != stages_.kinds.end()) {
        same->devices.push_back(id);
      } else {
        stages_.kinds.push_back({{id}, free_memory(id)});
      }
    }
  }

  [[nodiscard]] bool is_same(DeviceId a, DeviceId b) const {
    return model_.equal_costs(a, b) && free_memory(a) == free_memory(b) &&
           std::ranges::all_of(block_allowed_, [&](DeviceSet set) {
             return ((set & device_bit(a)) != 0) == ((set & device_bit(b)) != 0);
           });
  }

  // What fixed units leave. Devices of a pool get equal shares of it.
  [[nodiscard]] Bytes free_memory(DeviceId device) const {
    const Machine& machine = problem_.machine();
    const int pool = machine.pool_of(device);
    const auto shares = [&](DeviceId id) { return pool < 0 ? id == device : machine.pool_of(id) == pool; };
    Bytes free = problem_.capacity(device);
    for (std::uint32_t unit = 0; unit < model_.num_units(); ++unit) {
      if (is_fixed(unit) && shares(stages_.fixed[unit])) free -= model_.resident(unit);
    }
    const auto devices = machine.device_ids();
    return free / std::count_if(devices.begin(), devices.end(), shares);
  }

  void weigh_blocks() {
    const std::size_t kinds = stages_.kinds.size();
    stages_.work.clear();
    stages_.resident.clear();
    stages_.allowed.clear();
    for (std::size_t block = 0; block < stages_.units.size(); ++block) {
      Bytes resident = 0;
      std::uint64_t allowed = 0;
      for (const std::uint32_t unit : stages_.units[block]) resident += model_.resident(unit);
      for (std::size_t k = 0; k < kinds; ++k) {
        const DeviceId device = stages_.kinds[k].devices.front();
        Picoseconds work = 0;
        for (const std::uint32_t unit : stages_.units[block]) work += model_.work(unit, device);
        stages_.work.push_back(work);
        if ((block_allowed_[block] & device_bit(device)) != 0) allowed |= std::uint64_t{1} << k;
      }
      stages_.resident.push_back(resident);
      stages_.allowed.push_back(allowed);
    }
  }

  // Nets of the model that the same blocks make and read become one.
  void make_nets() {
    clear_nets();
    std::map<Reading, std::size_t> net_of;
    for (std::uint32_t net = 0; net < model_.num_nets(); ++net) {
      if (floats_[model_.producer(net)] != 0) continue;
      Reading reading = reading_of(net);
      const bool made_here = reading.producer != StageProblem::kFixed;
      if (reading.readers.empty() && !(made_here && reading.fixed_reader)) continue;
      const auto [entry, is_new] = net_of.try_emplace(std::move(reading), stages_.num_nets());
      if (is_new) add_net(entry->first);
      add_times(net, entry->second);
    }
    list_nets_of_blocks();
  }

  void clear_nets() {
    stages_.producer.clear();
    stages_.num_readers.clear();
    stages_.fixed_reader.clear();
    stages_.out_time.clear();
    stages_.in_time.clear();
    stages_.readers = {};
  }

  struct Reading {  // what tells nets apart
    std::uint32_t producer;
    bool fixed_reader;
    std::vector<std::uint32_t> readers;  // blocks, ascending
    auto operator<=>(const Reading&) const = default;
  };

  [[nodiscard]] Reading reading_of(std::uint32_t net) const {
    Reading reading{block_of_[model_.producer(net)], false, {}};
    for (const std::uint32_t unit : model_.readers(net)) {
      if (is_fixed(unit)) {
        reading.fixed_reader = true;
      } else if (floats_[unit] == 0 && block_of_[unit] != reading.producer) {
        reading.readers.push_back(block_of_[unit]);
      }
    }
    std::sort(reading.readers.begin(), reading.readers.end());
    reading.readers.erase(std::unique(reading.readers.begin(), reading.readers.end()), reading.readers.end());
    return reading;
  }

  void add_net(const Reading& reading) {
    const std::size_t kinds = stages_.num_kinds();
    stages_.producer.push_back(reading.producer);
    stages_.fixed_reader.push_back(reading.fixed_reader ? 1 : 0);
    stages_.num_readers.push_back(static_cast<std::uint32_t>(reading.readers.size() + (reading.fixed_reader ? 1 : 0)));
    stages_.readers.items.insert(stages_.readers.items.end(), reading.readers.begin(), reading.readers.end());
    stages_.readers.end_list();
    stages_.out_time.resize(stages_.out_time.size() + kinds, 0);
    stages_.in_time.resize(stages_.in_time.size() + kinds, 0);
  }

  void add_times(std::uint32_t net_of_model, std::size_t net) {
    const std::size_t kinds = stages_.num_kinds();
    const bool from_host = stages_.producer[net] == StageProblem::kFixed, to_host = stages_.readers[net].empty();
    for (std::size_t k = 0; k < kinds; ++k) {
      const DeviceId device = stages_.kinds[k].devices.front();
      stages_.out_time[net * kinds + k] +=
          to_host ? model_.time(net_of_model, model_.way_to_host(device)) : model_.out_time(net_of_model, device);
      stages_.in_time[net * kinds + k] +=
          from_host ? model_.time(net_of_model, model_.way_from_host(device)) : model_.in_time(net_of_model, device);
    }
  }

  void list_nets_of_blocks() {
    std::vector<std::vector<std::uint32_t>> made(stages_.num_blocks()), read(stages_.num_blocks());
    for (std::uint32_t net = 0; net < stages_.num_nets(); ++net) {
      if (stages_.producer[net] != StageProblem::kFixed) made[stages_.producer[net]].push_back(net);
      for (const std::uint32_t block : stages_.readers[net]) read[block].push_back(net);
    }
    stages_.made_by = lists_of(made);
    stages_.read_by = lists_of(read);
  }

  // True if blocks were joined or left out, so that the rest has to be made anew.
  bool reduce() {
    bool changed = false;
    for (std::uint32_t block = 0; block < stages_.num_blocks(); ++block) {
      if (!is_idle(block)) continue;
      const auto before = stages_.predecessors[block], after = stages_.successors[block];
      if (before.empty() && costs_nothing(block)) {
        for (const std::uint32_t unit : stages_.units[block]) {
          floats_[unit] = 1;
          stages_.floating.items.push_back(unit);
        }
        stages_.floating.end_list();
        changed = true;
      } else if (before.size() + after.size() == 1) {
        const std::uint32_t other = before.empty() ? after.front() : before.front();
        if (!deals_only_with(block, other)) continue;
        const std::uint32_t unit = stages_.units[block].front(), target = stages_.units[other].front();
        join(unit, target);
        changed |= joined_.root(unit) == joined_.root(target);
      }
    }
    return changed;
  }

  [[nodiscard]] bool is_idle(std::uint32_t block) const {
    const std::size_t kinds = stages_.num_kinds();
    return std::all_of(&stages_.work[block * kinds], &stages_.work[block * kinds] + kinds,
                       [](Picoseconds work) { return work == 0; });
  }

  [[nodiscard]] bool costs_nothing(std::uint32_t block) const {
    const std::size_t kinds = stages_.num_kinds();
    const auto is_free = [&](std::uint32_t net) {
      const auto zero = [](Picoseconds time) { return time == 0; };
      return std::all_of(&stages_.out_time[net * kinds], &stages_.out_time[net * kinds] + kinds, zero) &&
             std::all_of(&stages_.in_time[net * kinds], &stages_.in_time[net * kinds] + kinds, zero);
    };
    return stages_.resident[block] == 0 && std::popcount(stages_.allowed[block]) == static_cast<int>(kinds) &&
           std::ranges::all_of(stages_.made_by[block], is_free) && std::ranges::all_of(stages_.read_by[block], is_free);
  }

  [[nodiscard]] bool deals_only_with(std::uint32_t block, std::uint32_t other) const {
    return std::ranges::all_of(stages_.made_by[block],
                               [&](std::uint32_t net) {
                                 const auto readers = stages_.readers[net];
                                 return stages_.fixed_reader[net] == 0 && readers.size() == 1 && readers[0] == other;
                               }) &&
           std::ranges::all_of(stages_.read_by[block],
                               [&](std::uint32_t net) { return stages_.producer[net] == other; });
  }

  const PipelineModel& model_;
  const Problem& problem_;
  const Graph& graph_;
  mutable DisjointSets joined_;
  DeviceSet usable_ = 0;
  std::vector<std::uint8_t> backward_, forward_unit_, forward_roots_, floats_;
  std::vector<DeviceSet> shared_allowed_;  // per root
  std::vector<DeviceSet> block_allowed_;
  std::vector<std::uint32_t> block_of_;  // per unit
  StageProblem stages_;
};

}  // namespace

StageProblem make_stage_problem(const PipelineModel& model, std::span<const DeviceId> devices) {
  return StageProblemMaker(model, devices).make();
}

}  // namespace berth
