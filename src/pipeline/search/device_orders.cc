// SPDX-License-Identifier: Apache-2.0
#include "pipeline/search/device_orders.h"

#include <algorithm>
#include <set>
#include <utility>

namespace berth::pipeline {
namespace {

using Looks = std::vector<Picoseconds>;

Picoseconds link_time(const Problem& problem, DeviceId from, DeviceId to) {
  Picoseconds sum = 0;
  for (const std::uint16_t channel : problem.machine().route(from, to)) sum += problem.transfer_time(1 << 20, channel);
  return sum;
}

// What tells a device from others: its class, memory and links.
Looks looks_of(const Problem& problem, DeviceId device, const std::vector<DeviceId>& devices) {
  Looks links;
  for (const DeviceId other : devices) {
    if (other == device) continue;
    links.push_back(link_time(problem, device, other));
    links.push_back(link_time(problem, other, device));
  }
  std::ranges::sort(links);
  links.push_back(problem.device_class(device));
  links.push_back(problem.capacity(device));
  return links;
}

class OrderFinder {
 public:
  OrderFinder(const Problem& problem, const std::vector<DeviceId>& devices, std::size_t most)
      : problem_(problem), devices_(devices), most_(most) {
    for (const DeviceId device : devices) looks_.push_back(looks_of(problem, device, devices));
  }

  std::vector<std::vector<DeviceId>> run(std::size_t longest) {
    std::vector<Prefix> prefixes{{}};
    for (std::size_t length = 1; length <= longest; ++length) {
      std::vector<Prefix> longer;
      std::set<Looks> seen;
      for (const Prefix& prefix : prefixes) {
        for (std::size_t i = 0; i < devices_.size(); ++i) extend(prefix, i, seen, longer);
      }
      if (longer.size() > most_) longer.resize(most_);
      prefixes = std::move(longer);
      for (const Prefix& prefix : prefixes) orders_.push_back(prefix.devices);
    }
    return std::move(orders_);
  }

 private:
  struct Prefix {
    std::vector<DeviceId> devices;
    Looks looks;
  };

  void extend(const Prefix& prefix, std::size_t i, std::set<Looks>& seen, std::vector<Prefix>& longer) const {
    const DeviceId device = devices_[i];
    if (std::ranges::find(prefix.devices, device) != prefix.devices.end()) return;
    Prefix next = prefix;
    next.looks.insert(next.looks.end(), looks_[i].begin(), looks_[i].end());
    for (const DeviceId before : prefix.devices) {
      next.looks.push_back(link_time(problem_, before, device));
      next.looks.push_back(link_time(problem_, device, before));
    }
    if (!seen.insert(next.looks).second) return;
    next.devices.push_back(device);
    longer.push_back(std::move(next));
  }

  const Problem& problem_;
  const std::vector<DeviceId>& devices_;
  const std::size_t most_;
  std::vector<Looks> looks_;
  std::vector<std::vector<DeviceId>> orders_;
};

}  // namespace

std::vector<std::vector<DeviceId>> device_orders(const Problem& problem, const std::vector<DeviceId>& devices,
                                                 std::size_t longest, std::size_t most) {
  return OrderFinder(problem, devices, most).run(std::min(longest, devices.size()));
}

}  // namespace berth::pipeline
