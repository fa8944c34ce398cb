// SPDX-License-Identifier: Apache-2.0
#include "pipeline/unit_run.h"

#include <algorithm>
#include <map>
#include <set>

#include "pipeline/message_keys.h"
#include "pipeline/task_run.h"
#include "pipeline/unit_memory.h"

namespace berth::pipeline {
namespace {

class UnitRunner {
 public:
  UnitRunner(const StagedStep& staged, const PipelinePlan& plan)
      : staged_(staged),
        plan_(plan),
        problem_(*staged.step->problem),
        microbatches_(plan.microbatches),
        run_(problem_),
        offsets_(staged),
        input_home_(home_of_inputs(problem_.machine())) {}

  Result<UnitTimeline> run(MemoryCheck memory) {
    add_actions();
    add_reductions();
    add_updates();
    add_wires();
    add_inputs();
    add_statics();
    add_sums();
    add_controls();
    if (!run_.run()) return bad_input("the lists of actions wait for each other in a circle");
    UnitTimeline timeline = times();
    if (memory == MemoryCheck::kExact) fill_memory(timeline.score);
    return timeline;
  }

 private:
  static constexpr std::uint32_t kNoTask = 0xffffffffU;

  struct Ran {
    std::uint32_t task;
    PipelineAction action;
    bool is_update;
  };

  [[nodiscard]] std::size_t cell(std::uint32_t stage, std::uint32_t microbatch) const {
    return std::size_t{stage} * microbatches_ + microbatch;
  }
  [[nodiscard]] DeviceId device(std::uint32_t stage, std::uint32_t microbatch) const {
    return device_of_[cell(stage, microbatch)];
  }
  // The task in which that form of a stage runs for a microbatch: what is split and asked for as a whole, or the other
  // way round, is none.
  [[nodiscard]] std::uint32_t task(std::uint32_t stage, std::uint32_t microbatch, std::size_t form) const {
    return tasks_[cell(stage, microbatch) * 4 + form];
  }
  // The form that really runs what belongs to `part`.
  [[nodiscard]] std::size_t form_of_part(std::uint32_t stage, std::uint32_t microbatch, Part part) const {
    if (part == Part::kForward) return form_of(ActionKind::kForward);
    const std::size_t whole = form_of(ActionKind::kBackward);
    if (task(stage, microbatch, whole) != kNoTask) return whole;
    return form_of(part == Part::kBackwardInput ? ActionKind::kBackwardInput : ActionKind::kBackwardWeight);
  }

  void add_actions() {
    const std::size_t cells = cell(static_cast<std::uint32_t>(plan_.stages.size()), 0);
    device_of_.assign(cells, kNoDevice);
    tasks_.assign(cells * 4, kNoTask);
    last_task_.assign(plan_.actions.size(), kNoTask);
    last_of_stage_.assign(plan_.stages.size(), std::map<DeviceId, std::uint32_t>());
    ran_.resize(plan_.actions.size());
    for (std::size_t d = 0; d < plan_.actions.size(); ++d) {
      for (const PipelineAction& action : plan_.actions[d]) add_action(DeviceId(d), action);
    }
    for (std::size_t at = 0; at < cells; ++at) {
      std::uint32_t before = tasks_[at * 4];
      for (const ActionKind kind : {ActionKind::kBackward, ActionKind::kBackwardInput, ActionKind::kBackwardWeight}) {
        const std::uint32_t after = tasks_[at * 4 + form_of(kind)];
        if (after == kNoTask) continue;
        run_.add_wait(before, after);
        before = after;
      }
    }
  }

  void add_action(DeviceId on, const PipelineAction& action) {
    const std::size_t form = form_of(action.kind);
    const std::uint32_t task = run_.add_task(offsets_.total(action.stage, form, on));
    device_of_[cell(action.stage, action.microbatch)] = on;
    tasks_[cell(action.stage, action.microbatch) * 4 + form] = task;
    last_of_stage_[action.stage][on] = task;
    chain(on, task);
    ran_[index(on)].push_back({task, action, false});
  }

  void chain(DeviceId on, std::uint32_t task) {
    if (last_task_[index(on)] != kNoTask) run_.add_wait(last_task_[index(on)], task);
    last_task_[index(on)] = task;
  }

