// SPDX-License-Identifier: Apache-2.0
#include "serving/plan/experts.h"

#include <algorithm>
#include <numeric>

#include "graph/builder.h"
#include "serving/plan/shapes.h"

namespace berth::llm {
namespace {

using Shares = std::vector<std::vector<double>>;  // by layer and device: of a token's picks

// Decode with the experts of every layer shared out: each op after the one before it.
class ExpertChain {
 public:
  ExpertChain(const Serving& serving, const Placement& base, const Shares& shares)
      : serving_(serving), base_(base), shares_(shares), builder_("experts"), experts_(base.home.size()) {}

  Result<double> seconds() && {
    const Graph& graph = serving_.problem(Phase::kDecode).graph();
    for (const OpId op : graph.ops()) {
      if (graph.role(op) == Role::kCompute) add(graph, op);
    }
    builder_.mark_output({last_, 0});
    BERTH_TRY(Graph chain, std::move(builder_).build());
    BERTH_TRY(const Problem problem, make_problem(std::make_shared<const Graph>(std::move(chain)),
                                                  std::make_shared<const Machine>(serving_.machine())));
    return to_seconds(Simulator(problem).run(plan_).step_time);
  }

 private:
  void add(const Graph& graph, OpId op) {
    const Berth& berth = serving_.berths(Phase::kDecode)[index(op)];
    const bool is_shared = berth.layer >= 0 && is_movable(berth.part) && has_experts(berth.layer);
    if (is_shared) {
      experts_[static_cast<std::size_t>(berth.layer)].push_back(op);
      return;
    }
    const bool joins = berth.layer >= 0 && graph.type(op) == "add";
    if (joins) add_experts(graph, static_cast<std::size_t>(berth.layer));
    append(graph, op, 1.0, base_.device_of(berth.layer, berth.part), "");
  }

  [[nodiscard]] bool has_experts(std::int64_t layer) const { return !shares_[static_cast<std::size_t>(layer)].empty(); }

  void add_experts(const Graph& graph, std::size_t layer) {
    for (std::size_t device = 0; device < shares_[layer].size(); ++device) {
      if (shares_[layer][device] <= 0.0) continue;
      const DeviceId id{static_cast<std::uint16_t>(device)};
      for (const OpId op : experts_[layer]) append(graph, op, shares_[layer][device], id, fmt::format("@{}", device));
    }
  }

  void append(const Graph& graph, OpId op, double share, DeviceId device, const std::string& suffix) {
    const TensorId output = graph.outputs(op)[0];
    const auto shape = graph.shape(output);
    OpSpec spec{.name = std::string(graph.name(op)) + suffix,
                .type = graph.type(op),
                .outputs = {{graph.dtype(output), {shape.begin(), shape.end()}}},
                .flops = share * graph.flops(op),
                .bytes_touched = static_cast<Bytes>(share * static_cast<double>(graph.bytes_touched(op)))};
    if (!plan_.device_of.empty()) spec.inputs = {{last_, 0}};
    last_ = builder_.add(spec);
    plan_.device_of.push_back(device);
  }

  const Serving& serving_;
  const Placement& base_;
  const Shares& shares_;
  GraphBuilder builder_;
  std::vector<std::vector<OpId>> experts_;
  Plan plan_;
  OpId last_ = kNoOp;
};

struct Expert {
  std::size_t layer, number;
  double picks;
};

class ExpertPlanner {
 public:
  ExpertPlanner(const Serving& serving, const Routing& routing) : serving_(serving), routing_(routing) {}

  Result<ExpertPlan> plan() {
    if (serving_.model().config.experts == 0) return bad_input("{} has no experts", serving_.model().title);
    if (serving_.accelerators().empty()) return bad_input("there is no GPU to keep experts on");
    base_ = placement_of(with_moved(serving_, serving_.accelerators(), true), serving_);
    free_ = room();
    if (std::ranges::any_of(serving_.accelerators(), [&](DeviceId id) { return free_[index(id)] < 0; })) {
      return bad_input("the GPUs do not hold what is not experts, by {}", format_bytes(-std::ranges::min(free_)));
    }
    ExpertPlan plan;
    plan.uniform = routing_.uniform;
    plan.bytes.assign(free_.size(), 0);
    plan.layers_on_cpu = layers_on_cpu();
    BERTH_TRY(plan.by_layers_s, ExpertChain(serving_, base_, by_layers(plan.layers_on_cpu)).seconds());
    share_out(plan);
    BERTH_TRY(plan.decode_s, ExpertChain(serving_, base_, shares_of(plan)).seconds());
    return plan;
  }

