// SPDX-License-Identifier: Apache-2.0
#include "report/explain_op.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "base/text.h"
#include "machine/device_set.h"
#include "problem/what_if/machine_changes.h"
#include "report/moves.h"

namespace berth::report {
namespace {

constexpr std::array kLinkFactors{2.0, 4.0, 16.0,
                                  1000.0};  // how much faster links might get; the last stands for no cost

std::string times_text(double factor) { return fmt::format("{:g}x", factor); }

class Explainer {
 public:
  Explainer(const Problem& problem, const Plan& plan, OpId op)
      : problem_(problem), graph_(problem.graph()), plan_(plan), op_(op), mover_(problem, plan) {}

  OpExplanation explain() {
    const std::array<OpId, 1> ops{op_};
    result_.op = op_;
    result_.companions = mover_.with_companions(ops).size() - 1;
    result_.weights_along = mover_.weights_along(ops);
    for (const DeviceId device : problem_.machine().device_ids()) result_.alternatives.push_back(alternative(device));
    say_constraints();
    say_weights();
    say_neighbours();
    say_times();
    say_step();
    say_changes();
    return std::move(result_);
  }

 private:
  [[nodiscard]] DeviceId here() const { return plan_.device(op_); }
  [[nodiscard]] const std::string& name(DeviceId device) const { return problem_.machine().device(device).name; }

  Alternative alternative(DeviceId device) {
    Alternative result{device, problem_.duration(op_, device)};
    if (device == here()) {
      result.step_time = mover_.now().step_time;
      result.feasible = mover_.now().feasible;
      return result;
    }
    const std::array<OpId, 1> ops{op_};
    const Result<Moved> moved = mover_.move(ops, device);
    if (!moved) {
      result.refused = moved.error().message;
      return result;
    }
    result.step_time = moved->score.step_time;
    result.feasible = moved->score.feasible;
    if (moved->score.overflow) result.over = moved->score.overflow->over;
    return result;
  }

  void say_constraints() {
    const DeviceSet all = all_devices(problem_.machine()), allowed = problem_.allowed(op_);
    if (result_.companions > 0) {
      result_.reasons.push_back(
          fmt::format("it must be where {} are: they share a parameter, a constraint or a fused group",
                      counted(result_.companions, "other op")));
    }
    if (allowed == all) return;
    const std::string where = names_of(problem_.machine(), allowed);
    if (graph_.role(op_) == Role::kInput && std::has_single_bit(allowed)) {
      result_.reasons.push_back(fmt::format("it is an input, and inputs are on {} unless --pin says otherwise", where));
    } else if (problem_.runnable(op_) != all) {
      result_.reasons.push_back(fmt::format("it may only be on {}: by its type or its times it can run on {}", where,
                                            names_of(problem_.machine(), problem_.runnable(op_))));
    } else {
      result_.reasons.push_back(fmt::format("constraints on it, or on ops it must be with, leave {}", where));
    }
  }

  void say_weights() {
    Bytes bytes = 0;
    std::size_t weights = 0;
    for (const OpId op : result_.weights_along) {
      if (graph_.role(op) == Role::kView) continue;
      ++weights;
      bytes += problem_.resident_bytes(op);
    }
    if (weights == 0) return;
    result_.reasons.push_back(fmt::format("{} that nothing else reads {} along wherever it moves ({})",
                                          counted(weights, "weight"), weights == 1 ? "goes" : "go",
                                          format_bytes(bytes)));
  }

  void say_neighbours() {
    Bytes near = 0, far = 0;
    std::size_t near_count = 0;
    const auto inputs = graph_.distinct_inputs(op_);
    for (const TensorId input : inputs) {
      const bool is_near = plan_.device(graph_.producer(input)) == here();
      (is_near ? near : far) += graph_.bytes(input);
      near_count += is_near ? 1 : 0;
    }
    if (inputs.size() == 1) {
      result_.reasons.push_back(fmt::format("its one input is {}made on {} ({})", near_count == 1 ? "" : "not ",
                                            name(here()), format_bytes(near + far)));
    } else if (!inputs.empty()) {
      result_.reasons.push_back(fmt::format("{} of its {} are made on {} ({}); {} come from elsewhere", near_count,
                                            counted(inputs.size(), "input"), name(here()), format_bytes(near),
                                            far > 0 ? format_bytes(far) : "none"));
    }
    say_users();
  }

