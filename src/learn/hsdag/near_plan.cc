// SPDX-License-Identifier: Apache-2.0
#include "learn/hsdag/near_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace berth::learn {
namespace {

// Number of a share, drawn by its size; not all may be 0.
std::size_t draw_share(std::span<const double> shares, Rng& rng) {
  double left = rng.uniform() * std::accumulate(shares.begin(), shares.end(), 0.0);
  std::size_t last = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 0.0) continue;
    last = i;
    left -= shares[i];
    if (left < 0.0) break;
  }
  return last;
}

class Change {
 public:
  Change(const Surroundings& known, Rng& rng)
      : known_(known),
        rng_(rng),
        devices_(known.chances.size() / known.device.size()),
        doubt_(known.device.size()),
        made_{known.device, std::vector<bool>(known.device.size())} {
    for (std::size_t c = 0; c < doubt_.size(); ++c) {
      if (known.matters[c]) doubt_[c] = kLeastDoubt + 1.0 - chance(c, known.device[c]);
    }
  }

  Changes scattered(std::size_t wanted) {
    for (std::size_t i = 0; i < wanted && some_left(doubt_); ++i) {
      const std::size_t c = draw_share(doubt_, rng_);
      move(c, elsewhere(c));
    }
    return std::move(made_);
  }

  // Grows over neighbours on the device that it leaves.
  Changes stretch(std::size_t wanted) {
    if (!some_left(doubt_)) return std::move(made_);
    const std::size_t first = draw_share(doubt_, rng_);
    const std::uint32_t from = known_.device[first], to = elsewhere(first);
    move(first, to);
    for (std::size_t i = 1; i < wanted; ++i) {
      const std::vector<double> beside = doubt_beside(from);
      if (!some_left(beside)) break;
      move(draw_share(beside, rng_), to);
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] double chance(std::size_t cluster, std::uint32_t device) const {
    return static_cast<double>(known_.chances[cluster * devices_ + device]);
  }

  static bool some_left(std::span<const double> shares) {
    return std::ranges::any_of(shares, [](double share) { return share > 0.0; });
  }

  std::uint32_t elsewhere(std::size_t cluster) {
    std::vector<double> shares(devices_);
    for (std::uint32_t device = 0; device < devices_; ++device)
      shares[device] = chance(cluster, device) + kLeastDoubt / static_cast<double>(devices_);
    shares[known_.device[cluster]] = 0.0;
    return static_cast<std::uint32_t>(draw_share(shares, rng_));
  }

  void move(std::size_t cluster, std::uint32_t device) {
    made_.device[cluster] = device;
    made_.changed[cluster] = true;
    doubt_[cluster] = 0.0;
  }

  // Of the clusters on `device` with a neighbour that has moved.
  [[nodiscard]] std::vector<double> doubt_beside(std::uint32_t device) const {
    std::vector<double> shares(doubt_.size());
    for (const auto& [a, b] : known_.edges) {
      if (made_.changed[a] == made_.changed[b]) continue;
      const std::size_t c = made_.changed[a] ? b : a;
      if (known_.device[c] == device) shares[c] = doubt_[c];
    }
    return shares;
  }

  const Surroundings& known_;
  Rng& rng_;
  std::size_t devices_;
  std::vector<double> doubt_;  // that a cluster should stay; 0: it has moved, or need not
  Changes made_;
};

}  // namespace

Changes change_a_few(const Surroundings& known, double stretches, Rng& rng) {
  const double few = rng.uniform() * rng.uniform();
  const auto wanted = static_cast<std::size_t>(std::pow(static_cast<double>(known.device.size()), few / 2.0));
  const bool together = rng.chance(stretches);
  Change change(known, rng);
  return together ? change.stretch(wanted + 1) : change.scattered(wanted);
}

}  // namespace berth::learn
