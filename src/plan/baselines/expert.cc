// SPDX-License-Identifier: Apache-2.0
#include "plan/baselines/expert.h"

#include <algorithm>
#include <bit>
#include <map>

#include "base/text.h"
#include "machine/device_set.h"
#include "plan/baselines/balanced_blocks.h"
#include "plan/baselines/simple_planners.h"
#include "plan/layers/layer_kinds.h"
#include "plan/layers/layers.h"
#include "plan/search/placement.h"
#include "plan/weights/settle.h"
#include "problem/plan.h"

namespace berth {
namespace {

// Blocks are cut from at most this many pieces: layers, or stretches of the topological order of a graph without names.
constexpr std::size_t kMaxPieces = 512;
// So many sets of tied layers are looked at, those that share most bytes.
constexpr std::size_t kMostTiedSets = 16;

struct LayerRule {
  std::vector<DeviceId> device_of_layer;
  std::string note;
};

Layers stretches_of_topological_order(const Graph& graph) {
  Layers layers;
  const std::size_t count = std::clamp<std::size_t>(graph.num_ops(), 1, kMaxPieces);
  layers.names.resize(count);
  layers.of_op.resize(graph.num_ops());
  layers.backward.resize(graph.num_ops());
  std::size_t place = 0;
  for (const OpId op : graph.topological_order()) {
    layers.of_op[index(op)] = static_cast<std::uint32_t>(place++ * count / graph.num_ops());
  }
  return layers;
}

std::string outer_module_of(const std::string& layer) {
  const std::size_t last = layer.find_last_of("./:[");
  return last == std::string::npos ? "" : layer.substr(0, last);
}

// One recurrent layer of each stack per device; the rest with the first or on the last.
LayerRule recurrent_rule(const Layers& layers, std::span<const LayerKind> kinds, std::span<const DeviceId> workers) {
  LayerRule rule;
  std::map<std::string, std::size_t> depth_of_stack;
  std::size_t deepest = 0;
  for (std::size_t layer = 0; layer < kinds.size(); ++layer) {
    if (kinds[layer] == LayerKind::kRecurrent) {
      const std::size_t depth = depth_of_stack[outer_module_of(layers.names[layer])]++;
      deepest = std::max(deepest, depth + 1);
      rule.device_of_layer.push_back(workers[depth % workers.size()]);
    } else {
      const bool before_any = depth_of_stack.empty();
      rule.device_of_layer.push_back(before_any || kinds[layer] == LayerKind::kEmbedding ? workers.front()
                                                                                         : workers.back());
    }
  }
  rule.note = fmt::format("{} over {}", counted(deepest, "recurrent layer"), counted(workers.size(), "device"));
  return rule;
}

LayerRule block_rule(const Problem& problem, const Layers& layers, std::span<const DeviceId> workers) {
  const std::size_t count = layers.names.size();
  const std::size_t pieces = std::min(count, kMaxPieces);
  const auto piece_of = [&](std::size_t layer) { return layer * pieces / count; };
  std::vector<std::vector<LayerLoad>> loads(workers.size(), std::vector<LayerLoad>(pieces));
  std::vector<Bytes> capacities;
  for (std::size_t w = 0; w < workers.size(); ++w) {
    capacities.push_back(problem.capacity(workers[w]));
    for (const OpId op : problem.graph().ops()) {
      if ((problem.allowed(op) & device_bit(workers[w])) == 0) continue;
      LayerLoad& load = loads[w][piece_of(layers.of_op[index(op)])];
      load.time += problem.duration(op, workers[w]);
      load.resident += problem.graph().resident_bytes(op);
    }
  }
  const std::vector<std::uint32_t> worker_of_piece = balanced_blocks(loads, capacities);
  LayerRule rule;
  for (std::size_t layer = 0; layer < count; ++layer) {
    rule.device_of_layer.push_back(workers[worker_of_piece[piece_of(layer)]]);
  }
  rule.note = fmt::format("{} in blocks over {}", counted(count, "layer"), counted(workers.size(), "device"));
  return rule;
}

LayerRule layer_rule(const Problem& problem, const Layers& layers, std::span<const DeviceId> workers) {
  const std::vector<LayerKind> kinds = layer_kinds(problem.graph(), layers);
  const bool recurrent = std::ranges::find(kinds, LayerKind::kRecurrent) != kinds.end();
  return recurrent ? recurrent_rule(layers, kinds, workers) : block_rule(problem, layers, workers);
}

LayerRule nameless_rule(const Problem& problem, const Layers& stretches, std::span<const DeviceId> workers) {
  LayerRule rule = block_rule(problem, stretches, workers);
  rule.note = fmt::format("no layer names, topological order in blocks over {}", counted(workers.size(), "device"));
  return rule;
}

// A unit goes where the larger part of its work wants to be; one op per picosecond decides among timeless ones.
std::vector<DeviceId> devices_of_units(const Problem& problem, const Layers& layers,
                                       std::span<const DeviceId> device_of_layer) {
  std::vector<DeviceId> wanted(problem.num_units());
  std::vector<Picoseconds> votes(problem.machine().num_devices());
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) {
    std::ranges::fill(votes, 0);
    for (const OpId op : problem.unit_ops(unit)) {
      const DeviceId device = device_of_layer[layers.of_op[index(op)]];
      votes[index(device)] += problem.duration(op, device) + 1;
    }
    wanted[unit] = DeviceId(static_cast<std::size_t>(std::ranges::max_element(votes) - votes.begin()));
  }
  return wanted;
}

struct Placed {
  std::vector<DeviceId> device_of_layer;
  Plan plan;
  Score score;
  Bytes sent = 0;
};

// Places layers as a rule says, except that tied layers come together on a device of one of them where the step is
// shorter for it, or as long and fewer bytes cross.
class LayerPlacer {
 public:
  LayerPlacer(Search& search, const Layers& layers) : search_(search), layers_(layers) {}

