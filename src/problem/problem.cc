// SPDX-License-Identifier: Apache-2.0
#include "problem/problem.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "graph/builder.h"
#include "problem/cost/cost_model.h"
#include "problem/cost/measured_costs.h"
#include "problem/slowest_plan.h"
#include "problem/what_if/machine_changes.h"

namespace berth {

// Fills a Problem step by step; each step relies on those before it.
class ProblemBuilder {
 public:
  ProblemBuilder(std::shared_ptr<const Graph> graph, std::shared_ptr<const Machine> machine, Constraints constraints,
                 Objective objective) {
    problem_.graph_ = std::move(graph);
    problem_.machine_ = std::move(machine);
    problem_.constraints_ = std::move(constraints);
    problem_.objective_ = objective;
  }
  ProblemBuilder(Problem problem, Constraints constraints) : problem_(std::move(problem)) {
    problem_.constraints_ = std::move(constraints);
  }

  // Either may be null: explicit times leave nothing to the cost model, measured ones what they do not name.
  Result<Problem> build(const ExplicitCosts* costs, const MeasuredCosts* measured) {
    BERTH_RETURN_IF_ERROR(check_constraints());
    set_links();
    if (costs != nullptr) {
      BERTH_RETURN_IF_ERROR(take_costs(*costs));
    } else {
      BERTH_RETURN_IF_ERROR(price_ops(measured));
    }
    find_runnable(costs);
    BERTH_RETURN_IF_ERROR(apply_constraints());
    BERTH_RETURN_IF_ERROR(check_clock());
    return std::move(problem_);
  }

  // The problem has been built before; its devices and their times stay.
  Result<Problem> move_to(std::shared_ptr<const Machine> other) {
    BERTH_CHECK(other->num_devices() == machine().num_devices());
    problem_.machine_ = std::move(other);
    set_links();
    BERTH_RETURN_IF_ERROR(apply_constraints());
    BERTH_RETURN_IF_ERROR(check_clock());
    return std::move(problem_);
  }

  // The problem has been built before; only its constraints are new.
  Result<Problem> rebuild() {
    BERTH_RETURN_IF_ERROR(check_constraints());
    BERTH_RETURN_IF_ERROR(apply_constraints());
    return std::move(problem_);
  }

 private:
  static constexpr Picoseconds kBeyondTheClock = Picoseconds{1} << 62;

  [[nodiscard]] const Graph& graph() const { return problem_.graph(); }
  [[nodiscard]] const Machine& machine() const { return problem_.machine(); }

  Status check_constraints() const {
    const Constraints& constraints = problem_.constraints_;
    const auto bad_op = [&](OpId op) { return index(op) >= graph().num_ops(); };
    const auto bad_device = [&](DeviceId device) { return index(device) >= machine().num_devices(); };
    for (const auto& pin : constraints.pins) {
      if (bad_op(pin.op) || bad_device(pin.device)) return bad_input("a pin names an op or device that does not exist");
    }
    for (const auto& forbid : constraints.forbids) {
      if (bad_op(forbid.op) || bad_device(forbid.device))
        return bad_input("a forbid names an op or device that does not exist");
    }
    for (const auto& set : constraints.together) {
      if (std::any_of(set.begin(), set.end(), bad_op)) return bad_input("a colocation names an op that does not exist");
    }
    if (!constraints.allowed.empty() && constraints.allowed.size() != graph().num_ops()) {
      return bad_input("{} ops are told where they may be, the graph has {}", constraints.allowed.size(),
                       graph().num_ops());
    }
    if (!constraints.reserve.empty() && constraints.reserve.size() != machine().num_devices()) {
      return bad_input("memory is reserved on {} devices, the machine has {}", constraints.reserve.size(),
                       machine().num_devices());
    }
    for (const Bytes reserved : constraints.reserve) {
      if (reserved < 0) return bad_input("{} bytes are reserved on a device; that must not be negative", reserved);
    }
    if (constraints.max_devices && *constraints.max_devices < 1) {
      return bad_input("at most {} devices are allowed; a plan needs one", *constraints.max_devices);
    }
    if (constraints.max_crossings && *constraints.max_crossings < 0) {
      return bad_input("at most {} crossings are allowed; that must not be negative", *constraints.max_crossings);
    }
    return {};
  }

  void set_links() {
    problem_.control_latency_.clear();
    problem_.launch_.clear();
    problem_.streaming_.clear();
    for (const DeviceId from : machine().device_ids()) {
      for (const DeviceId to : machine().device_ids()) {
        Picoseconds latency = 0;
        for (const std::uint16_t channel : machine().route(from, to)) {
          // Ten slow links are beyond the clock; check_clock() refuses whoever would use them.
          latency = std::min(latency + to_picoseconds(machine().channels()[channel].latency_s), kBeyondTheClock);
        }
        problem_.control_latency_.push_back(latency);
      }
      problem_.launch_.push_back(to_picoseconds(machine().device(from).launch_s));
      problem_.streaming_.push_back(streaming_bytes_per_s(machine().device(from)));
    }
  }

