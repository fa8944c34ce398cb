// SPDX-License-Identifier: Apache-2.0
#include "learn/run/ranks.h"

#include <algorithm>
#include <span>

#include "learn/distributed/message.h"

namespace berth::learn {
namespace {

// One character for what it is, then the words.
constexpr char kFine = '+', kBad = '-', kNoPlan = '0';

std::string packed(const Status& status) {
  if (status.ok()) return std::string(1, kFine);
  return (status.error().code == ErrorCode::kInfeasible ? kNoPlan : kBad) + status.error().message;
}

Error unpacked(const std::string& text, std::size_t from, bool is_root) {
  const ErrorCode code = text.starts_with(kNoPlan) ? ErrorCode::kInfeasible : ErrorCode::kBadInput;
  if (!is_root) return {code, ""};
  const std::string words = text.empty() ? "" : text.substr(1);
  return {code, from == 0 ? words : fmt::format("rank {}: {}", from, words)};
}

}  // namespace

Status agree(Communicator& ranks, const Status& mine) {
  if (ranks.size() == 1) return mine;
  BERTH_TRY(const std::vector<std::string> all, ranks.gather_all(packed(mine)));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].starts_with(kFine)) return unpacked(all[i], i, ranks.is_root());
  }
  return {};
}

Result<std::string> from_root(Communicator& ranks, const std::function<Result<std::string>()>& make) {
  if (ranks.size() == 1) return make();
  std::string text;
  if (ranks.is_root()) {
    const Result<std::string> made = make();
    text = made ? kFine + *made : packed(made.error());
  }
  const Result<std::string> shared = ranks.from_root(text);
  if (!shared) return shared;
  if (!shared->starts_with(kFine)) return unpacked(*shared, 0, ranks.is_root());
  return shared->substr(1);
}

namespace {

Status share_best_plan(Communicator& ranks, Learner& learner, std::size_t lesson) {
  const LessonState& known = learner.lessons()[lesson];
  // Most updates find nothing better, so plans are sent only when the scores say so.
  MessageWriter mine;
  mine.integer(known.best ? 1 : 0);
  if (known.best) mine.score(known.best->score);
  BERTH_TRY(const std::vector<std::string> all, ranks.gather_all(mine.bytes()));
  std::vector<std::optional<Score>> scores;
  for (const std::string& bytes : all) {
    MessageReader reader(bytes);
    scores.push_back(reader.integer() != 0 ? std::optional(reader.score()) : std::nullopt);
    BERTH_RETURN_IF_ERROR(reader.end());
  }
  const auto is_better = [](const std::optional<Score>& a, const std::optional<Score>& b) {
    return a && (!b || better(*a, *b));
  };
  const auto best = std::ranges::min_element(scores, is_better);
  const auto knows = [&](const std::optional<Score>& score) { return !is_better(*best, score); };
  if (std::ranges::all_of(scores, knows)) return {};
  const bool is_mine = best - scores.begin() == ranks.rank();
  MessageWriter plan;
  if (is_mine) plan.plan(known.best->plan);
  BERTH_TRY(const std::vector<std::string> plans, ranks.gather_all(plan.bytes()));
  MessageReader reader(plans[static_cast<std::size_t>(best - scores.begin())]);
  const Plan found = reader.plan();
  BERTH_RETURN_IF_ERROR(reader.end());
  learner.offer(lesson, found, **best);
  return {};
}

}  // namespace

Status share_best_plans(Communicator& ranks, Learner& learner) {
  for (std::size_t lesson = 0; lesson < learner.lessons().size(); ++lesson) {
    BERTH_RETURN_IF_ERROR(share_best_plan(ranks, learner, lesson));
  }
  return {};
}

Result<TrainState> share_state(Communicator& ranks, const TrainState& state, std::uint64_t seed) {
  if (ranks.size() == 1) return state;
  MessageWriter mine;
  mine.integer(state.updates);
  mine.integer(state.evaluations);
  mine.floats(state.values);
  mine.integer(state.adam.steps);
  mine.floats(state.adam.mean);
  mine.floats(state.adam.square);
  for (const LessonState& lesson : state.lessons) {
    mine.maybe(lesson.baseline);
    mine.maybe(lesson.deviation);
  }
  BERTH_TRY(const std::string bytes, ranks.from_root(ranks.is_root() ? mine.bytes() : std::string()));
  if (ranks.is_root()) return state;
  MessageReader reader(bytes);
  TrainState shared;
  shared.updates = reader.integer();
  shared.evaluations = reader.integer();
  shared.values = reader.floats();
  shared.adam.steps = reader.integer();
  shared.adam.mean = reader.floats();
  shared.adam.square = reader.floats();
  for (std::size_t i = 0; i < state.lessons.size(); ++i) {
    LessonState& lesson = shared.lessons.emplace_back();
    lesson.baseline = reader.maybe();
    lesson.deviation = reader.maybe();
  }
  BERTH_RETURN_IF_ERROR(reader.end());
  Rng streams(seed + shared.updates);
  for (int i = 0; i < ranks.rank(); ++i) streams.fork();
  shared.rng = streams.fork();
  return shared;
}

Result<bool> any_of(Communicator& ranks, bool mine) {
  double count = mine ? 1.0 : 0.0;
  BERTH_RETURN_IF_ERROR(ranks.sum(std::span<double>(&count, 1)));
  return count > 0.0;
}

}  // namespace berth::learn