  Result<Placed> run(LayerRule rule) {
    search_.set_note(rule.note);
    BERTH_TRY(best_.plan, submit_settled(search_, plan_of(rule.device_of_layer), "expert-layers"));
    best_.device_of_layer = std::move(rule.device_of_layer);
    best_.score = search_.last_score();
    best_.sent = bytes_crossed(graph(), best_.plan);
    const Plan by_rule = best_.plan;
    const std::vector<TiedLayers> tied = tied_layers(graph(), layers_);
    for (std::size_t i = 0; i < std::min(tied.size(), kMostTiedSets); ++i) bring_together(tied[i]);
    if (best_.plan != by_rule) search_.set_note(rule.note + ", tied ones together");
    return std::move(best_);
  }

 private:
  [[nodiscard]] const Graph& graph() const { return search_.problem().graph(); }

  [[nodiscard]] Plan plan_of(std::span<const DeviceId> device_of_layer) const {
    return plan_from_units(search_.problem(), devices_of_units(search_.problem(), layers_, device_of_layer));
  }

  void bring_together(const TiedLayers& tied) {
    const std::vector<DeviceId> apart = best_.device_of_layer;
    DeviceSet homes = 0;
    for (const std::uint32_t layer : tied.readers) homes |= device_bit(apart[layer]);
    if (std::has_single_bit(homes)) return;
    for (; homes != 0 && !search_.should_stop(); homes &= homes - 1) {
      std::vector<DeviceId> together = apart;
      for (const std::uint32_t layer : tied.bound) together[layer] = lowest_device(homes);
      if (together != apart && leaves_blocks(apart, together)) try_with(std::move(together));
    }
  }

  // Whether every device keeps at least half of its layers: a weight that all of them read is no reason to give up the
  // blocks.
  [[nodiscard]] bool leaves_blocks(std::span<const DeviceId> before, std::span<const DeviceId> after) const {
    std::vector<std::ptrdiff_t> kept(search_.problem().machine().num_devices());
    for (std::size_t layer = 0; layer < before.size(); ++layer) {
      kept[index(before[layer])] += before[layer] == after[layer] ? 1 : -1;
    }
    return std::ranges::min(kept) >= 0;
  }

  void try_with(std::vector<DeviceId> device_of_layer) {
    Result<Plan> placed = submit_settled(search_, plan_of(device_of_layer), "expert-layers");
    if (!placed) return;
    const Score& score = search_.last_score();
    const Bytes sent = bytes_crossed(graph(), *placed);
    const bool is_as_good = !better(best_.score, score);
    if (better(score, best_.score) || (is_as_good && sent < best_.sent)) {
      best_ = {std::move(device_of_layer), *std::move(placed), score, sent};
    }
  }

  Search& search_;
  const Layers& layers_;
  Placed best_;
};

Result<Placed> place_by_layers(Search& search) {
  const Problem& problem = search.problem();
  const std::vector<DeviceId> workers = worker_devices(problem);
  const std::optional<Layers> named = find_layers(problem.graph());
  const Layers layers = named ? *named : stretches_of_topological_order(problem.graph());
  LayerRule rule = named ? layer_rule(problem, layers, workers) : nameless_rule(problem, layers, workers);
  return LayerPlacer(search, layers).run(std::move(rule));
}

// How one device compares with the layer rule when it is kept.
std::string_view why_one_device(const Result<Plan>& one, const Result<Placed>& by_layers, bool is_better) {
  if (!by_layers) return "one device, the layer rule breaks a constraint: ";
  if (*one == by_layers->plan) return "one device: ";  // a single GPU, say: the rule has nothing to spread over
  return is_better ? "one device beats the layer rule: " : "one device does as well as the layer rule: ";
}

}  // namespace

Result<Plan> ExpertLayersPlanner::plan(Search& search) {
  BERTH_TRY(Placed placed, place_by_layers(search));
  return std::move(placed.plan);
}

Result<Plan> ExpertPlanner::plan(Search& search) {
  Result<Plan> one = GpuOnlyPlanner().plan(search);
  const std::string where = search.note();
  if (one && search.should_stop()) return one;
  const Score one_score = one ? search.last_score() : Score();
  Result<Placed> by_layers = place_by_layers(search);
  if (!by_layers && !one) return one.error();
  if (by_layers && (!one || better(by_layers->score, one_score))) {
    search.set_note("layer rule: " + search.note());
    return std::move(by_layers->plan);
  }
  const bool is_better = by_layers && better(one_score, by_layers->score);
  search.set_note(std::string(why_one_device(one, by_layers, is_better)) + where);
  return one;
}

}  // namespace berth
