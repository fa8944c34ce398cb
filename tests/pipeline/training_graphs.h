// SPDX-License-Identifier: Apache-2.0
// Training steps made up for tests of pipelines: chains of layers that can be checked on paper, and random ones that
// visit the corners (skips, views, shared weights, constants, inputs of several layers, timeless ops) on random
// machines.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "graph/builder.h"
#include "problem/problem.h"

namespace berth::pipeline {

// What a layer of a chain takes, in seconds and bytes. Its activation is what the next layer reads, and what its own
// backward pass keeps.
struct ChainLayer {
  double forward = 1, input = 1, weight = 1, update = 0;
  Bytes parameter = 0, activation = 0;
};

// x -> layer.0 -> layer.1 -> ...; the gradient of a layer's input, of the size of its activation, goes back.
inline Problem chain_problem(const std::vector<ChainLayer>& layers, std::shared_ptr<const Machine> machine,
                             const std::vector<double>& slowness = {}) {
  GraphBuilder builder("chain");
  ExplicitCosts costs;
  const auto add = [&](OpSpec op, double seconds) {
    auto& times = costs.time_s.emplace_back();
    for (const DeviceId device : machine->device_ids()) {
      times.push_back(seconds * (slowness.empty() ? 1.0 : slowness[index(device)]));
    }
    return builder.add(op);
  };
  std::vector<OpId> forward, parameters;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string module = fmt::format("layer.{}", i);
    const std::string name = fmt::format("{}.w", module), forward_name = fmt::format("{}.f", module);
    parameters.push_back(add({.name = name,
                              .type = "parameter",
                              .role = Role::kParameter,
                              .outputs = {{DType::kU8, {layers[i].parameter}}},
                              .module = module},
                             0));
    std::vector<OutputRef> inputs{{parameters.back(), 0}};
    if (i > 0) inputs.push_back({forward.back(), 0});
    forward.push_back(add({.name = forward_name,
                           .type = "forward",
                           .inputs = inputs,
                           .outputs = {{DType::kU8, {layers[i].activation}}},
                           .module = module},
                          layers[i].forward));
  }
  OpId gradient = forward.back();
  for (std::size_t i = layers.size(); i-- > 0;) {
    const std::string module = fmt::format("layer.{}", i);
    const std::string input = module + ".b", weight = module + ".dw", update = module + ".u";
    const OpId above = gradient;
    gradient = add({.name = input,
                    .type = "backward",
                    .inputs = {{above, 0}, {forward[i], 0}},
                    .outputs = {{DType::kU8, {layers[i].activation}}},
                    .module = module,
                    .forward_of = forward[i]},
                   layers[i].input);
    const OpId delta = add({.name = weight,
                            .type = "backward_weight",
                            .inputs = {{gradient, 0}},
                            .outputs = {{DType::kU8, {layers[i].parameter}}},
                            .module = module,
                            .forward_of = forward[i]},
                           layers[i].weight);
    add({.name = update,
         .type = "update",
         .inputs = {{parameters[i], 0}, {delta, 0}},
         .module = module,
         .updates = parameters[i]},
        layers[i].update);
  }
  auto graph = std::move(builder).build();
  auto problem = make_problem(std::make_shared<const Graph>(std::move(*graph)), std::move(machine), costs);
  return std::move(*problem);
}

// Ends of ops and transfers coincide often: times are a few picoseconds.
class RandomTraining {
 public:
  RandomTraining(Rng& rng, std::size_t layers, std::shared_ptr<const Machine> machine)
      : rng_(rng), layers_(layers), machine_(std::move(machine)), builder_("random training") {}

  Problem make() {
    if (rng_.chance(0.5)) builder_.set_optimizer(Optimizer::kAdam);
    for (std::size_t i = 0; i < layers_; ++i) add_forward(i);
    for (std::size_t i = layers_; i-- > 0;) add_backward(i);
    add_updates();
    auto graph = std::move(builder_).build();
    BERTH_CHECK(graph.ok());
    auto problem = make_problem(std::make_shared<const Graph>(std::move(*graph)), machine_, costs_);
    BERTH_CHECK(problem.ok());
    return std::move(*problem);
  }

