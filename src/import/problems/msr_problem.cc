// SPDX-License-Identifier: Apache-2.0
// The inputs of Tarnawski et al., "Efficient Algorithms for Device Placement of DNN Graph Operators" (NeurIPS 2020):
// a graph with times on an accelerator and on a CPU core, memory per node, the time to move each node's output, and how
// many devices there are. "FPGA" stands for any accelerator.
//
// A file states the time of a transfer, not its bytes. So a byte is a picosecond here: a tensor has as many bytes as
// its transfer takes picoseconds, and the links carry 1e12 bytes per second.
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "import/problems/problem_readers.h"
#include "machine/devices.h"

namespace berth {
namespace {

constexpr double kSecondsPerMsrUnit = 1e-3;
constexpr double kLinkBytesPerSecond = kPicosecondsPerSecond;
// Between CPU cores, which share one memory: less than half a picosecond for a tensor of any size.
constexpr double kFreeBytesPerSecond = 1e30;

enum MsrNodeField : std::size_t {
  kNodeId,
  kNodeName,
  kNodeCpuLatency,
  kNodeFpgaLatency,
  kNodeSize,
  kNodeSupported,
  kNodeBackward,
  kNodeColour
};
constexpr std::array<std::string_view, 8> kMsrNodeFields{
    "id", "name", "cpuLatency", "fpgaLatency", "size", "supportedOnFpga", "isBackwardNode", "colorClass"};
enum MsrEdgeField : std::size_t { kEdgeSource, kEdgeDest, kEdgeCost };
constexpr std::array<std::string_view, 3> kMsrEdgeFields{"sourceId", "destId", "cost"};

struct MsrNode {
  std::int64_t id = 0;
  std::string name;
  double cpu_s = 0.0, accelerator_s = 0.0;
  Bytes size = 0;
  bool on_accelerators = true, backward = false;
  std::optional<std::int64_t> colour;
  std::optional<double> output_s;  // time to move what it makes; none: nobody reads it
  std::vector<OpId> reads;
};

// Finite and not negative.
Result<double> read_amount(const JsonValue& value) {
  BERTH_TRY(const double number, value.number());
  if (number < 0.0) return value.expected("a number that is not negative");
  return number;
}

// Sizes are written as 17185374208.0.
Result<Bytes> read_bytes(const JsonValue& value) {
  BERTH_TRY(const double number, read_amount(value));
  if (number > static_cast<double>(kMaxTotalBytes)) return value.error("that is more memory than can be reckoned with");
  return std::llround(number);
}

// true, false, 1 or 0.
Result<bool> read_flag(const JsonValue& value) {
  if (value.is_bool()) return value.boolean();
  BERTH_TRY(const std::int64_t number, value.integer(0, 1));
  return number == 1;
}

template <typename T>
Status store(Result<T> read, T& target) {
  if (!read) return read.error();
  target = *std::move(read);
  return {};
}

Status check_fields(const JsonValue& value, std::uint32_t seen, std::span<const std::string_view> names,
                    std::uint32_t required) {
  for (std::size_t field = 0; field < names.size(); ++field) {
    const bool missing = (required >> field & 1U) != 0 && (seen >> field & 1U) == 0;
    if (missing) return value.error(fmt::format("\"{}\" is missing", names[field]));
  }
  return {};
}

class MsrReader {
 public:
  Result<Problem> read(JsonDocument document, std::string title) {
    BERTH_TRY(Machine machine, read_machine(document));
    BERTH_RETURN_IF_ERROR(document.for_each("nodes", [&](const JsonValue& node) { return read_node(node); }));
    BERTH_RETURN_IF_ERROR(document.for_each("edges", [&](const JsonValue& edge) { return read_edge(edge); }));
    BERTH_TRY(Graph graph, make_graph(std::move(title)));
    const ExplicitCosts costs = make_costs(machine);
    return make_problem(std::make_shared<const Graph>(std::move(graph)),
                        std::make_shared<const Machine>(std::move(machine)), costs, {}, Objective::kPipeline);
  }

