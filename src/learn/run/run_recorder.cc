// SPDX-License-Identifier: Apache-2.0
#include "learn/run/run_recorder.h"

#include <algorithm>

#include "runs/checkpoint.h"
#include "services/plan/plan_files.h"

namespace berth::learn {

Result<RunRecorder> RunRecorder::open(const RunFolder& folder, const RunConfig& config,
                                      std::span<const Subject> subjects, std::size_t kept_metrics) {
  BERTH_TRY(MetricsFile metrics, MetricsFile::open(folder.metrics_path(), kept_metrics));
  RunRecorder recorder(folder, config, subjects, std::move(metrics));
  if (config.tensorboard) {
    BERTH_TRY(recorder.events_, TensorBoardFile::create(folder.path()));
  }
  return recorder;
}

Status RunRecorder::add(const UpdateFacts& facts, double elapsed_s) {
  BERTH_RETURN_IF_ERROR(metrics_.add(facts, elapsed_s));
  return events_ ? events_->add(facts) : Status();
}

bool RunRecorder::is_due() const {
  const auto seconds = [](Clock::duration time) { return std::chrono::duration<double>(time).count(); };
  return seconds(Clock::now() - last_) >= std::min(every_s_, seconds(last_ - begun_));
}

Status RunRecorder::save_best(std::size_t lesson, const LessonState& state) {
  const ScoredPlan* const best = state.best_known();
  if (best == nullptr || saved_[lesson] == best->score) return {};
  Outcome outcome;
  outcome.planner = config_->planner;
  outcome.plan = best->plan;
  outcome.score = best->score;
  outcome.lower_bound = subjects_[lesson].bound;
  BERTH_RETURN_IF_ERROR(save_plan(folder_->plan_path(lesson, subjects_.size()), *subjects_[lesson].problem, outcome));
  saved_[lesson] = best->score;
  return {};
}

Status RunRecorder::save(TrainState state, double elapsed_s) {
  last_ = Clock::now();
  for (std::size_t i = 0; i < state.lessons.size(); ++i) BERTH_RETURN_IF_ERROR(save_best(i, state.lessons[i]));
  return write_checkpoint(folder_->checkpoint_path(), {config_->fingerprint(), elapsed_s, std::move(state)});
}

}  // namespace berth::learn
