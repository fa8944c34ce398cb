// SPDX-License-Identifier: Apache-2.0
// What one device does, measured through ATen: products, streaming, the cost of starting an op, copies.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "exec/devices/accelerator.h"
#include "exec/probe/probe.h"

namespace berth::exec {

struct ProbeEffort {
  double try_s = 0.004;  // shortest try
  int tries = 3;
};

// Seconds of one call: the best of several tries, each long enough for the clock. `finish` waits until the work of all
// calls is done.
double best_seconds(const ProbeEffort& effort, const std::function<void()>& work, const std::function<void()>& finish);

struct DeviceRates {
  std::map<DType, double> product_flops;  // best rate of a product, by dtype
  double stream_bytes_per_s = 0.0;        // best rate of c = a + b
  Bytes stream_bytes = 0;                 // of that op
  double launch_s = 0.0;                  // the smallest op, one after the other
};

// Runs on the calling thread's cores, or on the accelerator if it is not null. Adds its points under that name.
DeviceRates measure_rates(const std::string& name, const Accelerator* accelerator, const ProbeOptions& options,
                          std::vector<ProbePoint>& points);

struct LinkRates {
  double latency_s = 0.0, bytes_per_s = 0.0;
};

// Latency and bandwidth that fit copy times best: the time of the smallest, the slope of the largest two.
LinkRates fit_link(const std::vector<std::pair<Bytes, double>>& times);

}  // namespace berth::exec