  // Gradients of replicas are summed by a ring: twice as many rounds as replicas less one; in each, every replica sends
  // a share to the next.
  void add_reductions() {
    std::uint64_t number = 0;
    for (std::uint32_t s = 0; s < plan_.stages.size(); ++s) {
      const std::vector<DeviceId>& ring = plan_.stages[s].devices;
      const Bytes chunk = ring_share(staged_.gradients[s], ring.size());
      if (ring.size() < 2 || staged_.gradients[s] == 0) continue;
      std::vector<std::uint32_t> here;
      for (const DeviceId on : ring) {
        here.push_back(run_.add_task(0));
        if (const auto last = last_of_stage_[s].find(on); last != last_of_stage_[s].end()) {
          run_.add_wait(last->second, here.back());
        }
      }
      for (std::size_t round = 0; round < 2 * (ring.size() - 1); ++round) {
        std::vector<std::uint32_t> next;
        for (std::size_t i = 0; i < ring.size(); ++i) next.push_back(run_.add_task(0));
        for (std::size_t i = 0; i < ring.size(); ++i) {
          const std::size_t to = (i + 1) % ring.size();
          const std::uint32_t message = run_.add_message(
              here[i], {message_key(reduction_block(microbatches_), number++, ring[to]), ring[i], ring[to], chunk});
          run_.add_reader(message, next[to]);
          run_.add_wait(here[to], next[to]);
          copy(message).taken_by = next[to];
        }
        here = std::move(next);
      }
      for (std::size_t i = 0; i < ring.size(); ++i) reduced_[{s, ring[i]}] = here[i];
    }
  }

  void add_updates() {
    for (std::size_t d = 0; d < plan_.actions.size(); ++d) {
      last_action_.push_back(last_task_[d]);
    }
    for (std::uint32_t s = 0; s < plan_.stages.size(); ++s) {
      if (staged_.cells[s][kUpdateForm].empty()) continue;
      for (const DeviceId on : plan_.stages[s].devices) {
        const std::uint32_t task = run_.add_task(offsets_.total(s, kUpdateForm, on));
        updates_[{s, on}] = task;
        chain(on, task);
        if (const auto done = reduced_.find({s, on}); done != reduced_.end()) run_.add_wait(done->second, task);
        ran_[index(on)].push_back({task, {.stage = s}, true});
      }
    }
  }

  // The forms of a stage that are there for a microbatch and in which something is read.
  template <typename Visit>
  void for_each_reading_task(const Held& held, std::uint32_t microbatch, const Visit& visit) const {
    for (std::size_t form = 0; form < 4; ++form) {
      const std::uint32_t reading = task(held.stage, microbatch, form);
      if ((held.read_in >> form & 1U) != 0 && reading != kNoTask) visit(reading);
    }
  }

  void add_wires() {
    sent_.resize(staged_.wires.size() * microbatches_);
    for (std::uint32_t w = 0; w < staged_.wires.size(); ++w) {
      for (std::uint32_t m = 0; m < microbatches_; ++m) add_wire(w, m);
    }
  }

  void add_wire(std::uint32_t w, std::uint32_t m) {
    const Wire& wire = staged_.wires[w];
    const std::uint32_t maker = task(wire.stage, m, form_of_part(wire.stage, m, wire.part));
    const DeviceId from = device(wire.stage, m);
    for (const std::uint32_t reader : wire.readers) {
      const Held& held = staged_.held[reader];
      const DeviceId to = device(held.stage, m);
      if (to == from) {
        for_each_reading_task(held, m, [&](std::uint32_t reading) { run_.add_wait(maker, reading); });
        continue;
      }
      const std::uint32_t message = message_to(
          sent_[std::size_t{w} * microbatches_ + m], maker,
          {message_key(sends_block(m), index(wire.tensor), to), from, to, staged_.step->graph().bytes(wire.tensor)});
      for_each_reading_task(held, m, [&](std::uint32_t reading) { run_.add_reader(message, reading); });
      copy(message).readers.push_back({reader, m});
    }
  }

  // One message per destination.
  std::uint32_t message_to(std::vector<std::uint32_t>& list, std::uint32_t maker, const TaskRun::Message& message) {
    for (const std::uint32_t id : list) {
      if (run_.message(id).to == message.to) return id;
    }
    list.push_back(run_.add_message(maker, message));
    return list.back();
  }