 private:
  [[nodiscard]] std::vector<Bytes> room() const {
    std::vector<Bytes> free(serving_.machine().num_devices(), 0);
    const auto loads = serving_.loads(base_);
    for (const DeviceId id : serving_.accelerators()) free[index(id)] = serving_.capacity(id) - loads[index(id)].sum();
    return free;
  }

  [[nodiscard]] bool has_experts(std::size_t layer) const { return !routing_.picks[layer].empty(); }
  [[nodiscard]] Bytes layer_bytes(std::size_t layer) const {
    Bytes sum = 0;
    for (const Part part : {Part::kGate, Part::kUp, Part::kDown})
      sum += serving_.part_bytes(static_cast<std::int64_t>(layer), part);
    return sum;
  }

  // Fewest first layers whose experts must be on the CPU: as many of the later ones as their cards hold.
  [[nodiscard]] std::int64_t layers_on_cpu() const {
    std::vector<Bytes> left = free_;
    for (std::size_t layer = base_.home.size(); layer-- > 0;) {
      if (!has_experts(layer)) continue;
      Bytes& room = left[index(base_.home[layer])];
      room -= layer_bytes(layer);
      if (room < 0) return static_cast<std::int64_t>(layer) + 1;
    }
    return 0;
  }

  [[nodiscard]] Shares no_shares() const {
    Shares shares(base_.home.size());
    for (std::size_t layer = 0; layer < shares.size(); ++layer) {
      if (has_experts(layer)) shares[layer].assign(free_.size(), 0.0);
    }
    return shares;
  }

  [[nodiscard]] Shares by_layers(std::int64_t on_cpu) const {
    Shares shares = no_shares();
    for (std::size_t layer = 0; layer < shares.size(); ++layer) {
      if (!has_experts(layer)) continue;
      const bool is_away = static_cast<std::int64_t>(layer) < on_cpu;
      shares[layer][index(is_away ? serving_.cpu() : base_.home[layer])] = 1.0;
    }
    return shares;
  }

  // The most picked first; of equal ones those of the last layers, as -ncmoe leaves them.
  [[nodiscard]] std::vector<Expert> by_picks() const {
    std::vector<Expert> experts;
    for (std::size_t layer = base_.home.size(); layer-- > 0;) {
      for (std::size_t number = 0; number < routing_.picks[layer].size(); ++number) {
        experts.push_back({layer, number, routing_.picks[layer][number]});
      }
    }
    std::ranges::stable_sort(experts, std::ranges::greater(), &Expert::picks);
    return experts;
  }

  // Home if there is room, else the fastest other card with room; else the CPU.
  [[nodiscard]] DeviceId card_for(DeviceId home, Bytes bytes) const {
    if (free_[index(home)] >= bytes) return home;
    DeviceId best = serving_.cpu();
    for (const DeviceId id : serving_.accelerators()) {
      if (free_[index(id)] < bytes) continue;
      const auto rate = [&](DeviceId of) { return serving_.machine().device(of).bytes_per_s; };
      if (best == serving_.cpu() || rate(id) > rate(best)) best = id;
    }
    return best;
  }

  void share_out(ExpertPlan& plan) {
    for (const auto& picks : routing_.picks) plan.device_of.emplace_back(picks.size(), serving_.cpu());
    double picked = 0.0, all = 0.0;
    for (const Expert& expert : by_picks()) {
      const Bytes bytes = layer_bytes(expert.layer) / static_cast<Bytes>(routing_.picks[expert.layer].size());
      const DeviceId device = expert.picks > 0.0 ? card_for(base_.home[expert.layer], bytes) : serving_.cpu();
      if (device != serving_.cpu()) {
        free_[index(device)] -= bytes;
        picked += expert.picks;
      }
      all += expert.picks;
      plan.bytes[index(device)] += bytes;
      plan.device_of[expert.layer][expert.number] = device;
    }
    plan.picked_on_gpus = all > 0.0 ? picked / all : 0.0;
  }

  [[nodiscard]] Shares shares_of(const ExpertPlan& plan) const {
    Shares shares = no_shares();
    for (std::size_t layer = 0; layer < shares.size(); ++layer) {
      const std::vector<double>& picks = routing_.picks[layer];
      const double sum = std::accumulate(picks.begin(), picks.end(), 0.0);
      for (std::size_t number = 0; number < picks.size(); ++number) {
        shares[layer][index(plan.device_of[layer][number])] += picks[number] / sum;
      }
    }
    return shares;
  }

  const Serving& serving_;
  const Routing& routing_;
  Placement base_;
  std::vector<Bytes> free_;
};

}  // namespace

Result<ExpertPlan> plan_experts(const Serving& serving, const Routing& routing) {
  return ExpertPlanner(serving, routing).plan();
}

}  // namespace berth::llm
