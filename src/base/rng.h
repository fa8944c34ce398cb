// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every platform: xoshiro256** (Blackman and Vigna, 2018) seeded by splitmix64,
// with distributions of our own, since those of the standard library differ between implementations.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace berth {

class Rng {
 public:
  // Everything it remembers, for those who keep a stream in a file and go on with it.
  struct State {
    std::array<std::uint64_t, 4> words{};  // never all 0
    double spare_normal = 0.0;
    bool has_spare_normal = false;
    bool operator==(const State&) const = default;
  };

  explicit Rng(std::uint64_t seed);
  static Rng from_state(const State& state);
  [[nodiscard]] const State& state() const { return state_; }

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
  Rng() = default;
  State state_;
};

}  // namespace berth
