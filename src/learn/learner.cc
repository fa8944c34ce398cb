// SPDX-License-Identifier: Apache-2.0
#include "learn/learner.h"

#include <algorithm>
#include <cmath>

namespace berth::learn {

void LessonState::offer(const Plan& plan, const Score& score) {
  if (best_plan && !better(score, best_score)) return;
  best_plan = plan;
  best_score = score;
}

std::optional<double> best_time_of(const std::vector<LessonState>& lessons) {
  double logs = 0.0;
  for (const LessonState& lesson : lessons) {
    if (!lesson.best_plan || !lesson.best_score.feasible) return std::nullopt;
    if (lessons.size() == 1) return to_seconds(lesson.best_score.step_time);
    logs += std::log(to_seconds(lesson.best_score.step_time));
  }
  return lessons.empty() ? std::nullopt : std::optional(std::exp(logs / static_cast<double>(lessons.size())));
}

Rng stream_of(std::uint64_t seed, int rank) {
  Rng rng(seed ^ 0x6265727468ULL);
  for (int i = 0; i < rank; ++i) rng.fork();
  return rng.fork();
}

double rate_at(const Options& options, std::uint64_t update) {
  const auto after = static_cast<std::uint64_t>(options.decay_after);
  if (options.rate_decay >= 1.0 || update < after) return options.rate;
  const std::uint64_t times = (update - after) / static_cast<std::uint64_t>(std::max(options.decay_every, 1));
  return options.rate * std::pow(options.rate_decay, static_cast<double>(times));
}

double noise_at(const Options& options, std::uint64_t update) {
  return update < static_cast<std::uint64_t>(options.noise_updates) ? options.noise : 0.0;
}

double entropy_weight_at(const Options& options, std::uint64_t update) {
  if (options.entropy_updates <= 0) return options.entropy_end;
  const double share = std::min(1.0, static_cast<double>(update) / options.entropy_updates);
  return options.entropy + (options.entropy_end - options.entropy) * share;
}

}  // namespace berth::learn
