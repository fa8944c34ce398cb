// SPDX-License-Identifier: Apache-2.0
// `berth train`: its flags. What it does is in learn/train_here.cc.
#include "app/train.h"

#include <algorithm>
#include <array>

#include "app/flags/options.h"

namespace berth::app {
namespace {

// A run keeps everything else that it was begun with.
constexpr std::array<std::string_view, 12> kBesideResume{
    "--resume", "--updates",       "--budget",      "--evaluations",  "--threads",          "--quiet",
    "--json",   "--policy-device", "--tensorboard", "--rank-timeout", "--checkpoint-every", "--simulate-on"};

std::vector<std::string> given_flags(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    // get_name() has none for hidden flags.
    const std::vector<std::string>& long_names = option->get_lnames();
    names.push_back(long_names.empty() ? option->get_name() : "--" + long_names.front());
  }
  return names;
}

Status check_usage(const TrainFlags& flags) {
  if (flags.resume.empty()) {
    if (flags.graphs.empty()) return bad_input("GRAPH is required, or --resume RUN (berth train --help)");
    if (flags.output.empty()) return bad_input("--output is required: the folder of the run (berth train --help)");
    return {};
  }
  for (const std::string& flag : flags.given) {
    if (std::ranges::find(kBesideResume, flag) != kBesideResume.end()) continue;
    return bad_input(
        "{} cannot be changed by --resume: a run goes on with what it was begun with; leave it out, or begin "
        "a new run",
        flag);
  }
  return {};
}

Result<Exit> run_train(const TrainFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_usage(flags));
  return train(flags);
}

void add_training_flags(CLI::App& command, TrainFlags& flags) {
  add_number(command, "--updates", flags.updates, {.low = 1}, "stop after that many updates of the policy");
  add_text(command, "--reward", flags.reward, "NAME",
           "what is learned from: time, sqrt, log, inverse or log-time of the step time (default: as the "
           "planner's preset)");
  command
      .add_option("--env-noise", flags.env_noise,
                  "multiply every time by exp(P * normal), as a noisy machine would; the best plan is judged without")
      ->type_name("P")
      ->check(CLI::Range(0.0, 10.0));
  command.add_flag("--tensorboard", flags.tensorboard, "write the metrics for TensorBoard as well");
  command.add_flag("--async", flags.async, "under mpirun: controllers of their own pace and a parameter server");
  command
      .add_option("--rank-timeout", flags.rank_timeout,
                  "under mpirun: a process that is silent for longer ends the run")
      ->capture_default_str();
  command.add_option("--checkpoint-every", flags.checkpoint_every)->group("");  // for tests
}

}  // namespace

bool TrainFlags::is_given(std::string_view flag) const { return std::ranges::find(given, flag) != given.end(); }

void add_train_command(CLI::App& app, Exit& exit) {
  auto [command, flags] =
      add_command<TrainFlags>(app, exit, "train", "train a learned planner, for as long as you like", run_train);
  command.add_option("GRAPH", flags.graphs,
                     graph_help() +
                         "; several at once for planners that learn from many: every graph on every "
                         "--machine, or GRAPH@MACHINE");
  command.add_option("-m,--machine", flags.machines, fmt::format("{}; may be repeated", kMachineHelp))
      ->allow_extra_args(false);
  add_shared_problem_flags(command, flags.problem);
  command.add_option("-p,--planner", flags.planner, "which learned planner (berth planners)")->capture_default_str();
  add_learned_flags(command, flags.learned);
  add_search_flags(command, flags.search);
  add_training_flags(command, flags);
  add_constraint_flags(command, flags.problem.constraints);
  add_output_flag(command, flags.output, "folder of the run: config, metrics, checkpoint and the best plan");
  add_text(command, "--resume", flags.resume, "RUN", "go on with the run of this folder");
  add_json_flag(command, flags.json);
  command.footer(
      "Example:\n  berth train zoo:nmt-4 --machine k40x4 --budget 10min -o trained\n"
      "  berth train --resume trained --budget 30min    (20 minutes more; also after a crash)\n"
      "  berth place zoo:nmt-4 --machine k40x4 --policy trained\n"
      "  berth train zoo:rnnlm@k40x2 zoo:nmt-2@k40x2 zoo:nmt-4@k40x4 --planner go --budget 20min -o general\n"
      "  berth place zoo:nmt-8 --machine k40x8 --policy general --zero-shot    (a graph it has never seen)\n"
      "  mpirun -n 4 berth train zoo:nmt-8 --machine k40x8 -o trained    (four processes that learn together)");
  command.parse_complete_callback([&given = flags.given, &all = command] { given = given_flags(all); });
}

}  // namespace berth::app
