// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "app/flags/constraint_flags.h"
#include "app/flags/options.h"
#include "app/output/json_output.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "app/output/terminal.h"
#include "app/output/what_if.h"
#include "base/units.h"
#include "services/plan/place.h"
#include "services/words.h"
#include "sim/simulator.h"

namespace berth::app {
namespace {

struct ScoreFlags {
  ProblemFlags problem;
  std::string plan;
  bool json = false, timeline = false, quiet = false;
};

// One line per event, in order of time.
std::string timeline_text(const Problem& problem, const Timeline& timeline) {
  using enum Table::Align;
  const Graph& graph = problem.graph();
  const Machine& machine = problem.machine();
  Table table({kRight, kRight, kLeft, kLeft});
  table.add({"start", "end", "where", "what"});
  const auto add = [&](Picoseconds start, Picoseconds end, std::string where, std::string what) {
    table.add({fmt::format("{:.9f}", to_seconds(start)), fmt::format("{:.9f}", to_seconds(end)), std::move(where),
               std::move(what)});
  };
  auto transfer = timeline.transfers.begin();
  const auto add_transfers_until = [&](Picoseconds time) {
    for (; transfer != timeline.transfers.end() && transfer->start <= time; ++transfer) {
      add(transfer->start, transfer->end, machine.channels()[static_cast<std::size_t>(transfer->channel)].name,
          fmt::format("{} of '{}'", format_bytes(transfer->bytes), graph.name(graph.producer(transfer->tensor))));
    }
  };
  for (const OpEvent& event : timeline.ops) {
    add_transfers_until(event.start);
    add(event.start, event.end, machine.device(event.device).name, std::string(graph.name(event.op)));
  }
  add_transfers_until(timeline.score.step_time);
  return table.text();
}

Result<Exit> run_score(const ScoreFlags& flags) {
  BERTH_TRY(ProblemRequest problem_request, request_of(flags.problem));
  TerminalCaller caller(false);
  BERTH_TRY(const ScoreAnswer answer, score({.problem = std::move(problem_request), .plan = flags.plan}, caller));
  const Outcome& outcome = answer.outcome;
  const Problem& problem = answer.loaded.problem;
  if (flags.timeline && problem.objective() == Objective::kPipeline) {
    return bad_input("--timeline: the objective 'pipeline' adds up loads and has no timeline; leave --timeline out");
  }
  std::optional<Timeline> timeline;
  if (flags.timeline) timeline = simulate_timeline(problem, outcome.plan);
  if (flags.json) {
    const auto change = [&](JsonWriter& json) { write_change(json, *answer.before, outcome); };
    BERTH_RETURN_IF_ERROR(print(
        outcome_json(answer.loaded, outcome, answer.single, timeline, answer.before ? MoreMembers(change) : nullptr)));
  } else {
    BERTH_RETURN_IF_ERROR(print(outcome_page(problem, outcome, answer.single, answer.loaded.costs)));
    if (answer.before) BERTH_RETURN_IF_ERROR(print(change_text(*answer.before, outcome)));
    if (timeline) BERTH_RETURN_IF_ERROR(print(fmt::format("\n{}", timeline_text(problem, *timeline))));
  }
  if (outcome.score.feasible) return Exit::kDone;
  return infeasible("{}", overflow_text(problem, outcome));
}

}  // namespace

void add_score_command(CLI::App& app, Exit& exit) {
  auto flags = std::make_shared<ScoreFlags>();
  CLI::App* command = app.add_subcommand("score", "what a given plan would do");
  add_problem_flags(*command, flags->problem);
  add_constraint_flags(*command, flags->problem.constraints);
  add_what_if_flags(*command, flags->problem.changes);
  command
      ->add_option("--plan", flags->plan,
                   "plan of berth place -o, or device_map.json (accelerate), layer settings (ONNX Runtime), affinity "
                   "JSON (OpenVINO), placed graph (TensorFlow), CSV; default: the placement in the model's file")
      ->type_name("FILE");
  command->add_flag("--timeline", flags->timeline, "also every op and transfer with its start and end");
  command->add_flag("-q,--quiet", flags->quiet, "no progress line; there never is one here");
  add_json_flag(*command, flags->json);
  command->footer(
      "Example:\n  berth score zoo:nmt-4 --machine k40x4 --plan plan.json --json --timeline\n"
      "  berth score gnmt.pb --machine box.toml --costs gnmt.csv    (the device fields of a TensorFlow graph)");
  command->callback([flags, &exit] { exit = finish(run_score(*flags)); });
}

}  // namespace berth::app