  void add_inputs() {
    for (std::uint32_t m = 0; m < microbatches_; ++m) {
      for (std::size_t i = 0; i < staged_.inputs.size(); ++i) {
        const std::uint32_t reader = staged_.inputs[i];
        const Held& held = staged_.held[reader];
        const bool is_new = i == 0 || staged_.held[staged_.inputs[i - 1]].tensor != held.tensor;
        if (is_new) arrivals_.push_back({input_home_.value_or(device(held.stage, m)), held.bytes, {}, {}});
        Arrival& arrival = arrivals_.back();
        const DeviceId to = device(held.stage, m);
        if (to == arrival.home) {
          arrival.readers.push_back({reader, m});
          continue;
        }
        const std::uint32_t message =
            message_to(arrival.sent, kFromStart,
                       {message_key(inputs_block(m), index(held.tensor), to), arrival.home, to, held.bytes});
        for_each_reading_task(held, m, [&](std::uint32_t reading) { run_.add_reader(message, reading); });
        copy(message).readers.push_back({reader, m});
      }
    }
  }

  // To every device that runs a reader, replicas without microbatches do not count.
  void add_statics() {
    std::map<std::pair<TensorId, DeviceId>, std::uint32_t> sent;
    for (const std::uint32_t reader : staged_.statics) {
      const Held& held = staged_.held[reader];
      const std::uint32_t home_stage = staged_.stage_of[index(staged_.step->graph().producer(held.tensor))];
      const std::vector<DeviceId>& homes = plan_.stages[home_stage].devices;
      for (const DeviceId to : plan_.stages[held.stage].devices) {
        if (std::ranges::find(homes, to) != homes.end() || !reads_static(held, to)) continue;
        const auto [entry, is_new] = sent.try_emplace({held.tensor, to}, 0U);
        if (is_new) {
          entry->second = run_.add_message(
              kFromStart, {message_key(kStaticBlock, index(held.tensor), to), homes.front(), to, held.bytes});
        }
        add_static_readers(reader, to, entry->second);
      }
    }
  }

  [[nodiscard]] bool reads_static(const Held& held, DeviceId on) const {
    bool reads = (held.read_in >> kUpdateForm & 1U) != 0;
    for (std::uint32_t m = 0; m < microbatches_; ++m) {
      if (device(held.stage, m) == on) for_each_reading_task(held, m, [&](std::uint32_t) { reads = true; });
    }
    return reads;
  }

  void add_static_readers(std::uint32_t reader, DeviceId on, std::uint32_t message) {
    const Held& held = staged_.held[reader];
    for (std::uint32_t m = 0; m < microbatches_; ++m) {
      if (device(held.stage, m) != on) continue;
      for_each_reading_task(held, m, [&](std::uint32_t reading) { run_.add_reader(message, reading); });
      copy(message).readers.push_back({reader, m});
    }
    if ((held.read_in >> kUpdateForm & 1U) == 0) return;
    run_.add_reader(message, updates_.at({held.stage, on}));
    copy(message).update_readers.push_back(reader);
  }

  // Replicas share no sums with other stages (verify_replicas), so that both sides are on one device.
  void add_sums() {
    std::map<std::pair<TensorId, DeviceId>, std::uint32_t> sent;
    for (const std::uint32_t reader : staged_.sums) {
      const Held& held = staged_.held[reader];
      const std::uint32_t maker = staged_.stage_of[index(staged_.step->graph().producer(held.tensor))];
      const DeviceId from = plan_.stages[maker].devices.front(), to = plan_.stages[held.stage].devices.front();
      if (from == to) continue;
      const auto [entry, is_new] = sent.try_emplace({held.tensor, to}, 0U);
      if (is_new) {
        entry->second =
            run_.add_message(last_action_[index(from)],
                             {message_key(sums_block(microbatches_), index(held.tensor), to), from, to, held.bytes});
      }
      run_.add_reader(entry->second, updates_.at({held.stage, to}));
      copy(entry->second).update_readers.push_back(reader);
    }
  }

  void add_controls() {
    for (const ReaderControl& control : staged_.controls) {
      for (const DeviceId to : plan_.stages[control.to].devices) {
        const std::uint32_t update = updates_.at({control.to, to});
        for (std::uint32_t m = 0; m < microbatches_; ++m) add_control(control, m, to, update);
      }
    }
  }

  void add_control(const ReaderControl& control, std::uint32_t m, DeviceId to, std::uint32_t update) {
    const DeviceId from = device(control.from, m);
    if (from == to) return;
    for (std::size_t form = 0; form < 4; ++form) {
      const std::uint32_t before = task(control.from, m, form);
      if (control.last[form] < 0 || before == kNoTask) continue;
      run_.add_delayed_wait(before, update, offsets_.end(control.from, form, from, control.last[form]),
                            problem_.control_latency(from, to));
    }
  }

