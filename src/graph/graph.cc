// SPDX-License-Identifier: Apache-2.0
#include "graph/graph.h"

namespace berth {

Bytes Graph::resident_bytes(OpId op) const {
  if (!is_resident(role(op))) return 0;
  Bytes bytes_of_outputs = 0;
  for (const TensorId tensor : outputs(op)) bytes_of_outputs += bytes(tensor);
  return bytes_of_outputs * (is_trained(op) ? resident_copies(optimizer_) : 1);
}

double Graph::total_flops() const {
  double sum = 0.0;
  for (const double flops : flops_) sum += flops;
  return sum;
}

Bytes Graph::parameter_bytes() const {
  Bytes sum = 0;
  for (const OpId op : ops()) {
    if (role(op) != Role::kParameter) continue;
    for (const TensorId tensor : outputs(op)) sum += bytes(tensor);
  }
  return sum;
}

}  // namespace berth
