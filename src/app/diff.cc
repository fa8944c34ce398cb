// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "app/flags/options.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "base/text.h"
#include "problem/plan.h"
#include "services/compare/diff.h"
#include "services/json/comparison_json.h"
#include "services/words.h"

namespace berth::app {
namespace {

using enum Table::Align;

struct DiffFlags {
  ProblemFlags problem;  // its graph by --graph; empty: the files alone speak
  std::string before, after;
  bool json = false;
};

std::string step_text(std::optional<double> step_s) { return step_s ? format_seconds(*step_s) : "OOM"; }

std::string becomes(const std::string& text) { return fmt::format("to {}", text); }

std::string device_changes(const DiffEffect& effect) {
  const Machine& machine = effect.loaded.problem.machine();
  const auto ops_before = ops_per_device(effect.loaded.problem, effect.before.plan);
  const auto ops_after = ops_per_device(effect.loaded.problem, effect.after.plan);
  Table table = Table::headed({"device", ">ops", ">", ">busy", ">", ">peak memory", ">"});
  for (const DeviceId id : machine.device_ids()) {
    const DeviceUse& a = effect.before.score.devices[index(id)];
    const DeviceUse& b = effect.after.score.devices[index(id)];
    table.add({machine.device(id).name, group_digits(ops_before[index(id)]),
               becomes(group_digits(ops_after[index(id)])), format_time(a.busy), becomes(format_time(b.busy)),
               format_bytes(a.peak), becomes(format_bytes(b.peak))});
  }
  const Graph& graph = effect.loaded.problem.graph();
  return table.text() + fmt::format("sent from device to device: {} before, {} after\n",
                                    format_bytes(bytes_crossed(graph, effect.before.plan)),
                                    format_bytes(bytes_crossed(graph, effect.after.plan)));
}

std::string diff_text(const DiffAnswer& answer) {
  constexpr std::size_t kMostParts = 12;
  const auto& [moves, before_s, after_s, effect] = answer;
  const std::optional<double> change = relative_change(before_s, after_s);
  std::string text = fmt::format("{} of {} {} on another device\n", bold(group_digits(moves.total())),
                                 counted(moves.ops, "op"), moves.total() == 1 ? "is" : "are");
  text += fmt::format("step time {} before, {} after{}{}\n", step_text(before_s), step_text(after_s),
                      change ? ", " + change_words(*change) : "",
                      effect ? "" : ", as predicted when the plans were made (--graph and --machine simulate them)");
  Table table({kLeft, kRight});
  for (const auto& [way, count] : moves.count)
    table.add({fmt::format("{} to {}", way.first, way.second), group_digits(count)});
  if (!moves.count.empty()) text += fmt::format("\nmoved\n{}", table.text("  "));
  if (!effect) return text;
  Table parts({kLeft, kRight});
  for (std::size_t i = 0; i < std::min(effect->parts.size(), kMostParts); ++i) {
    parts.add({effect->parts[i].first, group_digits(effect->parts[i].second)});
  }
  if (!effect->parts.empty()) text += fmt::format("\nparts of the model\n{}", parts.text("  "));
  return text + "\n" + device_changes(*effect);
}

Result<Exit> run_diff(const DiffFlags& flags) {
  DiffRequest request{flags.before, flags.after};
  if (!flags.problem.graph.empty()) {
    BERTH_TRY(request.problem, request_of(flags.problem));
  } else if (!flags.problem.machine.empty()) {
    return bad_input("--machine needs --graph: with both the plans are simulated");
  }
  TerminalCaller caller(false);
  BERTH_TRY(const DiffAnswer answer, diff_plans(request, caller));
  return printed(flags.json ? diff_json(answer) : diff_text(answer));
}

}  // namespace

void add_diff_command(CLI::App& app, Exit& exit) {
  auto [command, flags] =
      add_command<DiffFlags>(app, exit, "diff", "what moved between two plans, and what it did to the step", run_diff);
  add_text(command, "BEFORE", flags.before, "FILE",
           "plan file; with --graph and --machine in any format that berth score reads")
      ->required();
  add_text(command, "AFTER", flags.after, "FILE", "plan file for the same graph")->required();
  command.add_option("-g,--graph", flags.problem.graph, "their graph: both plans are simulated, with --machine");
  command.add_option("-m,--machine", flags.problem.machine, "built-in machine or a .toml file");
  add_model_flags(command, flags.problem);
  add_what_if_flags(command, flags.problem.changes);
  add_json_flag(command, flags.json);
  command.footer(
      "Example:\n  berth diff expert.json auto.json\n"
      "  berth diff expert.json auto.json --graph zoo:nmt-4 --machine k40x4    (simulated)");
}

}  // namespace berth::app
