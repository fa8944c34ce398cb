// SPDX-License-Identifier: Apache-2.0
#include "pipeline/staged_step.h"

#include <algorithm>
#include <map>
#include <utility>

namespace berth::pipeline {
namespace {

constexpr std::size_t kForwardForm = form_of(ActionKind::kForward);
constexpr std::size_t kWholeForm = form_of(ActionKind::kBackward);
constexpr std::size_t kInputForm = form_of(ActionKind::kBackwardInput);
constexpr std::size_t kWeightForm = form_of(ActionKind::kBackwardWeight);
constexpr std::uint32_t kNothing = 0xffffffffU;

void raise(Places& places, const Places& other) {
  for (std::size_t form = 0; form < kForms; ++form) places[form] = std::max(places[form], other[form]);
}

class StagedStepMaker {
 public:
  StagedStepMaker(const LayeredStep& step, const Cut& cut) : step_(step), graph_(step.graph()) {
    staged_.step = &step;
    staged_.cut = cut;
    staged_.cells.resize(cut.num_stages());
    staged_.resident.assign(cut.num_stages(), 0);
    staged_.gradients.assign(cut.num_stages(), 0);
  }

  StagedStep run() {
    find_stages();
    list_cells();
    own_.assign(graph_.num_tensors(), kNothing);
    again_ = own_;
    for (std::uint32_t stage = 0; stage < staged_.num_stages(); ++stage) hold_stage(stage);
    find_wires();
    find_controls();
    for (auto* list : {&staged_.inputs, &staged_.statics, &staged_.sums}) {
      std::ranges::sort(*list, {}, [&](std::uint32_t held) {
        return std::pair(staged_.held[held].tensor, staged_.held[held].stage);
      });
    }
    return std::move(staged_);
  }

 private:
  [[nodiscard]] std::uint32_t stage(OpId op) const { return staged_.stage_of[index(op)]; }

  void find_stages() {
    std::vector<std::uint32_t> of_block(step_.blocks.size(), 0);
    for (std::uint32_t s = 0; s < staged_.num_stages(); ++s) {
      std::fill(of_block.begin() + staged_.cut.first_block[s], of_block.end(), s);
    }
    staged_.stage_of.resize(graph_.num_ops());
    for (const OpId op : graph_.ops()) {
      staged_.stage_of[index(op)] = of_block[step_.block(op)];
      staged_.resident[stage(op)] += step_.problem->resident_bytes(op);
    }
    for (const LayeredStep::Sum& sum : step_.sums) staged_.gradients[stage(graph_.producer(sum.tensor))] += sum.bytes;
  }

  // The forward pass stands before the backward pass in every list, also where it is run again.
  void list_cells() {
    for (const OpId op : graph_.topological_order()) {
      if (step_.part(op) != Part::kForward) continue;
      auto& forms = staged_.cells[stage(op)];
      forms[kForwardForm].push_back({op});
      if (staged_.cut.recompute[stage(op)] == 0) continue;
      forms[kInputForm].push_back({op, true});
      forms[kWholeForm].push_back({op, true});
    }
    for (const OpId op : graph_.topological_order()) {
      auto& forms = staged_.cells[stage(op)];
      switch (step_.part(op)) {
        case Part::kBackwardInput:
          forms[kInputForm].push_back({op});
          forms[kWholeForm].push_back({op});
          break;
        case Part::kBackwardWeight:
          forms[kWeightForm].push_back({op});
          forms[kWholeForm].push_back({op});
          break;
        case Part::kUpdate:
          forms[kUpdateForm].push_back({op});
          break;
        default:
          break;
      }
    }
    first_places_.assign(graph_.num_ops(), kNowhere);
    again_places_.assign(graph_.num_ops(), kNowhere);
    for (const auto& forms : staged_.cells) {
      for (std::size_t form = 0; form < kForms; ++form) {
        for (std::size_t i = 0; i < forms[form].size(); ++i) {
          const Cell& cell = forms[form][i];
          (cell.again ? again_places_ : first_places_)[index(cell.op)][form] = static_cast<std::int32_t>(i);
        }
      }
    }
  }

  [[nodiscard]] const Places& places(const Cell& cell) const {
    return (cell.again ? again_places_ : first_places_)[index(cell.op)];
  }

  // Every cell once, in an order in which storages are made before they are read.
  void hold_stage(std::uint32_t s) {
    const auto& forms = staged_.cells[s];
    for (const Cell& cell : forms[kForwardForm]) hold_cell(cell, s);
    for (const Cell& cell : forms[kWholeForm]) hold_cell(cell, s);
    for (const Cell& cell : forms[kUpdateForm]) hold_cell(cell, s);
  }

  void hold_cell(const Cell& cell, std::uint32_t s) {
    const bool is_view = graph_.role(cell.op) == Role::kView;
    std::uint32_t shown = kNothing;
    bool is_first = true;
    for (const TensorId tensor : graph_.inputs(cell.op)) {
      const std::uint32_t storage = storage_read(cell, s, tensor);
      if (std::exchange(is_first, false)) shown = storage;
      if (storage == kNothing) continue;
      Held& held = staged_.held[storage];
      const Places& here = places(cell);
      for (std::size_t form = 0; form < kForms; ++form) held.read_in |= here[form] >= 0 ? 1U << form : 0U;
      if (!is_view) raise(held.last_use, here);
    }
    auto& table = cell.again ? again_ : own_;
    for (const TensorId tensor : graph_.outputs(cell.op)) {
      table[index(tensor)] = is_view ? shown : make_own(cell, s, tensor);
    }
  }

