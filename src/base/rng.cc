// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"

#include <bit>
#include <cmath>

#include "base/check.h"

namespace berth {

Rng::Rng(std::uint64_t seed) {
  for (auto& word : state_.words) {  // splitmix64
    seed += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    word = z ^ (z >> 31);
  }
}

Rng Rng::from_state(const State& state) {
  BERTH_CHECK((state.words != std::array<std::uint64_t, 4>{}));  // from which it would never get away
  Rng rng;
  rng.state_ = state;
  return rng;
}

std::uint64_t Rng::next() {
  auto& words = state_.words;
  const std::uint64_t result = std::rotl(words[1] * 5, 7) * 9;
  const std::uint64_t t = words[1] << 17;
  words[2] ^= words[0];
  words[3] ^= words[1];
  words[1] ^= words[2];
  words[0] ^= words[3];
  words[2] ^= t;
  words[3] = std::rotl(words[3], 45);
  return result;
}

std::uint64_t Rng::below(std::uint64_t bound) {
  BERTH_CHECK(bound > 0);
  const std::uint64_t threshold = (0 - bound) % bound;  // values below it would favour small results
  for (;;) {
    if (const std::uint64_t bits = next(); bits >= threshold) return bits % bound;
  }
}

std::int64_t Rng::between(std::int64_t low, std::int64_t high) {
  BERTH_CHECK(low <= high);
  // In unsigned arithmetic, which wraps: the range may be wider than any signed number, and all 64 bits have no bound.
  const std::uint64_t values = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::uint64_t offset = values == 0 ? next() : below(values);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

double Rng::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

double Rng::normal() {
  if (state_.has_spare_normal) {
    state_.has_spare_normal = false;
    return state_.spare_normal;
  }
  for (;;) {
    const double u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    const double s = u * u + v * v;
    if (s >= 1 || s == 0) continue;
    const double scale = std::sqrt(-2 * std::log(s) / s);
    state_.spare_normal = v * scale;
    state_.has_spare_normal = true;
    return u * scale;
  }
}

bool Rng::chance(double probability) { return uniform() < probability; }

}  // namespace berth
