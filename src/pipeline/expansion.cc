// SPDX-License-Identifier: Apache-2.0
#include "pipeline/expansion.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "graph/builder.h"
#include "pipeline/message_keys.h"
#include "pipeline/unit_run.h"

namespace berth::pipeline {
namespace {

class Expander {
 public:
  Expander(const StagedStep& staged, const PipelinePlan& plan)
      : staged_(staged),
        step_(*staged.step),
        graph_(step_.graph()),
        problem_(*step_.problem),
        pipeline_(plan),
        builder_(graph_.title()) {
    builder_.set_optimizer(graph_.optimizer());
  }

  Result<Expansion> run() {
    find_devices();
    add_sources();
    for (std::uint32_t m = 0; m < pipeline_.microbatches; ++m) {
      add_inputs(m);
      name_cells(m);
      add_sends(m);
    }
    add_sum_views();
    add_reductions();
    for (std::size_t d = 0; d < pipeline_.actions.size(); ++d) {
      for (const PipelineAction& action : pipeline_.actions[d]) run_action(DeviceId(d), action);
      last_action_[DeviceId(d)] = last_on(DeviceId(d));
    }
    for (std::uint32_t s = 0; s < staged_.num_stages(); ++s) {
      for (const DeviceId on : pipeline_.stages[s].devices) run_update(s, on);
    }
    connect_sends();
    return finish();
  }

 private:
  // An op of the expansion, collected here so that it can still be given inputs; ids are places in this list.
  struct NewOp {
    std::string name, type;
    Role role = Role::kCompute;
    std::vector<OutputRef> inputs = {};
    std::vector<OpId> controls = {};
    std::vector<TensorSpec> outputs = {};
    OpId updates = kNoOp;
    DeviceId device{};
    Picoseconds duration = 0;
  };

  OpId add(NewOp op) {
    ops_.push_back(std::move(op));
    return OpId(ops_.size() - 1);
  }
  NewOp& op(OpId id) { return ops_[index(id)]; }

  void find_devices() {
    device_of_.assign(staged_.num_stages(), std::vector<DeviceId>(pipeline_.microbatches));
    for (std::size_t d = 0; d < pipeline_.actions.size(); ++d) {
      for (const PipelineAction& action : pipeline_.actions[d])
        device_of_[action.stage][action.microbatch] = DeviceId(d);
    }
  }

  [[nodiscard]] std::string at_device(OpId source, DeviceId device) const {
    return fmt::format("{}@{}", graph_.name(source), problem_.machine().device(device).name);
  }

  [[nodiscard]] TensorSpec spec(TensorId tensor) const {
    const auto shape = graph_.shape(tensor);
    return {graph_.dtype(tensor), {shape.begin(), shape.end()}};
  }
  static TensorSpec raw(Bytes bytes) { return {DType::kU8, {bytes}}; }

  NewOp copy_of(OpId source, std::string name, DeviceId device) const {
    NewOp made{.name = std::move(name), .type = graph_.type(source), .role = graph_.role(source), .device = device};
    for (const TensorId tensor : graph_.outputs(source)) {
      made.outputs.push_back(step_.adds_up[index(tensor)] != 0 ? raw(0) : spec(tensor));
    }
    return made;
  }

  // Sources once per device of their stage, and the buffers of sums.
  void add_sources() {
    for (std::uint32_t s = 0; s < staged_.num_stages(); ++s) {
      if (staged_.gradients[s] == 0) continue;
      for (const DeviceId on : pipeline_.stages[s].devices) {
        buffers_[{s, on}] = add({.name = fmt::format("gradients of stage {} on {}", s, index(on)),
                                 .type = "buffer",
                                 .role = Role::kBuffer,
                                 .outputs = {raw(staged_.gradients[s])},
                                 .device = on});
      }
    }
    for (const OpId source : graph_.ops()) {
      if (!is_resident(graph_.role(source))) continue;
      for (const DeviceId on : pipeline_.stages[staged_.stage_of[index(source)]].devices) {
        statics_[{source, on}] = add(copy_of(source, at_device(source, on), on));
      }
    }
  }

  void add_inputs(std::uint32_t m) {
    for (const std::uint32_t reader : staged_.inputs) {
      const Held& held = staged_.held[reader];
      const OpId source = graph_.producer(held.tensor);
      if (inputs_.contains({source, m})) continue;
      const DeviceId home = home_of_inputs(problem_.machine()).value_or(device_of_[held.stage][m]);
      inputs_[{source, m}] = add(copy_of(source, fmt::format("{} of {}", graph_.name(source), m), home));
    }
  }

