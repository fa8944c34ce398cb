// SPDX-License-Identifier: Apache-2.0
#include "app/flags/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <thread>

#include "base/units.h"

namespace berth::app {
namespace {

constexpr double kLongestBudget = 30.0 * 24 * 3600;
constexpr std::uint64_t kMostThreads = 1024;

}  // namespace

CLI::Option* add_whole_number(CLI::App& command, const std::string& name,
                              const std::function<void(std::uint64_t)>& take, WholeRange range,
                              const std::string& help) {
  const auto read = [name, range, take](const std::string& text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || value < range.low || value > range.high) {
      throw CLI::ValidationError(name,
                                 fmt::format("'{}' is not a whole number from {} to {}", text, range.low, range.high));
    }
    take(value);
  };
  return command.add_option_function<std::string>(name, read, help)->type_name("N");
}

std::string graph_help() {
  return fmt::format(
      "graph file (.json .json.gz), model ({} .gguf), public problem (msr, stg, heft, pipedream), or one of the zoo "
      "such as "
      "zoo:nmt-4,batch=128",
      kModelEndings);
}

void add_graph_argument(CLI::App& command, std::string& graph) {
  command.add_option("GRAPH", graph, graph_help())->required();
}

void add_problem_flags(CLI::App& command, ProblemFlags& flags, bool takes_size_lists) {
  add_graph_argument(command, flags.graph);
  command.add_option("-m,--machine", flags.machine, kMachineHelp);
  add_shared_problem_flags(command, flags, takes_size_lists);
}

void add_shared_problem_flags(CLI::App& command, ProblemFlags& flags, bool takes_size_lists) {
  command.add_option("--objective", flags.objective,
                     "what to minimise: step (time of one step) or pipeline (time per sample of a full pipeline); "
                     "default: step, or what a public problem says");
  command
      .add_option("--costs", flags.costs,
                  "measured times in place of estimates, may be repeated: CSV (op,device,microseconds), profile of "
                  "ONNX Runtime, Chrome or Kineto trace, execution graph of OpenVINO; @DEVICE says where it was "
                  "measured, for files that do not")
      ->type_name("FILE[@DEVICE]")
      ->allow_extra_args(false);
  add_model_flags(command, flags, takes_size_lists);
}

void add_what_if_flags(CLI::App& command, MachineChanges& changes) {
  command
      .add_option("--set", changes.settings,
                  "what if: another figure of the machine, may be repeated: gpu0.memory=24GiB, gpu.flops=2x, "
                  "link.*.bandwidth=32GB/s")
      ->type_name("WHAT.FIELD=VALUE")
      ->allow_extra_args(false);
  command
      .add_option(
          "--add-device", changes.added,
          "what if: one more device of this model, or a100*2, linked like the first of its kind; may be repeated")
      ->type_name("MODEL")
      ->allow_extra_args(false);
}

void add_model_flags(CLI::App& command, ProblemFlags& flags, bool takes_size_lists) {
  command
      .add_option("--dim", flags.dims,
                  fmt::format("size of a dimension that a model's file leaves open, for example batch=8, or "
                              "loop.turns=8 for loops that do not say how often they turn; berth graph info lists "
                              "them{}",
                              takes_size_lists ? "; several sizes, seq=128,512: a plan for each and one for all" : ""))
      ->type_name("NAME=SIZE")
      ->allow_extra_args(false);  // one text per flag: what follows may be GRAPH
  CLI::Option* nodes = command
                           .add_option("--output-node", flags.step.outputs,
                                       "TensorFlow: the step is what this node needs, may be repeated; node:1 is its "
                                       "second output, ^node just runs it")
                           ->type_name("NODE")
                           ->allow_extra_args(false);
  command
      .add_option("--signature", flags.step.signature,
                  "TensorFlow: the step is this signature of a SavedModel or .meta file; default: serving_default")
      ->type_name("NAME")
      ->excludes(nodes);
  command.add_option("--tag", flags.step.tag, "TensorFlow: the graph of a SavedModel with this tag; default: serve")
      ->type_name("NAME");
}

void add_search_flags(CLI::App& command, SearchFlags& flags) {
  command.add_option("--budget", flags.budget, "time to search, for example 500ms, 10s, 5min")->capture_default_str();
  add_whole_number(
      command, "--evaluations", [&flags](std::uint64_t count) { flags.evaluations = count; }, {.low = 1},
      "number of plans to simulate, instead of a time; reproducible");
  add_whole_number(
      command, "--seed", [&flags](std::uint64_t seed) { flags.seed = seed; }, {}, "seed of everything random")
      ->default_str("1");
  add_whole_number(
      command, "--threads", [&flags](std::uint64_t count) { flags.threads = static_cast<int>(count); },
      {1, kMostThreads}, "threads to search with, for planners that can use several (berth planners)")
      ->default_str("all cores");
  command.add_flag("-q,--quiet", flags.quiet, "no progress line");
}

CLI::Option* add_file_flag(CLI::App& command, const std::string& flag, std::string& path, const std::string& help) {
  const auto not_empty = [](const std::string& text) {
    return std::string(text.empty() ? "the name of the file is empty" : "");
  };
  return command.add_option(flag, path, help)->check(CLI::Validator(not_empty, ""))->type_name("FILE");
}

void add_output_flag(CLI::App& command, std::string& path, const std::string& help, bool required) {
  add_file_flag(command, "-o,--output", path, help)->required(required);
}

void add_json_flag(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "print one JSON document and nothing else");
}

std::vector<std::string> files_of(const ProblemFlags& flags) { return {flags.graph, flags.machine}; }

Result<ProblemRequest> request_without_sizes(const ProblemFlags& flags) {
  ProblemRequest request{
      .graph = flags.graph, .machine = flags.machine, .costs = flags.costs, .changes = flags.changes};
  request.import.step = flags.step;
  BERTH_TRY(request.objective, find_objective(flags.objective));
  BERTH_TRY(request.demands, read_demands(flags.constraints));
  return request;
}

Result<ProblemRequest> request_of(const ProblemFlags& flags) {
  BERTH_TRY(DimSizes sizes, read_dims(flags.dims));
  BERTH_TRY(ProblemRequest request, request_without_sizes(flags));
  request.import.dims = std::move(sizes);
  return request;
}

Result<Budget> budget_of(const SearchFlags& flags) {
  const Result<double> time = parse_seconds(flags.budget);
  if (!time)
    return bad_input("--budget: '{}' is no time to search; write for example 500ms, 10s or 5min", flags.budget);
  if (!(*time > 0.0 && *time <= kLongestBudget)) {
    return bad_input("--budget: {} is not a time to search; give more than nothing and at most 30 days", flags.budget);
  }
  const int cores = static_cast<int>(std::clamp<std::uint64_t>(std::thread::hardware_concurrency(), 1, kMostThreads));
  return Budget{*time, flags.evaluations, flags.seed, flags.threads > 0 ? flags.threads : cores};
}

}  // namespace berth::app
