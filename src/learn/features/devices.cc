// SPDX-License-Identifier: Apache-2.0
#include "learn/features/devices.h"

#include <algorithm>
#include <cmath>

#include "learn/features/features.h"

namespace berth::learn {

Rows features_of_devices(const Problem& problem, std::span<const DeviceId> devices) {
  const Machine& machine = problem.machine();
  constexpr std::size_t kOwn = 3;  // arithmetic, bandwidth, memory; then the time of 1 MiB to every other device
  Rows rows(devices.size(), kOwn + devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Device& device = machine.device(devices[i]);
    rows.at(i, 0) = static_cast<float>(device.peak_flops(DType::kF32));
    rows.at(i, 1) = static_cast<float>(device.bytes_per_s);
    rows.at(i, 2) = static_cast<float>(problem.capacity(devices[i]));
    for (std::size_t j = 0; j < devices.size(); ++j) {
      Picoseconds time = 0;
      for (const std::uint16_t channel : machine.route(devices[i], devices[j]))
        time += problem.transfer_time(Bytes{1} << 20, channel);
      rows.at(i, kOwn + j) = static_cast<float>(to_seconds(time));
    }
  }
  for (std::size_t column = 0; column < rows.width; ++column) {
    float most = 0.0F;
    for (std::size_t row = 0; row < rows.count; ++row) most = std::max(most, rows.at(row, column));
    for (std::size_t row = 0; row < rows.count && most > 0.0F; ++row) rows.at(row, column) /= most;
  }
  return rows;
}

std::vector<float> log_start_shares(const Problem& problem, std::span<const DeviceId> devices) {
  std::vector<double> share(devices.size()), cap(devices.size(), 1.0);
  double resident = 1.0;
  for (const OpId op : problem.graph().ops()) resident += static_cast<double>(problem.resident_bytes(op));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    double seconds = 1e-12;
    for (const OpId op : problem.graph().ops()) seconds += seconds_on(problem, op, devices[i]);
    share[i] = 1.0 / seconds;
    cap[i] = std::clamp(static_cast<double>(problem.capacity(devices[i])) / resident, 1e-3, 1.0);
  }
  // What a full device cannot take goes to the others; as many rounds as devices are enough.
  std::vector<double> taken(devices.size());
  double left = 1.0;
  for (std::size_t round = 0; round < devices.size() && left > 1e-9; ++round) {
    double open = 0.0;
    for (std::size_t i = 0; i < devices.size(); ++i) open += taken[i] < cap[i] ? share[i] : 0.0;
    if (open <= 0.0) break;
    const double now = left;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (taken[i] >= cap[i]) continue;
      const double more = std::min(now * share[i] / open, cap[i] - taken[i]);
      taken[i] += more;
      left -= more;
    }
  }
  std::vector<float> logs(devices.size());
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i] = static_cast<float>(std::log(std::max(taken[i], 1e-3)));
  return logs;
}

}  // namespace berth::learn
