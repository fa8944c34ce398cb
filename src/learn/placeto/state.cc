// SPDX-License-Identifier: Apache-2.0
#include "learn/placeto/state.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "learn/features/devices.h"

namespace berth::learn {
namespace {

constexpr double kLeastScale = 1e-12;

float share(double part, double whole) { return static_cast<float>(part / std::max(whole, kLeastScale)); }

double largest(const std::vector<double>& values) {
  return values.empty() ? 1.0 : std::max(*std::ranges::max_element(values), kLeastScale);
}

}  // namespace

StateFeatures::StateFeatures(const GroupGraph& graph, const PlacetoOptions& options)
    : graph_(graph),
      fixed_head_(options.device_head == DeviceHead::kFixed),
      prior_(graph.num_devices()),
      most_out_(largest(graph.out_bytes)),
      most_bytes_(largest(graph.bytes)),
      most_s_(largest(graph.quickest_s)) {
  if (options.start_by_speed) prior_ = log_start_shares(graph.problem, graph.devices);
}

std::size_t StateFeatures::group_width(const PlacetoOptions& options, std::size_t devices) {
  return options.device_head == DeviceHead::kFixed ? kOwn + devices : kOwn + kWhere;
}

void StateFeatures::groups(const std::vector<std::uint8_t>& device_of, const std::vector<float>& start,
                           const std::vector<float>& done, std::size_t turn, float* out, std::size_t columns) const {
  const std::size_t width = group_width();
  double most_start = kLeastScale;
  for (const float each : start) most_start = std::max(most_start, static_cast<double>(std::abs(each - start[turn])));
  for (std::size_t group = 0; group < graph_.size(); ++group, out += columns * width) {
    const auto seconds = static_cast<double>(graph_.seconds.at(group, device_of[group]));
    out[0] = std::min(share(seconds, most_s_), 4.0F);
    out[1] = share(graph_.out_bytes[group], most_out_);
    out[2] = done[group];
    out[3] = group == turn ? 1.0F : 0.0F;
    out[4] = share(start[group] - start[turn], most_start);
    out[5] = share(graph_.bytes[group], most_bytes_);
    if (fixed_head_) {
      std::fill(out + kOwn, out + width, 0.0F);
      out[kOwn + device_of[group]] = 1.0F;
    } else {
      out[6] = static_cast<float>(
          std::log2(std::max(seconds, kLeastScale) / std::max(graph_.quickest_s[group], kLeastScale)) / 4.0);
      out[7] = device_of[group] == device_of[turn] ? 1.0F : 0.0F;
    }
  }
}

void StateFeatures::pairs(const Moment& moment, const std::vector<Reach::Kin>& kin, std::size_t turn,
                          float* out) const {
  const std::size_t devices = graph_.num_devices();
  std::vector<double> load(devices), peers(devices), memory(devices), last_end(devices);
  for (std::size_t group = 0; group < graph_.size(); ++group) {
    if (group == turn) continue;
    const std::size_t device = moment.device_of[group];
    const auto seconds = static_cast<double>(graph_.seconds.at(group, device));
    load[device] += seconds;
    memory[device] += graph_.bytes[group];
    if (kin[group] == Reach::Kin::kPeer) peers[device] += seconds;
    if (moment.start[group] < moment.start[turn])
      last_end[device] = std::max(last_end[device], static_cast<double>(moment.end[group]));
  }
  const double equal_share = std::max(graph_.total_s / static_cast<double>(devices), kLeastScale);
  const double now_s = static_cast<double>(graph_.seconds.at(turn, moment.device_of[turn]));
  for (std::size_t device = 0; device < devices; ++device, out += kPairs) {
    const auto here_s = static_cast<double>(graph_.seconds.at(turn, device));
    // What is exchanged with this device, and what with others: bytes, and seconds of links.
    double with_earlier = 0.0, all_earlier = 0.0, with_later = 0.0, all_later = 0.0, in_s = 0.0, out_s = 0.0;
    double ready = 0.0;
    for (const GroupGraph::Neighbour& other : graph_.earlier[turn]) {
      const std::size_t there = moment.device_of[other.group];
      const double transfer = graph_.transfer_s(there, device, other.bytes);
      all_earlier += other.bytes;
      with_earlier += there == device ? other.bytes : 0.0;
      in_s += transfer;
      ready = std::max(ready, static_cast<double>(moment.end[other.group]));
    }
    for (const GroupGraph::Neighbour& other : graph_.later[turn]) {
      const std::size_t there = moment.device_of[other.group];
      all_later += other.bytes;
      with_later += there == device ? other.bytes : 0.0;
      out_s += graph_.transfer_s(device, there, other.bytes);
    }
    out[0] = moment.device_of[turn] == device ? 1.0F : 0.0F;
    out[1] = static_cast<float>(
        std::log2(std::max(here_s, kLeastScale) / std::max(graph_.quickest_s[turn], kLeastScale)) / 4.0);
    out[2] = static_cast<float>(std::log1p(load[device] / equal_share));
    out[3] = static_cast<float>(std::log1p(peers[device] / equal_share));
    out[4] = std::min(share(memory[device] + graph_.bytes[turn], graph_.capacity[device]), 4.0F);
    out[5] = all_earlier > 0.0 ? share(with_earlier, all_earlier) : 0.0F;
    out[6] = all_later > 0.0 ? share(with_later, all_later) : 0.0F;
    out[7] = static_cast<float>(std::log1p(64.0 * in_s / equal_share));
    out[8] = static_cast<float>(std::log1p(64.0 * out_s / equal_share));
    out[9] = static_cast<float>(last_end[device] - ready);
    out[10] = static_cast<float>(std::clamp(64.0 * (here_s - now_s) / equal_share, -4.0, 4.0));
  }
}

}  // namespace berth::learn