 private:
  Result<Machine> read_machine(JsonDocument& document) {
    constexpr auto kMost = static_cast<std::int64_t>(kMaxDevices);
    BERTH_TRY(const JsonValue accelerators_value, document.member("maxFPGAs"));
    BERTH_TRY(const std::int64_t accelerators, accelerators_value.integer(0, kMost));
    BERTH_TRY(const JsonValue cpus_value, document.member("maxCPUs"));
    BERTH_TRY(const std::int64_t cpus, cpus_value.integer(0, kMost));
    BERTH_TRY(const JsonValue memory_value, document.member("maxSizePerFPGA"));
    BERTH_TRY(const Bytes memory, read_bytes(memory_value));
    cpus_work_ = cpus > 0;
    std::vector<Device> devices;
    std::vector<Link> links;
    for (std::int64_t i = 0; i < std::max<std::int64_t>(cpus, 1); ++i) {  // without cores there is still a host
      devices.push_back(plain_device(fmt::format("cpu{}", i), DeviceKind::kCpu));
      if (i == 0) continue;
      links.push_back({.from = "cpu0", .to = devices.back().name, .bytes_per_s = kFreeBytesPerSecond});
    }
    for (std::int64_t i = 0; i < accelerators; ++i) {
      devices.push_back(plain_device(fmt::format("acc{}", i), DeviceKind::kGpu));
      devices.back().memory = memory;
      // What an accelerator sends and what it receives share its link: both count against its load.
      links.push_back(
          {.from = "cpu0", .to = devices.back().name, .bytes_per_s = kLinkBytesPerSecond, .duplex = Duplex::kHalf});
    }
    return Machine::make(fmt::format("{}acc+{}cpu", accelerators, cpus),
                         fmt::format("the {} accelerators and {} CPU cores of an MSR problem", accelerators, cpus),
                         std::move(devices), {}, {}, std::move(links));
  }

  Status read_node(const JsonValue& value) {
    constexpr std::uint32_t kRequired =
        1U << kNodeId | 1U << kNodeCpuLatency | 1U << kNodeFpgaLatency | 1U << kNodeSize | 1U << kNodeSupported;
    if (nodes_.size() == kMaxOps) return value.error(fmt::format("more than {} nodes", kMaxOps));
    MsrNode node;
    const auto read_field = [&](std::size_t field, const JsonValue& member) -> Status {
      return read_node_field(static_cast<MsrNodeField>(field), member, node);
    };
    BERTH_TRY(const std::uint32_t seen, value.fields(kMsrNodeFields, UnknownFields::kIgnore, read_field));
    BERTH_RETURN_IF_ERROR(check_fields(value, seen, kMsrNodeFields, kRequired));
    if (node.name.empty()) node.name = fmt::format("node{}", node.id);
    if (!op_of_id_.emplace(node.id, OpId(nodes_.size())).second)
      return value.error(fmt::format("there is another node with the id {}", node.id));
    nodes_.push_back(std::move(node));
    return {};
  }

  static Status read_node_field(MsrNodeField field, const JsonValue& value, MsrNode& node) {
    switch (field) {
      case kNodeId:
        return store(value.integer(), node.id);
      case kNodeName: {
        BERTH_TRY(node.name, value.string());
        return {};
      }
      case kNodeCpuLatency:
        return store(read_amount(value), node.cpu_s);
      case kNodeFpgaLatency:
        return store(read_amount(value), node.accelerator_s);
      case kNodeSize:
        return store(read_bytes(value), node.size);
      case kNodeSupported:
        return store(read_flag(value), node.on_accelerators);
      case kNodeBackward:
        return store(read_flag(value), node.backward);
      case kNodeColour: {
        if (value.is_null()) return {};
        BERTH_TRY(node.colour, value.integer());
        return {};
      }
    }
    return {};
  }

