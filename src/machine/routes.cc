// SPDX-License-Identifier: Apache-2.0
#include "machine/routes.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <functional>
#include <limits>
#include <queue>

namespace berth {
namespace {

constexpr double kProbeBytes = 1 << 20;
// Links too slow for the clock are still links: their times are cut here, low enough that two of them add up safely.
constexpr Picoseconds kSlowest = std::numeric_limits<Picoseconds>::max() / 2;
constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

Picoseconds probe_time(const Channel& channel) {
  const double time = (channel.latency_s + kProbeBytes / channel.bytes_per_s) * kPicosecondsPerSecond;
  return time < static_cast<double>(kSlowest) ? std::llround(time) : kSlowest;
}

struct Distance {
  Picoseconds time = kSlowest;
  std::uint32_t links = kUnreached;
  auto operator<=>(const Distance&) const = default;
};

class Router {
 public:
  Router(std::span<const Device> devices, std::size_t num_switches, std::span<const Channel> channels)
      : devices_(devices), channels_(channels), into_(devices.size() + num_switches), out_of_(into_.size()) {
    for (std::size_t i = 0; i < channels.size(); ++i) {
      into_[channels[i].to].push_back(static_cast<std::uint16_t>(i));
      out_of_[channels[i].from].push_back(static_cast<std::uint16_t>(i));
      times_.push_back(probe_time(channels[i]));
    }
  }

  // Distance of every node to the target, through relays only.
  [[nodiscard]] std::vector<Distance> distances_to(std::size_t target) const {
    using Entry = std::pair<Distance, std::size_t>;
    std::vector<Distance> distance(into_.size());
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    distance[target] = {0, 0};
    open.emplace(distance[target], target);
    while (!open.empty()) {
      const auto [at, node] = open.top();
      open.pop();
      if (at != distance[node] || (node != target && !is_relay(node))) continue;
      for (const std::uint16_t channel : into_[node]) {
        const Distance through = extend(at, channel);
        Distance& known = distance[channels_[channel].from];
        if (through >= known) continue;
        known = through;
        open.emplace(through, channels_[channel].from);
      }
    }
    return distance;
  }

  // Nothing when there is no route.
  [[nodiscard]] std::vector<std::uint16_t> route(std::size_t from, std::size_t to,
                                                 std::span<const Distance> distance) const {
    if (const auto direct = best_direct(from, to); direct >= 0) return {static_cast<std::uint16_t>(direct)};
    std::vector<std::uint16_t> route;
    if (distance[from].links == kUnreached) return route;
    for (std::size_t node = from; node != to; node = channels_[route.back()].to) {
      route.push_back(next_channel(node, to, distance));
    }
    return route;
  }

 private:
  [[nodiscard]] bool is_relay(std::size_t node) const {
    return node >= devices_.size() || devices_[node].kind == DeviceKind::kCpu;
  }

  [[nodiscard]] Distance extend(Distance distance, std::uint16_t channel) const {
    return {std::min(distance.time + times_[channel], kSlowest), distance.links + 1};
  }

  [[nodiscard]] int best_direct(std::size_t from, std::size_t to) const {
    int best = -1;
    for (const std::uint16_t channel : out_of_[from]) {
      if (channels_[channel].to == to && (best < 0 || times_[channel] < times_[best])) best = channel;
    }
    return best;
  }

  // The first channel in index order that lies on a shortest route; every step has one link less to go, so this ends.
  [[nodiscard]] std::uint16_t next_channel(std::size_t node, std::size_t to, std::span<const Distance> distance) const {
    for (const std::uint16_t channel : out_of_[node]) {
      const std::size_t next = channels_[channel].to;
      if (next != to && !is_relay(next)) continue;
      if (distance[next].links != kUnreached && extend(distance[next], channel) == distance[node]) return channel;
    }
    BERTH_CHECK(!"a shortest route has a next channel");
    return 0;
  }

  std::span<const Device> devices_;
  std::span<const Channel> channels_;
  std::vector<std::vector<std::uint16_t>> into_, out_of_;  // channels by node, in index order
  std::vector<Picoseconds> times_;
};

}  // namespace

Result<Routes> find_routes(std::span<const Device> devices, std::size_t num_switches,
                           std::span<const Channel> channels) {
  const Router router(devices, num_switches, channels);
  const std::size_t count = devices.size();
  std::vector<std::vector<std::uint16_t>> by_pair(count * count);
  for (std::size_t to = 0; to < count; ++to) {
    const std::vector<Distance> distance = router.distances_to(to);
    for (std::size_t from = 0; from < count; ++from) {
      if (from == to) continue;
      by_pair[from * count + to] = router.route(from, to, distance);
      if (by_pair[from * count + to].empty()) {
        return bad_input("no way from '{}' to '{}': link them, or both to a CPU or a switch (nothing else relays)",
                         devices[from].name, devices[to].name);
      }
    }
  }
  Routes routes;
  routes.begin.push_back(0);
  for (const std::vector<std::uint16_t>& route : by_pair) {
    routes.channels.insert(routes.channels.end(), route.begin(), route.end());
    routes.begin.push_back(static_cast<std::uint32_t>(routes.channels.size()));
  }
  return routes;
}

}  // namespace berth
