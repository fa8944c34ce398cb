// SPDX-License-Identifier: Apache-2.0
// berth-problem/1, as format/problem_file.h writes it: machine, constraints and times in plain numbers. What a file
// does not say is not needed for a plan without fusion: op types, shapes and peak rates. A parameter's copies for the
// optimiser come back as one more output of it, so that it holds as many bytes.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "format/graph_fields.h"
#include "import/problems/problem_readers.h"
#include "problem/cost/cost_model.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 9> kMembers{"format", "objective", "overlap", "region_cost_s", "devices",
                                                   "links",  "routes",    "ops",     "outputs"};

Result<JsonValue> need(const JsonValue& object, std::string_view key) {
  if (auto value = object.find(key)) return *std::move(value);
  return object.error(fmt::format("it has no \"{}\"", key));
}

Result<std::string> read_text(const JsonValue& object, std::string_view key) {
  BERTH_TRY(const JsonValue value, need(object, key));
  BERTH_TRY(const std::string_view text, value.string());
  return std::string(text);
}

// "" for null.
Result<std::string> read_optional_text(const JsonValue& object, std::string_view key) {
  BERTH_TRY(const JsonValue value, need(object, key));
  if (value.is_null()) return std::string();
  return read_text(object, key);
}

Result<std::int64_t> read_integer(const JsonValue& object, std::string_view key, std::int64_t low, std::int64_t high) {
  BERTH_TRY(const JsonValue value, need(object, key));
  return value.integer(low, high);
}

Result<double> read_number(const JsonValue& object, std::string_view key) {
  BERTH_TRY(const JsonValue value, need(object, key));
  return value.number();
}

class ProblemReader {
 public:
  ProblemReader(JsonDocument document, std::string title)
      : document_(std::move(document)), title_(std::move(title)), builder_(title_) {}

  Result<Problem> read(const ProblemOverrides& request) {
    BERTH_RETURN_IF_ERROR(document_.check_members(kMembers));
    BERTH_RETURN_IF_ERROR(read_objective());
    BERTH_RETURN_IF_ERROR(check_objective(request, objective_, "the file states another"));
    BERTH_TRY(Machine machine, read_machine());
    machine_ = std::make_shared<const Machine>(std::move(machine));
    BERTH_RETURN_IF_ERROR(check_routes());
    BERTH_RETURN_IF_ERROR(document_.for_each("ops", [&](const JsonValue& op) { return read_op(op); }));
    BERTH_RETURN_IF_ERROR(document_.for_each("outputs", [&](const JsonValue& value) -> Status {
      BERTH_TRY(const OutputRef output, read_output_ref(value));
      builder_.mark_output(output);
      return {};
    }));
    BERTH_TRY(Graph graph, std::move(builder_).build());
    Constraints constraints;
    constraints.inputs_on_first_cpu = false;  // "allowed" says where they are
    return make_problem(std::make_shared<const Graph>(std::move(graph)), machine_, costs_, std::move(constraints),
                        objective_);
  }

 private:
  Status read_objective() {
    if (!document_.has("objective")) return {};
    BERTH_TRY(const std::string name, document_.string("objective"));
    if (name == objective_name(Objective::kStep)) return {};
    if (name != objective_name(Objective::kPipeline)) return bad_input("objective: expected step or pipeline");
    objective_ = Objective::kPipeline;
    return {};
  }

  // Left out where devices work at the same time.
  Status read_execution() {
    if (document_.has("overlap")) {
      BERTH_TRY(const JsonValue overlap, document_.member("overlap"));
      BERTH_TRY(execution_.overlap, overlap.boolean());
    }
    if (document_.has("region_cost_s")) {
      BERTH_TRY(const JsonValue cost, document_.member("region_cost_s"));
      BERTH_TRY(execution_.region_cost_s, cost.number());
    }
    return {};
  }

  Result<Machine> read_machine() {
    BERTH_RETURN_IF_ERROR(read_execution());
    BERTH_RETURN_IF_ERROR(document_.for_each("devices", [&](const JsonValue& device) { return read_device(device); }));
    BERTH_RETURN_IF_ERROR(document_.for_each("links", [&](const JsonValue& link) { return read_link(link); }));
    return Machine::make(title_, "", devices_, pools_, switches_, links_, execution_);
  }