  void allot_table() {
    const std::size_t cells = graph().num_ops() * static_cast<std::size_t>(problem_.num_classes_);
    problem_.durations_.assign(cells, 0);
    problem_.compute_parts_.assign(cells, 0);
  }

  Status check_sizes(const ExplicitCosts& costs) const {
    if (costs.time_s.size() != graph().num_ops())
      return bad_input("{} ops have times, the graph has {}", costs.time_s.size(), graph().num_ops());
    if (!costs.compute_s.empty() && costs.compute_s.size() != graph().num_ops())
      return bad_input("{} ops have compute times, the graph has {}", costs.compute_s.size(), graph().num_ops());
    for (const OpId op : graph().ops()) {
      const std::size_t times = costs.time_s[index(op)].size();
      const std::size_t computes = costs.compute_s.empty() ? times : costs.compute_s[index(op)].size();
      if (times != machine().num_devices() || computes != machine().num_devices()) {
        return bad_input("op '{}' has {} times and {} compute times for {} devices", graph().name(op), times, computes,
                         machine().num_devices());
      }
    }
    return check_resident(costs.resident);
  }

  [[nodiscard]] Status check_resident(const std::vector<Bytes>& resident) const {
    if (resident.empty()) return {};
    if (problem_.objective_ != Objective::kPipeline)
      return bad_input("resident bytes of ops are for the pipeline objective; a step's memory follows its tensors");
    if (resident.size() != graph().num_ops())
      return bad_input("{} ops have resident bytes, the graph has {}", resident.size(), graph().num_ops());
    Bytes total = 0;
    for (const OpId op : graph().ops()) {
      const Bytes bytes = resident[index(op)];
      if (bytes < 0 || bytes > kMaxTotalBytes - total)
        return bad_input("op '{}' holds {} bytes; a graph holds 0 to {}", graph().name(op), bytes, kMaxTotalBytes);
      total += bytes;
    }
    return {};
  }

  Status take_costs(const ExplicitCosts& costs) {
    BERTH_RETURN_IF_ERROR(check_sizes(costs));
    classify_devices([&](DeviceId a, DeviceId b) { return have_equal_costs(costs, a, b); });
    allot_table();
    problem_.resident_ = costs.resident;
    for (const OpId op : graph().ops()) {
      const auto& times = costs.time_s[index(op)];
      const auto& computes = costs.compute_s.empty() ? times : costs.compute_s[index(op)];
      for (const DeviceId device : machine().device_ids()) {
        const double time = times[index(device)], compute = computes[index(device)];
        if (time < 0) continue;
        BERTH_RETURN_IF_ERROR(set_time(op, device, time, compute < 0 ? 0.0 : compute));
      }
    }
    return {};
  }

  Status set_time(OpId op, DeviceId device, double time_s, double compute_s) {
    if (graph().role(op) != Role::kCompute) return {};
    if (!(time_s <= kLongestTime) || !(compute_s <= kLongestTime)) {
      return bad_input("op '{}' takes {:.3g} s on {}; at most {:.0g} s can be simulated", graph().name(op), time_s,
                       machine().device(device).name, kLongestTime);
    }
    problem_.durations_[problem_.cell(op, device)] = to_picoseconds(time_s);
    problem_.compute_parts_[problem_.cell(op, device)] = to_picoseconds(compute_s);
    return {};
  }

  // Equal times for every op, alone or fused.
  [[nodiscard]] bool have_equal_costs(const ExplicitCosts& costs, DeviceId a, DeviceId b) const {
    const auto equal_in = [&](const std::vector<std::vector<double>>& table) {
      return std::all_of(table.begin(), table.end(), [&](const auto& row) { return row[index(a)] == row[index(b)]; });
    };
    return machine().device(a).launch_s == machine().device(b).launch_s &&
           machine().device(a).async == machine().device(b).async &&
           problem_.streaming_bytes_per_s(a) == problem_.streaming_bytes_per_s(b) && equal_in(costs.time_s) &&
           equal_in(costs.compute_s);
  }

  [[nodiscard]] bool have_equal_figures(DeviceId first, DeviceId second) const {
    const Device &a = machine().device(first), &b = machine().device(second);
    return a.model == b.model && a.kind == b.kind && a.flops_per_s == b.flops_per_s && a.bytes_per_s == b.bytes_per_s &&
           a.launch_s == b.launch_s && a.async == b.async;
  }

  // Equal devices share a class.
  template <typename Equal>
  void classify_devices(const Equal& equal) {
    for (const DeviceId id : machine().device_ids()) {
      const auto others = ids<DeviceId>(index(id));
      const auto same = std::find_if(others.begin(), others.end(), [&](DeviceId other) { return equal(id, other); });
      problem_.class_of_.push_back(same != others.end() ? problem_.device_class(*same) : problem_.num_classes_++);
    }
  }

