// SPDX-License-Identifier: Apache-2.0
#include "plan/baselines/balanced_blocks.h"

#include <algorithm>
#include <compare>

namespace berth {
namespace {

struct Bottleneck {
  Bytes over = 0;  // resident bytes beyond capacity, over all blocks
  Picoseconds time = 0;
  auto operator<=>(const Bottleneck&) const = default;
};

std::vector<LayerLoad> prefix_sums(const std::vector<LayerLoad>& loads) {
  std::vector<LayerLoad> sums(loads.size() + 1);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    sums[i + 1] = {sums[i].time + loads[i].time, sums[i].resident + loads[i].resident};
  }
  return sums;
}

}  // namespace

std::vector<std::uint32_t> balanced_blocks(std::span<const std::vector<LayerLoad>> loads,
                                           std::span<const Bytes> capacities) {
  const std::size_t devices = loads.size();
  const std::size_t layers = loads.front().size();
  // best[end]: of the first `end` layers on the devices so far; start_of[device][end]: where that device's block
  // begins.
  std::vector<Bottleneck> best(layers + 1), next(layers + 1);
  std::vector<std::vector<std::uint32_t>> start_of(devices, std::vector<std::uint32_t>(layers + 1, 0));
  for (std::size_t device = 0; device < devices; ++device) {
    const std::vector<LayerLoad> sums = prefix_sums(loads[device]);
    for (std::size_t end = 0; end <= layers; ++end) {
      const std::size_t first_start = device == 0 ? 0 : end;  // before the first device there is nothing
      for (std::size_t start = first_start + 1; start-- > 0;) {
        const Bytes over = std::max<Bytes>(sums[end].resident - sums[start].resident - capacities[device], 0);
        const Bottleneck here{best[start].over + over, std::max(best[start].time, sums[end].time - sums[start].time)};
        if (start == first_start || here < next[end]) {
          next[end] = here;
          start_of[device][end] = static_cast<std::uint32_t>(start);
        }
      }
    }
    std::swap(best, next);
  }
  std::vector<std::uint32_t> device_of(layers);
  std::size_t end = layers;
  for (std::size_t device = devices; device-- > 0;) {
    const std::size_t start = start_of[device][end];
    std::fill(device_of.begin() + static_cast<std::ptrdiff_t>(start),
              device_of.begin() + static_cast<std::ptrdiff_t>(end), static_cast<std::uint32_t>(device));
    end = start;
  }
  return device_of;
}

}  // namespace berth
