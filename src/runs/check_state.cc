// SPDX-License-Identifier: Apache-2.0
#include "runs/check_state.h"

#include <algorithm>

#include "base/text.h"
#include "files/json/json_reader.h"
#include "sim/evaluator.h"

namespace berth::learn {
namespace {

constexpr std::string_view kOther = "it comes from another version of berth, or was changed";

// "\"placer.out\" 64 x 3"
std::string words_of(const TensorLayout& tensor) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : tensor.shape) sizes.push_back(std::to_string(size));
  return fmt::format("{} {}", in_quotes(tensor.name), sizes.empty() ? "of one number" : join(sizes, " x "));
}

Status check_tensors(const TrainState& state, const TrainState& fresh) {
  if (state.values.size() != fresh.values.size()) {
    return bad_input("the policy in it has {} numbers and that of the run {}; {}", state.values.size(),
                     fresh.values.size(), kOther);
  }
  if (state.layout.empty() || state.layout == fresh.layout) return {};
  const auto [found, expected] = std::ranges::mismatch(state.layout, fresh.layout);
  const auto words = [](auto tensor, const auto& layout) {
    return tensor == layout.end() ? std::string("no more tensors") : words_of(*tensor);
  };
  return bad_input("the policy in it has {} where that of the run has {}; {}", words(found, state.layout),
                   words(expected, fresh.layout), kOther);
}

Status check_plan(const ScoredPlan& found, const Problem& problem) {
  const auto error = verify(problem, found.plan);
  return error ? bad_input("its best plan is none for this problem: {}", error->message) : Status();
}

Status check_score(const ScoredPlan& found, const Problem& problem) {
  if (make_single_evaluator(problem)->evaluate(found.plan) == found.score) return {};
  return bad_input("the score of its best plan is not what that plan has; {}", kOther);
}

}  // namespace

Status check_plans(const LessonState& lesson, const Problem& problem) {
  if (lesson.best) BERTH_RETURN_IF_ERROR(check_plan(*lesson.best, problem));
  return lesson.ahead ? check_plan(*lesson.ahead, problem) : Status();
}

Status check_state(const TrainState& state, const TrainState& fresh, std::span<const Problem* const> problems,
                   int epochs) {
  BERTH_RETURN_IF_ERROR(check_tensors(state, fresh));
  const std::uint64_t steps = state.adam.steps;
  if (steps < state.updates || steps > state.updates * static_cast<std::uint64_t>(epochs))
    return bad_input("it has {} updates and {} steps of the optimiser, which no run has", state.updates, steps);
  if (state.lessons.size() != problems.size()) {
    return bad_input("it has learned from {}, the run from {}", counted(state.lessons.size(), "problem"),
                     problems.size());
  }
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const LessonState& lesson = state.lessons[i];
    BERTH_RETURN_IF_ERROR(check_plans(lesson, *problems[i]));
    if (lesson.best) BERTH_RETURN_IF_ERROR(check_score(*lesson.best, *problems[i]));
    if (lesson.ahead) BERTH_RETURN_IF_ERROR(check_score(*lesson.ahead, *problems[i]));
  }
  return {};
}

}  // namespace berth::learn