  Status read_device(const JsonValue& value) {
    if (devices_.size() == kMaxDevices) return value.error(fmt::format("more than {} devices", kMaxDevices));
    Device device;
    BERTH_TRY(device.name, read_text(value, "name"));
    BERTH_TRY(const JsonValue kind, need(value, "kind"));
    BERTH_TRY(const std::string_view kind_name, kind.string());
    const auto known_kind = device_kind_from_name(kind_name);
    if (!known_kind) return kind.expected("a kind of device");
    device.kind = *known_kind;
    BERTH_TRY(device.memory, read_integer(value, "memory_bytes", 0, kMaxTotalBytes));
    BERTH_TRY(device.pool, read_optional_text(value, "pool"));
    BERTH_TRY(const std::int64_t lanes, read_integer(value, "lanes", 1, 1'000'000));
    device.lanes = static_cast<int>(lanes);
    BERTH_TRY(device.launch_s, read_number(value, "launch_s"));
    BERTH_TRY(const JsonValue async, need(value, "async"));
    BERTH_TRY(device.async, async.boolean());
    BERTH_TRY(const double streaming, read_number(value, "bytes_per_s"));
    device.flops_per_s = {{DType::kF32, 1.0}};
    device.bytes_per_s = 1.0;
    device.bytes_per_s = streaming / streaming_bytes_per_s(device);  // the file has the achievable rate, not the peak
    const bool is_new_pool =
        !device.pool.empty() && std::ranges::find(pools_, device.pool, &MemoryPool::name) == pools_.end();
    if (is_new_pool) pools_.push_back({device.pool, device.memory});
    names_.insert(device.name);
    devices_.push_back(std::move(device));
    return {};
  }

  Status read_link(const JsonValue& value) {
    Link link;
    BERTH_TRY(link.from, read_text(value, "from"));
    BERTH_TRY(link.to, read_text(value, "to"));
    BERTH_TRY(link.latency_s, read_number(value, "latency_s"));
    BERTH_TRY(link.bytes_per_s, read_number(value, "bytes_per_s"));
    BERTH_TRY(link.bus, read_optional_text(value, "queue"));
    link.duplex = Duplex::kOneWay;
    link.contended = !link.bus.empty();
    for (const std::string& end : {link.from, link.to}) {
      if (names_.insert(end).second) switches_.push_back(end);
    }
    links_.push_back(std::move(link));
    BERTH_TRY(std::string name, read_text(value, "name"));
    if (!taken_.insert(name).second) return value.error("its name is taken");
    link_names_.push_back(std::move(name));
    return {};
  }

  // Routes follow from the links; a file that wants others cannot be simulated.
  Status check_routes() {
    return document_.for_each("routes", [&](const JsonValue& value) -> Status {
      BERTH_TRY(const std::string from, read_text(value, "from"));
      BERTH_TRY(const std::string to, read_text(value, "to"));
      const auto source = machine_->find_device(from), target = machine_->find_device(to);
      if (!source || !target) return value.error(fmt::format("there is no device '{}'", source ? to : from));
      std::vector<std::string> named, ours;
      BERTH_TRY(const JsonValue links, need(value, "links"));
      BERTH_RETURN_IF_ERROR(links.for_each([&](const JsonValue& link) -> Status {
        BERTH_TRY(const std::string_view name, link.string());
        named.emplace_back(name);
        return {};
      }));
      // Every link is one way, so that the machine has one channel for each, in the same order.
      for (const std::uint16_t channel : machine_->route(*source, *target)) ours.push_back(link_names_[channel]);
      if (named != ours) return value.error(fmt::format("the fastest route is by {}", fmt::join(ours, ", ")));
      return {};
    });
  }

