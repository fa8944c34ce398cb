// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/pipeline_bound.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "sim/bounds/work_prices.h"
#include "sim/pipeline_loads.h"

namespace berth {
namespace {

class PipelineBoundFinder {
 public:
  explicit PipelineBoundFinder(const Problem& problem) : problem_(problem), model_(problem) {}

  [[nodiscard]] Picoseconds largest_unit() const {
    Picoseconds largest = 0;
    for (std::uint32_t unit = 0; unit < model_.num_units(); ++unit) {
      Picoseconds least = std::numeric_limits<Picoseconds>::max();
      for (const DeviceId id : problem_.machine().device_ids()) {
        if (!is_allowed(unit, id)) continue;
        least = std::min(least, model_.load(id, model_.work(unit, id), sent(unit, id) + received(unit, id)));
      }
      largest = std::max(largest, least);
    }
    return largest;
  }

  // A transfer takes the whole device, so all its lanes.
  [[nodiscard]] Picoseconds spread_work() const {
    const auto classes = static_cast<std::size_t>(problem_.num_device_classes());
    std::vector<double> lanes(classes, 0.0), times(model_.num_units() * classes, WorkPrices::kNever);
    for (const DeviceId id : problem_.machine().device_ids()) {
      const auto c = static_cast<std::size_t>(problem_.device_class(id));
      const Picoseconds own_lanes = problem_.machine().device(id).lanes;
      lanes[c] += static_cast<double>(own_lanes);
      for (std::uint32_t unit = 0; unit < model_.num_units(); ++unit) {
        if (!is_allowed(unit, id)) continue;
        double& time = times[unit * classes + c];
        time = std::min(time, static_cast<double>(model_.work(unit, id) + own_lanes * sent(unit, id)));
      }
    }
    return WorkPrices(std::move(lanes), std::move(times)).bound();
  }

 private:
  [[nodiscard]] bool is_allowed(std::uint32_t unit, DeviceId device) const {
    return (problem_.unit_allowed(unit) & device_bit(device)) != 0;
  }

  [[nodiscard]] Picoseconds sent(std::uint32_t unit, DeviceId device) const {
    Picoseconds sum = 0;
    for (const std::uint32_t net : model_.made_by(unit)) {
      const auto readers = model_.readers(net);
      if (!std::ranges::all_of(readers, [&](std::uint32_t reader) { return is_allowed(reader, device); }))
        sum += model_.out_time(net, device);
    }
    return sum;
  }

  [[nodiscard]] Picoseconds received(std::uint32_t unit, DeviceId device) const {
    Picoseconds sum = 0;
    for (const std::uint32_t net : model_.read_by(unit)) {
      if (!is_allowed(model_.producer(net), device)) sum += model_.in_time(net, device);
    }
    return sum;
  }

  const Problem& problem_;
  const PipelineModel model_;
};

}  // namespace

PipelineBound pipeline_bound(const Problem& problem) {
  const PipelineBoundFinder finder(problem);
  return {finder.spread_work(), finder.largest_unit()};
}

}  // namespace berth