  void name_cells(std::uint32_t m) {
    for (std::uint32_t s = 0; s < staged_.num_stages(); ++s) {
      const auto& forms = staged_.cells[s];
      for (const Cell& cell : forms[form_of(ActionKind::kForward)]) name_cell(cell, s, m);
      for (const Cell& cell : forms[form_of(ActionKind::kBackward)]) name_cell(cell, s, m);
    }
  }

  void name_cell(const Cell& cell, std::uint32_t s, std::uint32_t m) {
    const DeviceId on = device_of_[s][m];
    NewOp made = copy_of(cell.op, fmt::format("{}{} of {}", graph_.name(cell.op), cell.again ? " again" : "", m), on);
    made.duration = problem_.duration(cell.op, on);
    cells_[{cell.op, cell.again, m}] = add(std::move(made));
  }

  // What leaves the device; its inputs come when the actions are known.
  void add_sends(std::uint32_t m) {
    for (const Wire& wire : staged_.wires) {
      const DeviceId from = device_of_[wire.stage][m];
      const bool leaves = std::ranges::any_of(
          wire.readers, [&](std::uint32_t reader) { return device_of_[staged_.held[reader].stage][m] != from; });
      if (!leaves) continue;
      sends_[{wire.tensor, m}] = add({.name = fmt::format("send {} of {}", index(wire.tensor), m),
                                      .type = "send",
                                      .role = Role::kView,
                                      .outputs = {spec(wire.tensor)},
                                      .device = from});
    }
  }

  void add_sum_views() {
    for (const LayeredStep::Sum& sum : step_.sums) {
      const std::uint32_t s = staged_.stage_of[index(graph_.producer(sum.tensor))];
      for (const DeviceId on : pipeline_.stages[s].devices) {
        NewOp view{.name = fmt::format("sum of {} on {}", index(sum.tensor), index(on)),
                   .type = "sum",
                   .role = Role::kView,
                   .outputs = {spec(sum.tensor)},
                   .device = on};
        if (const auto buffer = buffers_.find({s, on}); buffer != buffers_.end()) {
          view.inputs = {{buffer->second, 0}};
        } else {
          view.role = Role::kCompute;  // of no bytes: nothing to show
        }
        sums_[{sum.tensor, on}] = add(std::move(view));
      }
    }
  }

  void add_reductions() {
    for (std::uint32_t s = 0; s < staged_.num_stages(); ++s) {
      const std::vector<DeviceId>& ring = pipeline_.stages[s].devices;
      if (ring.size() < 2 || staged_.gradients[s] == 0) continue;
      add_ring(s, ring);
    }
  }

  void add_ring(std::uint32_t s, const std::vector<DeviceId>& ring) {
    const auto step_op = [&](std::size_t round, std::size_t i) {
      return add({.name = fmt::format("ring {} {} {}", s, round, i), .type = "ring", .device = ring[i]});
    };
    std::vector<OpId> here;
    for (std::size_t i = 0; i < ring.size(); ++i) here.push_back(step_op(0, i));
    ring_starts_[s] = here;
    for (std::size_t round = 0; round < 2 * (ring.size() - 1); ++round) {
      std::vector<OpId> next, shares;
      for (std::size_t i = 0; i < ring.size(); ++i) {
        shares.push_back(add({.name = fmt::format("share {} {} {}", s, round, i),
                              .type = "share",
                              .role = Role::kView,
                              .inputs = {{buffers_.at({s, ring[i]}), 0}},
                              .controls = {here[i]},
                              .outputs = {raw(ring_share(staged_.gradients[s], ring.size()))},
                              .device = ring[i]}));
      }
      for (std::size_t i = 0; i < ring.size(); ++i) {
        next.push_back(step_op(round + 1, i));
        op(next.back()).controls = {here[i]};
        op(next.back()).inputs = {{shares[(i + ring.size() - 1) % ring.size()], 0}};
      }
      here = std::move(next);
    }
    for (std::size_t i = 0; i < ring.size(); ++i) ring_ends_[{s, ring[i]}] = here[i];
  }

  OpId last_on(DeviceId device) {
    const auto last = last_.find(device);
    return last == last_.end() ? kNoOp : last->second;
  }

  // The op that an action begins with; all others of it come after it.
  OpId begin(DeviceId on, std::string name) {
    const OpId first = add({.name = std::move(name), .type = "begin", .device = on});
    if (const OpId before = last_on(on); before != kNoOp) op(first).controls.push_back(before);
    last_[on] = first;
    return first;
  }

  void chain(DeviceId on, OpId next) {
    op(next).controls.push_back(last_.at(on));
    last_[on] = next;
  }

