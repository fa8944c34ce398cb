// SPDX-License-Identifier: Apache-2.0
#include "problem/cost/cost_model.h"

#include <algorithm>

#include "problem/cost/streaming.h"

namespace berth {
namespace {

bool is_convolution(CostClass cost_class) {
  return cost_class == CostClass::kConvPointwise || cost_class == CostClass::kConvWindowed ||
         cost_class == CostClass::kConvGradPointwise || cost_class == CostClass::kConvGradWindowed;
}

// Measured seconds of an op on a device model; negative if there are none.
double measured_s(const Graph& graph, OpId op, const Device& device) {
  for (const MeasuredTimes& times : graph.measured()) {
    if (times.device_model == device.model) return static_cast<double>(times.seconds[index(op)]);
  }
  return -1.0;
}

}  // namespace

ProductRate product_rate(const OpFeatures& features, const Device& device) {
  const double plain = device.peak_flops(DType::kF32);
  if (device.kind == DeviceKind::kCpu) return {device.peak_flops(features.dtype), Units::kPlain};
  if (features.dtype == DType::kF32 && !is_convolution(features.cost_class)) return {plain, Units::kPlain};
  const double rate = device.peak_flops(features.dtype == DType::kF32 ? DType::kTF32 : features.dtype);
  // Packed halves on ordinary units reach twice the f32 peak; matrix units reach far more.
  return {rate, rate > 2.5 * plain ? Units::kTensor : Units::kPlain};
}

OpCost estimate_with(const OpFeatures& features, const Device& device, const ProductRate& rate, const Efficiency& row) {
  if (features.cost_class == CostClass::kNothing) return {};
  OpCost cost;
  if (features.flops > 0.0 && row.arithmetic > 0.0) {
    const double narrowness = features.channels > 0.0 ? row.narrow / features.channels : 0.0;
    cost.compute_s = features.flops / (rate.flops_per_s * row.arithmetic) * (1.0 + narrowness);
  }
  const double spilled = row.spill * features.bytes / (features.bytes + kCacheBytes);
  double traffic_s = features.bytes / (device.bytes_per_s * row.traffic) * (1.0 + spilled);
  if (features.slices > 0.0 && row.slice_bytes_per_s > 0.0) {
    traffic_s += features.bytes / (features.slices * row.slice_bytes_per_s);
  }
  const double fixed_s = features.products * row.fixed_s + features.rows * row.row_s;
  cost.work_s = cost.compute_s + traffic_s + fixed_s;
  return cost;
}

OpCost estimate(const OpFeatures& features, const Device& device) {
  if (features.streamed.op != StreamedOp::kNone) return estimate_streamed(features, device);
  const ProductRate rate = product_rate(features, device);
  return estimate_with(features, device, rate, efficiency(device.kind, features.cost_class, rate.units));
}

OpCost price(const Graph& graph, OpId op, const Device& device) {
  if (graph.role(op) != Role::kCompute) return {};
  return price(graph, op, features_of(graph, op), device);
}

OpCost price(const Graph& graph, OpId op, const OpFeatures& features, const Device& device) {
  OpCost cost = estimate(features, device);
  take_measured(cost, measured_s(graph, op, device));
  return cost;
}

void take_measured(OpCost& cost, double seconds) {
  if (seconds < 0.0) return;
  cost.work_s = seconds;
  cost.compute_s = std::min(cost.compute_s, seconds);
  cost.measured = true;
}

double op_time_s(const OpCost& cost, const Device& device) {
  if (cost.measured) return device.async ? std::max(device.launch_s, cost.work_s) : cost.work_s;
  if (cost.work_s <= 0.0) return 0.0;
  return device.async ? std::max(device.launch_s, cost.work_s) : device.launch_s + cost.work_s;
}

double streaming_bytes_per_s(const Device& device) {
  const Efficiency& row = efficiency(device.kind, CostClass::kElementwise, Units::kPlain);
  return device.bytes_per_s * row.traffic / (1.0 + row.spill);
}

KindSet runnable_kinds(const Graph& graph, OpId op) {
  const bool trains = graph.forward_of(op) != kNoOp || graph.updated_parameter(op) != kNoOp;
  const KindSet allowed = graph.allowed_kinds(op);
  return trains ? static_cast<KindSet>(allowed & ~kind_bit(DeviceKind::kNpu)) : allowed;
}

}  // namespace berth