  void say_users() {
    std::size_t users = 0, near_users = 0;
    for (const TensorId output : graph_.outputs(op_)) {
      for (const OpId user : graph_.consumers(output)) {
        ++users;
        near_users += plan_.device(user) == here() ? 1 : 0;
      }
    }
    if (users == 1) {
      result_.reasons.push_back(
          fmt::format("the one user of its results is {}on {}", near_users == 1 ? "" : "not ", name(here())));
    } else if (users > 0) {
      result_.reasons.push_back(
          fmt::format("{} of the {} of its results are on {}", near_users, counted(users, "user"), name(here())));
    }
  }

  void say_times() {
    Picoseconds least = problem_.duration(op_, here());
    DeviceId fastest = here();
    for (const DeviceId device : problem_.machine().device_ids()) {
      if ((problem_.allowed(op_) & device_bit(device)) == 0 || problem_.duration(op_, device) >= least) continue;
      least = problem_.duration(op_, device);
      fastest = device;
    }
    const Picoseconds own = problem_.duration(op_, here());
    if (own == 0) return;
    result_.reasons.push_back(
        fastest == here()
            ? fmt::format("no device it may be on runs it faster ({})", format_time(own))
            : fmt::format("{} would run it in {} instead of {}", name(fastest), format_time(least), format_time(own)));
  }

  [[nodiscard]] const Alternative* best_alternative(bool feasible) const {
    const Alternative* best = nullptr;
    for (const Alternative& other : result_.alternatives) {
      if (other.device == here() || other.refused || other.feasible != feasible) continue;
      if (best == nullptr || other.step_time < best->step_time) best = &other;
    }
    return best;
  }

  void say_step() {
    const Alternative* best = best_alternative(true);
    if (best == nullptr) return;
    const Picoseconds now = mover_.now().step_time;
    if (best->step_time < now) {
      result_.reasons.push_back(fmt::format("the plan could be better: on {} the step would take {} less",
                                            name(best->device), format_time(now - best->step_time)));
    } else if (best->step_time == now) {
      result_.reasons.push_back(fmt::format("the step would take as long with it on {}", name(best->device)));
    } else {
      result_.reasons.push_back(fmt::format("everywhere else the step takes longer, at least {} (on {})",
                                            format_time(best->step_time - now), name(best->device)));
    }
  }

  // More memory where it does not fit; faster links where it does.
  void say_changes() {
    if (const Alternative* full = best_alternative(false)) {
      const Picoseconds now = mover_.now().step_time;
      result_.to_move.push_back(fmt::format("{} more memory on {}: the step would then take {}, {}",
                                            format_bytes(full->over), name(full->device), format_time(full->step_time),
                                            full->step_time < now ? "which is less" : "which is no less"));
    }
    const Alternative* best = best_alternative(true);
    if (best == nullptr || best->step_time < mover_.now().step_time) return;
    say_links(*best);
  }

  // Step times of the plan and of the other one with all links so much faster.
  [[nodiscard]] std::optional<std::pair<Picoseconds, Picoseconds>> with_links(double factor, const Plan& other) const {
    MachineChanges changes;
    changes.settings = {fmt::format("link.*.bandwidth={}", times_text(factor)),
                        fmt::format("link.*.latency={}", times_text(1.0 / factor))};
    Result<Machine> machine = changed(problem_.machine(), changes);
    if (!machine) return std::nullopt;
    const Result<Problem> faster = on_machine(problem_, std::make_shared<const Machine>(*std::move(machine)));
    if (!faster) return std::nullopt;
    const auto evaluator = make_single_evaluator(*faster);
    const Picoseconds now = evaluator->evaluate(plan_).step_time;
    return std::pair(now, evaluator->evaluate(other).step_time);
  }

  void say_links(const Alternative& best) {
    if (problem_.machine().links().empty()) return;
    const std::array<OpId, 1> ops{op_};
    const Result<Plan> other = mover_.placed(ops, best.device);
    if (!other) return;
    const auto pays = [&](double factor) {
      const auto times = with_links(factor, *other);
      return times && times->second < times->first;
    };
    if (!pays(kLinkFactors.back())) {
      result_.to_move.push_back(
          fmt::format("no link is fast enough: even with links that cost nothing the step would not be "
                      "shorter with it on {}",
                      name(best.device)));
      return;
    }
    const auto enough = std::find_if(kLinkFactors.begin(), kLinkFactors.end() - 1, pays);
    result_.to_move.push_back(
        fmt::format("links {} as fast: then {} would be the better place", times_text(*enough), name(best.device)));
  }

  const Problem& problem_;
  const Graph& graph_;
  const Plan& plan_;
  OpId op_;
  Mover mover_;
  OpExplanation result_;
};

}  // namespace

OpExplanation explain_op(const Problem& problem, const Plan& plan, OpId op) {
  return Explainer(problem, plan, op).explain();
}

}  // namespace berth::report