  void run_action(DeviceId on, const PipelineAction& action) {
    const OpId first =
        begin(on, fmt::format("{} of {} in stage {}", name_of(action.kind), action.microbatch, action.stage));
    for (const Cell& cell : staged_.cells[action.stage][form_of(action.kind)]) {
      const OpId made = cells_.at({cell.op, cell.again, action.microbatch});
      for (const TensorId tensor : graph_.inputs(cell.op)) {
        const OutputRef source = source_for(cell, action.stage, action.microbatch, on, tensor);
        op(made).inputs.push_back(source);
        if (comes_from_outside(action.stage, on, tensor)) waited_for_[first].insert({index(source.op), source.output});
      }
      if (op(made).role != Role::kView) chain(on, made);
    }
    for (const Wire& wire : staged_.wires) {
      if (wire.stage != action.stage || !runs(action.kind, wire.part)) continue;
      if (const auto send = sends_.find({wire.tensor, action.microbatch}); send != sends_.end()) {
        op(send->second).controls = {last_.at(on)};
      }
    }
    last_of_stage_[{action.stage, on}] = last_.at(on);
  }

  static bool runs(ActionKind kind, Part part) {
    switch (kind) {
      case ActionKind::kForward:
        return part == Part::kForward;
      case ActionKind::kBackward:
        return part == Part::kBackwardInput || part == Part::kBackwardWeight;
      case ActionKind::kBackwardInput:
        return part == Part::kBackwardInput;
      case ActionKind::kBackwardWeight:
        return part == Part::kBackwardWeight;
    }
    return false;
  }

  // Other stages, microbatches' inputs and weights of other devices: what an action waits for before it begins.
  bool comes_from_outside(std::uint32_t s, DeviceId on, TensorId tensor) {
    const OpId maker = graph_.producer(tensor);
    if (step_.part(maker) == Part::kStatic) {
      return !statics_.contains({graph_.producer(source_of(step_, tensor)), on});
    }
    return step_.part(maker) == Part::kInput || staged_.stage_of[index(maker)] != s;
  }

  OutputRef source_for(const Cell& cell, std::uint32_t s, std::uint32_t m, DeviceId on, TensorId tensor) {
    const OpId maker = graph_.producer(tensor);
    const int output = graph_.output_index(tensor);
    if (step_.part(maker) == Part::kStatic) return {static_op(maker, on), output};
    if (step_.part(maker) == Part::kInput) return {inputs_.at({maker, m}), output};
    const std::uint32_t made_in = staged_.stage_of[index(maker)];
    if (made_in == s) return {cells_.at({maker, reads_again(staged_, cell, tensor), m}), output};
    if (device_of_[made_in][m] == on) return {cells_.at({maker, false, m}), output};
    return {sends_.at({tensor, m}), 0};
  }

  // A source where it is at home, else its first home, from where it is sent; views of it on every device anew.
  OpId static_op(OpId source, DeviceId on) {
    if (const auto found = statics_.find({source, on}); found != statics_.end()) return found->second;
    if (graph_.role(source) != Role::kView) {
      return statics_.at({source, pipeline_.stages[staged_.stage_of[index(source)]].devices.front()});
    }
    const OpId view = add(copy_of(source, at_device(source, on), on));
    statics_[{source, on}] = view;
    for (const TensorId tensor : graph_.inputs(source)) {
      const OutputRef shown{static_op(graph_.producer(tensor), on), graph_.output_index(tensor)};
      op(view).inputs.push_back(shown);
    }
    return view;
  }

  void run_update(std::uint32_t s, DeviceId on) {
    if (staged_.cells[s][kUpdateForm].empty()) return;
    const OpId first = begin(on, fmt::format("update of stage {} on {}", s, index(on)));
    if (const auto end = ring_ends_.find({s, on}); end != ring_ends_.end()) op(first).controls.push_back(end->second);
    std::map<OpId, OpId> made;
    for (const Cell& cell : staged_.cells[s][kUpdateForm]) {
      NewOp copy = copy_of(cell.op, at_device(cell.op, on), on);
      copy.duration = problem_.duration(cell.op, on);
      const OpId parameter = graph_.updated_parameter(cell.op);
      if (parameter != kNoOp) copy.updates = statics_.at({parameter, on});
      const OpId update = made[cell.op] = add(std::move(copy));
      for (const TensorId tensor : graph_.inputs(cell.op)) read_in_update(update, first, s, on, tensor, made);
      if (op(update).role != Role::kView) chain(on, update);
      if (parameter != kNoOp) wait_for_readers(first, cell.op, s);
    }
  }

