// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every platform: xoshiro256** (Blackman and Vigna, 2018) seeded by splitmix64,
// with distributions of our own, since those of the standard library differ between implementations.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace berth {

class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  std::uint64_t next();                                       // 64 random bits
  std::uint64_t below(std::uint64_t bound);                   // uniform in [0, bound), without bias; bound > 0
  std::int64_t between(std::int64_t low, std::int64_t high);  // uniform in [low, high]
  double uniform();                                           // uniform in [0, 1), 53 bits
  double normal();                                            // mean 0, deviation 1 (polar method)
  bool chance(double probability);

  // Generator for an independent stream, for example one per thread or per restart.
  Rng fork() { return Rng(next()); }

  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_[4];
  double spare_normal_ = 0.0;
  bool has_spare_normal_ = false;
};

}  // namespace berth
