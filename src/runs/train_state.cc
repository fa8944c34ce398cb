// SPDX-License-Identifier: Apache-2.0
#include "runs/train_state.h"

#include <cmath>
#include <utility>

#include "base/units.h"

namespace berth::learn {

void LessonState::offer(const Plan& plan, const Score& score) {
  if (!best || better(score, best->score)) best = {plan, score};
}

void LessonState::offer_ahead(const Plan& plan, const Score& score) {
  const ScoredPlan* const known = best_known();
  if (known == nullptr || better(score, known->score)) ahead = {plan, score};
}

void LessonState::finish_update() {
  if (ahead) offer(ahead->plan, ahead->score);
  ahead.reset();
}

std::optional<double> best_time_of(const std::vector<LessonState>& lessons) {
  double logs = 0.0;
  for (const LessonState& lesson : lessons) {
    if (!lesson.best || !lesson.best->score.feasible) return std::nullopt;
    const double seconds = to_seconds(lesson.best->score.step_time);
    if (lessons.size() == 1) return seconds;
    logs += std::log(seconds);
  }
  return lessons.empty() ? std::nullopt : std::optional(std::exp(logs / static_cast<double>(lessons.size())));
}

}  // namespace berth::learn
