// SPDX-License-Identifier: Apache-2.0
#include "learn/train/learner.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace berth::learn {

Rng stream_of(std::uint64_t seed, int rank) {
  Rng rng(seed ^ 0x6265727468ULL);
  for (int i = 0; i < rank; ++i) rng.fork();
  return rng.fork();
}

std::vector<std::size_t> lessons_of_update(std::size_t lessons, const TrainingOptions& options, std::uint64_t seed,
                                           std::uint64_t update) {
  std::vector<std::size_t> order(lessons);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto wanted = static_cast<std::size_t>(options.lessons);
  if (wanted == 0 || wanted >= order.size()) return order;
  Rng rng(Rng(seed).next() + update);
  for (std::size_t i = 0; i < wanted; ++i) std::swap(order[i], order[i + rng.below(order.size() - i)]);
  order.resize(wanted);
  return order;
}

void combine(std::span<const UpdateFacts* const> lessons, UpdateFacts& facts) {
  double weight = 0.0, time = 0.0;
  for (const UpdateFacts* lesson : lessons) {
    facts.plans += lesson->plans;
    facts.fitting += lesson->fitting;
    time += lesson->mean_time_s * lesson->fitting;
    weight += 1.0;
  }
  facts.mean_time_s = facts.fitting > 0 ? time / facts.fitting : 0.0;
  const auto mean = [&](auto member) {
    double sum = 0.0;
    for (const UpdateFacts* lesson : lessons) sum += member(*lesson);
    return sum / weight;
  };
  facts.mean_reward = mean([](const UpdateFacts& lesson) { return lesson.mean_reward; });
  facts.reward_deviation = mean([](const UpdateFacts& lesson) { return lesson.reward_deviation; });
  facts.baseline = mean([](const UpdateFacts& lesson) { return lesson.baseline; });
  facts.used_groups = mean([](const UpdateFacts& lesson) { return lesson.used_groups; });
  facts.entropies.grouping = mean([](const UpdateFacts& lesson) { return lesson.entropies.grouping; });
  facts.entropies.placing = mean([](const UpdateFacts& lesson) { return lesson.entropies.placing; });
  facts.entropies.most_grouping = mean([](const UpdateFacts& lesson) { return lesson.entropies.most_grouping; });
  facts.entropies.most_placing = mean([](const UpdateFacts& lesson) { return lesson.entropies.most_placing; });
}

double lap(Clock::time_point& last) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last).count();
  last = now;
  return seconds;
}

double rate_at(const TrainingOptions& options, std::uint64_t update) {
  const auto after = static_cast<std::uint64_t>(options.decay_after);
  if (options.rate_decay >= 1.0 || update < after) return options.rate;
  const std::uint64_t times = (update - after) / static_cast<std::uint64_t>(std::max(options.decay_every, 1));
  return options.rate * std::pow(options.rate_decay, static_cast<double>(times));
}

double noise_at(const SamplingOptions& options, std::uint64_t update) {
  return update < static_cast<std::uint64_t>(options.noise_updates) ? options.noise : 0.0;
}

double entropy_weight_at(const TrainingOptions& options, std::uint64_t update) {
  if (options.entropy_updates <= 0) return options.entropy_end;
  const double share = std::min(1.0, static_cast<double>(update) / options.entropy_updates);
  return options.entropy + (options.entropy_end - options.entropy) * share;
}

std::vector<double> credit_steps(std::vector<double> weights, Credit rule, double discount, std::size_t steps) {
  if (rule == Credit::kPlan) return weights;
  for (std::size_t begin = 0; begin < weights.size(); begin += steps) {
    const std::size_t end = std::min(begin + steps, weights.size());
    double sum = 0.0;
    for (std::size_t i = begin; i < end; ++i) sum = sum * discount + weights[i];
    for (std::size_t i = begin; i < end; ++i) {
      weights[i] = rule == Credit::kShared ? sum : weights[i] * std::pow(discount, static_cast<double>(i - begin + 1));
    }
  }
  return weights;
}

}  // namespace berth::learn