  std::uint32_t make_own(const Cell& cell, std::uint32_t s, TensorId tensor) {
    const Bytes bytes = step_.adds_up[index(tensor)] != 0 ? 0 : graph_.bytes(tensor);
    return add_held({.stage = s, .tensor = tensor, .bytes = bytes, .made = places(cell)});
  }

  std::uint32_t add_held(Held held) {
    staged_.held.push_back(std::move(held));
    return static_cast<std::uint32_t>(staged_.held.size()) - 1;
  }

  // The storage in the stage that a cell reads; nothing for what is at home there and held all the time.
  std::uint32_t storage_read(const Cell& cell, std::uint32_t s, TensorId tensor) {
    const OpId maker = graph_.producer(tensor);
    switch (step_.part(maker)) {
      case Part::kStatic: {
        const TensorId source = source_of(step_, tensor);
        if (stage(graph_.producer(source)) == s) return kNothing;
        return others(Held::Kind::kStatic, s, source, staged_.statics);
      }
      case Part::kInput:
        return others(Held::Kind::kInput, s, tensor, staged_.inputs);
      default:
        break;
    }
    const bool sums = step_.part(cell.op) == Part::kUpdate && step_.part(maker) != Part::kUpdate;
    if (stage(maker) != s)
      return others(sums ? Held::Kind::kSum : Held::Kind::kForeign, s, tensor, sums ? staged_.sums : foreign_list_);
    if (sums) return kNothing;  // it is in the stage's own buffer
    return (reads_again(staged_, cell, tensor) ? again_ : own_)[index(tensor)];
  }

  std::uint32_t others(Held::Kind kind, std::uint32_t s, TensorId tensor, std::vector<std::uint32_t>& list) {
    const auto [entry, is_new] = others_.try_emplace({s, tensor, kind == Held::Kind::kSum}, kNothing);
    if (is_new) {
      entry->second = add_held({.kind = kind, .stage = s, .tensor = tensor, .bytes = graph_.bytes(tensor)});
      list.push_back(entry->second);
    }
    return entry->second;
  }

  void find_wires() {
    std::ranges::sort(foreign_list_, {}, [&](std::uint32_t held) {
      return std::pair(staged_.held[held].tensor, staged_.held[held].stage);
    });
    for (const std::uint32_t reader : foreign_list_) {
      const TensorId tensor = staged_.held[reader].tensor;
      if (staged_.wires.empty() || staged_.wires.back().tensor != tensor) {
        const OpId maker = graph_.producer(tensor);
        const std::uint32_t storage = own_[index(tensor)];
        if (storage != kNothing) {
          staged_.held[storage].wires.push_back(static_cast<std::uint32_t>(staged_.wires.size()));
        }
        staged_.wires.push_back({tensor, stage(maker), step_.part(maker), storage, {}});
      }
      staged_.wires.back().readers.push_back(reader);
    }
  }

  void find_controls() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Places> last;
    for (const OpId op : graph_.ops()) {
      if (graph_.updated_parameter(op) == kNoOp) continue;
      for (const OpId before : graph_.control_inputs(op)) {
        const Part part = step_.part(before);
        if (stage(before) == stage(op) || part == Part::kStatic || part == Part::kInput) continue;
        Places& places = last.try_emplace({stage(before), stage(op)}, kNowhere).first->second;
        raise(places, first_places_[index(before)]);
        raise(places, again_places_[index(before)]);
      }
    }
    for (const auto& [stages, places] : last) staged_.controls.push_back({stages.first, stages.second, places});
  }

  const LayeredStep& step_;
  const Graph& graph_;
  StagedStep staged_;
  std::vector<Places> first_places_, again_places_;  // indexed by OpId
  std::vector<std::uint32_t> own_, again_;           // indexed by TensorId: the storage it shows where it was made
  struct OthersKey {
    std::uint32_t stage;
    TensorId tensor;
    bool is_sum;
    auto operator<=>(const OthersKey&) const = default;
  };
  std::map<OthersKey, std::uint32_t> others_;
  std::vector<std::uint32_t> foreign_list_;
};

}  // namespace

StagedStep make_staged_step(const LayeredStep& step, const Cut& cut) { return StagedStepMaker(step, cut).run(); }

bool reads_again(const StagedStep& staged, const Cell& cell, TensorId tensor) {
  const LayeredStep& step = *staged.step;
  const OpId maker = step.graph().producer(tensor);
  if (staged.cut.recompute[staged.stage_of[index(cell.op)]] == 0 || step.part(maker) != Part::kForward) return false;
  return cell.again || step.part(cell.op) == Part::kBackwardInput || step.part(cell.op) == Part::kBackwardWeight;
}

}  // namespace berth::pipeline
