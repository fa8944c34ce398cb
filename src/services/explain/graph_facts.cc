// SPDX-License-Identifier: Apache-2.0
#include "services/explain/graph_facts.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "import/model_file.h"
#include "machine/devices.h"
#include "model/lower.h"
#include "problem/cost/cost_model.h"
#include "problem/cost/op_class.h"
#include "problem/cost/tensor_shapes.h"
#include "sim/simulator.h"

namespace berth {
namespace {

constexpr std::string_view kReference = "h200";  // the device whose costs were fitted, not scaled

std::vector<TypeUse> types_in_use(const Graph& graph) {
  std::map<std::string_view, TypeUse> uses;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) != Role::kCompute) continue;
    TypeUse& use = uses[graph.type(op)];
    use.type = graph.type(op);
    ++use.count;
    use.flops += graph.flops(op);
  }
  std::vector<TypeUse> result;
  for (const auto& [type, use] : uses) result.push_back(use);
  std::ranges::stable_sort(result, std::greater<>(), &TypeUse::count);
  return result;
}

// Outputs of compute ops, added up: what a step that frees nothing would hold.
Bytes activation_bytes(const Graph& graph) {
  Bytes sum = 0;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) != Role::kCompute) continue;
    for (const TensorId tensor : graph.outputs(op)) sum += graph.bytes(tensor);
  }
  return sum;
}

// The peak of a step on one device with room for everything.
std::optional<Bytes> peak_on_one_device(const std::shared_ptr<const Graph>& graph) {
  using enum DeviceKind;
  for (const DeviceKind kind : {kGpu, kCpu, kTpu, kNpu, kFpga}) {
    Result<Machine> machine = Machine::make("one", "", {plain_device("device", kind)}, {}, {}, {});
    BERTH_CHECK(machine.ok());
    const Result<Problem> problem = make_problem(graph, std::make_shared<const Machine>(*std::move(machine)));
    if (!problem) continue;
    Plan plan;
    plan.device_of.assign(graph->num_ops(), DeviceId{0});
    return simulate(*problem, plan).devices.front().peak;
  }
  return std::nullopt;
}

// Prices ops on devices, of a public problem or of the library.
class Estimator {
 public:
  explicit Estimator(const LoadedGraph& loaded) : graph_(*loaded.graph), problem_(loaded.problem.get()) {
    if (problem_ != nullptr) {
      for (const DeviceId id : problem_->machine().device_ids()) devices_.push_back(problem_->machine().device(id));
    } else {
      for (const DeviceModel& model : device_models()) devices_.push_back(make_device(model, std::string(model.name)));
    }
    for (const Device& device : devices_) {
      estimates_.push_back({device.name, device.kind, device.memory, 0.0, 0});
      if (problem_ == nullptr && device.name == kReference) reference_ = estimates_.size() - 1;
    }
    reference_s_.assign(graph_.num_ops(), 0.0);
  }

  void run() {
    for (const OpId op : graph_.ops()) {
      if (problem_ != nullptr) {
        add_stated(op);
      } else if (graph_.role(op) == Role::kCompute) {
        add_estimated(op);
      }
    }
  }

  [[nodiscard]] std::vector<DeviceEstimate>& estimates() { return estimates_; }
  [[nodiscard]] const std::string& reference() const { return devices_[reference_].name; }
  [[nodiscard]] double reference_s(OpId op) const { return reference_s_[index(op)]; }

 private:
  void add(OpId op, std::size_t device, bool runs, double time_s) {
    if (runs) {
      estimates_[device].time_s += time_s;
    } else {
      ++estimates_[device].unsupported_ops;
    }
    if (device == reference_) reference_s_[index(op)] = runs ? time_s : 0.0;
  }

  void add_stated(OpId op) {
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      const bool runs = (problem_->allowed(op) & device_bit(DeviceId(i))) != 0;
      add(op, i, runs, runs ? to_seconds(problem_->duration(op, DeviceId(i))) : 0.0);
    }
  }

  void add_estimated(OpId op) {
    const OpFeatures features = features_of(graph_, op);
    const KindSet kinds = runnable_kinds(graph_, op);
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      const bool runs = (kinds & kind_bit(devices_[i].kind)) != 0;
      add(op, i, runs, runs ? op_time_s(price(graph_, op, features, devices_[i]), devices_[i]) : 0.0);
    }
  }

  const Graph& graph_;
  const Problem* problem_;  // null: the cost model's times
  std::vector<Device> devices_;
  std::vector<DeviceEstimate> estimates_;
  std::size_t reference_ = 0;
  std::vector<double> reference_s_;  // per op
};

Parallelism parallelism(const Graph& graph, const Estimator& estimator) {
  Parallelism result;
  result.device = estimator.reference();
  std::vector<std::size_t> level(graph.num_ops()), ops_on_level(1);
  std::vector<double> end_s(graph.num_ops());
  for (const OpId op : graph.topological_order()) {
    const auto wait_for = [&](OpId before) {
      level[index(op)] = std::max(level[index(op)], level[index(before)]);
      end_s[index(op)] = std::max(end_s[index(op)], end_s[index(before)]);
    };
    for (const TensorId tensor : graph.distinct_inputs(op)) wait_for(graph.producer(tensor));
    std::ranges::for_each(graph.control_inputs(op), wait_for);
    const double time_s = estimator.reference_s(op);
    end_s[index(op)] += time_s;
    result.work_s += time_s;
    result.path_s = std::max(result.path_s, end_s[index(op)]);
    if (graph.role(op) != Role::kCompute) continue;
    const std::size_t own = ++level[index(op)];
    ++result.compute;
    result.depth = std::max(result.depth, own);
    if (own == ops_on_level.size()) ops_on_level.push_back(0);
    result.widest = std::max(result.widest, ++ops_on_level[own]);
  }
  return result;
}