  void read_in_update(OpId update, OpId first, std::uint32_t s, DeviceId on, TensorId tensor,
                      const std::map<OpId, OpId>& made) {
    const OpId maker = graph_.producer(tensor);
    const int output = graph_.output_index(tensor);
    OutputRef source;
    if (step_.part(maker) == Part::kStatic) {
      source = {static_op(maker, on), output};
    } else if (step_.part(maker) == Part::kUpdate) {
      source = {made.at(maker), output};
    } else {
      const std::uint32_t made_in = staged_.stage_of[index(maker)];
      source = {sums_.at({tensor, made_in == s ? on : pipeline_.stages[made_in].devices.front()}), 0};
    }
    op(update).inputs.push_back(source);
    if (op(source.op).device != on || (step_.part(maker) == Part::kStatic && comes_from_outside(s, on, tensor))) {
      waited_for_[first].insert({index(source.op), source.output});
    }
  }

  // Readers of a parameter in other stages.
  void wait_for_readers(OpId first, OpId update, std::uint32_t s) {
    for (const OpId before : graph_.control_inputs(update)) {
      const Part part = step_.part(before);
      if (staged_.stage_of[index(before)] == s || part == Part::kStatic || part == Part::kInput) continue;
      for (std::uint32_t m = 0; m < pipeline_.microbatches; ++m) {
        for (const bool again : {false, true}) {
          const auto cell = cells_.find({before, again, m});
          if (cell != cells_.end()) op(first).controls.push_back(cell->second);
        }
      }
    }
  }

  // What could not be said before all ops were there.
  void connect_sends() {
    for (const auto& [key, send] : sends_) {
      const auto& [tensor, m] = key;
      op(send).inputs = {{cells_.at({graph_.producer(tensor), false, m}), graph_.output_index(tensor)}};
    }
    for (const auto& [key, view] : sums_) {
      if (const OpId last = last_action_[key.second]; last != kNoOp) op(view).controls.push_back(last);
    }
    for (const auto& [s, starts] : ring_starts_) {
      for (std::size_t i = 0; i < starts.size(); ++i) {
        const auto last = last_of_stage_.find({s, pipeline_.stages[s].devices[i]});
        if (last != last_of_stage_.end()) op(starts[i]).controls.push_back(last->second);
      }
    }
    for (const auto& [first, tensors] : waited_for_) {
      for (const auto& [source, output] : tensors) op(first).inputs.push_back({OpId(source), output});
    }
  }

  Result<Expansion> finish() {
    ExplicitCosts costs;
    Plan plan;
    for (const NewOp& made : ops_) {
      builder_.add({.name = made.name,
                    .type = made.type,
                    .role = made.role,
                    .inputs = made.inputs,
                    .control_inputs = made.controls,
                    .outputs = made.outputs,
                    .updates = made.updates});
      auto& times = costs.time_s.emplace_back(problem_.machine().num_devices(), -1.0);
      times[index(made.device)] = to_seconds(made.duration);
      plan.device_of.push_back(made.device);
    }
    BERTH_TRY(Graph graph, std::move(builder_).build());
    Constraints constraints;
    constraints.inputs_on_first_cpu = false;
    BERTH_TRY(Problem problem, make_problem(std::make_shared<const Graph>(std::move(graph)),
                                            std::make_shared<const Machine>(problem_.machine()), costs, constraints));
    return Expansion{std::move(problem), std::move(plan)};
  }

  const StagedStep& staged_;
  const LayeredStep& step_;
  const Graph& graph_;
  const Problem& problem_;
  const PipelinePlan& pipeline_;
  GraphBuilder builder_;
  std::deque<NewOp> ops_;
  std::vector<std::vector<DeviceId>> device_of_;  // [stage][microbatch]
  std::map<std::pair<OpId, DeviceId>, OpId> statics_;
  std::map<std::pair<std::uint32_t, DeviceId>, OpId> buffers_, last_of_stage_, ring_ends_;
  std::map<std::pair<OpId, std::uint32_t>, OpId> inputs_;
  std::map<std::tuple<OpId, bool, std::uint32_t>, OpId> cells_;
  std::map<std::pair<TensorId, std::uint32_t>, OpId> sends_;
  std::map<std::pair<TensorId, DeviceId>, OpId> sums_;
  std::map<std::uint32_t, std::vector<OpId>> ring_starts_;
  std::map<DeviceId, OpId> last_, last_action_;
  std::map<OpId, std::set<std::pair<std::size_t, int>>> waited_for_;
};

}  // namespace

Result<Expansion> expand(const StagedStep& staged, const PipelinePlan& plan) { return Expander(staged, plan).run(); }

}  // namespace berth::pipeline
