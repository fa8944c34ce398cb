// SPDX-License-Identifier: Apache-2.0
#include "app/learn/run_config.h"

#include <algorithm>
#include <filesystem>

#include "app/learned.h"
#include "base/text.h"

namespace berth::app {
namespace {

std::string absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path result = std::filesystem::absolute(path, error).lexically_normal();
  return error ? path : result.string();
}

// Names of built-in things stay; files are found again from any folder.
std::string absolute_if_file(const std::string& text) {
  std::error_code ignored;
  return std::filesystem::exists(text, ignored) ? absolute(text) : text;
}

// "FILE" or "FILE@DEVICE".
std::string absolute_costs(const std::string& argument) {
  const std::size_t at = argument.rfind('@');
  std::error_code ignored;
  if (at == std::string::npos || std::filesystem::exists(argument, ignored)) return absolute(argument);
  return absolute(argument.substr(0, at)) + argument.substr(at);
}

learn::ProblemWords words_of(const ProblemFlags& flags) {
  learn::ProblemWords words{.objective = flags.objective,
                            .costs = flags.costs,
                            .dims = flags.dims,
                            .step = flags.step,
                            .demands = {},
                            .constraints = flags.constraints.files,
                            .unsupported = flags.constraints.tables};
  for (const auto& [form, text] : flags.constraints.given) words.demands.push_back({form, text});
  std::ranges::transform(words.costs, words.costs.begin(), absolute_costs);
  for (auto* paths : {&words.constraints, &words.unsupported}) {
    std::ranges::transform(*paths, paths->begin(), absolute);
  }
  return words;
}

// "GRAPH@MACHINE" is a problem of its own; any other graph is tried on every machine.
std::vector<LessonConfig> lessons_of(const TrainFlags& flags) {
  std::vector<LessonConfig> lessons;
  const auto add = [&](const std::string& graph, const std::string& machine) {
    LessonConfig& lesson = lessons.emplace_back();
    lesson.graph = graph.starts_with("zoo:") ? graph : absolute_if_file(graph);
    lesson.machine = absolute_if_file(machine);
  };
  for (const std::string& text : flags.graphs) {
    const std::size_t at = text.rfind('@');
    std::error_code ignored;
    if (at != std::string::npos && !std::filesystem::exists(text, ignored)) {
      add(text.substr(0, at), text.substr(at + 1));
      continue;
    }
    for (const std::string& machine : flags.machines) add(text, machine);
    if (flags.machines.empty()) add(text, "");  // public problems bring their own
  }
  return lessons;
}

// The limits that the flags give; none if they give none.
Result<Limits> limits_of(const TrainFlags& flags) {
  BERTH_TRY(const Budget budget, budget_of(flags.search));
  return Limits{flags.updates, flags.search.evaluations, flags.is_given("--budget") ? budget.time_s : 0.0};
}

bool is_unlimited(const Limits& limits) {
  return limits.updates == 0 && limits.evaluations == 0 && limits.time_s == 0.0;
}

Status apply_reward(learn::Options& options, const TrainFlags& flags) {
  learn::TrainingOptions& training = learn::training_of(options);
  if (flags.env_noise) training.env_noise = *flags.env_noise;
  if (flags.reward.empty()) return {};
  const auto kind = learn::reward_from_name(flags.reward);
  if (!kind) return bad_input("--reward: '{}' is none; there are: time, sqrt, log, inverse, log-time", flags.reward);
  training.reward.kind = *kind;
  return {};
}

}  // namespace

ProblemFlags problem_of(const RunConfig& config, const LessonConfig& lesson) {
  const learn::ProblemWords& words = config.problem;
  ProblemFlags flags{.graph = lesson.graph, .machine = lesson.machine, .objective = words.objective};
  flags.costs = words.costs;
  flags.dims = words.dims;
  flags.step = words.step;
  for (const auto& [form, text] : words.demands) flags.constraints.given.push_back({form, text});
  flags.constraints.files = words.constraints;
  flags.constraints.tables = words.unsupported;
  return flags;
}

Result<learn::Options> options_of(std::string_view planner, const LearnedFlags& flags) {
  BERTH_TRY(learn::Options options, learn::preset(planner, flags.preset.empty() ? "default" : flags.preset));
  for (const std::string& option : flags.options) BERTH_RETURN_IF_ERROR(learn::set_option(options, option));
  return options;
}

Result<RunConfig> config_of(const TrainFlags& flags) {
  BERTH_RETURN_IF_ERROR(planner_catalog().check_learned(flags.planner));
  RunConfig config;
  config.problem = words_of(flags.problem);
  config.lessons = lessons_of(flags);
  config.planner = flags.planner;
  config.preset = flags.learned.preset.empty() ? "default" : flags.learned.preset;
  BERTH_TRY(config.options, options_of(flags.planner, flags.learned));
  BERTH_RETURN_IF_ERROR(apply_reward(config.options, flags));
  BERTH_TRY(const Budget budget, budget_of(flags.search));
  config.seed = budget.seed;
  config.threads = budget.threads;
  if (!flags.learned.policy_device.empty()) config.policy_device = flags.learned.policy_device;
  config.tensorboard = flags.tensorboard;
  config.async = flags.async;
  BERTH_TRY(config.limits, limits_of(flags));
  if (is_unlimited(config.limits)) config.limits.time_s = budget.time_s;
  return config;
}

Status update_config(RunConfig& config, const TrainFlags& flags) {
  BERTH_TRY(const Limits limits, limits_of(flags));
  if (!is_unlimited(limits)) config.limits = limits;
  if (flags.search.threads > 0) config.threads = flags.search.threads;
  if (!flags.learned.policy_device.empty()) config.policy_device = flags.learned.policy_device;
  if (flags.tensorboard) config.tensorboard = true;
  return {};
}

}  // namespace berth::app
