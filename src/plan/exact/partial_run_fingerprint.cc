// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plan/exact/partial_run.h"

namespace berth::exact {
namespace {

// Two independent hashes of a sequence of numbers.
class TwoHashes {
 public:
  void add(std::uint64_t word) {
    low_ = mix(low_ ^ word, 0x9e3779b97f4a7c15U);
    high_ = mix(high_ + word, 0xd6e8feb86659fd93U);
  }
  void add(std::int64_t word) { add(static_cast<std::uint64_t>(word)); }
  [[nodiscard]] PartialRun::Fingerprint value() const { return {low_, high_}; }

 private:
  static std::uint64_t mix(std::uint64_t x, std::uint64_t factor) {
    x *= factor;
    return x ^ (x >> 29);
  }
  std::uint64_t low_ = 1, high_ = 2;
};

}  // namespace

PartialRun::Fingerprint PartialRun::fingerprint() const {
  TwoHashes hash;
  hash.add(now_);
  for (int op = 0; op < tables_->ops; ++op) {
    const Phase state = phase(op);
    if (state == Phase::kDone) {
      hash.add(std::int64_t{-1});
      continue;
    }
    hash.add(static_cast<std::int64_t>(state) + 8 * waits_[at(op)] + (std::int64_t{device_of(op)} << 32));
    if (state == Phase::kRunning) hash.add(end(op));
  }
  for (const Transfer& transfer : transfers_) {
    hash.add((std::int64_t{transfer.tensor} << 32) + transfer.hop * 4 + static_cast<int>(transfer.state));
    const auto is_earlier = [&](const Transfer& other) { return other.turn < transfer.turn; };
    hash.add(transfer.state == Transfer::State::kMoving ? transfer.end : std::ranges::count_if(transfers_, is_earlier));
  }
  for (const Signal& signal : signals_) hash.add(signal.arrival * tables_->ops + signal.op);
  for (int device = 0; device < tables_->devices; ++device) {
    hash.add(lower_than_[at(device)]);
    if (idle_lanes(device) > 0) hash.add(std::int64_t{last_started_[at(device)]});
  }
  hash.add(touched_);
  if (tables_->has_limits) {
    hash.add(computing_);
    hash.add(crossings_);
  }
  if (tables_->memory_binds) {
    for (std::size_t i = 0; i < held_.size(); ++i) {
      hash.add(held_[i]);
      hash.add(peak_[i]);
    }
    for (std::size_t i = 0; i < uses_.size(); ++i) hash.add((std::int64_t{uses_[i]} << 32) + root_[i]);
  }
  return hash.value();
}

}  // namespace berth::exact
