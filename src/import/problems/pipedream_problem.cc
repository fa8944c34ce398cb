// SPDX-License-Identifier: Apache-2.0
// Profiles of PipeDream (Narayanan et al., SOSP 2019): layers with the times of their forward and backward pass, the
// bytes of their activations and parameters. A layer becomes two ops that share a device. Activations flow forward, and
// for every activation that a layer reads its backward pass sends a gradient of the same size to the layer it came
// from.
#include <map>
#include <unordered_map>

#include "base/text.h"
#include "files/text_lines.h"
#include "import/problems/problem_readers.h"
#include "machine/library.h"

namespace berth {
namespace {

constexpr std::string_view kPipedreamMachine = "p100x4";
constexpr double kSecondsPerPipedreamUnit = 1e-3;
constexpr std::string_view kSeparator = " -- ";

struct Layer {
  std::string name, type;
  double forward_s = 0.0, backward_s = 0.0;
  Bytes activation = 0, parameters = 0;
  std::vector<std::size_t> sources, readers;  // layers, in the order of the file
};

class ProfileReader {
 public:
  explicit ProfileReader(std::string_view text) : lines_(text) {}

  Result<std::vector<Layer>> read() {
    while (const auto line = lines_.next()) {
      BERTH_RETURN_IF_ERROR(lines_.indented() ? read_edge(*line) : read_layer(*line));
    }
    return std::move(layers_);
  }
  [[nodiscard]] std::size_t edges() const { return edges_; }

 private:
  // "node4 -- Embedding(32320, 1024) -- forward_compute_time=0.140, backward_compute_time=... [-- stage_id=1]"
  Status read_layer(std::string_view line) {
    const std::size_t first = line.find(kSeparator), figures = line.find(" -- forward_compute_time=");
    if (first == std::string_view::npos || figures == std::string_view::npos) {
      return lines_.error("expected 'name -- description -- forward_compute_time=..., ...'");
    }
    if (layers_.size() == kMaxOps / 2) return lines_.error(fmt::format("more than {} layers", kMaxOps / 2));
    Layer layer;
    layer.name = line.substr(0, first);
    const std::size_t begin = first + kSeparator.size();  // "a -- -- forward_compute_time=" has no description
    if (begin < figures) {
      const std::string_view description = line.substr(begin, figures - begin);
      layer.type = trim(description.substr(0, description.find('(')));
    }
    if (layer.type.empty()) layer.type = "layer";
    std::string_view fields = line.substr(figures + kSeparator.size());
    fields = fields.substr(0, fields.find(kSeparator));
    BERTH_RETURN_IF_ERROR(read_figures(fields, layer));
    if (!layer_of_name_.emplace(layer.name, layers_.size()).second)
      return lines_.error(fmt::format("there is another layer named '{}'", layer.name));
    layers_.push_back(std::move(layer));
    return {};
  }

  Status read_figures(std::string_view fields, Layer& layer) const {
    BERTH_TRY(const double forward, figure(fields, "forward_compute_time"));
    BERTH_TRY(const double backward, figure(fields, "backward_compute_time"));
    BERTH_TRY(layer.activation, bytes(fields, "activation_size"));
    BERTH_TRY(layer.parameters, bytes(fields, "parameter_size"));
    layer.forward_s = forward * kSecondsPerPipedreamUnit;
    layer.backward_s = backward * kSecondsPerPipedreamUnit;
    return {};
  }

  // The number behind "name=", or the sum of "[1.0; 2.0]".
  [[nodiscard]] Result<double> figure(std::string_view fields, std::string_view name) const {
    for (std::string_view field : split(fields, ',')) {
      field = trim(field);
      if (!field.starts_with(name) || !field.substr(name.size()).starts_with('=')) continue;
      std::string_view value = field.substr(name.size() + 1);
      if (!value.starts_with('[') || !value.ends_with(']')) return lines_.amount(value, name);
      value = value.substr(1, value.size() - 2);
      double sum = 0.0;
      for (const std::string_view part : split(value, ';')) {
        BERTH_TRY(const double one, lines_.amount(trim(part), name));
        sum += one;
      }
      return sum;
    }
    return lines_.error(fmt::format("{} is missing", name));
  }