 private:
  struct Made {
    OpId op;
    std::size_t layer;
  };

  OpId add(OpSpec op) {
    auto& times = costs_.time_s.emplace_back();
    for (std::size_t i = 0; i < machine_->num_devices(); ++i) {
      times.push_back(op.role == Role::kCompute ? static_cast<double>(rng_.between(0, 6)) * 1e-12 : 0.0);
    }
    const std::string name = fmt::format("{} {}", op.type, builder_.num_ops());
    op.name = name;
    return builder_.add(op);
  }

  TensorSpec size() { return {DType::kU8, {rng_.between(0, 9)}}; }

  OpId weight(std::size_t layer, const std::string& module) {
    if (!weights_.empty() && rng_.chance(0.2)) return weights_[rng_.below(weights_.size())].op;  // shared
    weights_.push_back(
        {add({.type = "parameter", .role = Role::kParameter, .outputs = {size()}, .module = module}), layer});
    return weights_.back().op;
  }

  // A view of a tensor, now and then, in the layer of its reader.
  OutputRef maybe_view(OutputRef tensor, const std::string& module, OpId forward_of = kNoOp) {
    if (!rng_.chance(0.3)) return tensor;
    return {add({.type = "view",
                 .role = Role::kView,
                 .inputs = {tensor},
                 .outputs = {size()},
                 .module = module,
                 .forward_of = forward_of}),
            0};
  }

  void add_forward(std::size_t layer) {
    const std::string module = fmt::format("layer.{}", layer);
    std::vector<OutputRef> inputs;
    if (layer == 0 || rng_.chance(0.2)) {
      inputs.push_back(
          maybe_view({add({.type = "input", .role = Role::kInput, .outputs = {size()}, .module = module}), 0}, module));
    }
    if (layer > 0) inputs.push_back(maybe_view({forward_.back().op, 0}, module));
    if (rng_.chance(0.3) && layer > 1)
      inputs.push_back(maybe_view({forward_[rng_.below(forward_.size())].op, 0}, module));
    if (constants_.empty() || rng_.chance(0.1)) {
      constants_.push_back(add({.type = "constant", .role = Role::kConstant, .outputs = {size()}, .module = module}));
    }
    if (rng_.chance(0.3)) inputs.push_back(maybe_view({constants_[rng_.below(constants_.size())], 0}, module));
    used_.emplace_back();
    for (std::int64_t n = rng_.between(1, 2); n > 0; --n) {
      const OpId parameter = weight(layer, module);
      used_.back().push_back(parameter);
      inputs.push_back(maybe_view({parameter, 0}, module));
      forward_.push_back(
          {add({.type = "forward", .inputs = inputs, .outputs = {size(), size()}, .module = module}), layer});
      inputs = {{forward_.back().op, 0}};
      if (rng_.chance(0.5)) inputs.push_back(maybe_view({forward_.back().op, 1}, module));
    }
    last_.push_back(forward_.back().op);
  }

  void add_backward(std::size_t layer) {
    const std::string module = fmt::format("layer.{}", layer);
    std::vector<OutputRef> inputs{{last_[layer], 0}};
    if (gradient_ != kNoOp) inputs.push_back(maybe_view({gradient_, 0}, module, last_[layer]));
    if (rng_.chance(0.3))
      inputs.push_back(maybe_view({forward_[rng_.below(forward_.size())].op, 0}, module, last_[layer]));
    gradient_ = add({.type = "backward",
                     .inputs = inputs,
                     .outputs = {size(), size()},
                     .module = module,
                     .forward_of = last_[layer]});
    for (const OpId parameter : used_[layer]) {
      std::vector<OutputRef> read{{gradient_, 1}};
      if (rng_.chance(0.5)) read.push_back({last_[layer], 1});
      const OpId delta = add({.type = "backward_weight",
                              .inputs = read,
                              .outputs = {size()},
                              .module = module,
                              .forward_of = last_[layer]});
      deltas_.push_back({parameter, maybe_view({delta, 0}, module, last_[layer])});
    }
  }