  Status price_ops(const MeasuredCosts* measured) {
    classify_devices([&](DeviceId a, DeviceId b) {
      return have_equal_figures(a, b) && (measured == nullptr || measured->are_equal(a, b));
    });
    allot_table();
    std::vector<std::uint8_t> priced(static_cast<std::size_t>(problem_.num_classes_), 0);
    for (const DeviceId id : machine().device_ids()) {
      if (priced[static_cast<std::size_t>(problem_.device_class(id))]++ != 0) continue;
      const Device& device = machine().device(id);
      for (const OpId op : graph().ops()) {
        if (graph().role(op) != Role::kCompute) continue;
        OpCost cost = price(graph(), op, device);
        if (measured != nullptr) take_measured(cost, measured->seconds(op, id));
        BERTH_RETURN_IF_ERROR(set_time(op, id, op_time_s(cost, device), cost.compute_s));
      }
    }
    return {};
  }

  [[nodiscard]] DeviceSet devices_of_kinds(KindSet kinds) const {
    DeviceSet set = 0;
    for (const DeviceId id : machine().device_ids()) {
      if ((kinds & kind_bit(machine().device(id).kind)) != 0) set |= device_bit(id);
    }
    return set;
  }

  void find_runnable(const ExplicitCosts* costs) {
    std::array<DeviceSet, kAnyKind + 1> of_kinds;
    for (std::size_t kinds = 0; kinds <= kAnyKind; ++kinds)
      of_kinds[kinds] = devices_of_kinds(static_cast<KindSet>(kinds));
    problem_.runnable_.reserve(graph().num_ops());
    for (const OpId op : graph().ops()) {
      DeviceSet& set = problem_.runnable_.emplace_back(
          of_kinds[costs == nullptr ? runnable_kinds(graph(), op) : graph().allowed_kinds(op)]);
      if (costs == nullptr) continue;
      for (const DeviceId id : machine().device_ids()) {
        if (costs->time_s[index(op)][index(id)] < 0) set &= ~device_bit(id);
      }
    }
  }

  Status apply_constraints() {
    problem_.capacities_ = capacities_of(machine(), problem_.constraints_.reserve);
    problem_.units_ = make_unit_table(graph(), machine(), problem_.constraints_, problem_.runnable_);
    const auto none = std::ranges::find(problem_.units_.allowed, DeviceSet{0});
    if (none == problem_.units_.allowed.end()) return {};
    return no_device_error(static_cast<std::uint32_t>(none - problem_.units_.allowed.begin()));
  }

  [[nodiscard]] Error no_device_error(std::uint32_t unit) const {
    const auto ops = problem_.unit_ops(unit);
    const bool alone = ops.size() == 1;
    return bad_input("op '{}'{} can run on no device of machine '{}': allowed kinds, pins and forbids leave none",
                     graph().name(ops.front()),
                     alone ? "" : fmt::format(" and the {} it must share a device with", counted(ops.size() - 1, "op")),
                     machine().name());
  }

  // The clock must hold the slowest plan there is.
  Status check_clock() const {
    const double total = slowest_plan_s(problem_);
    constexpr double kClockEnd = 4e6;  // seconds; 2^62 picoseconds are a little more
    if (!(total < kClockEnd)) {
      return bad_input(
          "doing everything one after the other could take {:.3g} s; at most {:.0g} s can be simulated: check the"
          " machine's slowest device and link",
          total, kClockEnd);
    }
    return {};
  }

  Problem problem_;
};

Result<Problem> make_problem(std::shared_ptr<const Graph> graph, std::shared_ptr<const Machine> machine,
                             Constraints constraints, Objective objective) {
  return ProblemBuilder(std::move(graph), std::move(machine), std::move(constraints), objective)
      .build(nullptr, nullptr);
}

Result<Problem> make_problem(std::shared_ptr<const Graph> graph, std::shared_ptr<const Machine> machine,
                             const ExplicitCosts& costs, Constraints constraints, Objective objective) {
  return ProblemBuilder(std::move(graph), std::move(machine), std::move(constraints), objective).build(&costs, nullptr);
}

Result<Problem> make_problem(std::shared_ptr<const Graph> graph, std::shared_ptr<const Machine> machine,
                             const MeasuredCosts& measured, Constraints constraints, Objective objective) {
  return ProblemBuilder(std::move(graph), std::move(machine), std::move(constraints), objective)
      .build(nullptr, &measured);
}

Result<Problem> on_machine(Problem problem, std::shared_ptr<const Machine> machine) {
  Constraints constraints = problem.constraints();
  return ProblemBuilder(std::move(problem), std::move(constraints)).move_to(std::move(machine));
}

Result<Problem> constrain(Problem problem, Constraints constraints) {
  return ProblemBuilder(std::move(problem), std::move(constraints)).rebuild();
}

}  // namespace berth