  [[nodiscard]] Result<Bytes> bytes(std::string_view fields, std::string_view name) const {
    BERTH_TRY(const double value, figure(fields, name));
    if (value > static_cast<double>(kMaxTotalBytes))
      return lines_.error(fmt::format("{} is {:g}; that is more memory than can be reckoned with", name, value));
    return static_cast<Bytes>(value + 0.5);
  }

  // "node4 -- node5"
  Status read_edge(std::string_view line) {
    const std::size_t middle = line.find(kSeparator);
    if (middle == std::string_view::npos) return lines_.error("expected an edge 'name -- name'");
    BERTH_TRY(const std::size_t from, find_layer(line.substr(0, middle)));
    BERTH_TRY(const std::size_t to, find_layer(line.substr(middle + kSeparator.size())));
    layers_[from].readers.push_back(to);
    layers_[to].sources.push_back(from);
    ++edges_;
    return {};
  }

  [[nodiscard]] Result<std::size_t> find_layer(std::string_view name) const {
    if (const auto found = layer_of_name_.find(std::string(trim(name))); found != layer_of_name_.end())
      return found->second;
    return lines_.error(fmt::format("no layer named {} stands above", in_quotes(name)));
  }

  TextLines lines_;
  std::vector<Layer> layers_;
  std::unordered_map<std::string, std::size_t> layer_of_name_;
  std::size_t edges_ = 0;
};

// Ops of the layers: forward op i for layer i, then the backward ops.
class ProfileGraph {
 public:
  explicit ProfileGraph(const std::vector<Layer>& layers) : layers_(layers), backward_of_(layers.size(), kNoOp) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (has_backward(layers[i])) backward_of_[i] = OpId(layers.size() + backward_layers_.size());
      if (has_backward(layers[i])) backward_layers_.push_back(i);
    }
    for (std::size_t reader = 0; reader < layers.size(); ++reader) {
      int output = 0;
      for (const std::size_t source : layers[reader].sources) {
        if (sends_gradient_to(source)) gradient_output_.emplace(std::pair(reader, source), output++);
      }
    }
  }

  Result<Graph> build(std::string title, std::size_t edges) const {
    GraphBuilder builder(std::move(title));
    for (const Layer& layer : layers_) add_forward(builder, layer);
    for (const std::size_t layer : backward_layers_) add_backward(builder, layer);
    builder.set_source_counts(layers_.size(), edges);
    return std::move(builder).build();
  }

  // Times on accelerators; a profile says nothing about CPUs. A layer holds its parameters and activations, and its
  // backward pass as much again for their gradients.
  [[nodiscard]] ExplicitCosts costs(const Machine& machine) const {
    ExplicitCosts costs;
    const auto add = [&](double time_s, const Layer& layer) {
      std::vector<double>& times = costs.time_s.emplace_back();
      for (const Device& device : machine.devices()) times.push_back(device.kind == DeviceKind::kCpu ? -1.0 : time_s);
      costs.resident.push_back(layer.activation + layer.parameters);
    };
    for (const Layer& layer : layers_) add(layer.forward_s, layer);
    for (const std::size_t layer : backward_layers_) add(layers_[layer].backward_s, layers_[layer]);
    return costs;
  }

 private:
  // Where a graph begins there may be nothing to compute backwards: inputs have no gradient.
  static bool has_backward(const Layer& layer) { return layer.backward_s > 0.0 || !layer.sources.empty(); }

  // An edge without bytes says what comes first and moves nothing.
  void add_forward(GraphBuilder& builder, const Layer& layer) const {
    OpSpec op{.name = layer.name, .type = layer.type, .colocate = layer.name};
    for (const std::size_t source : layer.sources) {
      if (layers_[source].activation > 0) op.inputs.push_back({OpId(source), 0});
      if (layers_[source].activation == 0) op.control_inputs.push_back(OpId(source));
    }
    if (layer.activation > 0 && !layer.readers.empty()) op.outputs.push_back(tensor_of_bytes(layer.activation));
    builder.add(op);
  }