  // Gradients of a weight that several layers read are added up first.
  void add_updates() {
    for (const Made& weight : weights_) {
      const std::string module = fmt::format("layer.{}", weight.layer);
      std::vector<OutputRef> all;
      for (const auto& [parameter, delta] : deltas_) {
        if (parameter == weight.op) all.push_back(delta);
      }
      if (all.empty()) continue;
      OutputRef sum = all.front();
      for (std::size_t i = 1; i < all.size(); ++i) {
        sum = {add({.type = "grad_add",
                    .inputs = {sum, all[i]},
                    .outputs = {size()},
                    .module = module,
                    .forward_of = last_[weight.layer]}),
               0};
      }
      add({.type = "update", .inputs = {{weight.op, 0}, sum}, .module = module, .updates = weight.op});
    }
  }

  Rng& rng_;
  std::size_t layers_;
  std::shared_ptr<const Machine> machine_;
  GraphBuilder builder_;
  ExplicitCosts costs_;
  std::vector<Made> weights_, forward_;
  std::vector<OpId> constants_, last_;
  std::vector<std::vector<OpId>> used_;
  std::vector<std::pair<OpId, OutputRef>> deltas_;
  OpId gradient_ = kNoOp;
};

inline std::shared_ptr<const Machine> random_pipeline_machine(Rng& rng, std::size_t gpus) {
  std::vector<Device> devices;
  std::vector<MemoryPool> pools;
  if (rng.chance(0.3)) pools.push_back({"pool", 1 << 20});
  const auto device = [&](std::string name, DeviceKind kind) {
    Device made;
    made.name = std::move(name);
    made.model = fmt::format("model{}", devices.size());
    made.kind = kind;
    made.memory = 1 << 20;
    made.flops_per_s = {{DType::kF32, 1e12}};
    made.bytes_per_s = 1e12;
    made.lanes = static_cast<int>(rng.between(1, 2));
    if (!pools.empty() && rng.chance(0.5)) made.pool = "pool";
    devices.push_back(made);
  };
  const bool has_cpu = rng.chance(0.7);
  if (has_cpu) device("cpu", DeviceKind::kCpu);
  for (std::size_t i = 0; i < gpus; ++i) device(fmt::format("gpu{}", i), DeviceKind::kGpu);
  if (!pools.empty()) {
    bool is_used = false;
    for (const Device& d : devices) is_used = is_used || d.pool == "pool";
    if (!is_used) devices.back().pool = "pool";
  }
  std::vector<Link> links;
  const auto link = [&](const std::string& a, const std::string& b) {
    Link made{.from = a,
              .to = b,
              .bytes_per_s = rng.chance(0.5) ? 1e12 : 5e11,
              .latency_s = static_cast<double>(rng.between(0, 3)) * 1e-12};
    if (rng.chance(0.3)) made.duplex = Duplex::kHalf;
    if (rng.chance(0.2)) made.bus = "bus";
    if (made.bus.empty() && rng.chance(0.1)) made.contended = false;
    links.push_back(made);
  };
  for (std::size_t i = 0; i + 1 < devices.size(); ++i) {
    for (std::size_t k = i + 1; k < devices.size(); ++k) {
      if (!has_cpu || i == 0 || rng.chance(0.5)) link(devices[i].name, devices[k].name);
    }
  }
  auto machine = Machine::make("random", "", devices, pools, {}, links);
  BERTH_CHECK(machine.ok());
  return std::make_shared<const Machine>(std::move(*machine));
}

}  // namespace berth::pipeline