  [[nodiscard]] UnitTimeline times() const {
    UnitTimeline timeline;
    timeline.score.step_time = run_.last_end();
    timeline.score.queues = run_.queues();
    timeline.score.devices.resize(problem_.machine().num_devices());
    for (std::size_t d = 0; d < ran_.size(); ++d) {
      for (const Ran& ran : ran_[d]) {
        timeline.actions.push_back({ran.action, ran.is_update, DeviceId(d), run_.start(ran.task), run_.end(ran.task)});
        timeline.score.devices[d].busy += run_.end(ran.task) - run_.start(ran.task);
      }
    }
    return timeline;
  }

  // --- memory ---

  struct Reader {
    std::uint32_t held, microbatch;
  };
  struct Copy {
    std::vector<Reader> readers;
    std::vector<std::uint32_t> update_readers;
    std::uint32_t taken_by = kNoTask;  // of what replicas pass on
  };
  struct Arrival {
    DeviceId home;
    Bytes bytes;
    std::vector<Reader> readers;  // on the home device
    std::vector<std::uint32_t> sent;
  };

  Copy& copy(std::uint32_t message) {
    if (copies_.size() <= message) copies_.resize(message + 1);
    return copies_[message];
  }

  void fill_memory(Score& score) {
    MemoryUse use(problem_);
    for (std::uint32_t s = 0; s < plan_.stages.size(); ++s) {
      for (const DeviceId on : plan_.stages[s].devices) use.add(on, 0, staged_.resident[s] + staged_.gradients[s]);
    }
    const StageProfiles profiles(staged_);
    for (std::size_t d = 0; d < ran_.size(); ++d) {
      for (const Ran& ran : ran_[d]) {
        const std::uint32_t s = ran.action.stage;
        const std::size_t form = ran.is_update ? kUpdateForm : form_of(ran.action.kind);
        const std::span<const Picoseconds> offsets = offsets_.of(s, form, DeviceId(d));
        for (const StageProfiles::Change& change : profiles.of(s, form)) {
          use.add(DeviceId(d), run_.start(ran.task) + offsets[change.offset], change.bytes);
        }
      }
    }
    add_moving(use);
    use.judge(score);
  }

  // What is sent or received lives as long as somebody needs it, whoever that is.
  void add_moving(MemoryUse& use) {
    for (std::uint32_t h = 0; h < staged_.held.size(); ++h) {
      const Held& held = staged_.held[h];
      if (held.kind != Held::Kind::kOwn || held.wires.empty()) continue;
      for (std::uint32_t m = 0; m < microbatches_; ++m) {
        const auto [form, place] = place_made(held, m);
        const std::uint32_t maker = task(held.stage, m, form);
        const DeviceId on = device(held.stage, m);
        const Picoseconds made = run_.start(maker) + offsets_.begin(held.stage, form, on, place);
        use.add(on, made, held.bytes);
        use.add(on, std::max(run_.start(maker) + offsets_.end(held.stage, form, on, place), needed_until({h, m})),
                -held.bytes);
      }
    }
    copies_.resize(run_.num_messages());
    for (std::uint32_t id = 0; id < run_.num_messages(); ++id) {
      const TaskRun::Message& message = run_.message(id);
      use.add(message.to, message.last_link_start, message.bytes);
      use.add(message.to, std::max(message.arrived, copy_needed_until(id)), -message.bytes);
    }
    for (const Arrival& arrival : arrivals_) {
      Picoseconds until = 0;
      for (const Reader& reader : arrival.readers) until = std::max(until, needed_until(reader));
      for (const std::uint32_t message : arrival.sent) until = std::max(until, run_.message(message).left);
      use.add(arrival.home, 0, arrival.bytes);
      use.add(arrival.home, until, -arrival.bytes);
    }
  }

  [[nodiscard]] std::pair<std::size_t, std::int32_t> place_made(const Held& held, std::uint32_t m) const {
    for (std::size_t form = 0; form < 4; ++form) {
      if (held.made[form] >= 0 && task(held.stage, m, form) != kNoTask) return {form, held.made[form]};
    }
    BERTH_CHECK(false);
  }

