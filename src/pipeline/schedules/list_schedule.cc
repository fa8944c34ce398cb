// SPDX-License-Identifier: Apache-2.0
#include "pipeline/schedules/list_schedule.h"

#include <algorithm>
#include <limits>

#include "pipeline/unit_run.h"

namespace berth::pipeline {
namespace {

constexpr Picoseconds kUnknown = std::numeric_limits<Picoseconds>::max() / 4;

class ListScheduler {
 public:
  ListScheduler(const StagedStep& staged, const ListRequest& request)
      : staged_(staged),
        request_(request),
        problem_(*staged.step->problem),
        stages_(staged.num_stages()),
        free_at_(problem_.machine().num_devices(), 0),
        lists_(problem_.machine().num_devices()),
        state_(stages_) {
    for (std::uint32_t s = 0; s < stages_; ++s) price(s);
    find_delays();
  }

  Lists run() {
    for (std::size_t left = stages_ * request_.microbatches * (request_.split ? 3 : 2); left > 0; --left) {
      const Choice choice = next();
      BERTH_CHECK(choice.start < kUnknown);
      take(choice);
    }
    return std::move(lists_);
  }

 private:
  struct Stage {
    std::array<Picoseconds, 4> time{};
    std::uint32_t forward = 0, backward = 0, weight = 0;  // done
    std::vector<Picoseconds> forward_end, backward_end;   // by microbatch, of the part that others wait for
  };
  struct Choice {
    PipelineAction action;
    Picoseconds start = kUnknown;
    int rank = 0;  // smaller goes first
  };
  struct Delay {
    std::uint32_t from, to;
    bool forward;
    Picoseconds time;
  };

  void price(std::uint32_t s) {
    for (std::size_t form = 0; form < 4; ++form) {
      state_[s].time[form] = form_time(staged_, s, form, request_.devices[s]);
    }
  }

  // Between stages, all tensors one after the other.
  void find_delays() {
    for (const Wire& wire : staged_.wires) {
      for (const std::uint32_t reader : wire.readers) {
        const Held& held = staged_.held[reader];
        const bool forward = wire.part == Part::kForward;
        const bool in_forward = (held.read_in & 1U << form_of(ActionKind::kForward)) != 0;
        if (forward != in_forward) continue;
        Picoseconds time = 0;
        const DeviceId from = request_.devices[wire.stage], to = request_.devices[held.stage];
        if (from != to) {
          for (const std::uint16_t channel : problem_.machine().route(from, to)) {
            time += problem_.transfer_time(held.bytes, channel);
          }
        }
        add_delay({wire.stage, held.stage, forward, time});
      }
    }
  }

  void add_delay(const Delay& delay) {
    for (Delay& known : delays_) {
      if (known.from != delay.from || known.to != delay.to || known.forward != delay.forward) continue;
      known.time += delay.time;
      return;
    }
    delays_.push_back(delay);
  }

  [[nodiscard]] Picoseconds arrival(std::uint32_t s, std::uint32_t m, bool forward) const {
    Picoseconds time = 0;
    for (const Delay& delay : delays_) {
      if (delay.to != s || delay.forward != forward) continue;
      const auto& ends = forward ? state_[delay.from].forward_end : state_[delay.from].backward_end;
      if (ends.size() <= m) return kUnknown;
      time = std::max(time, ends[m] + delay.time);
    }
    return time;
  }

  [[nodiscard]] Choice next() const {
    Choice best;
    for (std::uint32_t s = 0; s < stages_; ++s) {
      consider(best, backward_of(s));
      consider(best, forward_of(s));
      if (request_.split) consider(best, weight_of(s));
    }
    return best;
  }

  static void consider(Choice& best, const Choice& other) {
    if (other.start < best.start || (other.start == best.start && other.rank < best.rank)) best = other;
  }

  [[nodiscard]] Choice forward_of(std::uint32_t s) const {
    const Stage& stage = state_[s];
    const std::uint32_t released = request_.split ? stage.weight : stage.backward;
    if (stage.forward == request_.microbatches || stage.forward - released >= request_.limits[s]) return {};
    return choice({ActionKind::kForward, s, stage.forward}, arrival(s, stage.forward, true), 1);
  }

  // All that comes behind must have been through first.
  [[nodiscard]] Choice backward_of(std::uint32_t s) const {
    const Stage& stage = state_[s];
    if (stage.backward >= stage.forward) return {};
    for (const Stage& other : state_) {
      if (other.forward <= stage.backward) return {};
    }
    const ActionKind kind = request_.split ? ActionKind::kBackwardInput : ActionKind::kBackward;
    return choice({kind, s, stage.backward}, arrival(s, stage.backward, false), 0);
  }

  // It is ready at once, but gives way to whatever can start at once too.
  [[nodiscard]] Choice weight_of(std::uint32_t s) const {
    const Stage& stage = state_[s];
    if (stage.weight >= stage.backward) return {};
    return choice({ActionKind::kBackwardWeight, s, stage.weight}, 0, 2);
  }

  [[nodiscard]] Choice choice(PipelineAction action, Picoseconds ready, int rank) const {
    if (ready >= kUnknown) return {};
    return {action, std::max(ready, free_at_[index(request_.devices[action.stage])]), rank};
  }

  void take(const Choice& choice) {
    const PipelineAction& action = choice.action;
    Stage& stage = state_[action.stage];
    const Picoseconds end = choice.start + stage.time[form_of(action.kind)];
    free_at_[index(request_.devices[action.stage])] = end;
    lists_[index(request_.devices[action.stage])].push_back(action);
    switch (action.kind) {
      case ActionKind::kForward:
        ++stage.forward;
        stage.forward_end.push_back(end);
        break;
      case ActionKind::kBackward:
      case ActionKind::kBackwardInput:
        ++stage.backward;
        stage.backward_end.push_back(end);
        break;
      case ActionKind::kBackwardWeight:
        ++stage.weight;
        break;
    }
  }

  const StagedStep& staged_;
  const ListRequest& request_;
  const Problem& problem_;
  const std::size_t stages_;
  std::vector<Picoseconds> free_at_;
  Lists lists_;
  std::vector<Stage> state_;
  std::vector<Delay> delays_;
};

}  // namespace

Lists list_schedule(const StagedStep& staged, const ListRequest& request) {
  return ListScheduler(staged, request).run();
}

}  // namespace berth::pipeline
