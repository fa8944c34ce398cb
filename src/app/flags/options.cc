// SPDX-License-Identifier: Apache-2.0
#include "app/flags/options.h"

#include <algorithm>
#include <functional>
#include <thread>

#include "base/units.h"
#include "services/problem/dims.h"
#include "sim/batch/batch_simulator.h"

namespace berth::app {
namespace {

constexpr std::uint64_t kLargestBatch = std::uint64_t{1} << 20;
constexpr double kLongestBudget = 30.0 * 24 * 3600;
constexpr std::uint64_t kMostThreads = 1024;
constexpr const char* kConstraints = "Constraints (berth help constraints; each may be given several times)";

// A flag that takes one text each time it is given.
void add_constraint(CLI::App& command, const std::string& flag, const std::string& form, const std::string& help,
                    const std::function<void(const std::string&)>& take) {
  const auto take_all = [take](const CLI::results_t& all) {
    for (const std::string& text : all) take(text);
    return true;
  };
  command.add_option(flag, CLI::callback_t(take_all), help)
      ->type_name(form)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(kConstraints);
}

}  // namespace

std::string graph_help() {
  return fmt::format(
      "graph file (.json .json.gz), model ({} .gguf), public problem (msr, stg, heft, pipedream), or one of the zoo "
      "such as zoo:nmt-4,batch=128, or of the exact set such as exact:zoo-moe-rtx",
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
  add_text(command, "--objective", flags.objective, "",
           "what to minimise: step (time of one step) or pipeline (time per sample of a full pipeline); default: step, "
           "or what a public problem says");
  add_texts(command, "--costs", flags.costs, "FILE[@DEVICE]",
            "measured times in place of estimates, may be repeated: CSV (op,device,microseconds), profile of ONNX "
            "Runtime, Chrome or Kineto trace, execution graph of OpenVINO; @DEVICE says where it was measured, for "
            "files that do not");
  add_model_flags(command, flags, takes_size_lists);
}

void add_what_if_flags(CLI::App& command, MachineChanges& changes) {
  add_texts(command, "--set", changes.settings, "WHAT.FIELD=VALUE",
            "what if: another figure of the machine, may be repeated: gpu0.memory=24GiB, gpu.flops=2x, "
            "link.*.bandwidth=32GB/s");
  add_texts(command, "--add-device", changes.added, "MODEL",
            "what if: one more device of this model, or a100*2, linked like the first of its kind; may be repeated");
}

void add_model_flags(CLI::App& command, ProblemFlags& flags, bool takes_size_lists) {
  add_texts(command, "--dim", flags.dims, "NAME=SIZE",
            fmt::format("size of a dimension that a model's file leaves open, for example batch=8, or loop.turns=8 for "
                        "loops that do not say how often they turn; berth graph info lists them{}",
                        takes_size_lists ? "; several sizes, seq=128,512: a plan for each and one for all" : ""));
  CLI::Option* nodes = add_texts(command, "--output-node", flags.step.outputs, "NODE",
                                 "TensorFlow: the step is what this node needs, may be repeated; node:1 is its second "
                                 "output, ^node just runs it");
  add_text(command, "--signature", flags.step.signature, "NAME",
           "TensorFlow: the step is this signature of a SavedModel or .meta file; default: serving_default")
      ->excludes(nodes);
  add_text(command, "--tag", flags.step.tag, "NAME",
           "TensorFlow: the graph of a SavedModel with this tag; default: serve");
}

void add_constraint_flags(CLI::App& command, ConstraintTexts& texts) {
  for (const DemandForm& form : demand_forms()) {
    const auto take = [&texts, which = &form](const std::string& text) { texts.given.push_back({which, text}); };
    const std::string flag = fmt::format("--{}", form.name);
    if (form.is_switch()) {
      command
          .add_flag_callback(
              flag, [take] { take(""); }, std::string(form.help))
          ->group(kConstraints);
    } else {
      add_constraint(command, flag, std::string(form.form), fmt::format("{}, for example {}", form.help, form.example),
                     take);
    }
  }
  add_constraint(command, "--unsupported", "FILE", "table of op types that devices cannot run: lines of npu,Resize",
                 [&texts](const std::string& path) { texts.tables.push_back(path); });
  add_constraint(command, "--constraints", "FILE", "TOML file with all of these; flags add to it",
                 [&texts](const std::string& path) { texts.files.push_back(path); });
}

void add_search_flags(CLI::App& command, SearchFlags& flags) {
  command.add_option("--budget", flags.budget, "time to search, for example 500ms, 10s, 5min")->capture_default_str();
  add_number(command, "--evaluations", flags.evaluations, {.low = 1},
             "number of plans to simulate, instead of a time; reproducible");
  add_number(command, "--seed", flags.seed, {}, "seed of everything random")->default_str("1");
  add_work_flags(command, flags);
}

void add_work_flags(CLI::App& command, SearchFlags& flags) {
  add_number(command, "--threads", flags.threads, {1, kMostThreads},
             "threads to search with, for planners that can use several (berth planners)")
      ->default_str("all cores");
  add_text(
      command, "--simulate-on", flags.simulate_on, "WHERE",
      "what simulates batches of plans: cpu, cuda (an NVIDIA GPU), or auto: large batches on a GPU if one is there; "
      "the plans found are the same")
      ->capture_default_str();
  add_number(command, "--batch", flags.batch, {1, kLargestBatch},
             "plans judged at once by genetic and auto, thousands for a GPU; changes what is found")
      ->default_str("as the planner likes");
  add_quiet_flag(command, flags.quiet);
}

void add_quiet_flag(CLI::App& command, bool& quiet) { command.add_flag("-q,--quiet", quiet, "no progress line"); }

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
  Budget budget{*time, flags.evaluations, flags.seed, flags.threads > 0 ? flags.threads : cores};
  const Result<SimulateOn> place = find_simulate_on(flags.simulate_on);
  if (!place) return within("--simulate-on", place.error());
  budget.simulate_on = *place;
  budget.batch = flags.batch;
  return budget;
}

}  // namespace berth::app