  // One output per source that takes a gradient, in the order of the sources.
  void add_backward(GraphBuilder& builder, std::size_t number) const {
    const Layer& layer = layers_[number];
    const std::string name = fmt::format("{}_backward", layer.name), type = fmt::format("{}_backward", layer.type);
    OpSpec op{.name = name, .type = type, .colocate = layer.name, .forward_of = OpId(number)};
    op.control_inputs.push_back(OpId(number));
    for (const std::size_t reader : layer.readers) {
      if (const auto output = gradient_output(reader, number)) {
        op.inputs.push_back({backward_of_[reader], *output});
      } else {
        op.control_inputs.push_back(backward_of_[reader]);
      }
    }
    for (const std::size_t source : layer.sources) {
      if (sends_gradient_to(source)) op.outputs.push_back(tensor_of_bytes(layers_[source].activation));
    }
    builder.add(op);
  }

  [[nodiscard]] bool sends_gradient_to(std::size_t source) const {
    return backward_of_[source] != kNoOp && layers_[source].activation > 0;
  }

  // Which output of the reader's backward op is the gradient for this layer; none if it moves nothing.
  [[nodiscard]] std::optional<int> gradient_output(std::size_t reader, std::size_t layer) const {
    const auto found = gradient_output_.find(std::pair(reader, layer));
    return found != gradient_output_.end() ? std::optional(found->second) : std::nullopt;
  }

  const std::vector<Layer>& layers_;
  std::vector<OpId> backward_of_;  // per layer; kNoOp where it has none
  std::vector<std::size_t> backward_layers_;
  std::map<std::pair<std::size_t, std::size_t>, int> gradient_output_;  // by reader and source: the first such output
};

// The machine with nothing but the ways between each accelerator and the host, each a link of its own: so the profiles'
// authors, and those who compare with them, price a transfer. As it is where there is no host.
Result<std::shared_ptr<const Machine>> through_the_host(const std::shared_ptr<const Machine>& machine) {
  const auto host = machine->first_of(DeviceKind::kCpu);
  if (!host) return machine;
  std::vector<Link> links;
  const auto add = [&](DeviceId from, DeviceId to) {
    Link link{.from = machine->device(from).name, .to = machine->device(to).name, .duplex = Duplex::kOneWay};
    double seconds_per_byte = 0.0;
    const auto route = machine->route(from, to);
    for (const std::uint16_t channel : route) {
      link.latency_s += machine->channels()[channel].latency_s;
      seconds_per_byte += 1.0 / machine->channels()[channel].bytes_per_s;
    }
    link.bytes_per_s = route.size() == 1 ? machine->channels()[route.front()].bytes_per_s : 1.0 / seconds_per_byte;
    links.push_back(std::move(link));
  };
  for (const DeviceId id : machine->device_ids()) {
    if (id == *host) continue;
    add(*host, id);
    add(id, *host);
  }
  const auto devices = machine->devices();
  const auto pools = machine->pools();
  BERTH_TRY(Machine star, Machine::make(machine->name(), machine->description(), {devices.begin(), devices.end()},
                                        {pools.begin(), pools.end()}, {}, std::move(links), machine->execution()));
  return std::make_shared<const Machine>(std::move(star));
}

}  // namespace

bool looks_like_pipedream(std::string_view first_line) {
  return first_line.find(" -- forward_compute_time=") != std::string_view::npos;
}

Result<Problem> read_pipedream_problem(std::string_view text, std::string title, const ProblemOverrides& request) {
  BERTH_RETURN_IF_ERROR(check_objective(request, Objective::kPipeline, "a profile describes the stages of a pipeline"));
  ProfileReader reader(text);
  BERTH_TRY(const std::vector<Layer> layers, reader.read());
  if (layers.size() > 1 && reader.edges() == 0)  // edges come after all layers
    return bad_input("{} layers and no edge between them: the profile ends early", layers.size());
  const ProfileGraph profile(layers);
  BERTH_TRY(Graph graph, profile.build(std::move(title), reader.edges()));
  std::shared_ptr<const Machine> machine = request.machine;
  if (machine == nullptr) {
    BERTH_TRY(Machine own, builtin_machine(kPipedreamMachine));
    machine = std::make_shared<const Machine>(std::move(own));
  }
  if (machine->accelerators().empty()) {
    return bad_input("a profile states times on an accelerator, and machine '{}' has none", machine->name());
  }
  BERTH_TRY(machine, through_the_host(machine));
  const ExplicitCosts costs = profile.costs(*machine);
  return make_problem(std::make_shared<const Graph>(std::move(graph)), std::move(machine), costs, {},
                      Objective::kPipeline);
}

}  // namespace berth