// By the table that lowered the model; other graphs are judged by the classes of the cost model.
std::map<std::string, std::size_t> unknown_types(const LoadedGraph& loaded, const std::vector<TypeUse>& types) {
  if (loaded.report) return loaded.report->unknown_types;
  std::map<std::string, std::size_t> unknown;
  for (const TypeUse& use : types) {
    if (!is_known_type(use.type)) unknown.emplace(use.type, use.count);
  }
  return unknown;
}

std::vector<NamedTensor> inputs_of(const Graph& graph) {
  std::vector<NamedTensor> inputs;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) != Role::kInput) continue;
    for (const TensorId tensor : graph.outputs(op)) inputs.push_back({std::string(graph.name(op)), tensor});
  }
  return inputs;
}

// As the file has them; of graphs that know no names, after their ops.
std::vector<NamedTensor> outputs_of(const LoadedGraph& loaded) {
  const Graph& graph = *loaded.graph;
  std::vector<NamedTensor> outputs;
  if (loaded.report && !loaded.report->outputs.empty()) {
    for (const auto& [name, made] : loaded.report->outputs) {
      const auto tensors = graph.outputs(made.op);
      if (made.output < static_cast<int>(tensors.size())) outputs.push_back({name, tensors[made.output]});
    }
    return outputs;
  }
  for (const TensorId tensor : graph.graph_outputs()) {
    const OpId op = graph.producer(tensor);
    const int number = graph.output_index(tensor);
    outputs.push_back(
        {number == 0 ? std::string(graph.name(op)) : fmt::format("{}:{}", graph.name(op), number), tensor});
  }
  return outputs;
}

void count_parameters(const Graph& graph, GraphFacts& facts) {
  for (const OpId op : graph.ops()) {
    if (graph.role(op) != Role::kParameter) continue;
    for (const TensorId tensor : graph.outputs(op)) facts.parameters += elements(graph, tensor);
    ++facts.parameter_tensors;
  }
}

}  // namespace

double Parallelism::width() const {
  return depth > 0 ? static_cast<double>(compute) / static_cast<double>(depth) : 0.0;
}

double Parallelism::work_over_path() const { return path_s > 0.0 ? work_s / path_s : 0.0; }

GraphFacts facts_of(const LoadedGraph& loaded) {
  const Graph& graph = *loaded.graph;
  GraphFacts facts;
  for (const OpId op : graph.ops()) {
    ++facts.roles[name_of(graph.role(op))];
    facts.resident_bytes += graph.resident_bytes(op);
  }
  facts.inputs = inputs_of(graph);
  facts.outputs = outputs_of(loaded);
  count_parameters(graph, facts);
  facts.types = types_in_use(graph);
  facts.activation_bytes = activation_bytes(graph);
  if (loaded.problem == nullptr) facts.peak_bytes = peak_on_one_device(loaded.graph);
  Estimator estimator(loaded);
  estimator.run();
  facts.parallelism = parallelism(graph, estimator);
  facts.devices = std::move(estimator.estimates());
  facts.unknown = unknown_types(loaded, facts.types);
  double unknown_s = 0.0;
  for (const OpId op : graph.ops()) {
    if (!facts.unknown.empty() && facts.unknown.contains(graph.type(op))) unknown_s += estimator.reference_s(op);
  }
  if (facts.parallelism.work_s > 0.0) facts.unknown_share = unknown_s / facts.parallelism.work_s;
  return facts;
}

std::string_view name_of_source(DimSource source) {
  switch (source) {
    case DimSource::kUser:
      return "given";
    case DimSource::kFile:
      return "as exported";
    case DimSource::kAssumed:
      break;
  }
  return "assumed";
}

std::vector<DimEffect> effects_of_dims(const std::string& path, const ImportOptions& options,
                                       const LoadedGraph& loaded) {
  constexpr std::size_t kMostDims = 4;
  std::vector<DimEffect> effects;
  if (!loaded.report) return effects;
  const double flops = loaded.graph->total_flops();
  const auto activations = static_cast<double>(activation_bytes(*loaded.graph));
  std::optional<Model> model;  // read when a size is tried for the first time
  const auto lowered_with_two = [&](const std::string& name) -> Result<Lowered> {
    ImportOptions larger = options;
    larger.dims.emplace(name, 2);
    if (name == kLoopTurns) return import_model(path, larger);  // readers multiply what loops do
    if (!model) {
      BERTH_TRY(model, read_model_file(path, {options.step, loop_turns(options.dims)}));
    }
    return lower(Model(*model), {.dims = larger.dims});
  };
  for (const NamedDim& dim : loaded.report->dims) {
    if (effects.size() == kMostDims) break;
    if (dim.source != DimSource::kAssumed) continue;
    const Result<Lowered> lowered = lowered_with_two(dim.name);
    if (!lowered) continue;
    const auto ratio = [](double with_two, double with_one) { return with_one > 0.0 ? with_two / with_one : 1.0; };
    effects.push_back({dim.name, ratio(lowered->graph.total_flops(), flops),
                       ratio(static_cast<double>(activation_bytes(lowered->graph)), activations)});
  }
  return effects;
}

Result<GraphAnswer> look_at_graph(const std::string& graph, const ImportOptions& options) {
  BERTH_TRY(LoadedGraph loaded, load_graph(graph, options));
  GraphFacts facts = facts_of(loaded);
  std::vector<DimEffect> effects = effects_of_dims(graph, options, loaded);
  return GraphAnswer{std::move(loaded), std::move(facts), std::move(effects)};
}

}  // namespace berth