  Status read_op(const JsonValue& value) {
    BERTH_TRY(const std::string name, read_text(value, "name"));
    BERTH_TRY(const std::string colocate, read_optional_text(value, "colocate"));
    OpSpec op{.name = name, .type = "op", .colocate = colocate};
    BERTH_TRY(const JsonValue role, need(value, "role"));
    BERTH_TRY(const std::string_view role_name, role.string());
    const auto known_role = role_from_name(role_name);
    if (!known_role) return role.expected("a role");
    op.role = *known_role;
    BERTH_RETURN_IF_ERROR(read_edges(value, op));
    BERTH_RETURN_IF_ERROR(read_outputs(value, op));
    builder_.add(op);
    if (builder_.early_error()) return *builder_.early_error();
    BERTH_TRY(const std::vector<double> times, read_times(value, "time_s"));
    BERTH_TRY(const std::vector<double> compute, read_times(value, "compute_s"));
    costs_.time_s.push_back(times);
    costs_.compute_s.push_back(compute);
    return {};
  }

  static Status read_edges(const JsonValue& value, OpSpec& op) {
    BERTH_TRY(const JsonValue inputs, need(value, "inputs"));
    BERTH_RETURN_IF_ERROR(inputs.for_each([&](const JsonValue& input) -> Status {
      BERTH_TRY(const OutputRef ref, read_output_ref(input));
      op.inputs.push_back(ref);
      return {};
    }));
    BERTH_TRY(const JsonValue control, need(value, "control"));
    return control.for_each([&](const JsonValue& before) -> Status {
      BERTH_TRY(const OpId id, read_op_id(before));
      op.control_inputs.push_back(id);
      return {};
    });
  }

  Status read_outputs(const JsonValue& value, OpSpec& op) {
    Bytes total = 0;
    BERTH_TRY(const JsonValue outputs, need(value, "outputs"));
    BERTH_RETURN_IF_ERROR(outputs.for_each([&](const JsonValue& output) -> Status {
      BERTH_TRY(const Bytes bytes, output.integer(0, kMaxTotalBytes));
      op.outputs.push_back(tensor_of_bytes(bytes));
      total += bytes;
      if (total > kMaxTotalBytes) return output.error("the outputs are more memory than can be reckoned with");
      return {};
    }));
    BERTH_TRY(const Bytes resident, read_integer(value, "resident_bytes", 0, kMaxTotalBytes));
    if (objective_ == Objective::kPipeline) costs_.resident.push_back(resident);
    if (objective_ == Objective::kPipeline || !is_resident(op.role)) return {};
    if (resident < total) return value.error("resident_bytes is less than its outputs");
    if (resident > total) op.outputs.push_back(tensor_of_bytes(resident - total));
    return {};
  }

  // Per device; null where the op may not be.
  Result<std::vector<double>> read_times(const JsonValue& op, std::string_view key) const {
    BERTH_TRY(const JsonValue list, need(op, key));
    std::vector<double> times;
    BERTH_RETURN_IF_ERROR(list.for_each([&](const JsonValue& value) -> Status {
      times.push_back(-1.0);
      if (value.is_null()) return {};
      BERTH_TRY(times.back(), value.number());
      if (times.back() < 0.0) return value.expected("a time that is not negative");
      return {};
    }));
    if (times.size() != devices_.size())
      return list.error(fmt::format("{} times for {} devices", times.size(), devices_.size()));
    return times;
  }

  JsonDocument document_;
  std::string title_;
  GraphBuilder builder_;
  std::shared_ptr<const Machine> machine_;
  std::vector<Device> devices_;
  std::vector<MemoryPool> pools_;
  std::vector<std::string> switches_;
  std::vector<Link> links_;
  std::vector<std::string> link_names_;    // of the same, as the file has them
  std::unordered_set<std::string> taken_;  // those
  Execution execution_;
  std::unordered_set<std::string> names_;  // of devices and switches
  Objective objective_ = Objective::kStep;
  ExplicitCosts costs_;
};

}  // namespace

Result<Problem> read_berth_problem(JsonDocument document, std::string title, const ProblemOverrides& request) {
  BERTH_RETURN_IF_ERROR(check_no_machine(request, "the file brings its own"));
  return ProblemReader(std::move(document), std::move(title)).read(request);
}

}  // namespace berth
