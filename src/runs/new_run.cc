// SPDX-License-Identifier: Apache-2.0
#include "runs/new_run.h"

#include <algorithm>
#include <filesystem>

namespace berth::learn {
namespace {

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path result = std::filesystem::absolute(path, error).lexically_normal();
  return error ? path : result.string();
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// Names of built-in things stay; files are found again from any folder.
std::string absolute_if_file(const std::string& text) { return is_there(text) ? absolute_path(text) : text; }

// "FILE" or "FILE@DEVICE".
std::string absolute_costs(const std::string& argument) {
  const std::size_t at = argument.rfind('@');
  if (at == std::string::npos || is_there(argument)) return absolute_path(argument);
  return absolute_path(argument.substr(0, at)) + argument.substr(at);
}

ProblemWords with_absolute_paths(ProblemWords words) {
  std::ranges::transform(words.costs, words.costs.begin(), absolute_costs);
  for (auto* paths : {&words.constraints, &words.unsupported}) {
    std::ranges::transform(*paths, paths->begin(), absolute_path);
  }
  return words;
}

// "GRAPH@MACHINE" is a problem of its own; any other graph is tried on every machine.
std::vector<LessonConfig> lessons_of(const NewRun& run) {
  std::vector<LessonConfig> lessons;
  const auto add = [&](const std::string& graph, const std::string& machine) {
    LessonConfig& lesson = lessons.emplace_back();
    lesson.graph = graph.starts_with("zoo:") ? graph : absolute_if_file(graph);
    lesson.machine = absolute_if_file(machine);
  };
  for (const std::string& text : run.graphs) {
    const std::size_t at = text.rfind('@');
    if (at != std::string::npos && !is_there(text)) {
      add(text.substr(0, at), text.substr(at + 1));
      continue;
    }
    for (const std::string& machine : run.machines) add(text, machine);
    if (run.machines.empty()) add(text, "");  // public problems bring their own
  }
  return lessons;
}

Status apply_reward(Options& options, const NewRun& run) {
  TrainingOptions& training = training_of(options);
  if (run.env_noise) training.env_noise = *run.env_noise;
  if (run.reward.empty()) return {};
  const auto kind = reward_from_name(run.reward);
  if (!kind) return bad_input("--reward: '{}' is none; there are: time, sqrt, log, inverse, log-time", run.reward);
  training.reward.kind = *kind;
  return {};
}

bool is_unlimited(const Limits& limits) {
  return limits.updates == 0 && limits.evaluations == 0 && limits.time_s == 0.0;
}

}  // namespace

Result<Options> options_of(std::string_view method, std::string_view preset_name,
                           const std::vector<std::string>& assignments) {
  BERTH_TRY(Options options, preset(method, preset_name));
  for (const std::string& assignment : assignments) BERTH_RETURN_IF_ERROR(set_option(options, assignment));
  return options;
}

Result<RunConfig> config_of(const NewRun& run) {
  RunConfig config;
  config.problem = with_absolute_paths(run.problem);
  config.lessons = lessons_of(run);
  if (config.lessons.empty()) return bad_input("GRAPH is required: a run learns from at least one");
  config.planner = run.planner;
  config.preset = run.preset;
  BERTH_TRY(config.options, options_of(run.planner, run.preset, run.options));
  BERTH_RETURN_IF_ERROR(apply_reward(config.options, run));
  config.seed = run.seed;
  config.threads = run.threads;
  config.policy_device = run.policy_device;
  config.tensorboard = run.tensorboard;
  config.async = run.async;
  config.limits = run.limits;
  if (is_unlimited(run.limits)) return bad_input("a run needs an end: give updates, evaluations or a time");
  return config;
}

void apply(const RunChanges& changes, RunConfig& config) {
  if (!is_unlimited(changes.limits)) config.limits = changes.limits;
  if (changes.threads > 0) config.threads = changes.threads;
  if (!changes.policy_device.empty()) config.policy_device = changes.policy_device;
  if (changes.tensorboard) config.tensorboard = true;
}

}  // namespace berth::learn
