// SPDX-License-Identifier: Apache-2.0
// Graphs of one op, devices of round numbers and the names of devices, for the tests of problems and costs.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "machine/machine.h"

namespace berth {

inline constexpr DeviceId kCpu{0}, kGpu0{1}, kGpu1{2};  // of a machine with two GPUs

using Shapes = std::vector<std::vector<std::int64_t>>;

// A graph whose last op is `op`, which reads f32 inputs of these shapes and, after them, i64 ones.
struct OneOp {
  std::string type;
  Shapes inputs, outputs;
  double flops = 0.0;
  Shapes integer_inputs = {};
  DType dtype = DType::kF32;  // of the outputs
};

struct OneOpGraph {
  Graph graph;
  OpId op;
};

inline OneOpGraph one_op(const OneOp& spec, double h200_seconds = -1.0) {
  GraphBuilder builder("one op");
  std::vector<OutputRef> inputs;
  const auto add_input = [&](DType dtype, const std::vector<std::int64_t>& shape) {
    const std::string name = "in" + std::to_string(inputs.size());
    inputs.push_back(
        {builder.add({.name = name, .type = "input", .role = Role::kInput, .outputs = {{dtype, shape}}}), 0});
  };
  for (const auto& shape : spec.inputs) add_input(DType::kF32, shape);
  for (const auto& shape : spec.integer_inputs) add_input(DType::kI64, shape);
  std::vector<TensorSpec> outputs;
  for (const auto& shape : spec.outputs) outputs.push_back({spec.dtype, shape});
  const OpId op =
      builder.add({.name = "op", .type = spec.type, .inputs = inputs, .outputs = outputs, .flops = spec.flops});
  if (h200_seconds >= 0.0) builder.set_measured("h200", op, h200_seconds);
  auto graph = std::move(builder).build();
  if (!graph) throw std::runtime_error(graph.error().message);
  return {std::move(graph).value(), op};
}

// 1 TFLOP/s, 100 GB/s, 5 us launch.
inline Device round_device(DeviceKind kind) {
  Device device;
  device.name = device.model = "round";
  device.kind = kind;
  device.async = kind != DeviceKind::kCpu;
  device.flops_per_s[DType::kF32] = 1e12;
  device.bytes_per_s = 100e9;
  device.launch_s = 5e-6;
  return device;
}

}  // namespace berth
