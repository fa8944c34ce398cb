// SPDX-License-Identifier: Apache-2.0
#include "exec/program/initial_values.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

#include "exec/program/dtypes.h"

namespace berth::exec {
namespace {

constexpr std::int64_t kRepeatedBlock =
    (std::int64_t{1} << 20) + 7;  // more are repeats of these; odd, so that rows differ
constexpr std::int64_t kNoBound = std::int64_t{1} << 62;

// What an op looks up by the tensor that is its input number `position`; kNoBound if nothing.
std::int64_t looked_up(const Graph& graph, OpId op, std::size_t position) {
  const std::string& type = graph.type(op);
  const auto size = [&](std::size_t input, std::size_t dim) {
    const auto shape = graph.shape(graph.inputs(op)[input]);
    return dim < shape.size() ? shape[dim] : kNoBound;
  };
  if (position != 1) return kNoBound;
  if (type == "aten.embedding.default") return size(0, 0);
  if (type == "aten.nll_loss_forward.default" || type == "aten.nll_loss2d_forward.default") return size(0, 1);
  if (type == "aten.gather.default" || type == "aten.index_select.default" || type == "aten.index.Tensor") {
    const auto shape = graph.shape(graph.inputs(op)[0]);
    return shape.empty() ? kNoBound : *std::ranges::min_element(shape);
  }
  return kNoBound;
}

bool passes_values_on(const Graph& graph, OpId op) {
  const std::string& type = graph.type(op);
  return graph.role(op) == Role::kView || type == "aten.gather.default" || type == "aten.clone.default" ||
         type == "aten._to_copy.default" || type == "aten.add.Tensor";
}

// The least that any consumer looks up by a tensor.
std::int64_t bound_of_uses(const Graph& graph, TensorId tensor) {
  std::int64_t bound = kNoBound;
  for (const OpId consumer : graph.consumers(tensor)) {
    const auto inputs = graph.inputs(consumer);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == tensor) bound = std::min(bound, looked_up(graph, consumer, i));
    }
  }
  return bound;
}

at::Tensor block_of(const Graph& graph, OpId op, TensorId tensor, std::int64_t size, at::ScalarType dtype) {
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(index(op) + 1);
  const auto shape = graph.shape(tensor);
  if (dtype == at::kBool) return at::ones({size}, dtype);
  if (!at::isFloatingType(dtype) && !at::isComplexType(dtype)) {
    return at::randint(0, index_bound(graph, tensor), {size}, generator, at::TensorOptions().dtype(dtype));
  }
  at::Tensor block = at::empty({size});
  const bool is_input = graph.role(op) == Role::kInput;
  if (!is_input && shape.size() < 2) {
    block.uniform_(0.5, 1.5, generator);  // scales, biases, means and variances
  } else {
    std::int64_t width = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) width *= shape[i];
    block.normal_(0.0, is_input ? 1.0 : 1.0 / std::sqrt(static_cast<double>(std::max<std::int64_t>(width, 1))),
                  generator);
  }
  return block.to(dtype);
}

}  // namespace

std::int64_t index_bound(const Graph& graph, TensorId tensor) {
  std::set<TensorId> seen{tensor};
  std::vector<TensorId> left{tensor};  // with the values of the first
  std::int64_t bound = kNoBound;
  while (!left.empty()) {
    const TensorId same = left.back();
    left.pop_back();
    bound = std::min(bound, bound_of_uses(graph, same));
    for (const OpId consumer : graph.consumers(same)) {
      if (!passes_values_on(graph, consumer)) continue;
      for (const TensorId output : graph.outputs(consumer)) {
        if (seen.insert(output).second) left.push_back(output);
      }
    }
  }
  return bound == kNoBound ? 2 : std::max<std::int64_t>(bound, 1);
}

at::Tensor initial_value(const Graph& graph, OpId op, const at::Device& device) {
  const TensorId tensor = *graph.outputs(op).begin();
  const auto dtype = torch_dtype(graph.dtype(tensor));
  if (!dtype) throw std::runtime_error(fmt::format("libtorch has no dtype {}", name_of(graph.dtype(tensor))));
  const auto shape = graph.shape(tensor);
  at::Tensor value =
      at::empty(std::vector<std::int64_t>(shape.begin(), shape.end()), at::TensorOptions(device).dtype(*dtype));
  const std::int64_t size = value.numel();
  if (size == 0) return value;
  const at::Tensor block = block_of(graph, op, tensor, std::min(size, kRepeatedBlock), *dtype).to(device);
  const at::Tensor flat = value.view({-1});
  for (std::int64_t at = 0; at < size; at += kRepeatedBlock) {
    const std::int64_t count = std::min(kRepeatedBlock, size - at);
    flat.narrow(0, at, count).copy_(block.narrow(0, 0, count));
  }
  return value;
}

}  // namespace berth::exec
