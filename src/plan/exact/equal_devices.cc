// SPDX-License-Identifier: Apache-2.0
#include "plan/exact/equal_devices.h"

#include <utility>

namespace berth::exact {
namespace {

// Whether swapping devices a and b maps the machine and the problem onto itself.
class SwapCheck {
 public:
  SwapCheck(const Tables& tables, int a, int b)
      : tables_(tables),
        a_(a),
        b_(b),
        channel_image_(static_cast<std::size_t>(tables.channels), -1),
        queue_image_(static_cast<std::size_t>(tables.queues), -1) {}

  bool holds() {
    const Problem& problem = *tables_.problem;
    const DeviceId first{static_cast<std::uint16_t>(a_)}, second{static_cast<std::uint16_t>(b_)};
    if (problem.device_class(first) != problem.device_class(second)) return false;
    const auto at = [](const auto& table, int i) { return table[static_cast<std::size_t>(i)]; };
    if (at(tables_.lanes, a_) != at(tables_.lanes, b_) || at(tables_.capacity, a_) != at(tables_.capacity, b_))
      return false;
    const bool own_memory = at(tables_.account, a_) == a_ && at(tables_.account, b_) == b_;
    if (!own_memory && at(tables_.account, a_) != at(tables_.account, b_)) return false;
    for (const DeviceSet allowed : tables_.allowed) {
      if (((allowed >> a_) & 1) != ((allowed >> b_) & 1)) return false;
    }
    for (int from = 0; from < tables_.devices; ++from) {
      for (int to = 0; to < tables_.devices; ++to) {
        if (from != to && !maps_route(from, to)) return false;
      }
    }
    return true;
  }

 private:
  [[nodiscard]] int image(int device) const { return device == a_ ? b_ : device == b_ ? a_ : device; }

  bool maps_route(int from, int to) {
    const Machine& machine = tables_.problem->machine();
    const auto id = [](int device) { return DeviceId(static_cast<std::uint16_t>(device)); };
    const auto route = machine.route(id(from), id(to)), mapped = machine.route(id(image(from)), id(image(to)));
    if (route.size() != mapped.size()) return false;
    for (std::size_t i = 0; i < route.size(); ++i) {
      const Channel &x = machine.channels()[route[i]], &y = machine.channels()[mapped[i]];
      if (x.bytes_per_s != y.bytes_per_s || x.latency_s != y.latency_s || (x.queue < 0) != (y.queue < 0)) return false;
      if (!maps(channel_image_, route[i], mapped[i])) return false;
      if (x.queue >= 0 && !maps(queue_image_, x.queue, y.queue)) return false;
    }
    return true;
  }

  // A swap is its own inverse, so an image determines that of the other.
  static bool maps(std::vector<int>& images, int x, int y) {
    int &of_x = images[static_cast<std::size_t>(x)], &of_y = images[static_cast<std::size_t>(y)];
    if (of_x < 0) of_x = y;
    if (of_y < 0) of_y = x;
    return of_x == y && of_y == x;
  }

  const Tables& tables_;
  int a_, b_;
  std::vector<int> channel_image_, queue_image_;
};

}  // namespace

std::vector<int> interchangeable_devices(const Tables& tables) {
  std::vector<int> class_of;
  for (int device = 0; device < tables.devices; ++device) {
    const bool joins = device > 0 && SwapCheck(tables, device - 1, device).holds();
    class_of.push_back(device == 0 ? 0 : class_of.back() + (joins ? 0 : 1));
  }
  return class_of;
}

}  // namespace berth::exact
