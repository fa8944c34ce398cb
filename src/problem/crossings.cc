// SPDX-License-Identifier: Apache-2.0
#include "problem/crossings.h"

#include <bit>

#include "machine/device_set.h"

namespace berth {

Bytes bytes_crossed(const Graph& graph, const Plan& plan) {
  Bytes sum = 0;
  for (const TensorId tensor : graph.tensors()) {
    DeviceSet others = 0;
    for (const OpId consumer : graph.consumers(tensor)) others |= device_bit(plan.device(consumer));
    others &= ~device_bit(plan.device(graph.producer(tensor)));
    sum += graph.bytes(tensor) * std::popcount(others);
  }
  return sum;
}

}  // namespace berth