  // The end of the last op that reads a storage in its stage, and of all that goes on from there as a view of it.
  [[nodiscard]] Picoseconds needed_until(const Reader& reader) const {
    const Held& held = staged_.held[reader.held];
    const DeviceId on = device(held.stage, reader.microbatch);
    Picoseconds until = 0;
    for (std::size_t form = 0; form < 4; ++form) {
      const std::uint32_t reading = task(held.stage, reader.microbatch, form);
      if (reading == kNoTask) continue;
      // An action begins by reading all that others bring, also what it only looks at.
      if (held.kind != Held::Kind::kOwn && (held.read_in >> form & 1U) != 0)
        until = std::max(until, run_.start(reading));
      if (held.last_use[form] < 0) continue;
      until = std::max(until, run_.start(reading) + offsets_.end(held.stage, form, on, held.last_use[form]));
    }
    for (const std::uint32_t w : held.wires) {
      for (const std::uint32_t message : sent_[std::size_t{w} * microbatches_ + reader.microbatch]) {
        until = std::max(until, run_.message(message).left);
      }
      for (const std::uint32_t other : staged_.wires[w].readers) {
        if (device(staged_.held[other].stage, reader.microbatch) != on) continue;
        until = std::max(until, needed_until({other, reader.microbatch}));
      }
    }
    return until;
  }

  [[nodiscard]] Picoseconds copy_needed_until(std::uint32_t message) const {
    const std::uint32_t taken_by = copies_[message].taken_by;
    Picoseconds until = taken_by == kNoTask ? 0 : run_.start(taken_by);
    for (const Reader& reader : copies_[message].readers) until = std::max(until, needed_until(reader));
    for (const std::uint32_t reader : copies_[message].update_readers) {
      const Held& held = staged_.held[reader];
      const DeviceId on = run_.message(message).to;
      const std::uint32_t update = updates_.at({held.stage, on});
      until = std::max(until, run_.start(update));
      if (held.last_use[kUpdateForm] < 0) continue;
      until =
          std::max(until, run_.start(update) + offsets_.end(held.stage, kUpdateForm, on, held.last_use[kUpdateForm]));
    }
    return until;
  }

  const StagedStep& staged_;
  const PipelinePlan& plan_;
  const Problem& problem_;
  const std::uint32_t microbatches_;
  TaskRun run_;
  FormOffsets offsets_;
  const std::optional<DeviceId> input_home_;
  std::vector<DeviceId> device_of_;                               // [stage][microbatch]
  std::vector<std::uint32_t> tasks_;                              // [stage][microbatch][form]
  std::vector<std::uint32_t> last_task_, last_action_;            // per device
  std::vector<std::map<DeviceId, std::uint32_t>> last_of_stage_;  // per stage
  std::map<std::pair<std::uint32_t, DeviceId>, std::uint32_t> reduced_, updates_;
  std::vector<std::vector<Ran>> ran_;             // per device, in order
  std::vector<std::vector<std::uint32_t>> sent_;  // [wire][microbatch]: messages
  std::vector<Copy> copies_;                      // per message: who reads what it brings
  std::vector<Arrival> arrivals_;                 // inputs of microbatches
};

}  // namespace

double UnitTimeline::bubble() const {
  std::set<DeviceId> used;
  for (const ActionTime& action : actions) used.insert(action.device);
  Picoseconds busy = 0;
  for (const DeviceId device : used) busy += score.devices[index(device)].busy;
  const double all = static_cast<double>(score.step_time) * static_cast<double>(used.size());
  return all > 0 ? 1.0 - static_cast<double>(busy) / all : 0.0;
}

Result<UnitTimeline> run_units(const StagedStep& staged, const PipelinePlan& plan, MemoryCheck memory) {
  return UnitRunner(staged, plan).run(memory);
}

bool can_run(const StagedStep& staged, std::uint32_t stage, DeviceId device) {
  const Problem& problem = *staged.step->problem;
  for (const OpId op : problem.graph().ops()) {
    if (staged.stage_of[index(op)] != stage || staged.step->part(op) == Part::kInput) continue;
    if ((problem.allowed(op) & device_bit(device)) == 0) return false;
  }
  return true;
}

std::optional<DeviceId> home_of_inputs(const Machine& machine) { return machine.first_of(DeviceKind::kCpu); }

Picoseconds form_time(const StagedStep& staged, std::uint32_t stage, std::size_t form, DeviceId device) {
  Picoseconds sum = 0;
  for (const Cell& cell : staged.cells[stage][form]) sum += staged.step->problem->duration(cell.op, device);
  return sum;
}

}  // namespace berth::pipeline
