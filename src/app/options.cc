// SPDX-License-Identifier: Apache-2.0
#include "app/options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/text.h"
#include "base/units.h"

namespace berth::app {
namespace {

constexpr std::array<std::string_view, 2> kObjectives{"step", "pipeline"};
constexpr double kLongestBudget = 30.0 * 24 * 3600;

}  // namespace

void add_problem_flags(CLI::App& command, ProblemFlags& flags) {
  command.add_option("GRAPH", flags.graph, "graph file, or a model of the zoo such as zoo:nmt-4,batch=128")->required();
  command.add_option("-m,--machine", flags.machine, "built-in machine (berth machines) or a .toml file")->required();
}

void add_search_flags(CLI::App& command, SearchFlags& flags) {
  command.add_option("--budget", flags.budget, "time to search, for example 500ms, 10s, 5min")->capture_default_str();
  command
      .add_option("--evaluations", flags.evaluations, "number of plans to simulate, instead of a time; reproducible")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--objective", flags.objective, "what to minimise: step")->capture_default_str();
  command.add_option("--seed", flags.seed, "seed of everything random")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command.add_option("--threads", flags.threads, "threads to simulate with")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command.add_flag("-q,--quiet", flags.quiet, "no progress line");
}

void add_output_flag(CLI::App& command, std::string& path, const std::string& help, bool required) {
  const auto not_empty = [](const std::string& text) {
    return std::string(text.empty() ? "the name of the file is empty" : "");
  };
  command.add_option("-o,--output", path, help)->required(required)->check(CLI::Validator(not_empty, ""));
}

void add_json_flag(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "print one JSON document and nothing else");
}

Status check_objective(const std::string& objective) {
  if (objective == "step") return {};
  if (objective == "pipeline") return bad_input("objective 'pipeline' is not in this build; there is: step");
  return bad_input("no objective named '{}'{}; there is: step", objective, did_you_mean(objective, kObjectives));
}

Result<Budget> budget_of(const SearchFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_objective(flags.objective));
  const Result<double> time = parse_seconds(flags.budget);
  if (!time) return within("--budget", time.error());
  if (!(*time > 0.0 && *time <= kLongestBudget)) {
    return bad_input("--budget: {} is not a time to search; give more than nothing and at most 30 days", flags.budget);
  }
  return Budget{*time, flags.evaluations, flags.seed, flags.threads};
}

Status check_output_path(const std::string& path) {
  if (path.empty()) return {};
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return bad_input("{}: is a folder; give the name of a file", path);
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!std::filesystem::is_directory(folder, ignored))
    return bad_input("{}: there is no folder {}", path, folder.string());
  if (access(folder.c_str(), W_OK) != 0 && access(path.c_str(), W_OK) != 0) {
    return bad_input("{}: no permission to write into {}", path, folder.string());
  }
  return {};
}

}  // namespace berth::app