  Status read_edge(const JsonValue& value) {
    OpId source = kNoOp, dest = kNoOp;
    double cost = 0.0;
    const auto read_field = [&](std::size_t field, const JsonValue& member) -> Status {
      if (field == kEdgeCost) return store(read_amount(member), cost);
      return store(find_node(member), field == kEdgeSource ? source : dest);
    };
    BERTH_TRY(const std::uint32_t seen, value.fields(kMsrEdgeFields, UnknownFields::kIgnore, read_field));
    BERTH_RETURN_IF_ERROR(
        check_fields(value, seen, kMsrEdgeFields, 1U << kEdgeSource | 1U << kEdgeDest | 1U << kEdgeCost));
    const double cost_s = cost * kSecondsPerMsrUnit;
    MsrNode& from = nodes_[index(source)];
    if (from.output_s.value_or(cost_s) != cost_s) {
      return value.error(
          fmt::format("moving the output of node {} costs {} here and {} in another edge; a node has one"
                      " output",
                      from.id, cost, *from.output_s / kSecondsPerMsrUnit));
    }
    if (cost_s > kLongestTime) return value.error(fmt::format("a transfer of {} ms is beyond the clock", cost));
    from.output_s = cost_s;
    nodes_[index(dest)].reads.push_back(source);
    ++edges_;
    return {};
  }

  [[nodiscard]] Result<OpId> find_node(const JsonValue& value) const {
    BERTH_TRY(const std::int64_t id, value.integer());
    if (const auto found = op_of_id_.find(id); found != op_of_id_.end()) return found->second;
    return value.error(fmt::format("there is no node with the id {}", id));
  }

  // For a backward node, the first forward node of its class.
  [[nodiscard]] std::unordered_map<std::int64_t, OpId> forward_nodes_of_colours() const {
    std::unordered_map<std::int64_t, OpId> forward;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].colour && !nodes_[i].backward) forward.try_emplace(*nodes_[i].colour, OpId(i));
    }
    return forward;
  }

  Result<Graph> make_graph(std::string title) const {
    GraphBuilder builder(std::move(title));
    builder.reserve(nodes_.size());
    const auto forward = forward_nodes_of_colours();
    std::unordered_set<std::string_view> names;
    for (const MsrNode& node : nodes_) {
      // Nodes are told apart by their ids, so names may repeat.
      const std::string name = names.insert(node.name).second ? node.name : fmt::format("{}#{}", node.name, node.id);
      const std::string colour = node.colour ? fmt::format("class {}", *node.colour) : "";
      OpSpec op{.name = name, .type = node.backward ? "backward" : "forward", .colocate = colour};
      for (const OpId source : node.reads) op.inputs.push_back({source, 0});
      if (node.output_s) op.outputs.push_back(tensor_of_bytes(to_picoseconds(*node.output_s)));
      if (node.backward && node.colour) {
        if (const auto found = forward.find(*node.colour); found != forward.end()) op.forward_of = found->second;
      }
      builder.add(op);
    }
    builder.set_source_counts(nodes_.size(), edges_);
    return std::move(builder).build();
  }

  [[nodiscard]] ExplicitCosts make_costs(const Machine& machine) const {
    ExplicitCosts costs;
    for (const MsrNode& node : nodes_) {
      std::vector<double>& times = costs.time_s.emplace_back();
      for (const Device& device : machine.devices()) {
        const bool cpu = device.kind == DeviceKind::kCpu;
        const double time = (cpu ? node.cpu_s : node.accelerator_s) * kSecondsPerMsrUnit;
        times.push_back((cpu ? cpus_work_ : node.on_accelerators) ? time : -1.0);
      }
      costs.resident.push_back(node.size);
    }
    return costs;
  }

  std::vector<MsrNode> nodes_;
  std::unordered_map<std::int64_t, OpId> op_of_id_;
  std::size_t edges_ = 0;
  bool cpus_work_ = true;
};

}  // namespace

bool is_msr(const JsonDocument& document) { return !document.has("format") && document.has("maxFPGAs"); }

Result<Problem> read_msr_problem(JsonDocument document, std::string title, const ProblemOverrides& request) {
  BERTH_RETURN_IF_ERROR(check_no_machine(request, "an MSR problem brings its devices"));
  BERTH_RETURN_IF_ERROR(
      check_objective(request, Objective::kPipeline, "an MSR problem asks for the largest load of a pipeline"));
  return MsrReader().read(std::move(document), std::move(title));
}

}  // namespace berth
